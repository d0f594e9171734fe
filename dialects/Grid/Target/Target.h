//===- Target.h - What kernels are compiled for -----------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes on `grid` are independent of the target: they query an object that the
// directory of the target defines and `Register` registers under its name:
// "gpu" for all chips, "gpu:sm_90a" for one.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TARGET_TARGET_H
#define GRIDIR_DIALECTS_GRID_TARGET_TARGET_H

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/IR/RefTypes.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <memory>

namespace gridir::grid {

/// Bytes by the name of a memory space, see `MemorySpaceAttrInterface`. Passes
/// on `grid` make no attributes of other dialects.
using SpaceBytes = std::map<std::string, int64_t>;

/// The data-sheet figures of a product with a chip.
struct Product {
  /// The name of the product, such as "H100 SXM"; empty if no figures are
  /// known.
  llvm::StringLiteral name = "";
  /// The source of these figures and of the limits of the chip.
  llvm::StringLiteral source = "";
  /// The clock rate at which `flops` is reached, in Hz.
  double clockHz = 0;
  /// Operations per second of dense matrix products of 16-bit floats.
  double flops = 0;
  /// Bytes per second between device memory and all cores.
  double bandwidth = 0;

  /// The fields by name; empty if no figures are known.
  llvm::json::Object toJSON() const;
};

/// A target: the blocks and types that it supports, and the memory in which it
/// holds them.
class Target {
public:
  virtual ~Target();

  /// The name without a chip.
  virtual llvm::StringRef getName() const = 0;
  /// The name of the chip; empty for a target that stands for all chips.
  virtual llvm::StringRef getChip() const { return ""; }
  /// The name in the options of passes, such as "gpu" or "gpu:sm_90a".
  std::string getFullName() const;
  /// The name in a message, with its article.
  virtual llvm::StringRef getNoun() const = 0;

  /// True if code for the target can load, compute and store elements of a
  /// type.
  virtual bool isElementType(mlir::Type type) const = 0;

  /// Reports why the target cannot hold the blocks of an array operand whose
  /// element type it has and whose dimensions are static.
  virtual llvm::LogicalResult checkBlocks(KernelOp kernel,
                                          unsigned operand) const = 0;

  /// True if programs access blocks in place, so that only overhanging blocks
  /// need a buffer.
  virtual bool usesBlocksInPlace() const { return true; }

  /// The memory spaces of Refs without an explicit space: of index operands,
  /// and of all others.
  virtual llvm::StringRef getDefaultSpace(bool isIndexOperand) const {
    return "default";
  }

  /// The bytes that a block of an array, or scratch, takes in a space.
  virtual int64_t getHeldBytes(llvm::ArrayRef<int64_t> block,
                               llvm::ArrayRef<int64_t> array,
                               mlir::Type elementType,
                               llvm::StringRef space) const {
    return getNumBytes(block, getNumBits(elementType));
  }

  /// The capacities of the memory spaces in bytes, if they are known.
  virtual SpaceBytes getCapacities(KernelOp kernel) const { return {}; }

  /// The row of the chip in the table of its target, for the C API: limits,
  /// rates and instructions by name.
  virtual llvm::json::Object describeChip() const { return {}; }
};

/// Registers a target by its full name; the first of a name is kept.
void registerTarget(std::unique_ptr<Target> target);

/// Reports an unknown chip of a target.
mlir::InFlightDiagnostic emitUnknownChip(mlir::Location loc,
                                         llvm::ArrayRef<llvm::StringRef> known,
                                         llvm::StringRef chip);

/// Returns the target of a full name, or null.
const Target *lookupTarget(llvm::StringRef name);

/// Returns all targets; the chips of each in the order of their table.
llvm::ArrayRef<const Target *> getTargets();

/// Returns the target of a full name. Reports the known names if there is none;
/// `pass` is the user of the target.
const Target *findTarget(llvm::StringRef name, KernelOp kernel,
                         llvm::StringRef pass);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_TARGET_TARGET_H

//===- Storage.h - Memory, and windows of it -------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_STORAGE_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_STORAGE_H

#include "dialects/Conversion/Support/RefWindow.h"
#include "dialects/Warpgroup/IR/TensorMemory.h"
#include "dialects/Warpgroup/Layout/Distribution.h"
#include "mlir/IR/Builders.h"

#include <memory>

namespace gridir::warpgroup_to_nvvm {

using warpgroup::Coordinates;
using warpgroup::delinearize;
using warpgroup::Distribution;
using warpgroup::kNumLaneBits;
using warpgroup::kNumThreadBits;
using warpgroup::kNumThreads;
using warpgroup::linearize;

/// Memory that was given to the kernel, or that a scope allocates.
struct Storage {
  enum class Kind { Global, Shared, Registers, Tensor };
  Kind kind = Kind::Global;
  /// The address of the first element; null for registers. In tensor memory an
  /// i32 of lane and column.
  mlir::Value base;
  llvm::SmallVector<int64_t> shape;
  mlir::Type elementType;
  /// The number of columns that are adjacent. A wider matrix consists of column
  /// blocks of this width, one after the other, without gaps.
  int64_t width = 1;
  /// The bytes of a row whose pieces of 16 bytes are permuted; 16 for none.
  int64_t swizzle = 16;
  /// For global memory: the number of the operand.
  int64_t operand = -1;
  /// For registers: the distribution of the array, and a local variable for
  /// each register. For barriers: one variable whose bits are the phases of the
  /// next waits.
  std::optional<Distribution> distribution;
  llvm::SmallVector<mlir::Value> variables;
  /// For barriers: true if each warp arrives separately instead of one thread
  /// for the warpgroup.
  bool isOfWarps = false;
  /// True for an MMA accumulator. 16-bit accumulators are packed two per 32-bit
  /// variable. Variables that exceed the registers of a thread are in local
  /// memory.
  bool isAccumulator = false;
  int64_t numHeld = 0;
  /// For tensor memory: the layout of the array.
  std::optional<warpgroup::TensorMemoryLayout> tensor;
  /// True if elements of less than a byte are packed.
  bool isPacked = false;
  int64_t getElementBytes() const;
  /// The bytes of this many consecutive elements.
  int64_t getBytes(int64_t elements) const;
  int64_t getElementsOfByte() const {
    return isPacked ? 8 / elementType.getIntOrFloatBitWidth() : 1;
  }
  /// The elements from one index to the next along dimension `d`; along the
  /// last one inside of a panel.
  int64_t getStride(unsigned d) const;
  int64_t getNumPanels() const {
    return shape.empty() ? 1 : shape.back() / width;
  }
  int64_t getPanelElements() const {
    return (shape.size() < 2 ? 1 : shape[shape.size() - 2]) * width;
  }
  bool isRowMajor() const { return swizzle == 16 && getNumPanels() == 1; }
  /// Elements of a local variable. No MMA has sums of more than 32 bits; its
  /// lowering reports these.
  int64_t getElementsOfVariable() const {
    return isAccumulator
               ? std::max<int64_t>(32 / elementType.getIntOrFloatBitWidth(), 1)
               : 1;
  }
};

/// The length of a row of an array. At least 1, since it divides: a program may
/// have arrays without elements, which it never accesses.
inline int64_t getRowLength(llvm::ArrayRef<int64_t> shape) {
  return shape.empty() ? 1 : std::max<int64_t>(shape.back(), 1);
}

/// The window of memory that a Ref represents.
struct View : RefWindow {
  using RefWindow::RefWindow;

  std::shared_ptr<Storage> storage;

  mlir::Type getElementType() const { return storage->elementType; }
};

/// The view of all of a storage.
View getWholeView(mlir::Builder &builder, std::shared_ptr<Storage> storage);

/// Reports a view of an array whose size in bytes does not fit 32 bits.
llvm::LogicalResult checkAddresses(mlir::Operation *op, const View &view);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_STORAGE_H

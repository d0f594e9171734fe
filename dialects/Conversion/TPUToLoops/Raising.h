//===- Raising.h - From Mosaic's form of a kernel to grid's ----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_TPUTOLOOPS_RAISING_H
#define GRIDIR_DIALECTS_CONVERSION_TPUTOLOOPS_RAISING_H

#include "dialects/Grid/IR/Grid.h"
#include "dialects/TPU/IR/TPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include <functional>

/// A Mosaic module is executed on a CPU as the grid kernel that it says it is:
/// its windows, transforms and vector ops are read back, op by op, and nothing
/// of the kernel that it came from is used but the arrays of the call.
namespace gridir::tpu_to_loops {

/// What the emission of one function shares.
class Raising {
public:
  explicit Raising(mlir::OpBuilder &builder);

  mlir::OpBuilder &builder;

  llvm::LogicalResult raiseBlock(mlir::Block &block);
  mlir::Value get(mlir::Value value) { return mapping.lookup(value); }
  llvm::SmallVector<mlir::Value> get(mlir::ValueRange values);
  void set(mlir::Value from, mlir::Value to) { mapping.map(from, to); }

  /// Tensors for vectors.
  mlir::Type convertType(mlir::Type type);
  /// The Ref for a memref of Mosaic.
  mlir::MemRefType convertRef(mlir::MemRefType type);

  template <typename OpT>
  void add(llvm::LogicalResult (*raise)(OpT, Raising &)) {
    handlers[OpT::getOperationName()] = [this, raise](mlir::Operation *op) {
      return raise(llvm::cast<OpT>(op), *this);
    };
  }

private:
  mlir::IRMapping mapping;
  llvm::StringMap<std::function<llvm::LogicalResult(mlir::Operation *)>>
      handlers;
};

void addAccessRaisings(Raising &raising);
void addArithmeticRaisings(Raising &raising);
void addVectorRaisings(Raising &raising);
void addLookupRaisings(Raising &raising);
void addProgramRaisings(Raising &raising);

/// Makes the grid kernel of a function with the attributes of a Mosaic kernel.
/// `operands` tells the arrays of the call.
mlir::FailureOr<grid::KernelOp> raiseKernel(mlir::func::FuncOp function,
                                            mlir::DictionaryAttr operands);

/// The space of grid for one of Mosaic.
grid::MemorySpace getGridSpace(tpu::MemorySpace space);

/// A tensor without contents.
mlir::Value createEmpty(Raising &raising, mlir::Location loc,
                        mlir::RankedTensorType type);

/// The same elements in another shape.
mlir::Value createReshape(Raising &raising, mlir::Location loc,
                          mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// A tensor whose elements are all one number.
mlir::Value createFill(Raising &raising, mlir::Location loc, mlir::Value value,
                       mlir::RankedTensorType type);

} // namespace gridir::tpu_to_loops

#endif // GRIDIR_DIALECTS_CONVERSION_TPUTOLOOPS_RAISING_H

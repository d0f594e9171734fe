//===- Raising.h - From Mosaic's form of a kernel to grid's ----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_TPUTOGRID_RAISING_H
#define GRIDIR_DIALECTS_CONVERSION_TPUTOGRID_RAISING_H

#include "dialects/Conversion/Support/Patterns.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/TPU/IR/TPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

/// Converts a Mosaic module back to a grid kernel: its windows, transforms and
/// vector ops, op by op. The only other input is the list of arrays of the
/// call.
namespace gridir::tpu_to_grid {

using Rewriter = mlir::ConversionPatternRewriter;

/// Vectors become tensors. The type of a Ref depends on its origin, since
/// memory of Mosaic has neither bools nor the memory space of the original
/// kernel.
class RaisingTypes : public mlir::TypeConverter {
public:
  RaisingTypes();
};

void populateAccessPatterns(ConversionPatterns &patterns);
void populateArithmeticPatterns(ConversionPatterns &patterns);
void populateVectorPatterns(ConversionPatterns &patterns);
void populateLookupPatterns(ConversionPatterns &patterns);
void populateProgramPatterns(ConversionPatterns &patterns);

/// Rewrites Mosaic's float-to-integer conversions, shifts and divisions for
/// values at which those of `arith` are undefined, and its comparisons of NaN.
/// Not a part of the conversion, as the ops stay.
void readInstructions(mlir::Operation *root);

/// Makes the grid kernel of a function with the attributes of a Mosaic kernel,
/// with copies of the bodies of the function and its transforms, where Refs
/// stand for memrefs. `operands` has the arrays of the call.
mlir::FailureOr<grid::KernelOp> createKernel(mlir::func::FuncOp function,
                                             mlir::DictionaryAttr operands);

/// The patterns of the conversion, for any number of modules of a context.
class RaisingPatterns {
public:
  explicit RaisingPatterns(mlir::MLIRContext *context);
  RaisingPatterns(const RaisingPatterns &) = delete;

  /// Converts the ops in a kernel that `createKernel` has made.
  llvm::LogicalResult apply(grid::KernelOp kernel) const;

private:
  RaisingTypes types;
  mlir::FrozenRewritePatternSet patterns;
};

/// Replaces the functions of a module by the grid kernel that they say they
/// are; null where none of them is a kernel.
mlir::FailureOr<grid::KernelOp> readBack(mlir::ModuleOp module,
                                         const RaisingPatterns &patterns);

/// The tensor for a vector.
mlir::RankedTensorType getTensorType(mlir::Type vector);

/// Converts a type as `RaisingTypes` does.
mlir::Type raiseType(mlir::Type type);

/// The Ref for a memref of Mosaic that has not been converted yet.
mlir::MemRefType convertRef(mlir::MemRefType type);

/// The converted Ref of a memref, or null.
mlir::Value getRef(mlir::Value memref);

/// True for the type of a Ref, which may be that of a memref of Mosaic.
bool isRefType(mlir::BaseMemRefType type);

/// The same elements in another shape.
mlir::Value createReshape(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// Creates a splat tensor.
mlir::Value createFill(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::RankedTensorType type);

} // namespace gridir::tpu_to_grid

#endif // GRIDIR_DIALECTS_CONVERSION_TPUTOGRID_RAISING_H

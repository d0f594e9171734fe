//===- Lowering.h - What the lowerings of one kernel share -----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOTPU_LOWERING_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOTPU_LOWERING_H

#include "dialects/Conversion/Support/Handlers.h"
#include "dialects/Conversion/Support/RefWindow.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/Support/Builders.h"
#include "dialects/TPU/IR/TPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

/// Grid kernels become Mosaic's by one walk over the body: every op is emitted
/// again, on vectors. A Ref is a window of one of the kernel's memrefs.
namespace gridir::grid_to_tpu {

/// The window of a memref that a Ref represents.
struct View : RefWindow {
  using RefWindow::RefWindow;

  mlir::Value base;
  /// The size of each dimension of `base` whose size is dynamic, an i32; empty
  /// where none is.
  llvm::SmallVector<mlir::Value> dynamicSizes;
  /// The shape of the Ref where it is another than that of the window.
  std::optional<llvm::SmallVector<int64_t>> reshaped;
  /// The element type of the Ref; the memref holds a bool as an i32.
  mlir::Type elementType;

  mlir::MemRefType getBaseType() const {
    return llvm::cast<mlir::MemRefType>(base.getType());
  }
  /// The sizes of the dimensions that are not dropped, in the order of `base`.
  llvm::SmallVector<int64_t> getKeptShape() const;
  /// Dimension `i` of the Ref is the `permutation[i]`-th one of these.
  llvm::SmallVector<int64_t> getPermutation() const;
};

class Lowering;

/// The lowerings of ops whose meaning on a TPU differs.
using Handlers = gridir::Handlers<Lowering>;
const Handlers &getHandlers();

/// One function of the kernel while it is emitted: the body, or a transform.
class Lowering : public Emitted<mlir::Value, View> {
public:
  Lowering(grid::KernelOp kernel, mlir::OpBuilder &builder)
      : kernel(kernel), builder(builder) {}

  grid::KernelOp kernel;
  mlir::OpBuilder &builder;
  /// The grid indices of the function.
  llvm::SmallVector<mlir::Value> programIds;
  /// `fuse_transposed_lhs_in_matmul` of the author.
  bool transposeLhsHint = false;
  /// Slices that others are inserted into, which are made with those at once.
  llvm::DenseSet<mlir::Operation *> joinedParts;
  /// The number of consecutive elements that were inserted into each value.
  llvm::DenseMap<mlir::Operation *, int64_t> insertedElements;

  /// Emits one op.
  llvm::LogicalResult lowerOp(mlir::Operation *op);

  /// The converted value; a `tensor.empty` becomes zeros here, when it is asked
  /// for.
  mlir::Value get(mlir::Value value);
  llvm::SmallVector<mlir::Value> get(mlir::ValueRange values);
  using Emitted::set;
  void set(mlir::ValueRange from, mlir::ValueRange to);

  /// The type of the value on a TPU: vectors for tensors. Reports a type that a
  /// TPU does not have.
  mlir::FailureOr<mlir::Type> convertType(mlir::Operation *op, mlir::Type type);
  mlir::FailureOr<llvm::SmallVector<mlir::Type>>
  convertTypes(mlir::Operation *op, mlir::TypeRange types);

  /// Reports the first value inside of a region that `convertType` rejects, so
  /// that the lowering of an op need not check the types of its operands.
  llvm::LogicalResult verifyTypes(mlir::Region &region);

  /// The memref of a Ref that is an argument of the function or of a region.
  mlir::FailureOr<mlir::MemRefType> convertRef(mlir::Operation *op,
                                               mlir::MemRefType type);

private:
  llvm::LogicalResult lowerOwnOp(mlir::Operation *op);
  llvm::LogicalResult lowerOnElements(mlir::Operation *op,
                                      mlir::TypeRange types);
};

//===----------------------------------------------------------------------===//
// The parts of the conversion
//===----------------------------------------------------------------------===//

void addViewLowerings(Handlers &handlers);
void addAccessLowerings(Handlers &handlers);
void addShapeLowerings(Handlers &handlers);
void addLinalgLowerings(Handlers &handlers);
void addBodyLowerings(Handlers &handlers);
void addReductionLowerings(Handlers &handlers);
void addDotLowerings(Handlers &handlers);
void addAsyncLowerings(Handlers &handlers);
void addPrintLowerings(Handlers &handlers);
void addProgramLowerings(Handlers &handlers);

/// A generic op with reduction loops.
llvm::LogicalResult lowerReducingGeneric(mlir::linalg::GenericOp op,
                                         Lowering &lowering);

/// Replaces loops over the elements of a copy of dynamic size by one copy.
/// Returns false if the copy does not consist of whole tiles; then the loops
/// remain.
llvm::FailureOr<bool> lowerCopyLoops(mlir::scf::ForOp loop, Lowering &lowering);

/// Slices with dynamic offsets or strides, and single elements.
llvm::LogicalResult lowerDynamicSlice(mlir::tensor::ExtractSliceOp op,
                                      Lowering &lowering);
llvm::LogicalResult lowerDynamicInsert(mlir::tensor::InsertSliceOp op,
                                       Lowering &lowering);
llvm::LogicalResult lowerExtract(mlir::tensor::ExtractOp op,
                                 Lowering &lowering);
llvm::LogicalResult lowerInsert(mlir::tensor::InsertOp op, Lowering &lowering);

llvm::LogicalResult lowerRotate(grid::RotateOp op, Lowering &lowering);

/// Makes the function of the kernel and its transforms before the kernel.
llvm::LogicalResult buildFunctions(grid::KernelOp kernel);

//===----------------------------------------------------------------------===//
// Small builders
//===----------------------------------------------------------------------===//

/// The space that a TPU has for a Ref, if it has one. `isBlock` determines the
/// meaning of `default`: blocks are in VMEM.
std::optional<tpu::MemorySpace>
getTPUSpace(grid::MemorySpaceAttrInterface space);

/// A bool is held as an i32, as JAX hands it over.
mlir::Type getStorageType(mlir::Type elementType);

/// The view of a whole memref.
View getWholeView(mlir::Value base, mlir::Type elementType);

/// The same elements in another shape; a vector of one element for a scalar,
/// and the reverse.
mlir::Value createShapeCast(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, mlir::Type type);

/// A value of one dimension as a row, since Mosaic does much in two or more.
mlir::Value createRow(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value);

/// Numbers of another width: of a bool, or where `isUnsigned`, without a sign.
mlir::Value createElementCast(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value, mlir::Type element,
                              bool isUnsigned = false);

/// The 32-bit type in which Mosaic computes for an unsupported narrow one.
mlir::Type getWideElement(mlir::Type element);

/// Elements at `start` to `start + size` of one dimension.
mlir::Value createPart(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, int64_t dim, int64_t start,
                       int64_t size);

/// Parts one after another; a part may be alone.
mlir::Value createConcat(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::ValueRange parts, int64_t dim);

/// Numbers of i32 that count along a dimension.
mlir::Value createIota(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<int64_t> shape, int64_t dim);

/// Rotates a vector of 32-bit elements: element `i` moves to `i + amount`,
/// modulo the size.
mlir::Value createRotate(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Value amount, int64_t dim);

/// Gathers 32-bit elements at indices along one of the last two dimensions.
/// Mosaic supports lookups within one register, so larger values are looked up
/// in each register, and a select chooses the result.
mlir::Value createLookup(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value source, mlir::Value indices, int64_t dim);

/// A value padded with zeros, so that it fills registers along a dimension:
/// Mosaic rotates only these.
mlir::Value createPadded(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, int64_t dim);

/// Every `stride`-th of the elements of one dimension from `start` on, `count`
/// of them: of whole registers the wanted ones, and in registers by a lookup.
mlir::Value createStridedPart(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value, int64_t dim, int64_t start,
                              int64_t count, int64_t stride);

/// The elements of one dimension, of 32 bits, `stride` apart, with any numbers
/// between them.
mlir::Value createSpread(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, int64_t dim, int64_t stride);

/// Inserts a slice into a value at `starts`, which are i32. Mosaic has no
/// insertion: the slice is moved to its position in the destination, and a
/// select chooses its elements. A scalar is a slice of one element.
mlir::Value createInserted(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value slice, mlir::Value dest,
                           llvm::ArrayRef<mlir::Value> starts,
                           llvm::ArrayRef<int64_t> strides);

/// The elements in one register along a dimension: the unit of rotations and
/// lookups. 1 for the dimensions that registers do not have.
int64_t getRegisterSize(int64_t rank, int64_t dim);

/// A vector of `shape` whose dimensions `dims`, in order, are those of `value`.
mlir::Value createBroadcast(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, llvm::ArrayRef<int64_t> dims,
                            llvm::ArrayRef<int64_t> shape);

/// A permutation of two dimensions or more.
mlir::Value createTranspose(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value,
                            llvm::ArrayRef<int64_t> permutation);

/// Returns the memref of a window, for ops that require one. Rejects windows
/// that a memref cannot represent.
mlir::FailureOr<mlir::Value>
createMemRef(Lowering &lowering, mlir::Operation *op, const View &view);

} // namespace gridir::grid_to_tpu

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOTPU_LOWERING_H

//===- PlainProof.cpp - Modules that need no proof ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Checks/ModuleProof.h"

#include "dialects/Grid/IR/DiscardableAttrs.h"
#include "dialects/TPU/IR/IndexedAccess.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace gridir::tpu {
namespace {

bool isMemRef(Type type) { return isa<BaseMemRefType>(type); }

/// Decides from ranges alone, conservatively.
class PlainProof {
public:
  PlainProof(func::FuncOp kernel, const KernelRanges &ranges)
      : kernel(kernel), ranges(ranges) {}

  bool holds() {
    return !hasSemaphores() && hasPlainWindows() && hasPlainAccesses() &&
           ranges.findWrapping().empty() && ranges.findReadsBeyond().empty();
  }

private:
  /// True if the kernel receives a semaphore. It allocates one by an op that
  /// `isPlain` does not accept.
  bool hasSemaphores() {
    return llvm::any_of(kernel.getArgumentTypes(), [](Type type) {
      auto memref = dyn_cast<MemRefType>(type);
      return memref &&
             isa<SemaphoreType, DMASemaphoreType>(memref.getElementType());
    });
  }

  bool isWithin(func::FuncOp function, Value index, int64_t end) {
    if (ShapedType::isDynamic(end))
      return false;
    if (std::optional<int64_t> number = getConstantIntValue(index))
      return *number >= 0 && *number < end;
    // The ids of the grid come first, in each of the functions.
    auto id = dyn_cast<BlockArgument>(index);
    if (id && id.getOwner() == &function.front() &&
        id.getArgNumber() < bounds.size()) {
      int64_t bound = bounds[id.getArgNumber()];
      return bound > 0 && bound <= end;
    }
    return ranges.getRanges(function).isIndex(index, end);
  }

  /// True if the blocks of each window begin in its array.
  bool hasPlainWindows() {
    auto module = kernel->getParentOfType<ModuleOp>();
    auto operands =
        module->getAttrOfType<DictionaryAttr>(grid::kOperandsAttrName);
    if (!operands)
      return false;
    auto windows = kernel->getAttrOfType<ArrayAttr>(kWindowParamsName);
    if (!windows)
      return true;
    if (auto given =
            kernel->getAttrOfType<DenseI64ArrayAttr>(kIterationBoundsName))
      bounds = given;
    SmallVector<Attribute> arrays;
    for (StringRef name : {"inputs", "outputs"})
      if (auto list = operands.getAs<ArrayAttr>(name))
        llvm::append_range(arrays, list);
    SmallVector<func::FuncOp> transforms = getTransforms(kernel);
    if (arrays.size() != windows.size() || transforms.size() != windows.size())
      return false;
    for (auto [array, window, transform] :
         llvm::zip_equal(arrays, windows, transforms))
      if (!isPlainWindow(dyn_cast<grid::OperandAttr>(array),
                         dyn_cast<DictionaryAttr>(window), transform))
        return false;
    return true;
  }

  bool isPlainWindow(grid::OperandAttr array, DictionaryAttr window,
                     func::FuncOp transform) {
    if (!array || !window || !transform || transform.isDeclaration() ||
        !transform.getBody().hasOneBlock() || window.contains(kWindowKindName))
      return false;
    auto block = window.getAs<DenseI64ArrayAttr>(kWindowBoundsName);
    ValueRange indices =
        transform.getBody().front().getTerminator()->getOperands();
    SmallVector<int64_t> shape = array.getArrayShape();
    if (!block || block.size() != static_cast<int64_t>(shape.size()) ||
        indices.size() != shape.size())
      return false;
    for (auto [index, size, extent] :
         llvm::zip_equal(indices, block.asArrayRef(), shape))
      if (ShapedType::isDynamic(extent) || size <= 0 ||
          !isWithin(transform, index, llvm::divideCeil(extent, size)))
        return false;
    return true;
  }

  /// True if all ops that access memory are loads, stores and views within
  /// their memrefs.
  bool hasPlainAccesses() {
    return !kernel
                .walk([&](Operation *op) {
                  return isPlain(op) ? WalkResult::advance()
                                     : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  bool isPlain(Operation *op) {
    if (op == kernel ||
        isa<MemRefSqueezeOp, MemRefReshapeOp, MemRefBitcastOp>(op))
      return true;
    std::optional<IndexedAccess> access = getIndexedAccess(op);
    if (!access)
      return llvm::none_of(op->getOperandTypes(), isMemRef) &&
             llvm::none_of(op->getResultTypes(), isMemRef);
    ArrayRef<int64_t> shape = access->getType().getShape();
    for (auto [index, span, size] :
         llvm::zip_equal(access->indices, access->spans, shape))
      if (ShapedType::isDynamic(size) ||
          !isWithin(kernel, index, size - span + 1))
        return false;
    return true;
  }

  func::FuncOp kernel;
  const KernelRanges &ranges;
  ArrayRef<int64_t> bounds;
};

} // namespace

bool isPlainlyProved(func::FuncOp kernel, const KernelRanges &ranges) {
  return PlainProof(kernel, ranges).holds();
}

} // namespace gridir::tpu

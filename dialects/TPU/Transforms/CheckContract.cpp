//===- CheckContract.cpp - What the Mosaic compiler expects and does not check --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/CountAttributes.h"
#include "dialects/TPU/IR/IndexedAccess.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/Contract.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUCHECKCONTRACTPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir::tpu;

namespace {

/// Mosaic's name for a bound that the call gives.
constexpr int64_t kDynamicBound = std::numeric_limits<int64_t>::min();

//===----------------------------------------------------------------------===//
// The kernel and its windows
//===----------------------------------------------------------------------===//

/// One kernel function and the attributes by which Mosaic calls it.
class KernelCheck {
public:
  explicit KernelCheck(func::FuncOp kernel) : kernel(kernel) {}

  LogicalResult check() {
    if (kernel.isDeclaration())
      return kernel.emitError("expected a kernel with a body, got a "
                              "declaration");
    if (failed(checkGrid()) || failed(checkMemRefs()))
      return failure();
    auto windows = kernel->getAttrOfType<ArrayAttr>(kWindowParamsName);
    if (!windows)
      return rank == 0 ? success()
                       : kernel.emitError("expected ")
                             << kWindowParamsName << " beside "
                             << kIterationBoundsName;
    return checkWindows(windows);
  }

private:
  LogicalResult checkGrid();
  LogicalResult checkMemRefs();
  LogicalResult checkWindows(ArrayAttr windows);
  LogicalResult checkWindow(unsigned windowNumber, DictionaryAttr window,
                            MemRefType block);
  LogicalResult checkTransform(unsigned windowNumber, FlatSymbolRefAttr name,
                               int64_t blockRank);
  int64_t getCount(StringRef name) {
    return gridir::getCount(kernel, name).value_or(0);
  }

  func::FuncOp kernel;
  int64_t rank = 0;
};

LogicalResult KernelCheck::checkGrid() {
  auto bounds = kernel->getAttrOfType<DenseI64ArrayAttr>(kIterationBoundsName);
  auto semantics = kernel->getAttrOfType<ArrayAttr>(kDimensionSemanticsName);
  rank = bounds ? bounds.size() : 0;
  int64_t numSemantics = semantics ? semantics.size() : 0;
  if (numSemantics != rank)
    return kernel.emitError("expected ")
           << rank << " dimension semantics, got " << numSemantics;
  for (int64_t bound : bounds ? bounds.asArrayRef() : ArrayRef<int64_t>())
    if (bound != kDynamicBound &&
        (bound <= 0 || bound > std::numeric_limits<int32_t>::max()))
      return kernel.emitError("expected a grid dimension of at least 1 "
                              "program, got ")
             << bound;
  if (static_cast<int64_t>(kernel.getNumArguments()) <
      rank + getCount(kScalarPrefetchName) + getCount(kScratchOperandsName))
    return kernel.emitError("expected an argument for each grid index, "
                            "prefetched scalar and scratch, got ")
           << kernel.getNumArguments();
  for (int64_t i = 0; i < rank; ++i)
    if (!kernel.getArgumentTypes()[i].isInteger(32))
      return kernel.emitError("expected grid index ")
             << i << " as i32, got " << kernel.getArgumentTypes()[i];
  return success();
}

/// Mosaic compiles a memref without a memory space, with an undefined meaning.
LogicalResult KernelCheck::checkMemRefs() {
  for (auto [i, type] : llvm::enumerate(
           kernel.getArgumentTypes().drop_front(static_cast<size_t>(rank)))) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !getMemorySpace(memref))
      return kernel.emitError("expected argument ")
             << i + rank << " to be a memref in a memory of a TPU, got "
             << type;
  }
  return success();
}

LogicalResult KernelCheck::checkWindows(ArrayAttr windows) {
  int64_t first = rank + getCount(kScalarPrefetchName);
  int64_t expected = static_cast<int64_t>(kernel.getNumArguments()) - first -
                     getCount(kScratchOperandsName);
  if (static_cast<int64_t>(windows.size()) != expected)
    return kernel.emitError("expected ")
           << expected << " windows, got " << windows.size();
  for (auto [windowNumber, attr] : llvm::enumerate(windows)) {
    auto window = dyn_cast<DictionaryAttr>(attr);
    if (!window)
      return kernel.emitError("expected a dictionary for window ")
             << windowNumber << ", got " << attr;
    auto block =
        cast<MemRefType>(kernel.getArgumentTypes()[first + windowNumber]);
    if (failed(checkWindow(windowNumber, window, block)))
      return failure();
  }
  return success();
}

LogicalResult KernelCheck::checkWindow(unsigned windowNumber,
                                       DictionaryAttr window,
                                       MemRefType block) {
  MemorySpace space = *getMemorySpace(block);
  bool inPlace = space == MemorySpace::Any || space == MemorySpace::Hbm ||
                 space == MemorySpace::SemaphoreMem;
  if (window.empty())
    return inPlace ? success()
                   : kernel.emitError("expected a window for operand ")
                         << windowNumber << ", whose block is " << block;
  if (inPlace)
    return kernel.emitError("expected no window for operand ")
           << windowNumber << ", which stays in "
           << stringifyMemorySpace(space);
  auto bounds = window.getAs<DenseI64ArrayAttr>(kWindowBoundsName);
  auto transform = window.getAs<FlatSymbolRefAttr>(kTransformIndicesName);
  if (!bounds || !transform)
    return kernel.emitError("expected ")
           << kWindowBoundsName << " and " << kTransformIndicesName
           << " of window " << windowNumber;
  for (int64_t size : bounds.asArrayRef())
    if (size <= 0)
      return kernel.emitError("expected window ")
             << windowNumber << " to hold elements, got a size of " << size;
  // Mosaic compiles a block that differs from its window, and accesses memory
  // outside of it.
  if (bounds.asArrayRef() != block.getShape())
    return kernel.emitError("expected window ")
           << windowNumber << " to be its block, got " << bounds << " and "
           << block;
  if (auto kind = window.getAs<ElementWindowAttr>(kWindowKindName);
      kind && kind.getPadLow().size() != bounds.asArrayRef().size())
    return kernel.emitError("expected a padding for each dimension of window ")
           << windowNumber;
  auto isNegative = [](int64_t padding) { return padding < 0; };
  if (auto kind = window.getAs<ElementWindowAttr>(kWindowKindName);
      kind && (llvm::any_of(kind.getPadLow(), isNegative) ||
               llvm::any_of(kind.getPadHigh(), isNegative)))
    return kernel.emitError("expected non-negative padding of window ")
           << windowNumber << ", got " << kind;
  return checkTransform(windowNumber, transform, block.getRank());
}

LogicalResult KernelCheck::checkTransform(unsigned windowNumber,
                                          FlatSymbolRefAttr name,
                                          int64_t blockRank) {
  auto transform =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(kernel, name);
  if (!transform || transform.isDeclaration())
    return kernel.emitError("expected a function with a body for window ")
           << windowNumber << ", got " << name;
  int64_t numInputs = rank + getCount(kScalarPrefetchName);
  if (transform.getArgumentTypes() !=
      kernel.getArgumentTypes().take_front(numInputs))
    return transform.emitError("expected the grid indices and prefetched "
                               "scalars of the kernel, got ")
           << transform.getFunctionType();
  if (static_cast<int64_t>(transform.getNumResults()) != blockRank ||
      !llvm::all_of(transform.getResultTypes(),
                    [](Type type) { return type.isInteger(32); }))
    return transform.emitError("expected ")
           << blockRank << " results of i32, one for each dimension of window "
           << windowNumber << ", got " << transform.getFunctionType();
  auto result = transform.walk([&](func::ReturnOp op) {
    for (Value index : op.getOperands())
      if (std::optional<int64_t> constant = getConstantIntValue(index);
          constant && *constant < 0)
        return WalkResult(op.emitError("expected an index of a block, got ")
                          << *constant);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Constant indices must be in bounds: Mosaic does not check.
LogicalResult checkAccess(Operation *op, const IndexedAccess &access) {
  for (auto [dim, index] : llvm::enumerate(access.indices)) {
    int64_t extent = access.getType().getDimSize(dim);
    if (ShapedType::isDynamic(extent))
      continue;
    int64_t span = access.spans[dim];
    int64_t first = getConstantIntValue(index).value_or(0);
    if (first < 0 || first + span > extent)
      return op->emitError("expected an access inside ")
             << access.getType() << ", got " << first << " to " << first + span
             << " in dimension " << dim;
  }
  return success();
}

LogicalResult checkOp(Operation *op) {
  if (std::optional<IndexedAccess> access = getIndexedAccess(op);
      access && !isa<MemRefSliceOp>(op))
    return checkAccess(op, *access);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    if (matchPattern(loop.getConditionOp().getCondition(), m_One()))
      return op->emitError("expected a loop that ends, got one whose condition "
                           "is true");
  return success();
}

class TPUCheckContractPass
    : public gridir::tpu::impl::TPUCheckContractPassBase<TPUCheckContractPass> {
public:
  using TPUCheckContractPassBase::TPUCheckContractPassBase;

  void runOnOperation() override {
    if (failed(checkContract(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult gridir::tpu::checkContract(ModuleOp module) {
  bool isOk = true;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kCoreTypeName))
      isOk &= succeeded(KernelCheck(function).check());
  module.walk([&](Operation *op) { isOk &= succeeded(checkOp(op)); });
  return success(isOk);
}

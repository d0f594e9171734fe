//===- LocalRefs.cpp - Memory of scratch and of scopes --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/LocalRefs.h"

#include "dialects/Conversion/GridToLoops/Async.h"
#include "dialects/Conversion/GridToLoops/Counters.h"
#include "dialects/Grid/Analysis/GridParallelism.h"
#include "dialects/Grid/Analysis/RefNames.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

Value createRef(OpBuilder &builder, Location loc, Value memref, Type type) {
  return UnrealizedConversionCastOp::create(builder, loc, type, memref)
      .getResult(0);
}

/// Returns the number of consecutive work items that share a Ref: 1 for a
/// private Ref, 0 if all share it, or none if work items that are not
/// consecutive share it.
static std::optional<int64_t>
getNumMembers(KernelLowering &lowering, MemRefType type, ArrayAttr collective) {
  KernelOp kernel = lowering.kernel;
  if (!isSharedByPrograms(kernel, type, collective))
    return 1;
  if (!collective || collective.empty())
    return 0;
  llvm::SmallBitVector shared(kernel.getRank());
  for (Attribute axis : collective)
    if (std::optional<unsigned> dim = kernel.findDim(axis))
      shared.set(*dim);
  // Work items enumerate the parallel dimensions in row-major order.
  int64_t members = 1;
  bool isOfAll = true;
  for (unsigned dim : llvm::reverse(lowering.parallelDims)) {
    int64_t size = kernel.getDim(dim).getSize();
    if (size == 1)
      continue;
    if (!shared.test(dim))
      isOfAll = false;
    else if (!isOfAll || ShapedType::isDynamic(size))
      return std::nullopt;
    else
      members *= size;
  }
  return isOfAll ? 0 : members;
}

/// The part of memory that a task shares is known before its loops.
static LogicalResult checkCores(KernelLowering &lowering) {
  KernelOp kernel = lowering.kernel;
  bool hasShared = llvm::any_of(kernel.getScratchRefs(), [](BlockArgument ref) {
    return isOfSparseCore(cast<MemRefType>(ref.getType()));
  });
  if (!hasShared || !lowering.hasTasks())
    return success();
  for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
    bool isOfCores =
        kernel.getDim(dim).getKind() == DimKind::Core ||
        (kernel->hasAttr(kMeshesAttrName) && dim + 1 == kernel.getRank());
    if (isOfCores && !llvm::is_contained(lowering.parallelDims, dim))
      return lowering.fail(kernel, "expected parallel cores, whose programs "
                                   "share memory, got a sequential dimension");
  }
  return success();
}

LogicalResult checkMeshes(KernelLowering &lowering) {
  if (failed(checkCores(lowering)))
    return failure();
  KernelOp kernel = lowering.kernel;
  auto meshes = kernel->getAttrOfType<ArrayAttr>(kMeshesAttrName);
  if (!meshes)
    return success();
  std::optional<int64_t> programs = 0;
  for (auto shape : meshes.getAsRange<DenseI64ArrayAttr>()) {
    std::optional<int64_t> size = countPoints(shape.asArrayRef());
    programs =
        programs && size ? llvm::checkedAdd(*programs, *size) : std::nullopt;
  }
  if (programs && kernel.getRank() > 0 &&
      *programs == kernel.getGridShape().back())
    return success();
  return lowering.fail(kernel, "expected meshes whose cores are the programs "
                               "of the last grid dimension, got other shapes");
}

/// Returns the SparseCore of a program and the number of SparseCores, either
/// from several meshes that one dimension enumerates or from the dimensions of
/// a single mesh.
static std::pair<Value, int64_t>
createSparseCore(OpBuilder &builder, Location loc, KernelLowering &lowering) {
  KernelOp kernel = lowering.kernel;
  Value core = createIndex(builder, loc, 0);
  int64_t numCores = 1;
  auto meshes = kernel->getAttrOfType<ArrayAttr>(kMeshesAttrName);
  if (!meshes) {
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
      if (kernel.getDim(dim).getKind() != DimKind::Core)
        continue;
      core = arith::MulIOp::create(builder, loc, core, lowering.gridSizes[dim]);
      core =
          arith::AddIOp::create(builder, loc, core, lowering.programIds[dim]);
      numCores *= kernel.getDim(dim).getSize();
    }
    return {core, numCores};
  }
  Value program = lowering.programIds.back();
  int64_t first = 0;
  for (auto shape : meshes.getAsRange<DenseI64ArrayAttr>()) {
    int64_t size = computeProduct(shape.asArrayRef());
    Value start = createIndex(builder, loc, first);
    Value isInMesh = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::uge, program, start);
    Value number = arith::DivUIOp::create(
        builder, loc, arith::SubIOp::create(builder, loc, program, start),
        createIndex(builder, loc, size / shape[0]));
    core = arith::SelectOp::create(builder, loc, isInMesh, number, core);
    numCores = std::max(numCores, shape[0]);
    first += size;
  }
  return {core, numCores};
}

/// Returns the part of the shared memory that belongs to this SparseCore.
static Value createSharedRef(OpBuilder &builder, KernelLowering &lowering,
                             Location loc, MemRefType type, Type element) {
  auto [core, numCores] = createSparseCore(builder, loc, lowering);
  SmallVector<int64_t> shape{numCores};
  llvm::append_range(shape, type.getShape());
  Value memory = lowering.allocateForTasks(loc, shape, element, /*members=*/0);
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0)),
      strides(shape.size(), builder.getIndexAttr(1)), sizes;
  offsets[0] = core;
  for (int64_t size : shape)
    sizes.push_back(builder.getIndexAttr(size));
  sizes[0] = builder.getIndexAttr(1);
  MemRefType part = memref::SubViewOp::inferRankReducedResultType(
      type.getShape(), cast<MemRefType>(memory.getType()), offsets, sizes,
      strides);
  return memref::SubViewOp::create(builder, loc, part, memory, offsets, sizes,
                                   strides);
}

Value createLocalRef(OpBuilder &builder, KernelLowering &lowering,
                     BlockArgument scratch, ArrayAttr collective) {
  auto type = cast<MemRefType>(scratch.getType());
  Location loc = getNamedLoc(scratch);
  bool isSemaphore = isa<SemaphoreType>(type.getElementType());
  Type element = isa<SyncTypeInterface>(type.getElementType())
                     ? builder.getI64Type()
                     : type.getElementType();
  if (lowering.hasTasks()) {
    // Semaphores are zero at the start of the kernel, and a signal before a
    // scope begins counts.
    Value memory = isOfSparseCore(type)
                       ? createSharedRef(builder, lowering, loc, type, element)
                       : lowering.allocateForTasks(
                             loc, type.getShape(), element,
                             *getNumMembers(lowering, type, collective));
    if (isSemaphore)
      createRecordedSemaphores(builder, loc, lowering, memory,
                               getRefName(scratch));
    return createRef(builder, loc, memory, type);
  }
  Value memory = lowering.allocate(loc, type.getShape(), element);
  if (isSemaphore) {
    // They count from zero, wherever their scope is entered.
    createZeroCounters(builder, loc, memory);
  } else if (lowering.kernel->hasAttr(kOwnStateAttrName) &&
             scratch.getOwner() == lowering.kernel.getBodyBlock()) {
    // The previous work item of the thread is unknown.
    linalg::FillOp::create(builder, loc, createZero(builder, loc, element),
                           memory);
  }
  return createRef(builder, loc, memory, type);
}

/// The Refs of a scope are shared by all tasks, or by those that differ in the
/// last dimensions.
static LogicalResult checkCollective(KernelLowering &lowering, ScopedOp scope) {
  for (Type type : scope.getBody().getArgumentTypes())
    if (!getNumMembers(lowering, cast<MemRefType>(type),
                       scope.getCollective().value_or(ArrayAttr())))
      return lowering.fail(
          scope, "expected a scope that is shared along the innermost "
                 "concurrent dimensions, got outer dimensions");
  return success();
}

LogicalResult inlineScopes(KernelLowering &lowering) {
  SmallVector<ScopedOp> scopes;
  lowering.function.walk<WalkOrder::PreOrder>(
      [&](ScopedOp scope) { scopes.push_back(scope); });
  for (ScopedOp scope : scopes) {
    if (failed(checkCollective(lowering, scope)))
      return failure();
    OpBuilder builder(scope);
    Block &body = scope.getBody().front();
    for (BlockArgument arg : body.getArguments()) {
      Value ref = createLocalRef(builder, lowering, arg,
                                 scope.getCollective().value_or(ArrayAttr()));
      lowering.setName(ref, getRefName(arg));
      auto type = cast<MemRefType>(arg.getType());
      // The contents of an earlier scope in the same memory are invalid in this
      // one.
      if (lowering.recordsAccesses() &&
          !isa<SyncTypeInterface>(type.getElementType()) &&
          !isSharedByPrograms(lowering.kernel, type,
                              scope.getCollective().value_or(ArrayAttr())))
        createMemoryState(builder, scope.getLoc(), lowering, getMemRef(ref),
                          /*defined=*/false);
      arg.replaceAllUsesWith(ref);
    }
    auto yield = cast<YieldOp>(body.getTerminator());
    scope->replaceAllUsesWith(yield.getValues());
    yield.erase();
    scope->getBlock()->getOperations().splice(scope->getIterator(),
                                              body.getOperations());
    scope.erase();
  }
  return success();
}

} // namespace gridir

//===- PlanMemory.cpp - place the buffers of a CTA in shared memory or a workspace --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Target/Chip.h"
#include "dialects/GPU/Transforms/MappedKernel.h"
#include "dialects/GPU/Transforms/Passes.h"
#include "dialects/Grid/Analysis/RefNames.h"
#include "dialects/Loops/Transforms/BufferPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUPLANMEMORYPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;
using namespace gridir::loops;
namespace grid = gridir::grid;

namespace {

class GPUPlanMemoryPass
    : public gridir::gpu::impl::GPUPlanMemoryPassBase<GPUPlanMemoryPass> {
public:
  using GPUPlanMemoryPassBase::GPUPlanMemoryPassBase;

  void runOnOperation() override {
    if (isOutlined(getOperation()))
      return markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> kernel = getKernelFunction(module);
    if (failed(kernel))
      return signalPassFailure();
    gridir::kernel::ABIOp abi = *gridir::kernel::getABI(module);
    if (doesNothing(*kernel)) {
      abi.setSharedBytes(0);
      abi.setWorkspaceBytes(0);
      return;
    }
    FailureOr<scf::ForallOp> ctas = getBlockLoop(*kernel);
    FailureOr<Chip> target = getChip(chip, module.getLoc());
    if (failed(ctas) || failed(target))
      return signalPassFailure();
    FailureOr<SmallVector<PlannedBuffer>> buffers = collectBuffers(*kernel);
    if (failed(buffers))
      return signalPassFailure();

    SmallVector<PlannedBuffer *> shared, rest;
    if (failed(choose(*buffers, target->ctaSharedBytes, shared, rest)))
      return signalPassFailure();
    int64_t sharedBytes = place(shared);
    int64_t workspaceBytes = place(rest);
    if (failed(checkWorkspace(rest, workspaceBytes)))
      return signalPassFailure();
    OpBuilder builder = OpBuilder::atBlockBegin(ctas->getBody());
    rewriteShared(builder, kernel->getLoc(), shared, sharedBytes);
    rewriteRest(builder, kernel->getLoc(), rest, workspaceBytes);
    abi.setSharedBytes(sharedBytes);
    abi.setWorkspaceBytes(workspaceBytes);
    numShared += shared.size();
    numWorkspace += rest.size();
  }

private:
  /// The bytes that buffers share. A buffer without elements is a view of them,
  /// too.
  static int64_t place(ArrayRef<PlannedBuffer *> buffers) {
    int64_t bytes = placeBuffers(buffers);
    return buffers.empty() ? bytes : std::max<int64_t>(bytes, 1);
  }

  static bool isInSharedMemory(const PlannedBuffer &buffer) {
    auto type = cast<MemRefType>(buffer.alloc->getResult(0).getType());
    return mlir::gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
  }

  /// First required shared memory. Then small buffers: they gain most for each
  /// byte. Buffers whose live ranges do not overlap share bytes, so each one is
  /// tried.
  static LogicalResult choose(MutableArrayRef<PlannedBuffer> buffers,
                              int64_t limit,
                              SmallVectorImpl<PlannedBuffer *> &shared,
                              SmallVectorImpl<PlannedBuffer *> &rest) {
    SmallVector<PlannedBuffer *> order;
    for (PlannedBuffer &buffer : buffers)
      (isInSharedMemory(buffer) ? shared : order).push_back(&buffer);
    if (int64_t bytes = placeBuffers(shared); bytes > limit)
      return shared.front()->alloc->emitError("expected at most ")
             << limit << " bytes of shared memory, got " << bytes
             << " in this and the other buffers of a CTA that require it";
    llvm::stable_sort(order,
                      [](const PlannedBuffer *a, const PlannedBuffer *b) {
                        return a->size < b->size;
                      });
    for (PlannedBuffer *buffer : order) {
      shared.push_back(buffer);
      if (buffer->size <= limit && placeBuffers(shared) <= limit)
        continue;
      shared.pop_back();
      rest.push_back(buffer);
    }
    return success();
  }

  LogicalResult checkWorkspace(ArrayRef<PlannedBuffer *> buffers,
                               int64_t bytes) {
    int64_t ctas =
        getStaticRange(*gridir::kernel::getABI(getOperation())).value_or(1);
    int64_t limit = workspaceLimit;
    if (bytes == 0 || ctas == 0 || bytes <= limit / ctas)
      return success();
    const PlannedBuffer *largest = *llvm::max_element(
        buffers, [](const PlannedBuffer *a, const PlannedBuffer *b) {
          return a->size < b->size;
        });
    std::optional<std::string> name = grid::getNameIn(largest->alloc->getLoc());
    return largest->alloc->emitError("expected a workspace of at most ")
           << limit << " bytes, got " << bytes << " for each of " << ctas
           << " CTAs; the largest buffer in it is "
           << (name ? "that of " + *name + ", a " : "this ")
           << largest->alloc->getResult(0).getType() << " of " << largest->size
           << " bytes";
  }

  /// Buffers get generic addresses, since a block may be in shared or global
  /// memory; LLVM infers the address space where possible.
  static void rewriteShared(OpBuilder &builder, Location loc,
                            ArrayRef<PlannedBuffer *> buffers, int64_t bytes) {
    if (buffers.empty())
      return;
    auto space = mlir::gpu::AddressSpaceAttr::get(
        builder.getContext(), mlir::gpu::AddressSpace::Workgroup);
    auto type = MemRefType::get({bytes}, builder.getI8Type(),
                                MemRefLayoutAttrInterface(), space);
    Value memory = memref::AllocOp::create(builder, loc, type);
    Value plain = memref::MemorySpaceCastOp::create(
        builder, loc, MemRefType::get({bytes}, builder.getI8Type()), memory);
    for (const PlannedBuffer *buffer : buffers)
      replaceByView(builder, *buffer,
                    isInSharedMemory(*buffer) ? memory : plain);
  }

  static void rewriteRest(OpBuilder &builder, Location loc,
                          ArrayRef<PlannedBuffer *> buffers, int64_t bytes) {
    if (buffers.empty())
      return;
    Value workspace = memref::AllocOp::create(
        builder, loc, MemRefType::get({bytes}, builder.getI8Type()));
    for (const PlannedBuffer *buffer : buffers)
      replaceByView(builder, *buffer, workspace);
  }
};

} // namespace

//===- PlanArena.cpp - place every buffer of a kernel in one arena --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/Kernel/IR/Kernel.h"
#include "dialects/Loops/Transforms/BufferPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUPLANARENAPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using namespace gridir::loops;

namespace {

class CPUPlanArenaPass
    : public gridir::cpu::impl::CPUPlanArenaPassBase<CPUPlanArenaPass> {
public:
  using CPUPlanArenaPassBase::CPUPlanArenaPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<gridir::kernel::ABIOp> abi = gridir::kernel::getABI(module);
    if (failed(abi))
      return signalPassFailure();
    auto kernel = abi->getEntryFunction<func::FuncOp>();
    if (failed(kernel))
      return signalPassFailure();

    FailureOr<SmallVector<PlannedBuffer>> buffers = collectBuffers(*kernel);
    if (failed(buffers))
      return signalPassFailure();
    auto *firstShared = std::stable_partition(
        buffers->begin(), buffers->end(),
        [](const auto &buffer) { return !buffer.isShared; });
    MutableArrayRef<PlannedBuffer> own(buffers->begin(), firstShared);
    MutableArrayRef<PlannedBuffer> shared(firstShared, buffers->end());
    int64_t size = place(own), sharedSize = place(shared);
    useArena(*abi, *kernel, own, size);
    abi->setArenaBytes(size);
    if (abi->getTasks())
      abi->setSharedBytes(sharedSize);
    if (!shared.empty())
      useShared(module, *kernel, shared, sharedSize);
  }

private:
  int64_t place(MutableArrayRef<PlannedBuffer> buffers) {
    SmallVector<PlannedBuffer *> all;
    int64_t unshared = 0;
    for (PlannedBuffer &buffer : buffers) {
      all.push_back(&buffer);
      unshared += llvm::alignTo(buffer.size, kBufferAlignment);
    }
    int64_t size = placeBuffers(all);
    numBuffers += buffers.size();
    numBytes += size;
    numBytesSaved += unshared - size;
    return size;
  }

  static void useArena(gridir::kernel::ABIOp abi, func::FuncOp kernel,
                       ArrayRef<PlannedBuffer> buffers, int64_t size) {
    OpBuilder builder(kernel.getContext());
    auto type = MemRefType::get({size}, builder.getI8Type());
    unsigned index = kernel.getNumArguments();
    // Nothing else points into the arena, which the code generator may use,
    // unless another task does.
    DictionaryAttr attributes;
    if (!abi.getTasks())
      attributes = builder.getDictionaryAttr(builder.getNamedAttr(
          LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr()));
    (void)kernel.insertArgument(index, type, attributes, kernel.getLoc());
    Value arena = kernel.getArgument(index);

    // The views stand at the entry, so that no loop computes them again.
    builder.setInsertionPointToStart(&kernel.getBody().front());
    for (const PlannedBuffer &buffer : buffers)
      replaceByView(builder, buffer, arena);
  }

  /// The runtime knows where the memory is that all work items share.
  static void useShared(ModuleOp module, func::FuncOp kernel,
                        ArrayRef<PlannedBuffer> buffers, int64_t size) {
    Location loc = kernel.getLoc();
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    auto type = MemRefType::get({size}, builder.getI8Type());
    auto function =
        func::FuncOp::create(builder, loc, "gridirTaskShared",
                             builder.getFunctionType(TypeRange(), type));
    function.setPrivate();
    builder.setInsertionPointToStart(&kernel.getBody().front());
    Value memory = func::CallOp::create(builder, loc, function).getResult(0);
    for (const PlannedBuffer &buffer : buffers)
      replaceByView(builder, buffer, memory);
  }
};

} // namespace

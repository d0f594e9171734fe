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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <map>

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
    // Each kind of shared memory is planned separately.
    std::map<int64_t, SmallVector<PlannedBuffer>> kinds;
    for (const PlannedBuffer &buffer : *buffers)
      kinds[buffer.members].push_back(buffer);
    MutableArrayRef<PlannedBuffer> own = kinds[1];
    int64_t size = place(own);
    useArena(*abi, *kernel, own, size);
    abi->setArenaBytes(size);
    kinds.erase(1);
    useShared(module, *abi, *kernel, kinds);
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

    // The views are at the entry, so that no loop computes them again.
    builder.setInsertionPointToStart(&kernel.getBody().front());
    for (const PlannedBuffer &buffer : buffers)
      replaceByView(builder, buffer, arena);
  }

  /// The runtime provides the address of memory that work items share.
  void useShared(ModuleOp module, gridir::kernel::ABIOp abi,
                 func::FuncOp kernel,
                 std::map<int64_t, SmallVector<PlannedBuffer>> &kinds) {
    if (kinds.empty())
      return;
    Location loc = kernel.getLoc();
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    SmallVector<Attribute> shared;
    int64_t largest = 0;
    for (auto &[members, buffers] : kinds) {
      int64_t size = place(buffers);
      shared.push_back(
          gridir::kernel::SharedAttr::get(builder.getContext(), members, size));
      largest = std::max(largest, size);
    }
    abi.setSharedMemoryAttr(builder.getArrayAttr(shared));
    // One allocation function returns all kinds of buffers, and views give them
    // their size.
    auto type = MemRefType::get({largest}, builder.getI8Type());
    auto function = func::FuncOp::create(
        builder, loc, "gridirTaskShared",
        builder.getFunctionType(builder.getI64Type(), type));
    function.setPrivate();
    for (auto &[members, buffers] : kinds) {
      builder.setInsertionPointToStart(&kernel.getBody().front());
      Value count =
          arith::ConstantIntOp::create(builder, loc, members, /*width=*/64);
      Value memory =
          func::CallOp::create(builder, loc, function, count).getResult(0);
      for (const PlannedBuffer &buffer : buffers)
        replaceByView(builder, buffer, memory);
    }
  }
};

} // namespace

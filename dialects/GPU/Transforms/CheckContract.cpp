//===- CheckContract.cpp - What the passes from here to PTX rely on -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/MappedKernel.h"
#include "dialects/GPU/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUCHECKCONTRACTPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;

namespace {

/// The maximum number of threads of a CTA on any chip.
constexpr int64_t kMaxThreads = 1024;

class ContractCheck {
public:
  explicit ContractCheck(MappedKernel kernel) : kernel(kernel) {}

  LogicalResult check() {
    Block &body = kernel.function.getBody().front();
    for (Operation &op : body.without_terminator())
      if (&op != kernel.ctas.getOperation() &&
          (isa<scf::ForallOp>(op) || !isMemoryEffectFree(&op)))
        return op.emitError("expected a kernel with one loop over CTAs, got '")
               << op.getName() << "' outside of it";
    if (!kernel.ctas)
      return success();
    if (failed(checkCtas()))
      return failure();
    WalkResult result = kernel.ctas.getBody()->walk([&](Operation *op) {
      return failed(checkOp(op)) ? WalkResult::interrupt()
                                 : WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

private:
  LogicalResult checkCtas() {
    scf::ForallOp loop = kernel.ctas;
    OpFoldResult first = loop.getMixedLowerBound()[0];
    unsigned lo = kernel.function.getNumArguments() - 2;
    if ((getConstantIntValue(first) == 0 ||
         first == OpFoldResult(kernel.function.getArgument(lo))) &&
        getConstantIntValue(loop.getMixedStep()[0]) == 1)
      return success();
    return loop.emitError("expected a loop over CTAs from the first work item, "
                          "or from 0, by 1");
  }

  LogicalResult checkThreads(scf::ForallOp loop) {
    if (!isThreadLoop(loop))
      return loop.emitError("expected a loop over the threads of a CTA, in one "
                            "dimension and without results");
    if (isInThreadLoop(loop))
      return loop.emitError("expected no loop over threads inside of another");
    if (ShapedType::isDynamic(loop.getStaticUpperBound()[0]))
      return loop.emitError("expected a constant number of threads");
    if (getConstantIntValue(loop.getMixedLowerBound()[0]) != 0 ||
        getConstantIntValue(loop.getMixedStep()[0]) != 1)
      return loop.emitError("expected a loop over threads from 0, by 1");
    if (int64_t count = loop.getStaticUpperBound()[0];
        count > kernel.numThreads)
      return loop.emitError("expected at most the ")
             << kernel.numThreads << " threads of a CTA, got " << count;
    return success();
  }

  LogicalResult checkOp(Operation *op) {
    if (auto loop = dyn_cast<scf::ForallOp>(op))
      return checkThreads(loop);
    if (isa<mlir::gpu::BarrierOp>(op) && isInThreadLoop(op))
      return op->emitError("expected a barrier of all threads of a CTA, got "
                           "one in a loop over threads");
    if (isa<memref::AllocOp, memref::AllocaOp>(op) && isInThreadLoop(op))
      return op->emitError("expected a buffer of all threads of a CTA, got one "
                           "in a loop over threads");
    if (isa<linalg::LinalgOp, memref::CopyOp>(op) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
      return op->emitError(
          "expected ops of single threads, got an op on whole arrays");
    if (isa<CallOpInterface>(op) && !isPrint(op))
      return op->emitError(
          "expected only prints as calls in a kernel of a GPU");
    return success();
  }

  static bool isInThreadLoop(Operation *op) {
    auto loop = op->getParentOfType<scf::ForallOp>();
    return loop && isThreadLoop(loop);
  }

  MappedKernel kernel;
};

class GPUCheckContractPass
    : public gridir::gpu::impl::GPUCheckContractPassBase<GPUCheckContractPass> {
public:
  using GPUCheckContractPassBase::GPUCheckContractPassBase;

  void runOnOperation() override {
    if (isOutlined(getOperation()))
      return markAllAnalysesPreserved();
    if (failed(getMappedKernel(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

FailureOr<MappedKernel> gridir::gpu::getMappedKernel(ModuleOp module) {
  FailureOr<func::FuncOp> function = getKernelFunction(module);
  if (failed(function))
    return failure();
  kernel::ABIOp abi = *kernel::getABI(module);
  std::optional<int64_t> numThreads = abi.getNumThreads();
  if (!numThreads)
    return abi.emitError("expected the threads of a CTA in num_threads");
  if (*numThreads < 1 || *numThreads > kMaxThreads)
    return abi.emitError("expected from 1 to ")
           << kMaxThreads << " threads in a CTA, got " << *numThreads;
  MappedKernel kernel{*function, {}, abi, *numThreads};
  if (!doesNothing(*function)) {
    FailureOr<scf::ForallOp> ctas = getBlockLoop(*function);
    if (failed(ctas))
      return failure();
    kernel.ctas = *ctas;
  }
  if (failed(ContractCheck(kernel).check()))
    return failure();
  return kernel;
}

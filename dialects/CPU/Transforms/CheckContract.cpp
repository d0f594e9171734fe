//===- CheckContract.cpp - what the runtime takes from the CPU path -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/Kernel/IR/Kernel.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUCHECKCONTRACTPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;

namespace {

class CPUCheckContractPass
    : public gridir::cpu::impl::CPUCheckContractPassBase<CPUCheckContractPass> {
public:
  using CPUCheckContractPassBase::CPUCheckContractPassBase;

  void runOnOperation() override {
    if (failed(checkOps()) || failed(checkKernel()))
      signalPassFailure();
  }

private:
  LogicalResult checkOps() {
    WalkResult result =
        getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (op == getOperation().getOperation() ||
              isa<gridir::kernel::ABIOp>(op))
            return WalkResult::advance();
          if (!isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect())) {
            op->emitError()
                << "expected only ops of the 'llvm' dialect after the "
                   "lowering, got '"
                << op->getName() << "'";
            return WalkResult::interrupt();
          }
          auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
          if (function && function.isExternal() &&
              function.getName() == "memrefCopy") {
            op->emitError()
                << "expected every copy to be lowered to loops, got a "
                   "call of the runner library's @memrefCopy";
            return WalkResult::interrupt();
          }
          return WalkResult::advance();
        });
    return failure(result.wasInterrupted());
  }

  LogicalResult checkKernel() {
    FailureOr<gridir::kernel::ABIOp> abi =
        gridir::kernel::getABI(getOperation());
    if (failed(abi))
      return failure();
    if (!abi->getArenaBytes())
      return abi->emitError("expected the size of the kernel's arena in "
                            "arena_bytes; run cpu-plan-arena first");
    auto kernel = abi->getEntryFunction<LLVM::LLVMFuncOp>();
    if (failed(kernel))
      return failure();
    auto range = abi->getRangeFunction<LLVM::LLVMFuncOp>();
    if (failed(range))
      return failure();

    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = IntegerType::get(&getContext(), 64);
    // The operands, then status, lo, hi, arena.
    size_t numParams = (*kernel).getFunctionType().getNumParams();
    SmallVector<Type> operands(std::max<size_t>(numParams, 4) - 4, pointer);
    SmallVector<Type> expected(operands);
    expected.append({pointer, i64, i64, pointer});
    if (failed(checkType(*kernel, expected,
                         LLVM::LLVMVoidType::get(&getContext()))))
      return failure();
    return checkType(*range, operands, i64);
  }

  static LogicalResult checkType(LLVM::LLVMFuncOp function,
                                 ArrayRef<Type> params, Type result) {
    auto expected = LLVM::LLVMFunctionType::get(result, params);
    if (function.getFunctionType() == expected)
      return success();
    return function.emitError()
           << "expected @" << function.getName() << " to have type " << expected
           << ", got " << function.getFunctionType();
  }
};

} // namespace

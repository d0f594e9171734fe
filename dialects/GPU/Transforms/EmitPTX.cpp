//===- EmitPTX.cpp - GPU modules as PTX -----------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUEMITPTXPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;

namespace {

/// A normalized equality: the left operand without its constant offset, the
/// right operand unless it is a constant, and the constant difference.
using Equality = std::tuple<llvm::Value *, llvm::Value *, llvm::APInt>;

std::optional<Equality> getEquality(llvm::ICmpInst *compare) {
  using namespace llvm::PatternMatch;
  if (!compare->isEquality())
    return std::nullopt;
  llvm::Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  const llvm::APInt *constant, *added;
  if (!match(right, m_APInt(constant)))
    return Equality{left, right, llvm::APInt()};
  llvm::Value *number;
  if (match(left, m_Add(m_Value(number), m_APInt(added))))
    return Equality{number, nullptr, *constant - *added};
  return Equality{left, nullptr, *constant};
}

/// The earlier branch condition in the loop that equals that of its last one.
llvm::ICmpInst *findSame(llvm::ICmpInst *compare, const llvm::Loop &loop,
                         const llvm::DominatorTree &tree) {
  std::optional<Equality> equality = getEquality(compare);
  if (!equality)
    return nullptr;
  for (llvm::BasicBlock *block : loop.blocks()) {
    auto *branch = dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() ||
        !tree.properlyDominates(block, compare->getParent()))
      continue;
    auto *other = dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (other && other->getParent() == block && getEquality(other) == equality)
      return other;
  }
  return nullptr;
}

/// A copy of a predicate, after it, that LLVM does not recognize as the same
/// value: it would repeat the comparison in each block that branches on it.
llvm::Value *createCopy(llvm::Instruction *predicate) {
  llvm::IRBuilder<> builder(predicate->getNextNode());
  llvm::Type *type = builder.getInt1Ty();
  auto *copy = llvm::FunctionType::get(type, {type}, /*isVarArg=*/false);
  return builder.CreateCall(llvm::InlineAsm::get(copy, "", "=b,0",
                                                 /*hasSideEffects=*/false),
                            {predicate});
}

unsigned shareComparisons(llvm::Function &function) {
  llvm::DominatorTree tree(function);
  llvm::LoopInfo loops(tree);
  unsigned count = 0;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    llvm::BasicBlock *latch = loop->getLoopLatch();
    auto *branch =
        latch ? dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional())
      continue;
    auto *compare = dyn_cast<llvm::ICmpInst>(branch->getCondition());
    llvm::ICmpInst *same = compare ? findSame(compare, *loop, tree) : nullptr;
    if (!same)
      continue;
    if (same->getPredicate() != compare->getPredicate())
      branch->swapSuccessors();
    branch->setCondition(createCopy(same));
    if (compare->use_empty())
      compare->eraseFromParent();
    ++count;
  }
  return count;
}

class GPUEmitPTXPass
    : public gridir::gpu::impl::GPUEmitPTXPassBase<GPUEmitPTXPass> {
public:
  using GPUEmitPTXPassBase::GPUEmitPTXPassBase;

  void runOnOperation() override {
    auto share = [&](llvm::Module &module) {
      for (llvm::Function &function : module)
        if (!function.isDeclaration())
          numShared += shareComparisons(function);
    };
    mlir::gpu::TargetOptions target(
        toolkitPath, /*librariesToLink=*/{}, /*cmdOptions=*/{},
        /*elfSection=*/{}, mlir::gpu::CompilationTarget::Assembly,
        /*getSymbolTableCallback=*/{}, /*initialLlvmIRCallback=*/{},
        /*linkedLlvmIRCallback=*/{}, /*optimizedLlvmIRCallback=*/share);
    if (failed(mlir::gpu::transformGpuModulesToBinaries(
            getOperation(), /*handler=*/nullptr, target)))
      signalPassFailure();
  }
};

} // namespace

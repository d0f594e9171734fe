//===- LargeFunctions.cpp - functions cut into pieces ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargeFunctions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;

namespace gridir::cpu {

namespace {

/// The approximate number of instructions that are outlined at a time.
constexpr size_t kPieceSize = 4000;
/// Functions up to this size are not split, nor is the remainder of a split
/// function.
constexpr size_t kLargeSize = 2 * kPieceSize;

/// Finds the parts of a function that are moved. It is not changed meanwhile.
class Pieces {
public:
  explicit Pieces(Function &function)
      : dominators(function), postDominators(function) {
    // Blocks that a block dominates come after it.
    SmallVector<BasicBlock *> order;
    collectDominated(&function.getEntryBlock(), nullptr, order);
    for (BasicBlock *block : llvm::reverse(order)) {
      size_t size = block->size();
      for (DomTreeNode *child : dominators.getNode(block)->children())
        size += sizes.lookup(child->getBlock());
      sizes[block] = size;
    }
    // Allocas of the first block belong to this function.
    BasicBlock &entry = function.getEntryBlock();
    cutSequence(getNext(&entry), &entry, nullptr);
  }

  /// The blocks of each piece, the one that is branched to first.
  SmallVector<SmallVector<BasicBlock *>> found;

private:
  /// The immediate post-dominator of `block`; null at the end of the function.
  BasicBlock *getNext(BasicBlock *block) const {
    DomTreeNode *node = postDominators.getNode(block)->getIDom();
    return node ? node->getBlock() : nullptr;
  }

  /// Collects the blocks that are reached through `first` alone, without those
  /// that are reached through `end`.
  void collectDominated(BasicBlock *first, BasicBlock *end,
                        SmallVectorImpl<BasicBlock *> &blocks) const {
    SmallVector<DomTreeNode *> worklist{dominators.getNode(first)};
    while (!worklist.empty()) {
      DomTreeNode *node = worklist.pop_back_val();
      if (node->getBlock() == end)
        continue;
      blocks.push_back(node->getBlock());
      llvm::append_range(worklist, node->children());
    }
  }

  /// The number of instructions of the result of `collectDominated`.
  size_t getSize(BasicBlock *first, BasicBlock *end) const {
    bool hasEnd = end && dominators.dominates(first, end);
    return sizes.lookup(first) - (hasEnd ? sizes.lookup(end) : 0);
  }

  void add(BasicBlock *first, BasicBlock *end) {
    collectDominated(first, end, found.emplace_back());
  }

  /// Splits the body of `parent`, a loop or a condition that continues with
  /// `end`, from `block` on.
  void cutSequence(BasicBlock *block, BasicBlock *parent, BasicBlock *end) {
    BasicBlock *first = block;
    auto isInside = [&](BasicBlock *other) {
      return other && other != end &&
             dominators.properlyDominates(parent, other);
    };
    while (isInside(block)) {
      BasicBlock *next = getNext(block);
      // The function ends here, in a way that is no loop and no condition.
      if (!next || (isInside(next) && !dominators.dominates(block, next)))
        return;
      if (getSize(block, next) > kLargeSize) {
        if (first != block && getSize(first, block) > kPieceSize / 4)
          add(first, block);
        for (BasicBlock *successor : successors(block))
          if (successor != block && successor != next &&
              dominators.properlyDominates(block, successor))
            cutSequence(successor, block, next);
        first = next;
      } else if (getSize(first, next) > kPieceSize) {
        add(first, next);
        first = next;
      }
      block = next;
    }
  }

  DominatorTree dominators;
  PostDominatorTree postDominators;
  /// The instructions of the blocks that each block dominates.
  DenseMap<BasicBlock *, size_t> sizes;
};

/// True if code has tiles as inputs or outputs: tile registers belong to one
/// function, and no call passes them.
bool passesTiles(const CodeExtractor &extractor) {
  SetVector<Value *> inputs, outputs;
  extractor.findInputsOutputs(inputs, outputs, /*Allocas=*/{});
  auto isTile = [](const Value *value) {
    return value->getType()->isX86_AMXTy();
  };
  return llvm::any_of(inputs, isTile) || llvm::any_of(outputs, isTile);
}

void splitFunction(Function &function) {
  Pieces pieces(function);
  if (pieces.found.empty())
    return;
  CodeExtractorAnalysisCache analyses(function);
  for (ArrayRef<BasicBlock *> blocks : pieces.found) {
    CodeExtractor extractor(blocks, /*DT=*/nullptr, /*AggregateArgs=*/false,
                            /*BFI=*/nullptr, /*BPI=*/nullptr, /*AC=*/nullptr,
                            /*AllowVarArgs=*/false, /*AllowAlloca=*/false,
                            /*AllocationBlock=*/nullptr, /*Suffix=*/"piece");
    if (passesTiles(extractor))
      continue;
    if (Function *piece = extractor.extractCodeRegion(analyses))
      piece->addFnAttr(Attribute::NoInline);
  }
}

} // namespace

void splitLargeFunctions(Module &module) {
  SmallVector<Function *> functions;
  for (Function &function : module)
    if (function.getInstructionCount() > kLargeSize)
      functions.push_back(&function);
  for (Function *function : functions)
    splitFunction(*function);
}

} // namespace gridir::cpu

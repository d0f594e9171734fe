//===- NarrowVectors.cpp - Registers for overlapping windows --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"

#include "dialects/CPU/Transforms/ElementOffsets.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUNARROWVECTORSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using namespace gridir::cpu;

namespace {

/// Elements of an operand that are next to each other.
struct Window {
  ElementPosition begin;
  int64_t size;

  /// True if windows have common elements in every iteration, but not the same
  /// ones.
  bool overlaps(const Window &other) const {
    int64_t distance;
    return begin.root == other.begin.root && begin.terms == other.begin.terms &&
           !llvm::SubOverflow(begin.constant, other.begin.constant, distance) &&
           distance != 0 && std::abs(distance) < std::max(size, other.size);
  }
};

class CPUNarrowVectorsPass
    : public gridir::cpu::impl::CPUNarrowVectorsPassBase<CPUNarrowVectorsPass> {
public:
  using CPUNarrowVectorsPassBase::CPUNarrowVectorsPassBase;

  void runOnOperation() override {
    if (overlapBytes <= 0)
      return;
    bool overlaps = getOperation()
                        .walk([&](scf::ForOp loop) {
                          return readsOverlap(loop) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (!overlaps)
      return markAllAnalysesPreserved();
    Builder b(&getContext());
    std::string bits = std::to_string(overlapBytes * 8);
    getOperation()->setAttr(
        "passthrough",
        b.getArrayAttr({b.getStrArrayAttr({"prefer-vector-width", bits}),
                        b.getStrArrayAttr({"min-legal-vector-width", "0"})}));
    ++numNarrowed;
  }

private:
  bool readsOverlap(scf::ForOp loop) {
    SmallVector<Window> windows;
    for (auto read : loop.getBody()->getOps<vector::TransferReadOp>())
      if (std::optional<Window> window = match(read))
        windows.push_back(*window);
    return llvm::any_of(windows, [&](const Window &first) {
      return llvm::any_of(windows, [&](const Window &second) {
        return first.overlaps(second);
      });
    });
  }

  std::optional<Window> match(vector::TransferReadOp read) const {
    if (read.getMask() || read.hasOutOfBoundsDim())
      return std::nullopt;
    std::optional<ElementPosition> begin = getContiguousPosition(read);
    if (!begin || !isLargeOperand(begin->root, cacheBytes))
      return std::nullopt;
    VectorType type = read.getVectorType();
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    if (type.getNumElements() * bytes <= overlapBytes)
      return std::nullopt;
    return Window{*begin, type.getNumElements()};
  }
};

} // namespace

//===- NarrowVectors.cpp - Registers for overlapping windows --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"

#include "dialects/CPU/Transforms/ElementOffsets.h"
#include "dialects/Support/CountableTypes.h"

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

/// A read of elements that are next to each other in an operand.
struct Window {
  vector::TransferReadOp read;
  ElementPosition position;

  int64_t getSize() const {
    // Copies of an op are handles; its accessors are not const.
    return vector::TransferReadOp(read).getVectorType().getNumElements();
  }

  /// True if windows have common elements in every iteration, but not the same
  /// ones.
  bool overlaps(const Window &other) const {
    int64_t distance;
    return position.root == other.position.root &&
           position.terms == other.position.terms &&
           !llvm::SubOverflow(position.constant, other.position.constant,
                              distance) &&
           distance != 0 &&
           std::abs(distance) < std::max(getSize(), other.getSize());
  }
};

class CPUNarrowVectorsPass
    : public gridir::cpu::impl::CPUNarrowVectorsPassBase<CPUNarrowVectorsPass> {
public:
  using CPUNarrowVectorsPassBase::CPUNarrowVectorsPassBase;

  void runOnOperation() override {
    if (overlapBytes <= 0)
      return;
    if (failed(gridir::verifyCountableTypes(getOperation())))
      return signalPassFailure();
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
    auto base = dyn_cast<MemRefType>(read.getBase().getType());
    VectorType type = read.getVectorType();
    if (!base || base.getRank() == 0 || !base.getElementType().isIntOrFloat() ||
        type.getRank() != 1 || type.isScalable() || read.getMask() ||
        read.hasOutOfBoundsDim() ||
        !read.getPermutationMap().isMinorIdentity() ||
        !base.isLastDimUnitStride())
      return std::nullopt;
    int64_t bytes = llvm::divideCeil(base.getElementTypeBitWidth(), 8);
    if (type.getNumElements() * bytes <= overlapBytes)
      return std::nullopt;
    std::optional<ElementPosition> position = getElementPosition(read);
    if (!position || !isLarge(position->root))
      return std::nullopt;
    return Window{read, *position};
  }

  /// True for an operand of the kernel of `cache-bytes` or more.
  bool isLarge(Value root) const {
    auto argument = dyn_cast<BlockArgument>(root);
    auto type = dyn_cast<MemRefType>(root.getType());
    if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()) ||
        !type || !type.hasStaticShape())
      return false;
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    return *gridir::countPoints(type.getShape()) >=
           llvm::divideCeilSigned(cacheBytes.getValue(), bytes);
  }
};

} // namespace

//===- ShareMembers.cpp - Members of unions that others write -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/CountableTypes.h"
#include "dialects/Warpgroup/IR/TensorMemory.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPSHAREMEMBERSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// The uses of a Ref and its views by a kernel.
struct RefUse {
  /// The first op that reads it, or null.
  Operation *reader = nullptr;
  bool isWritten = false;

  void visit(Value ref) {
    for (OpOperand &use : ref.getUses()) {
      Operation *user = use.getOwner();
      if (isa<grid::RefViewOpInterface>(user)) {
        for (Value view : user->getResults())
          visit(view);
        continue;
      }
      auto effects = dyn_cast<MemoryEffectOpInterface>(user);
      // Its effects are unknown.
      if (!effects) {
        isWritten = true;
        continue;
      }
      isWritten |=
          effects.getEffectOnValue<MemoryEffects::Write>(ref).has_value();
      if (effects.getEffectOnValue<MemoryEffects::Read>(ref) &&
          (!reader || isBefore(user, reader)))
        reader = user;
    }
  }

private:
  /// True if `op` precedes `other` in the text, as far as their common blocks
  /// tell.
  static bool isBefore(Operation *op, Operation *other) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*other);
    return ancestor && op->isBeforeInBlock(ancestor);
  }
};

/// A Ref whose bits lie in row-major order, as a vector: in shared memory, or,
/// of whole lanes in all columns that it has, in tensor memory.
struct Row {
  int64_t width, count;
  bool isInTensorMemory;

  static std::optional<Row> of(grid::ScopedOp scope, unsigned i,
                               const UnionMember &member) {
    auto type = cast<MemRefType>(scope.getBody().getArgument(i).getType());
    std::optional<Space> space = getMemorySpace(type);
    std::optional<ArrayAttr> transforms = scope.getTransforms();
    std::optional<int64_t> count = countPoints(type.getShape());
    if (!space || !type.getElementType().isIntOrFloat() || !count ||
        *count == 0 ||
        (transforms && !cast<ArrayAttr>((*transforms)[i]).empty()))
      return std::nullopt;
    bool isInTensorMemory = space == Space::Tmem;
    if (isInTensorMemory
            ? type.getRank() != 2 || type.getDimSize(0) != kTensorLanes
            : space != Space::Smem)
      return std::nullopt;
    int64_t width = type.getElementTypeBitWidth(),
            unit = isInTensorMemory ? kTensorLanes * 32 : 8;
    if (member.size > std::numeric_limits<int32_t>::max() ||
        *count > std::numeric_limits<int32_t>::max() ||
        *count * width != member.size * unit)
      return std::nullopt;
    return Row{width, *count, isInTensorMemory};
  }
};

class WarpgroupShareMembersPass
    : public warpgroup::impl::WarpgroupShareMembersPassBase<
          WarpgroupShareMembersPass> {
public:
  using WarpgroupShareMembersPassBase::WarpgroupShareMembersPassBase;

  void runOnOperation() override {
    FailureOr<grid::KernelOp> kernel =
        warpgroup::getSingleProgram(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    if (!*kernel)
      return;
    WalkResult result =
        (*kernel)->walk([&](grid::ScopedOp scope) -> WalkResult {
          return scope->hasAttr(kUnionsAttr) ? share(scope) : success();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult share(grid::ScopedOp scope) {
    Block &body = scope.getBody().front();
    SmallVector<std::optional<UnionMember>> members = getUnionMembers(scope);
    SmallVector<RefUse> uses(members.size());
    for (auto [ref, use] : llvm::zip_equal(body.getArguments(), uses))
      use.visit(ref);
    for (unsigned i : llvm::seq(members.size())) {
      if (!members[i] || !uses[i].reader || uses[i].isWritten)
        continue;
      SmallVector<unsigned> writers;
      for (unsigned j : llvm::seq(members.size()))
        if (members[j] && uses[j].isWritten &&
            members[i]->overlaps(*members[j]))
          writers.push_back(j);
      // The memory that is read is never written.
      if (writers.empty())
        continue;
      Value view = writers.size() == 1
                       ? createView(scope, i, writers[0], members)
                       : Value();
      if (!view) {
        InFlightDiagnostic diag =
            uses[i].reader->emitError("expected a read of the union member "
                                      "that was written, got one of ")
            << scope.getRefName(i)
            << ", which is never written and whose bytes are arranged "
               "differently than those of ";
        llvm::interleaveComma(writers, diag, [&](unsigned writer) {
          diag << scope.getRefName(writer);
        });
        return diag;
      }
      body.getArgument(i).replaceAllUsesWith(view);
      ++numViews;
    }
    return success();
  }

  /// Creates a view of a member as a part of another one; null if its bytes are
  /// not a part of it.
  static Value createView(grid::ScopedOp scope, unsigned member, unsigned of,
                          ArrayRef<std::optional<UnionMember>> members) {
    std::optional<Row> row = Row::of(scope, member, *members[member]),
                       host = Row::of(scope, of, *members[of]);
    if (!row || !host || !members[of]->contains(*members[member]) ||
        (row->isInTensorMemory && members[of]->size != members[member]->size))
      return {};
    int64_t first = (members[member]->offset - members[of]->offset) * 8,
            bits = row->width * row->count;
    if (first % host->width != 0 || bits % host->width != 0 ||
        std::max(row->width, host->width) % std::min(row->width, host->width) !=
            0)
      return {};
    Block &body = scope.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    Location loc = scope.getLoc();
    Value ref = body.getArgument(of);
    auto target = cast<MemRefType>(body.getArgument(member).getType());
    auto getType = [&](ArrayRef<int64_t> shape, Type element) {
      return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                             target.getMemorySpace());
    };
    auto reshape = [&](ArrayRef<int64_t> shape) {
      auto type = cast<MemRefType>(ref.getType());
      if (type.getShape() != shape)
        ref = grid::ReshapeRefOp::create(
            builder, loc, getType(shape, type.getElementType()), ref);
    };
    reshape(host->count);
    Type element = cast<MemRefType>(ref.getType()).getElementType();
    int64_t count = bits / host->width;
    if (count != host->count)
      ref = grid::SliceRefOp::create(
          builder, loc, getType(count, element), ref, ValueRange(),
          ArrayRef<int64_t>(first / host->width), ArrayRef<int64_t>(count),
          ArrayRef<int64_t>(1), ArrayRef<int64_t>());
    if (element != target.getElementType())
      ref = grid::BitcastRefOp::create(
          builder, loc, getType(row->count, target.getElementType()), ref);
    reshape(target.getShape());
    return ref;
  }
};

} // namespace

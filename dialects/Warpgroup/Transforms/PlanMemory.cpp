//===- PlanMemory.cpp - Where Refs are in shared and tensor memory --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Target/Chip.h"
#include "dialects/Support/CountableTypes.h"
#include "dialects/Warpgroup/IR/RegisterCoordinates.h"
#include "dialects/Warpgroup/IR/SharedLayout.h"
#include "dialects/Warpgroup/IR/TensorMemory.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Inference/Exchanges.h"
#include "dialects/Warpgroup/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPPLANMEMORYPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// The period of every swizzle, in bytes.
constexpr int64_t kArrayAlignment = 1024;

/// The alignment of each warpgroup's memory for exchanges, and the bytes of the
/// address of tensor memory.
constexpr int64_t kScratchAlignment = 16, kSlotBytes = 8;

/// The alignment of Refs in tensor memory in columns, and the minimum
/// allocation.
constexpr int64_t kColumnAlignment = 4, kMinColumns = 32;

/// A Ref that needs memory: its number of bytes, or columns.
struct Allocation {
  std::string name;
  int64_t size;
};

/// The ends of the allocated ranges.
struct Ends {
  int64_t bytes = 0, columns = 0;

  void cover(const Ends &other) {
    bytes = std::max(bytes, other.bytes);
    columns = std::max(columns, other.columns);
  }
};

class WarpgroupPlanMemoryPass
    : public warpgroup::impl::WarpgroupPlanMemoryPassBase<
          WarpgroupPlanMemoryPass> {
public:
  using WarpgroupPlanMemoryPassBase::WarpgroupPlanMemoryPassBase;

  void runOnOperation() override {
    FailureOr<grid::KernelOp> kernel =
        warpgroup::getSingleProgram(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    if (!*kernel)
      return;
    FailureOr<gpu::Chip> limits = getLimits(*kernel);
    if (failed(limits))
      return signalPassFailure();
    offsetsOf.clear();
    arrays.clear();
    matrices.clear();
    FailureOr<Ends> ends = placeArrays(kernel->getBodyRegion(), Ends());
    if (failed(ends))
      return signalPassFailure();
    int64_t end = placeBarriers(*kernel, llvm::alignTo(ends->bytes, 8));
    // The address of the tensor memory that is allocated.
    int64_t used = ends->columns ? end + kSlotBytes : end;
    Exchange scratch = getScratch(*kernel);
    int64_t numWarpgroups = getNumWarpgroups(*kernel);
    int64_t needed = used;
    if (scratch.least) {
      used = llvm::alignTo(used, kScratchAlignment);
      needed = used + scratch.least * numWarpgroups;
      arrays.push_back({"exchanges", scratch.least * numWarpgroups});
    }
    if (needed > limits->ctaSharedBytes) {
      refuse(*kernel, "bytes of shared memory", arrays, needed,
             limits->ctaSharedBytes, limits->name);
      return signalPassFailure();
    }
    if (ends->columns > kTensorColumns) {
      refuse(*kernel, "columns of tensor memory", matrices, ends->columns,
             kTensorColumns, limits->name);
      return signalPassFailure();
    }
    sharedBytes += end;
    if (verifyOnly)
      return;
    if (scratch.least) {
      int64_t left = (limits->ctaSharedBytes - used) / numWarpgroups;
      (*kernel)->setAttr(kScratchBytesAttr,
                         Builder(&getContext())
                             .getI64IntegerAttr(std::min(scratch.most, left)));
    }
    // Columns are allocated by powers of two.
    if (ends->columns > 0)
      (*kernel)->setAttr(
          kTensorColumnsAttr,
          Builder(&getContext())
              .getI64IntegerAttr(std::max<int64_t>(
                  kMinColumns, llvm::PowerOf2Ceil(ends->columns))));
    for (auto &[scope, offsets] : offsetsOf)
      scope->setAttr(kOffsetsAttr,
                     DenseI64ArrayAttr::get(&getContext(), offsets));
    (*kernel)->setAttr(kSharedBytesAttr,
                       Builder(&getContext()).getI64IntegerAttr(end));
  }

private:
  /// Returns the requested chip, or the one with the largest memory.
  FailureOr<gpu::Chip> getLimits(grid::KernelOp kernel) {
    if (!chip.empty())
      return gpu::getChip(chip, kernel.getLoc());
    WalkResult found = kernel.getBodyRegion().walk([](grid::ScopedOp scope) {
      bool isInTensorMemory =
          llvm::any_of(scope.getBody().getArgumentTypes(),
                       [](Type type) { return isInSpace(type, Space::Tmem); });
      return isInTensorMemory ? WalkResult::interrupt() : WalkResult::advance();
    });
    return gpu::getLargestChip(/*hasTensorMemory=*/found.wasInterrupted());
  }

  /// The shared memory that exchanges between the threads of a warpgroup
  /// require, and the amount that they can use: all of them share it.
  static Exchange getScratch(grid::KernelOp kernel) {
    Exchange scratch;
    Exchanges exchanges;
    kernel.getBodyRegion().walk([&](Operation *op) {
      Exchange exchange = exchanges.get(op);
      scratch.least = std::max(scratch.least, exchange.least);
      scratch.most = std::max(scratch.most, exchange.most);
    });
    return scratch;
  }

  static int64_t getBarrierBytes(MemRefType type) {
    return type.getNumElements() *
           cast<BarrierType>(type.getElementType()).getNumBits() / 8;
  }

  /// The bytes of an array, whose elements take whole bytes unless the matrix
  /// units read them packed, or only the requirement of a GPU is requested;
  /// none for an array that no shared memory can hold.
  std::optional<int64_t> getBytes(BlockArgument array) const {
    auto type = cast<MemRefType>(array.getType());
    std::optional<int64_t> count = countPoints(type.getShape());
    if (!type.getElementType().isIntOrFloat() || !count ||
        *count > std::numeric_limits<int32_t>::max())
      return std::nullopt;
    unsigned bits = type.getElementTypeBitWidth();
    if (!verifyOnly || bits == 1)
      bits = getSharedElementBits(array);
    return llvm::divideCeil(*count * bits, 8);
  }

  /// Places the arrays of the scopes inside of a region from `begin` on, and
  /// returns where they end.
  FailureOr<Ends> placeArrays(Region &region, Ends begin) {
    Ends end = begin;
    for (Operation &op : region.getOps()) {
      Ends top = begin;
      if (auto scope = dyn_cast<grid::ScopedOp>(op))
        if (failed(placeArrays(scope, top)))
          return failure();
      end.cover(top);
      for (Region &inner : op.getRegions()) {
        FailureOr<Ends> inside = placeArrays(inner, top);
        if (failed(inside))
          return failure();
        end.cover(*inside);
      }
    }
    return end;
  }

  /// The size and alignment of a Ref in its memory; no size for a Ref in
  /// neither memory.
  struct Extent {
    std::optional<int64_t> size;
    int64_t alignment = 1, Ends::*end = &Ends::bytes;
    SmallVector<Allocation> *allocations = nullptr;
  };

  FailureOr<Extent> getExtent(grid::ScopedOp scope, unsigned number) {
    BlockArgument ref = scope.getBody().getArgument(number);
    auto type = cast<MemRefType>(ref.getType());
    if (isInSpace(type, Space::Tmem)) {
      FailureOr<TensorMemoryLayout> layout =
          getTensorMemoryLayout(scope, number);
      if (failed(layout))
        return failure();
      return Extent{layout->getNumColumns(), kColumnAlignment, &Ends::columns,
                    &matrices};
    }
    if (!isInSpace(type, Space::Smem) ||
        isa<BarrierType>(type.getElementType()))
      return Extent();
    std::optional<int64_t> bytes = getBytes(ref);
    if (!bytes)
      return scope.emitError("expected numbers in shared memory, at most "
                             "2^31 - 1 of them, got ")
             << scope.getRefName(number) << " of " << type;
    return Extent{bytes, kArrayAlignment, &Ends::bytes, &arrays};
  }

  /// Allocates the Refs of a scope after those of enclosing scopes, like a
  /// stack: consecutive scopes reuse memory. The first member of a union
  /// allocates the whole union, and the others get offsets inside of it.
  LogicalResult placeArrays(grid::ScopedOp scope, Ends &end) {
    SmallVector<Extent> extents;
    for (unsigned i : llvm::seq(scope.getBody().getNumArguments())) {
      FailureOr<Extent> extent = getExtent(scope, i);
      if (failed(extent))
        return failure();
      extents.push_back(*extent);
    }
    SmallVector<std::optional<UnionMember>> members = getUnionMembers(scope);
    // If the author declares fewer bytes than are needed, later members would
    // be overwritten: each member of such a union has its own memory.
    llvm::SmallDenseSet<int64_t> apart;
    llvm::SmallDenseMap<int64_t, int64_t> lengths, begins;
    for (auto [extent, member] : llvm::zip_equal(extents, members)) {
      if (!extent.size || !member)
        continue;
      if (*extent.size > member->size || member->offset % extent.alignment != 0)
        apart.insert(member->number);
      int64_t &length = lengths[member->number];
      length = std::max(length, member->offset + member->size);
    }
    SmallVector<int64_t> &offsets = offsetsOf[scope];
    for (auto [i, extent] : llvm::enumerate(extents)) {
      offsets.push_back(-1);
      if (!extent.size)
        continue;
      extent.allocations->push_back({scope.getRefName(i), *extent.size});
      int64_t &last = end.*extent.end;
      std::optional<UnionMember> member = members[i];
      if (member && apart.contains(member->number))
        member = std::nullopt;
      if (!member || !begins.contains(member->number)) {
        offsets.back() = llvm::alignTo(last, extent.alignment);
        last =
            offsets.back() + (member ? lengths[member->number] : *extent.size);
        if (!member)
          continue;
        begins[member->number] = offsets.back();
      }
      offsets.back() = begins[member->number] + member->offset;
    }
    return success();
  }

  int64_t placeBarriers(grid::KernelOp kernel, int64_t begin) {
    for (auto &[scope, offsets] : offsetsOf) {
      for (auto [argument, offset] : llvm::zip_equal(
               cast<grid::ScopedOp>(scope).getBody().getArguments(), offsets)) {
        auto type = cast<MemRefType>(argument.getType());
        if (!isa<BarrierType>(type.getElementType()))
          continue;
        offset = begin;
        begin += getBarrierBytes(type);
      }
    }
    return begin;
  }

  void refuse(grid::KernelOp kernel, StringRef what,
              SmallVector<Allocation> &allocations, int64_t size, int64_t limit,
              StringRef chip) {
    llvm::stable_sort(allocations,
                      [](const Allocation &a, const Allocation &b) {
                        return a.size > b.size;
                      });
    allocations.resize(std::min<size_t>(allocations.size(), 3));
    InFlightDiagnostic diag = kernel.emitError("expected at most ")
                              << limit << " " << what << " on " << chip
                              << ", got " << size << ", most of them for ";
    llvm::interleaveComma(allocations, diag, [&](const Allocation &allocation) {
      diag << allocation.name << " (" << allocation.size << ")";
    });
  }

  llvm::MapVector<Operation *, SmallVector<int64_t>> offsetsOf;
  SmallVector<Allocation> arrays, matrices;
};

} // namespace

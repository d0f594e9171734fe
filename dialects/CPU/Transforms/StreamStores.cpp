//===- StreamStores.cpp - write large results past the caches -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/ElementOffsets.h"
#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/CPU/Transforms/VectorTarget.h"
#include "dialects/Kernel/IR/Kernel.h"
#include "dialects/Support/MemoryAccesses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUSTREAMSTORESPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using namespace gridir::cpu;

namespace {

/// The shortest streaming store of a vector.
constexpr int64_t kLeastBytes = 16;

/// A kernel that reads less than this part of what it writes leaves the caches
/// to its results.
constexpr int64_t kLeastPartRead = 4;

/// The share of the caches that such results may take, in multiples of that of
/// other kernels.
constexpr int64_t kShareOfResults = 4;

/// The ops that write an operand without other uses.
struct Writes {
  SmallVector<vector::TransferWriteOp> transfers;
  SmallVector<Operation *> others;
};

/// Follows all views of `array`. None if an op may read it, or passes it on.
std::optional<Writes> findWrites(Value array) {
  Writes writes;
  SmallVector<Value> views{array};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1) {
        views.push_back(user->getResult(0));
        continue;
      }
      if (auto write = dyn_cast<vector::TransferWriteOp>(user)) {
        writes.transfers.push_back(write);
        continue;
      }
      SmallVector<gridir::MemoryAccess> accesses = gridir::getAccesses(user);
      if (accesses.empty())
        return std::nullopt;
      for (const gridir::MemoryAccess &access : accesses)
        if (!access.memref || access.reads)
          return std::nullopt;
      writes.others.push_back(user);
    }
  return writes;
}

/// True if at most one of two ops runs in one iteration of the loops that are
/// around both.
bool areExclusive(Operation *first, Operation *second) {
  for (Operation *ancestor = first->getParentOp(); ancestor;
       ancestor = ancestor->getParentOp()) {
    if (!ancestor->isAncestor(second))
      continue;
    auto getRegion = [&](Operation *op) {
      while (op->getParentOp() != ancestor)
        op = op->getParentOp();
      return op->getParentRegion();
    };
    return isa<scf::IfOp, scf::IndexSwitchOp>(ancestor) &&
           getRegion(first) != getRegion(second);
  }
  return false;
}

/// The elements along the last dimension that all turns of the innermost loop
/// write: from `first` up to `end`.
struct Extent {
  int64_t first, end;
};

/// Removes a constant that is added to `index`, and returns it.
int64_t takeShift(Value &index) {
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getNumOperands() != 1)
    return 0;
  auto sum = dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0));
  if (!sum || sum.getKind() != AffineExprKind::Add ||
      !isa<AffineDimExpr, AffineSymbolExpr>(sum.getLHS()))
    return 0;
  auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS());
  if (!constant)
    return 0;
  index = apply.getOperand(0);
  return constant.getValue();
}

std::optional<Extent> getExtent(vector::TransferWriteOp write) {
  if (write.getVectorType().getRank() != 1 || write.getIndices().empty())
    return std::nullopt;
  int64_t size = write.getVectorType().getDimSize(0);
  Value index = write.getIndices().back();
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return Extent{*constant, *constant + size};
  int64_t shift = takeShift(index), begin;
  auto loop = dyn_cast_if_present<scf::ForOp>(
      isa<BlockArgument>(index) ? index.getParentBlock()->getParentOp()
                                : nullptr);
  if (!loop || index != loop.getInductionVar())
    return std::nullopt;
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!first || !end || !step || *end <= *first || *step <= 0 ||
      llvm::AddOverflow(*first, shift, begin))
    return std::nullopt;
  return Extent{begin, begin + (*end - *first - 1) / *step * *step + size};
}

/// True if two writes are disjoint parts of one row.
bool areApart(vector::TransferWriteOp first, vector::TransferWriteOp second) {
  if (first.getBase() != second.getBase())
    return false;
  std::optional<Extent> a = getExtent(first), b = getExtent(second);
  return a && b && (a->end <= b->first || b->end <= a->first);
}

class CPUStreamStoresPass
    : public gridir::cpu::impl::CPUStreamStoresPassBase<CPUStreamStoresPass> {
public:
  using CPUStreamStoresPassBase::CPUStreamStoresPassBase;

  void runOnOperation() override {
    if (cacheBytes <= 0)
      return;
    FailureOr<gridir::kernel::ABIOp> abi =
        gridir::kernel::getABI(getOperation());
    if (failed(abi))
      return signalPassFailure();
    auto kernel = abi->getEntryFunction<func::FuncOp>();
    if (failed(kernel))
      return signalPassFailure();
    auto range = abi->getRangeFunction<func::FuncOp>();
    if (failed(range))
      return signalPassFailure();

    SmallVector<int64_t> aligned;
    unsigned numOperands =
        std::min((*kernel).getNumArguments(), (*range).getNumArguments());
    for (unsigned operand = 0; operand < numOperands; ++operand)
      if (exceedsCaches(*range, operand) &&
          stream((*kernel).getArgument(operand)))
        aligned.push_back(operand);
    if (aligned.empty())
      return;
    abi->setAlignedOperands(aligned);
    (*kernel).walk([](func::ReturnOp end) {
      OpBuilder builder(end);
      LLVM::FenceOp::create(builder, end.getLoc(),
                            LLVM::AtomicOrdering::seq_cst, StringRef());
    });
  }

private:
  /// True if a result is not in the caches after the kernel, or is there at the
  /// expense of other operands.
  bool exceedsCaches(func::FuncOp range, unsigned operand) {
    std::optional<int64_t> bytes = getBytes(range.getArgumentTypes()[operand]);
    if (!bytes || *bytes < cacheBytes)
      return false;
    uint64_t others = 0;
    for (auto [number, type] : llvm::enumerate(range.getArgumentTypes()))
      if (number != operand)
        others =
            llvm::SaturatingAdd<uint64_t>(others, getBytes(type).value_or(0));
    return others >= uint64_t(*bytes / kLeastPartRead) ||
           *bytes / kShareOfResults >= cacheBytes;
  }

  /// Converts stores of an operand to streaming stores if legal. Returns true
  /// if any was converted.
  bool stream(Value operand) {
    auto type = cast<MemRefType>(operand.getType());
    if (!type.getLayout().isIdentity())
      return false;
    int64_t bits = std::max(8u, type.getElementTypeBitWidth());
    std::optional<Writes> writes = findWrites(operand);
    if (!writes) {
      ++numRead;
      return false;
    }
    SmallVector<vector::TransferWriteOp> chosen;
    for (vector::TransferWriteOp write : writes->transfers) {
      if (isRewritten(write, *writes))
        ++numRewritten;
      else if (getAlignment(write, bits / 8) == 0)
        ++numPartial;
      else
        chosen.push_back(write);
    }
    for (vector::TransferWriteOp write : chosen)
      makeStreaming(write, bits / 8);
    numStreamed += chosen.size();
    return !chosen.empty();
  }

  static bool isRewritten(vector::TransferWriteOp write, const Writes &writes) {
    for (Operation *other : writes.others)
      if (!areExclusive(write, other))
        return true;
    for (vector::TransferWriteOp other : writes.transfers)
      if (other != write && !areApart(write, other) &&
          !areExclusive(write, other))
        return true;
    SmallVector<Value> numbers = getAddressNumbers(write);
    for (Operation *parent = write->getParentOp(); !isa<func::FuncOp>(parent);
         parent = parent->getParentOp()) {
      if (isa<scf::IfOp, scf::IndexSwitchOp>(parent))
        continue;
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (!loop)
        return true;
      // Work items write disjoint elements.
      if (isWorkItems(loop))
        continue;
      if (llvm::none_of(numbers, [&](Value number) {
            return growsWith(number, loop.getInductionVar());
          }))
        return true;
    }
    return false;
  }

  /// The loop over a range that the caller chooses.
  static bool isWorkItems(scf::ForOp loop) {
    return isa<func::FuncOp>(loop->getParentOp()) &&
           isa<BlockArgument>(loop.getLowerBound()) &&
           isa<BlockArgument>(loop.getUpperBound());
  }

  /// The alignment with which a write streams, or 0.
  static int64_t getAlignment(vector::TransferWriteOp write,
                              int64_t elementBytes) {
    VectorType vector = write.getVectorType();
    auto base = dyn_cast<MemRefType>(write.getBase().getType());
    if (!base || base.getRank() == 0 || vector.getRank() != 1 ||
        vector.isScalable() || write.getMask() || write.hasOutOfBoundsDim() ||
        !write.getPermutationMap().isMinorIdentity() ||
        !base.isLastDimUnitStride())
      return 0;
    int64_t bytes = vector.getNumElements() * elementBytes;
    if (!llvm::isPowerOf2_64(bytes) || bytes < kLeastBytes)
      return 0;
    int64_t divisor = getAddressDivisor(write) * elementBytes;
    int64_t alignment = std::gcd(divisor, kLineBytes);
    if (bytes % kLineBytes == 0)
      return alignment == kLineBytes ? kLineBytes : 0;
    // A part of a line is held until the next iteration writes the rest.
    if (alignment < bytes || !continues(write))
      return 0;
    return bytes;
  }

  /// True if the next iteration of the loop around the write begins where it
  /// ends.
  static bool continues(vector::TransferWriteOp write) {
    auto loop = dyn_cast<scf::ForOp>(write->getParentOp());
    return loop && write.getIndices().back() == loop.getInductionVar() &&
           getConstantIntValue(loop.getStep()) ==
               write.getVectorType().getNumElements();
  }

  static void makeStreaming(vector::TransferWriteOp write,
                            int64_t elementBytes) {
    OpBuilder builder(write);
    vector::StoreOp::create(builder, write.getLoc(), write.getValueToStore(),
                            write.getBase(), write.getIndices(),
                            /*nontemporal=*/true,
                            llvm::Align(getAlignment(write, elementBytes)));
    write.erase();
  }
};

} // namespace

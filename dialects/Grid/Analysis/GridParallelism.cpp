//===- GridParallelism.cpp - Which dimensions may run in any order --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/GridParallelism.h"

#include "dialects/Grid/Analysis/CarriedState.h"
#include "dialects/Grid/Analysis/KernelChecks.h"
#include "dialects/Grid/Analysis/RefNames.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "dialects/Grid/IR/KernelParams.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gridir::grid {

/// If an array has more distinct accesses than this, only blocks are compared,
/// since every pair of accesses is a query.
static constexpr size_t kMaxAccesses = 24;

namespace {

class ParallelismFinder {
public:
  ParallelismFinder(BlockAccess &access, bool ownState)
      : access(access), kernel(access.getKernel()), ownState(ownState),
        verdicts(kernel.getRank()) {}

  SmallVector<DimVerdict> find() {
    examineOrder();
    examineMemory();
    examineState();
    examineSharedRefs();
    return std::move(verdicts);
  }

private:
  /// A dimension with one program is trivially parallel.
  bool isTrivial(unsigned dim) {
    int64_t size = kernel.getGridShape()[dim];
    return !ShapedType::isDynamic(size) && size <= 1;
  }

  void lower(unsigned dim, DimVerdict::Kind kind, const Twine &reason,
             Location loc) {
    if (isTrivial(dim) || verdicts[dim].kind >= kind)
      return;
    DimVerdict &verdict = verdicts[dim];
    verdict.kind = kind;
    verdict.reason = reason.str();
    verdict.loc = loc;
  }

  void lower(unsigned dim, const Carry &carry) {
    if (isTrivial(dim) || verdicts[dim].kind == DimVerdict::refuted)
      return;
    lower(dim, DimVerdict::refuted,
          llvm::formatv(
              "program {0} reads elements that program {1} has written to {2}",
              formatProgram(carry.reader), formatProgram(carry.writer),
              getRefName(carry.ref))
              .str(),
          carry.read->getLoc());
    verdicts[dim].writtenAt = carry.write->getLoc();
  }

  void lowerAll(DimVerdict::Kind kind, const Twine &reason, Location loc) {
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
      lower(dim, kind, reason, loc);
  }

  /// Effects that are visible to the caller, or to another device, in program
  /// order.
  void examineOrder() {
    kernel.getBodyRegion().walk([&](Operation *op) {
      ProgramOrder order = getProgramOrder(op);
      if (order.kind != ProgramOrder::None)
        lowerAll(order.kind == ProgramOrder::Required ? DimVerdict::refuted
                                                      : DimVerdict::unknown,
                 order.reason, op->getLoc());
      auto scoped = dyn_cast<ScopedOp>(op);
      if (!scoped || !scoped.getCollective())
        return;
      for (Attribute axis : *scoped.getCollective())
        if (std::optional<unsigned> dim = kernel.findDim(axis))
          lower(*dim, DimVerdict::refuted,
                "its programs share the Refs of a grid.scoped",
                scoped.getLoc());
    });
  }

  /// The accesses to one array and those that share its memory, each kind once.
  SmallVector<ArrayAccess> getAccessesOf(ArrayRef<unsigned> aliasSet) {
    SmallVector<ArrayAccess> result;
    for (const ArrayAccess &next : access.getAccesses()) {
      if (!llvm::is_contained(aliasSet, next.operand))
        continue;
      if (result.size() > kMaxAccesses)
        return getBlocksOf(aliasSet);
      auto *known = llvm::find_if(result, [&](const ArrayAccess &other) {
        return other.operand == next.operand && other.box == next.box &&
               other.writes == next.writes &&
               other.op->getBlock() == next.op->getBlock();
      });
      if (known == result.end())
        result.push_back(next);
    }
    return result;
  }

  /// One access for each operand, to all of its block.
  SmallVector<ArrayAccess> getBlocksOf(ArrayRef<unsigned> aliasSet) {
    SmallVector<ArrayAccess> coarse;
    for (unsigned operand : aliasSet) {
      bool writes = false;
      Operation *op = nullptr;
      for (const ArrayAccess &next : access.getAccesses())
        if (next.operand == operand && (!op || (next.writes && !writes))) {
          op = next.op;
          writes |= next.writes;
        }
      if (!op)
        continue;
      ElementBox block = access.getBlock(operand);
      block.exact = false;
      coarse.push_back({op, operand, std::move(block), /*reads=*/true, writes,
                        /*isCopied=*/true});
    }
    return coarse;
  }

  void examineMemory() {
    llvm::SmallDenseSet<unsigned> done;
    for (unsigned operand = 0; operand < kernel.getNumOperandSpecs();
         ++operand) {
      if (done.contains(operand))
        continue;
      SmallVector<unsigned> aliasSet = access.getAliasSet(operand);
      done.insert(aliasSet.begin(), aliasSet.end());
      if (ownState && operand < kernel.getNumIndexOperands() &&
          aliasSet.size() == 1)
        continue;
      SmallVector<ArrayAccess> accesses = getAccessesOf(aliasSet);
      for (size_t i = 0; i < accesses.size(); ++i)
        for (size_t j = i; j < accesses.size(); ++j)
          if (accesses[i].writes || accesses[j].writes)
            examinePair(accesses[i], accesses[j]);
    }
  }

  /// Lowers the verdict of each dimension along which the two accesses may
  /// conflict: refuted by a counterexample, testable if only the blocks of a
  /// call decide, otherwise unknown.
  void examinePair(const ArrayAccess &a, const ArrayAccess &b) {
    for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
      if (isTrivial(dim) || verdicts[dim].kind == DimVerdict::refuted)
        continue;
      QueryResult conflict = access.mayConflict(a, b, dim);
      if (conflict.kind == QueryResult::no)
        continue;
      const ArrayAccess &writer = a.writes ? a : b;
      std::string name = kernel.getOperandName(writer.operand);
      if (conflict.kind == QueryResult::unknown) {
        bool testable = mayTestBlocks(a, b);
        if (testable) {
          verdicts[dim].tested.insert(a.operand);
          verdicts[dim].tested.insert(b.operand);
        }
        lower(dim, testable ? DimVerdict::testable : DimVerdict::unknown,
              "programs that differ along it may touch the same elements of " +
                  name,
              writer.op->getLoc());
        continue;
      }
      lower(dim, DimVerdict::refuted,
            llvm::formatv("programs {0} and {1} touch the same elements of {2}",
                          formatProgram(conflict.witness.first),
                          formatProgram(conflict.witness.second), name)
                .str(),
            writer.op->getLoc());
    }
  }

  /// True if programs with different blocks access disjoint elements, and their
  /// blocks are known before any of them runs.
  bool mayTestBlocks(const ArrayAccess &a, const ArrayAccess &b) {
    OperandAttr first = kernel.getOperandSpec(a.operand),
                second = kernel.getOperandSpec(b.operand);
    return first.getArrayShape() == second.getArrayShape() &&
           first.getBlock() == second.getBlock() &&
           (!hasAffineMap(a.operand) || !hasAffineMap(b.operand)) &&
           hasDisjointBlocks(a.operand) && !access.writesPrefetched();
  }

  bool hasAffineMap(unsigned operand) {
    unsigned numIndex = kernel.getNumIndexOperands();
    return operand < numIndex ||
           kernel.getAffineIndexMap(operand - numIndex).has_value();
  }

  /// True if two blocks of an operand are equal or disjoint.
  bool hasDisjointBlocks(unsigned operand) {
    ArrayRef<BlockDimAttr> block = kernel.getOperandSpec(operand).getBlock();
    return !block.empty() && llvm::all_of(block, [](BlockDimAttr dim) {
      return dim.isSqueezed() || dim.getKind() == BlockKind::Blocked;
    });
  }

  bool hasState() {
    return kernel.getNumScratch() != 0 ||
           kernel.getBodyRegion()
               .walk([](Operation *op) {
                 return usesPrngState(op) ? WalkResult::interrupt()
                                          : WalkResult::advance();
               })
               .wasInterrupted();
  }

  /// With `dim` the innermost parallel dimension, a partition begins where the
  /// ids along all dimensions inside it are 0: the program before, in grid
  /// order, has another id along `dim`. A proof for `dim` therefore holds for
  /// the dimensions outside it, which have fewer beginnings.
  void examineState() {
    if (!hasState())
      return;
    SmallVector<unsigned> inner;
    for (unsigned dim = kernel.getRank(); dim-- > 0;) {
      if (!isTrivial(dim)) {
        SmallVector<CarriedRead> reads = findCarriedReads(kernel, inner);
        if (ownState)
          llvm::erase_if(reads, [](const CarriedRead &read) {
            return read.ref && !read.certain;
          });
        if (reads.empty())
          return;
        if (std::optional<Carry> carry = findCarry(kernel, dim)) {
          lower(dim, *carry);
          inner.push_back(dim);
          continue;
        }
        auto *certain = llvm::find_if(
            reads, [](const CarriedRead &read) { return read.certain; });
        const CarriedRead &read =
            certain == reads.end() ? reads.front() : *certain;
        lower(dim,
              certain == reads.end() ? DimVerdict::unknown
                                     : DimVerdict::refuted,
              describe(read), read.op->getLoc());
      }
      inner.push_back(dim);
    }
  }

  /// The cores of a mesh may share a Ref of a scope, so one core may read
  /// stores of another.
  void examineSharedRefs() {
    SmallVector<Value> shared;
    kernel.getBodyRegion().walk([&](ScopedOp scoped) {
      for (BlockArgument ref : scoped.getBody().getArguments())
        if (isSharedByPrograms(kernel, cast<MemRefType>(ref.getType())))
          shared.push_back(ref);
    });
    if (shared.empty())
      return;
    for (const CarriedRead &read : findReadsBeforeWrites(kernel, shared, {}))
      for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
        if (isCoreDim(kernel, dim))
          lower(dim, DimVerdict::unknown,
                "its programs share " + getRefName(read.ref) +
                    ", which may be read before the program writes it",
                read.op->getLoc());
  }

  std::string describe(const CarriedRead &read) {
    if (!read.ref)
      return "random bits depend on the state of the previous program";
    bool semaphore = isa<SemaphoreType>(
        cast<MemRefType>(read.ref.getType()).getElementType());
    return llvm::formatv("{0} {1} {2}", getRefName(read.ref),
                         read.certain ? "is" : "may be",
                         semaphore ? "waited on before the program signals it"
                                   : "read before the program writes it")
        .str();
  }

  BlockAccess &access;
  KernelOp kernel;
  bool ownState;
  SmallVector<DimVerdict> verdicts;
};

} // namespace

SmallVector<DimVerdict> analyzeParallelism(BlockAccess &access, bool ownState) {
  return ParallelismFinder(access, ownState).find();
}

bool isParallel(DimSemantics semantics) {
  return semantics == DimSemantics::Parallel ||
         semantics == DimSemantics::CoreParallel ||
         semantics == DimSemantics::SubcoreParallel;
}

/// The semantics of the kernel take precedence. Otherwise the list in the
/// compiler parameters is matched with the dimensions that `jax.vmap` did not
/// add.
SmallVector<DimSemantics> getClaimedSemantics(KernelOp kernel) {
  SmallVector<DimSemantics> claims;
  for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
    claims.push_back(kernel.getDimSemantics(dim));
  if (kernel.getSemantics())
    return claims;
  SmallVector<DimSemantics *> authored;
  for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
    if (kernel.getDim(dim).getVmapped())
      claims[dim] = DimSemantics::Parallel;
    else
      authored.push_back(&claims[dim]);
  }
  if (!kernel.getParams())
    return claims;
  for (Attribute params : kernel.getParamsAttr()) {
    ArrayAttr names = cast<ParamsAttrInterface>(params).getDimensionClaims();
    if (!names)
      continue;
    for (auto [claim, attr] : llvm::zip(authored, names))
      if (auto name = dyn_cast<StringAttr>(attr))
        *claim = symbolizeDimSemantics(name.getValue())
                     .value_or(DimSemantics::Arbitrary);
    break;
  }
  return claims;
}

} // namespace gridir::grid

//===- BlockAccess.cpp - What the programs of a kernel touch --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/BlockAccess.h"

#include "dialects/Grid/Analysis/GridSystem.h"
#include "dialects/Grid/Analysis/ProgramGuards.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using presburger::BoundType;

namespace gridir::grid {

/// True if the program ids alone determine a box in every program.
static bool isKnown(const ElementBox &box) {
  return box.exact && llvm::none_of(box.lows, [](AffineExpr low) {
           bool symbolic = false;
           low.walk(
               [&](AffineExpr e) { symbolic |= isa<AffineSymbolExpr>(e); });
           return symbolic;
         });
}

/// True if an op runs in every program.
static bool isUnconditional(Operation *op, KernelOp kernel) {
  while (op->getParentOp() != kernel.getOperation()) {
    op = op->getParentOp();
    if (!isa<ScopedOp>(op))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Blocks and accesses
//===----------------------------------------------------------------------===//

BlockAccess::BlockAccess(KernelOp kernel, bool copiesOverhang)
    : values(kernel), copiesOverhang(copiesOverhang) {
  for (unsigned i = 0, e = kernel.getNumOperandSpecs(); i < e; ++i)
    blocks.push_back(computeBlock(i));
  collectAccesses();
}

/// Returns the box of an operand's block in coordinates of its array, from the
/// kind of each block dimension and the index map. It is exact only if the
/// block always has its full size at an affine position.
ElementBox BlockAccess::computeBlock(unsigned operand) {
  KernelOp kernel = getKernel();
  OperandAttr spec = kernel.getOperandSpec(operand);
  ElementBox box = ElementBox::whole(spec.getArrayShape(), kernel.getContext());
  for (int64_t &size : box.sizes) {
    if (!ShapedType::isDynamic(size))
      continue;
    size = std::numeric_limits<int32_t>::max();
    box.exact = false;
  }
  if (operand < kernel.getNumIndexOperands() || spec.getBlock().empty())
    return box;

  Region &map = kernel.getIndexMap(operand - kernel.getNumIndexOperands());
  ValueRange indices = cast<YieldOp>(map.front().getTerminator()).getValues();
  unsigned next = 0;
  for (auto [dim, block] : llvm::enumerate(spec.getBlock())) {
    AffineExpr index = values.getExpr(indices[next]);
    next += block.getNumIndices();
    switch (block.getKind()) {
    case BlockKind::Blocked:
      box.lows[dim] = index * block.getSize();
      box.sizes[dim] = block.getSize();
      break;
    case BlockKind::Squeezed:
      box.lows[dim] = index;
      box.sizes[dim] = 1;
      break;
    case BlockKind::Element:
      box.lows[dim] = index - block.getPadLow();
      box.sizes[dim] = block.getSize();
      break;
    case BlockKind::BoundedSlice:
      box.lows[dim] = index;
      box.sizes[dim] = block.getSize();
      box.exact = false;
      break;
    case BlockKind::Indirect:
      // The gathered elements may be anywhere along the dimension.
      box.exact = false;
      break;
    }
  }
  return box;
}

/// Returns the elements of an array that correspond to a box of the Ref of its
/// block.
static ElementBox mapToArray(const ElementBox &ref, const ElementBox &block,
                             OperandAttr spec) {
  SmallVector<BlockDimAttr> dims = spec.getBlockDims();
  size_t kept =
      llvm::count_if(dims, [](BlockDimAttr dim) { return !dim.isSqueezed(); });
  ElementBox box = block;
  if (!spec.getTransforms().empty() || kept != ref.getRank()) {
    box.exact = false;
    return box;
  }
  unsigned next = 0;
  for (auto [dim, attr] : llvm::enumerate(dims)) {
    if (attr.isSqueezed())
      continue;
    unsigned from = next++;
    if (attr.getKind() == BlockKind::Indirect)
      continue;
    box.lows[dim] = block.lows[dim] + ref.lows[from];
    if (!ShapedType::isDynamic(ref.sizes[from]))
      box.sizes[dim] = ref.sizes[from];
  }
  box.exact &= ref.exact;
  return box;
}

ElementBox BlockAccess::getArrayBox(unsigned operand, const ElementBox &ofRef) {
  return mapToArray(ofRef, blocks[operand],
                    getKernel().getOperandSpec(operand));
}

/// Records all accesses to arrays: of the ops in the body, each mapped through
/// its views to the array, and of the copies of whole blocks that the target
/// makes. An op that may access any Ref counts as an inexact access to every
/// operand.
void BlockAccess::collectAccesses() {
  KernelOp kernel = getKernel();
  // A target copies a block as a whole if it overhangs its array or is not
  // full.
  SmallVector<bool> isCopied;
  for (unsigned i = 0, e = kernel.getNumOperandSpecs(); i < e; ++i) {
    OperandAttr spec = kernel.getOperandSpec(i);
    bool isBounded = llvm::any_of(spec.getBlock(), [](BlockDimAttr dim) {
      return dim.getKind() == BlockKind::BoundedSlice;
    });
    isCopied.push_back(
        copiesOverhang &&
        (isBounded || llvm::any_of(llvm::seq<unsigned>(0, spec.getRank()),
                                   [&](unsigned dim) {
                                     return overhangs(i, dim).kind !=
                                            QueryResult::no;
                                   })));
  }
  auto record = [&](Operation *op, Value ref, bool whole, bool reads,
                    bool writes) {
    for (RefRegion &region : getAccessedRegions(op, ref, values)) {
      if (!region.root) {
        for (unsigned operand = 0; operand < kernel.getNumOperandSpecs();
             ++operand) {
          accesses.push_back(
              {op, operand, blocks[operand], reads, writes, isCopied[operand]});
          accesses.back().box.exact = false;
        }
        continue;
      }
      auto arg = dyn_cast<BlockArgument>(region.root);
      if (!arg || arg.getOwner() != kernel.getBodyBlock() ||
          arg.getArgNumber() >= kernel.getNumOperandSpecs())
        continue;
      region.box.exact &= whole;
      unsigned operand = arg.getArgNumber();
      ElementBox box = blocks[operand];
      if (!isCopied[operand])
        box = getArrayBox(operand, region.box);
      ArrayAccess access{op,    operand, std::move(box),
                         reads, writes,  isCopied[operand]};
      if (!accesses.empty() && accesses.back().op == op &&
          accesses.back().operand == operand &&
          accesses.back().box == access.box) {
        accesses.back().reads |= reads;
        accesses.back().writes |= writes;
        continue;
      }
      accesses.push_back(std::move(access));
    }
  };

  kernel.getBodyRegion().walk([&](Operation *op) {
    if (isa<RefViewOpInterface, ViewLikeOpInterface>(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    // A mask, or indices, choose among the elements of the Ref.
    auto elements = dyn_cast<RefAccessOpInterface>(op);
    bool whole = elements && elements.isWholeAccess();
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      // An op without declared effects may access all of the Ref.
      bool reads = !effects, writes = !effects;
      if (effects) {
        SmallVector<MemoryEffects::EffectInstance> instances;
        effects.getEffectsOnValue(operand, instances);
        for (const MemoryEffects::EffectInstance &instance : instances) {
          reads |= isa<MemoryEffects::Read>(instance.getEffect());
          writes |= isa<MemoryEffects::Write>(instance.getEffect());
        }
      }
      if (reads || writes)
        record(op, operand, whole, reads, writes);
    }
  });
}

bool BlockAccess::writesPrefetched() const {
  unsigned numPrefetched = getKernel().getNumIndexOperands();
  return llvm::any_of(accesses, [&](const ArrayAccess &access) {
    return access.writes && access.operand < numPrefetched;
  });
}

SmallVector<unsigned> BlockAccess::getAliasSet(unsigned operand) const {
  KernelOp kernel = values.getKernel();
  unsigned firstOutput = kernel.getNumIndexOperands() + kernel.getNumInputs();
  llvm::SetVector<unsigned> set;
  set.insert(operand);
  for (unsigned i = 0; i < set.size(); ++i)
    for (auto [input, output] : kernel.getAliasPairs()) {
      unsigned a = input, b = firstOutput + output;
      if (set.contains(a) || set.contains(b)) {
        set.insert(a);
        set.insert(b);
      }
    }
  return set.takeVector();
}

/// Searches the affine lows of the block for the program id. If a low is not
/// affine, searches the backward slice of the index map instead.
bool BlockAccess::isIndexedBy(unsigned operand, unsigned dim) const {
  KernelOp kernel = values.getKernel();
  if (operand < kernel.getNumIndexOperands() ||
      kernel.getOperandSpec(operand).getBlock().empty())
    return false;
  Region &map = kernel.getIndexMap(operand - kernel.getNumIndexOperands());
  const ElementBox &block = blocks[operand];
  bool symbolic = false, found = false;
  for (AffineExpr low : block.lows) {
    low.walk([&](AffineExpr e) { symbolic |= isa<AffineSymbolExpr>(e); });
    found |= low.isFunctionOfDim(dim);
  }
  if (!symbolic)
    return found;

  // Not affine: every input of the computation counts.
  llvm::SetVector<Value> slice;
  slice.insert_range(map.front().getTerminator()->getOperands());
  for (unsigned i = 0; i < slice.size(); ++i) {
    if (values.getIdDim(slice[i]) == dim)
      return true;
    if (Operation *op = slice[i].getDefiningOp()) {
      slice.insert(op->operand_begin(), op->operand_end());
      if (op->getNumRegions())
        return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

static QueryResult either(QueryResult a, QueryResult b) {
  return a.kind >= b.kind ? a : b;
}

/// True if the element at `offset` in a block's dimension may be at least, or
/// at most, an element of the array.
static QueryResult queryBlock(ProgramValues &values, const ElementBox &block,
                              unsigned dim, BoundType type, int64_t offset,
                              int64_t limit, const ProgramGuards &guards = {}) {
  Interval range = values.getRange(block.lows[dim] + offset);
  if (type == BoundType::LB ? range.high < limit : range.low > limit)
    return {QueryResult::no, {}};
  // If that end is reached, only loaded values are unknown.
  if (!isKnown(block) && reachesRange(block.lows[dim]))
    return {};
  SmallVector<AffineExpr> reads(block.lows);
  llvm::append_range(reads, guards.getReads());
  GridSystem system(values, reads, 1, 1);
  unsigned element = system.getExtra(0);
  system.add(BoundType::EQ, element, system.in(0, block.lows[dim]) + offset);
  system.add(type, element,
             getAffineConstantExpr(limit, block.lows[dim].getContext()));
  guards.require(system, 0);
  if (!system.isComplete())
    return {};
  if (system.isEmpty())
    return {QueryResult::no, {}};
  if (!isKnown(block) || !guards.exact ||
      !guards.decide(guards.getReads(), values))
    return {};
  return {QueryResult::yes, {system.getProgram(system.getPoint(), 0), {}}};
}

QueryResult BlockAccess::overhangs(unsigned operand, unsigned arrayDim) {
  int64_t extent =
      getKernel().getOperandSpec(operand).getArrayShape()[arrayDim];
  const ElementBox &block = blocks[operand];
  if (ShapedType::isDynamic(extent))
    return {getKernel().getOperandSpec(operand).getBlock().empty()
                ? QueryResult::no
                : QueryResult::unknown,
            {}};
  return either(queryBlock(values, block, arrayDim, BoundType::LB,
                           block.sizes[arrayDim] - 1, extent),
                queryBlock(values, block, arrayDim, BoundType::UB, 0, -1));
}

QueryResult BlockAccess::queryOutside(unsigned operand, unsigned arrayDim,
                                      const ProgramGuards &guards) {
  int64_t extent =
      getKernel().getOperandSpec(operand).getArrayShape()[arrayDim];
  const ElementBox &block = blocks[operand];
  if (ShapedType::isDynamic(extent))
    return {getKernel().getOperandSpec(operand).getBlock().empty()
                ? QueryResult::no
                : QueryResult::unknown,
            {}};
  QueryResult result = either(
      queryBlock(values, block, arrayDim, BoundType::LB, 0, extent, guards),
      queryBlock(values, block, arrayDim, BoundType::UB,
                 block.sizes[arrayDim] - 1, -1, guards));
  // The size of a dynamic dimension is known only at run time.
  KernelOp kernel = getKernel();
  for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
    if (kernel.getDim(dim).isDynamic() &&
        block.lows[arrayDim].isFunctionOfDim(dim) &&
        result.kind == QueryResult::yes)
      return {};
  return result;
}

QueryResult BlockAccess::liesOutside(unsigned operand, unsigned arrayDim) {
  return queryOutside(operand, arrayDim, {});
}

QueryResult BlockAccess::accessesOutside(unsigned operand, unsigned arrayDim) {
  QueryResult result{QueryResult::no, {}};
  if (liesOutside(operand, arrayDim).kind == QueryResult::no)
    return result;
  for (const ArrayAccess &access : accesses) {
    auto elements = dyn_cast<RefAccessOpInterface>(access.op);
    if (access.operand != operand || (elements && elements.getAccessMask()))
      continue;
    result = either(
        result, queryOutside(operand, arrayDim, getGuards(access.op, values)));
    if (result.kind == QueryResult::yes)
      break;
  }
  return result;
}

/// True if the lows of a box differ by at least its size whenever the program
/// ids along `dim` differ: the case of nearly all kernels, without a solver.
static bool isObviouslyApart(const ElementBox &a, const ElementBox &b,
                             unsigned dim, MLIRContext *context) {
  AffineExpr id = getAffineDimExpr(dim, context);
  for (unsigned i = 0; i < a.getRank(); ++i) {
    if (a.lows[i] != b.lows[i])
      continue;
    int64_t size = std::max(a.sizes[i], b.sizes[i]);
    AffineExpr low = a.lows[i];
    if (auto sum = dyn_cast<AffineBinaryOpExpr>(low);
        sum && sum.getKind() == AffineExprKind::Add &&
        isa<AffineConstantExpr>(sum.getRHS()))
      low = sum.getLHS();
    int64_t stride = 1;
    if (auto product = dyn_cast<AffineBinaryOpExpr>(low);
        product && product.getKind() == AffineExprKind::Mul)
      if (auto factor = dyn_cast<AffineConstantExpr>(product.getRHS())) {
        stride = std::abs(factor.getValue());
        low = product.getLHS();
      }
    if (low == id && stride >= size)
      return true;
  }
  return false;
}

/// The conditions on the program id along `dim` under which an access is made.
static SmallVector<Guard> getGuardsAlong(const ArrayAccess &access,
                                         unsigned dim, ProgramValues &values) {
  SmallVector<Guard> guards;
  if (access.isCopied)
    return guards;
  for (Guard &guard : getGuards(access.op, values).conditions)
    if (guard.expr.isFunctionOfDim(dim))
      guards.push_back(guard);
  return guards;
}

/// Asks for an integer point: two programs, the second with a larger id along
/// `dim`, and an element that is in the boxes of both. Conditions on the id
/// under which the accesses execute are constraints, too. Without a point there
/// is no conflict. A point is a counterexample only if both boxes are exact and
/// both ops always run. Both orders of the two accesses are tried, since the
/// first program may run either of them.
QueryResult BlockAccess::mayConflict(const ArrayAccess &a, const ArrayAccess &b,
                                     unsigned dim) {
  if (isObviouslyApart(a.box, b.box, dim, getKernel().getContext()))
    return {QueryResult::no, {}};
  SmallVector<int64_t> shape =
      getKernel().getOperandSpec(a.operand).getArrayShape();
  auto query = [&](const ArrayAccess &accessOfFirst,
                   const ArrayAccess &accessOfSecond) -> QueryResult {
    const ElementBox &first = accessOfFirst.box, &second = accessOfSecond.box;
    SmallVector<Guard> guards = getGuardsAlong(accessOfFirst, dim, values),
                       others = getGuardsAlong(accessOfSecond, dim, values);
    SmallVector<AffineExpr> reads(first.lows);
    llvm::append_range(reads, second.lows);
    for (const Guard &guard : llvm::concat<Guard>(guards, others))
      reads.push_back(guard.expr);
    GridSystem system(values, reads, 2, first.getRank());
    system.add(BoundType::LB, system.getId(1, dim),
               system.dim(system.getId(0, dim)) + 1);
    for (const Guard &guard : guards)
      system.require(system.in(0, guard.expr), guard.equal);
    for (const Guard &guard : others)
      system.require(system.in(1, guard.expr), guard.equal);
    for (unsigned i = 0; i < first.getRank(); ++i) {
      unsigned element = system.getExtra(i);
      MLIRContext *context = getKernel().getContext();
      system.add(BoundType::LB, element, getAffineConstantExpr(0, context));
      if (!ShapedType::isDynamic(shape[i]))
        system.add(BoundType::UB, element,
                   getAffineConstantExpr(shape[i] - 1, context));
      for (auto [program, box] :
           {std::pair(0u, &first), std::pair(1u, &second)}) {
        AffineExpr low = system.in(program, box->lows[i]);
        system.add(BoundType::LB, element, low);
        system.add(BoundType::UB, element, low + box->sizes[i] - 1);
      }
    }
    if (!system.isComplete())
      return {};
    if (system.isEmpty())
      return {QueryResult::no, {}};
    bool certain = isKnown(first) && isKnown(second) &&
                   isUnconditional(a.op, getKernel()) &&
                   isUnconditional(b.op, getKernel());
    if (!certain)
      return {};
    SmallVector<llvm::DynamicAPInt> point = system.getPoint();
    return {QueryResult::yes,
            {system.getProgram(point, 0), system.getProgram(point, 1)}};
  };
  QueryResult result = query(a, b);
  bool same = a.op == b.op && a.box == b.box;
  if (same || result.kind == QueryResult::yes)
    return result;
  return either(result, query(b, a));
}

} // namespace gridir::grid

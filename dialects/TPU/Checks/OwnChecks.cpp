//===- OwnChecks.cpp - Checks of indices in a Mosaic kernel ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Checks/OwnChecks.h"

#include "dialects/Support/Builders.h"
#include "dialects/Support/Intervals.h"
#include "dialects/TPU/IR/IndexedAccess.h"
#include "dialects/TPU/Transforms/GridRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace gridir::tpu {
namespace {

/// A number plus a constant.
struct Offset {
  Value base;
  int64_t offset = 0;
};

/// The number of 32 bits that an index was made of, if any.
Value lookThroughCasts(Value index) {
  while (auto cast = index.getDefiningOp<arith::IndexCastOp>()) {
    if (!cast.getIn().getType().isInteger(32))
      break;
    index = cast.getIn();
  }
  return index;
}

class CheckBuilder {
public:
  CheckBuilder(func::FuncOp kernel, ArrayRef<std::string> memrefs,
               ArrayRef<WindowArray> windows, IsWorthwhile isWorthwhile)
      : kernel(kernel), memrefs(memrefs), windows(windows),
        isWorthwhile(isWorthwhile),
        params(kernel->getAttrOfType<ArrayAttr>(kWindowParamsName)),
        transforms(getTransforms(kernel)), builder(kernel.getContext()) {}

  FailureOr<AddedChecks> add(ArrayRef<IndexToCheck> indices);

private:
  /// The indices of one window to check, and the reads of its transform.
  struct WindowChecks {
    SmallVector<unsigned> dims;
    SmallVector<std::pair<Operation *, unsigned>> reads;
  };

  FailureOr<Interval> getAllowed(Operation *op, unsigned dim);
  Value getFirstOfEqual(Value number);
  Offset getOffset(Value index);
  LogicalResult checkAccesses(ArrayRef<IndexToCheck> accesses);
  LogicalResult checkWindow(unsigned window, const WindowChecks &checks);
  void assertWithin(Value number, Interval allowed, Operation *access,
                    Location loc, ArrayRef<StringAttr> messages);
  bool join(Value number, Interval allowed, Operation *access, Location loc,
            ArrayRef<StringAttr> messages);
  Value createDistance(Value number, Interval allowed, Location loc);
  arith::CmpIOp compare(Value number, Interval allowed, Location loc);
  bool moveBefore(Value value, Operation *place);
  StringAttr describe(Operation *op, unsigned dim);
  bool isNeverWritten(Value memref);
  void setInsertionPoint(Operation *op, Value index);
  Operation *cloneOnce(Operation *op, IRMapping &mapping);
  std::string getName(Value memref);

  func::FuncOp kernel;
  ArrayRef<std::string> memrefs;
  ArrayRef<WindowArray> windows;
  IsWorthwhile isWorthwhile;
  ArrayAttr params;
  SmallVector<func::FuncOp> transforms;
  OpBuilder builder;
  DominanceInfo dominance;
  AddedChecks added;
  /// The range that assertions guarantee for a number.
  struct Assertion {
    Interval allowed;
    Operation *op;
  };
  /// An assertion of one or several numbers.
  struct Joined {
    cf::AssertOp op;
    /// The comparison with each largest distance from the lowest number.
    SmallVector<std::pair<int64_t, arith::CmpIOp>> comparisons;
    /// The messages of a failing assertion.
    llvm::SmallSetVector<StringAttr, 1> messages;
    SmallVector<Location> locs;
  };
  llvm::MapVector<Block *, SmallVector<Joined>> joined;
  /// The assertions without which an op may read beyond a memref.
  llvm::DenseMap<Operation *, SmallVector<Operation *, 1>> guards;
  llvm::DenseMap<Value, SmallVector<Assertion>> asserted;
  /// The first load of each element of memory that is never written, by the
  /// memref and the indices.
  std::map<SmallVector<const void *>, Value> loads;
  llvm::DenseMap<Value, bool> neverWritten;
  /// The first op of each block that computes with vectors; null for none.
  llvm::DenseMap<Block *, Operation *> firstOnVectors;
  /// The ops of transforms at the beginning of the body.
  SmallVector<Operation *> clones;
};

/// The name of the argument that a memref is a part of.
std::string CheckBuilder::getName(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    auto source = llvm::find_if(op->getOperands(), [](Value operand) {
      return isa<MemRefType>(operand.getType());
    });
    if (source == op->operand_end())
      return "a Ref";
    memref = *source;
  }
  auto argument = cast<BlockArgument>(memref);
  auto types = argument.getOwner()->getArgumentTypes();
  size_t first =
      llvm::find_if(types, llvm::IsaPred<MemRefType>) - types.begin();
  size_t number = argument.getArgNumber() - first;
  return number < memrefs.size() ? memrefs[number] : "a Ref";
}

/// True if a memref that is an argument of the kernel is only loaded from.
bool CheckBuilder::isNeverWritten(Value memref) {
  auto [it, inserted] = neverWritten.try_emplace(memref, false);
  if (inserted)
    it->second = llvm::is_contained(kernel.getArguments(), memref) &&
                 llvm::all_of(memref.getUsers(), llvm::IsaPred<memref::LoadOp>);
  return it->second;
}

/// Returns one value for all loads of the same element of memory that is never
/// written.
Value CheckBuilder::getFirstOfEqual(Value number) {
  auto load = number.getDefiningOp<memref::LoadOp>();
  if (!load || !isNeverWritten(load.getMemref()))
    return number;
  SmallVector<const void *> key{load.getMemref().getAsOpaquePointer()};
  for (Value index : load.getIndices()) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    key.push_back(
        constant
            ? builder.getI64IntegerAttr(*constant).getAsOpaquePointer()
            : getFirstOfEqual(lookThroughCasts(index)).getAsOpaquePointer());
  }
  return loads.try_emplace(std::move(key), number).first->second;
}

/// An index as a number plus a constant.
Offset CheckBuilder::getOffset(Value index) {
  index = lookThroughCasts(index);
  APInt constant;
  if (auto sum = index.getDefiningOp<arith::AddIOp>();
      sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant)) &&
      constant.isSignedIntN(31))
    return {sum.getLhs(), constant.getSExtValue()};
  return {index};
}

/// How far a number is from the lowest that is allowed: too low a number is far
/// away, as the distance has no sign.
Value CheckBuilder::createDistance(Value number, Interval allowed,
                                   Location loc) {
  number = toI32(builder, loc, number);
  if (allowed.low == 0)
    return number;
  return arith::AddIOp::create(builder, loc, number,
                               createI32(builder, loc, -allowed.low));
}

arith::CmpIOp CheckBuilder::compare(Value number, Interval allowed,
                                    Location loc) {
  Value distance = createDistance(number, allowed, loc);
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ule, distance,
      createI32(builder, loc, allowed.high - allowed.low));
}

/// Extends an existing assertion of a block to one more number, if the number
/// can be computed before the assertion.
bool CheckBuilder::join(Value number, Interval allowed, Operation *access,
                        Location loc, ArrayRef<StringAttr> messages) {
  for (Joined &other : joined[builder.getInsertionBlock()]) {
    if (!moveBefore(number, other.op))
      continue;
    OpBuilder::InsertionGuard guard(builder);
    int64_t furthest = allowed.high - allowed.low;
    auto same = llvm::find_if(other.comparisons, [&](const auto &comparison) {
      return comparison.first == furthest;
    });
    if (same != other.comparisons.end()) {
      // One comparison for the largest distance.
      arith::CmpIOp comparison = same->second;
      builder.setInsertionPoint(comparison);
      if (!moveBefore(number, comparison))
        continue;
      Value distance = createDistance(number, allowed, loc);
      comparison.getLhsMutable().assign(
          arith::MaxUIOp::create(builder, loc, comparison.getLhs(), distance));
    } else {
      builder.setInsertionPoint(other.op);
      arith::CmpIOp isInside = compare(number, allowed, loc);
      other.comparisons.emplace_back(furthest, isInside);
      other.op.getArgMutable().assign(
          arith::AndIOp::create(builder, loc, other.op.getArg(), isInside));
    }
    other.messages.insert(messages.begin(), messages.end());
    other.locs.push_back(loc);
    ++added.numJoined;
    asserted[getFirstOfEqual(number)].push_back({allowed, other.op});
    guards[access].push_back(other.op);
    return true;
  }
  return false;
}

/// Asserts before the insertion point that a number is in an interval, unless
/// an earlier assertion implies it.
void CheckBuilder::assertWithin(Value number, Interval allowed,
                                Operation *access, Location loc,
                                ArrayRef<StringAttr> messages) {
  SmallVector<Assertion> &others = asserted[getFirstOfEqual(number)];
  Operation *next = &*builder.getInsertionPoint();
  auto known = llvm::find_if(others, [&](const Assertion &other) {
    return other.allowed.isIn(allowed.low, allowed.high) &&
           dominance.properlyDominates(other.op, next);
  });
  if (known != others.end()) {
    guards[access].push_back(known->op);
    return;
  }
  if (join(number, allowed, access, loc, messages))
    return;
  arith::CmpIOp isInside = compare(number, allowed, loc);
  auto op = cf::AssertOp::create(builder, loc, isInside, StringRef());
  joined[op->getBlock()].push_back({op,
                                    {{allowed.high - allowed.low, isInside}},
                                    {messages.begin(), messages.end()},
                                    {loc}});
  others.push_back({allowed, op});
  guards[access].push_back(op);
  ++added.numAssertions;
}

/// The values that an index may have.
FailureOr<Interval> CheckBuilder::getAllowed(Operation *op, unsigned dim) {
  std::optional<IndexedAccess> access = getIndexedAccess(op);
  // A mask may exclude elements outside.
  if (!access || access->isMasked)
    return failure();
  int64_t extent = access->getType().getDimSize(dim);
  int64_t last = extent - access->spans[dim];
  if (ShapedType::isDynamic(extent) || last < 0 || !llvm::isInt<32>(last))
    return failure();
  return Interval{0, last};
}

StringAttr CheckBuilder::describe(Operation *op, unsigned dim) {
  IndexedAccess access = *getIndexedAccess(op);
  return builder.getStringAttr(llvm::formatv(
      "{0}: an index is outside of dimension {1}, which has {2} "
      "elements",
      getName(access.memref), dim, access.getType().getDimSize(dim)));
}

/// True if an op computes with vectors.
bool isOnVectors(Operation &op) {
  auto isVector = llvm::IsaPred<VectorType>;
  return llvm::any_of(op.getOperandTypes(), isVector) ||
         llvm::any_of(op.getResultTypes(), isVector);
}

/// Moves the ops that compute a value before an op of its block, if possible.
bool CheckBuilder::moveBefore(Value value, Operation *place) {
  llvm::SetVector<Operation *> moved;
  auto canMove = [&](auto &canMove, Value value) -> bool {
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != place->getBlock() ||
        def->isBeforeInBlock(place) || moved.contains(def))
      return true;
    auto load = dyn_cast<memref::LoadOp>(def);
    if (isOnVectors(*def) || def->getNumRegions() != 0 ||
        !(isPure(def) || (load && isNeverWritten(load.getMemref()))) ||
        !llvm::all_of(guards.lookup(def),
                      [&](Operation *guard) {
                        return dominance.properlyDominates(guard, place);
                      }) ||
        !llvm::all_of(def->getOperands(),
                      [&](Value operand) { return canMove(canMove, operand); }))
      return false;
    moved.insert(def);
    return true;
  };
  if (!canMove(canMove, value))
    return false;
  for (Operation *def : moved)
    def->moveBefore(place);
  return true;
}

/// Sets the insertion point right before an op, or before the vectors that its
/// block computes with: between them an assertion would separate ops that are
/// scheduled together. The ops that compute the index are moved along, if
/// possible.
void CheckBuilder::setInsertionPoint(Operation *op, Value index) {
  builder.setInsertionPoint(op);
  Block *block = op->getBlock();
  auto [it, inserted] = firstOnVectors.try_emplace(block, nullptr);
  if (auto found = block->end();
      inserted && (found = llvm::find_if(*block, isOnVectors)) != block->end())
    it->second = &*found;
  Operation *first = it->second;
  if (first && first->isBeforeInBlock(op) && moveBefore(index, first))
    builder.setInsertionPoint(first);
}

/// Asserts that indices in the body are in bounds.
LogicalResult CheckBuilder::checkAccesses(ArrayRef<IndexToCheck> accesses) {
  // All ops of a block execute together, so one assertion covers later ops
  // whose indices differ by constants.
  struct Need {
    Interval allowed;
    llvm::SmallSetVector<StringAttr, 1> messages;
  };
  SmallVector<std::pair<Value, Need>> needed(accesses.size());
  llvm::DenseMap<std::pair<Block *, Value>, Need> ofBases;
  for (size_t i = accesses.size(); i-- > 0;) {
    auto [op, window, dim] = accesses[i];
    FailureOr<Interval> allowed = getAllowed(op, dim);
    if (failed(allowed))
      return failure();
    Offset index = getOffset(getIndexedAccess(op)->indices[dim]);
    Need own{{allowed->low - index.offset, allowed->high - index.offset}, {}};
    own.messages.insert(describe(op, dim));
    auto [it, isLast] = ofBases.try_emplace({op->getBlock(), index.base}, own);
    Interval both = own.allowed.intersect(it->second.allowed);
    if (both.low <= both.high && !own.allowed.isIn(both.low, both.high)) {
      own.allowed = both;
      own.messages.insert_range(it->second.messages);
    }
    it->second = own;
    needed[i] = {index.base, std::move(own)};
  }
  for (auto [access, need] : llvm::zip_equal(accesses, needed)) {
    setInsertionPoint(access.op, need.first);
    assertWithin(need.first, need.second.allowed, access.op,
                 access.op->getLoc(), need.second.messages.getArrayRef());
    if (!isWorthwhile(added))
      return failure();
  }
  return success();
}

/// An op of a transform at the beginning of the body: the one that is there
/// already, if any.
Operation *CheckBuilder::cloneOnce(Operation *op, IRMapping &mapping) {
  Operation *clone = builder.clone(*op, mapping);
  auto same = llvm::find_if(clones, [&](Operation *other) {
    return OperationEquivalence::isEquivalentTo(
        clone, other, OperationEquivalence::IgnoreLocations);
  });
  if (same == clones.end()) {
    clones.push_back(clone);
    return clone;
  }
  clone->erase();
  for (auto [from, to] :
       llvm::zip_equal(op->getResults(), (*same)->getResults()))
    mapping.map(from, to);
  return *same;
}

/// A transform runs before the program that uses its block, so it cannot fail
/// there. The transform clamps the block index, and a copy of its computation
/// at the start of the program asserts that clamping changed nothing.
LogicalResult CheckBuilder::checkWindow(unsigned window,
                                        const WindowChecks &checks) {
  func::FuncOp transform = transforms[window];
  auto dict = cast<DictionaryAttr>(params[window]);
  // An index by elements must keep its divisor.
  if (dict.contains(kWindowKindName) || !transform.getBody().hasOneBlock() ||
      (!checks.dims.empty() && llvm::count(transforms, transform) > 1))
    return failure();
  Block &body = transform.getBody().front();
  if (llvm::any_of(checks.reads,
                   [&](auto read) { return read.first->getBlock() != &body; }))
    return failure();

  // The body of the transform function, with its indices clamped.
  IRMapping mapping;
  mapping.map(body.getArguments(),
              kernel.getArguments().take_front(body.getNumArguments()));
  for (Operation &op : body.without_terminator()) {
    for (auto [read, dim] : checks.reads) {
      if (read != &op)
        continue;
      FailureOr<Interval> allowed = getAllowed(read, dim);
      if (failed(allowed))
        return failure();
      Value index = getIndexedAccess(read)->indices[dim];
      assertWithin(lookThroughCasts(mapping.lookup(index)), *allowed, read,
                   read->getLoc(), describe(read, dim));
    }
    Operation *clone = cloneOnce(&op, mapping);
    llvm::append_range(guards[clone], guards.lookup(&op));
  }
  const WindowArray &array = windows[window];
  auto sizes = dict.getAs<DenseI64ArrayAttr>(kWindowBoundsName);
  Operation *end = body.getTerminator();
  for (unsigned dim : checks.dims) {
    int64_t numBlocks = llvm::divideCeil(array.shape[dim], sizes[dim]);
    if (ShapedType::isDynamic(array.shape[dim]) || numBlocks == 0)
      return failure();
    Value index = end->getOperand(dim);
    Location loc = index.getDefiningOp() ? index.getLoc() : end->getLoc();
    assertWithin(lookThroughCasts(mapping.lookup(index)), {0, numBlocks - 1},
                 end, loc,
                 builder.getStringAttr(llvm::formatv(
                     "{0}: the block lies outside of dimension {1}, "
                     "which has {2} elements",
                     array.name, dim, array.shape[dim])));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(end);
    end->setOperand(
        dim, arith::MinUIOp::create(builder, loc, index,
                                    createI32(builder, loc, numBlocks - 1)));
    ++added.numClamps;
  }
  return success();
}

/// Adds checks of transforms first, then those of the body, and merges messages
/// of shared assertions. Stops as soon as the checks cost more than Mosaic's
/// own.
FailureOr<AddedChecks> CheckBuilder::add(ArrayRef<IndexToCheck> indices) {
  llvm::MapVector<unsigned, WindowChecks> ofWindows;
  SmallVector<IndexToCheck> ofBody;
  for (const IndexToCheck &index : indices) {
    if (!index.op) {
      ofWindows[index.window].dims.push_back(index.dim);
      continue;
    }
    auto function = index.op->getParentOfType<func::FuncOp>();
    if (function == kernel) {
      ofBody.push_back(index);
      continue;
    }
    for (auto [window, transform] : llvm::enumerate(transforms))
      if (transform == function)
        ofWindows[window].reads.emplace_back(index.op, index.dim);
  }
  builder.setInsertionPointToStart(&kernel.getBody().front());
  for (auto &[window, checks] : ofWindows)
    if (failed(checkWindow(window, checks)) || !isWorthwhile(added))
      return failure();
  if (failed(checkAccesses(ofBody)))
    return failure();
  for (Operation *clone : llvm::reverse(clones))
    if (isOpTriviallyDead(clone))
      clone->erase();
  for (auto &[block, assertions] : joined)
    for (Joined &assertion : assertions) {
      added.messages.push_back(llvm::join(
          llvm::map_range(assertion.messages,
                          [](StringAttr message) { return message.strref(); }),
          ", or "));
      assertion.op.setMsg(added.messages.back());
      assertion.op->setLoc(FusedLoc::get(kernel.getContext(), assertion.locs));
    }
  return added;
}

} // namespace

FailureOr<AddedChecks> addChecks(func::FuncOp kernel,
                                 ArrayRef<IndexToCheck> indices,
                                 ArrayRef<std::string> memrefs,
                                 ArrayRef<WindowArray> windows,
                                 IsWorthwhile isWorthwhile) {
  return CheckBuilder(kernel, memrefs, windows, isWorthwhile).add(indices);
}

} // namespace gridir::tpu

//===- OwnChecks.cpp - Checks of indices in a Mosaic kernel ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Checks/OwnChecks.h"

#include "dialects/Support/Builders.h"
#include "dialects/TPU/Checks/Assertions.h"
#include "dialects/TPU/IR/IndexedAccess.h"
#include "dialects/TPU/Transforms/GridRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::tpu {
namespace {

/// A number plus a constant.
struct Offset {
  Value base;
  int64_t offset = 0;
};

class CheckBuilder {
public:
  CheckBuilder(func::FuncOp kernel, ArrayRef<std::string> memrefs,
               ArrayRef<WindowArray> windows, IsWorthwhile isWorthwhile)
      : kernel(kernel), memrefs(memrefs), windows(windows),
        isWorthwhile(isWorthwhile),
        params(kernel->getAttrOfType<ArrayAttr>(kWindowParamsName)),
        transforms(getTransforms(kernel)), builder(kernel.getContext()),
        assertions(kernel, builder) {}

  FailureOr<AddedChecks> add(ArrayRef<IndexToCheck> indices);

private:
  /// The indices of one window to check, and the reads of its transform.
  struct WindowChecks {
    SmallVector<unsigned> dims;
    SmallVector<std::pair<Operation *, unsigned>> reads;
  };

  FailureOr<Interval> getAllowed(Operation *op, unsigned dim);
  Offset getOffset(Value index);
  LogicalResult checkAccesses(ArrayRef<IndexToCheck> accesses);
  LogicalResult checkWindow(unsigned window, const WindowChecks &checks);
  StringAttr describe(Operation *op, unsigned dim);
  Operation *cloneOnce(Operation *op, IRMapping &mapping);
  std::string getName(Value memref);

  func::FuncOp kernel;
  ArrayRef<std::string> memrefs;
  ArrayRef<WindowArray> windows;
  IsWorthwhile isWorthwhile;
  ArrayAttr params;
  SmallVector<func::FuncOp> transforms;
  OpBuilder builder;
  Assertions assertions;
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
    assertions.setInsertionPoint(access.op, need.first);
    assertions.assertWithin(need.first, need.second.allowed, access.op,
                            access.op->getLoc(),
                            need.second.messages.getArrayRef());
    if (!isWorthwhile(assertions.added))
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
      assertions.assertWithin(lookThroughCasts(mapping.lookup(index)), *allowed,
                              read, read->getLoc(), describe(read, dim));
    }
    Operation *clone = cloneOnce(&op, mapping);
    assertions.copyGuards(&op, clone);
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
    assertions.assertWithin(lookThroughCasts(mapping.lookup(index)),
                            {0, numBlocks - 1}, end, loc,
                            builder.getStringAttr(llvm::formatv(
                                "{0}: the block lies outside of dimension {1}, "
                                "which has {2} elements",
                                array.name, dim, array.shape[dim])));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(end);
    end->setOperand(
        dim, arith::MinUIOp::create(builder, loc, index,
                                    createI32(builder, loc, numBlocks - 1)));
    ++assertions.added.numClamps;
  }
  return success();
}

/// Adds checks of transforms first, then those of the body. Stops as soon as
/// the checks cost more than Mosaic's own.
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
    if (failed(checkWindow(window, checks)) || !isWorthwhile(assertions.added))
      return failure();
  if (failed(checkAccesses(ofBody)))
    return failure();
  for (Operation *clone : llvm::reverse(clones))
    if (isOpTriviallyDead(clone))
      clone->erase();
  return assertions.finish();
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

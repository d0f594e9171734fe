//===- ProgramRuns.cpp - Programs followed one by one ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/ProgramRuns.h"

#include "dialects/Grid/Analysis/GridParallelism.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "dialects/Grid/IR/RefTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::grid {

/// Kernels with more steps than this are not simulated completely.
static constexpr int64_t kMaxSteps = 1 << 18;

void ProgramRuns::addRelevant(Operation *op) {
  for (Operation *parent = op; parent && parent != kernel;
       parent = parent->getParentOp())
    if (!relevant.insert(parent).second)
      break;
}

const char *ProgramRuns::follow(ArrayRef<int64_t> shape) {
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return "the size of the grid is known only at run time";
  if (llvm::is_contained(shape, 0))
    return nullptr;
  program.assign(shape.size(), 0);
  stored.clear();
  findMemory();
  while (true) {
    known.clear();
    carried.clear();
    beginProgram();
    run(*kernel.getBodyBlock());
    endProgram();
    if (++steps > kMaxSteps)
      return "the kernel has more steps than the check simulates";
    int dim = shape.size() - 1;
    for (; dim >= 0 && ++program[dim] == shape[dim]; --dim)
      program[dim] = 0;
    if (dim < 0)
      return nullptr;
    // Programs of a concurrent dimension have scratch of their own.
    if (concurrentDims.find_last() >= dim)
      stored.clear();
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void ProgramRuns::run(Block &block) {
  for (Operation &op : block)
    if (relevant.contains(&op) && ++steps <= kMaxSteps)
      run(op);
}

void ProgramRuns::run(Region &region) {
  for (Block &block : region)
    run(block);
}

static Region *findCase(scf::IndexSwitchOp choice, int64_t argument) {
  for (auto [number, region] :
       llvm::zip(choice.getCases(), choice.getCaseRegions()))
    if (number == argument)
      return &region;
  return &choice.getDefaultRegion();
}

/// Simulates one op. Control flow must depend on known numbers; otherwise the
/// op is abandoned: everything that it may change becomes unknown.
void ProgramRuns::run(Operation &op) {
  TypeSwitch<Operation *>(&op)
      .Case([&](scf::IfOp branch) {
        Number condition = read(branch.getCondition());
        if (!condition)
          return giveUp(&op);
        run(*condition ? branch.getThenRegion() : branch.getElseRegion());
      })
      .Case([&](scf::IndexSwitchOp choice) {
        Number argument = read(choice.getArg());
        if (!argument)
          return giveUp(&op);
        run(*findCase(choice, *argument));
      })
      .Case<scf::ForOp, scf::WhileOp>([&](auto loop) { run(loop); })
      .Case([&](ScopedOp scoped) {
        for (Value ref : scoped.getBody().getArguments())
          forgetMemory(ref);
        enter(scoped);
        run(scoped.getBody());
        set(scoped.getResults(),
            read(scoped.getBody().front().getTerminator()->getOperands()));
        if (steps <= kMaxSteps)
          leave(scoped);
      })
      .Default([&](Operation *) {
        if (op.getNumRegions() != 0)
          return giveUp(&op);
        if (memoryOps.contains(&op))
          followMemory(&op);
        if (!onlyMemoryOps.contains(&op))
          visit(&op);
      });
}

void ProgramRuns::run(scf::ForOp loop) {
  Number lower = read(loop.getLowerBound()), upper = read(loop.getUpperBound()),
         step = read(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return giveUp(loop);
  SmallVector<Number> numbers = read(loop.getInitArgs());
  for (int64_t i = *lower; i < *upper && ++steps <= kMaxSteps; i += *step) {
    set(loop.getInductionVar(), Number(i));
    set(loop.getRegionIterArgs(), numbers);
    run(loop.getRegion());
    numbers = read(loop.getYieldedValues());
  }
  set(loop.getResults(), numbers);
}

void ProgramRuns::run(scf::WhileOp loop) {
  SmallVector<Number> numbers = read(loop.getInits());
  while (++steps <= kMaxSteps) {
    set(loop.getBeforeArguments(), numbers);
    run(loop.getBefore());
    scf::ConditionOp end = loop.getConditionOp();
    Number condition = read(end.getCondition());
    if (!condition)
      return giveUp(loop);
    numbers = read(end.getArgs());
    if (!*condition)
      break;
    set(loop.getAfterArguments(), numbers);
    run(loop.getAfter());
    numbers = read(loop.getYieldOp().getOperands());
  }
  set(loop.getResults(), numbers);
}

/// The values that loops in an op carry, and the results of the loops and the
/// op, become unknown.
void ProgramRuns::giveUp(Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value result : inner->getResults())
      carried.erase(result);
    for (Region &region : inner->getRegions())
      for (Value argument : region.getArguments())
        carried.erase(argument);
    if (!memoryOps.contains(inner))
      return;
    for (Value operand : inner->getOperands())
      if (isa<MemRefType>(operand.getType()))
        forgetMemory(getViewRoot(operand));
  });
  known.clear();
  lose(op);
}

//===----------------------------------------------------------------------===//
// Integers in memory
//===----------------------------------------------------------------------===//

/// A slot may be kept in scratch from one program to the next. A Ref is
/// followed if this program alone writes it, by stores.
void ProgramRuns::findMemory() {
  llvm::DenseSet<Value> others;
  auto isOwn = [&](Value root) {
    auto arg = dyn_cast<BlockArgument>(root);
    if (!arg || others.contains(root))
      return false;
    if (auto scoped = dyn_cast<ScopedOp>(arg.getOwner()->getParentOp()))
      return scoped.getCollective().value_or(ArrayAttr()) == ArrayAttr();
    return llvm::is_contained(kernel.getScratchRefs(), arg) &&
           !isSharedByPrograms(kernel, cast<MemRefType>(arg.getType()));
  };
  auto getIntegers = [](Value operand) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    return type && type.getElementType().isIntOrIndex();
  };
  kernel.getBodyRegion().walk([&](Operation *op) {
    auto access = dyn_cast<RefAccessOpInterface>(op);
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (isa<RefViewOpInterface, ViewLikeOpInterface>(op))
      return;
    for (Value operand : op->getOperands())
      if (getIntegers(operand) && !(access && access.getStoredOperand()) &&
          (!effects || effects.getEffectOnValue<MemoryEffects::Write>(operand)))
        others.insert(getViewRoot(operand));
  });
  // The copies of a hidden Ref may write any Ref.
  if (llvm::any_of(others,
                   [](Value root) { return !isa<BlockArgument>(root); }))
    return;
  kernel.getBodyRegion().walk([&](RefAccessOpInterface op) {
    Value ref = op.getAccessedRef();
    if (!ref || !getIntegers(ref) || !isOwn(getViewRoot(ref)))
      return;
    if (!relevant.contains(op))
      onlyMemoryOps.insert(op);
    memoryOps.insert(op);
    addRelevant(op);
  });
  SmallVector<DimSemantics> claims = getClaimedSemantics(kernel);
  for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
    if (kernel.getGridShape()[dim] != 1 &&
        isConcurrent(kernel, dim, claims[dim]))
      concurrentDims.set(dim);
}

void ProgramRuns::forgetMemory(Value root) {
  SmallVector<Key> keys;
  for (const auto &[key, number] : stored)
    if (key.first == root)
      keys.push_back(key);
  for (const Key &key : keys)
    stored.erase(key);
}

void ProgramRuns::followMemory(Operation *op) {
  auto access = cast<RefAccessOpInterface>(op);
  Value ref = access.getAccessedRef();
  std::optional<Key> key =
      access.isWholeAccess() ? readSemaphore(ref) : std::nullopt;
  if (Value loaded = access.getLoadedValue()) {
    known.clear();
    auto found = key ? stored.find(*key) : stored.end();
    carried[loaded] = found == stored.end() ? Number() : Number(found->second);
  }
  OpOperand *operand = access.getStoredOperand();
  if (!operand)
    return;
  if (!key)
    return forgetMemory(getViewRoot(ref));
  Number number = access.replacesAll(ref) ? read(operand->get()) : Number();
  if (number)
    stored[*key] = *number;
  else
    stored.erase(*key);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void ProgramRuns::set(ValueRange variables, ArrayRef<Number> numbers) {
  known.clear();
  for (auto [variable, number] : llvm::zip_equal(variables, numbers))
    carried[variable] = number;
}

SmallVector<ProgramRuns::Number> ProgramRuns::read(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return read(value); });
}

ProgramRuns::Number ProgramRuns::read(Value value) {
  if (auto found = carried.find(value); found != carried.end())
    return found->second;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Number number = compute(value);
  known[value] = number;
  return number;
}

/// Evaluates an integer of the current program by recursion over its
/// definition. Only the executed arm of a select or branch is evaluated.
ProgramRuns::Number ProgramRuns::compute(Value value) {
  if (!value.getType().isIntOrIndex())
    return std::nullopt;
  if (std::optional<unsigned> dim = values.getIdDim(value)) {
    readDims.set(*dim);
    return program[*dim];
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  APInt bits;
  if (matchPattern(value, m_ConstantInt(&bits)))
    return value.getType().isInteger(1) ? Number(bits.getZExtValue())
                                        : bits.trySExtValue();
  if (auto count = dyn_cast<NumProgramsOp>(op)) {
    std::optional<unsigned> dim = kernel.findDim(count.getAxis());
    return dim ? Number(kernel.getGridShape()[*dim]) : std::nullopt;
  }
  if (auto assume = dyn_cast<AssumeMultipleOp>(op))
    return read(assume.getValue());
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Number condition = read(select.getCondition());
    return condition ? read(*condition ? select.getTrueValue()
                                       : select.getFalseValue())
                     : std::nullopt;
  }
  auto readResult = [&](Region &taken) {
    return read(taken.front().getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber()));
  };
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Number condition = read(branch.getCondition());
    return condition ? readResult(*condition ? branch.getThenRegion()
                                             : branch.getElseRegion())
                     : std::nullopt;
  }
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(op)) {
    Number argument = read(choice.getArg());
    return argument ? readResult(*findCase(choice, *argument)) : std::nullopt;
  }
  if (op->getNumOperands() == 0 || op->getNumOperands() > 2)
    return std::nullopt;
  Number a = read(op->getOperand(0)),
         b = op->getNumOperands() == 2 ? read(op->getOperand(1)) : a;
  return a && b ? computeArith(op, *a, *b) : std::nullopt;
}

/// The operands are small enough that nothing overflows.
ProgramRuns::Number ProgramRuns::computeArith(Operation *op, int64_t a,
                                              int64_t b) {
  constexpr int64_t limit = std::numeric_limits<int32_t>::max();
  if (std::abs(a) > limit || std::abs(b) > limit)
    return std::nullopt;
  Number result =
      TypeSwitch<Operation *, Number>(op)
          .Case<arith::ExtUIOp, arith::IndexCastOp>([&](auto) { return a; })
          .Case([&](arith::IndexCastUIOp) {
            return a >= 0 ? Number(a) : Number();
          })
          .Case([&](arith::TruncIOp truncate) {
            return truncate.getType().isInteger(1) ? a & 1 : a;
          })
          .Case<arith::MinUIOp, arith::MaxUIOp>([&](Operation *extreme) {
            return a < 0 || b < 0                 ? Number()
                   : isa<arith::MinUIOp>(extreme) ? Number(std::min(a, b))
                                                  : Number(std::max(a, b));
          })
          .Case([&](arith::ExtSIOp extend) {
            return extend.getIn().getType().isInteger(1) ? -a : a;
          })
          .Case([&](arith::AddIOp) { return a + b; })
          .Case([&](arith::SubIOp) { return a - b; })
          .Case([&](arith::MulIOp) { return a * b; })
          .Case([&](arith::DivSIOp) { return b ? Number(a / b) : Number(); })
          .Case([&](arith::RemSIOp) { return b ? Number(a % b) : Number(); })
          .Case([&](arith::DivUIOp) {
            return a >= 0 && b > 0 ? Number(a / b) : Number();
          })
          .Case([&](arith::RemUIOp) {
            return a >= 0 && b > 0 ? Number(a % b) : Number();
          })
          .Case([&](arith::ShLIOp) {
            return b >= 0 && b < 31 ? Number(a * (int64_t(1) << b)) : Number();
          })
          .Case([&](arith::ShRSIOp) {
            return b >= 0 && b < 31 ? Number(a >> b) : Number();
          })
          .Case([&](arith::ShRUIOp) {
            return a >= 0 && b >= 0 && b < 31 ? Number(a >> b) : Number();
          })
          .Case([&](arith::FloorDivSIOp) {
            return b ? Number(llvm::divideFloorSigned(a, b)) : Number();
          })
          .Case([&](arith::CeilDivSIOp) {
            return b ? Number(llvm::divideCeilSigned(a, b)) : Number();
          })
          .Case([&](arith::MinSIOp) { return std::min(a, b); })
          .Case([&](arith::MaxSIOp) { return std::max(a, b); })
          .Case([&](arith::AndIOp) { return a & b; })
          .Case([&](arith::OrIOp) { return a | b; })
          .Case([&](arith::XOrIOp) { return a ^ b; })
          .Case([&](arith::CmpIOp compare) -> Number {
            return arith::applyCmpPredicate(compare.getPredicate(),
                                            APInt(64, a, /*isSigned=*/true),
                                            APInt(64, b, /*isSigned=*/true));
          })
          .Default([](Operation *) { return Number(); });
  // A conversion, or an overflow, that would change the number.
  if (!result || std::abs(*result) > limit)
    return std::nullopt;
  Type type = op->getResult(0).getType();
  bool fits = type.isIndex() || type.isInteger(1) ||
              llvm::isIntN(type.getIntOrFloatBitWidth(), *result);
  bool isUnsigned = isa<arith::ExtUIOp>(op) && *result < 0;
  return fits && !isUnsigned ? result : std::nullopt;
}

std::optional<ElementBox> ProgramRuns::readBox(ElementBox box,
                                               ProgramValues &reader) {
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> ids =
      llvm::map_to_vector(getProgram(), [&](int64_t id) {
        return getAffineConstantExpr(id, context);
      });
  for (AffineExpr &low : box.lows) {
    for (unsigned dim = 0; dim < ids.size(); ++dim)
      if (low.isFunctionOfDim(dim))
        readDims.set(dim);
    SmallVector<AffineExpr> symbols;
    for (auto [i, symbol] : llvm::enumerate(reader.getSymbols())) {
      Number number;
      if (low.isFunctionOfSymbol(i)) {
        number = read(symbol.value);
        if (!number)
          return std::nullopt;
      }
      symbols.push_back(getAffineConstantExpr(number.value_or(0), context));
    }
    low = low.replaceDimsAndSymbols(ids, symbols);
    if (!isa<AffineConstantExpr>(low))
      return std::nullopt;
  }
  return box;
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

ProgramRuns::Number ProgramRuns::readAmount(const SemaphoreChange &change) {
  if (!change.isOfCopy())
    return read(change.amount);
  // Only equality of sizes matters, so any injective measure of a shape is
  // sufficient.
  auto type = cast<MemRefType>(change.amount.getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  return grid::getNumBytes(type.getShape(), getNumBits(type.getElementType()));
}

std::optional<ProgramRuns::Key> ProgramRuns::readSemaphore(Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return std::nullopt;
  SmallVector<int64_t> indices(type.getRank(), 0);
  while (auto view = ref.getDefiningOp<RefViewOpInterface>()) {
    if (view.getViewSources().size() != 1)
      return std::nullopt;
    Value source = view.getViewSources().front();
    auto sourceType = cast<MemRefType>(source.getType());
    std::optional<SmallVector<ViewDim>> dims = view.getViewDims();
    if (sourceType.hasStaticShape() && sourceType.getNumElements() == 1) {
      indices.assign(sourceType.getRank(), 0);
    } else if (dims && cast<MemRefType>(ref.getType()).getNumElements() == 1) {
      SmallVector<int64_t> outer;
      for (const ViewDim &dim : *dims) {
        Number number = getConstantIntValue(dim.offset);
        if (!number)
          number = read(dyn_cast<Value>(dim.offset));
        if (!number)
          return std::nullopt;
        outer.push_back(*number);
      }
      indices = std::move(outer);
    } else {
      return std::nullopt;
    }
    ref = source;
  }
  auto arg = dyn_cast<BlockArgument>(ref);
  if (!arg)
    return std::nullopt;
  int64_t number = 0;
  for (auto [at, size] :
       llvm::zip_equal(indices, cast<MemRefType>(ref.getType()).getShape()))
    number = number * size + at;
  return Key(ref, number);
}

} // namespace gridir::grid

//===- CarriedState.cpp - What a program takes over from the last ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/CarriedState.h"

#include "dialects/Grid/Analysis/BoxCoverage.h"
#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/IR/GridAsyncInterface.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gridir::grid {

namespace {

/// The accesses of the program up to a point, on every path to it.
struct Progress {
  llvm::DenseMap<Value, SmallVector<ElementBox>> written;
  /// Copies and signals that no wait has answered, by semaphore.
  llvm::DenseMap<Value, SmallVector<ElementBox>> pending;
  bool seeded = false;
};

/// A write that a program certainly makes.
struct CertainWrite {
  Operation *op;
  RefRegion region;
};

class CarriedReadFinder {
public:
  /// Analyzes one program.
  CarriedReadFinder(KernelOp kernel, ValueRange tracked,
                    ArrayRef<int64_t> program)
      : kernel(kernel), tracked(tracked), values(kernel) {
    for (auto [dim, id] : llvm::enumerate(program))
      values.restrictId(dim, Interval::constant(id));
  }

  CarriedReadFinder(KernelOp kernel, ValueRange tracked,
                    ArrayRef<unsigned> firstDims,
                    CopiesWrite copies = CopiesWrite::AtStart)
      : kernel(kernel), tracked(tracked), values(kernel), copies(copies) {
    for (unsigned dim : firstDims)
      values.restrictId(dim, Interval::constant(0));
  }

  SmallVector<CarriedRead> find() {
    visit(*kernel.getBodyBlock(), end, /*certain=*/true);
    return reads;
  }

  ArrayRef<CertainWrite> getWrites() const { return writes; }
  ProgramValues &getValues() { return values; }

  /// True if the program has written all of a tracked Ref when it ends.
  bool writesWhole(Value ref) {
    ArrayRef<int64_t> shape = cast<MemRefType>(ref.getType()).getShape();
    auto whole = ElementBox::whole(shape, kernel.getContext());
    return isCovered(whole, *getConstantBox(whole), end.written[ref]);
  }

private:
  void visit(Block &block, Progress &progress, bool certain) {
    for (Operation &op : block)
      visit(op, progress, certain);
  }

  void visit(Region &region, Progress &progress, bool certain) {
    for (Block &block : region)
      visit(block, progress, certain);
  }

  /// Updates `progress`, the accesses up to a point, by one op. `certain` is
  /// true if the op executes in every program. An op that may run several times
  /// is visited once, without the copies and signals that are pending before
  /// it.
  void visit(Operation &op, Progress &progress, bool certain) {
    TypeSwitch<Operation *>(&op)
        .Case([&](scf::IfOp branch) { visitIf(branch, progress, certain); })
        .Case([&](scf::IndexSwitchOp choice) {
          visitSwitch(choice, progress, certain);
        })
        .Case([&](scf::ForOp loop) { visitFor(loop, progress, certain); })
        .Case([&](scf::WhileOp loop) {
          // The condition runs at least once; the rest may not run.
          auto pending =
              std::exchange(progress.pending, decltype(progress.pending)());
          visit(loop.getBefore(), progress, certain);
          Progress rest = progress;
          rest.pending.clear();
          visit(loop.getAfter(), rest, /*certain=*/false);
          progress.pending = std::move(pending);
        })
        .Case([&](ScopedOp scoped) {
          visit(scoped.getBody(), progress, certain);
        })
        .Default([&](Operation *) {
          for (Region &region : op.getRegions()) {
            Progress rest = progress;
            rest.pending.clear();
            visit(region, rest, /*certain=*/false);
          }
          visitLeaf(op, progress, certain);
        });
  }

  void visitIf(scf::IfOp branch, Progress &progress, bool certain) {
    Interval condition = values.getRange(branch.getCondition());
    if (condition.isConstant()) {
      visit(condition.low ? branch.getThenRegion() : branch.getElseRegion(),
            progress, certain);
      return;
    }
    Progress other = progress;
    visit(branch.getThenRegion(), progress, /*certain=*/false);
    visit(branch.getElseRegion(), other, /*certain=*/false);
    join(progress, other);
  }

  void visitSwitch(scf::IndexSwitchOp choice, Progress &progress,
                   bool certain) {
    Interval argument = values.getRange(choice.getArg());
    SmallVector<Region *> regions;
    for (auto [number, region] :
         llvm::zip(choice.getCases(), choice.getCaseRegions())) {
      if (argument.isConstant(number)) {
        visit(region, progress, certain);
        return;
      }
      if (argument.low <= number && number <= argument.high)
        regions.push_back(&region);
    }
    regions.push_back(&choice.getDefaultRegion());
    certain &= regions.size() == 1;
    Progress before = progress;
    for (auto [i, region] : llvm::enumerate(regions)) {
      Progress arm = before;
      visit(*region, arm, certain);
      if (i == 0)
        progress = std::move(arm);
      else
        join(progress, arm);
    }
  }

  void visitFor(scf::ForOp loop, Progress &progress, bool certain) {
    bool runs = values.getRange(loop.getLowerBound()).high <
                values.getRange(loop.getUpperBound()).low;
    // A copy that starts before the loop satisfies the wait of only one
    // iteration.
    Progress body = progress;
    body.pending.clear();
    visit(loop.getRegion(), body, certain && runs);
    if (!runs)
      return;
    // If one iteration wrote a box that moves with it, all of them together
    // wrote the union of the boxes.
    for (auto &[ref, boxes] : body.written)
      for (ElementBox &box : boxes)
        sweep(box, loop);
    body.pending = progress.pending;
    progress = std::move(body);
  }

  /// Widens a box that moves with the induction variable to the union over all
  /// iterations, where that has no gap.
  void sweep(ElementBox &box, scf::ForOp loop) {
    auto iv =
        dyn_cast<AffineSymbolExpr>(values.getExpr(loop.getInductionVar()));
    Interval lower = values.getRange(loop.getLowerBound());
    Interval upper = values.getRange(loop.getUpperBound());
    Interval step = values.getRange(loop.getStep());
    if (!iv || !lower.isConstant() || !upper.isConstant() ||
        !step.isConstant() || step.low <= 0)
      return;
    int64_t last =
        lower.low + (upper.low - 1 - lower.low) / step.low * step.low;
    MLIRContext *context = loop.getContext();
    auto at = [&](AffineExpr expr, int64_t number) {
      SmallVector<AffineExpr> symbols;
      for (unsigned i = 0; i < values.getSymbols().size(); ++i)
        symbols.push_back(i == iv.getPosition()
                              ? getAffineConstantExpr(number, context)
                              : getAffineSymbolExpr(i, context));
      return expr.replaceSymbols(symbols);
    };
    unsigned moving = 0;
    ElementBox swept = box;
    for (unsigned dim = 0; dim < box.getRank(); ++dim) {
      if (!box.lows[dim].isFunctionOfSymbol(iv.getPosition()))
        continue;
      ++moving;
      AffineExpr first = at(box.lows[dim], lower.low);
      auto stride = dyn_cast<AffineConstantExpr>(
          at(box.lows[dim], lower.low + step.low) - first);
      auto distance =
          dyn_cast<AffineConstantExpr>(at(box.lows[dim], last) - first);
      bool linear = stride && distance &&
                    distance.getValue() ==
                        stride.getValue() * ((last - lower.low) / step.low) &&
                    box.lows[dim].isPureAffine() && !hasDivision(box.lows[dim]);
      if (!linear || stride.getValue() < 0 ||
          stride.getValue() > box.sizes[dim])
        return;
      swept.lows[dim] = first;
      swept.sizes[dim] = distance.getValue() + box.sizes[dim];
    }
    // A box that moves along two dimensions at once covers a diagonal.
    if (moving == 1)
      box = swept;
  }

  static bool hasDivision(AffineExpr expr) {
    bool found = false;
    expr.walk([&](AffineExpr e) {
      found |= e.getKind() == AffineExprKind::FloorDiv ||
               e.getKind() == AffineExprKind::CeilDiv ||
               e.getKind() == AffineExprKind::Mod;
    });
    return found;
  }

  /// Keeps the facts that hold on both paths.
  void join(Progress &progress, const Progress &other) {
    for (auto &[ref, boxes] : progress.written) {
      SmallVector<ElementBox> others = other.written.lookup(ref), kept;
      for (const ElementBox &box : boxes)
        if (llvm::any_of(others, [&](const ElementBox &outer) {
              return isInside(box, outer);
            }))
          kept.push_back(box);
      boxes = std::move(kept);
    }
    for (auto &[semaphore, boxes] : progress.pending) {
      SmallVector<ElementBox> others = other.pending.lookup(semaphore), kept;
      for (const ElementBox &box : boxes)
        if (auto *match = llvm::find(others, box); match != others.end()) {
          kept.push_back(box);
          others.erase(match);
        }
      boxes = std::move(kept);
    }
    progress.seeded &= other.seeded;
  }

  void visitLeaf(Operation &op, Progress &progress, bool certain) {
    if (isa<RefViewOpInterface, ViewLikeOpInterface>(op))
      return;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    SmallVector<MemoryEffects::EffectInstance> instances;
    if (effects)
      effects.getEffects(instances);
    bool readsState = false, writesState = false;
    for (const MemoryEffects::EffectInstance &instance : instances)
      if (isa<PrngStateResource>(instance.getResource())) {
        readsState |= isa<MemoryEffects::Read>(instance.getEffect());
        writesState |= isa<MemoryEffects::Write>(instance.getEffect());
      }
    if (readsState && !progress.seeded)
      reads.push_back({&op, {}, certain && !mayBeSeeded});
    if (writesState && !readsState)
      progress.seeded = mayBeSeeded = true;

    // If an op does not specify its elements, no access is certain.
    certain &= isa<RefAccessOpInterface>(op);
    // Reads come before writes: an op that does both reads the old value.
    for (Value operand : op.getOperands()) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      if (isa<SyncTypeInterface>(
              cast<MemRefType>(operand.getType()).getElementType()))
        visitSemaphore(op, operand, progress);
      else if (!effects || hasEffect<MemoryEffects::Read>(instances, operand))
        visitRead(op, operand, progress, certain);
    }
    for (Value operand : op.getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          (!effects || hasEffect<MemoryEffects::Write>(instances, operand)))
        visitWrite(op, operand, progress, certain);
  }

  template <typename EffectTy>
  static bool hasEffect(ArrayRef<MemoryEffects::EffectInstance> instances,
                        Value value) {
    return llvm::any_of(instances,
                        [&](const MemoryEffects::EffectInstance &instance) {
                          return isa<EffectTy>(instance.getEffect()) &&
                                 instance.getValue() == value;
                        });
  }

  bool isTracked(Value root) { return llvm::is_contained(tracked, root); }

  void visitRead(Operation &op, Value ref, Progress &progress, bool certain) {
    if (isDiscarded(&op, values))
      return;
    if (Value condition = getReadCondition(&op, ref)) {
      Interval reads = values.getRange(condition);
      if (reads.isConstant(0))
        return;
      certain &= reads.isConstant(1);
    }
    for (RefRegion &region : getAccessedRegions(&op, ref, values)) {
      if (!region.root && !tracked.empty())
        reads.push_back({&op, tracked.front(), /*certain=*/false});
      if (!isTracked(region.root))
        continue;
      // An index outside the Ref is an error of its own, so the Ref bounds it.
      ArrayRef<int64_t> shape =
          cast<MemRefType>(region.root.getType()).getShape();
      ConstantBox hull;
      for (auto [low, size, extent] :
           llvm::zip(region.box.lows, region.box.sizes, shape)) {
        auto constant = dyn_cast<AffineConstantExpr>(low);
        hull.push_back(constant ? std::pair(constant.getValue(),
                                            constant.getValue() + size)
                                : std::pair(int64_t(0), extent));
      }
      if (!isCovered(region.box, hull, progress.written[region.root]))
        reads.push_back({&op, region.root,
                         certain && !touched.contains(region.root),
                         region.box});
    }
  }

  void visitWrite(Operation &op, Value ref, Progress &progress, bool certain) {
    auto access = dyn_cast<RefAccessOpInterface>(op);
    bool whole = access && access.replacesAll(ref) &&
                 (copies == CopiesWrite::AtStart || !arrivesLater(&op, ref));
    for (RefRegion &region : getAccessedRegions(&op, ref, values)) {
      touched.insert(region.root);
      if (!region.root)
        touched.insert(tracked.begin(), tracked.end());
      if (!whole || !region.box.exact)
        continue;
      if (certain && isTracked(region.root))
        writes.push_back({&op, region});
      SmallVector<ElementBox> &boxes = progress.written[region.root];
      if (llvm::none_of(boxes, [&](const ElementBox &box) {
            return isInside(region.box, box);
          }))
        boxes.push_back(std::move(region.box));
    }
  }

  /// A wait depends on another program unless the same program started the
  /// awaited operation, in the same region.
  void visitSemaphore(Operation &op, Value ref, Progress &progress) {
    std::optional<SemaphoreChange> change = getCopyChange(op, ref);
    for (RefRegion &region : getRefRegions(ref, values)) {
      if (!isTracked(region.root))
        continue;
      SmallVector<ElementBox> &pending = progress.pending[region.root];
      if (change && change->kind == SemaphoreChange::Signal) {
        pending.push_back(region.box);
        continue;
      }
      auto *match = llvm::find(pending, region.box);
      if (change && match != pending.end())
        pending.erase(match);
      else
        reads.push_back({&op, region.root, /*certain=*/false});
    }
  }

  /// Returns the effect of a copy on a semaphore; none if the op has another
  /// effect.
  static std::optional<SemaphoreChange> getCopyChange(Operation &op,
                                                      Value semaphore) {
    if (auto changes = dyn_cast<SemaphoreOpInterface>(op))
      for (const SemaphoreChange &change : changes.getSemaphoreChanges())
        if (change.semaphore == semaphore && change.isOfCopy())
          return change;
    return std::nullopt;
  }

  KernelOp kernel;
  /// The Refs that outlive a program.
  SmallVector<Value> tracked;
  ProgramValues values;
  CopiesWrite copies = CopiesWrite::AtStart;
  SmallVector<CarriedRead> reads;
  SmallVector<CertainWrite> writes;
  Progress end;
  /// Refs that some path up to this point has written.
  llvm::DenseSet<Value> touched;
  bool mayBeSeeded = false;
};

} // namespace

Value getReadCondition(Operation *op, Value ref) {
  auto async = dyn_cast<AsyncOpInterface>(op);
  return async ? async.getReadCondition(ref) : Value();
}

bool arrivesLater(Operation *op, Value ref) {
  if (auto async = dyn_cast<AsyncOpInterface>(op))
    return async.completesLater(ref);
  auto changes = dyn_cast<SemaphoreOpInterface>(op);
  return changes &&
         llvm::any_of(changes.getSemaphoreChanges(),
                      [&](const SemaphoreChange &change) {
                        return change.kind == SemaphoreChange::Signal &&
                               change.isOfCopy() && change.amount == ref;
                      });
}

SmallVector<CarriedRead> findCarriedReads(KernelOp kernel,
                                          ArrayRef<unsigned> firstDims) {
  return CarriedReadFinder(kernel, kernel.getScratchRefs(), firstDims).find();
}

SmallVector<CarriedRead> findReadsBeforeWrites(KernelOp kernel, ValueRange refs,
                                               ArrayRef<unsigned> firstDims,
                                               CopiesWrite copies) {
  return CarriedReadFinder(kernel, refs, firstDims, copies).find();
}

/// Tries two adjacent programs in grid order: the writer is the last program
/// before the id along `dim` changes, and the reader is the first one after it.
/// State flows if the writer certainly writes an element that the reader
/// certainly reads.
std::optional<Carry> findCarry(KernelOp kernel, unsigned dim) {
  SmallVector<int64_t> shape = kernel.getGridShape();
  if (ShapedType::isDynamic(shape[dim]) || shape[dim] < 2)
    return std::nullopt;
  SmallVector<int64_t> reader(shape.size(), 0), writer(shape.size(), 0);
  // The program before in the order of the grid is the last one of its
  // partition.
  for (unsigned inner = dim + 1; inner < shape.size(); ++inner) {
    if (ShapedType::isDynamic(shape[inner]) || shape[inner] == 0)
      return std::nullopt;
    writer[inner] = shape[inner] - 1;
  }
  ValueRange scratch = kernel.getScratchRefs();
  for (int64_t id : {int64_t(1), shape[dim] - 1}) {
    reader[dim] = id;
    writer[dim] = id - 1;
    CarriedReadFinder readFinder(kernel, scratch, ArrayRef(reader));
    CarriedReadFinder writeFinder(kernel, scratch, ArrayRef(writer));
    writeFinder.find();
    for (const CarriedRead &read : readFinder.find()) {
      if (!read.certain || !read.ref ||
          !isCertainlyUsed(read.op, readFinder.getValues()))
        continue;
      // The last write determines the value.
      for (const CertainWrite &write : llvm::reverse(writeFinder.getWrites()))
        if (write.region.root == read.ref &&
            certainlyMeet(write.region.box, read.box))
          return Carry{write.op, read.op, read.ref, writer, reader};
    }
  }
  return std::nullopt;
}

bool beginsAnew(KernelOp kernel, BlockArgument ref,
                ArrayRef<unsigned> firstDims, CopiesWrite copies) {
  CarriedReadFinder finder(kernel, Value(ref), firstDims, copies);
  return llvm::none_of(
             finder.find(),
             [&](const CarriedRead &read) { return read.ref == ref; }) &&
         finder.writesWhole(ref);
}

bool writesAll(KernelOp kernel, BlockArgument ref,
               ArrayRef<unsigned> firstDims) {
  CarriedReadFinder finder(kernel, Value(ref), firstDims);
  finder.find();
  return finder.writesWhole(ref);
}

} // namespace gridir::grid

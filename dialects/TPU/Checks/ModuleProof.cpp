//===- ModuleProof.cpp - What is proved of a Mosaic module ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Checks/ModuleProof.h"

#include "dialects/Grid/Analysis/KernelChecks.h"
#include "dialects/TPU/IR/IndexedAccess.h"
#include "dialects/TPU/Transforms/GridRanges.h"

#include "mlir/IR/Diagnostics.h"

#include <set>

using namespace mlir;

namespace gridir::tpu {
namespace {

using grid::CheckResult;

/// The first result that is not proved.
Reason findUnproved(ArrayRef<CheckResult> results) {
  for (const CheckResult &result : results)
    if (result.verdict != CheckResult::proved)
      return std::pair(result.subject + ": " + result.reason, result.loc);
  return std::nullopt;
}

bool isSemaphore(Value ref) {
  auto type = dyn_cast<MemRefType>(ref.getType());
  return type && isa<grid::SemaphoreType>(type.getElementType());
}

Reason findUnbalanced(grid::KernelOp kernel) {
  // A semaphore that the kernel receives is signalled or waited for elsewhere.
  ArrayRef<BlockArgument> refs = kernel.getBodyBlock()->getArguments();
  for (BlockArgument ref : refs.drop_back(kernel.getNumScratch()))
    if (isSemaphore(ref))
      return std::pair(std::string("the kernel has a semaphore operand"),
                       ref.getLoc());
  return findUnproved(grid::checkBalanced(kernel));
}

/// True if the elements of a view are not accessed: a wait for a copy needs
/// only its size.
bool isOnlyWaitedFor(Operation *view) {
  return isa<ViewLikeOpInterface>(view) &&
         llvm::all_of(view->getUses(), [](OpOperand &use) {
           if (auto wait = dyn_cast<WaitDMA2Op>(use.getOwner()))
             return use.get() != wait.getSemaphore();
           return isOnlyWaitedFor(use.getOwner());
         });
}

/// The ops of a module by numbers, which are the same in a clone of it. A clone
/// that is converted keeps the numbers in its locations.
class OpNumbers {
public:
  explicit OpNumbers(ModuleOp module) {
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      numbers[op] = ops.size();
      ops.push_back(op);
    });
  }

  Operation *getOp(int64_t number) const { return ops[number]; }
  int64_t getNumber(Operation *op) const { return numbers.lookup(op); }

  /// Marks the ops with memory operands, about which the proof reports: each
  /// mark adds an attribute to the context.
  void mark() const {
    for (auto [number, op] : llvm::enumerate(ops)) {
      if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
        continue;
      auto type = IntegerType::get(op->getContext(), 64);
      op->setLoc(FusedLoc::get({op->getLoc()}, IntegerAttr::get(type, number),
                               op->getContext()));
    }
  }
  static std::optional<int64_t> getMark(Location loc) {
    auto fused = dyn_cast<FusedLocWith<IntegerAttr>>(loc);
    return fused ? std::optional(fused.getMetadata().getInt()) : std::nullopt;
  }
  /// The location that a marked one was made of.
  static Location unmark(Location loc) {
    auto fused = dyn_cast<FusedLocWith<IntegerAttr>>(loc);
    return fused ? fused.getLocations().front() : loc;
  }

private:
  SmallVector<Operation *> ops;
  DenseMap<Operation *, int64_t> numbers;
};

/// The ops and values that depend on the results of some ops, by data or by
/// control flow.
class Dependents {
public:
  explicit Dependents(ArrayRef<Operation *> sources) {
    for (Operation *op : sources)
      add(op);
    while (!worklist.empty())
      for (Operation *user : worklist.pop_back_val().getUsers()) {
        add(user);
        // The results of a region become results of its op, or arguments of its
        // next iteration.
        if (user->hasTrait<OpTrait::IsTerminator>())
          add(user->getParentOp());
      }
  }

  /// True if an operand of an op depends on them, or if the execution of the op
  /// does.
  bool contain(Operation *op, Value operand) const {
    if (values.contains(operand))
      return true;
    while (!isa<func::FuncOp>(op = op->getParentOp()))
      if (ops.contains(op))
        return true;
    return false;
  }

private:
  void add(Operation *op) {
    if (isa<func::FuncOp>(op) || !ops.insert(op).second)
      return;
    addValues(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        addValues(block.getArguments());
  }
  void addValues(ValueRange range) {
    for (Value value : range)
      if (values.insert(value).second)
        worklist.push_back(value);
  }

  llvm::SmallPtrSet<Operation *, 16> ops;
  llvm::SmallPtrSet<Value, 16> values;
  SmallVector<Value> worklist;
};

void nameOperands(grid::KernelOp kernel, ModuleProof &proof) {
  for (unsigned i = 0; i < kernel.getBodyBlock()->getNumArguments(); ++i)
    proof.memrefs.push_back(kernel.getRefName(i));
  for (unsigned i = kernel.getNumIndexOperands();
       i < kernel.getNumOperandSpecs(); ++i)
    proof.windows.push_back(
        {kernel.getRefName(i),
         llvm::to_vector(kernel.getOperandSpec(i).getArrayShape())});
}

/// The indices of a kernel that nothing proves to be in bounds.
void findOpen(func::FuncOp kernel, grid::KernelOp raised,
              const KernelRanges &ranges, const OpNumbers &numbers,
              ModuleProof &proof) {
  // In the order of the module, and each once.
  std::set<std::tuple<int64_t, unsigned, unsigned>> open;
  auto addWindow = [&](unsigned window, unsigned dim) {
    open.emplace(-1, window, dim);
  };
  auto addAccess = [&](Operation *op, unsigned dim) {
    std::optional<IndexedAccess> access = getIndexedAccess(op);
    bool isInside =
        access && op->getParentOfType<func::FuncOp>() == kernel &&
        ranges.getRanges(kernel).isIndex(access->indices[dim],
                                         access->getType().getDimSize(dim) -
                                             access->spans[dim] + 1);
    if (!isInside && !isOnlyWaitedFor(op))
      open.emplace(numbers.getNumber(op), 0, dim);
  };
  auto explain = [&](StringRef reason, Location loc) {
    if (!proof.bounds && !open.empty())
      proof.bounds.emplace(reason.str(), OpNumbers::unmark(loc));
  };

  // A TPU computes addresses in 32 bits, whereas the proof uses unbounded
  // integers.
  Dependents wrapping(ranges.findWrapping());
  kernel.walk([&](Operation *op) {
    std::optional<IndexedAccess> access = getIndexedAccess(op);
    if (!access)
      return;
    for (auto [dim, index] : llvm::enumerate(access->indices))
      if (wrapping.contain(op, index))
        addAccess(op, dim);
    explain("arithmetic on indices may wrap around", op->getLoc());
  });
  for (auto [window, transform] : llvm::enumerate(getTransforms(kernel))) {
    if (!transform)
      continue;
    Operation *end = transform.getBody().front().getTerminator();
    for (auto [dim, index] : llvm::enumerate(end->getOperands()))
      if (wrapping.contain(end, index))
        addWindow(window, dim);
    explain("arithmetic on indices may wrap around", end->getLoc());
  }

  // The proof covers the results of an index map, but not its reads.
  for (Operation *op : ranges.findReadsBeyond()) {
    std::optional<IndexedAccess> access = getIndexedAccess(op);
    for (size_t dim = 0; dim < (access ? access->indices.size() : 1); ++dim)
      addAccess(op, dim);
    explain("an index map may read beyond a Ref", op->getLoc());
  }

  grid::BlockAccess access(raised, /*copiesOverhang=*/false);
  SmallVector<grid::OpenIndex> unproved;
  SmallVector<CheckResult> results = grid::checkInBounds(access, &unproved);
  for (grid::OpenIndex index : unproved)
    if (!index.op)
      addWindow(index.operand - raised.getNumIndexOperands(), index.dim);
    else
      addAccess(numbers.getOp(*OpNumbers::getMark(index.op->getLoc())),
                index.dim);
  if (Reason reason = findUnproved(results))
    explain(reason->first, reason->second);

  for (auto [number, window, dim] : open)
    proof.openIndices.push_back(
        {number < 0 ? nullptr : numbers.getOp(number), window, dim});
}

} // namespace

ModuleProof proveModule(func::FuncOp kernel,
                        const tpu_to_grid::RaisingPatterns &patterns) {
  ModuleProof proof;
  // Facts about the function are computed once here, and not again below.
  KernelRanges ranges(kernel);
  if (isPlainlyProved(kernel, ranges))
    return proof;
  auto module = kernel->getParentOfType<ModuleOp>();
  OpNumbers numbers(module);
  OwningOpRef<ModuleOp> copy = module.clone();
  OpNumbers(*copy).mark();
  Reason refusal;
  FailureOr<grid::KernelOp> raised;
  {
    ScopedDiagnosticHandler handler(
        kernel.getContext(), [&](Diagnostic &diagnostic) {
          if (!refusal && diagnostic.getSeverity() == DiagnosticSeverity::Error)
            refusal.emplace(diagnostic.str(),
                            OpNumbers::unmark(diagnostic.getLocation()));
          return success();
        });
    raised = tpu_to_grid::readBack(*copy, patterns);
  }
  if (failed(raised)) {
    assert(refusal && "what fails says why");
    proof.bounds = proof.semaphores = refusal;
    return proof;
  }
  proof.semaphores = findUnbalanced(*raised);
  if (proof.semaphores)
    proof.semaphores->second = OpNumbers::unmark(proof.semaphores->second);
  nameOperands(*raised, proof);
  findOpen(kernel, *raised, ranges, numbers, proof);
  return proof;
}

} // namespace gridir::tpu

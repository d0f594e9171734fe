//===- Program.cpp - The running program, control flow and scopes ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"
#include "dialects/Conversion/WarpgroupToNVVM/RingPhases.h"
#include "dialects/Conversion/WarpgroupToNVVM/SharedArrays.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "dialects/Warpgroup/IR/Registers.h"
#include "dialects/Warpgroup/Inference/RegisterRefs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

Value Lowering::createGridCoord(Location loc, Value number, unsigned dim) {
  // The cores of a mesh and the programs of a grid are CTAs alike.
  auto getKind = [&](unsigned i) {
    grid::DimKind kind = kernel.getDim(i).getKind();
    return grid::isCoreDim(kernel, i) ? grid::DimKind::Grid : kind;
  };
  bool isFirst = true;
  int64_t below = 1;
  for (auto [i, attr] : llvm::enumerate(kernel.getDims())) {
    auto other = cast<grid::DimAttr>(attr);
    if (getKind(i) != getKind(dim))
      continue;
    if (i < dim)
      isFirst = false;
    if (i > dim)
      below *= other.getSize();
  }
  if (below > 1)
    number = arith::DivUIOp::create(builder, loc, number,
                                    createI32(builder, loc, below));
  if (!isFirst)
    number = arith::RemUIOp::create(
        builder, loc, number,
        createI32(builder, loc, kernel.getDim(dim).getSize()));
  return number;
}

namespace {

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

LogicalResult lowerProgramId(grid::ProgramIdOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  unsigned dim = *lowering.kernel.findDim(op.getAxis());
  grid::DimKind kind = lowering.kernel.getDim(dim).getKind();
  Value id = kind == grid::DimKind::Thread    ? lowering.getWarpgroup()
             : kind == grid::DimKind::Cluster ? lowering.getClusterRank()
                                              : lowering.getCluster();
  lowering.set(op.getResult(), {lowering.createGridCoord(loc, id, dim)});
  return success();
}

LogicalResult lowerNumPrograms(grid::NumProgramsOp op, Lowering &lowering) {
  unsigned dim = *lowering.kernel.findDim(op.getAxis());
  lowering.set(op.getResult(),
               {createI32(lowering.builder, op.getLoc(),
                          lowering.kernel.getDim(dim).getSize())});
  return success();
}

LogicalResult lowerAssumeMultiple(grid::AssumeMultipleOp op,
                                  Lowering &lowering) {
  lowering.set(op.getResult(), lowering.get(op.getValue()));
  return success();
}

LogicalResult lowerSetMaxRegisters(warpgroup::SetMaxRegistersOp op,
                                   Lowering &lowering) {
  if (lowering.chip.hasSetMaxRegisters)
    NVVM::SetMaxRegisterOp::create(lowering.builder, op.getLoc(), op.getCount(),
                                   op.getIncrease()
                                       ? NVVM::SetMaxRegisterAction::increase
                                       : NVVM::SetMaxRegisterAction::decrease);
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Concatenates the registers of all values.
Registers flatten(Lowering &lowering, ValueRange values) {
  Registers result;
  for (Value value : values)
    llvm::append_range(result, lowering.get(value));
  return result;
}

FailureOr<SmallVector<Type>> flattenTypes(Lowering &lowering, Operation *op,
                                          TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types) {
    FailureOr<SmallVector<Type>> converted = lowering.convertType(op, type);
    if (failed(converted))
      return failure();
    llvm::append_range(result, *converted);
  }
  return result;
}

/// The registers of the operands of an op of control flow. A Ref has none.
FailureOr<Registers> flattenOperands(Lowering &lowering, Operation *op) {
  if (failed(flattenTypes(lowering, op, op->getOperandTypes())))
    return failure();
  return flatten(lowering, op->getOperands());
}

/// The inverse: splits the registers among the values.
LogicalResult unflatten(Lowering &lowering, Operation *op, ValueRange values,
                        ValueRange registers) {
  for (Value value : values) {
    FailureOr<SmallVector<Type>> types =
        lowering.convertType(op, value.getType());
    if (failed(types))
      return failure();
    lowering.set(value, Registers(registers.take_front(types->size())));
    registers = registers.drop_front(types->size());
  }
  return success();
}

/// Emits the beginning of a body.
using BodyFn = llvm::function_ref<void(Block &)>;

/// Emits a region of an op again: a block with the registers of its arguments,
/// and a terminator of the same kind. In a loop, the end must not leave an
/// exchange for the begin.
LogicalResult lowerRegion(Lowering &lowering, Region &from, Region &to,
                          bool isRepeated, BodyFn begin) {
  if (from.empty())
    return success();
  Block &source = from.front();
  OpBuilder &builder = lowering.builder;
  FailureOr<SmallVector<Type>> types =
      flattenTypes(lowering, from.getParentOp(), source.getArgumentTypes());
  if (failed(types))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(types->size(), from.getLoc());
  Block *target = builder.createBlock(&to, to.end(), *types, locs);
  if (failed(unflatten(lowering, from.getParentOp(), source.getArguments(),
                       target->getArguments())))
    return failure();
  if (begin)
    begin(*target);
  if (failed(lowerBlock(source, lowering)))
    return failure();
  Operation *terminator = source.getTerminator();
  if (isRepeated && lowering.exchangePending)
    return from.getParentOp()->emitError(
        "expected a warpgroup.sync after the last exchange of threads in a "
        "loop; run warpgroup-insert-barriers first");
  createLike(builder, terminator, flatten(lowering, terminator->getOperands()),
             TypeRange());
  return success();
}

/// Returns the only warpgroup that executes a branch, if the condition compares
/// the number of the warpgroup.
std::optional<int64_t> getOnlyWarpgroup(Lowering &lowering, Value condition,
                                        bool isTrue) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>(); both && isTrue) {
    if (auto found = getOnlyWarpgroup(lowering, both.getLhs(), isTrue))
      return found;
    return getOnlyWarpgroup(lowering, both.getRhs(), isTrue);
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getLhs() != lowering.getWarpgroup())
    return std::nullopt;
  arith::CmpIPredicate equal =
      isTrue ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
  return compare.getPredicate() == equal ? getConstantIntValue(compare.getRhs())
                                         : std::nullopt;
}

/// An op of control flow on the registers of its values.
LogicalResult lowerControl(Operation *op, ValueRange operands,
                           Lowering &lowering, BodyFn begin = nullptr) {
  FailureOr<SmallVector<Type>> types =
      flattenTypes(lowering, op, op->getResultTypes());
  if (failed(types))
    return failure();
  Operation *target = createLike(lowering.builder, op, operands, *types);
  bool isLoop = isa<LoopLikeOpInterface>(op);
  bool before = lowering.exchangePending, after = before;
  std::optional<int64_t> onlyWarpgroup = lowering.onlyWarpgroup;
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), target->getRegions())) {
    if (!isLoop)
      lowering.exchangePending = before;
    if (auto branch = dyn_cast<scf::IfOp>(target))
      if (auto found = getOnlyWarpgroup(lowering, branch.getCondition(),
                                        from.getRegionNumber() == 0))
        lowering.onlyWarpgroup = found;
    if (failed(lowerRegion(lowering, from, to, isLoop, begin)))
      return failure();
    lowering.onlyWarpgroup = onlyWarpgroup;
    after |= lowering.exchangePending;
  }
  lowering.exchangePending = after;
  return unflatten(lowering, op, op->getResults(), target->getResults());
}

template <typename OpT> LogicalResult lowerControl(OpT op, Lowering &lowering) {
  FailureOr<Registers> operands = flattenOperands(lowering, op);
  return succeeded(operands) ? lowerControl(op, *operands, lowering)
                             : failure();
}

LogicalResult lowerFor(scf::ForOp op, Lowering &lowering) {
  FailureOr<Registers> operands = flattenOperands(lowering, op);
  if (failed(operands))
    return failure();
  RingPhases rings(op, lowering);
  rings.createBefore();
  auto begin = [&](Block &body) { rings.createInBody(body.getArgument(0)); };
  return lowerControl(op, *operands, lowering, begin);
}

LogicalResult lowerWarps(warpgroup::WarpsOp op, Lowering &lowering) {
  Block &body = op.getBody().front();
  return lowering.lowerWarps(op.getLoc(), [&](Value warp) {
    lowering.set(body.getArgument(0), {warp});
    for (Operation &inner : body)
      if (failed(lowering.lowerOp(&inner)))
        return failure();
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// Creates a Ref in registers.
FailureOr<std::shared_ptr<Storage>>
createRegisters(grid::ScopedOp op, BlockArgument ref, Lowering &lowering) {
  auto type = cast<MemRefType>(ref.getType());
  auto storage = std::make_shared<Storage>();
  storage->kind = Storage::Kind::Registers;
  storage->elementType = type.getElementType();
  storage->shape.assign(type.getShape().begin(), type.getShape().end());
  storage->isAccumulator = warpgroup::isAccumulator(ref);
  unsigned count = 1;
  if (type.getRank()) {
    std::optional<Distribution> distribution =
        warpgroup::getRegisterDistribution(ref, lowering.distributions);
    if (!distribution)
      return op.emitError("expected arrays with layouts in ")
             << op.getRefName(ref.getArgNumber())
             << "; run warpgroup-infer-layouts first";
    storage->distribution = std::move(*distribution);
    count = storage->distribution->getNumRegisters();
  }
  int64_t ofVariable = storage->getElementsOfVariable();
  Type variable = ofVariable > 1 ? IntegerType::get(op.getContext(), 32)
                                 : getStorageType(type.getElementType());
  int64_t numVariables = llvm::divideCeil(count, ofVariable);
  storage->numHeld = numVariables;
  if (auto held =
          op->getAttrOfType<DenseI64ArrayAttr>(warpgroup::kHeldRegistersAttr);
      held && storage->isAccumulator && held[ref.getArgNumber()] >= 0)
    storage->numHeld =
        std::min<int64_t>(held[ref.getArgNumber()], numVariables);
  for (int64_t i = 0; i < storage->numHeld; ++i)
    storage->variables.push_back(
        lowering.createVariable(op.getLoc(), variable));
  if (int64_t rest = numVariables - storage->numHeld)
    llvm::append_range(storage->variables,
                       lowering.createLocalMemory(op.getLoc(), variable, rest));
  return storage;
}

/// Creates the memory of one of the Refs of a scope.
FailureOr<View> createRef(grid::ScopedOp op, BlockArgument ref, int64_t offset,
                          Lowering &lowering) {
  auto type = cast<MemRefType>(ref.getType());
  unsigned number = ref.getArgNumber();
  FailureOr<std::shared_ptr<Storage>> storage = failure();
  if (isa<warpgroup::BarrierType>(type.getElementType())) {
    storage = lowering.addBarriers(op, ref, offset);
  } else if (isa<grid::SemaphoreType>(type.getElementType())) {
    if (op->getParentOfType<LoopLikeOpInterface>())
      return op.emitError("expected semaphores outside of loops, since they "
                          "are zeroed once, got ")
             << op.getRefName(number);
    storage = lowering.addSemaphores(op.getLoc(), type, /*isOfBlock=*/true);
  } else if (failed(lowering.convertType(op, type.getElementType()))) {
    return failure();
  } else if (warpgroup::isInSpace(type, warpgroup::Space::Smem)) {
    return createSharedArray(lowering, op.getLoc(), ref, offset);
  } else if (warpgroup::isInSpace(type, warpgroup::Space::Tmem)) {
    storage = lowering.addTensorMemory(op, number, offset);
  } else if (warpgroup::isInSpace(type, warpgroup::Space::Regs) ||
             grid::isDefaultSpace(grid::getSpace(type))) {
    if (succeeded(lowering.verifyInRegisters(op, type)))
      storage = createRegisters(op, ref, lowering);
  } else {
    return op.emitError(
               "expected a Ref in shared or tensor memory or registers, got ")
           << op.getRefName(number) << " of " << type;
  }
  if (failed(storage))
    return failure();
  return getWholeView(lowering.builder, *storage);
}

/// True for a Ref to numbers in memory that the threads of a CTA share.
bool isSharedArray(MemRefType type) {
  return !isa<grid::SyncTypeInterface>(type.getElementType()) &&
         (warpgroup::isInSpace(type, warpgroup::Space::Smem) ||
          warpgroup::isInSpace(type, warpgroup::Space::Tmem));
}

/// Creates the memory of the Refs of a scope.
LogicalResult createRefs(grid::ScopedOp op, ArrayRef<int64_t> offsets,
                         Lowering &lowering) {
  for (auto [ref, offset] :
       llvm::zip_equal(op.getBody().getArguments(), offsets)) {
    FailureOr<View> view = createRef(op, ref, offset, lowering);
    if (failed(view))
      return failure();
    lowering.setView(ref, *view);
    if (lowering.isInWarps() && isSharedArray(cast<MemRefType>(ref.getType())))
      return op.emitError("expected no shared memory in single-warp code");
  }
  return success();
}

LogicalResult lowerScoped(grid::ScopedOp op, Lowering &lowering) {
  auto offsets = op->getAttrOfType<DenseI64ArrayAttr>(warpgroup::kOffsetsAttr);
  Block &body = op.getBody().front();
  if (!offsets ||
      offsets.size() != static_cast<int64_t>(body.getNumArguments()))
    return op.emitError("expected the offsets of Refs in ")
           << warpgroup::kOffsetsAttr << "; run warpgroup-plan-memory first";
  // A Ref ends with its scope.
  for (Type type : op.getResultTypes())
    if (failed(lowering.convertType(op, type)))
      return failure();
  if (failed(createRefs(op, offsets, lowering)) ||
      failed(lowerBlock(body, lowering)))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands()))
    lowering.set(result, lowering.get(value));
  return success();
}

} // namespace

void addProgramLowerings(Handlers &handlers) {
  handlers.add(lowerProgramId);
  handlers.add(lowerNumPrograms);
  handlers.add(lowerAssumeMultiple);
  handlers.add(lowerSetMaxRegisters);
  handlers.add(lowerFor);
  handlers.add(lowerControl<scf::IfOp>);
  handlers.add(lowerControl<scf::WhileOp>);
  handlers.add(lowerControl<scf::IndexSwitchOp>);
  handlers.add(lowerWarps);
  handlers.add(lowerScoped);
}

} // namespace gridir::warpgroup_to_nvvm

//===- Kernel.cpp - The loops of a grid -----------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/GridLoopBuilder.h"

#include "dialects/Conversion/GridToLoops/Async.h"
#include "dialects/Conversion/GridToLoops/Blocks.h"
#include "dialects/Conversion/GridToLoops/Counters.h"
#include "dialects/Conversion/GridToLoops/LocalRefs.h"
#include "dialects/Conversion/GridToLoops/Shares.h"
#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Analysis/GridParallelism.h"
#include "dialects/Grid/Analysis/InputSharing.h"
#include "dialects/Grid/Analysis/RefNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

/// Effects with an observable order, for which programs run sequentially.
bool hasOrderedEffects(KernelOp kernel) {
  return kernel.getBodyRegion()
      .walk([](Operation *op) {
        bool ordered =
            usesPrngState(op) || getProgramOrder(op).kind != ProgramOrder::None;
        return ordered ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Semaphores that are operands are shared by all programs.
bool hasSemaphoreOperands(KernelOp kernel) {
  for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i)
    if (isa<SemaphoreType>(kernel.getOperandSpec(i).getElementType()))
      return true;
  return false;
}

/// Returns the location of the textually last write of a Ref, or that of the
/// Ref if there is no unique one.
Location getLastWriteLoc(BlockArgument ref) {
  Location loc = ref.getLoc();
  SmallVector<Value> views{ref};
  Operation *last = nullptr;
  while (!views.empty())
    for (OpOperand &use : views.pop_back_val().getUses()) {
      Operation *op = use.getOwner();
      if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
        views.push_back(view->getResult(0));
        continue;
      }
      auto effects = dyn_cast<MemoryEffectOpInterface>(op);
      if (!effects ||
          !effects.getEffectOnValue<MemoryEffects::Write>(use.get()))
        continue;
      Operation *ancestor =
          last ? ref.getOwner()->findAncestorOpInBlock(*op) : nullptr;
      Operation *before =
          last ? ref.getOwner()->findAncestorOpInBlock(*last) : nullptr;
      if (!last || (ancestor && before && !ancestor->isBeforeInBlock(before)))
        last = op;
    }
  return last ? last->getLoc() : loc;
}

/// True if an operand is one block.
bool isWhole(OperandAttr spec) {
  return llvm::all_of(
      llvm::zip_equal(spec.getBlockDims(), spec.getArrayShape()), [](auto dim) {
        auto [block, extent] = dim;
        return block.getKind() == BlockKind::Blocked &&
               block.getSize() == extent;
      });
}

/// True if a block of an operand may lie outside of its array.
bool isMoved(KernelOp kernel, unsigned operand) {
  // The analysis takes an array without a block for one that stays.
  if (operand >= kernel.getNumIndexOperands() &&
      kernel.getOperandSpec(operand).getBlock().empty()) {
    Region &map = kernel.getIndexMap(operand - kernel.getNumIndexOperands());
    auto isZero = [](Value index) { return matchPattern(index, m_Zero()); };
    if (!llvm::all_of(map.front().getTerminator()->getOperands(), isZero))
      return true;
  }
  BlockAccess access(kernel);
  return llvm::any_of(
      llvm::seq(kernel.getOperandSpec(operand).getRank()), [&](unsigned dim) {
        return access.overhangs(operand, dim).kind != QueryResult::no;
      });
}

} // namespace

GridLoopBuilder::GridLoopBuilder(KernelLowering &lowering)
    : lowering(lowering), kernel(lowering.kernel), loc(kernel.getLoc()),
      builder(kernel.getContext()), movable(kernel) {
  // Tasks run one at a time, so effects are ordered.
  Sharing::Kind sharing = lowering.hasTasks()
                              ? Sharing::InPlace
                              : getSharingOfInputs(kernel, lowering.hazards);
  bool ordered = !lowering.hasTasks() &&
                 (hasOrderedEffects(kernel) || hasSemaphoreOperands(kernel) ||
                  sharing == Sharing::CopiedWhole);
  if (!ordered && !lowering.hasTasks())
    test = getBlockTest(kernel);
  for (unsigned d = 0; d < kernel.getRank(); ++d) {
    bool parallel = !ordered && isParallel(kernel.getDimSemantics(d));
    // An input is copied, if necessary, before any program writes; a call
    // that tests its blocks determines if it is necessary.
    bool mayCopy = sharing == Sharing::CopiedIfRevisited;
    if (parallel && !mayCopy) {
      lowering.parallelDims.push_back(d);
      continue;
    }
    sequentialDims.push_back(d);
    if (test && (parallel || llvm::is_contained(test->dims, d)))
      lowering.testedDims.push_back(d);
  }
}

LogicalResult GridLoopBuilder::build() {
  if (failed(check()))
    return failure();
  createFunctions();
  return failure(failed(createLoops()) || failed(createProgram()));
}

LogicalResult GridLoopBuilder::check() {
  kernel.getBodyRegion().walk([&](PrngSeedOp) { lowering.hasSeed = true; });
  for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
    OperandAttr spec = kernel.getOperandSpec(i);
    std::string name = kernel.getOperandName(i);
    if (llvm::any_of(spec.getArrayShape(), ShapedType::isDynamic))
      return lowering.fail(
          kernel, "expected arrays of static shape, got symbolic dimensions "
                  "in " +
                      name + "; set their sizes with grid-specialize");
    if (!spec.getTransforms().empty())
      return lowering.fail(
          kernel, "expected blocks without transforms, got transforms of " +
                      name + ", which only another backend supports");
    if (isa<SemaphoreType>(spec.getElementType()) &&
        (!isWhole(spec) || isMoved(kernel, i)))
      return lowering.fail(
          kernel, "expected semaphores in one block, got blocks of " + name);
  }
  // One task alone copies before it writes.
  bool concurrent = llvm::any_of(lowering.parallelDims, [&](unsigned d) {
    return kernel.getDim(d).getSize() != 1;
  });
  if (lowering.hasTasks() && concurrent &&
      getSharingOfInputs(kernel, lowering.hazards) != Sharing::InPlace)
    return lowering.fail(
        kernel, "expected inputs that are read in place, since programs "
                "synchronize, got one that must be copied first");
  return checkMeshes(lowering);
}

void GridLoopBuilder::createFunctions() {
  SmallVector<Type> types(kernel.getNumDynamicDims(),
                          MemRefType::get({}, builder.getI32Type()));
  for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
    RankedTensorType array = kernel.getOperandSpec(i).getArrayType();
    Type element = array.getElementType();
    if (isa<SemaphoreType>(element))
      element = getOperandCounterType(kernel.getContext());
    // All accesses to empty arrays were erased. LLVM supports only empty arrays
    // of rank 1.
    if (isEmptyArray(array))
      types.push_back(MemRefType::get({0}, element));
    else
      types.push_back(MemRefType::get(array.getShape(), element));
  }
  builder.setInsertionPoint(kernel);
  SmallVector<Type> kernelTypes(types);
  kernelTypes.append({MemRefType::get({4}, builder.getI64Type()),
                      builder.getIndexType(), builder.getIndexType()});
  // The kernel keeps its symbol until it is erased, so the functions are
  // inserted by hand.
  lowering.function =
      func::FuncOp::create(builder, loc, kernel.getSymName(),
                           builder.getFunctionType(kernelTypes, {}));
  auto rangeFunction = func::FuncOp::create(
      builder, loc, (kernel.getSymName() + ".range").str(),
      builder.getFunctionType(types, builder.getIndexType()));
  lowering.function.addEntryBlock();
  rangeFunction.addEntryBlock();
  lowering.status = lowering.function.getArgument(types.size());

  // Two operands share memory only if the call aliases them: XLA guarantees
  // this, except for reads of one array through two inputs. Effects of other
  // tasks are not visible in the function.
  llvm::SmallBitVector aliased(types.size());
  unsigned numDynamic = kernel.getNumDynamicDims();
  for (auto [operand, output] : kernel.getAliasPairs()) {
    aliased.set(numDynamic + operand);
    aliased.set(numDynamic + kernel.getNumIndexOperands() +
                kernel.getNumInputs() + output);
  }
  for (unsigned i = 0; i < types.size(); ++i)
    if (!aliased.test(i) && !lowering.hasTasks())
      lowering.function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                                   builder.getUnitAttr());

  builder.setInsertionPointToStart(&rangeFunction.getBody().front());
  // A call asks for its work items once, before any of them runs.
  if (auto initial = kernel->getAttrOfType<ArrayAttr>(kInitialResultsAttrName))
    for (auto [value, ref] : llvm::zip_equal(initial, kernel.getOutputRefs()))
      if (auto number = dyn_cast<TypedAttr>(value))
        linalg::FillOp::create(
            builder, loc,
            ValueRange(arith::ConstantOp::create(builder, loc, number)),
            ValueRange(rangeFunction.getArgument(kernel.getNumDynamicDims() +
                                                 ref.getArgNumber())));
  SmallVector<Value> sizes = createGridSizes(rangeFunction.getArguments());
  func::ReturnOp::create(
      builder, loc, createCount(builder, loc, sizes, lowering.parallelDims));
}

SmallVector<Value> GridLoopBuilder::createGridSizes(ValueRange operands) {
  SmallVector<Value> sizes;
  unsigned numDynamic = 0;
  for (unsigned d = 0; d < kernel.getRank(); ++d) {
    DimAttr dim = kernel.getDim(d);
    if (!dim.isDynamic()) {
      sizes.push_back(createIndex(builder, loc, dim.getSize()));
      continue;
    }
    Value size = memref::LoadOp::create(builder, loc, operands[numDynamic++]);
    // A negative size is an empty grid, as in a loop.
    Value index = toIndex(builder, loc, size);
    sizes.push_back(arith::MaxSIOp::create(builder, loc, index,
                                           createIndex(builder, loc, 0)));
  }
  return sizes;
}

/// Creates the loop nest: one loop over work items, which the caller divides
/// among threads, and inside of it one loop for each sequential dimension. Ids
/// of parallel dimensions are computed from the work item.
LogicalResult GridLoopBuilder::createLoops() {
  func::FuncOp function = lowering.function;
  Block *entry = &function.getBody().front();
  builder.setInsertionPointToStart(entry);
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(entry->getTerminator());
  lowering.gridSizes = createGridSizes(function.getArguments());
  lowering.programIds.resize(kernel.getRank());
  for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
    FailureOr<Value> array = createOperand(i);
    if (failed(array))
      return failure();
    arrays.push_back(*array);
    // Operands of index maps are the same for every program.
    if (i < kernel.getNumIndexOperands())
      lowering.indexRefs.push_back(
          createRef(builder, loc, *array,
                    kernel.getBodyBlock()->getArgument(i).getType()));
  }
  refs = lowering.indexRefs;
  if (!lowering.testedDims.empty())
    createShareCount(builder, lowering, *test);

  Value lower = lowering.getFirstItem(), upper = lowering.getEndOfItems();
  Value one = createIndex(builder, loc, 1);
  auto items = scf::ForOp::create(builder, loc, lower, upper, one);
  lowering.workItem = items.getBody();
  builder.setInsertionPointToStart(lowering.workItem);
  createParallelIds(items.getInductionVar());
  beginWorkItem();
  Value zero = createIndex(builder, loc, 0);
  for (unsigned d : sequentialDims) {
    auto ends = loopEnds.try_emplace(d, zero, lowering.gridSizes[d]);
    auto [begin, end] = ends.first->second;
    auto loop = scf::ForOp::create(builder, loc, begin, end, one);
    builder.setInsertionPointToStart(loop.getBody());
    setProgramId(d, loop.getInductionVar());
  }
  // Messages about recorded accesses name programs.
  if (lowering.recordsAccesses() || lowering.recordsSemaphores())
    createProgramRecord();
  return success();
}

/// Work items enumerate the parallel dimensions in row-major order.
/// Fine-grained work items have higher numbers and also enumerate the tested
/// dimensions.
void GridLoopBuilder::createParallelIds(Value item) {
  Value rest = item;
  auto split = [&](unsigned d) {
    // A work item is never empty, but a fine-grained one may be.
    Value size = createNonZero(builder, loc, lowering.gridSizes[d]);
    Value id = arith::RemUIOp::create(builder, loc, rest, size);
    rest = arith::DivUIOp::create(builder, loc, rest, size);
    return id;
  };
  if (!lowering.testedDims.empty()) {
    Value zero = createIndex(builder, loc, 0),
          one = createIndex(builder, loc, 1);
    Value count =
        createCount(builder, loc, lowering.gridSizes, lowering.parallelDims);
    Value isFine = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::uge, item, count);
    auto select = [&](Value a, Value b) {
      return arith::SelectOp::create(builder, loc, isFine, a, b);
    };
    rest = arith::SubIOp::create(builder, loc, item, count);
    for (unsigned d : llvm::reverse(lowering.testedDims)) {
      Value id = split(d);
      Value next = arith::AddIOp::create(builder, loc, id, one);
      loopEnds[d] = {select(id, zero), select(next, lowering.gridSizes[d])};
    }
    rest = select(rest, item);
  }
  for (unsigned d : llvm::reverse(lowering.parallelDims))
    setProgramId(d, d == lowering.parallelDims.front() ? rest : split(d));
}

/// State that outlives a program is created for each work item.
void GridLoopBuilder::beginWorkItem() {
  for (auto [source, copy] : prefetchedCopies)
    createPrivateCopy(source, copy);
  for (BlockArgument scratch : kernel.getScratchRefs()) {
    scratchRefs.push_back(createLocalRef(builder, lowering, scratch));
    lowering.setName(scratchRefs.back(), getRefName(scratch));
    auto type = cast<MemRefType>(scratch.getType());
    if (lowering.recordsAccesses() &&
        !isa<SyncTypeInterface>(type.getElementType())) {
      Value memref = getMemRef(scratchRefs.back());
      createRuntimeCall(builder, loc, lowering, "gridirTaskScratch",
                        {createAddress(builder, loc, memref),
                         createContiguousBytes(builder, loc, memref)});
    }
  }
}

/// Records which program runs: its number in the order of the grid.
void GridLoopBuilder::createProgramRecord() {
  Value number = createIndex(builder, loc, 0);
  for (auto [id, size] :
       llvm::zip_equal(lowering.programIds, lowering.gridSizes))
    number = arith::AddIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, number, size), id);
  createRuntimeCall(builder, loc, lowering, "gridirTaskProgram",
                    {toI64(builder, loc, number)});
}

void GridLoopBuilder::setProgramId(unsigned d, Value id) {
  lowering.programIds[d] = id;
  DimAttr dim = kernel.getDim(d);
  // An empty grid has no programs, but the range of its index must not be
  // empty.
  if (!dim.isDynamic())
    lowering.ranges.set(id, {0, std::max<int64_t>(dim.getSize() - 1, 0)});
  else
    lowering.ranges.set(id, {0, std::numeric_limits<int32_t>::max()});
}

LogicalResult GridLoopBuilder::createProgram() {
  unsigned numIndex = kernel.getNumIndexOperands();
  unsigned numInputs = kernel.getNumInputs();

  SmallVector<std::pair<Window, Location>> writtenWindows;
  for (unsigned operandNumber = numIndex;
       operandNumber < kernel.getNumOperandSpecs(); ++operandNumber) {
    BlockArgument arg = kernel.getBodyBlock()->getArgument(operandNumber);
    // An empty array has no windows; a block has no elements, or only padding.
    if (isEmptyArray(kernel.getOperandSpec(operandNumber).getArrayType())) {
      refs.push_back(
          createRef(builder, loc, arrays[operandNumber], arg.getType()));
      continue;
    }
    SmallVector<Value> indices = createIndicesOnce(operandNumber);
    bool written = lowering.hazards.isWritten(arg);
    auto mayAccessOutside = [&](unsigned arrayDim) {
      if (!access)
        access.emplace(kernel);
      return access->accessesOutside(operandNumber, arrayDim).kind !=
             QueryResult::no;
    };
    FailureOr<Window> block =
        createBlock(builder, lowering, movable, operandNumber,
                    arrays[operandNumber], indices, written, mayAccessOutside);
    if (failed(block))
      return failure();
    if (privateBlocks.contains(operandNumber))
      block->memref = createPrivateCopy(block->memref, getNamedLoc(arg));
    if (written)
      writtenWindows.emplace_back(*block, getLastWriteLoc(arg));
    refs.push_back(createRef(builder, loc, block->memref, arg.getType()));
  }
  for (auto [i, ref] : llvm::enumerate(refs))
    lowering.setName(ref, kernel.getOperandName(i));
  llvm::append_range(refs, scratchRefs);
  instantiateBody();

  // Writes of a program to a private buffer must reach the array, or the copy
  // of an input, before the next program reads it.
  for (auto [block, writeLoc] : writtenWindows)
    block.createCopyOut(builder, writeLoc);

  // The final value of a semaphore is not visible to the next kernel.
  builder.setInsertionPoint(
      lowering.function.getBody().front().getTerminator());
  for (unsigned operandNumber = numIndex + numInputs;
       operandNumber < kernel.getNumOperandSpecs(); ++operandNumber)
    if (isa<SemaphoreType>(
            kernel.getOperandSpec(operandNumber).getElementType()) &&
        !lowering.hasTasks())
      createOperandFromCounters(
          builder, loc, arrays[operandNumber],
          lowering.function.getArgument(kernel.getNumDynamicDims() +
                                        operandNumber));
  return inlineScopes(lowering);
}

void GridLoopBuilder::instantiateBody() {
  Block *body = kernel.getBodyBlock();
  for (auto [arg, ref] : llvm::zip_equal(body->getArguments(), refs))
    arg.replaceAllUsesWith(ref);
  body->getTerminator()->erase();
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body->getOperations());
}

LogicalResult buildGridLoops(KernelLowering &lowering) {
  return GridLoopBuilder(lowering).build();
}

} // namespace gridir

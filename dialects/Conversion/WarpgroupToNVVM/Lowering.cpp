//===- Lowering.cpp - The walk, and what a thread knows of itself ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"
#include "dialects/Warpgroup/IR/RegisterCoordinates.h"

#include "dialects/Support/CountableTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

/// The limit of the hardware.
static constexpr int64_t kMaxThreads = 1024;

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

Lowering::Lowering(grid::KernelOp kernel, OpBuilder &builder,
                   LLVM::LLVMFuncOp function, LLVM::GlobalOp shared,
                   int64_t sharedBytes, const gpu::Chip &chip)
    : chip(chip), kernel(kernel), builder(builder), function(function),
      shared(shared), sharedBytes(sharedBytes) {}

static const Handlers &getHandlers() {
  static const Handlers all = [] {
    Handlers handlers;
    addProgramLowerings(handlers);
    addViewLowerings(handlers);
    addAccessLowerings(handlers);
    addBarrierLowerings(handlers);
    addSyncLowerings(handlers);
    addCopyLowerings(handlers);
    addRowCopyLowerings(handlers);
    addThreadCopyLowerings(handlers);
    addClusterLowerings(handlers);
    addClusterLaunchLowerings(handlers);
    addAtomicLowerings(handlers);
    addGatherLowerings(handlers);
    addSemaphoreLowerings(handlers);
    addPrintLowerings(handlers);
    addProfileLowerings(handlers);
    addArrayLowerings(handlers);
    addPackedLowerings(handlers);
    addRelayoutLowerings(handlers);
    addSliceLowerings(handlers);
    addProductLowerings(handlers);
    addRegisterProductLowerings(handlers);
    addTensorMemoryLowerings(handlers);
    addTensorCommitLowerings(handlers);
    addTensorCopyLowerings(handlers);
    addTensorProductLowerings(handlers);
    return handlers;
  }();
  return all;
}

LogicalResult Lowering::verifyInRegisters(Operation *op, ShapedType array) {
  constexpr int64_t kMost = warpgroup::kMaxElementsOfThread * kNumThreads;
  const int64_t count = countPoints(array.getShape()).value_or(0);
  if (count >= 1 && count <= kMost)
    return success();
  return op->emitError("expected 1 to ")
         << kMost << " elements of an array in registers, got " << array;
}

LogicalResult Lowering::verifyArrays() {
  WalkResult result = kernel.getBodyRegion().walk([&](Operation *op) {
    auto types = llvm::to_vector(op->getResultTypes());
    for (Region &region : op->getRegions())
      llvm::append_range(types, region.getArgumentTypes());
    for (Type type : types)
      if (auto array = dyn_cast<RankedTensorType>(type))
        if (failed(verifyInRegisters(op, array)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// True if a Ref is a barrier in memory.
static bool isBarrier(Type type) {
  auto ref = dyn_cast<MemRefType>(type);
  return ref && isa<warpgroup::BarrierType>(ref.getElementType());
}

LogicalResult Lowering::verifyChip() {
  if (chip.hasBulkCopies)
    return success();
  for (Attribute attr : kernel.getDims())
    if (cast<grid::DimAttr>(attr).getKind() == grid::DimKind::Cluster)
      return kernel.emitError("expected a chip that has clusters, got ")
             << chip.name;
  WalkResult result = kernel.getBodyRegion().walk([&](Operation *op) {
    auto hasBarriers = [](Region &region) {
      return llvm::any_of(region.getArgumentTypes(), isBarrier);
    };
    if (!isa<warpgroup::TmaLoadOp, warpgroup::TmaGatherOp,
             warpgroup::TmaStoreOp, warpgroup::TmaScatterOp,
             warpgroup::CommitGroupOp, warpgroup::WaitGroupOp>(op) &&
        llvm::none_of(op->getRegions(), hasBarriers))
      return WalkResult::advance();
    op->emitError("expected a chip that has mbarriers and TMA, got ")
        << chip.name;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Lowering::lowerBody() {
  if (failed(verifyChip()))
    return failure();
  for (Attribute attr : kernel.getDims()) {
    auto dim = cast<grid::DimAttr>(attr);
    if (dim.isDynamic())
      return kernel.emitError("expected a grid of static size on a GPU");
    if (dim.getKind() == grid::DimKind::Cluster)
      clusterSize *= dim.getSize();
    if (dim.getKind() != grid::DimKind::Thread)
      numCtas *= dim.getSize();
  }
  numWarpgroups = warpgroup::getNumWarpgroups(kernel);
  if (auto bytes =
          kernel->getAttrOfType<IntegerAttr>(warpgroup::kScratchBytesAttr))
    plannedBytes = bytes.getInt();
  auto columns =
      kernel->getAttrOfType<IntegerAttr>(warpgroup::kTensorColumnsAttr);
  if (columns && chip.hasTensorMemory) {
    tensorColumns = columns.getInt();
    hasPairs = warpgroup::hasPairedBlocks(kernel);
  }
  if (numWarpgroups * kNumThreads > kMaxThreads)
    return kernel.emitError("expected at most ")
           << kMaxThreads / kNumThreads << " warpgroups of a block, got "
           << numWarpgroups;
  if (clusterSize > warpgroup::kMaxClusterBlocks)
    return kernel.emitError("expected at most ")
           << warpgroup::kMaxClusterBlocks << " blocks of a cluster, got "
           << clusterSize;
  examineCluster();
  if (failed(verifyArrays()) || failed(createPrologue()))
    return failure();
  if (failed(lowerBlock(*kernel.getBodyBlock(), *this)))
    return failure();
  endTrace();
  // Pending copies may still read the memory of this CTA, and other CTAs may
  // access it.
  bool hasStores =
      kernel.getBodyRegion()
          .walk([](Operation *op) {
            return isa<warpgroup::TmaStoreOp, warpgroup::TmaScatterOp>(op)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (hasStores)
    NVVM::CpAsyncBulkWaitGroupOp::create(builder, kernel.getLoc(),
                                         builder.getI32IntegerAttr(0),
                                         builder.getUnitAttr());
  if (clusterSize > 1)
    createClusterSync(kernel.getLoc());
  else if (tensorColumns)
    createBlockSync(kernel.getLoc());
  if (tensorColumns)
    freeTensorMemory();
  return success();
}

/// True if an op accepts packed elements of shared memory.
static bool takesPacked(Operation *op) {
  return isa<grid::RefViewOpInterface, grid::LoadOp, warpgroup::TmaLoadOp,
             warpgroup::TmaStoreOp, warpgroup::Tcgen05MmaOp,
             warpgroup::TmemCopyOp>(op);
}

LogicalResult Lowering::verifyExchange(Operation *op) {
  if (!hasExchanged)
    return success();
  if (exchanges.get(op).most == 0)
    return op->emitError("expected arrays whose elements are in the threads "
                         "that need them, got other layouts for ")
           << op->getName() << "; run warpgroup-infer-layouts first";
  if (scratchBytes > plannedBytes)
    return op->emitError("expected ")
           << scratchBytes << " bytes for exchanges between threads in "
           << warpgroup::kScratchBytesAttr << ", got " << plannedBytes
           << "; run warpgroup-plan-memory first";
  if (isUnordered)
    return op->emitError("expected a warpgroup.sync between this exchange of "
                         "threads and the one before; run "
                         "warpgroup-insert-barriers first");
  return success();
}

LogicalResult Lowering::lowerOp(Operation *op) {
  if (!takesPacked(op))
    for (Value ref : op->getOperands())
      if (hasView(ref) && getView(ref).storage->isPacked)
        return op->emitError("expected a load, a copy or an MMA of elements "
                             "that share bytes, got ")
               << op->getName() << " of " << ref.getType();
  if (const Handlers::Handler *handler = getHandlers().find(op)) {
    llvm::SaveAndRestore ofOp(hasExchanged, false);
    if (failed((*handler)(op, *this)))
      return failure();
    return verifyExchange(op);
  }
  if (op->getNumRegions() == 0 && op->getNumResults() > 0 &&
      llvm::all_equal(op->getResultTypes()) && isMemoryEffectFree(op))
    return lowerElementwise(op, *this);
  return op->emitError("expected an op that has a lowering for GPUs, got ")
         << op->getName();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

OpFoldResult Lowering::getIndex(Value index) {
  Value value = getScalar(index);
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return builder.getI32IntegerAttr(*number);
  return toI32(builder, value.getLoc(), value);
}

FailureOr<SmallVector<Type>> Lowering::convertType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && inWarps)
    return op->emitError("expected scalars in single-warp code, got ") << type;
  Type element = tensor ? tensor.getElementType() : type;
  if (!element.isIntOrIndexOrFloat() ||
      (!element.isIndex() && element.getIntOrFloatBitWidth() > 64) ||
      (tensor && (!tensor.hasStaticShape() || tensor.getNumElements() == 0)))
    return op->emitError("expected a type that a warpgroup supports, got ")
           << type;
  if (!tensor)
    return SmallVector<Type>{type};
  if (!warpgroup::getLayout(tensor))
    return op->emitError("expected an array with a layout, got ")
           << type << "; run warpgroup-infer-layouts first";
  const Distribution *distribution = distributions.find(tensor);
  if (!distribution)
    return op->emitError("expected a layout whose basis vectors add up as "
                         "integers, got ")
           << type;
  return SmallVector<Type>(distribution->getNumRegisters(), element);
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

LogicalResult Lowering::createPrologue() {
  Location loc = kernel.getLoc();
  Block *entry = &function.getBody().front();
  builder.setInsertionPointToEnd(entry);
  Type i32 = builder.getI32Type();
  zero = createI32(builder, loc, 0);
  Value number = NVVM::ThreadIdXOp::create(builder, loc, i32);
  thread = arith::AndIOp::create(builder, loc, number,
                                 createI32(builder, loc, kNumThreads - 1));
  // Uniform in a warp, in a form that `ptxas` recognizes.
  warpgroup = zero;
  if (numWarpgroups > 1)
    warpgroup = createOfWarp(
        loc, arith::ShRUIOp::create(builder, loc, number,
                                    createI32(builder, loc, kNumThreadBits)));
  cluster = NVVM::BlockIdXOp::create(builder, loc, i32);
  clusterRank = zero;
  if (clusterSize > 1) {
    Value size = createI32(builder, loc, clusterSize);
    clusterRank = arith::RemUIOp::create(builder, loc, cluster, size);
    cluster = arith::DivUIOp::create(builder, loc, cluster, size);
  }
  warp = createOfWarp(
      loc, arith::ShRUIOp::create(builder, loc, thread,
                                  createI32(builder, loc, kNumLaneBits)));
  Value isInFirstWarp =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, warp, zero);
  isLeaderOfWarp = createElect(loc);
  isLeader = arith::AndIOp::create(builder, loc, isInFirstWarp, isLeaderOfWarp);
  isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                  number, zero);
  // LLVM must not see that this is a constant address that each access could
  // compute for itself: if `ptxas` does so after a divergent branch, it gives
  // up uniform registers in the loops around it.
  sharedBase = createHidden(builder, loc,
                            LLVM::AddressOfOp::create(builder, loc, shared));
  Value slot;
  if (tensorColumns) {
    int64_t offset = llvm::alignTo(sharedBytes, 8);
    sharedBytes = offset + 8;
    slot = createBytesBehind(builder, loc, sharedBase, offset);
    allocateTensorMemory(slot);
  }
  unsigned numOperands = kernel.getNumInputs() + kernel.getNumOutputs();
  if (hasSemaphores(kernel) || hasProfile(kernel))
    zeroed = entry->getArgument(numOperands);
  if (hasChecks(kernel))
    report = entry->getArguments().back();
  // A barrier must not be used before it is initialized.
  beginning = NVVM::BarrierOp::create(builder, loc);
  if (clusterSize > 1)
    createClusterSync(loc);
  if (tensorColumns)
    findTensorMemory(slot);
  if (failed(beginTrace()))
    return failure();
  return createArguments();
}

LogicalResult Lowering::createArguments() {
  for (auto [i, ref] : llvm::enumerate(kernel.getBodyBlock()->getArguments())) {
    auto type = cast<MemRefType>(ref.getType());
    if (isa<grid::SemaphoreType>(type.getElementType()) &&
        i >= kernel.getNumOperandSpecs()) {
      setView(ref, getWholeView(builder, addSemaphores(ref.getLoc(), type,
                                                       /*isOfBlock=*/false)));
      continue;
    }
    if (i < kernel.getNumIndexOperands() || i >= kernel.getNumOperandSpecs() ||
        !type.getElementType().isIntOrFloat() ||
        kernel.getOperandSpec(i).getBlock().size())
      return kernel.emitError("expected whole arrays as the operands of a "
                              "warpgroup program, got ")
             << kernel.getRefName(i);
    auto storage = std::make_shared<Storage>();
    storage->kind = Storage::Kind::Global;
    storage->base = function.getArgument(i);
    storage->shape.assign(type.getShape().begin(), type.getShape().end());
    storage->elementType = type.getElementType();
    storage->width = getRowLength(type.getShape());
    storage->operand = i;
    setView(ref, getWholeView(builder, storage));
  }
  // An output and the input that it aliases are one memory.
  for (auto [operand, output] : kernel.getAliasPairs()) {
    unsigned argument = kernel.getNumInputs() + output;
    View view = getView(kernel.getBodyBlock()->getArgument(argument));
    view.storage = getView(kernel.getBodyBlock()->getArgument(operand)).storage;
    setView(kernel.getBodyBlock()->getArgument(argument), view);
  }
  return success();
}

/// The base of an address and the sum of the constant byte offsets from it.
static Value getOrigin(Value address, int64_t &offset) {
  while (auto step = address.getDefiningOp<LLVM::GEPOp>()) {
    auto index = step.getIndices()[0];
    std::optional<int64_t> bytes = isa<Value>(index)
                                       ? getConstantIntValue(cast<Value>(index))
                                       : cast<IntegerAttr>(index).getInt();
    if (step.getIndices().size() != 1 || !step.getElemType().isInteger(8) ||
        !bytes)
      break;
    offset += *bytes;
    address = step.getBase();
  }
  return address;
}

Value splitAddress(OpBuilder &builder, Location loc, Value address,
                   int64_t &bytes) {
  address = getOrigin(address, bytes);
  auto step = address.getDefiningOp<LLVM::GEPOp>();
  if (!step || step.getDynamicIndices().size() != 1)
    return address;
  int64_t ofBase = 0;
  Value base = getOrigin(step.getBase(), ofBase);
  if (!ofBase)
    return address;
  bytes += ofBase;
  return LLVM::GEPOp::create(builder, loc, step.getType(), step.getElemType(),
                             base, step.getDynamicIndices());
}

void Lowering::createForLeader(Location loc, Value condition,
                               function_ref<void()> body) {
  Value runs = isLeader;
  if (condition)
    runs = arith::AndIOp::create(builder, loc, runs, condition);
  createWhere(loc, runs, body);
}

void Lowering::createForLeaderOfWarp(Location loc, function_ref<void()> body) {
  createWhere(loc, isLeaderOfWarp, body);
}

void Lowering::createWhere(Location loc, Value condition,
                           function_ref<void()> body) {
  auto guard = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  body();
  computeAddressesIn(*guard.thenBlock());
}

void Lowering::computeAddressesIn(Block &block) {
  builder.setInsertionPointToStart(&block);
  Value base;
  llvm::SmallDenseMap<Value, Value> known;
  block.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Value &address = known[operand.get()];
      if (!address) {
        address = operand.get();
        int64_t offset = 0;
        Value origin = getOrigin(address, offset);
        if (origin != sharedBase || operand.get().getParentBlock() == &block)
          continue;
        Location loc = op->getLoc();
        if (!base)
          base = createHidden(builder, loc, sharedBase, /*isFixed=*/true);
        address = createBytesBehind(builder, loc, base, offset);
      }
      operand.set(address);
    }
  });
}

//===----------------------------------------------------------------------===//
// Small builders
//===----------------------------------------------------------------------===//

LLVM::InlineAsmOp createAssembly(OpBuilder &builder, Location loc,
                                 TypeRange results, ValueRange operands,
                                 StringRef text, StringRef constraints,
                                 bool hasSideEffects) {
  return LLVM::InlineAsmOp::create(
      builder, loc, results, operands, text, constraints, hasSideEffects,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

Value createHidden(OpBuilder &builder, Location loc, Value value,
                   bool isFixed) {
  return createAssembly(builder, loc, value.getType(), value, "", "=l,0",
                        /*hasSideEffects=*/isFixed)
      .getResult(0);
}

} // namespace gridir::warpgroup_to_nvvm

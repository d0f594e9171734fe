//===- Semaphores.cpp - Counters in global memory -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

bool hasSemaphores(grid::KernelOp kernel) {
  auto isSemaphore = [](Value ref) {
    auto type = dyn_cast<MemRefType>(ref.getType());
    return type && isa<grid::SemaphoreType>(type.getElementType());
  };
  return llvm::any_of(kernel.getBodyBlock()->getArguments(), isSemaphore) ||
         kernel.getBodyRegion()
             .walk([&](grid::ScopedOp scope) {
               return llvm::any_of(scope.getBody().getArguments(), isSemaphore)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

std::shared_ptr<Storage> Lowering::addSemaphores(Location loc, MemRefType type,
                                                 bool isOfBlock) {
  auto storage = std::make_shared<Storage>();
  storage->kind = Storage::Kind::Global;
  storage->elementType = type.getElementType();
  storage->shape.assign(type.getShape().begin(), type.getShape().end());
  storage->width = getRowLength(type.getShape());
  storage->base = atBeginning([&]() -> Value {
    Value offset = createI32(builder, loc, zeroedBytes);
    int64_t bytes = type.getNumElements() * storage->getElementBytes();
    if (isOfBlock) {
      Value block =
          NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type());
      block = arith::MulIOp::create(builder, loc, block,
                                    createI32(builder, loc, bytes));
      offset = arith::AddIOp::create(builder, loc, offset, block);
      bytes *= numCtas;
    }
    zeroedBytes += bytes;
    return LLVM::GEPOp::create(builder, loc, zeroed.getType(),
                               builder.getI8Type(), zeroed,
                               ArrayRef<LLVM::GEPArg>{offset});
  });
  return storage;
}

namespace {

/// The scope in which CTAs of a GPU see a semaphore.
constexpr StringRef kScope = "device";

Value createCounterLoad(OpBuilder &builder, Location loc, Value address) {
  return LLVM::LoadOp::create(
      builder, loc, builder.getI32Type(), address, /*alignment=*/4,
      /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, LLVM::AtomicOrdering::acquire, kScope);
}

LogicalResult lowerSignal(grid::SemaphoreSignalOp op, Lowering &lowering) {
  if (op.getCore() || !op.getDevice().empty())
    return op.emitError("expected a signal to this device");
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Value address =
      lowering.createAddress(loc, lowering.getView(op.getSem()), {});
  Value amount = lowering.getScalar(op.getAmount());
  lowering.createForLeader(loc, Value(), [&] {
    // LLVM's code for PTX drops the ordering of an update.
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::release, kScope);
    LLVM::AtomicRMWOp::create(builder, loc, LLVM::AtomicBinOp::add, address,
                              amount, LLVM::AtomicOrdering::monotonic, kScope);
  });
  return success();
}

/// One thread polls until the count suffices, and subtracts it unless another
/// thread was first.
LogicalResult lowerWaitFor(grid::SemaphoreWaitOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Value address =
      lowering.createAddress(loc, lowering.getView(op.getSem()), {});
  Value amount = lowering.getScalar(op.getAmount());
  auto createFlag = [&](OpBuilder &builder, Location loc, bool flag) -> Value {
    return arith::ConstantIntOp::create(builder, loc, flag, /*width=*/1);
  };
  auto look = [&](OpBuilder &builder, Location loc, ValueRange) {
    Value count = createCounterLoad(builder, loc, address);
    Value lacks = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        count, amount);
    if (!op.getKeep()) {
      auto take = [&](OpBuilder &builder, Location loc) {
        Value rest = arith::SubIOp::create(builder, loc, count, amount);
        Value exchanged = LLVM::AtomicCmpXchgOp::create(
            builder, loc, address, count, rest, LLVM::AtomicOrdering::acquire,
            LLVM::AtomicOrdering::monotonic, kScope);
        Value isTaken = LLVM::ExtractValueOp::create(builder, loc, exchanged,
                                                     ArrayRef<int64_t>{1});
        Value again = arith::XOrIOp::create(builder, loc, isTaken,
                                            createFlag(builder, loc, true));
        scf::YieldOp::create(builder, loc, again);
      };
      auto wait = [&](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc, createFlag(builder, loc, true));
      };
      lacks = scf::IfOp::create(builder, loc, lacks, wait, take).getResult(0);
    }
    scf::ConditionOp::create(builder, loc, lacks, ValueRange());
  };
  auto again = [](OpBuilder &builder, Location loc, ValueRange) {
    scf::YieldOp::create(builder, loc);
  };
  lowering.createForLeader(loc, Value(), [&] {
    scf::WhileOp::create(builder, loc, TypeRange(), ValueRange(), look, again);
  });
  lowering.createSync(loc);
  return success();
}

LogicalResult lowerReadOf(grid::SemaphoreReadOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Value address =
      lowering.createAddress(loc, lowering.getView(op.getSem()), {});
  // Other threads may read another value.
  Value count = createCounterLoad(builder, loc, address);
  lowering.set(op.getResult(), {lowering.createUniform(loc, count)});
  return success();
}

} // namespace

void addSemaphoreLowerings(Handlers &handlers) {
  handlers.add(lowerSignal);
  handlers.add(lowerWaitFor);
  handlers.add(lowerReadOf);
}

} // namespace gridir::warpgroup_to_nvvm

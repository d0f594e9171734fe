//===- Programs.cpp - The program, its control flow and its regions as grid's --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToLoops/Raising.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::tpu_to_loops {
namespace {

LogicalResult raiseBound(tpu::IterationBoundOp op, Raising &raising) {
  raising.set(op.getResult(),
              grid::NumProgramsOp::create(
                  raising.builder, op.getLoc(), op.getType(),
                  raising.builder.getI64IntegerAttr(op.getDim())));
  return success();
}

LogicalResult raiseAssume(tpu::AssumeMultipleOp op, Raising &raising) {
  raising.set(op.getResult(),
              grid::AssumeMultipleOp::create(raising.builder, op.getLoc(),
                                             raising.get(op.getValue()),
                                             op.getMultiple()));
  return success();
}

LogicalResult raiseSeed(tpu::PRNGSeed32Op op, Raising &raising) {
  grid::PrngSeedOp::create(raising.builder, op.getLoc(),
                           raising.get(op.getSeeds()));
  return success();
}

LogicalResult raiseBits(tpu::PRNGRandomBitsOp op, Raising &raising) {
  raising.set(op.getResult(),
              grid::PrngBitsOp::create(raising.builder, op.getLoc(),
                                       raising.convertType(op.getType())));
  return success();
}

/// The text of a tag as a format: `$0` for the value that goes there, and
/// braces doubled.
std::string toFormat(StringRef tag, bool isFormatted) {
  std::string format;
  while (!tag.empty()) {
    char next = tag.front();
    StringRef place = tag.drop_front().take_while(
        [](char c) { return c == 'x' || llvm::isDigit(c); });
    if (isFormatted && next == '$' && !place.empty()) {
      bool isHex = place.consume_front("x");
      format += isHex ? "{:x}" : "{}";
      tag = tag.drop_front(1 + isHex + place.size());
      continue;
    }
    format += next;
    if (next == '{' || next == '}')
      format += next;
    tag = tag.drop_front();
  }
  return format;
}

LogicalResult raiseLog(tpu::LogOp op, Raising &raising) {
  std::string format = toFormat(op.getTag(), op.getFormatted());
  if (!op.getFormatted())
    for (size_t i = 0; i < op.getInputs().size(); ++i)
      format += " {}";
  grid::PrintOp::create(raising.builder, op.getLoc(), format,
                        raising.get(op.getInputs()),
                        SmallVector<bool>(op.getInputs().size(), false));
  return success();
}

LogicalResult raiseLogBuffer(tpu::LogBufferOp op, Raising &raising) {
  Value memory = raising.get(op.getInput());
  auto type = cast<MemRefType>(memory.getType());
  Value value = grid::LoadOp::create(
      raising.builder, op.getLoc(),
      RankedTensorType::get(type.getShape(), type.getElementType()), memory,
      Value(), Value());
  grid::PrintOp::create(raising.builder, op.getLoc(),
                        toFormat(op.getTag(), /*isFormatted=*/false) + "{}",
                        value, ArrayRef<bool>{false});
  return success();
}

LogicalResult raiseAssert(cf::AssertOp op, Raising &raising) {
  grid::AssertOp::create(raising.builder, op.getLoc(), raising.get(op.getArg()),
                         op.getMsg());
  return success();
}

/// What only a profile shows.
template <typename OpT> LogicalResult dropTrace(OpT, Raising &) {
  return success();
}

template <typename OpT> LogicalResult raiseControl(OpT op, Raising &raising) {
  OpBuilder &builder = raising.builder;
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(raising.get(op->getOperands()));
  for (Type type : op->getResultTypes())
    state.addTypes(raising.convertType(type));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *target = builder.create(state);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), target->getRegions())) {
    if (from.empty())
      continue;
    Block &source = from.front();
    OpBuilder::InsertionGuard guard(builder);
    auto types = llvm::map_to_vector(source.getArgumentTypes(), [&](Type type) {
      return raising.convertType(type);
    });
    SmallVector<Location> locs(types.size(), op.getLoc());
    Block *block = builder.createBlock(&to, to.end(), types, locs);
    for (auto [before, after] :
         llvm::zip_equal(source.getArguments(), block->getArguments()))
      raising.set(before, after);
    if (failed(raising.raiseBlock(source)))
      return failure();
    Operation *end = source.getTerminator();
    OperationState terminator(end->getLoc(), end->getName());
    terminator.addOperands(raising.get(end->getOperands()));
    terminator.propertiesAttr = end->getPropertiesAsAttribute();
    builder.create(terminator);
  }
  for (auto [before, after] :
       llvm::zip_equal(op->getResults(), target->getResults()))
    raising.set(before, after);
  return success();
}

/// A region whose allocations become the Refs of a scope.
LogicalResult raiseRegion(tpu::RegionOp op, Raising &raising) {
  OpBuilder &builder = raising.builder;
  Block &source = op.getRegion().front();
  SmallVector<Value> allocations;
  SmallVector<Type> refs, results;
  for (Operation &inner : source)
    if (isa<memref::AllocaOp, tpu::AllocaSemaphoreOp>(inner)) {
      allocations.push_back(inner.getResult(0));
      refs.push_back(
          raising.convertRef(cast<MemRefType>(inner.getResult(0).getType())));
    }
  for (Type type : op.getResultTypes())
    results.push_back(raising.convertType(type));
  auto scoped =
      grid::ScopedOp::create(builder, op.getLoc(), results, ArrayAttr(),
                             ArrayAttr(), /*origins=*/ArrayAttr());
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(refs.size(), op.getLoc());
  Block *block = builder.createBlock(&scoped.getBody(), {}, refs, locs);
  for (auto [before, after] :
       llvm::zip_equal(allocations, block->getArguments()))
    raising.set(before, after);
  if (failed(raising.raiseBlock(source)))
    return failure();
  Operation *end = source.getTerminator();
  grid::YieldOp::create(builder, end->getLoc(),
                        raising.get(end->getOperands()));
  for (auto [before, after] :
       llvm::zip_equal(op.getResults(), scoped.getResults()))
    raising.set(before, after);
  return success();
}

/// An allocation stands for an argument of the scope around it.
template <typename OpT> LogicalResult checkScoped(OpT op, Raising &) {
  if (!isa<tpu::RegionOp>(op->getParentOp()))
    return op.emitError("expected an allocation in a tpu.region in a module to "
                        "execute");
  return success();
}

} // namespace

void addProgramRaisings(Raising &raising) {
  raising.add(raiseBound);
  raising.add(raiseAssume);
  raising.add(raiseSeed);
  raising.add(raiseBits);
  raising.add(raiseLog);
  raising.add(raiseLogBuffer);
  raising.add(raiseAssert);
  raising.add(dropTrace<tpu::TraceStartOp>);
  raising.add(dropTrace<tpu::TraceStopOp>);
  raising.add(dropTrace<tpu::TraceValueOp>);
  raising.add(dropTrace<tpu::DelayOp>);
  raising.add(raiseControl<scf::ForOp>);
  raising.add(raiseControl<scf::IfOp>);
  raising.add(raiseControl<scf::WhileOp>);
  raising.add(raiseControl<scf::IndexSwitchOp>);
  raising.add(raiseRegion);
  raising.add(checkScoped<memref::AllocaOp>);
  raising.add(checkScoped<tpu::AllocaSemaphoreOp>);
}

} // namespace gridir::tpu_to_loops

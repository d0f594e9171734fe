//===- Programs.cpp - The program, its control flow and its regions as grid's --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToGrid/Raising.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace gridir::tpu_to_grid {
namespace {

LogicalResult raiseBound(tpu::IterationBoundOp op,
                         tpu::IterationBoundOp::Adaptor adaptor,
                         Rewriter &rewriter) {
  rewriter.replaceOpWithNewOp<grid::NumProgramsOp>(
      op, op.getType(), rewriter.getI64IntegerAttr(op.getDim()));
  return success();
}

LogicalResult raiseAssume(tpu::AssumeMultipleOp op,
                          tpu::AssumeMultipleOp::Adaptor adaptor,
                          Rewriter &rewriter) {
  rewriter.replaceOpWithNewOp<grid::AssumeMultipleOp>(op, adaptor.getValue(),
                                                      op.getMultiple());
  return success();
}

LogicalResult raiseSeed(tpu::PRNGSeed32Op op,
                        tpu::PRNGSeed32Op::Adaptor adaptor,
                        Rewriter &rewriter) {
  rewriter.replaceOpWithNewOp<grid::PrngSeedOp>(op, adaptor.getSeeds());
  return success();
}

LogicalResult raiseBits(tpu::PRNGRandomBitsOp op,
                        tpu::PRNGRandomBitsOp::Adaptor adaptor,
                        Rewriter &rewriter) {
  rewriter.replaceOpWithNewOp<grid::PrngBitsOp>(op,
                                                getTensorType(op.getType()));
  return success();
}

/// The text of a tag as a format: `$0` for the value that goes there, and
/// braces doubled.
std::string toFormat(StringRef tag, bool isFormatted) {
  std::string format;
  while (!tag.empty()) {
    char next = tag.front();
    StringRef placeholder = tag.drop_front().take_while(
        [](char c) { return c == 'x' || llvm::isDigit(c); });
    if (isFormatted && next == '$' && !placeholder.empty()) {
      bool isHex = placeholder.consume_front("x");
      format += isHex ? "{:x}" : "{}";
      tag = tag.drop_front(1 + isHex + placeholder.size());
      continue;
    }
    format += next;
    if (next == '{' || next == '}')
      format += next;
    tag = tag.drop_front();
  }
  return format;
}

LogicalResult raiseLog(tpu::LogOp op, tpu::LogOp::Adaptor adaptor,
                       Rewriter &rewriter) {
  std::string format = toFormat(op.getTag(), op.getFormatted());
  if (!op.getFormatted())
    for (size_t i = 0; i < op.getInputs().size(); ++i)
      format += " {}";
  rewriter.replaceOpWithNewOp<grid::PrintOp>(
      op, format, adaptor.getInputs(),
      SmallVector<bool>(op.getInputs().size(), false));
  return success();
}

LogicalResult raiseLogBuffer(tpu::LogBufferOp op,
                             tpu::LogBufferOp::Adaptor adaptor,
                             Rewriter &rewriter) {
  Value memory = getRef(adaptor.getInput());
  if (!memory)
    return failure();
  auto type = cast<MemRefType>(memory.getType());
  Value value = grid::LoadOp::create(
      rewriter, op.getLoc(),
      RankedTensorType::get(type.getShape(), type.getElementType()), memory,
      Value(), Value());
  rewriter.replaceOpWithNewOp<grid::PrintOp>(
      op, toFormat(op.getTag(), /*isFormatted=*/false) + "{}", value,
      ArrayRef<bool>{false});
  return success();
}

LogicalResult raiseAssert(cf::AssertOp op, cf::AssertOp::Adaptor adaptor,
                          Rewriter &rewriter) {
  rewriter.replaceOpWithNewOp<grid::AssertOp>(op, adaptor.getArg(), op.getMsg(),
                                              ValueRange());
  return success();
}

/// Ops that only affect a profile.
template <typename OpT>
LogicalResult dropTrace(OpT op, typename OpT::Adaptor, Rewriter &rewriter) {
  rewriter.eraseOp(op);
  return success();
}

/// A region whose allocations become the Refs of a scope.
LogicalResult raiseRegion(tpu::RegionOp op, tpu::RegionOp::Adaptor adaptor,
                          Rewriter &rewriter) {
  Block &source = op.getRegion().front();
  SmallVector<Operation *> allocations;
  SmallVector<Type> refs, results;
  for (Operation &inner : source)
    if (isa<memref::AllocaOp, tpu::AllocaSemaphoreOp>(inner)) {
      allocations.push_back(&inner);
      refs.push_back(
          convertRef(cast<MemRefType>(inner.getResult(0).getType())));
    }
  llvm::append_range(results, llvm::map_range(op.getResultTypes(), raiseType));
  auto scoped =
      grid::ScopedOp::create(rewriter, op.getLoc(), results, ArrayAttr(),
                             ArrayAttr(), /*origins=*/ArrayAttr());
  SmallVector<Location> locs(refs.size(), op.getLoc());
  Block *block = rewriter.createBlock(&scoped.getBody(), {}, refs, locs);
  for (auto [allocation, ref] :
       llvm::zip_equal(allocations, block->getArguments()))
    replaceByStandIn(rewriter, allocation, ref);
  rewriter.mergeBlocks(&source, block);
  rewriter.replaceOp(op, scoped);
  return success();
}

LogicalResult raiseYield(tpu::YieldOp op, tpu::YieldOp::Adaptor adaptor,
                         Rewriter &rewriter) {
  rewriter.replaceOpWithNewOp<grid::YieldOp>(op, adaptor.getOperands());
  return success();
}

/// An allocation becomes an argument of the scope around it.
template <typename OpT>
LogicalResult refuseAllocation(OpT op, typename OpT::Adaptor, Rewriter &) {
  return op.emitError(
      "expected an allocation in a tpu.region in an executable module");
}

} // namespace

void populateProgramPatterns(ConversionPatterns &patterns) {
  patterns.add(raiseBound);
  patterns.add(raiseAssume);
  patterns.add(raiseSeed);
  patterns.add(raiseBits);
  patterns.add(raiseLog);
  patterns.add(raiseLogBuffer);
  patterns.add(raiseAssert);
  patterns.add(dropTrace<tpu::TraceStartOp>);
  patterns.add(dropTrace<tpu::TraceStopOp>);
  patterns.add(dropTrace<tpu::TraceValueOp>);
  patterns.add(dropTrace<tpu::DelayOp>);
  patterns.add(raiseRegion);
  patterns.add(raiseYield);
  patterns.add(refuseAllocation<memref::AllocaOp>);
  patterns.add(refuseAllocation<tpu::AllocaSemaphoreOp>);
}

} // namespace gridir::tpu_to_grid

//===- PrefetchReads.cpp - fetch large operands before they are read ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/ElementOffsets.h"
#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/Kernel/IR/Kernel.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUPREFETCHREADSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using namespace gridir::cpu;

namespace {

/// The bytes that memory transfers at a time.
constexpr int64_t kLineBytes = 64;

/// The distance of a prefetch: long enough to hide the latency of memory, and
/// short enough that the first-level cache still holds the lines.
constexpr int64_t kAheadBytes = 1024;

/// The shortest row. After its end, the loop fetches lines of an unrelated row
/// if the next row is elsewhere: at most a quarter as many as are needed.
constexpr int64_t kLeastRowBytes = 4 * kAheadBytes;

/// Lines that one iteration may fetch.
constexpr int64_t kMostLines = 16;

int64_t getElementBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// The reads of one array by one loop at positions that differ by constants,
/// by the last one.
struct Stream {
  ElementPosition position;
  vector::TransferReadOp last;
};

class CPUPrefetchReadsPass
    : public gridir::cpu::impl::CPUPrefetchReadsPassBase<CPUPrefetchReadsPass> {
public:
  using CPUPrefetchReadsPassBase::CPUPrefetchReadsPassBase;

  void runOnOperation() override {
    if (cacheBytes <= 0)
      return;
    if (failed(gridir::verifyCountableTypes(getOperation())))
      return signalPassFailure();
    FailureOr<gridir::kernel::ABIOp> abi =
        gridir::kernel::getABI(getOperation());
    if (failed(abi))
      return signalPassFailure();
    auto kernel = abi->getEntryFunction<func::FuncOp>();
    if (failed(kernel))
      return signalPassFailure();
    (*kernel).walk([&](scf::ForOp loop) { prefetch(loop); });
  }

private:
  void prefetch(scf::ForOp loop) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
    if (!step || !first || !end || *step <= 0 || *end <= *first)
      return;
    SmallVector<Stream> streams;
    for (auto read : loop.getBody()->getOps<vector::TransferReadOp>()) {
      std::optional<ElementPosition> position = getStreaming(read, loop);
      if (!position)
        continue;
      int64_t bytes =
          getElementBytes(cast<MemRefType>(read.getBase().getType()));
      if ((*end - *first) * bytes < kLeastRowBytes) {
        ++numShort;
        continue;
      }
      if (*step * bytes > kMostLines * kLineBytes)
        continue;
      position->constant += read.getVectorType().getNumElements();
      auto *stream = llvm::find_if(streams, [&](const Stream &other) {
        return other.position.root == position->root &&
               other.position.terms == position->terms;
      });
      if (stream == streams.end())
        streams.push_back({*position, read});
      else if (position->constant > stream->position.constant)
        *stream = {*position, read};
    }
    for (const Stream &stream : streams)
      create(stream.last, *step);
  }

  /// The position of a read of a large operand that moves with the loop,
  /// element by element.
  std::optional<ElementPosition> getStreaming(vector::TransferReadOp read,
                                              scf::ForOp loop) {
    auto base = dyn_cast<MemRefType>(read.getBase().getType());
    if (!base || base.getRank() == 0 || !base.getElementType().isIntOrFloat() ||
        read.getVectorType().getRank() != 1 ||
        read.getVectorType().isScalable() ||
        !read.getPermutationMap().isMinorIdentity() ||
        !base.isLastDimUnitStride())
      return std::nullopt;
    std::optional<ElementPosition> position = getElementPosition(
        cast<VectorTransferOpInterface>(read.getOperation()));
    if (!position || !isLargeOperand(position->root))
      return std::nullopt;
    unsigned numOfLoop = 0;
    for (auto [number, factor] : position->terms) {
      if (number == loop.getInductionVar() && factor == 1)
        ++numOfLoop;
      else if (growsWith(number, loop.getInductionVar()) ||
               !loop.isDefinedOutsideOfLoop(number))
        return std::nullopt;
    }
    return numOfLoop == 1 ? position : std::nullopt;
  }

  bool isLargeOperand(Value root) {
    auto argument = dyn_cast<BlockArgument>(root);
    auto type = dyn_cast<MemRefType>(root.getType());
    if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()) ||
        !type || !type.hasStaticShape() ||
        !type.getElementType().isIntOrFloat())
      return false;
    int64_t elements = *gridir::countPoints(type.getShape());
    return elements >=
           llvm::divideCeilSigned(cacheBytes.getValue(), getElementBytes(type));
  }

  /// Fetches as many elements as the loop reads in an iteration.
  void create(vector::TransferReadOp read, int64_t step) {
    OpBuilder builder(read);
    Location loc = read.getLoc();
    int64_t bytes = getElementBytes(cast<MemRefType>(read.getBase().getType()));
    int64_t begin =
        read.getVectorType().getNumElements() - step + kAheadBytes / bytes;
    SmallVector<Value> indices(read.getIndices());
    Value last = indices.back();
    for (int64_t byte = 0; byte < step * bytes; byte += kLineBytes) {
      Value distance =
          arith::ConstantIndexOp::create(builder, loc, begin + byte / bytes);
      indices.back() = arith::AddIOp::create(builder, loc, last, distance);
      memref::PrefetchOp::create(builder, loc, read.getBase(), indices,
                                 /*isWrite=*/false, /*localityHint=*/3,
                                 /*isDataCache=*/true);
      ++numPrefetched;
    }
  }
};

} // namespace

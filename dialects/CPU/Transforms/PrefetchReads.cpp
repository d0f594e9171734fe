//===- PrefetchReads.cpp - fetch large operands before they are read ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/ElementOffsets.h"
#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/CPU/Transforms/VectorTarget.h"
#include "dialects/Kernel/IR/Kernel.h"

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

/// The shortest row.
constexpr int64_t kLeastRowBytes = 4096;

/// The distance of a prefetch is a part of a row if the next row is elsewhere:
/// at the end of each row, the loop fetches lines that nothing reads.
constexpr int64_t kPartsOfRow = 4;

/// The most that all streams of a loop fetch ahead: several pages, where the
/// processor itself stops at the end of each, and no more than the first-level
/// cache holds.
constexpr int64_t kMostBytesAhead = 16 << 10;

/// The most ops between a loaded number and a position that it chooses.
constexpr unsigned kMaxDepth = 8;

/// Lines that one turn of a loop may fetch.
constexpr int64_t kMostLinesOfTurn = 16;

int64_t getElementBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// The distance in iterations where each reads a part of a row: a processor
/// fetches the rest of a row by itself, and not the next row.
constexpr int64_t kAheadRows = 4;

/// The shortest part of a row.
constexpr int64_t kLeastPartBytes = 4 * kLineBytes;

/// The reads of one array by one loop that read the same lines, by the last
/// one.
struct Stream {
  vector::TransferReadOp last;
  ElementPosition position;
  /// The elements from one iteration to the next, and those that each reads.
  int64_t stride, part;
  int64_t elementBytes;
  /// The elements that all iterations read if the parts are contiguous.
  int64_t row = 0;
  /// True if numbers in memory choose the row, so that the next one is
  /// elsewhere.
  bool isGathered = false;

  bool isContiguous() const { return stride == part; }
  int64_t getPartBytes() const { return part * elementBytes; }

  bool readsLinesOf(const Stream &other) const {
    return position.root == other.position.root &&
           position.terms == other.position.terms &&
           (isContiguous() ||
            (position.constant - other.position.constant) % stride == 0);
  }
};

/// True if a number is computed from one in memory.
bool isLoaded(Value number, unsigned depth = kMaxDepth) {
  Operation *op = number.getDefiningOp();
  if (!op || depth == 0)
    return false;
  return isa<memref::LoadOp>(op) ||
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return isLoaded(operand, depth - 1);
         });
}

class CPUPrefetchReadsPass
    : public gridir::cpu::impl::CPUPrefetchReadsPassBase<CPUPrefetchReadsPass> {
public:
  using CPUPrefetchReadsPassBase::CPUPrefetchReadsPassBase;

  void runOnOperation() override {
    if (cacheBytes <= 0)
      return;
    FailureOr<gridir::kernel::ABIOp> abi =
        gridir::kernel::getABI(getOperation());
    if (failed(abi))
      return signalPassFailure();
    auto kernel = abi->getEntryFunction<func::FuncOp>();
    if (failed(kernel))
      return signalPassFailure();
    (*kernel).walk([&](scf::ForOp loop) {
      prefetch(loop);
      if (resultBytes > 0)
        for (auto write : loop.getBody()->getOps<vector::TransferWriteOp>())
          prefetchRow(write, loop);
    });
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
      std::optional<Stream> next = getStream(read, loop, *step);
      if (!next)
        continue;
      next->row = llvm::divideCeil(*end - *first, *step) * next->part;
      if (next->row * next->elementBytes < kLeastRowBytes) {
        ++numShort;
        continue;
      }
      if (next->getPartBytes() > kMostLinesOfTurn * kLineBytes)
        continue;
      auto *stream = llvm::find_if(streams, [&](const Stream &other) {
        return next->readsLinesOf(other);
      });
      if (stream == streams.end())
        streams.push_back(*next);
      else if (next->position.constant > stream->position.constant)
        *stream = *next;
    }
    for (const Stream &stream : streams)
      create(stream, streams.size());
  }

  /// None unless the position in a large operand moves with the loop, element
  /// by element or by more than is read.
  std::optional<Stream> getStream(vector::TransferReadOp read, scf::ForOp loop,
                                  int64_t step) {
    std::optional<ElementPosition> position = getContiguousPosition(read);
    if (!position || !isLargeOperand(position->root, cacheBytes))
      return std::nullopt;
    int64_t factor = 0;
    bool isGathered = false;
    for (auto [number, ofNumber] : position->terms) {
      if (number == loop.getInductionVar())
        factor = ofNumber;
      else if (growsWith(number, loop.getInductionVar()) ||
               !loop.isDefinedOutsideOfLoop(number))
        return std::nullopt;
      else
        isGathered |= isLoaded(number);
    }
    auto array = cast<MemRefType>(position->root.getType());
    int64_t stride, size = read.getVectorType().getNumElements();
    position->constant += size;
    if (factor <= 0 || llvm::MulOverflow(factor, step, stride) ||
        stride > array.getNumElements())
      return std::nullopt;
    // Other reads of the loop may read the rest.
    Stream stream{read, *position, stride, factor == 1 ? stride : size,
                  getElementBytes(array)};
    stream.isGathered = isGathered;
    if (!stream.isContiguous() &&
        (size > stride || stream.getPartBytes() < kLeastPartBytes))
      return std::nullopt;
    return stream;
  }

  /// Fetches the part of the fourth row after that a loop writes, if the loop
  /// around it goes from row to row.
  void prefetchRow(vector::TransferWriteOp write, scf::ForOp loop) {
    auto rows = dyn_cast<scf::ForOp>(loop->getParentOp());
    if (!rows)
      return;
    std::optional<int64_t> step = getConstantIntValue(rows.getStep());
    std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
    std::optional<ElementPosition> position = getContiguousPosition(write);
    if (!step || !first || !end || !position ||
        !isLargeOperand(position->root, resultBytes))
      return;
    int64_t factor = 0, rowFactor = 0, stride;
    for (auto [number, ofNumber] : position->terms) {
      if (number == loop.getInductionVar())
        factor = ofNumber;
      else if (number == rows.getInductionVar())
        rowFactor = ofNumber;
      else if (!rows.isDefinedOutsideOfLoop(number))
        return;
    }
    auto array = cast<MemRefType>(position->root.getType());
    int64_t bytes = getElementBytes(array), part = *end - *first;
    if (factor != 1 || rowFactor <= 0 || part * bytes < kLeastPartBytes ||
        part * bytes >= kLeastRowBytes ||
        llvm::MulOverflow(rowFactor, *step, stride) || stride <= part ||
        stride > array.getNumElements())
      return;
    createLines(write, kAheadRows * stride,
                write.getVectorType().getNumElements() * bytes, bytes,
                /*isWrite=*/true);
  }

  /// The distance of a prefetch in a row, in elements.
  static int64_t getDistance(const Stream &stream, int64_t numStreams) {
    ArrayRef<int64_t> shape =
        cast<MemRefType>(stream.position.root.getType()).getShape();
    int64_t bytes = kMostBytesAhead / numStreams;
    bool isNextAdjacent = !stream.isGathered &&
                          (shape.size() == 1 || stream.row % shape.back() == 0);
    if (!isNextAdjacent)
      bytes = std::min(bytes, stream.row * stream.elementBytes / kPartsOfRow);
    return std::max(bytes / kLineBytes, int64_t(1)) * kLineBytes /
           stream.elementBytes;
  }

  /// Fetches what a later iteration reads.
  void create(const Stream &stream, int64_t numStreams) {
    vector::TransferReadOp read = stream.last;
    int64_t begin = read.getVectorType().getNumElements() - stream.part;
    if (stream.isContiguous())
      begin += getDistance(stream, numStreams);
    else
      begin += kAheadRows * stream.stride;
    createLines(read, begin, stream.getPartBytes(), stream.elementBytes,
                /*isWrite=*/false);
  }

  /// Fetches the lines of `bytes` bytes, `begin` elements after those that are
  /// transferred.
  template <typename TransferOp>
  void createLines(TransferOp transfer, int64_t begin, int64_t bytes,
                   int64_t elementBytes, bool isWrite) {
    OpBuilder builder(transfer);
    Location loc = transfer.getLoc();
    SmallVector<Value> indices(transfer.getIndices());
    Value last = indices.back();
    for (int64_t byte = 0; byte < bytes; byte += kLineBytes) {
      Value distance = arith::ConstantIndexOp::create(
          builder, loc, begin + byte / elementBytes);
      indices.back() = arith::AddIOp::create(builder, loc, last, distance);
      memref::PrefetchOp::create(builder, loc, transfer.getBase(), indices,
                                 isWrite, /*localityHint=*/3,
                                 /*isDataCache=*/true);
      ++numPrefetched;
    }
  }
};

} // namespace

//===- BufferPlan.cpp - where the buffers of a kernel live ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/BufferPlan.h"

#include "dialects/Kernel/IR/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::loops {
namespace {

/// Numbers the ops of a function so that an op's interval encloses those of
/// the ops nested in it.
class Positions {
public:
  explicit Positions(func::FuncOp function) {
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { begin[op] = counter++; });
    function.walk<WalkOrder::PostOrder>([&](Operation *op) {
      int64_t last = begin[op];
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Operation &inner : block)
            last = std::max(last, end[&inner]);
      end[op] = last;
    });
  }

  int64_t getBegin(Operation *op) const { return begin.lookup(op); }
  int64_t getEnd(Operation *op) const { return end.lookup(op); }

private:
  int64_t counter = 0;
  DenseMap<Operation *, int64_t> begin, end;
};

FailureOr<int64_t> getNumBytes(Operation *op, MemRefType type) {
  Type element = type.getElementType(), part = element;
  auto complex = dyn_cast<ComplexType>(element);
  if (complex)
    part = complex.getElementType();
  int64_t bits = 0;
  if (part.isIndex())
    bits = 64;
  else if (part.isIntOrFloat())
    bits = part.getIntOrFloatBitWidth();
  if (bits == 0) {
    op->emitError() << "expected numbers as the elements of a buffer, got "
                    << element;
    return failure();
  }
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  int64_t bytes = llvm::divideCeil(bits, 8) * (complex ? 2 : 1);
  for (int64_t size : type.getShape())
    bytes *= size;
  return bytes;
}

/// The interval covers every access through every view. It is measured in the
/// innermost block that encloses them all, so that an access in a deeper loop
/// keeps the buffer for the whole of that loop. It begins at the first access,
/// since bufferization allocates long before, unless the buffer is allocated in
/// a deeper block.
void computeLifetime(Value value, const Positions &positions,
                     const BufferViewFlowAnalysis &views,
                     PlannedBuffer &buffer) {
  SmallVector<Operation *> uses;
  for (Value view : views.resolve(value)) {
    // A holder of the address may use it until the end of the block.
    for (Operation *user : view.getUsers())
      if (isa<memref::ExtractAlignedPointerAsIndexOp>(user))
        uses.push_back(&user->getBlock()->back());
    // A loop argument is alive in all of its loop, whether used or not.
    if (auto arg = dyn_cast<BlockArgument>(view))
      uses.push_back(arg.getOwner()->getParentOp());
    llvm::append_range(uses, view.getUsers());
  }
  Block *block = value.getDefiningOp()->getBlock();
  auto enclosesAll = [&] {
    return llvm::all_of(uses, [&](Operation *use) {
      return block->findAncestorOpInBlock(*use) != nullptr;
    });
  };
  while (!enclosesAll() && block->getParentOp()->getBlock() &&
         !isa<func::FuncOp>(block->getParentOp()))
    block = block->getParentOp()->getBlock();

  Operation *first = block->findAncestorOpInBlock(*value.getDefiningOp());
  bool isNested = first != value.getDefiningOp();
  buffer.begin = positions.getBegin(first);
  buffer.end = positions.getEnd(first);
  std::optional<int64_t> firstAccess;
  for (Operation *use : uses) {
    Operation *ancestor = block->findAncestorOpInBlock(*use);
    if (!ancestor)
      return;
    buffer.end = std::max(buffer.end, positions.getEnd(ancestor));
    // A view computes an address and accesses no memory.
    int64_t begin = positions.getBegin(ancestor);
    if (ancestor != use || !isa<ViewLikeOpInterface>(use))
      firstAccess = std::min(firstAccess.value_or(begin), begin);
  }
  if (!isNested && firstAccess)
    buffer.begin = *firstAccess;
}

} // namespace

FailureOr<SmallVector<PlannedBuffer>> collectBuffers(func::FuncOp function) {
  SmallVector<PlannedBuffer> buffers;
  Positions positions(function);
  BufferViewFlowAnalysis views(function);
  WalkResult result = function.walk([&](Operation *op) {
    if (!isa<memref::AllocOp, memref::AllocaOp>(op))
      return WalkResult::advance();
    auto type = cast<MemRefType>(op->getResult(0).getType());
    if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
      op->emitError() << "expected a buffer of static size in a kernel, got "
                      << type;
      return WalkResult::interrupt();
    }
    FailureOr<int64_t> bytes = getNumBytes(op, type);
    if (failed(bytes))
      return WalkResult::interrupt();
    PlannedBuffer buffer{op, *bytes, 0, 0};
    computeLifetime(op->getResult(0), positions, views, buffer);
    // Other work items may access the buffer before and after its own work item
    // uses it.
    auto mark =
        kernel::KernelDialect::BufferAttrHelper(op->getContext()).getAttr(op);
    if (mark) {
      if (mark.getMembers() < 0) {
        op->emitError()
            << "expected a buffer of one work item or more, or of 0 "
               "for all, got one of "
            << mark.getMembers();
        return WalkResult::interrupt();
      }
      buffer.members = mark.getMembers();
      buffer.begin = 0;
      buffer.end = std::numeric_limits<int64_t>::max();
    }
    buffers.push_back(buffer);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return buffers;
}

/// Largest first, each at the lowest offset where no buffer that lives at the
/// same time is in its way.
int64_t placeBuffers(ArrayRef<PlannedBuffer *> buffers) {
  SmallVector<PlannedBuffer *> order(buffers);
  llvm::stable_sort(order, [](const PlannedBuffer *a, const PlannedBuffer *b) {
    return a->size > b->size;
  });

  int64_t size = 0;
  SmallVector<PlannedBuffer *> placed; // by offset
  for (PlannedBuffer *buffer : order) {
    int64_t offset = 0;
    for (PlannedBuffer *other : placed) {
      if (!buffer->overlapsInTime(*other))
        continue;
      if (offset + buffer->size <= other->offset)
        break;
      offset = std::max<int64_t>(
          offset, llvm::alignTo(other->offset + other->size, kBufferAlignment));
    }
    buffer->offset = offset;
    assert(llvm::none_of(placed,
                         [&](const PlannedBuffer *other) {
                           return buffer->overlapsInTime(*other) &&
                                  offset < other->offset + other->size &&
                                  other->offset < offset + buffer->size;
                         }) &&
           "buffers that are alive at the same time lie apart");
    size = std::max<int64_t>(
        size, llvm::alignTo(offset + buffer->size, kBufferAlignment));
    placed.insert(
        llvm::upper_bound(placed, buffer,
                          [](const PlannedBuffer *a, const PlannedBuffer *b) {
                            return a->offset < b->offset;
                          }),
        buffer);
  }
  return size;
}

void replaceByView(OpBuilder &builder, const PlannedBuffer &buffer,
                   Value bytes) {
  Location loc = buffer.alloc->getLoc();
  Value offset = arith::ConstantIndexOp::create(builder, loc, buffer.offset);
  Value result = buffer.alloc->getResult(0);
  Value view =
      memref::ViewOp::create(builder, loc, cast<MemRefType>(result.getType()),
                             bytes, offset, ValueRange());
  for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
    if (isa<memref::DeallocOp>(user))
      user->erase();
  result.replaceAllUsesWith(view);
  // Keep the insertion point, unless its op is erased.
  if (builder.getInsertionPoint() == buffer.alloc->getIterator())
    builder.setInsertionPointAfter(buffer.alloc);
  buffer.alloc->erase();
}

} // namespace gridir::loops

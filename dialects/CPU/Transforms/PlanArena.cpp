//===- PlanArena.cpp - place every buffer of a kernel in one arena --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUPLANARENAPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;

namespace {

/// Every buffer starts on a cache line, which is also what the widest vector
/// load likes best.
constexpr int64_t kAlignment = 64;

/// One buffer: what it needs, when it lives (as positions in a walk of the
/// function) and where it was put.
struct Buffer {
  Operation *alloc;
  int64_t size;
  int64_t begin, end;
  int64_t offset = 0;

  bool overlapsInTime(const Buffer &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

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

class CPUPlanArenaPass
    : public gridir::cpu::impl::CPUPlanArenaPassBase<CPUPlanArenaPass> {
public:
  using CPUPlanArenaPassBase::CPUPlanArenaPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto name = module->getAttrOfType<StringAttr>("gridir.kernel");
    if (!name) {
      module.emitError("expected the module to name its kernel in "
                       "'gridir.kernel'");
      return signalPassFailure();
    }
    auto kernel = module.lookupSymbol<func::FuncOp>(name);
    if (!kernel || kernel.isExternal()) {
      module.emitError() << "expected a function @" << name.getValue()
                         << " with a body, as 'gridir.kernel' says";
      return signalPassFailure();
    }

    SmallVector<Buffer> buffers;
    if (failed(collect(kernel, buffers)))
      return signalPassFailure();
    int64_t size = place(buffers);
    rewrite(kernel, buffers, size);
    module->setAttr("gridir.arena_bytes",
                    Builder(module).getI64IntegerAttr(size));
  }

private:
  LogicalResult collect(func::FuncOp kernel, SmallVectorImpl<Buffer> &buffers) {
    Positions positions(kernel);
    BufferViewFlowAnalysis views(kernel);
    WalkResult result = kernel.walk([&](Operation *op) {
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
      Buffer buffer{op, *bytes, 0, 0};
      computeLifetime(op->getResult(0), positions, views, buffer);
      buffers.push_back(buffer);
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  static FailureOr<int64_t> getNumBytes(Operation *op, MemRefType type) {
    Type element = type.getElementType();
    int64_t bits = 0;
    if (element.isIndex())
      bits = 64;
    else if (element.isIntOrFloat())
      bits = element.getIntOrFloatBitWidth();
    if (bits == 0) {
      op->emitError() << "expected integer, index or float elements in a "
                         "buffer, got "
                      << element;
      return failure();
    }
    return type.getNumElements() * llvm::divideCeil(bits, 8);
  }

  /// The interval covers every use of every view. It is measured in the
  /// innermost block that encloses them all, so that a use in a deeper loop
  /// keeps the buffer for the whole of that loop.
  static void computeLifetime(Value value, const Positions &positions,
                              const BufferViewFlowAnalysis &views,
                              Buffer &buffer) {
    SmallVector<Operation *> uses;
    for (Value view : views.resolve(value)) {
      // Who has the address may use it until the end of the block.
      for (Operation *user : view.getUsers())
        if (isa<memref::ExtractAlignedPointerAsIndexOp>(user))
          uses.push_back(user->getBlock()->getTerminator());
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
    buffer.begin = positions.getBegin(first);
    buffer.end = positions.getEnd(first);
    for (Operation *use : uses)
      if (Operation *ancestor = block->findAncestorOpInBlock(*use))
        buffer.end = std::max(buffer.end, positions.getEnd(ancestor));
  }

  /// Largest first, each at the lowest offset where no buffer that lives at the
  /// same time is in its way. Returns the size of the arena.
  int64_t place(SmallVectorImpl<Buffer> &buffers) {
    SmallVector<Buffer *> order;
    int64_t unshared = 0;
    for (Buffer &buffer : buffers) {
      order.push_back(&buffer);
      unshared += llvm::alignTo(buffer.size, kAlignment);
    }
    llvm::stable_sort(order, [](const Buffer *a, const Buffer *b) {
      return a->size > b->size;
    });

    int64_t size = 0;
    SmallVector<Buffer *> placed; // by offset
    for (Buffer *buffer : order) {
      int64_t offset = 0;
      for (Buffer *other : placed) {
        if (!buffer->overlapsInTime(*other))
          continue;
        if (offset + buffer->size <= other->offset)
          break;
        offset = std::max<int64_t>(
            offset, llvm::alignTo(other->offset + other->size, kAlignment));
      }
      buffer->offset = offset;
      size = std::max<int64_t>(
          size, llvm::alignTo(offset + buffer->size, kAlignment));
      placed.insert(llvm::upper_bound(placed, buffer,
                                      [](const Buffer *a, const Buffer *b) {
                                        return a->offset < b->offset;
                                      }),
                    buffer);
    }
    numBuffers += buffers.size();
    numBytes += size;
    numBytesSaved += unshared - size;
    return size;
  }

  static void rewrite(func::FuncOp kernel, ArrayRef<Buffer> buffers,
                      int64_t size) {
    OpBuilder builder(kernel.getContext());
    auto type = MemRefType::get({size}, builder.getI8Type());
    unsigned index = kernel.getNumArguments();
    // Nothing else points into the arena, which the code generator may use.
    auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(
        LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr()));
    (void)kernel.insertArgument(index, type, attributes, kernel.getLoc());
    Value arena = kernel.getArgument(index);

    // The views stand at the entry, so that no loop computes them again.
    builder.setInsertionPointToStart(&kernel.getBody().front());
    for (const Buffer &buffer : buffers) {
      Location loc = buffer.alloc->getLoc();
      Value offset =
          arith::ConstantIndexOp::create(builder, loc, buffer.offset);
      Value result = buffer.alloc->getResult(0);
      Value view = memref::ViewOp::create(builder, loc,
                                          cast<MemRefType>(result.getType()),
                                          arena, offset, ValueRange());
      for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
        if (isa<memref::DeallocOp>(user))
          user->erase();
      result.replaceAllUsesWith(view);
      buffer.alloc->erase();
    }
  }
};

} // namespace

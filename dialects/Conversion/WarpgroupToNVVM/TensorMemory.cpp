//===- TensorMemory.cpp - Tensor memory, its loads and stores -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/TensorMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

//===----------------------------------------------------------------------===//
// The allocation
//===----------------------------------------------------------------------===//

NVVM::CTAGroupKind getCtaGroup(bool isPaired) {
  return isPaired ? NVVM::CTAGroupKind::CTA_2 : NVVM::CTAGroupKind::CTA_1;
}

static void createTensorFence(OpBuilder &builder, Location loc,
                              NVVM::Tcgen05FenceKind kind) {
  NVVM::Tcgen05FenceOp::create(builder, loc, kind);
}

void createFenceBeforeSync(OpBuilder &builder, Location loc) {
  createTensorFence(builder, loc, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
}

void createFenceAfterSync(OpBuilder &builder, Location loc) {
  createTensorFence(builder, loc, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
}

Value createTensorPointer(OpBuilder &builder, Location loc, Value address) {
  auto type = LLVM::LLVMPointerType::get(
      builder.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor));
  return LLVM::IntToPtrOp::create(builder, loc, type, address);
}

/// Emits `body` for the first warp of the CTA.
static void createForFirstWarp(OpBuilder &builder, Location loc,
                               function_ref<void()> body) {
  Value number = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number,
                            createI32(builder, loc, 1 << kNumLaneBits));
  auto guard = scf::IfOp::create(builder, loc, isFirst);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  body();
}

void Lowering::allocateTensorMemory(Value slot) {
  Location loc = kernel.getLoc();
  NVVM::CTAGroupKind group = getCtaGroup(hasPairs);
  createForFirstWarp(builder, loc, [&] {
    NVVM::Tcgen05AllocOp::create(builder, loc, slot,
                                 createI32(builder, loc, tensorColumns), group);
    NVVM::Tcgen05RelinquishAllocPermitOp::create(builder, loc, group);
  });
  createFenceBeforeSync(builder, loc);
}

void Lowering::findTensorMemory(Value slot) {
  Location loc = kernel.getLoc();
  createFenceAfterSync(builder, loc);
  tensorBase = LLVM::LoadOp::create(builder, loc, builder.getI32Type(), slot);
}

void Lowering::freeTensorMemory() {
  Location loc = kernel.getLoc();
  createForFirstWarp(builder, loc, [&] {
    createFenceAfterSync(builder, loc);
    NVVM::Tcgen05DeallocOp::create(
        builder, loc, createTensorPointer(builder, loc, tensorBase),
        createI32(builder, loc, tensorColumns), getCtaGroup(hasPairs));
  });
}

FailureOr<std::shared_ptr<Storage>>
Lowering::addTensorMemory(grid::ScopedOp op, unsigned number, int64_t column) {
  auto type = cast<MemRefType>(op.getBody().getArgument(number).getType());
  if (!chip.hasTensorMemory)
    return op.emitError("expected a chip that has tensor memory, got ")
           << chip.name << " for " << op.getRefName(number);
  FailureOr<warpgroup::TensorMemoryLayout> layout =
      warpgroup::getTensorMemoryLayout(op, number);
  if (failed(layout))
    return failure();
  auto storage = std::make_shared<Storage>();
  storage->kind = Storage::Kind::Tensor;
  storage->elementType = type.getElementType();
  storage->shape.assign(type.getShape().begin(), type.getShape().end());
  storage->width = getRowLength(type.getShape());
  storage->tensor = *layout;
  storage->base =
      arith::AddIOp::create(builder, op.getLoc(), tensorBase,
                            createI32(builder, op.getLoc(), column));
  return storage;
}

//===----------------------------------------------------------------------===//
// Windows of it
//===----------------------------------------------------------------------===//

LogicalResult TensorWindow::analyze(Operation *op) {
  const Storage &storage = *view.storage;
  auto refuse = [&](const Twine &expected) {
    return op->emitError("expected ") << expected << " in tensor memory";
  };
  if (storage.kind != Storage::Kind::Tensor)
    return refuse("a matrix");
  const warpgroup::TensorMemoryLayout &layout = *storage.tensor;
  int64_t last = storage.shape.size() - 1;
  SmallVector<int64_t> extents(storage.shape.size(), 1);
  for (auto [d, size] : llvm::zip_equal(view.dims, view.sizes)) {
    if (d < 0 || view.strides[d] != 1)
      return refuse("contiguous elements");
    extents[d] = size;
  }
  if (extents[last - 1] != storage.shape[last - 1])
    return refuse("all rows of a matrix");
  if (extents[last] == storage.shape[last])
    return success();
  if (layout.kind != warpgroup::TensorMemoryLayout::Kind::Rows)
    return refuse("all columns of a matrix of 64 rows or of scales");
  if (extents[last] % layout.packing != 0 ||
      getDivisor(view.offsets[last]) % layout.packing != 0)
    return refuse("windows of a multiple of " + Twine(layout.packing) +
                  " columns");
  return success();
}

Value TensorWindow::createAddress(Location loc) {
  const Storage &storage = *view.storage;
  const warpgroup::TensorMemoryLayout &layout = *storage.tensor;
  int64_t last = storage.shape.size() - 1;
  OpFoldResult column = builder.getI32IntegerAttr(0);
  if (std::optional<int64_t> first = getConstantIntValue(view.offsets[last]))
    column = builder.getI32IntegerAttr(*first / layout.packing);
  else
    column = arith::DivUIOp::create(builder, loc,
                                    toI32(builder, loc, view.offsets[last]),
                                    createI32(builder, loc, layout.packing))
                 .getResult();
  int64_t stride = layout.getMatrixColumns();
  for (int64_t d = last - 2; d >= 0; --d) {
    column = createOffset(builder, loc, column, view.offsets[d], stride);
    stride *= storage.shape[d];
  }
  return createColumnAddress(loc, storage.base, column);
}

Value TensorWindow::createColumnAddress(Location loc, Value address,
                                        OpFoldResult column) {
  if (getConstantIntValue(column) == 0)
    return address;
  return arith::AddIOp::create(builder, loc, address,
                               toI32(builder, loc, column));
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

namespace {

/// Steps along lanes and columns of tensor memory.
struct TensorStep {
  int64_t lane, column;
};

/// The words that a load or store of one shape moves. The address of a word is
/// the sum of these steps over the set bits of the thread number and of the
/// register number; a repetition adds columns.
struct TensorShape {
  NVVM::Tcgen05LdStShape shape;
  std::array<TensorStep, kNumThreadBits> threads;
  SmallVector<TensorStep, 4> registers;
  /// The columns of one repetition, and the lanes at which a quarter takes an
  /// instruction each.
  int64_t columns;
  SmallVector<int64_t, 2> lanes;
};

ArrayRef<TensorShape> getTensorShapes() {
  using Shape = NVVM::Tcgen05LdStShape;
  static const TensorShape shapes[] = {
      {Shape::SHAPE_32X32B,
       {{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}, {64, 0}}},
       {{0, 0}},
       1,
       {0}},
      {Shape::SHAPE_16X256B,
       {{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}, {32, 0}, {64, 0}}},
       {{0, 0}, {0, 1}, {8, 0}, {8, 1}},
       8,
       {0, 16}},
      {Shape::SHAPE_16X128B,
       {{{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}, {32, 0}, {64, 0}}},
       {{0, 0}, {8, 0}},
       4,
       {0, 16}}};
  return shapes;
}

/// The maximum number of registers that an instruction loads or stores.
constexpr int64_t kMaxTensorWords = 64;

/// A load or store of a whole view.
class TensorAccess {
public:
  TensorAccess(Lowering &lowering, Location loc, const View &view)
      : lowering(lowering), builder(lowering.builder), loc(loc), view(view),
        storage(*view.storage), layout(*storage.tensor), window(builder, view) {
  }

  Registers load(const Distribution &to) {
    choose(to);
    Value address = window.createAddress(loc);
    createFenceAfterSync(builder, loc);
    Registers words;
    forEachInstruction([&](int64_t column, int64_t count) {
      Type type = builder.getI32Type();
      if (count > 1)
        type = VectorType::get(count, type);
      Value loaded = NVVM::Tcgen05LdOp::create(
          builder, loc, type, /*pack=*/false, shape->shape,
          createPointer(address, column), /*offset=*/Value());
      for (int64_t i = 0; i < count; ++i)
        words.push_back(
            count == 1 ? loaded
                       : LLVM::ExtractElementOp::create(
                             builder, loc, loaded, createI32(builder, loc, i)));
    });
    NVVM::Tcgen05WaitOp::create(builder, loc, NVVM::Tcgen05WaitKind::LOAD);
    words = createOpaque(builder, loc, words);
    createFenceBeforeSync(builder, loc);
    Registers elements;
    for (Value word : words)
      unpack(word, elements);
    return move(elements, native, to);
  }

  void store(const Registers &values, const Distribution &from) {
    choose(from);
    Registers elements = move(values, from, native);
    Value address = window.createAddress(loc);
    createFenceAfterSync(builder, loc);
    int64_t next = 0;
    forEachInstruction([&](int64_t column, int64_t count) {
      Registers words;
      for (int64_t i = 0; i < count; ++i, next += layout.packing)
        words.push_back(pack(ArrayRef(elements).slice(next, layout.packing)));
      Value stored = words.front();
      if (count > 1)
        stored =
            createVector(VectorType::get(count, builder.getI32Type()), words);
      NVVM::Tcgen05StOp::create(builder, loc, /*unpack=*/false, shape->shape,
                                createPointer(address, column), stored,
                                /*offset=*/Value());
    });
  }

private:
  /// Takes the shape that gives each thread the elements that it has in
  /// `other`, or else the one that takes the fewest instructions.
  void choose(const Distribution &other) {
    for (const TensorShape &candidate : llvm::reverse(getTensorShapes())) {
      if (getWordsOfLane() % candidate.columns != 0)
        continue;
      shape = &candidate;
      native = getDistribution();
      if (native.space == other.space && native.threadBits == other.threadBits)
        return;
    }
  }

  /// The columns of tensor memory that a lane has of the view's part of one
  /// matrix.
  int64_t getWordsOfLane() const {
    int64_t last = storage.shape.size() - 1;
    for (auto [d, size] : llvm::zip_equal(view.dims, view.sizes))
      if (d == last && size < storage.shape[last])
        return size / layout.packing;
    return layout.getMatrixColumns();
  }

  /// The matrices of the view: the coordinates of each along the leading
  /// dimensions, and the column where it begins.
  SmallVector<std::pair<Coordinates, int64_t>> getMatrices() const {
    int64_t rank = storage.shape.size();
    SmallVector<int64_t> sizes(rank - 2, 1);
    for (auto [d, size] : llvm::zip_equal(view.dims, view.sizes))
      if (d < rank - 2)
        sizes[d] = size;
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    SmallVector<std::pair<Coordinates, int64_t>> result;
    for (int64_t i = 0; i < count; ++i) {
      Coordinates coords = delinearize(i, sizes);
      int64_t number = 0;
      for (int64_t d = 0; d < rank - 2; ++d)
        number = number * storage.shape[d] + coords[d];
      result.push_back({coords, number * layout.getMatrixColumns()});
    }
    return result;
  }

  /// The coordinates in the view of the element of a matrix at a step.
  Coordinates getCoords(ArrayRef<int64_t> leading, TensorStep step,
                        int64_t element = 0) const {
    auto [row, column] = layout.getElement(step.lane, step.column);
    Coordinates all(leading);
    all.push_back(row);
    all.push_back(column + element);
    return Coordinates(
        llvm::map_range(view.dims, [&](int64_t d) { return all[d]; }));
  }

  /// Returns the distribution of the instruction's registers, in their order.
  Distribution getDistribution() const {
    Distribution result;
    result.shape.assign(view.sizes.begin(), view.sizes.end());
    result.space = result.shape;
    Coordinates none(storage.shape.size() - 2, 0);
    for (auto [to, step] : llvm::zip_equal(result.threadBits, shape->threads))
      to = getCoords(none, step);
    for (const auto &[leading, begin] : getMatrices())
      for (int64_t lane : shape->lanes)
        for (int64_t column = 0; column < getWordsOfLane();
             column += shape->columns)
          for (TensorStep step : shape->registers)
            for (int64_t element = 0; element < layout.packing; ++element)
              result.registers.push_back(getCoords(
                  leading, {lane + step.lane, column + step.column}, element));
    return result;
  }

  /// The start of each instruction, as an address with lane and column, and its
  /// number of words.
  void forEachInstruction(function_ref<void(int64_t, int64_t)> body) const {
    int64_t ofOne = shape->registers.size();
    for (const auto &[leading, begin] : getMatrices())
      for (int64_t lane : shape->lanes)
        for (int64_t column = 0; column < getWordsOfLane();) {
          int64_t rest = (getWordsOfLane() - column) / shape->columns;
          int64_t repeats = std::min<int64_t>(llvm::bit_floor<uint64_t>(rest),
                                              kMaxTensorWords / ofOne);
          body(lane << kTensorLaneShift | (begin + column), repeats * ofOne);
          column += repeats * shape->columns;
        }
  }

  Value createPointer(Value address, int64_t column) {
    return createTensorPointer(
        builder, loc,
        window.createColumnAddress(loc, address,
                                   builder.getI32IntegerAttr(column)));
  }

  Value createVector(VectorType type, ArrayRef<Value> values) {
    Value vector = LLVM::PoisonOp::create(builder, loc, type);
    for (auto [i, value] : llvm::enumerate(values))
      vector = LLVM::InsertElementOp::create(builder, loc, vector, value,
                                             createI32(builder, loc, i));
    return vector;
  }

  /// Packs as many elements as fit into a word.
  VectorType getWordType() const {
    Type stored = getStorageType(storage.elementType);
    return VectorType::get(32 / stored.getIntOrFloatBitWidth(), stored);
  }

  void unpack(Value word, Registers &elements) {
    Value vector = LLVM::BitcastOp::create(builder, loc, getWordType(), word);
    for (int64_t i = 0; i < layout.packing; ++i)
      elements.push_back(
          fromStorage(builder, loc,
                      LLVM::ExtractElementOp::create(
                          builder, loc, vector, createI32(builder, loc, i)),
                      storage.elementType));
  }

  Value pack(ArrayRef<Value> elements) {
    Registers stored = llvm::map_to_vector(elements, [&](Value element) {
      return toStorage(builder, loc, element);
    });
    return LLVM::BitcastOp::create(builder, loc, builder.getI32Type(),
                                   createVector(getWordType(), stored));
  }

  Registers move(const Registers &values, const Distribution &from,
                 const Distribution &to) {
    return lowering.redistribute(
        loc, values, from, to,
        llvm::to_vector(llvm::seq<int64_t>(0, from.shape.size())));
  }

  Lowering &lowering;
  OpBuilder &builder;
  Location loc;
  const View &view;
  const Storage &storage;
  const warpgroup::TensorMemoryLayout &layout;
  TensorWindow window;
  const TensorShape *shape = nullptr;
  Distribution native;
};

LogicalResult checkTensorAccess(Operation *op, Lowering &lowering,
                                const View &view) {
  int64_t bits = view.getElementType().getIntOrFloatBitWidth();
  if (view.dims.size() < 2 || bits < 8)
    return op->emitError("expected a load or store of elements of 8 bits or "
                         "more in tensor memory");
  return TensorWindow(lowering.builder, view).analyze(op);
}

/// The warpgroup's stores are visible to MMAs after its threads have
/// synchronized.
LogicalResult lowerCommitTmem(warpgroup::CommitTmemOp op, Lowering &lowering) {
  NVVM::Tcgen05WaitOp::create(lowering.builder, op.getLoc(),
                              NVVM::Tcgen05WaitKind::STORE);
  createFenceBeforeSync(lowering.builder, op.getLoc());
  return success();
}

/// A load is followed by its wait.
LogicalResult lowerWaitTmemLoad(warpgroup::WaitTmemLoadOp, Lowering &) {
  return success();
}

} // namespace

FailureOr<Registers> loadTensorMemory(Operation *op, Value ref, Type type,
                                      Lowering &lowering) {
  const View &view = lowering.getView(ref);
  if (failed(checkTensorAccess(op, lowering, view)))
    return failure();
  return TensorAccess(lowering, op->getLoc(), view)
      .load(lowering.distributions.get(cast<RankedTensorType>(type)));
}

LogicalResult storeTensorMemory(Operation *op, Value ref, Type type,
                                const Registers &values, Lowering &lowering) {
  const View &view = lowering.getView(ref);
  if (failed(checkTensorAccess(op, lowering, view)))
    return failure();
  TensorAccess(lowering, op->getLoc(), view)
      .store(values, lowering.distributions.get(cast<RankedTensorType>(type)));
  return success();
}

void addTensorMemoryLowerings(Handlers &handlers) {
  handlers.add(lowerCommitTmem);
  handlers.add(lowerWaitTmemLoad);
}

} // namespace gridir::warpgroup_to_nvvm

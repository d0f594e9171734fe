//===- Memory.cpp - Storage, addresses, loads and stores of registers -----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"
#include "dialects/Conversion/WarpgroupToNVVM/MatrixAccess.h"
#include "dialects/Conversion/WarpgroupToNVVM/RunAccesses.h"
#include "dialects/Warpgroup/IR/Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

/// The period of every swizzle, in bytes.
static constexpr int64_t kSwizzleBytes = 1024;

int64_t Storage::getElementBytes() const {
  if (auto sync = dyn_cast<grid::SyncTypeInterface>(elementType))
    return sync.getNumBits() / 8;
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

int64_t Storage::getBytes(int64_t elements) const {
  if (isPacked)
    return elements * elementType.getIntOrFloatBitWidth() / 8;
  return elements * getElementBytes();
}

int64_t Storage::getStride(unsigned d) const {
  unsigned rank = shape.size();
  if (d + 1 == rank)
    return 1;
  if (d + 2 == rank)
    return width;
  int64_t stride = 1;
  for (int64_t size : ArrayRef(shape).drop_front(d + 1))
    stride *= size;
  return stride;
}

View getWholeView(Builder &builder, std::shared_ptr<Storage> storage) {
  View view(builder.getContext(), storage->shape);
  view.storage = std::move(storage);
  return view;
}

Type getStorageType(Type elementType) {
  if (elementType.isIndex())
    return IntegerType::get(elementType.getContext(), 64);
  unsigned bits = elementType.getIntOrFloatBitWidth();
  // LLVM has no 8-bit floats, and memory has no elements of less than a byte.
  if (bits <= 8)
    return IntegerType::get(elementType.getContext(), 8);
  return elementType;
}

Value toStorage(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType(), stored = getStorageType(type);
  if (type == stored)
    return value;
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, stored, value);
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(builder, loc, stored, value);
  return arith::ExtUIOp::create(builder, loc, stored, value);
}

Value fromStorage(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(builder, loc, type, value);
  return arith::TruncIOp::create(builder, loc, type, value);
}

Registers packWords(OpBuilder &builder, Location loc, ArrayRef<Value> values) {
  Type stored = getStorageType(values.front().getType());
  int64_t perWord = 32 / stored.getIntOrFloatBitWidth();
  Registers words;
  for (size_t first = 0; first < values.size(); first += perWord)
    words.push_back(LLVM::BitcastOp::create(
        builder, loc, builder.getI32Type(),
        packVector(builder, loc, values.slice(first, perWord))));
  return words;
}

Registers unpackWords(OpBuilder &builder, Location loc, ArrayRef<Value> words,
                      Type type) {
  Type stored = getStorageType(type);
  int64_t perWord = 32 / stored.getIntOrFloatBitWidth();
  Registers values;
  for (Value word : words)
    unpackVector(builder, loc,
                 LLVM::BitcastOp::create(
                     builder, loc, VectorType::get(perWord, stored), word),
                 type, values);
  return values;
}

LogicalResult checkAddresses(Operation *op, const View &view) {
  const Storage &storage = *view.storage;
  int64_t bytes = storage.getElementBytes();
  for (int64_t size : storage.shape)
    bytes *= size;
  if (storage.kind != Storage::Kind::Global ||
      bytes <= std::numeric_limits<int32_t>::max())
    return success();
  return op->emitError("expected an array of less than 2 GiB, except in "
                       "copies, got one of ")
         << bytes << " bytes";
}

//===----------------------------------------------------------------------===//
// The memory of a kernel
//===----------------------------------------------------------------------===//

Value Lowering::createVariable(Location loc, Type type, bool isZero) {
  // LLVM promotes only variables of the entry block to registers.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  Value variable = LLVM::AllocaOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), type,
      createI32(builder, loc, 1));
  if (isZero)
    LLVM::StoreOp::create(builder, loc, createZero(builder, loc, type),
                          variable);
  return variable;
}

SmallVector<Value> Lowering::createLocalMemory(Location loc, Type type,
                                               int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  constexpr int64_t wordBytes = 4, alignment = 16;
  Value memory = LLVM::AllocaOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
      LLVM::LLVMArrayType::get(type, count), createI32(builder, loc, 1),
      alignment);
  // The address escapes, so LLVM must assume that the memory changes at every
  // wait.
  createAssembly(builder, loc, {}, memory, "", "l,~{memory}");
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; ++i)
    words.push_back(createBytesBehind(builder, loc, memory, i * wordBytes));
  return words;
}

ArrayRef<Value> Lowering::getMovedVariables(Location loc, Type type) {
  SmallVector<Value> &variables = movedVariables[type];
  while (variables.size() < warpgroup::kMovedRegisters)
    variables.push_back(createVariable(loc, type, /*isZero=*/true));
  return variables;
}

Value Lowering::createSharedAddress(Location loc, int64_t offset) {
  return atBeginning([&]() -> Value {
    return createBytesBehind(builder, loc, sharedBase, offset);
  });
}

std::shared_ptr<Storage> Lowering::getScratch(Location loc,
                                              ArrayRef<int64_t> shape,
                                              Type elementType,
                                              int64_t offset) {
  auto storage = std::make_shared<Storage>();
  storage->kind = Storage::Kind::Shared;
  storage->shape.assign(shape.begin(), shape.end());
  storage->elementType = elementType;
  storage->width = getRowLength(shape);
  int64_t bytes =
      offset + std::accumulate(shape.begin(), shape.end(),
                               storage->getElementBytes(), std::multiplies<>());
  // Every warpgroup has the same distance from the one before it, whose size is
  // known at the end.
  scratchBytes = std::max<int64_t>(scratchBytes, llvm::alignTo(bytes, 16));
  storage->base = getScratchBase();
  if (offset)
    storage->base = createBytesBehind(builder, loc, storage->base, offset);
  return storage;
}

Value Lowering::getScratchBase() {
  if (scratchBase)
    return scratchBase;
  Location loc = kernel.getLoc();
  return scratchBase = atBeginning([&]() -> Value {
           scratchSize =
               LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                        builder.getI32IntegerAttr(0));
           Value offset = arith::MulIOp::create(builder, loc, warpgroup,
                                                scratchSize.getResult());
           offset = arith::AddIOp::create(
               builder, loc, offset,
               createI32(builder, loc, llvm::alignTo(sharedBytes, 16)));
           return LLVM::GEPOp::create(builder, loc, sharedBase.getType(),
                                      builder.getI8Type(), sharedBase,
                                      ArrayRef<LLVM::GEPArg>{offset});
         });
}

int64_t Lowering::finishSharedMemory() {
  if (!scratchBase)
    return sharedBytes;
  scratchSize.setValueAttr(builder.getI32IntegerAttr(scratchBytes));
  return llvm::alignTo(sharedBytes, 16) + numWarpgroups * scratchBytes;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The number of an element in its memory.
static OpFoldResult createNumber(OpBuilder &builder, Location loc,
                                 const View &view, ArrayRef<Value> coords) {
  const Storage &storage = *view.storage;
  unsigned rank = storage.shape.size();
  SmallVector<OpFoldResult> indices = view.offsets;
  for (auto [coord, d] : llvm::zip_equal(coords, view.dims))
    if (d >= 0)
      indices[d] =
          createOffset(builder, loc, indices[d], coord, view.strides[d]);
  OpFoldResult element = builder.getI32IntegerAttr(0);
  for (unsigned d = 0; d < rank; ++d) {
    OpFoldResult index = indices[d];
    if (d + 1 == rank && storage.getNumPanels() > 1) {
      Value width = createI32(builder, loc, storage.width);
      Value column = toI32(builder, loc, index);
      Value panel = arith::DivUIOp::create(builder, loc, column, width);
      index = arith::RemUIOp::create(builder, loc, column, width).getResult();
      element = createOffset(builder, loc, element, panel,
                             storage.getPanelElements());
    }
    element = createOffset(builder, loc, element, index, storage.getStride(d));
  }
  return element;
}

/// The byte, counted from the first, before the swizzle.
static Value createByte(OpBuilder &builder, Location loc, const View &view,
                        ArrayRef<Value> coords) {
  const Storage &storage = *view.storage;
  OpFoldResult element = createNumber(builder, loc, view, coords);
  if (int64_t ofByte = storage.getElementsOfByte(); ofByte > 1)
    return arith::DivUIOp::create(builder, loc, toI32(builder, loc, element),
                                  createI32(builder, loc, ofByte));
  return toI32(builder, loc,
               createOffset(builder, loc, builder.getI32IntegerAttr(0), element,
                            storage.getElementBytes()));
}

/// Permutes the pieces of 16 bytes of a row, by the number of the row.
static Value createSwizzled(OpBuilder &builder, Location loc, Value byte,
                            int64_t swizzle) {
  if (swizzle == 16)
    return byte;
  Value row =
      arith::ShRUIOp::create(builder, loc, byte, createI32(builder, loc, 3));
  row = arith::AndIOp::create(builder, loc, row,
                              createI32(builder, loc, swizzle - 16));
  return arith::XOrIOp::create(builder, loc, byte, row);
}

Value createBytesBehind(OpBuilder &builder, Location loc, Value pointer,
                        int64_t bytes) {
  // The op holds small numbers itself.
  LLVM::GEPArg index = llvm::isInt<LLVM::kGEPConstantBitWidth>(bytes)
                           ? LLVM::GEPArg(int32_t(bytes))
                           : LLVM::GEPArg(createI64(builder, loc, bytes));
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{index});
}

static Value createPointer(OpBuilder &builder, Location loc,
                           const Storage &storage, LLVM::GEPArg byte) {
  return LLVM::GEPOp::create(builder, loc, storage.base.getType(),
                             builder.getI8Type(), storage.base,
                             ArrayRef<LLVM::GEPArg>{byte});
}

Value Lowering::createAddress(Location loc, const View &view,
                              ArrayRef<Value> coords) {
  Value byte = createByte(builder, loc, view, coords);
  byte = createSwizzled(builder, loc, byte, view.storage->swizzle);
  return createPointer(builder, loc, *view.storage, byte);
}

namespace {

/// The addresses of a thread's elements of a view. If an address is the sum of
/// a part that depends on the thread and a part that depends on the register,
/// the first part is computed once.
class Addresses {
public:
  Addresses(Lowering &lowering, Location loc, const View &view,
            const Distribution &distribution)
      : lowering(lowering), builder(lowering.builder), loc(loc), view(view),
        distribution(distribution), isSum(addsUp()) {
    if (!isSum)
      return;
    // Windows of one array whose offsets are known share the part of the
    // thread.
    View first = view;
    for (auto [d, offset] : llvm::enumerate(first.offsets))
      if (std::optional<int64_t> known = getConstantIntValue(offset)) {
        windowElement += getElement(d, *known);
        offset = builder.getI32IntegerAttr(0);
      }
    threadByte =
        createByte(builder, loc, first, lowering.getThreadPart(distribution));
  }

  Value create(unsigned r) {
    if (!isSum)
      return lowering.createAddress(loc, view,
                                    lowering.createElement(distribution, r));
    const Storage &storage = *view.storage;
    int64_t byte = getRegisterByte(r);
    // The part that the swizzle does not affect is added afterwards.
    int64_t rest = storage.swizzle == 16 ? 0 : byte % kSwizzleBytes;
    Value &pointer = pointers[rest];
    if (!pointer) {
      Value sum = threadByte;
      if (rest)
        sum = arith::AddIOp::create(builder, loc, sum,
                                    createI32(builder, loc, rest));
      pointer =
          createPointer(builder, loc, storage,
                        createSwizzled(builder, loc, sum, storage.swizzle));
    }
    if (byte == rest)
      return pointer;
    return createBytesBehind(builder, loc, pointer, byte - rest);
  }

private:
  /// True if a register's offset within a panel and the thread's never carry
  /// into another panel.
  bool addsUp() const {
    if (distribution.isFlat())
      return false;
    const Storage &storage = *view.storage;
    if (storage.getNumPanels() == 1)
      return true;
    int64_t last = storage.shape.size() - 1, width = storage.width;
    if (getDivisor(view.offsets[last]) % width != 0)
      return false;
    auto column = llvm::find(view.dims, last);
    if (column == view.dims.end())
      return true;
    size_t i = column - view.dims.begin();
    int64_t mostOfThread = 0, mostOfRegister = 0;
    for (unsigned thread = 0; thread < kNumThreads; ++thread) {
      int64_t part =
          distribution.getCoords(0, thread)[i] - distribution.registers[0][i];
      mostOfThread = std::max(mostOfThread, part % width);
    }
    for (const Coordinates &coords : distribution.registers)
      mostOfRegister = std::max(mostOfRegister, coords[i] % width);
    return view.strides[last] == 1 && mostOfThread + mostOfRegister < width;
  }

  /// The elements before an index along dimension `d` of the memory.
  int64_t getElement(int64_t d, int64_t index) const {
    const Storage &storage = *view.storage;
    int64_t element = 0;
    if (d + 1 == int64_t(storage.shape.size())) {
      element = index / storage.width * storage.getPanelElements();
      index %= storage.width;
    }
    return element + index * storage.getStride(d);
  }

  /// Where the register is, but for the part of the thread.
  int64_t getRegisterByte(unsigned r) const {
    int64_t element = windowElement;
    for (auto [i, d] : llvm::enumerate(view.dims))
      if (d >= 0)
        element +=
            getElement(d, distribution.registers[r][i] * view.strides[d]);
    return element * view.storage->getElementBytes();
  }

  Lowering &lowering;
  OpBuilder &builder;
  Location loc;
  const View &view;
  const Distribution &distribution;
  bool isSum;
  /// The known part of the offset of the window.
  int64_t windowElement = 0;
  Value threadByte;
  llvm::SmallMapVector<int64_t, Value, 8> pointers;
};

} // namespace

int64_t getRun(const View &view, const Distribution &distribution,
               int64_t maxBytes) {
  const Storage &storage = *view.storage;
  int64_t rank = storage.shape.size();
  if (rank == 0 || view.dims.empty() || view.dims.back() != rank - 1 ||
      view.strides.back() != 1 || distribution.isFlat())
    return 1;
  int64_t run = distribution.getRunLength(
      std::max<int64_t>(maxBytes / storage.getElementBytes(), 1));
  auto divides = [&](int64_t number) { return number % run == 0; };
  auto fits = [&] {
    for (int64_t d = 0; d + 1 < rank; ++d)
      if (!divides(storage.getStride(d)))
        return false;
    return divides(storage.width) && divides(getDivisor(view.offsets.back()));
  };
  while (run > 1 && !fits())
    run /= 2;
  return run;
}

void Lowering::forEachRun(
    Location loc, const View &view, const Distribution &distribution,
    int64_t maxBytes,
    function_ref<void(unsigned r, int64_t run, Value address)> access) {
  Addresses addresses(*this, loc, view, distribution);
  int64_t run = getRun(view, distribution, maxBytes);
  for (unsigned r = 0; r < distribution.getNumRegisters(); r += run)
    access(r, run, addresses.create(r));
}

Value Lowering::createPackedLoad(Location loc, const View &view,
                                 ArrayRef<Value> coords) {
  Type element = view.getElementType(), stored = getStorageType(element);
  Value number = toI32(builder, loc, createNumber(builder, loc, view, coords));
  int64_t ofByte = view.storage->getElementsOfByte();
  Value shift = arith::MulIOp::create(
      builder, loc,
      arith::AndIOp::create(builder, loc, number,
                            createI32(builder, loc, ofByte - 1)),
      createI32(builder, loc, 8 / ofByte));
  Value byte = LLVM::LoadOp::create(builder, loc, stored,
                                    createAddress(loc, view, coords));
  byte = arith::ShRUIOp::create(
      builder, loc, byte, arith::TruncIOp::create(builder, loc, stored, shift));
  return fromStorage(builder, loc, byte, element);
}

Registers Lowering::createLoad(Location loc, const View &view,
                               const Distribution &distribution) {
  Registers result;
  if (view.storage->isPacked) {
    for (unsigned r = 0; r < distribution.getNumRegisters(); ++r)
      result.push_back(
          createPackedLoad(loc, view, createElement(distribution, r)));
    return result;
  }
  if (auto matrices = MatrixAccess::get(*this, loc, view, distribution))
    return matrices->load();
  forEachRun(loc, view, distribution, kMaxAccessBytes,
             [&](unsigned, int64_t run, Value address) {
               result.append(loadRun(builder, loc, view, run, address));
             });
  return result;
}

void Lowering::createStore(Location loc, const View &view,
                           const Distribution &distribution,
                           const Registers &values) {
  // Chips before Hopper load matrices, but do not store them.
  if (chip.hasBulkCopies && !distribution.hasCopies())
    if (auto matrices = MatrixAccess::get(*this, loc, view, distribution))
      return matrices->store(values);
  forEachRun(loc, view, distribution, kMaxAccessBytes,
             [&](unsigned r, int64_t run, Value address) {
               OpBuilder::InsertionGuard guard(builder);
               if (Value owns = createOwns(distribution, r)) {
                 auto stores = scf::IfOp::create(builder, loc, owns);
                 builder.setInsertionPointToStart(stores.thenBlock());
               }
               storeRun(builder, loc, view, ArrayRef(values).slice(r, run),
                        address);
             });
}

} // namespace gridir::warpgroup_to_nvvm

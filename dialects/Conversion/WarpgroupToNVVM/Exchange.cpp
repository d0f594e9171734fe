//===- Exchange.cpp - Moving elements between threads ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

static Registers pick(const Registers &registers, ArrayRef<unsigned> numbers) {
  return llvm::map_to_vector(numbers, [&](unsigned r) { return registers[r]; });
}

/// True if all registers of all threads hold the same number.
static bool isSplat(const Registers &registers) {
  return llvm::all_equal(registers) &&
         registers.front().getDefiningOp<arith::ConstantOp>();
}

Registers Lowering::redistribute(Location loc, const Registers &registers,
                                 const Distribution &from,
                                 const Distribution &to,
                                 ArrayRef<int64_t> dims) {
  if (from.isSplat || isSplat(registers))
    return Registers(to.getNumRegisters(), registers.front());
  auto find = [&](const Coordinates &coords) {
    return Coordinates(
        llvm::map_range(dims, [&](int64_t d) { return coords[d]; }));
  };
  if (auto numbers = findRegisters(from, to, find))
    return pick(registers, *numbers);
  auto memory = getScratch(loc, from.shape, registers.front().getType());
  View stored = getWholeView(builder, memory), loaded = stored;
  loaded.dims.assign(to.shape.size(), -1);
  loaded.sizes = to.shape;
  for (auto [i, d] : llvm::enumerate(dims))
    loaded.dims[d] = i;
  return exchange(loc, registers, stored, from, loaded, to);
}

Registers Lowering::redistribute(Location loc, Value array,
                                 const Distribution &to) {
  int64_t rank = cast<RankedTensorType>(array.getType()).getRank();
  return redistribute(loc, get(array), getDistribution(array), to,
                      llvm::to_vector(llvm::seq<int64_t>(0, rank)));
}

Registers Lowering::reshape(Location loc, const Registers &registers,
                            const Distribution &from, const Distribution &to) {
  if (from.isSplat || isSplat(registers))
    return Registers(to.getNumRegisters(), registers.front());
  auto find = [&](const Coordinates &coords) {
    return delinearize(linearize(coords, to.shape), from.shape);
  };
  if (auto numbers = findRegisters(from, to, find))
    return pick(registers, *numbers);
  auto memory = getScratch(loc, from.shape, registers.front().getType());
  auto reshaped = getScratch(loc, to.shape, registers.front().getType());
  return exchange(loc, registers, getWholeView(builder, memory), from,
                  getWholeView(builder, reshaped), to);
}

/// The window of memory of a size, at offsets.
static View getWindow(OpBuilder &builder, View all, ArrayRef<int64_t> sizes,
                      ArrayRef<int64_t> offsets) {
  for (auto [to, offset] : llvm::zip_equal(all.offsets, offsets))
    to = builder.getI32IntegerAttr(offset);
  all.sizes.assign(sizes.begin(), sizes.end());
  return all;
}

static Coordinates addOffsets(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return Coordinates(llvm::map_range(llvm::zip_equal(a, b), [](auto both) {
    return std::get<0>(both) + std::get<1>(both);
  }));
}

Registers Lowering::extractWindow(Location loc, const Registers &registers,
                                  const Distribution &from,
                                  const Distribution &to,
                                  ArrayRef<int64_t> offsets) {
  if (from.isSplat || isSplat(registers))
    return Registers(to.getNumRegisters(), registers.front());
  if (auto numbers = findRegisters(from, to, [&](const Coordinates &coords) {
        return addOffsets(coords, offsets);
      }))
    return pick(registers, *numbers);
  View all = createShared(loc, registers, from);
  return createLoad(loc, getWindow(builder, all, to.shape, offsets), to);
}

Registers Lowering::insertWindow(Location loc, const Registers &window,
                                 const Distribution &from,
                                 const Registers &registers,
                                 const Distribution &to,
                                 ArrayRef<int64_t> offsets) {
  if (auto numbers = findWindow(from, to, offsets)) {
    Registers result = registers;
    for (auto [value, number] : llvm::zip_equal(result, *numbers))
      if (number >= 0)
        value = window[number];
    return result;
  }
  View all = createShared(loc, registers, to);
  createStore(loc, getWindow(builder, all, from.shape, offsets), from, window);
  endStores(loc);
  return createLoad(loc, all, to);
}

Registers Lowering::exchange(Location loc, const Registers &registers,
                             const View &stored, const Distribution &from,
                             const View &loaded, const Distribution &to) {
  beginExchange(loc);
  createStore(loc, stored, from, registers);
  endStores(loc);
  return createLoad(loc, loaded, to);
}

View Lowering::createShared(Location loc, const Registers &registers,
                            const Distribution &distribution, int64_t offset) {
  View view =
      getWholeView(builder, getScratch(loc, distribution.shape,
                                       registers.front().getType(), offset));
  beginExchange(loc);
  createStore(loc, view, distribution, registers);
  endStores(loc);
  return view;
}

Value Lowering::fetch(Location loc, const Registers &registers,
                      const Distribution &distribution,
                      ArrayRef<Value> coords) {
  Type type = registers.front().getType();
  View view = createShared(loc, registers, distribution);
  Value value = LLVM::LoadOp::create(builder, loc, getStorageType(type),
                                     createAddress(loc, view, coords));
  return fromStorage(builder, loc, value, type);
}

/// Returns the value of the first lane of a warp.
static Value createOfFirstLane(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType(), i32 = builder.getI32Type();
  Value stored = toStorage(builder, loc, value);
  unsigned width = stored.getType().getIntOrFloatBitWidth();
  Type bits = builder.getIntegerType(width);
  Value word = stored;
  if (isa<FloatType>(stored.getType()))
    word = arith::BitcastOp::create(builder, loc, bits, word);
  auto shuffle = [&](Value half) -> Value {
    return NVVM::ShflOp::create(builder, loc, i32, createI32(builder, loc, -1),
                                half, createI32(builder, loc, 0),
                                createI32(builder, loc, 31),
                                NVVM::ShflKind::idx, UnitAttr());
  };
  if (width > 32) {
    Value shift = createI64(builder, loc, 32);
    Value high = arith::ShRUIOp::create(builder, loc, word, shift);
    Value halves[] = {arith::TruncIOp::create(builder, loc, i32, word),
                      arith::TruncIOp::create(builder, loc, i32, high)};
    for (Value &half : halves)
      half = arith::ExtUIOp::create(builder, loc, bits, shuffle(half));
    high = arith::ShLIOp::create(builder, loc, halves[1], shift);
    word = arith::OrIOp::create(builder, loc, halves[0], high);
  } else {
    if (width < 32)
      word = arith::ExtUIOp::create(builder, loc, i32, word);
    word = shuffle(word);
    if (width < 32)
      word = arith::TruncIOp::create(builder, loc, bits, word);
  }
  if (isa<FloatType>(stored.getType()))
    word = arith::BitcastOp::create(builder, loc, stored.getType(), word);
  return fromStorage(builder, loc, word, type);
}

Value Lowering::createUniform(Location loc, Value value) {
  Type type = value.getType();
  if (!inWarps) {
    View view = getWholeView(builder, getScratch(loc, {}, type));
    Value address = createAddress(loc, view, {});
    beginExchange(loc);
    createForLeader(loc, Value(), [&] {
      LLVM::StoreOp::create(builder, loc, toStorage(builder, loc, value),
                            address);
    });
    endStores(loc);
    Value stored =
        LLVM::LoadOp::create(builder, loc, getStorageType(type), address);
    return fromStorage(builder, loc, stored, type);
  }
  return createOfFirstLane(builder, loc, value);
}

Registers Lowering::exchangeThreads(Location loc, const Registers &registers,
                                    Value other) {
  Type type = registers.front().getType();
  View view = getWholeView(
      builder, getScratch(loc, {int64_t(registers.size()), kNumThreads}, type));
  auto getAddress = [&](size_t i, Value column) {
    return createAddress(loc, view, {createI32(builder, loc, i), column});
  };
  beginExchange(loc);
  for (auto [i, value] : llvm::enumerate(registers))
    LLVM::StoreOp::create(builder, loc, toStorage(builder, loc, value),
                          getAddress(i, thread));
  endStores(loc);
  Registers result;
  for (size_t i = 0; i < registers.size(); ++i) {
    Value value = LLVM::LoadOp::create(builder, loc, getStorageType(type),
                                       getAddress(i, other));
    result.push_back(fromStorage(builder, loc, value, type));
  }
  return result;
}

} // namespace gridir::warpgroup_to_nvvm

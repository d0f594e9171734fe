//===- MatrixAccess.cpp - Small matrices in shared memory -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/MatrixAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

/// Bytes of a row of a matrix and of a word, and the words of an instruction at
/// most.
static constexpr int64_t kRowBytes = 16, kWordBytes = 4, kMaxMatrices = 4;

/// The difference of the coordinates of two elements.
static Coordinates subtract(const Coordinates &to, const Coordinates &from) {
  Coordinates result;
  for (auto [a, b] : llvm::zip_equal(to, from))
    result.push_back(a - b);
  return result;
}

/// True if a view is in the CTA's own shared memory, and its rows consist of 16
/// bytes with an alignment of 16.
static bool hasRows(const View &view) {
  const Storage &storage = *view.storage;
  int64_t last = storage.shape.size() - 1;
  auto isOwn = [&] {
    return cast<LLVM::LLVMPointerType>(storage.base.getType())
               .getAddressSpace() ==
           static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  };
  if (storage.kind != Storage::Kind::Shared || last < 0 || !isOwn() ||
      storage.isPacked || storage.getElementBytes() > 2 ||
      view.strides[last] != 1)
    return false;
  auto divides = [&](int64_t number) {
    return number * storage.getElementBytes() % kRowBytes == 0;
  };
  for (int64_t d = 0; d < last; ++d)
    if (!divides(storage.getStride(d)))
      return false;
  return divides(storage.width) && divides(getDivisor(view.offsets[last]));
}

/// The distance between the elements of consecutive words, if it is the same in
/// every group of `count`.
static bool addUp(ArrayRef<Coordinates> registers, int64_t count) {
  for (size_t first = 0; first < registers.size(); first += count)
    for (int64_t i = 0; i < count; ++i)
      if (subtract(registers[first + i], registers[first]) !=
          subtract(registers[i], registers[0]))
        return false;
  return true;
}

std::optional<MatrixAccess>
MatrixAccess::get(Lowering &lowering, Location loc, const View &view,
                  const Distribution &distribution) {
  if (!hasRows(view) || distribution.isFlat() || distribution.isSplat)
    return std::nullopt;
  auto *column = llvm::find(view.dims, int64_t(view.storage->shape.size()) - 1);
  if (column == view.dims.end())
    return std::nullopt;
  MatrixAccess access(lowering, loc, view);
  ArrayRef<Coordinates> registers = distribution.registers;
  const int64_t perWord = kWordBytes / view.storage->getElementBytes();
  for (access.numMatrices = kMaxMatrices; access.numMatrices > 0;
       access.numMatrices /= 2)
    if (registers.size() % (perWord * access.numMatrices) == 0 &&
        addUp(registers, perWord * access.numMatrices))
      break;
  if (access.numMatrices == 0)
    return std::nullopt;
  // A word has consecutive elements. Two lane bits select a word of a row, and
  // three bits a row; or, transposed, an index in a word and two bits select a
  // row, and three bits an element of it.
  const auto &threads = distribution.threadBits;
  std::array<Coordinates, 3> inner = {subtract(registers[1], registers[0]),
                                      threads[0], threads[1]},
                             outer = {threads[2], threads[3], threads[4]};
  auto isColumn = [&](const Coordinates &coords, int64_t expected) {
    Coordinates all(view.dims.size(), 0);
    all[column - view.dims.begin()] = expected;
    return coords == all;
  };
  auto isAlongColumns = [&](ArrayRef<Coordinates> bits, int64_t first) {
    return llvm::all_of(llvm::enumerate(bits), [&](auto bit) {
      return isColumn(bit.value(), first << bit.index());
    });
  };
  access.isTransposed = perWord == 2 && isAlongColumns(outer, 1);
  if (!access.isTransposed) {
    for (int64_t i = 1; i < perWord; ++i)
      if (!isColumn(subtract(registers[i], registers[0]), i))
        return std::nullopt;
    if (!isAlongColumns(ArrayRef(inner).drop_front(), perWord))
      return std::nullopt;
  }
  Distribution &rows = access.rows;
  rows.shape = distribution.shape;
  rows.space = distribution.space;
  for (size_t first = 0; first < registers.size();
       first += perWord * access.numMatrices)
    rows.registers.push_back(registers[first]);
  // A row begins at a multiple of its size.
  for (const Coordinates &coords : rows.registers)
    if (coords[column - view.dims.begin()] % (kRowBytes / kWordBytes * perWord))
      return std::nullopt;
  rows.threadBits = threads;
  llvm::copy(access.isTransposed ? inner : outer, rows.threadBits.begin());
  // The other lanes have the rows of the other matrices.
  for (int64_t bit : {0, 1}) {
    int64_t matrix = int64_t(1) << bit;
    rows.threadBits[3 + bit] =
        matrix < access.numMatrices
            ? subtract(registers[perWord * matrix], registers[0])
            : Coordinates(view.dims.size(), 0);
  }
  if (access.numMatrices == kMaxMatrices) {
    Coordinates sum = rows.threadBits[3];
    for (auto [to, from] : llvm::zip_equal(sum, rows.threadBits[4]))
      to += from;
    if (sum != subtract(registers[3 * perWord], registers[0]))
      return std::nullopt;
  }
  return access;
}

void MatrixAccess::forEachInstruction(function_ref<void(Value address)> body) {
  lowering.forEachRun(loc, view, rows, /*maxBytes=*/1,
                      [&](unsigned, int64_t, Value address) { body(address); });
}

static NVVM::MMALayout getOrder(bool isTransposed) {
  return isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

static NVVM::LdStMatrixShapeAttr getShape(MLIRContext *context) {
  constexpr int rows = 8, columns = 8;
  return NVVM::LdStMatrixShapeAttr::get(context, rows, columns);
}

Registers MatrixAccess::load() {
  Registers words;
  Type word = builder.getI32Type();
  SmallVector<Type> types(numMatrices, word);
  Type result =
      numMatrices == 1
          ? word
          : LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  forEachInstruction([&](Value address) {
    Value loaded = NVVM::LdMatrixOp::create(
        builder, loc, result, address, numMatrices, getOrder(isTransposed),
        getShape(builder.getContext()), NVVM::LdStMatrixEltType::B16);
    for (int64_t i = 0; i < numMatrices; ++i)
      words.push_back(numMatrices == 1 ? loaded
                                       : LLVM::ExtractValueOp::create(
                                             builder, loc, loaded, i));
  });
  return unpackWords(builder, loc, words, view.getElementType());
}

void MatrixAccess::store(const Registers &values) {
  Registers words = packWords(builder, loc, values);
  ArrayRef<Value> rest = words;
  forEachInstruction([&](Value address) {
    NVVM::StMatrixOp::create(
        builder, loc, address, rest.take_front(numMatrices),
        getOrder(isTransposed), getShape(builder.getContext()),
        NVVM::LdStMatrixEltType::B16);
    rest = rest.drop_front(numMatrices);
  });
}

} // namespace gridir::warpgroup_to_nvvm

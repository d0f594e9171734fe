//===- SharedMatrix.cpp - Operands of products in shared memory -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/SharedMatrix.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

/// Rows after which the swizzle repeats.
static constexpr int64_t kSwizzleRows = 8;

/// The bytes that a swizzle keeps together, which is also the row size of a
/// panel without a swizzle.
static constexpr int64_t kPieceBytes = 16;

/// The fields of a descriptor for the swizzle and the version.
static uint64_t getMode(int64_t swizzle, MatrixUnit unit) {
  uint64_t mode = swizzle == 128  ? 1
                  : swizzle == 64 ? 2
                  : swizzle == 32 ? 3
                                  : 0;
  if (unit == MatrixUnit::Wgmma)
    return mode << 62;
  return mode << 62 | uint64_t(1) << 46;
}

/// The lower half of a descriptor: the start of the matrix, and the distance
/// between its panels.
static Value createLowWord(OpBuilder &builder, Location loc, Value address,
                           int64_t leadingBytes) {
  Value bits =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), address);
  bits = arith::ShRUIOp::create(builder, loc, bits, createI32(builder, loc, 4));
  bits = arith::AndIOp::create(builder, loc, bits,
                               createI32(builder, loc, 0x3fff));
  return arith::OrIOp::create(builder, loc, bits,
                              createI32(builder, loc, leadingBytes >> 4 << 16));
}

/// The upper half is known.
static Value createFromLowWord(OpBuilder &builder, Location loc, Value low,
                               int64_t strideBytes, int64_t swizzle,
                               MatrixUnit unit) {
  uint64_t constant = uint64_t(strideBytes >> 4) << 32 | getMode(swizzle, unit);
  auto type = VectorType::get({2}, builder.getI32Type());
  Value words = LLVM::PoisonOp::create(builder, loc, type);
  words = LLVM::InsertElementOp::create(builder, loc, words, low,
                                        createI32(builder, loc, 0));
  words = LLVM::InsertElementOp::create(
      builder, loc, words,
      createI32(builder, loc, static_cast<int32_t>(constant >> 32)),
      createI32(builder, loc, 1));
  return LLVM::BitcastOp::create(builder, loc, builder.getI64Type(), words);
}

Value createMatrixDescriptor(OpBuilder &builder, Location loc, Value address,
                             int64_t leadingBytes, int64_t strideBytes,
                             int64_t swizzle, MatrixUnit unit) {
  return createFromLowWord(builder, loc,
                           createLowWord(builder, loc, address, leadingBytes),
                           strideBytes, swizzle, unit);
}

LogicalResult SharedMatrix::analyze(Operation *op) {
  const Storage &storage = *view.storage;
  int64_t last = storage.shape.size() - 1;
  auto refuse = [&](const Twine &expected) {
    return op->emitError("expected an MMA operand ") << expected;
  };
  if (storage.kind != Storage::Kind::Shared || view.dims.size() != 2)
    return refuse("in shared memory");
  isDepthMajor = view.dims[depthDim] == last;
  unsigned columns = isDepthMajor ? depthDim : 1 - depthDim;
  if (view.dims[columns] != last || view.dims[1 - columns] != last - 1 ||
      view.strides[last] != 1 || view.strides[last - 1] != 1)
    return refuse("with contiguous rows or columns");
  int64_t bits = storage.getBytes(8);
  if (!isDepthMajor && bits != 16 && (unit == MatrixUnit::Wgmma || bits != 8))
    return refuse(unit == MatrixUnit::Wgmma
                      ? "that is contiguous along k, since its elements do not "
                        "have 16 bits"
                      : "that is contiguous along k, since its elements have "
                        "neither 8 nor 16 bits");
  if (!isSwizzled() && storage.getBytes(storage.width) != kPieceBytes)
    return refuse("that is swizzled by 32 bytes or more, or in panels of 16 "
                  "bytes");
  if (getDivisor(view.offsets[last - 1]) % kSwizzleRows != 0 ||
      getDivisor(view.offsets[last]) %
              (isDepthMajor ? kDepthBytes * 8 / bits : storage.width) !=
          0)
    return refuse("that is aligned to the swizzle");
  return success();
}

void SharedMatrix::createBase(Location loc, bool alone) {
  // The distance between panels. With a swizzle along k, no instruction reaches
  // the next panel. Without a swizzle, if k is not contiguous, the matrix unit
  // exchanges the roles of the two distances.
  int64_t leading = getPanelBytes();
  if (isDepthMajor && isSwizzled())
    leading = 0;
  if (!isDepthMajor && !isSwizzled())
    leading = getGroupBytes();
  // The address of shared memory has no carry, so that all of a sum except the
  // offset of the window is the same in every iteration of a loop.
  OpBuilder::InsertionGuard guard(builder);
  bool isOutside = leaveLoops();
  // If descriptors are the same in all iterations, or alone, none is the base
  // of others: `ptxas` would move that one to the registers of an instruction.
  // The upper half stays constant if the distance is the part that is left out.
  if (unit == MatrixUnit::Wgmma && isOutside) {
    ahead = 1;
  } else if (unit == MatrixUnit::Wgmma && alone) {
    ahead = leading / kPieceBytes << 16;
    leading = 0;
  }
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  builder.setInsertionPointAfterValue(view.storage->base);
  Value low = createLowWord(builder, loc, view.storage->base, leading);
  builder.restoreInsertionPoint(here);
  low = toI32(builder, loc, createOffset(builder, loc, createPieces(loc), low));
  int64_t stride =
      isDepthMajor || isSwizzled() ? getGroupBytes() : getPanelBytes();
  Value descriptor =
      createFromLowWord(builder, loc, low, stride, view.storage->swizzle, unit);
  if (isOutside && ahead)
    descriptor = arith::SubIOp::create(
        builder, loc, descriptor,
        arith::ConstantIntOp::create(builder, loc, ahead, /*width=*/64));
  // LLVM would add the offsets of parts of the matrix to the upper half, too,
  // and `ptxas` would then move it for each of them.
  base = createHidden(builder, loc, descriptor);
}

bool SharedMatrix::leaveLoops() {
  auto isOutside = [&](LoopLikeOpInterface loop) {
    return llvm::all_of(view.offsets, [&](OpFoldResult offset) {
      auto value = dyn_cast<Value>(offset);
      return !value || loop.isDefinedOutsideOfLoop(value);
    });
  };
  bool hasLeft = false;
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  for (; parent; parent = parent->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent)) {
      if (!isOutside(loop) || !loop.isDefinedOutsideOfLoop(view.storage->base))
        break;
      builder.setInsertionPoint(loop);
      hasLeft = true;
    }
  return hasLeft;
}

OpFoldResult SharedMatrix::createPieces(Location loc) {
  const Storage &storage = *view.storage;
  OpFoldResult pieces = builder.getI32IntegerAttr(0);
  auto add = [&](OpFoldResult index, int64_t bytes) {
    assert(bytes % kPieceBytes == 0 && "expected whole pieces");
    pieces = createOffset(builder, loc, pieces, index, bytes / kPieceBytes);
  };
  unsigned last = storage.shape.size() - 1;
  for (unsigned d = 0; d < last; ++d)
    add(view.offsets[d], storage.getBytes(storage.getStride(d)));
  // A column is a multiple of an instruction's columns, or of a panel.
  OpFoldResult column = view.offsets[last];
  int64_t ofPiece = kPieceBytes * 8 / storage.getBytes(8);
  auto divide = [&](OpFoldResult value, int64_t by) -> OpFoldResult {
    if (std::optional<int64_t> number = getConstantIntValue(value))
      return builder.getI32IntegerAttr(*number / by);
    return arith::DivUIOp::create(builder, loc, toI32(builder, loc, value),
                                  createI32(builder, loc, by))
        .getResult();
  };
  if (storage.getNumPanels() > 1) {
    OpFoldResult panel = divide(column, storage.width);
    add(panel, getPanelBytes());
    column = createOffset(builder, loc, column, panel, -storage.width);
  }
  pieces = createOffset(builder, loc, pieces, divide(column, ofPiece));
  return pieces;
}

Value SharedMatrix::createDescriptor(Location loc, int64_t outer,
                                     int64_t depth) {
  const Storage &storage = *view.storage;
  int64_t column = isDepthMajor ? depth : outer;
  int64_t row = isDepthMajor ? outer : depth;
  int64_t first =
      isDepthMajor ? getConstantIntValue(view.offsets.back()).value_or(0) : 0;
  int64_t bytes = row * storage.swizzle;
  bytes += ((first + column) / storage.width - first / storage.width) *
           getPanelBytes();
  bytes += storage.getBytes((first + column) % storage.width -
                            first % storage.width);
  int64_t pieces = bytes / kPieceBytes + ahead;
  if (pieces == 0)
    return base;
  return arith::AddIOp::create(
      builder, loc, base,
      arith::ConstantIntOp::create(builder, loc, pieces, /*width=*/64));
}

bool SharedMatrix::isSwizzled() const {
  return view.storage->swizzle > kPieceBytes;
}

int64_t SharedMatrix::getPanelBytes() const {
  return view.storage->getBytes(view.storage->getPanelElements());
}

int64_t SharedMatrix::getGroupBytes() const {
  return kSwizzleRows * view.storage->swizzle;
}

} // namespace gridir::warpgroup_to_nvvm

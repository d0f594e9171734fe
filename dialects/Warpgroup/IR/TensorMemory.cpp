//===- TensorMemory.cpp - How Refs lie in tensor memory -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/TensorMemory.h"

#include "dialects/Warpgroup/IR/Warpgroup.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gridir::warpgroup {

using Kind = TensorMemoryLayout::Kind;

/// Bits of a column of one lane.
static constexpr int64_t kColumnBits = 32;

int64_t TensorMemoryLayout::getMatrixColumns() const {
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  switch (kind) {
  case Kind::Rows:
    return columns / packing;
  case Kind::HalfLanes:
  case Kind::HalfColumns:
    return columns / 2 / packing;
  case Kind::Scales:
    return rows / 32 * (columns / 4);
  case Kind::PairedScales:
    return columns;
  case Kind::Metadata:
    return columns / packing;
  }
  llvm_unreachable("a kind of tensor memory");
}

int64_t TensorMemoryLayout::getNumColumns() const {
  int64_t count = getMatrixColumns();
  for (int64_t size : ArrayRef(shape).drop_back(2))
    count *= size;
  return count;
}

std::pair<int64_t, int64_t>
TensorMemoryLayout::getElement(int64_t lane, int64_t column) const {
  int64_t half = shape.back() / 2;
  switch (kind) {
  case Kind::HalfLanes:
    return {lane / 32 * 16 + lane % 16,
            lane / 16 % 2 * half + column * packing};
  case Kind::HalfColumns:
    return {lane % 64, lane / 64 * half + column * packing};
  default:
    return {lane, column * packing};
  }
}

bool hasPairedBlocks(grid::KernelOp kernel) {
  return kernel.getBodyRegion()
      .walk([](Operation *op) {
        bool isPaired =
            llvm::TypeSwitch<Operation *, bool>(op)
                .Case<Tcgen05MmaOp, Tcgen05CommitOp, TmemCopyOp>(
                    [](auto op) { return op.getCollective().has_value(); })
                .Default(false);
        return isPaired ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isPackedForTensorCore(Value ref) {
  Type element = cast<MemRefType>(ref.getType()).getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() >= 8 ||
      8 % element.getIntOrFloatBitWidth() != 0 || element.isInteger(1))
    return false;
  return llvm::all_of(ref.getUsers(), [&](Operation *user) {
    if (isa<grid::SliceRefOp, grid::TransposeRefOp>(user))
      return isPackedForTensorCore(user->getResult(0));
    return isa<TmaLoadOp, Tcgen05MmaOp, TmemCopyOp>(user);
  });
}

/// The uses of a Ref and its views by MMAs.
struct TensorMemoryUse {
  bool isAccumulator = false, isScale = false, isPairedScale = false,
       isMetadata = false;

  void visit(Value ref) {
    for (OpOperand &use : ref.getUses()) {
      Operation *user = use.getOwner();
      if (isa<grid::RefViewOpInterface>(user)) {
        for (Value view : user->getResults())
          visit(view);
      } else if (auto product = dyn_cast<Tcgen05MmaOp>(user)) {
        auto isOperand = [&](Value operand) { return operand == ref; };
        int64_t rows =
            cast<MemRefType>(product.getAcc().getType()).getDimSize(0);
        isAccumulator |= isOperand(product.getAcc());
        isScale |= isOperand(product.getLhsScale());
        isMetadata |= isOperand(product.getMetadata());
        if (isOperand(product.getRhsScale()))
          (product.getCollective() && rows == 64 ? isPairedScale : isScale) =
              true;
      } else if (auto copy = dyn_cast<TmemCopyOp>(user)) {
        bool isPaired =
            cast<MemRefType>(copy.getSource().getType()).getRank() == 4 &&
            cast<MemRefType>(copy.getSource().getType()).getDimSize(2) == 64;
        isScale |= copy.getScales() && !isPaired;
        isPairedScale |= copy.getScales() && isPaired;
        isMetadata |= copy.getMetadata();
      }
    }
  }
};

FailureOr<TensorMemoryLayout> getTensorMemoryLayout(grid::ScopedOp scope,
                                                    unsigned number) {
  Value ref = scope.getBody().getArgument(number);
  auto type = cast<MemRefType>(ref.getType());
  auto refuse = [&](const Twine &expected) {
    return scope.emitError("expected ")
           << expected << " in tensor memory, got " << scope.getRefName(number)
           << " of " << type;
  };
  Type element = type.getElementType();
  if (type.getRank() < 2 || !element.isIntOrFloat() ||
      kColumnBits % element.getIntOrFloatBitWidth() != 0)
    return refuse("matrices of elements of at most 32 bits");
  if (llvm::is_contained(type.getShape(), 0))
    return refuse("matrices that have elements");
  TensorMemoryLayout layout;
  layout.shape.assign(type.getShape().begin(), type.getShape().end());
  int64_t rows = layout.shape[type.getRank() - 2],
          columns = layout.shape.back();
  TensorMemoryUse use;
  use.visit(ref);
  // Each accumulator element of the matrix unit has a separate column.
  if (!use.isAccumulator)
    layout.packing = kColumnBits / element.getIntOrFloatBitWidth();
  if (use.isScale || use.isPairedScale) {
    layout.kind = use.isPairedScale ? Kind::PairedScales : Kind::Scales;
    layout.packing = 4;
    int64_t block = use.isPairedScale ? 256 : kTensorLanes;
    if (rows % block != 0 || (use.isPairedScale && rows != block) ||
        columns % 4 != 0 || element.getIntOrFloatBitWidth() != 8)
      return refuse("8-bit scales of a multiple of " + Twine(block) +
                    " rows and 4 columns");
    return layout;
  }
  if (use.isMetadata) {
    layout.kind = Kind::Metadata;
    if (rows != kTensorLanes || columns % 64 != 0)
      return refuse("metadata of 128 rows and a multiple of 64 columns");
    return layout;
  }
  bool isPaired = hasPairedBlocks(scope->getParentOfType<grid::KernelOp>());
  layout.kind = rows == kTensorLanes ? Kind::Rows
                : isPaired           ? Kind::HalfColumns
                                     : Kind::HalfLanes;
  int64_t divisor = layout.packing * (rows == kTensorLanes ? 1 : 2);
  if ((rows != kTensorLanes && rows != kTensorLanes / 2) ||
      columns % divisor != 0)
    return refuse("matrices of 64 or 128 rows and a multiple of " +
                  Twine(divisor) + " columns");
  return layout;
}

} // namespace gridir::warpgroup

//===- Overhang.cpp - Masks of blocks that overhang their array -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToWarpgroup/ProgramBody.h"

#include "dialects/Support/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid_to_warpgroup;

/// The elements of a block that its array has; null if no block of the operand
/// overhangs the array.
Value ProgramBody::createMask(unsigned operand, const Ids &ids) {
  if (overhangs[operand].empty())
    return {};
  SmallVector<OpFoldResult> offsets = createOffsets(operand, ids);
  SmallVector<int64_t> squeezed = getSqueezedDims(operand);
  auto block = cast<MemRefType>(oldBody->getArgument(operand).getType());
  auto type = RankedTensorType::get(block.getShape(),
                                    IntegerType::get(builder.getContext(), 1));
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto generic = linalg::GenericOp::create(
      builder, loc, type, /*inputs=*/ValueRange(), empty,
      builder.getMultiDimIdentityMap(type.getRank()),
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &inner, Location, ValueRange) {
        Value mask;
        for (int64_t dim : overhangs[operand]) {
          int64_t kept = dim - llvm::count_if(squeezed, [&](int64_t other) {
                           return other < dim;
                         });
          Value position = arith::AddIOp::create(
              inner, loc, linalg::IndexOp::create(inner, loc, kept),
              toIndex(inner, loc, offsets[dim]));
          Value extent = arith::ConstantIndexOp::create(
              inner, loc, specs[operand].getArrayShape()[dim]);
          Value isInside = arith::CmpIOp::create(
              inner, loc, arith::CmpIPredicate::slt, position, extent);
          mask = mask ? arith::AndIOp::create(inner, loc, mask, isInside)
                      : isInside;
        }
        linalg::YieldOp::create(inner, loc, mask);
      });
  return generic.getResult(0);
}

/// Restricts a load or store of a block to the elements of a mask. Other
/// elements are loaded as zero.
void ProgramBody::addMask(Operation *access, Value mask) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(access);
  auto restrict = [&](Value old, MutableOperandRange operand) {
    operand.assign(
        old ? arith::AndIOp::create(builder, loc, old, mask).getResult()
            : mask);
  };
  if (auto store = dyn_cast<grid::StoreOp>(access))
    return restrict(store.getMask(), store.getMaskMutable());
  auto load = cast<grid::LoadOp>(access);
  restrict(load.getMask(), load.getMaskMutable());
  if (!load.getOther())
    load.getOtherMutable().assign(createZero(builder, loc, load.getType()));
}

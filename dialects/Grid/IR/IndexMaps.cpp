//===- IndexMaps.cpp - Index maps as regions and as affine maps -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/IndexMaps.h"

#include "dialects/Grid/IR/Grid.h"
#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace {

/// Reads the values of an index map as affine expressions of the program ids.
class AffineReader {
public:
  AffineReader(Block &block, ArrayRef<int64_t> gridShape)
      : block(block), gridShape(gridShape),
        idRanges(gridir::grid::getIdRanges(gridShape)) {}

  AffineExpr read(Value value) {
    auto [it, inserted] = known.try_emplace(value, AffineExpr());
    if (inserted) {
      AffineExpr expr = compute(value);
      known[value] = expr;
      return expr;
    }
    return it->second;
  }

private:
  AffineExpr compute(Value value) {
    MLIRContext *context = value.getContext();
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner() == &block && arg.getArgNumber() < gridShape.size())
        return getAffineDimExpr(arg.getArgNumber(), context);
      return {};
    }
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) &&
        constant.getSignificantBits() <= 64)
      return getAffineConstantExpr(constant.getSExtValue(), context);

    Operation *op = value.getDefiningOp();
    if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
      return read(op->getOperand(0));
    if (op->getNumOperands() != 2)
      return {};
    AffineExpr lhs = read(op->getOperand(0)), rhs = read(op->getOperand(1));
    if (!lhs || !rhs)
      return {};
    bool isNeverNegative = gridir::inferRange(lhs, idRanges, {}).low >= 0;
    AffineExpr expr =
        gridir::grid::getAffineExpr(op, lhs, rhs, isNeverNegative);
    return expr && !wraps(expr, value.getType()) ? expr : AffineExpr();
  }

  /// True if `expr` exceeds its type for ids of a static grid.
  bool wraps(AffineExpr expr, Type type) const {
    for (auto [dim, size] : llvm::enumerate(gridShape))
      if (ShapedType::isDynamic(size) && expr.isFunctionOfDim(dim))
        return false;
    gridir::Interval fits = gridir::getTypeRange(type);
    return !gridir::inferRange(expr, idRanges, {}).isIn(fits.low, fits.high);
  }

  Block &block;
  ArrayRef<int64_t> gridShape;
  SmallVector<gridir::Interval> idRanges;
  llvm::DenseMap<Value, AffineExpr> known;
};

/// Writes an affine expression as `arith` ops on integers of one type.
class AffineWriter : public AffineExprVisitor<AffineWriter, Value> {
public:
  AffineWriter(OpBuilder &builder, Location loc, Block &block, Type type)
      : builder(builder), loc(loc), block(block), type(type) {}

  Value visitConstantExpr(AffineConstantExpr expr) {
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(type, expr.getValue()));
  }
  Value visitDimExpr(AffineDimExpr expr) {
    Value id = block.getArgument(expr.getPosition());
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, loc, type, id);
    return type == id.getType()
               ? id
               : arith::ExtSIOp::create(builder, loc, type, id);
  }
  Value visitSymbolExpr(AffineSymbolExpr) {
    llvm_unreachable("index maps have no symbols");
  }
  Value visitAddExpr(AffineBinaryOpExpr expr) {
    return binary<arith::AddIOp>(expr);
  }
  Value visitMulExpr(AffineBinaryOpExpr expr) {
    return binary<arith::MulIOp>(expr);
  }
  Value visitFloorDivExpr(AffineBinaryOpExpr expr) {
    return binary<arith::FloorDivSIOp>(expr);
  }
  Value visitCeilDivExpr(AffineBinaryOpExpr expr) {
    return binary<arith::CeilDivSIOp>(expr);
  }
  Value visitModExpr(AffineBinaryOpExpr expr) {
    Value lhs = visit(expr.getLHS()), rhs = visit(expr.getRHS());
    Value quotient = arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    Value whole = arith::MulIOp::create(builder, loc, quotient, rhs);
    return arith::SubIOp::create(builder, loc, lhs, whole);
  }

private:
  template <typename OpTy> Value binary(AffineBinaryOpExpr expr) {
    Value lhs = visit(expr.getLHS());
    Value rhs = visit(expr.getRHS());
    return OpTy::create(builder, loc, lhs, rhs);
  }

  OpBuilder &builder;
  Location loc;
  Block &block;
  Type type;
};

} // namespace

SmallVector<gridir::Interval>
gridir::grid::getIdRanges(ArrayRef<int64_t> gridShape) {
  // A dynamic size is an i32 operand of the call.
  return llvm::map_to_vector(gridShape, [](int64_t size) {
    return Interval{0, ShapedType::isDynamic(size)
                           ? std::numeric_limits<int32_t>::max() - 1
                           : std::max<int64_t>(size, 1) - 1};
  });
}

AffineExpr gridir::grid::getAffineExpr(Operation *op, AffineExpr lhs,
                                       AffineExpr rhs, bool isNeverNegative) {
  auto left = dyn_cast<AffineConstantExpr>(lhs),
       right = dyn_cast<AffineConstantExpr>(rhs);
  // Affine division is defined for positive constants alone.
  bool isDivided = right && right.getValue() > 0;
  auto isShifted = [&](int64_t most) {
    return right && right.getValue() >= 0 && right.getValue() <= most;
  };
  return TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](arith::AddIOp) { return lhs + rhs; })
      .Case([&](arith::SubIOp) { return lhs - rhs; })
      .Case([&](arith::MulIOp) {
        return left || right ? lhs * rhs : AffineExpr();
      })
      .Case([&](arith::FloorDivSIOp) {
        return isDivided ? lhs.floorDiv(rhs) : AffineExpr();
      })
      .Case([&](arith::CeilDivSIOp) {
        return isDivided ? lhs.ceilDiv(rhs) : AffineExpr();
      })
      // Division toward zero is division down where nothing is below zero.
      .Case<arith::DivSIOp, arith::DivUIOp>([&](Operation *) {
        return isDivided && isNeverNegative ? lhs.floorDiv(rhs) : AffineExpr();
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *) {
        return isDivided && isNeverNegative ? lhs % rhs : AffineExpr();
      })
      .Case([&](arith::ShLIOp) {
        return isShifted(30) ? lhs * (int64_t(1) << right.getValue())
                             : AffineExpr();
      })
      .Case([&](arith::ShRSIOp) {
        return isShifted(62) ? lhs.floorDiv(int64_t(1) << right.getValue())
                             : AffineExpr();
      })
      .Default([](Operation *) { return AffineExpr(); });
}

std::optional<AffineMap>
gridir::grid::readAffineIndexMap(Region &region, ArrayRef<int64_t> gridShape) {
  if (!region.hasOneBlock() || region.front().empty())
    return std::nullopt;
  auto yield = dyn_cast<YieldOp>(region.front().back());
  if (!yield)
    return std::nullopt;
  AffineReader reader(region.front(), gridShape);
  SmallVector<AffineExpr> results;
  for (Value value : yield.getValues()) {
    AffineExpr expr = reader.read(value);
    if (!expr)
      return std::nullopt;
    results.push_back(expr);
  }
  return simplifyAffineMap(
      AffineMap::get(gridShape.size(), 0, results, region.getContext()));
}

void gridir::grid::buildAffineIndexMap(OpBuilder &builder, Location loc,
                                       Region &region, AffineMap map,
                                       unsigned rank, TypeRange indexRefs,
                                       Type indexType) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(rank, builder.getI32Type());
  llvm::append_range(types, indexRefs);
  Block *block = builder.createBlock(&region, {}, types,
                                     SmallVector<Location>(types.size(), loc));
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(buildAffineExpr(builder, loc, *block, expr, indexType));
  YieldOp::create(builder, loc, indices);
}

Value gridir::grid::buildAffineExpr(OpBuilder &builder, Location loc,
                                    Block &block, AffineExpr expr, Type type) {
  return AffineWriter(builder, loc, block, type).visit(expr);
}

//===- MathBuilder.h - arithmetic that reads like its formula --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_MATH_MATHBUILDER_H
#define GRIDIR_DIALECTS_LOOPS_MATH_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <limits>

namespace gridir::loops {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Creates the ops of an expansion at the builder's insertion point.
using MathBuilder = mlir::ImplicitLocOpBuilder;

/// `element`, or a vector of it where `like` is one.
inline mlir::Type withShape(mlir::Type like, mlir::Type element) {
  auto vector = mlir::dyn_cast<mlir::VectorType>(like);
  return vector ? vector.clone(element) : element;
}

/// A constant of `type`, the same in all elements of a vector.
inline mlir::Value createConstant(MathBuilder &b, mlir::Type type,
                                  mlir::TypedAttr element) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    element = mlir::DenseElementsAttr::get(vector, mlir::Attribute(element));
  return mlir::arith::ConstantOp::create(b, element);
}

/// An i64 or i32, or a vector of them, that an expansion computes with: mostly
/// the bits of a float of its width.
struct Int {
  MathBuilder *b;
  mlir::Value value;

  Int constant(uint64_t x) const {
    mlir::Type type = value.getType();
    auto attr = b->getIntegerAttr(mlir::getElementTypeOrSelf(type),
                                  static_cast<int64_t>(x));
    return {b, createConstant(*b, type, attr)};
  }
  template <typename OpT> Int apply(Int y) const {
    return {b, OpT::create(*b, value, y.value)};
  }
  /// Compares as `predicate` says; gives an i1.
  mlir::Value is(mlir::arith::CmpIPredicate predicate, Int y) const {
    return mlir::arith::CmpIOp::create(*b, predicate, value, y.value);
  }
  mlir::Value is(mlir::arith::CmpIPredicate predicate, uint64_t y) const {
    return is(predicate, constant(y));
  }
};

#define GRIDIR_INT_OPERATOR(SYMBOL, OP)                                        \
  inline Int operator SYMBOL(Int x, Int y) {                                   \
    return x.apply<mlir::arith::OP>(y);                                        \
  }                                                                            \
  inline Int operator SYMBOL(Int x, uint64_t y) {                              \
    return x.apply<mlir::arith::OP>(x.constant(y));                            \
  }
GRIDIR_INT_OPERATOR(+, AddIOp)
GRIDIR_INT_OPERATOR(-, SubIOp)
GRIDIR_INT_OPERATOR(*, MulIOp)
GRIDIR_INT_OPERATOR(/, DivUIOp)
GRIDIR_INT_OPERATOR(%, RemUIOp)
GRIDIR_INT_OPERATOR(&, AndIOp)
GRIDIR_INT_OPERATOR(|, OrIOp)
GRIDIR_INT_OPERATOR(^, XOrIOp)
GRIDIR_INT_OPERATOR(<<, ShLIOp)
/// Shifts in zeros.
GRIDIR_INT_OPERATOR(>>, ShRUIOp)
#undef GRIDIR_INT_OPERATOR

/// Shifts in the sign.
inline Int shiftArithmetic(Int x, uint64_t y) {
  return x.apply<mlir::arith::ShRSIOp>(x.constant(y));
}

/// An f64 or f32, or a vector of them, that an expansion computes with.
struct Real {
  MathBuilder *b;
  mlir::Value value;

  Real constant(double x) const {
    mlir::Type type = value.getType();
    auto attr = b->getFloatAttr(mlir::getElementTypeOrSelf(type), x);
    return {b, createConstant(*b, type, attr)};
  }
  template <typename OpT> Real apply() const {
    return {b, OpT::create(*b, value)};
  }
  template <typename OpT> Real apply(Real y) const {
    return {b, OpT::create(*b, value, y.value)};
  }
  /// Compares as `predicate` says; gives an i1.
  mlir::Value is(mlir::arith::CmpFPredicate predicate, Real y) const {
    return mlir::arith::CmpFOp::create(*b, predicate, value, y.value);
  }
  mlir::Value is(mlir::arith::CmpFPredicate predicate, double y) const {
    return is(predicate, constant(y));
  }
  mlir::Value isNaN() const {
    return is(mlir::arith::CmpFPredicate::UNO, *this);
  }
  /// The type of the integers that have the width of these numbers.
  mlir::Type getIntType() const {
    mlir::Type type = value.getType();
    return withShape(
        type, b->getIntegerType(
                  mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
  }
  Int bits() const {
    return {b, mlir::arith::BitcastOp::create(*b, getIntType(), value)};
  }
};

#define GRIDIR_REAL_OPERATOR(SYMBOL, OP)                                       \
  inline Real operator SYMBOL(Real x, Real y) {                                \
    return x.apply<mlir::arith::OP>(y);                                        \
  }                                                                            \
  inline Real operator SYMBOL(Real x, double y) {                              \
    return x.apply<mlir::arith::OP>(x.constant(y));                            \
  }                                                                            \
  inline Real operator SYMBOL(double x, Real y) {                              \
    return y.constant(x).apply<mlir::arith::OP>(y);                            \
  }
GRIDIR_REAL_OPERATOR(+, AddFOp)
GRIDIR_REAL_OPERATOR(-, SubFOp)
GRIDIR_REAL_OPERATOR(*, MulFOp)
GRIDIR_REAL_OPERATOR(/, DivFOp)
#undef GRIDIR_REAL_OPERATOR

inline Real operator-(Real x) { return x.apply<mlir::arith::NegFOp>(); }
inline Real abs(Real x) { return x.apply<mlir::math::AbsFOp>(); }
inline Real sqrt(Real x) { return x.apply<mlir::math::SqrtOp>(); }
inline Real floor(Real x) { return x.apply<mlir::math::FloorOp>(); }
/// The nearest integer, the even one of two.
inline Real round(Real x) { return x.apply<mlir::math::RoundEvenOp>(); }
inline Real copySign(Real x, Real sign) {
  return x.apply<mlir::math::CopySignOp>(sign);
}
/// x * y + z, rounded once.
inline Real fma(Real x, Real y, Real z) {
  return {x.b, mlir::math::FmaOp::create(*x.b, x.value, y.value, z.value)};
}
inline Real fma(Real x, double y, Real z) { return fma(x, x.constant(y), z); }

/// The type of the floats that have the width of these integers.
inline mlir::Type getRealType(Int x) {
  mlir::Type type = x.value.getType();
  bool isWide = mlir::getElementTypeOrSelf(type).isInteger(64);
  return withShape(type, isWide ? mlir::Type(x.b->getF64Type())
                                : mlir::Type(x.b->getF32Type()));
}
inline Real fromBits(Int x) {
  return {x.b, mlir::arith::BitcastOp::create(*x.b, getRealType(x), x.value)};
}
inline Real fromSigned(Int x) {
  return {x.b, mlir::arith::SIToFPOp::create(*x.b, getRealType(x), x.value)};
}
inline Real fromUnsigned(Int x) {
  return {x.b, mlir::arith::UIToFPOp::create(*x.b, getRealType(x), x.value)};
}
inline Real select(mlir::Value condition, Real x, Real y) {
  return {x.b,
          mlir::arith::SelectOp::create(*x.b, condition, x.value, y.value)};
}
inline Real select(mlir::Value condition, double x, Real y) {
  return select(condition, y.constant(x), y);
}
inline Int select(mlir::Value condition, Int x, Int y) {
  return {x.b,
          mlir::arith::SelectOp::create(*x.b, condition, x.value, y.value)};
}
inline mlir::Value both(MathBuilder &b, mlir::Value x, mlir::Value y) {
  return mlir::arith::AndIOp::create(b, x, y);
}
inline mlir::Value either(MathBuilder &b, mlir::Value x, mlir::Value y) {
  return mlir::arith::OrIOp::create(b, x, y);
}
inline mlir::Value negate(MathBuilder &b, mlir::Value x) {
  mlir::Value yes = mlir::arith::ConstantIntOp::create(b, 1, 1);
  return mlir::arith::XOrIOp::create(b, x, yes);
}

/// The integer that a float holds; 0 for a NaN, whose conversion is poison.
inline Int toInt(Real x) {
  Real number = select(x.isNaN(), 0.0, x);
  return {x.b,
          mlir::arith::FPToSIOp::create(*x.b, x.getIntType(), number.value)};
}

/// `x` kept between two bounds; a NaN stays one.
inline Real clamp(Real x, double low, double high) {
  using mlir::arith::CmpFPredicate;
  x = select(x.is(CmpFPredicate::OLT, low), low, x);
  return select(x.is(CmpFPredicate::OGT, high), high, x);
}

/// The polynomial with these coefficients, that of x^0 first.
inline Real polynomial(Real x, llvm::ArrayRef<double> coefficients) {
  Real result = x.constant(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, x.constant(c));
  return result;
}

/// A number as the sum of two doubles: about twice the precision.
struct Pair {
  Real hi, lo;
};

/// x + y exactly.
inline Pair addExactly(Real x, Real y) {
  Real sum = x + y;
  Real part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

/// x + y exactly, where |x| >= |y|.
inline Pair addSmaller(Real x, Real y) {
  Real sum = x + y;
  return {sum, y - (sum - x)};
}

/// x * y exactly.
inline Pair multiplyExactly(Real x, Real y) {
  Real product = x * y;
  return {product, fma(x, y, -product)};
}

inline Pair operator*(Pair x, Pair y) {
  Pair product = multiplyExactly(x.hi, y.hi);
  return {product.hi, product.lo + (x.hi * y.lo + x.lo * y.hi)};
}

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_MATH_MATHBUILDER_H

//===- Prng.cpp - A counter-based random generator ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threefry-2x32 (Salmon et al., SC 2011), 20 rounds: the bits of an element are
// a function of the key and a counter alone, so a block of them is an
// elementwise op. The state is three words: the key, and how many numbers were
// drawn.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

using Words = std::pair<Value, Value>;

Value createWord(OpBuilder &builder, Location loc, uint32_t value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Words createThreefry(OpBuilder &builder, Location loc, Words key,
                     Words counter) {
  constexpr uint32_t parity = 0x1BD11BDA;
  constexpr unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  auto xorOf = [&](Value a, Value b) -> Value {
    return arith::XOrIOp::create(builder, loc, a, b);
  };
  auto rotate = [&](Value a, unsigned bits) -> Value {
    Value left =
        arith::ShLIOp::create(builder, loc, a, createWord(builder, loc, bits));
    Value right = arith::ShRUIOp::create(builder, loc, a,
                                         createWord(builder, loc, 32 - bits));
    return arith::OrIOp::create(builder, loc, left, right);
  };
  Value third =
      xorOf(xorOf(key.first, key.second), createWord(builder, loc, parity));
  Value keys[3] = {key.first, key.second, third};
  Value x = add(counter.first, keys[0]), y = add(counter.second, keys[1]);
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned bits : rotations[group % 2]) {
      x = add(x, y);
      y = xorOf(rotate(y, bits), x);
    }
    x = add(x, keys[(group + 1) % 3]);
    y = add(add(y, keys[(group + 2) % 3]), createWord(builder, loc, group + 1));
  }
  return {x, y};
}

/// The random state of the running program, made on first use.
Value getState(OpBuilder &builder, Location loc, KernelLowering &lowering) {
  if (!lowering.prngState)
    lowering.prngState = lowering.allocate(loc, {3}, builder.getI32Type());
  return lowering.prngState;
}

Value loadWord(OpBuilder &builder, Location loc, Value state,
               int64_t position) {
  return memref::LoadOp::create(builder, loc, state,
                                createIndex(builder, loc, position));
}

void storeWord(OpBuilder &builder, Location loc, Value word, Value state,
               int64_t position) {
  memref::StoreOp::create(builder, loc, word, state,
                          createIndex(builder, loc, position));
}

class PrngSeedPattern : public LoweringPattern<PrngSeedOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(PrngSeedOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value zero = createWord(rewriter, loc, 0);
    Words key{zero, zero};
    // Each seed is mixed into the key.
    for (auto [i, seed] : llvm::enumerate(op.getSeeds()))
      for (Value word : getWords(rewriter, loc, seed))
        key = createThreefry(rewriter, loc, key,
                             {word, createWord(rewriter, loc, i)});
    Value state = getState(rewriter, loc, lowering);
    storeWord(rewriter, loc, key.first, state, 0);
    storeWord(rewriter, loc, key.second, state, 1);
    storeWord(rewriter, loc, zero, state, 2);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static SmallVector<Value> getWords(OpBuilder &builder, Location loc,
                                     Value seed) {
    unsigned width = seed.getType().getIntOrFloatBitWidth();
    Type i32 = builder.getI32Type();
    if (width == 32)
      return {seed};
    if (width < 32)
      return {arith::ExtUIOp::create(builder, loc, i32, seed)};
    SmallVector<Value> words;
    for (unsigned bit = 0; bit < width; bit += 32) {
      Value shift =
          arith::ConstantIntOp::create(builder, loc, seed.getType(), bit);
      Value part = arith::ShRUIOp::create(builder, loc, seed, shift);
      words.push_back(arith::TruncIOp::create(builder, loc, i32, part));
    }
    return words;
  }
};

class PrngBitsPattern : public LoweringPattern<PrngBitsOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(PrngBitsOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getResult().getType());
    auto integer = dyn_cast<IntegerType>(element);
    if (!integer || integer.getWidth() > 64)
      return lowering.fail(
          op, "expected random bits as integers of at most 64 bits");
    if (!lowering.hasSeed)
      return lowering.fail(op,
                           "expected the kernel to seed its random generator");
    SmallVector<int64_t> shape;
    if (auto type = dyn_cast<RankedTensorType>(op.getResult().getType()))
      llvm::append_range(shape, type.getShape());

    Value state = getState(rewriter, loc, lowering);
    Words key{loadWord(rewriter, loc, state, 0),
              loadWord(rewriter, loc, state, 1)};
    Value drawn = loadWord(rewriter, loc, state, 2);
    Value next = arith::AddIOp::create(rewriter, loc, drawn,
                                       createWord(rewriter, loc, 1));
    storeWord(rewriter, loc, next, state, 2);

    Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element);
    SmallVector<AffineMap> maps{rewriter.getMultiDimIdentityMap(shape.size())};
    SmallVector<utils::IteratorType> iterators(shape.size(),
                                               utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, empty.getType(), ValueRange(), empty, maps, iterators,
        [&](OpBuilder &builder, Location loc, ValueRange) {
          // The counter is the linear index of the element and the number of
          // the draw.
          Value linear = createIndex(builder, loc, 0);
          for (auto [d, extent] : llvm::enumerate(shape)) {
            linear = arith::MulIOp::create(builder, loc, linear,
                                           createIndex(builder, loc, extent));
            linear = arith::AddIOp::create(
                builder, loc, linear, linalg::IndexOp::create(builder, loc, d));
          }
          linear = arith::IndexCastOp::create(builder, loc,
                                              builder.getI32Type(), linear);
          Words bits = createThreefry(builder, loc, key, {linear, drawn});
          linalg::YieldOp::create(builder, loc,
                                  createInteger(builder, loc, bits, integer));
        });
    Value result = generic.getResult(0);
    if (!isa<RankedTensorType>(op.getResult().getType()))
      result = toScalar(rewriter, loc, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value createInteger(OpBuilder &builder, Location loc, Words bits,
                             IntegerType type) {
    if (type.getWidth() == 32)
      return bits.first;
    if (type.getWidth() < 32)
      return arith::TruncIOp::create(builder, loc, type, bits.first);
    Type i64 = builder.getI64Type();
    Value low = arith::ExtUIOp::create(builder, loc, i64, bits.first);
    Value high = arith::ExtUIOp::create(builder, loc, i64, bits.second);
    high = arith::ShLIOp::create(
        builder, loc, high, arith::ConstantIntOp::create(builder, loc, 32, 64));
    Value word = arith::OrIOp::create(builder, loc, low, high);
    return type.getWidth() == 64
               ? word
               : arith::TruncIOp::create(builder, loc, type, word);
  }
};

} // namespace

void populatePrngPatterns(RewritePatternSet &patterns,
                          KernelLowering &lowering) {
  patterns.add<PrngSeedPattern, PrngBitsPattern>(patterns.getContext(),
                                                 lowering);
}

} // namespace gridir

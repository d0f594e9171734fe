//===- Elements.cpp - The elements that a thread holds --------------------===//
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

SmallVector<Value> Lowering::getThreadPart(const Distribution &distribution) {
  for (auto &[known, part] : threadParts)
    if (known.threadBits == distribution.threadBits)
      return part;
  SmallVector<Value> part = atBeginning([&] {
    Location loc = kernel.getLoc();
    SmallVector<Value> sums;
    for (size_t d = 0; d < distribution.space.size(); ++d) {
      Value sum = zero;
      for (unsigned bit = 0; bit < kNumThreadBits;) {
        int64_t step = distribution.threadBits[bit][d];
        // Bits whose steps double are one factor.
        unsigned end = bit + 1;
        while (step && end < kNumThreadBits &&
               distribution.threadBits[end][d] == step << (end - bit))
          ++end;
        if (step) {
          Value bits = thread;
          if (bit)
            bits = arith::ShRUIOp::create(builder, loc, bits,
                                          createI32(builder, loc, bit));
          if (end < kNumThreadBits)
            bits = arith::AndIOp::create(
                builder, loc, bits,
                createI32(builder, loc, (1 << (end - bit)) - 1));
          bits = arith::MulIOp::create(builder, loc, bits,
                                       createI32(builder, loc, step));
          sum =
              sum == zero
                  ? bits
                  : arith::AddIOp::create(builder, loc, sum, bits).getResult();
        }
        bit = end;
      }
      sums.push_back(sum);
    }
    return sums;
  });
  threadParts.emplace_back(distribution, part);
  return part;
}

SmallVector<Value> Lowering::createCoords(const Distribution &distribution,
                                          unsigned r) {
  Location loc = kernel.getLoc();
  SmallVector<Value> coords = getThreadPart(distribution);
  for (auto [sum, first] : llvm::zip_equal(coords, distribution.registers[r]))
    sum = toI32(
        builder, loc,
        createOffset(builder, loc, sum, builder.getI32IntegerAttr(first)));
  return coords;
}

SmallVector<Value> Lowering::createElement(const Distribution &distribution,
                                           unsigned r) {
  SmallVector<Value> coords = createCoords(distribution, r);
  if (!distribution.isFlat())
    return coords;
  Location loc = kernel.getLoc();
  Value index = coords[0];
  if (distribution.exceeds())
    index = arith::MinUIOp::create(
        builder, loc, index,
        createI32(builder, loc, distribution.space[0] - 1));
  SmallVector<Value> element(distribution.shape.size());
  for (int64_t d = element.size() - 1; d >= 0; --d) {
    Value size = createI32(builder, loc, distribution.shape[d]);
    element[d] = d ? arith::RemUIOp::create(builder, loc, index, size) : index;
    if (d)
      index = arith::DivUIOp::create(builder, loc, index, size);
  }
  return element;
}

Value Lowering::createOwns(const Distribution &distribution, unsigned r) {
  Location loc = kernel.getLoc();
  Value owns;
  if (distribution.hasCopies()) {
    int64_t mask = 0;
    for (auto [bit, coords] : llvm::enumerate(distribution.threadBits))
      if (llvm::all_of(coords, [](int64_t x) { return x == 0; }))
        mask |= int64_t(1) << bit;
    Value bits = arith::AndIOp::create(builder, loc, thread,
                                       createI32(builder, loc, mask));
    owns = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, bits,
                                 zero);
  }
  if (distribution.exceeds() &&
      distribution.getCoords(r, kNumThreads - 1)[0] >= distribution.space[0]) {
    Value isInside =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                              createCoords(distribution, r)[0],
                              createI32(builder, loc, distribution.space[0]));
    owns =
        owns ? arith::AndIOp::create(builder, loc, owns, isInside) : isInside;
  }
  return owns;
}

} // namespace gridir::warpgroup_to_nvvm

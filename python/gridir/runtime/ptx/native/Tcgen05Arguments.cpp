//===- Tcgen05Arguments.cpp - Arguments of products in tensor memory ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties that are known only at execution, such as the types and sizes in
// the instruction descriptor, are rejected then.
//
//===----------------------------------------------------------------------===//

#include "Tcgen05Arguments.h"

#include "ElementFormat.h"

using namespace llvm;

namespace gridir::ptx::tcgen05 {

namespace {

constexpr ProductKind kKinds[] = {
    {"kind::f16", 16, 0, {"f16", "bf16", "", "", "", ""}},
    {"kind::tf32", 8, 0, {"", "", "tf32", "", "", ""}},
    {"kind::f8f6f4", 32, 0, {"e4m3", "e5m2", "", "", "", ""}},
    {"kind::i8", 32, 0, {"u8", "s8", "", "", "", ""}},
    {"kind::mxf8f6f4", 32, 1, {"e4m3", "e5m2", "", "", "", ""}},
    {"kind::mxf4", 64, 2, {"", "e2m1", "", "", "", ""}},
    {"kind::mxf4nvf4", 64, 4, {"", "e2m1", "", "", "", ""}}};

constexpr std::pair<StringLiteral, unsigned> kScaleCounts[] = {
    {"scale_vec::1X", 1}, {"scale_vec::2X", 2}, {"scale_vec::4X", 4}};

unsigned getNumber(const Group &group, const ProductKind &kind,
                   unsigned number) {
  StringRef name =
      number < kind.formats.size() ? StringRef(kind.formats[number]) : "";
  if (name.empty())
    group.fail("expected an element type of '." + kind.name.str() +
               "' that is implemented, got number " + std::to_string(number));
  return findFormat(name).value_or(0);
}

} // namespace

void encodeProduct(Encoder &e, bool isSparse) {
  Emitter &emitter = e.emitter;
  const bool isPair = takePair(emitter);
  const auto *kind = llvm::find_if(
      kKinds, [&](const ProductKind &row) { return emitter.take(row.name); });
  if (kind == std::end(kKinds)) {
    emitter.fail("expected a kind of MMA that is implemented");
    return;
  }
  if (emitter.take("block_scale") != (kind->scales != 0)) {
    emitter.fail(
        "expected '.block_scale' for exactly the kinds that have scales");
    return;
  }
  unsigned scales = kind->scales;
  for (const auto &[name, count] : kScaleCounts)
    if (emitter.take(name))
      scales = count;
  if (emitter.take("block32"))
    scales = kind->depth / 32;
  if (emitter.take("block16"))
    scales = kind->depth / 16;
  // Hints about operand buffers do not affect values.
  for (StringRef modifier : SmallVector<StringRef>(emitter.getModifiers()))
    if (modifier.starts_with("collector::a"))
      emitter.take(modifier);
  emitter.expectOperands(5 + isSparse + (scales ? 2 : 0), 9);
  unsigned next = 0;
  auto addAddress = [&] {
    e.add(emitter.readAddress(emitter.getOperand(next++)));
  };
  e.add(uint64_t(kind - kKinds));
  e.add(uint64_t(isPair));
  addAddress();
  const bool isTensorA =
      emitter.getOperand(next).kind == Operand::Kind::Address;
  e.add(uint64_t(isTensorA));
  if (isTensorA)
    addAddress();
  else
    e.add(emitter.getOperand(next++), 64);
  e.add(emitter.getOperand(next++), 64);
  Value *metadata = emitter.builder.getInt64(0);
  if (isSparse)
    metadata = emitter.readAddress(emitter.getOperand(next++));
  e.add(emitter.getOperand(next++), 32);
  Value *scaleA = emitter.builder.getInt64(0), *scaleB = scaleA;
  if (scales) {
    scaleA = emitter.readAddress(emitter.getOperand(next++));
    scaleB = emitter.readAddress(emitter.getOperand(next++));
  }
  ArrayRef<Operand> mask;
  if (emitter.getOperand(next).kind == Operand::Kind::Vector)
    mask = emitter.getOperand(next++).elements;
  if (!mask.empty() && (mask.size() != (isPair ? 8 : 4) || scales))
    emitter.fail("expected a mask of lanes of 4 words, or of 8 for a pair, and "
                 "no scales");
  e.add(emitter.getOperand(next++), 1);
  e.add(uint64_t(scales));
  e.add(scaleA);
  e.add(scaleB);
  e.add(uint64_t(isSparse));
  e.add(metadata);
  uint64_t shift = 0;
  if (next < emitter.getNumOperands())
    shift = emitter.findConstant(emitter.getOperand(next++)).value_or(0);
  if (shift > 15 || next < emitter.getNumOperands())
    emitter.fail("expected at most a scale of the accumulator from 0 to 15 as "
                 "the last operand");
  e.add(shift);
  for (unsigned i = 0; i < kMaskWords; ++i)
    if (i < mask.size())
      e.add(mask[i], 32);
    else
      e.add(uint64_t(0));
}

Product::Product(const Group &group)
    : kind(kKinds[group.arguments[0][Kind]]),
      blocks(getBlocks(group, group.arguments[0][IsPair])) {
  const uint64_t *words = group.arguments[0];
  const uint32_t word = words[Descriptor];
  auto get = [&](unsigned bit, unsigned width) {
    return word >> bit & ((1u << width) - 1);
  };
  const bool isSparse = words[IsSparse];
  scales = words[Scales];
  if (get(2, 1) != unsigned(isSparse))
    group.fail(
        "expected an instruction descriptor with the sparsity of the MMA");
  formatA = getNumber(group, kind, get(7, 3));
  formatB = getNumber(group, kind, get(10, scales && kind.depth == 64 ? 2 : 3));
  isNegativeA = get(13, 1);
  isNegativeB = get(14, 1);
  isTransposedA = get(15, 1);
  isTransposedB = get(16, 1);
  columns = get(17, 6) * 8;
  selector = get(0, 2);
  firstScaleA = get(29, 2);
  firstScaleB = get(4, 2);
  formatScale = *findFormat(get(23, 1) ? "ue8m0" : "ue4m3");
  rows = scales ? get(27, 2) * 128 : get(24, 5) * 16;
  blockRows = rows / blocks.size();
  depth = kind.depth * (isSparse ? 2 : 1);
  storedDepth = kind.depth;
  static constexpr StringLiteral sums[] = {"f16", "f32", "s32"};
  const unsigned sum = scales ? 1 : get(4, 2);
  if (sum > 2 || (sum == 2) != getFormat(formatA).isInteger)
    group.fail(
        "expected an accumulator type that matches the operands, got number " +
        std::to_string(sum));
  formatD = *findFormat(sums[sum]);
  if ((blockRows != 64 && blockRows != 128) || columns < 8 || columns > 256 ||
      columns % (isOfPair() ? 16 : 8))
    group.fail("expected 64 or 128 rows of a block and 8 to 256 columns, got " +
               std::to_string(rows) + " rows and " + std::to_string(columns) +
               " columns");
  const unsigned bits = getFormat(formatA).bits;
  if (isSparse && (blockRows != 128 || (bits != 8 && bits != 16)))
    group.fail("expected 128 rows of a block and 8-bit or 16-bit elements of a "
               "sparse MMA");
  if ((bits == 4 || (isSparse && scales)) && (isTransposedA || isTransposedB))
    group.fail("expected operands that are contiguous along k");
}

} // namespace gridir::ptx::tcgen05

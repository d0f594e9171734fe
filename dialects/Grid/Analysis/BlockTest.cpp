//===- BlockTest.cpp - What a call tests of its blocks --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/BlockTest.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace gridir::grid {

/// Returns the listed numbers, or none if one of them is outside of `[first,
/// end)`.
static SmallVector<unsigned> readNumbers(DictionaryAttr from, StringRef name,
                                         unsigned first, unsigned end) {
  SmallVector<unsigned> numbers;
  if (auto array = from.getAs<DenseI64ArrayAttr>(name))
    for (int64_t number : array.asArrayRef()) {
      if (number < first || number >= end)
        return {};
      numbers.push_back(number);
    }
  return numbers;
}

std::optional<BlockTest> getBlockTest(KernelOp kernel) {
  auto attr = kernel->getAttrOfType<DictionaryAttr>(kBlockTestAttrName);
  if (!attr)
    return std::nullopt;
  BlockTest test;
  test.dims = readNumbers(attr, "dims", 0, kernel.getRank());
  test.operands = readNumbers(attr, "operands", kernel.getNumIndexOperands(),
                              kernel.getNumOperandSpecs());
  if (test.dims.empty() || test.operands.empty())
    return std::nullopt;
  return test;
}

void setBlockTest(KernelOp kernel, const BlockTest &test) {
  Builder builder(kernel.getContext());
  auto toAttr = [&](StringRef name, ArrayRef<unsigned> numbers) {
    return builder.getNamedAttr(
        name, builder.getDenseI64ArrayAttr(
                  SmallVector<int64_t>(numbers.begin(), numbers.end())));
  };
  kernel->setAttr(kBlockTestAttrName, builder.getDictionaryAttr(
                                          {toAttr("dims", test.dims),
                                           toAttr("operands", test.operands)}));
}

} // namespace gridir::grid

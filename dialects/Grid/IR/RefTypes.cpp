//===- RefTypes.cpp - What Refs hold --------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/RefTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::grid {

int64_t getNumBits(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * getNumBits(complex.getElementType());
  if (auto object = dyn_cast<SyncTypeInterface>(elementType))
    return object.getNumBits();
  if (elementType.isIndex())
    return 64;
  return elementType.isInteger(1) ? 8 : elementType.getIntOrFloatBitWidth();
}

int64_t getNumBytes(ArrayRef<int64_t> shape, uint64_t bits) {
  for (int64_t size : shape)
    bits = llvm::SaturatingMultiply<uint64_t>(
        bits, ShapedType::isDynamic(size) ? 1 : size);
  return std::min<uint64_t>(llvm::divideCeil(bits, 8),
                            std::numeric_limits<int64_t>::max() / 4);
}

} // namespace gridir::grid

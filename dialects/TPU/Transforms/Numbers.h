//===- Numbers.h - Integer constants ----------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TRANSFORMS_NUMBERS_H
#define GRIDIR_DIALECTS_TPU_TRANSFORMS_NUMBERS_H

#include "mlir/IR/Matchers.h"

namespace gridir::tpu {

/// True if a value is a constant whose elements are all one number.
inline bool isNumber(mlir::Value value, int64_t expected) {
  llvm::APInt number;
  return matchPattern(value, mlir::m_ConstantInt(&number)) &&
         number.getSExtValue() == expected;
}

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_NUMBERS_H

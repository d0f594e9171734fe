//===- Polynomials.h - functions whose polynomials are good ----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_MATH_POLYNOMIALS_H
#define GRIDIR_DIALECTS_LOOPS_MATH_POLYNOMIALS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace gridir::loops {

/// The math ops whose upstream polynomials of f32 are as accurate as XLA's
/// code.
inline bool hasGoodPolynomial(llvm::StringRef name) {
  return llvm::is_contained(
      {"exp", "log", "log2", "log1p", "expm1", "tanh", "erf"},
      name.substr(name.rfind('.') + 1));
}

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_MATH_POLYNOMIALS_H

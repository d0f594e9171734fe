//===- Rounding.h - Rounding that is not to the nearest -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ROUNDING_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ROUNDING_H

#include "Emitter.h"

namespace gridir::ptx {

enum class Rounding : uint32_t { Nearest, TowardZero, Down, Up };

/// The modifier rn, rz, rm or rp, if there is one.
std::optional<Rounding> takeRounding(Emitter &emitter);

/// The arithmetic operations with a rounding mode.
enum class RoundedOp : uint32_t { Add, Sub, Mul, Div, Fma };

/// Arithmetic of f32 and f64 with a rounding, on the bits of elements.
llvm::Value *emitRounded(Emitter &emitter, RoundedOp op, Rounding rounding,
                         ScalarType element,
                         llvm::ArrayRef<llvm::Value *> operands);

/// A double as the bits of a narrower float.
llvm::Value *roundDirected(Emitter &emitter, llvm::Value *value, ScalarType to,
                           Rounding rounding);

/// An integer as the bits of a float.
llvm::Value *roundInteger(Emitter &emitter, llvm::Value *bits, bool isSigned,
                          ScalarType to, Rounding rounding);

/// Functions that generated code calls.
llvm::ArrayRef<std::pair<const char *, void *>> getMathSymbols();

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ROUNDING_H

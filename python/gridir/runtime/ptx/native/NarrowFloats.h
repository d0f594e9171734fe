//===- NarrowFloats.h - Conversions of floats of a byte or less ------------- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_NARROWFLOATS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_NARROWFLOATS_H

#include "Emitter.h"

namespace gridir::ptx {

/// Conversions to and from pairs of floats of a byte or less, and to tf32;
/// false where the instruction is none.
bool emitNarrowConversion(Emitter &emitter);

/// Functions that generated code calls.
std::vector<std::pair<const char *, void *>> getNarrowSymbols();

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_NARROWFLOATS_H

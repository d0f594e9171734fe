//===- ScalarType.cpp - The fundamental types of PTX ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarType.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

struct NamedType {
  StringLiteral name;
  ScalarType type;
};

constexpr NamedType kTypes[] = {
    {"pred", {TypeKind::Predicate, 1, 1}},
    {"b8", {TypeKind::Bits, 8, 1}},
    {"b16", {TypeKind::Bits, 16, 1}},
    {"b32", {TypeKind::Bits, 32, 1}},
    {"b64", {TypeKind::Bits, 64, 1}},
    {"b128", {TypeKind::Bits, 128, 1}},
    {"u8", {TypeKind::Unsigned, 8, 1}},
    {"u16", {TypeKind::Unsigned, 16, 1}},
    {"u32", {TypeKind::Unsigned, 32, 1}},
    {"u64", {TypeKind::Unsigned, 64, 1}},
    {"s8", {TypeKind::Signed, 8, 1}},
    {"s16", {TypeKind::Signed, 16, 1}},
    {"s32", {TypeKind::Signed, 32, 1}},
    {"s64", {TypeKind::Signed, 64, 1}},
    {"f16", {TypeKind::Float, 16, 1}},
    {"f32", {TypeKind::Float, 32, 1}},
    {"f64", {TypeKind::Float, 64, 1}},
    {"bf16", {TypeKind::BFloat, 16, 1}},
    {"f16x2", {TypeKind::Float, 32, 2}},
    {"f32x2", {TypeKind::Float, 64, 2}},
    {"bf16x2", {TypeKind::BFloat, 32, 2}},
    {"u16x2", {TypeKind::Unsigned, 32, 2}},
    {"s16x2", {TypeKind::Signed, 32, 2}},
};

} // namespace

std::optional<ScalarType> findType(StringRef name) {
  const auto *found = llvm::find_if(
      kTypes, [&](const NamedType &row) { return row.name == name; });
  if (found == std::end(kTypes))
    return std::nullopt;
  return found->type;
}

} // namespace gridir::ptx

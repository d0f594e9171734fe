//===- PtxName.cpp - Names of kernels in PTX ------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/PtxName.h"

#include "llvm/ADT/StringExtras.h"

std::string gridir::gpu::toPtxName(llvm::StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  // A digit cannot be the first character, nor an underscore the only one.
  if (result.empty())
    result = "_";
  if (llvm::isDigit(result.front()) || result == "_")
    result.insert(result.begin(), '_');
  return result;
}

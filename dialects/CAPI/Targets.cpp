//===- Targets.cpp - the targets and their chips --------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/Targets.h"

#include "dialects/Grid/Target/Target.h"
#include "mlir/CAPI/Support.h"
#include "llvm/Support/FormatVariadic.h"

using namespace gridir;

void gridirDescribeTargets(MlirStringCallback callback, void *userData) {
  llvm::json::Array targets;
  for (const grid::Target *target : grid::getTargets()) {
    llvm::json::Object row = target->describeChip();
    row["name"] = target->getFullName();
    targets.push_back(std::move(row));
  }
  std::string text =
      llvm::formatv("{0}", llvm::json::Value(std::move(targets))).str();
  callback(mlirStringRefCreate(text.data(), text.size()), userData);
}

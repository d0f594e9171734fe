//===- KernelLaunch.cpp - How a kernel is launched on a GPU ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/KernelLaunch.h"

#include "dialects/Kernel/IR/Kernel.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "llvm/Support/FormatVariadic.h"

using namespace gridir::kernel;

bool gridirDescribeLaunch(MlirModule module, MlirStringCallback callback,
                          void *userData) {
  auto abis = unwrap(module).getOps<ABIOp>();
  if (abis.empty())
    return false;
  std::optional<llvm::json::Object> launch = describeLaunch(*abis.begin());
  if (!launch)
    return false;
  std::string text =
      llvm::formatv("{0}", llvm::json::Value(std::move(*launch))).str();
  callback(mlirStringRefCreate(text.data(), text.size()), userData);
  return true;
}

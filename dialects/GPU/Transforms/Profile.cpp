//===- Profile.cpp - What a GPU does not record ---------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/Profile.h"

using namespace mlir;

LogicalResult gridir::gpu::checkNoProfile(grid::KernelOp kernel,
                                          StringRef chip) {
  if (ArrayAttr params = kernel.getParamsAttr())
    for (Attribute record : params)
      if (auto mosaic = dyn_cast<grid::MosaicGpuParamsAttr>(record);
          mosaic && mosaic.getProfileSpace().value_or(0) > 0)
        return emitError(kernel.getLoc())
               << "expected a profile_space of 0 on gpu:" << chip << ", got "
               << *mosaic.getProfileSpace()
               << "; no events of warps are recorded";
  return success();
}

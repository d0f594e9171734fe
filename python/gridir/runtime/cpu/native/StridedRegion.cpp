//===- StridedRegion.cpp - Elements at regular distances ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedRegion.h"

#include <algorithm>

namespace gridir::cpu {

StridedRegion::StridedRegion(std::vector<Dim> allDims, int64_t bytesPerElement,
                             unsigned numArrays)
    : dims(std::move(allDims)), runBytes(bytesPerElement) {
  dims.erase(std::remove_if(dims.begin(), dims.end(),
                            [&](const Dim &dim) {
                              empty |= dim.size <= 0;
                              return dim.size == 1;
                            }),
             dims.end());
  for (Dim &dim : dims)
    for (int64_t &stride : dim.strides)
      stride *= bytesPerElement;
  auto continuesRun = [&](const Dim &dim) {
    for (unsigned i = 0; i < numArrays; ++i)
      if (dim.strides[i] != runBytes)
        return false;
    return true;
  };
  while (!empty && !dims.empty() && continuesRun(dims.back())) {
    runBytes *= dims.back().size;
    dims.pop_back();
  }
}

} // namespace gridir::cpu

//===- SimilarPasses.h - Names that a person may have meant -----*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_DRIVER_SIMILARPASSES_H
#define GRIDIR_DIALECTS_DRIVER_SIMILARPASSES_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace gridir::driver {

/// Returns for each unknown name in a textual pipeline the most similar pass or
/// pipeline, if there is one.
std::vector<std::string> findSimilarPasses(llvm::StringRef pipeline);

} // namespace gridir::driver

#endif // GRIDIR_DIALECTS_DRIVER_SIMILARPASSES_H

//===- AsyncUnits.cpp - What goes on beside the threads -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncUnits.h"

#include "Execution.h"

namespace gridir::ptx {

void AsyncGroups::wait(Execution &execution, Thread &thread, uint64_t last) {
  while (committed.size() > last) {
    const std::vector<Operation> group = std::move(committed.front());
    committed.erase(committed.begin());
    for (const Operation &operation : group) {
      if (operation.work)
        operation.work->run();
      execution.acquire(thread, operation.unit);
    }
  }
}

} // namespace gridir::ptx

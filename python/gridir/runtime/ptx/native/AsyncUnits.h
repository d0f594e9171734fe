//===- AsyncUnits.h - What goes on beside the threads ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ASYNCUNITS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ASYNCUNITS_H

#include "Order.h"

#include <functional>
#include <memory>
#include <vector>

namespace gridir::ptx {

class Execution;
struct Cluster;
struct Thread;

/// Copies or MMAs as a separate actor, while it is referenced.
class AsyncUnit {
public:
  AsyncUnit(OrderChecker &order, OrderChecker::Actor actor)
      : actor(actor), order(order) {}
  ~AsyncUnit() { order.end(actor); }
  AsyncUnit(const AsyncUnit &) = delete;
  AsyncUnit &operator=(const AsyncUnit &) = delete;

  const OrderChecker::Actor actor;

private:
  OrderChecker &order;
};

/// Null without checks.
using AsyncUnitRef = std::shared_ptr<AsyncUnit>;

/// The remaining work of a copy.
struct AsyncWork {
  std::function<void()> body;
  const Cluster *cluster = nullptr;

  void run() {
    if (auto now = std::exchange(body, nullptr))
      now();
  }
};

/// Null if the copy completes when it starts.
using AsyncWorkRef = std::shared_ptr<AsyncWork>;

/// The asynchronous operations of a thread that it waits for in groups.
class AsyncGroups {
public:
  struct Operation {
    AsyncUnitRef unit;
    AsyncWorkRef work;
    unsigned site = 0;
  };

  void add(Operation operation) { open.push_back(std::move(operation)); }
  void commit() { committed.push_back(std::exchange(open, {})); }
  /// The thread continues when all groups except the last ones are complete.
  void wait(Execution &execution, Thread &thread, uint64_t last);
  /// The unit of the group that is not committed; null where there is none.
  AsyncUnitRef getOpenUnit() const {
    return open.empty() ? nullptr : open.back().unit;
  }
  /// Calls `body` with all operations that have not been waited for.
  template <typename Body> void forEach(Body body) const {
    for (const std::vector<Operation> &group : committed)
      for (const Operation &operation : group)
        body(operation);
    for (const Operation &operation : open)
      body(operation);
  }

private:
  std::vector<Operation> open;
  /// The oldest first.
  std::vector<std::vector<Operation>> committed;
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ASYNCUNITS_H

//===- Rendezvous.cpp - Calls of all devices that run as one --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rendezvous.h"

#include "Execute.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace gridir::cpu {

namespace {

struct Participant {
  DeviceBuffers buffers;
  CallDone done;
};

/// The devices that have called, until all have.
struct Group {
  int64_t numArrived = 0;
  std::vector<Participant> waiting;
  /// The reason why one of them cannot continue, or empty.
  std::string failure;
};

/// A device that has called cannot call again before the call is over, so that
/// there is one group for a name at a time.
using GroupName = std::tuple<const Kernel *, int64_t, int64_t>;

/// Adds a device, and gives those that the caller must tell of the outcome: all
/// when it completes the group, and all that have arrived when one has failed.
Group arrive(const CollectiveCall &call,
             std::variant<DeviceBuffers, std::string> device, CallDone done) {
  static std::mutex mutex;
  // Never destroyed: an XLA thread may run a kernel while the process ends.
  static auto *groups = new std::map<GroupName, Group>;
  std::lock_guard<std::mutex> lock(mutex);
  GroupName name{call.kernel, call.runId, call.channel};
  Group &group = (*groups)[name];
  ++group.numArrived;
  if (auto *failure = std::get_if<std::string>(&device)) {
    if (group.failure.empty())
      group.failure = std::move(*failure);
    device = DeviceBuffers();
  }
  group.waiting.push_back(
      {std::move(std::get<DeviceBuffers>(device)), std::move(done)});
  const bool isComplete = group.numArrived >= call.numDevices;
  Group told;
  if (isComplete || !group.failure.empty()) {
    told.waiting = std::exchange(group.waiting, {});
    told.failure = group.failure;
  }
  if (isComplete)
    groups->erase(name);
  return told;
}

/// Runs the programs of devices that have all called.
std::optional<std::string> runGroup(const Kernel &kernel, Group &group) {
  std::sort(group.waiting.begin(), group.waiting.end(),
            [](const auto &a, const auto &b) {
              return a.buffers.number < b.buffers.number;
            });
  std::vector<DeviceBuffers> devices;
  std::string numbers;
  bool inOrder = true;
  for (Participant &participant : group.waiting) {
    const int64_t number = participant.buffers.number;
    inOrder &= number == static_cast<int64_t>(devices.size());
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
    devices.push_back(std::move(participant.buffers));
  }
  // A kernel that only reads its coordinates in the mesh runs alone.
  if (!inOrder && devices.size() > 1)
    return "kernel `" + kernel.info.name +
           "` expected its devices to have the numbers from 0 to " +
           std::to_string(devices.size() - 1) + ", got " + numbers;
  return runDevices(kernel, devices);
}

} // namespace

void joinCall(const CollectiveCall &call,
              std::variant<DeviceBuffers, std::string> device, CallDone done) {
  Group group = arrive(call, std::move(device), std::move(done));
  if (group.waiting.empty())
    return;
  std::optional<std::string> error = group.failure;
  if (group.failure.empty())
    error = runGroup(*call.kernel, group);
  for (const Participant &participant : group.waiting)
    participant.done(error);
}

} // namespace gridir::cpu

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

namespace gridir::cpu {

namespace {

struct Participant {
  DeviceBuffers buffers;
  CallDone done;
};

/// A device that has called cannot call again before the call is over, so that
/// there is one group for a name at a time.
using GroupName = std::tuple<const Kernel *, int64_t, int64_t>;
using Group = std::vector<Participant>;

/// Adds a participant, and gives the group to who completes it.
Group addParticipant(const CollectiveCall &call, Participant participant) {
  static std::mutex mutex;
  // Never destroyed: an XLA thread may run a kernel while the process ends.
  static auto *groups = new std::map<GroupName, Group>;
  std::lock_guard<std::mutex> lock(mutex);
  GroupName name{call.kernel, call.runId, call.channel};
  Group &group = (*groups)[name];
  group.push_back(std::move(participant));
  if (static_cast<int64_t>(group.size()) < call.numDevices)
    return {};
  Group complete = std::move(group);
  groups->erase(name);
  return complete;
}

} // namespace

void joinCall(const CollectiveCall &call, DeviceBuffers buffers,
              CallDone done) {
  Group group = addParticipant(call, {std::move(buffers), std::move(done)});
  if (group.empty())
    return;
  std::sort(group.begin(), group.end(), [](const auto &a, const auto &b) {
    return a.buffers.number < b.buffers.number;
  });
  std::vector<DeviceBuffers> devices;
  for (Participant &participant : group)
    devices.push_back(std::move(participant.buffers));
  std::optional<std::string> error = runDevices(*call.kernel, devices);
  for (const Participant &participant : group)
    participant.done(error);
}

} // namespace gridir::cpu

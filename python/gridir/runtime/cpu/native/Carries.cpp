//===- Carries.cpp - Scratch that work items hand on ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Carries.h"

namespace gridir::cpu {

bool CarryFinder::isScratch(ByteRange range) const {
  auto next = scratch.upper_bound(range.begin);
  return next != scratch.begin() && std::prev(next)->second >= range.end;
}

void CarryFinder::note(std::size_t item, ByteRange range,
                       const RaceDetector::Access &access, Events &same,
                       const Events &others) {
  if (carry || !isScratch(range))
    return;
  std::vector<Event> &events = same[{range, access.site}];
  if (events.size() == 2 || (!events.empty() && events.front().item == item))
    return;
  events.push_back({item, access});
  for (const auto &[key, partners] : others) {
    if (!key.first.overlaps(range))
      continue;
    for (const Event &partner : partners)
      if (partner.item != item) {
        bool writes = access.kind != AccessKind::Use;
        carry = writes ? RaceDetector::Race{access, partner.access}
                       : RaceDetector::Race{partner.access, access};
        return;
      }
  }
}

} // namespace gridir::cpu

//===- Faults.cpp - The report of a launch that failed --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gridir::ptx {

std::string Execution::describeThread(uint32_t number) const {
  const uint32_t block = number / blockThreads;
  std::array<uint32_t, 3> coordinates = unflatten(block / ranks, clusters);
  const std::array<uint32_t, 3> inCluster =
      unflatten(block % ranks, options.cluster);
  for (unsigned i = 0; i < 3; ++i)
    coordinates[i] = coordinates[i] * options.cluster[i] + inCluster[i];
  return "thread " + describe(unflatten(number % blockThreads, options.block)) +
         " of block " + describe(coordinates);
}

void Execution::setFault(const std::string &message, unsigned site,
                         const Thread *thread) {
  Fault fault;
  fault.problem.message = message;
  fault.cluster = thread         ? thread->cta->cluster->number
                  : live.empty() ? 0
                                 : live.front()->number;
  if (thread) {
    const Site &code = function.translation.sites[site];
    fault.instruction = code.text;
    fault.problem.where = code.where;
    fault.problem.source = code.source;
    fault.notes.push_back("in " + describeThread(thread->number));
  }
  report.fault = std::move(fault);
}

/// Returns the arrivals at the barrier that a thread waits for.
std::string Execution::describeArrivals(const Wait &wait) const {
  if (!wait.word || !wait.describe)
    return {};
  std::string text = "; " + wait.describe(*wait.word);
  auto known = arrivals.find(wait.word);
  if (known == arrivals.end())
    return text + ", and none in all";
  const auto &[count, site] = known->second;
  const Site &last = function.translation.sites[site];
  text += ", and " + std::to_string(count) + " in all, the last at line " +
          std::to_string(last.where.line);
  if (last.source.line)
    text += " (source line " + std::to_string(last.source.line) + ")";
  return text;
}

/// Describes the location of the threads of each warp.
namespace {

/// Threads of a block that wait at one instruction: equally many of each of
/// some warps.
struct WaitingThreads {
  unsigned site;
  unsigned count;
  std::vector<unsigned> warps;
  const Thread *first;
};

/// Blocks whose threads wait alike.
struct WaitingBlocks {
  std::string threads, wait;
  std::vector<std::string> blocks;
  const Site *site;
};

/// The first blocks, and the number of the others.
std::string describeBlocks(const std::vector<std::string> &blocks) {
  constexpr size_t kMost = 3;
  std::string text = blocks.size() == 1 ? "block " : "blocks ";
  for (size_t i = 0; i < std::min(blocks.size(), kMost); ++i)
    text += (i ? ", " : "") + blocks[i];
  if (blocks.size() > kMost)
    text += " and " + std::to_string(blocks.size() - kMost) + " more";
  return text;
}

/// The numbers of warps, in ascending order, as "warp 2" or "each of warps 0 to
/// 3, 6".
std::string describeWarps(const std::vector<unsigned> &warps) {
  if (warps.size() == 1)
    return "warp " + std::to_string(warps.front());
  std::string text = "each of warps ";
  for (size_t begin = 0, end; begin < warps.size(); begin = end) {
    for (end = begin + 1; end < warps.size(); ++end)
      if (warps[end] != warps[end - 1] + 1)
        break;
    text += (begin ? ", " : "") + std::to_string(warps[begin]);
    if (end - begin > 1)
      text += " to " + std::to_string(warps[end - 1]);
  }
  return text;
}

/// The threads of a block that wait, in the order of their warps.
std::vector<WaitingThreads> findWaiting(const Cta &cta) {
  std::vector<WaitingThreads> groups;
  for (const Warp &warp : cta.warps) {
    std::map<unsigned, std::pair<unsigned, const Thread *>> sites;
    for (const Thread *thread : warp.threads)
      if (thread && !thread->isDone) {
        auto &[count, first] = sites[thread->site];
        first = count++ ? first : thread;
      }
    for (const auto &[site, threads] : sites) {
      const auto &[count, thread] = threads;
      const unsigned number = thread->frame.special[WarpId];
      const auto group = llvm::find_if(
          groups, [site = site, count = count](const WaitingThreads &other) {
            return other.site == site && other.count == count;
          });
      if (group == groups.end())
        groups.push_back({site, count, {number}, thread});
      else
        group->warps.push_back(number);
    }
  }
  return groups;
}

} // namespace

void Execution::setStuck(const std::string &message) {
  setFault(message, 0, nullptr);
  constexpr size_t kMost = 16;
  // Most blocks wait alike.
  std::vector<WaitingBlocks> found;
  for (const std::unique_ptr<Cluster> &cluster : live)
    for (const std::unique_ptr<Cta> &cta : cluster->ctas)
      for (const WaitingThreads &group : findWaiting(*cta)) {
        const Site &where = function.translation.sites[group.site];
        std::string threads = std::to_string(group.count) + " threads of " +
                              describeWarps(group.warps);
        std::string wait = " wait at line " + std::to_string(where.where.line) +
                           ": " + where.text +
                           describeArrivals(group.first->wait);
        auto known = llvm::find_if(found, [&](const WaitingBlocks &other) {
          return other.threads == threads && other.wait == wait;
        });
        if (known == found.end()) {
          if (found.size() == kMost)
            continue;
          found.push_back({threads, wait, {}, &where});
          known = std::prev(found.end());
        }
        known->blocks.push_back(
            describe(getVector(group.first->frame, BlockId)));
      }
  for (const WaitingBlocks &group : found)
    report.fault->waiting.push_back(
        {group.site->where,
         group.threads + " of " + describeBlocks(group.blocks) + group.wait,
         {},
         group.site->source});
}

} // namespace gridir::ptx

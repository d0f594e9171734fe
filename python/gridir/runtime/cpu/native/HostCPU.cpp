//===- HostCPU.cpp - What the CPU of this machine can run -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCPU.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <thread>
#include <vector>

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

using namespace llvm;

namespace gridir::cpu {

/// Linux saves tile registers only for a process that has requested them;
/// another process faults at the first tile instruction. The request fails if
/// the signal stack of a thread is too small.
static bool requestTiles() {
#if defined(__linux__) && defined(__x86_64__)
  // ARCH_REQ_XCOMP_PERM of <asm/prctl.h>, which old headers lack, and the
  // number of the tiles among the states that XSAVE saves.
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

ArrayRef<std::pair<std::string, bool>> getHostFeatures() {
  static const std::vector<std::pair<std::string, bool>> features = [] {
    const StringMap<bool> known = sys::getHostCPUFeatures();
    const bool hasTiles = known.lookup("amx-tile") && requestTiles();
    std::vector<std::pair<std::string, bool>> result;
    for (const auto &feature : known)
      result.emplace_back(
          feature.first().str(),
          feature.second && (hasTiles || !feature.first().starts_with("amx-")));
    llvm::sort(result);
    return result;
  }();
  return features;
}

/// The part of the last cache that a processor can count on. A guest sees the
/// whole cache of a machine but only a few of its processors; machines have up
/// to this much for each processor.
static constexpr int64_t kLastCacheBytesPerProcessor = int64_t(4) << 20;

/// The default if the system does not report it: more than most machines have.
static constexpr int64_t kUnknownCacheBytes = int64_t(64) << 20;

int64_t getHostCacheBytes() {
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
  static const int64_t bytes = [] {
    const int64_t processors =
        std::max<int64_t>(1, std::thread::hardware_concurrency());
    // As reported by glibc: 0 or -1 if unknown.
    const int64_t own = std::max<int64_t>(0, sysconf(_SC_LEVEL2_CACHE_SIZE));
    const int64_t last = std::max<int64_t>(0, sysconf(_SC_LEVEL3_CACHE_SIZE));
    if (own == 0 && last == 0)
      return kUnknownCacheBytes;
    return processors * own +
           std::min(last, processors * kLastCacheBytesPerProcessor);
  }();
  return bytes;
#else
  return kUnknownCacheBytes;
#endif
}

} // namespace gridir::cpu

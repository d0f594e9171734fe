//===- Execution.h - Blocks and threads of one launch ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_EXECUTION_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_EXECUTION_H

#include "AsyncUnits.h"
#include "ClusterQueue.h"
#include "Frame.h"
#include "ProductRegisters.h"
#include "Profile.h"
#include "Program.h"
#include "Translation.h"
#include "Undefined.h"
#include "WrittenBuffers.h"

#include "python/gridir/runtime/cpu/native/Fiber.h"
#include "python/gridir/runtime/cpu/native/Memory.h"

#include <bitset>
#include <chrono>
#include <deque>
#include <random>
#include <string>
#include <unordered_map>

namespace gridir::ptx {

struct CollectiveRow;
struct Group;
struct Cta;
struct Cluster;
struct Warp;
struct Warpgroup;

/// A thread waits while the bits of a word that `mask` has are `value`.
struct Wait {
  const uint64_t *word = nullptr;
  uint64_t mask = ~uint64_t(0), value = 0;
  /// Describes the word in a message; null for no description.
  std::string (*describe)(uint64_t word) = nullptr;

  bool isOver() const { return !word || (*word & mask) != value; }
};

/// The operations of tensor cores for a thread, in the order of issue.
struct TensorUnits {
  /// The unit that accesses tensor memory, and the unit that reads shared
  /// memory; null without checks.
  AsyncUnitRef memory, shared;
  std::shared_ptr<std::deque<std::function<void(const Group &)>>> queue;
};

struct Thread {
  /// First: generated code knows a thread by its frame.
  Frame frame = {};
  std::unique_ptr<cpu::Fiber> fiber;
  Cta *cta = nullptr;
  Warp *warp = nullptr;
  Warpgroup *warpgroup = nullptr;
  Wait wait;
  /// The last site of the thread.
  unsigned site = 0;
  bool isPaused = false, isDone = false;
  /// True if it is far ahead of its warp.
  bool isAhead = false;
  uint64_t clusterGeneration = 0;
  /// Its number among all threads of the launch: those of a block together, and
  /// the blocks of a cluster.
  uint32_t number = 0;
  OrderChecker::Actor actor = 0;
  /// The operations that it has started and must wait for: copies of a few
  /// bytes, reads and writes of copies to global memory, MMAs.
  AsyncGroups copies, bulkReads, bulkWrites, products;
  TensorUnits tensorUnits;
  ProductRegisters registers;
  /// Of the memory where collectives have its arguments and results.
  ShadowedMemory argumentShadow;

  unsigned getLane() const { return frame.special[LaneId]; }
};

/// A lane that has arrived at a collective.
struct Arrival {
  const CollectiveRow *row = nullptr;
  unsigned site = 0;
  uint32_t mask = 0;
  uint64_t *arguments = nullptr;
};

struct Warp {
  std::array<Thread *, 32> threads = {};
  std::array<Arrival, 32> arrivals = {};
  std::array<uint64_t, 32> generations = {};
  /// Lanes that are there, and those of them that have come.
  uint32_t live = 0, arrived = 0;
  /// Its loads and stores of tensor memory; null before the first one.
  AsyncUnitRef tensorLoads, tensorStores;
  /// Null where it is not profiled.
  std::unique_ptr<WarpProfile> profile;
};

/// Four warps, as tensor cores use them.
struct Warpgroup {
  std::array<Thread *, 128> threads = {};
  std::array<Arrival, 128> arrivals = {};
  unsigned numArrived = 0;
  uint64_t generation = 0;
};

/// A barrier of a block, or that of a cluster.
struct Barrier {
  uint32_t arrived = 0;
  /// Threads that it is for; none for all that are live.
  std::optional<uint32_t> expected;
  uint64_t generation = 0;
  uint32_t reduced = 0, result = 0;
  /// The last clock of those who have come, and of those of the last time.
  uint64_t clock = 0, lastClock = 0;
  /// The knowledge of the arrived threads, and that of the previous phase.
  Knowledge told, known;
  std::vector<Thread *> waiting;
};

/// The tensor memory of a CTA: lanes of 32-bit words, with columns that are
/// allocated. It is in the CTA's window.
struct TensorMemory {
  static constexpr unsigned kLanes = 128, kColumns = 512;
  static constexpr uint64_t kBegin = uint64_t(8) << 20;
  static constexpr uint64_t kBytes = kLanes * kColumns * sizeof(uint32_t);

  std::bitset<kColumns> allocated;
  /// How often columns were freed.
  uint64_t generation = 0;
  bool isRelinquished = false;
};

struct Cta {
  Cluster *cluster = nullptr;
  uint32_t rank = 0, live = 0;
  std::array<Barrier, 16> barriers;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<Warpgroup> warpgroups;
  TensorMemory tensorMemory;
  /// The local memory of all threads.
  cpu::Array<char> local;
  ShadowedMemory localShadow;
};

struct Cluster {
  /// Among those of the launch.
  uint64_t number = 0;
  char *window = nullptr;
  uint32_t live = 0;
  Barrier barrier;
  std::vector<std::unique_ptr<Cta>> ctas;
  /// Its threads, in the order in which they take their turns.
  std::vector<Thread *> turns;
};

/// Coordinates or sizes, as "(1, 2, 3)".
std::string describe(const std::array<uint32_t, 3> &coordinates);

/// Three special registers from `first` on.
inline std::array<uint32_t, 3> getVector(const Frame &frame,
                                         SpecialRegister first) {
  return {frame.special[first], frame.special[first + 1],
          frame.special[first + 2]};
}

/// The coordinates of a number in a space of three dimensions, the first
/// fastest.
inline std::array<uint32_t, 3> unflatten(uint64_t number,
                                         const std::array<uint32_t, 3> &sizes) {
  return {uint32_t(number % sizes[0]), uint32_t(number / sizes[0] % sizes[1]),
          uint32_t(number / sizes[0] / sizes[1])};
}

using KernelFn = void (*)(Frame *);

/// A function that is ready for launches.
struct PreparedFunction {
  KernelFn entry = nullptr;
  Translation translation;
  int64_t stackBytes = 0;
};

/// The part of a launch in one thread of the process. It takes clusters from
/// the queue and runs them one after another. If none of the live threads can
/// continue, or all of them poll, the next cluster starts.
class Execution {
public:
  Execution(const PreparedFunction &function, const LaunchOptions &options,
            const BufferTable &buffers, ClusterQueue &queue,
            WrittenBuffers *written = nullptr);
  ~Execution();

  LaunchReport run();

  // Called by the thread that runs.

  /// Ends the launch. Does not return.
  void fail(Thread &thread, unsigned site, const std::string &message);
  void wait(Thread &thread, unsigned site, Wait wait);
  /// Counts the arrivals at a barrier, for a thread that waits forever.
  void countArrivals(const uint64_t *barrier, int64_t count, unsigned site) {
    Arrivals &known = arrivals[barrier];
    known = {known.count + count, site};
  }
  void forgetArrivals(const uint64_t *barrier) { arrivals.erase(barrier); }
  /// Lets other threads run.
  void pause(Thread &thread, unsigned site);
  /// As `pause`, and looks whether the launch has gone on for too long.
  void refuel(Thread &thread, unsigned site);
  /// Where an access of generated code is in this process, or a failure.
  char *locate(Thread &thread, uint64_t address, Space space, uint64_t bytes,
               uint64_t alignment, unsigned site);
  /// The same for accesses of collectives.
  char *locateShared(Thread &thread, uint64_t address, uint64_t bytes,
                     uint64_t alignment, unsigned site) {
    return locate(thread, address & 0xffffffff, Space::Shared, bytes, alignment,
                  site);
  }
  char *locateGlobal(Thread &thread, uint64_t address, uint64_t bytes,
                     uint64_t alignment, unsigned site) {
    return locate(thread, address, Space::Generic, bytes, alignment, site);
  }

  /// Takes a cluster that has not started out of the launch, and gives the
  /// coordinates of its first block; none where all have.
  std::optional<std::array<uint32_t, 3>> cancelCluster();

  // Accesses, and their order. Where nothing is checked or counted, these do
  // nothing.

  /// Null where it is not checked.
  OrderChecker *getOrder() { return order.get(); }
  /// The thread, or a unit that it has started, touches memory.
  void note(Thread &thread, const AsyncUnitRef &unit, const void *pointer,
            uint64_t bytes, uint32_t flags, unsigned site);
  void note(Thread &thread, const void *pointer, uint64_t bytes, uint32_t flags,
            unsigned site) {
    note(thread, nullptr, pointer, bytes, flags, site);
  }
  /// The same for a read, which is not recorded if the buffer is never written.
  void noteRead(Thread &thread, const void *pointer, uint64_t bytes,
                unsigned site);
  /// Marks that the launch cannot restart, because the following effects cannot
  /// be undone.
  void commit();
  /// The same for an access that belongs to no instruction: it is not counted.
  void checkOrder(Thread &thread, const AsyncUnitRef &unit, const void *pointer,
                  uint64_t bytes, uint32_t flags, unsigned site);
  /// An instruction touches, or a product takes, a register of products.
  void touchRegister(Thread &thread, unsigned number, bool writes,
                     unsigned site);
  void useRegister(Thread &thread, unsigned number, bool isResult,
                   unsigned site);
  /// Starts a unit that runs concurrently with a thread.
  AsyncUnitRef startUnit(Thread &thread);
  /// Orders the events of the unit before later events of the thread.
  void acquire(Thread &thread, const AsyncUnitRef &unit);
  /// Runs the body; with a seed, when no thread can continue without it.
  AsyncWorkRef start(Thread &thread, std::function<void()> body);

  // Undefined values.

  bool tracksUndefined() const { return options.findsUnwritten; }
  Thread &getRunningThread() { return *runningThread; }
  /// The shadow of memory that may be undefined; none of other memory.
  std::optional<ShadowPlace> findShadow(Thread &thread, const void *pointer);
  /// The undefined bits of at most eight bytes.
  Undefined readUndefined(Thread &thread, const void *pointer, unsigned bytes);
  void writeUndefined(Thread &thread, void *pointer, unsigned bytes,
                      const Undefined &value);
  /// The first undefined byte of some.
  Undefined findUndefined(Thread &thread, const void *pointer, uint64_t bytes);
  void copyUndefined(Thread &thread, char *to, const char *from,
                     uint64_t bytes);
  /// Fails if a byte is undefined.
  void expectDefined(Thread &thread, const void *pointer, uint64_t bytes,
                     unsigned site);
  /// Fails if an argument of a collective is undefined.
  void expectDefinedArguments(Thread &thread, const uint64_t *arguments,
                              unsigned count, unsigned site);
  /// Fails if values are undefined that are written to memory that outlives
  /// the launch.
  void expectDefinedOutput(Thread &thread, const void *pointer,
                           const void *values, uint64_t bytes, unsigned site);
  /// A branch or an address of the running thread is undefined.
  void failUndefined(Origin origin);
  /// The running thread has its arguments of collectives here.
  void setArguments(const void *pointer, uint64_t bytes);

  // The counts of a launch. Where it is not profiled, these do nothing.

  /// Null where it is not profiled.
  Profile *getProfile() { return profile.get(); }
  /// Lets a thread wait whose accesses are far ahead of those of its warp.
  void keepTogether(Thread &thread);
  /// The thread has waited at its instruction until others had this clock.
  void countWait(Thread &thread, uint64_t clock);

  /// The execution whose thread runs on this thread of the process.
  static Execution *getCurrent();

private:
  /// How many arrivals came to a barrier, and where the last one did.
  struct Arrivals {
    int64_t count = 0;
    unsigned site = 0;
  };
  std::string describeArrivals(const Wait &wait) const;

  /// False where no cluster is left, and for a fault.
  bool admitCluster();
  void retire(Cluster &cluster);
  void startThread(Cta &cta, uint32_t index,
                   const std::array<uint32_t, 3> &blockId);
  void finish(Thread &thread);
  bool runThread(Thread &thread);
  void run(Cluster &cluster, bool &progressed, bool &paused);
  /// Resumes a fiber, and comes back when it waits or ends.
  void resume(cpu::Fiber &fiber);
  /// Ends this execution; the launch restarts. Does not return.
  void repeat();
  /// Does one of the things that were put off; false where there is none.
  bool runWork(const Cluster *cluster = nullptr);
  void checkEnd(Thread &thread);
  void countAccess(Thread &thread, const void *pointer, uint64_t bytes,
                   uint32_t flags, unsigned site);
  /// An access of the runtime: it uses the values that it reads, and those that
  /// it writes are defined.
  void trackAccess(Thread &thread, const void *pointer, uint64_t bytes,
                   uint32_t flags, unsigned site);
  std::string describeOrigin(const Thread &thread, Origin origin) const;
  void takeProfile();
  void reportFinding(Thread &thread, const OrderChecker::Finding &finding,
                     uint32_t flags, unsigned site);
  std::string describeAddress(const Thread &thread, uint64_t address) const;
  void setFault(const std::string &message, unsigned site,
                const Thread *thread);
  void setStuck(const std::string &message);
  bool isTimeOver();
  /// Of shared memory of a cluster, with its shadow.
  uint64_t getWindowBytes() const {
    return tracksUndefined() ? kShadowedWindow : kClusterWindow;
  }
  char *takeWindow();
  std::string describeThread(uint32_t number) const;
  std::string getLine(unsigned site) const {
    return std::to_string(function.translation.sites[site].where.line);
  }

  const PreparedFunction &function;
  const LaunchOptions &options;
  const BufferTable &buffers;
  ClusterQueue &queue;
  /// Null where every access is noted, or none.
  WrittenBuffers *written;
  uint64_t sharedBytes = 0, dynamicOffset = 0;
  uint32_t ranks = 1, blockThreads = 1;
  std::array<uint32_t, 3> clusters = {};
  std::unique_ptr<OrderChecker> order;
  std::unique_ptr<Profile> profile;
  std::mt19937_64 random;
  std::vector<AsyncWorkRef> works;
  std::unique_ptr<cpu::Fiber> workFiber;
  /// The fiber that runs, and the last thread that did.
  cpu::Fiber *running = nullptr;
  Thread *runningThread = nullptr;
  /// Of temporaries in global memory, where undefined values are tracked.
  std::vector<ShadowedMemory> temporaries;
  std::vector<std::unique_ptr<Cluster>> live;
  std::vector<std::unique_ptr<cpu::Fiber>> idleFibers;
  std::vector<char *> windows, idleWindows;
  std::unordered_map<const uint64_t *, Arrivals> arrivals;
  std::vector<AllowedRange> ranges;
  std::vector<char> parameterMemory;
  char *parameters = nullptr;
  std::chrono::steady_clock::time_point begin;
  /// Seconds after which to look again whether the launch is to end.
  double nextLook = 0;
  LaunchReport report;
};

/// Continues barriers that waited for a thread that has ended.
void leaveBarriers(Execution &execution, Thread &thread);
/// The same for collectives of a warp.
void leaveWarp(Execution &execution, Thread &thread);
/// The last thread to end must have freed tensor memory.
void checkTensorMemoryEnd(Execution &execution, Thread &thread);

/// Functions that generated code calls.
std::vector<std::pair<const char *, void *>> getExecutionSymbols();
std::vector<std::pair<const char *, void *>> getCheckSymbols();

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_EXECUTION_H

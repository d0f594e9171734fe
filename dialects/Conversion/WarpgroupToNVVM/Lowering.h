//===- Lowering.h - What the lowerings of one kernel share -----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_LOWERING_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_LOWERING_H

#include "dialects/Conversion/Support/Handlers.h"
#include "dialects/Conversion/WarpgroupToNVVM/ClusterRanks.h"
#include "dialects/GPU/Target/Chip.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/Kernel/IR/Kernel.h"
#include "dialects/Support/Divisors.h"
#include "dialects/Warpgroup/IR/RegisterCoordinates.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Inference/Exchanges.h"
#include "dialects/Warpgroup/Layout/Conversion.h"
#include "dialects/Warpgroup/Layout/SharedRounds.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

/// Warpgroup programs become the code of one thread by one walk over the body:
/// every op is emitted again, on the registers of a thread. A Ref is a window
/// of memory.
namespace gridir::warpgroup_to_nvvm {

/// The state of the profile: events at the begin and end of the author's
/// scopes.
struct Trace {
  /// True if the thread records events, the address of its trace, and the
  /// variable that counts its events.
  mlir::Value isRecorder, address, count;
  /// Traces of a block, and the events that each has room for.
  int64_t numOfBlock = 1, capacity = 0;
  /// The directory that the author names, or null.
  mlir::StringAttr directory;
  /// True if a trace with too many events is truncated, and not an error.
  bool truncates = false;
  llvm::SetVector<mlir::StringAttr> scopes;
};

//===----------------------------------------------------------------------===//
// The lowering
//===----------------------------------------------------------------------===//

class Lowering;
using Handlers = gridir::Handlers<Lowering>;

/// The kernel while it is emitted.
class Lowering : public Emitted<Registers, View> {
public:
  Lowering(grid::KernelOp kernel, mlir::OpBuilder &builder,
           mlir::LLVM::LLVMFuncOp function, mlir::LLVM::GlobalOp shared,
           int64_t sharedBytes, const gpu::Chip &chip);

  const gpu::Chip &chip;
  grid::KernelOp kernel;
  mlir::OpBuilder &builder;
  mlir::LLVM::LLVMFuncOp function;
  warpgroup::Distributions distributions;
  /// True if some threads may still read the memory of an exchange.
  bool exchangePending = false;
  /// Blocks of a cluster, and warpgroups of a block.
  int64_t clusterSize = 1, numWarpgroups = 1;
  /// True if CTAs of a cluster may read stores of other CTAs, and if threads
  /// store to the memory of others.
  bool readsOthersStores = false, storesToOthers = false;
  /// Columns of tensor memory, and whether two blocks share the products there.
  int64_t tensorColumns = 0;
  bool hasPairs = false;
  llvm::SmallVector<kernel::TensorMapAttr> tensorMaps;
  /// True if CTAs take over the work of clusters that have not started, if
  /// threads update parts of words, and if MMAs read registers.
  bool cancelsClusters = false, updatesPartsOfWords = false,
       hasRegisterProducts = false;
  /// CTAs of the launch, and the bytes of global memory that are zero when it
  /// begins, a parameter that holds traces and semaphores.
  int64_t numCtas = 1, zeroedBytes = 0;
  /// The messages of checks, which the error report numbers from 1.
  llvm::SmallSetVector<mlir::Attribute, 4> diagnostics;
  /// The address of the error report; null for a kernel without checks.
  mlir::Value report;
  /// The parity of the phase of a wait whose attribute states it.
  llvm::DenseMap<mlir::Operation *, mlir::Value> ringPhases;
  /// None if the kernel requests no profile. All traces are the first part of
  /// the zeroed memory.
  std::optional<Trace> trace;

  /// Fails where an array, or one of the program, is too large for registers.
  llvm::LogicalResult verifyInRegisters(mlir::Operation *op,
                                        mlir::ShapedType array);
  llvm::LogicalResult verifyArrays();
  /// Fails where the kernel needs a feature of Hopper or later chips.
  llvm::LogicalResult verifyChip();
  /// Emits the body, after the common beginning of kernels.
  llvm::LogicalResult lowerBody();
  llvm::LogicalResult lowerOp(mlir::Operation *op);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// Returns the registers of an array, in the order of its distribution, or
  /// the value of a scalar.
  const Registers &get(mlir::Value value) { return values.find(value)->second; }
  mlir::Value getScalar(mlir::Value value) { return get(value).front(); }
  mlir::OpFoldResult getIndex(mlir::Value index);
  const Distribution &getDistribution(mlir::Value value) {
    return distributions.get(
        llvm::cast<mlir::RankedTensorType>(value.getType()));
  }

  /// The types of the registers of a value. Reports a type that has none.
  mlir::FailureOr<llvm::SmallVector<mlir::Type>>
  convertType(mlir::Operation *op, mlir::Type type);

  /// Redistributes elements: element `c` of the result is element `c[dims[0]],
  /// c[dims[1]], ...` of `from`.
  Registers redistribute(mlir::Location loc, const Registers &registers,
                         const Distribution &from, const Distribution &to,
                         llvm::ArrayRef<int64_t> dims);
  /// Converts an array to another distribution.
  Registers redistribute(mlir::Location loc, mlir::Value array,
                         const Distribution &to);
  /// Converts an array to another layout in the cheapest way.
  Registers relayout(mlir::Location loc, const Registers &registers,
                     mlir::RankedTensorType from, mlir::RankedTensorType to);
  /// The same of an array of another shape with the same elements in order.
  Registers reshape(mlir::Location loc, const Registers &registers,
                    const Distribution &from, const Distribution &to);
  /// Stores an array to shared memory for all threads of the warpgroup, after
  /// this many bytes of others.
  View createShared(mlir::Location loc, const Registers &registers,
                    const Distribution &distribution, int64_t offset = 0);
  /// The window of an array at offsets, and the array with another window
  /// there.
  Registers extractWindow(mlir::Location loc, const Registers &registers,
                          const Distribution &from, const Distribution &to,
                          llvm::ArrayRef<int64_t> offsets);
  Registers insertWindow(mlir::Location loc, const Registers &window,
                         const Distribution &from, const Registers &registers,
                         const Distribution &to,
                         llvm::ArrayRef<int64_t> offsets);
  /// The element at coordinates that are the same in all threads.
  mlir::Value fetch(mlir::Location loc, const Registers &registers,
                    const Distribution &distribution,
                    llvm::ArrayRef<mlir::Value> coords);
  /// Returns the values that thread `other` of the warpgroup has in the same
  /// registers.
  Registers exchangeThreads(mlir::Location loc, const Registers &registers,
                            mlir::Value other);

  //===--------------------------------------------------------------------===//
  // The thread
  //===--------------------------------------------------------------------===//

  /// The number of the thread in its warpgroup, of the warpgroup, of the block
  /// in the grid of clusters, and in its cluster.
  mlir::Value getThread() { return thread; }
  mlir::Value getWarpgroup() { return warpgroup; }
  mlir::Value getCluster() { return cluster; }
  mlir::Value getClusterRank() { return clusterRank; }
  /// True in the thread that acts for its warpgroup, or for its warp in code of
  /// single warps.
  mlir::Value getIsLeader() { return isLeader; }
  /// The only warpgroup that executes the emitted code; none if several do.
  std::optional<int64_t> onlyWarpgroup;
  /// True if the emitted code is executed by each warp separately.
  bool isInWarps() const { return inWarps; }
  /// Emits `body` as code of each warp; the warpgroup synchronizes before and
  /// after it.
  llvm::LogicalResult
  lowerWarps(mlir::Location loc,
             llvm::function_ref<llvm::LogicalResult(mlir::Value warp)> body);

  /// Analyzes the communication of the CTAs of a cluster at barriers.
  void examineCluster();
  /// Returns the threads whose stores a barrier orders: if CTAs of a cluster do
  /// not read stores of others, only those of the CTA, which needs no fence for
  /// the whole GPU. Copies and MMAs have their own order.
  mlir::NVVM::MemScopeKind getBarrierScope(warpgroup::BarrierType type) const;

  /// The blocks of the cluster.
  ClusterRanks getRanks() { return {kernel, builder, clusterRank}; }
  /// Returns the coordinate along a dimension for a linear number within the
  /// dimensions of its kind; the last dimension is the fastest.
  mlir::Value createGridCoord(mlir::Location loc, mlir::Value number,
                              unsigned dim);
  /// The coordinates of register `r` of a distribution, in its space.
  llvm::SmallVector<mlir::Value> createCoords(const Distribution &distribution,
                                              unsigned r);
  /// The element there, as i32 coordinates of the array.
  llvm::SmallVector<mlir::Value> createElement(const Distribution &distribution,
                                               unsigned r);
  /// Returns the contribution of the thread to the coordinates of
  /// `registers[r]`, along each dimension of the space.
  llvm::SmallVector<mlir::Value>
  getThreadPart(const Distribution &distribution);
  /// True if the thread is the one that stores register `r`; null for always.
  mlir::Value createOwns(const Distribution &distribution, unsigned r);

  /// Emits a barrier of the threads of the warpgroup, or of the CTA.
  void createSync(mlir::Location loc);
  void createBlockSync(mlir::Location loc);
  void createClusterSync(mlir::Location loc);
  /// Returns a warpgroup-uniform predicate: true if `condition` holds in each
  /// thread, or in the one thread that the others wait for.
  mlir::Value createAll(mlir::Location loc, mlir::Value condition);
  /// A number that all lanes of a warp have, such that `ptxas` sees it.
  mlir::Value createOfWarp(mlir::Location loc, mlir::Value value);
  /// True in the thread that acts for its warp, which is always the same one.
  /// If `ptxas` does not see that one thread executes an instruction with
  /// uniform registers, it adds a loop over the threads that might.
  mlir::Value createElect(mlir::Location loc);
  /// Returns the leader's value in all threads of the warpgroup.
  mlir::Value createUniform(mlir::Location loc, mlir::Value value);
  /// Before the stores of an exchange: inserts a barrier if threads may still
  /// read those of another exchange for the same op. `warpgroup.sync` separates
  /// the exchanges for different ops.
  void beginExchange(mlir::Location loc);
  /// After its stores: a barrier.
  void endStores(mlir::Location loc);

  /// Emits `body` for the leader alone, if `condition` holds, if any.
  void createForLeader(mlir::Location loc, mlir::Value condition,
                       llvm::function_ref<void()> body);
  /// Emits it for one thread of each warp.
  void createForLeaderOfWarp(mlir::Location loc,
                             llvm::function_ref<void()> body);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// A local variable that LLVM promotes to a register; initially zero or
  /// undefined.
  mlir::Value createVariable(mlir::Location loc, mlir::Type type,
                             bool isZero = false);
  /// This many 32-bit variables, consecutive in local memory, that are never
  /// promoted to registers.
  llvm::SmallVector<mlir::Value>
  createLocalMemory(mlir::Location loc, mlir::Type type, int64_t count);
  /// The variables to which parts of accumulators in local memory are moved
  /// during MMAs, always the same ones: `ptxas` keeps the accumulators of two
  /// MMAs in different registers.
  llvm::ArrayRef<mlir::Value> getMovedVariables(mlir::Location loc,
                                                mlir::Type type);
  /// Shared memory at a static offset.
  mlir::Value createSharedAddress(mlir::Location loc, int64_t offset);
  /// Shared memory for exchanges between the threads of a warpgroup, after this
  /// many bytes of it.
  std::shared_ptr<Storage> getScratch(mlir::Location loc,
                                      llvm::ArrayRef<int64_t> shape,
                                      mlir::Type elementType,
                                      int64_t offset = 0);
  /// Fixes the offset of that memory, and returns all shared memory of a CTA.
  int64_t finishSharedMemory();

  Registers createLoad(mlir::Location loc, const View &view,
                       const Distribution &distribution);
  /// An element that shares its byte with others.
  mlir::Value createPackedLoad(mlir::Location loc, const View &view,
                               llvm::ArrayRef<mlir::Value> coords);
  void createStore(mlir::Location loc, const View &view,
                   const Distribution &distribution, const Registers &values);
  /// Calls `access` for each register, or for the first of several whose
  /// elements are adjacent in memory and have at most this many bytes, with the
  /// address of its element.
  void forEachRun(
      mlir::Location loc, const View &view, const Distribution &distribution,
      int64_t maxBytes,
      llvm::function_ref<void(unsigned r, int64_t run, mlir::Value address)>
          access);
  /// The address of one element of a view.
  mlir::Value createAddress(mlir::Location loc, const View &view,
                            llvm::ArrayRef<mlir::Value> coords);

  /// The element type of a tensor map, which says how reductions compare
  /// integers.
  mlir::Type getMapElementType(mlir::Type element, bool isSigned = false);
  /// A parameter of the kernel that is a tensor map.
  mlir::Value getTensorMap(kernel::TensorMapAttr map);

  /// The barriers and their phases, initialized when the kernel begins.
  mlir::FailureOr<std::shared_ptr<Storage>>
  addBarriers(grid::ScopedOp op, mlir::Value ref, int64_t offset);
  /// A Ref in tensor memory, from a column of the kernel's on.
  mlir::FailureOr<std::shared_ptr<Storage>>
  addTensorMemory(grid::ScopedOp op, unsigned number, int64_t column);
  /// Semaphores of the launch, or of each block.
  std::shared_ptr<Storage> addSemaphores(mlir::Location loc,
                                         mlir::MemRefType type, bool isOfBlock);

private:
  /// Reports an exchange for an op that memory or barriers were not planned
  /// for.
  llvm::LogicalResult verifyExchange(mlir::Operation *op);
  /// The columns are allocated before the first barrier of the CTA, their
  /// address is then in shared memory, and they are freed after the last
  /// barrier.
  void allocateTensorMemory(mlir::Value slot);
  void findTensorMemory(mlir::Value slot);
  void freeTensorMemory();
  mlir::Value getScratchBase();
  /// The ways of a relayout between threads.
  Registers shuffle(mlir::Location loc, const Registers &registers,
                    const warpgroup::Conversion &plan);
  Registers exchangeInRounds(mlir::Location loc, const Registers &registers,
                             const warpgroup::SharedRounds &rounds,
                             int64_t numResults);
  /// Stores the elements of one distribution, and loads those of another one.
  Registers exchange(mlir::Location loc, const Registers &registers,
                     const View &stored, const Distribution &from,
                     const View &loaded, const Distribution &to);
  llvm::LogicalResult createPrologue();
  /// Creates the views of the kernel's operands, and its semaphores.
  llvm::LogicalResult createArguments();
  /// Emits the header and the end of a trace, around its events.
  llvm::LogicalResult beginTrace();
  void endTrace();
  /// Emits `body` for the threads whose condition holds.
  void createWhere(mlir::Location loc, mlir::Value condition,
                   llvm::function_ref<void()> body);
  /// Computes in a block the addresses that it uses at known offsets of shared
  /// memory: LLVM would do so before all loops, and need a register for each.
  void computeAddressesIn(mlir::Block &block);
  /// Emits code before the body that the whole body requires.
  template <typename Fn> auto atBeginning(Fn fn) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(beginning);
    return fn();
  }

  llvm::SmallVector<std::pair<Distribution, llvm::SmallVector<mlir::Value>>, 0>
      threadParts;
  llvm::DenseMap<mlir::Type, llvm::SmallVector<mlir::Value>> movedVariables;
  /// The barrier of all threads before the body.
  mlir::Operation *beginning = nullptr;
  mlir::LLVM::GlobalOp shared;
  int64_t sharedBytes, scratchBytes = 0;
  /// Bytes that each warpgroup has for exchanges.
  int64_t plannedBytes = 0;
  warpgroup::Exchanges exchanges;
  /// True if there was an exchange for the current op, and if no barrier
  /// separates it from one for an earlier op.
  bool hasExchanged = false, isUnordered = false;
  /// The bytes of each warpgroup; their number is known at the end.
  mlir::LLVM::ConstantOp scratchSize;
  mlir::Value scratchBase;
  bool inWarps = false;
  mlir::Value sharedBase, zeroed, thread, warp, warpgroup, cluster, clusterRank,
      isLeader, isLeaderOfWarp, isFirst, zero, tensorBase;
};

//===----------------------------------------------------------------------===//
// The parts of the conversion
//===----------------------------------------------------------------------===//

void addProgramLowerings(Handlers &handlers);
void addViewLowerings(Handlers &handlers);
void addAccessLowerings(Handlers &handlers);
void addBarrierLowerings(Handlers &handlers);
void addSyncLowerings(Handlers &handlers);
void addCopyLowerings(Handlers &handlers);
void addRowCopyLowerings(Handlers &handlers);
void addThreadCopyLowerings(Handlers &handlers);
void addClusterLowerings(Handlers &handlers);
void addClusterLaunchLowerings(Handlers &handlers);
void addAtomicLowerings(Handlers &handlers);
void addGatherLowerings(Handlers &handlers);
void addSemaphoreLowerings(Handlers &handlers);
void addPrintLowerings(Handlers &handlers);
void addProfileLowerings(Handlers &handlers);

/// True if a kernel has semaphores or its author requests a profile. Its code
/// has one parameter for both.
bool hasSemaphores(grid::KernelOp kernel);
bool hasProfile(grid::KernelOp kernel);
/// True if a kernel has checks. Its code has a parameter for their report.
bool hasChecks(grid::KernelOp kernel);
void addArrayLowerings(Handlers &handlers);
void addPackedLowerings(Handlers &handlers);
void addRelayoutLowerings(Handlers &handlers);
void addSliceLowerings(Handlers &handlers);
void addProductLowerings(Handlers &handlers);
void addRegisterProductLowerings(Handlers &handlers);
void addTensorMemoryLowerings(Handlers &handlers);
void addTensorCommitLowerings(Handlers &handlers);
void addTensorCopyLowerings(Handlers &handlers);
void addTensorProductLowerings(Handlers &handlers);

/// An op on numbers, or on arrays element by element.
llvm::LogicalResult lowerElementwise(mlir::Operation *op, Lowering &lowering);

/// Floats of a byte, an even number of them, as ones of 16 bits.
Registers extendBytes(Lowering &lowering, mlir::Location loc,
                      llvm::ArrayRef<mlir::Value> values);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_LOWERING_H

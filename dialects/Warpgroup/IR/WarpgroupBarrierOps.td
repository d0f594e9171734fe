//===- WarpgroupBarrierOps.td - Synchronization of threads --*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPBARRIEROPS_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPBARRIEROPS_TD

include "dialects/Grid/IR/GridAsyncInterface.td"
include "dialects/Grid/IR/GridInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupEnums.td"
include "dialects/Warpgroup/IR/WarpgroupInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Other programs arrive at barriers and wait for them.
defvar Warpgroup_BarrierMethods = [{
    bool isSchedulingPoint() { return true; }
    bool needsTask() { return true; }
    bool meetsOtherPrograms() { return true; }
  }];

class Warpgroup_BarrierOp<string mnemonic, list<Trait> traits = []>
    : Warpgroup_Op<mnemonic, !listconcat([Grid_ProgramOpInterface], traits)> {
  let arguments = (ins Arg<Warpgroup_BarrierRef, "", [MemRead, MemWrite]>:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` type($barrier)";
  let extraClassDeclaration = Warpgroup_BarrierMethods;
}

def Warpgroup_BarrierArriveOp : Warpgroup_BarrierOp<"barrier_arrive", [
    Grid_AsyncOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let summary = "arrive at a barrier";
  let description = [{
    Earlier accesses of the warpgroup are visible to those that wait for this
    phase. A phase must be observed before the next one is complete.

    Example:

    ```mlir
    warpgroup.barrier_arrive %b : memref<!warpgroup.barrier<1>>
    ```
  }];
  let extraClassDeclaration = Warpgroup_BarrierMethods # [{
    ::mlir::Value getArrivalBarrier() { return getBarrier(); }
    bool signalsForThreads() { return !signalsForLanes(); }
    bool signalsForLanes();
  }];
}

def Warpgroup_BarrierWaitOp : Warpgroup_BarrierOp<"barrier_wait", [
    Grid_AsyncOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let summary = "wait until the next phase of a barrier is complete";
  let description = [{
    Each warpgroup waits for every phase in turn. A warpgroup that waits after
    the next phase is complete has missed one, which is an error of the kernel.
    `phase` states which one is next in each iteration of a loop.

    Example:

    ```mlir
    warpgroup.barrier_wait %b : memref<!warpgroup.barrier<1>>
    warpgroup.barrier_wait %b phase <size = 4, distance = 0> : memref<!warpgroup.barrier<1>>
    ```
  }];
  let arguments = (ins Arg<Warpgroup_BarrierRef, "", [MemRead, MemWrite]>:$barrier,
                       OptionalAttr<Warpgroup_RingPhaseAttr>:$phase);
  let builders = [OpBuilder<(ins "::mlir::Value":$barrier), [{
    build($_builder, $_state, barrier, RingPhaseAttr());
  }]>];
  let assemblyFormat = "$barrier (`phase` $phase^)? attr-dict `:` type($barrier)";
  let extraClassDeclaration = Warpgroup_BarrierMethods # [{
    bool waitsForPhase() { return true; }
    ::mlir::Value getAwaitedBarrier() { return getBarrier(); }
    std::optional<int64_t> getPhaseArrivals() {
      auto type = ::llvm::cast<BarrierType>(getBarrier().getType().getElementType());
      return type.getCluster().empty() ? std::optional<int64_t>(type.getArrivals()) : std::nullopt;
    }
  }];
}

def Warpgroup_NamedBarrierOp : Warpgroup_Op<"named_barrier", [
    MemoryEffects<[MemRead, MemWrite]>, Grid_ProgramOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let summary = "synchronize warpgroups or warps of the CTA at a numbered barrier";
  let description = [{
    `bar.sync` and `bar.arrive` of PTX: once the number of threads has arrived,
    waiting threads continue, and the barrier is reset. A warpgroup arrives with
    all of its threads, a warp in `warpgroup.warps` with its own. With `arrive`
    they do not wait. Accesses before an arrival are visible to those that wait.

    The barrier whose number is a warpgroup's plus one synchronizes the
    warpgroup's own threads; authors must not use it.

    Example:

    ```mlir
    warpgroup.named_barrier %eight of 256 arrive
    warpgroup.named_barrier %nine of 256
    ```
  }];
  let arguments = (ins I32:$number, ConfinedAttr<I64Attr, [IntPositive]>:$threads, UnitAttr:$arrive);
  let assemblyFormat = "$number `of` $threads (`arrive` $arrive^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return true; }
    bool needsTask() { return true; }
    bool meetsOtherPrograms() { return true; }
    bool synchronizesThreads() { return !getArrive(); }
  }];
}

def Warpgroup_BarrierTestOp : Warpgroup_BarrierOp<"barrier_test", [Warpgroup_SynchronizationOpInterface]> {
  let summary = "test whether the next phase of a barrier is complete";
  let description = [{
    If it is, the warpgroup has observed it, as after a wait.

    Example:

    ```mlir
    %done = warpgroup.barrier_test %b : memref<!warpgroup.barrier<1>>
    ```
  }];
  let results = (outs I1:$complete);
  // All threads use the answer of one.
  let extraClassDeclaration = Warpgroup_BarrierMethods # [{
    bool synchronizesThreads() { return true; }
  }];
}

/// Orders earlier accesses of the warpgroup to one memory before accesses of the
/// async proxy.
class Warpgroup_CommitOp<string mnemonic> : Warpgroup_Op<mnemonic, [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = [{
    bool synchronizesThreads() { return true; }
  }];
}

def Warpgroup_CommitSmemOp : Warpgroup_CommitOp<"commit_smem"> {
  let summary = "order accesses to shared memory before later copies and MMAs";
  let description = [{
    Copies and matrix units access shared memory through the async proxy.
    Earlier accesses of the warpgroup are ordered before theirs only by this op.

    Example:

    ```mlir
    warpgroup.commit_smem
    ```
  }];
}

def Warpgroup_CommitGmemOp : Warpgroup_CommitOp<"commit_gmem"> {
  let summary = "order accesses to global memory before later copies";
  let description = [{
    Bulk copies access global memory through the async proxy. Earlier accesses
    of the warpgroup are ordered before theirs only by this op, which
    `warpgroup-insert-proxy-fences` inserts.

    Example:

    ```mlir
    warpgroup.commit_gmem
    ```
  }];
}

def Warpgroup_SyncOp : Warpgroup_Op<"sync", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let summary = "synchronize the threads of a warp, a warpgroup or a CTA";
  let description = [{
    Accesses of these threads to memory before the op are visible to all of them
    after it. `warpgroup-insert-barriers` inserts the op where threads depend on
    each other. In `warpgroup.warps` each warp synchronizes only its own lanes.

    Example:

    ```mlir
    warpgroup.sync warpgroup
    ```
  }];
  let arguments = (ins Warpgroup_SyncScopeAttr:$scope);
  let assemblyFormat = "`` $scope attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isSchedulingPoint() { return getScope() == SyncScope::Block; }
    bool needsTask() { return getScope() == SyncScope::Block; }
    bool meetsOtherPrograms() { return getScope() == SyncScope::Block; }
    bool synchronizesThreads() { return getScope() != SyncScope::Warp; }
  }];
}

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPBARRIEROPS_TD

//===- WarpgroupOps.td - Ops of the warpgroup dialect -----*- tablegen -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPOPS_TD
#define GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPOPS_TD

include "dialects/Grid/IR/GridAsyncInterface.td"
include "dialects/Grid/IR/GridAttrs.td"
include "dialects/Grid/IR/GridInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupAttrs.td"
include "dialects/Warpgroup/IR/WarpgroupClusterOps.td"
include "dialects/Warpgroup/IR/WarpgroupCopyOps.td"
include "dialects/Warpgroup/IR/WarpgroupEnums.td"
include "dialects/Warpgroup/IR/WarpgroupInterfaces.td"
include "dialects/Warpgroup/IR/WarpgroupTypes.td"
include "dialects/Warpgroup/IR/WarpgroupWarpOps.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Matrix units
//===----------------------------------------------------------------------===//

def Warpgroup_MmaOp : Warpgroup_Op<"mma", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    Warpgroup_AsyncProxyOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "start an MMA";
  let description = [{
    `%acc += %a * %b`, for an `m x k` and a `k x n` operand. The left one is a
    Ref in shared memory or a value in registers, the right one a Ref in shared
    memory. Each MMA is a group of its own; until `mma_wait` its operands must
    not be written and the accumulator must not be read. Integers are signed
    unless `unsigned_lhs` or `unsigned_rhs` is set.

    Example:

    ```mlir
    warpgroup.mma %acc, %a, %b
        : memref<64x128xf32>, memref<64x64xf16>, memref<64x128xf16>
    ```
  }];
  let arguments = (ins Grid_Ref:$acc, AnyTypeOf<[Grid_Ref, Grid_NumberTensor]>:$lhs, Grid_Ref:$rhs,
                       UnitAttr:$unsigned_lhs, UnitAttr:$unsigned_rhs);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs attr-dict `:` type($acc) `,` type($lhs) `,` type($rhs)
  }];
  let hasVerifier = 1;
}

def Warpgroup_MmaWaitOp : Warpgroup_Op<"mma_wait", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let summary = "wait until at most some MMAs are pending";
  let description = [{
    Example:

    ```mlir
    warpgroup.mma_wait 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Warpgroup_MmaSyncOp : Warpgroup_Op<"mma_sync", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Grid_RefAccessOpInterface,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "add a product to an array in registers";
  let description = [{
    `%acc + %a * %b`, for an `m x k` and a `k x n` operand. Each warp computes a
    part of it, with `mma.sync`, and has the result when the op ends. An operand
    is an array in registers or a Ref in shared memory. Each warp loads a Ref one
    step along `k` at a time. Integers are signed unless `unsigned_lhs` or
    `unsigned_rhs` is set.

    Example:

    ```mlir
    %sum = warpgroup.mma_sync %acc, %a, %b
        : tensor<64x8xf32>, tensor<64x16xf16>, tensor<16x8xf16>
    %next = warpgroup.mma_sync %sum, %a, %tile
        : tensor<64x8xf32>, tensor<64x16xf16>, memref<16x8xf16>
    ```
  }];
  let arguments = (ins Grid_NumberTensor:$acc,
                       AnyTypeOf<[Grid_Ref, Grid_NumberTensor]>:$lhs,
                       AnyTypeOf<[Grid_Ref, Grid_NumberTensor]>:$rhs,
                       UnitAttr:$unsigned_lhs, UnitAttr:$unsigned_rhs);
  let results = (outs Grid_NumberTensor:$result);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs attr-dict `:` type($acc) `,` type($lhs) `,` type($rhs)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

def Warpgroup_Tcgen05MmaOp : Warpgroup_Op<"tcgen05_mma", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    Warpgroup_AsyncProxyOpInterface, Grid_AsyncOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface,
    Warpgroup_SynchronizationOpInterface]> {
  let summary = "start an MMA whose accumulator is in tensor memory";
  let description = [{
    `%acc = %a * %b`, added to the accumulator if `accumulate` is true. The left
    operand is in shared or in tensor memory, the right one in shared memory.
    MMAs of one warpgroup complete in order. With a barrier, the end of this and
    of all earlier ones is an arrival there.

    Along a `collective` axis of the cluster, with two CTAs, the first CTA
    starts an MMA of both. Each has rows of the accumulator and of the left
    operand, and half of the columns of the right one. Its end is an arrival at
    the barriers of both CTAs. In the other CTA this op does nothing.

    With `scales` each element of an operand is multiplied by the factor of its
    block along k; the number of scales determines the size of a block. With
    `sparse` two of each four elements along k of the left operand are zero and
    absent: the metadata has the position of each of the others among the four.

    Example:

    ```mlir
    warpgroup.tcgen05_mma %acc, %a, %b accumulate %p barrier %done
        : memref<128x128xf32>, memref<128x64xf16>, memref<64x128xf16>
        barrier memref<!warpgroup.barrier<1, tensor_core>>
    ```
  }];
  let arguments = (ins Grid_Ref:$acc, Grid_Ref:$lhs, Grid_Ref:$rhs, I1:$accumulate,
                       Optional<Warpgroup_BarrierRef>:$barrier,
                       Optional<Grid_Ref>:$lhs_scale, Optional<Grid_Ref>:$rhs_scale,
                       Optional<Grid_Ref>:$metadata, OptionalAttr<StrAttr>:$collective,
                       UnitAttr:$unsigned_lhs, UnitAttr:$unsigned_rhs);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs `accumulate` $accumulate (`barrier` $barrier^)?
    (`scales` $lhs_scale^ `,` $rhs_scale)? (`sparse` $metadata^)? (`collective` $collective^)? attr-dict
    `:` type($acc) `,` type($lhs) `,` type($rhs) (`barrier` type($barrier)^)?
    (`scales` type($lhs_scale)^ `,` type($rhs_scale))? (`sparse` type($metadata)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool reachesOtherBlocks() { return getCollective().has_value(); }
    ::mlir::Value getReadCondition(::mlir::Value ref) {
      return ref == getAcc() ? getAccumulate() : ::mlir::Value();
    }
    // The first CTA starts a collective MMA for both.
    bool replacesAll(::mlir::Value ref) { return ref == getAcc() && !getCollective(); }
    bool completesLater(::mlir::Value ref) { return ref == getAcc(); }
    ::mlir::Value getArrivalBarrier() {
      return getCollective() ? ::mlir::Value() : getBarrier();
    }
    bool isInOrder() { return true; }
    bool startsPhase() { return getBarrier() != nullptr; }
    bool isSchedulingPoint() { return getBarrier() || getCollective(); }
    bool meetsOtherPrograms() { return getBarrier() || getCollective(); }
    bool needsTask() { return getBarrier() || getCollective(); }
  }];
}

def Warpgroup_Tcgen05CommitOp : Warpgroup_BarrierOp<"tcgen05_commit", [
    Grid_AsyncOpInterface, Warpgroup_SynchronizationOpInterface]> {
  let arguments = (ins Arg<Warpgroup_BarrierRef, "", [MemRead, MemWrite]>:$barrier,
                       OptionalAttr<StrAttr>:$collective);
  let assemblyFormat = "$barrier (`collective` $collective^)? attr-dict `:` type($barrier)";
  let hasVerifier = 1;
  let summary = "arrive at a barrier when all started MMAs and copies are "
                "complete";
  let description = [{
    These are the MMAs with accumulators in tensor memory, and the copies to it,
    of this warpgroup. Along a `collective` axis of the cluster the first CTA
    arrives at the barriers of both, for the collective ones that it has
    started; in the other one this op does nothing.

    Example:

    ```mlir
    warpgroup.tcgen05_commit %b : memref<!warpgroup.barrier<1, tensor_core>>
    ```
  }];
  let extraClassDeclaration = Warpgroup_BarrierMethods # [{
    ::mlir::Value getArrivalBarrier() {
      return getCollective() ? ::mlir::Value() : getBarrier();
    }
    bool isInOrder() { return true; }
    bool startsPhase() { return true; }
  }];
}

def Warpgroup_TmemCopyOp : Warpgroup_Op<"tmem_copy", [
    Warpgroup_AsyncProxyOpInterface, Grid_AsyncOpInterface, Grid_ProgramOpInterface, Grid_RefAccessOpInterface]> {
  let summary = "start a copy from shared to tensor memory";
  let description = [{
    Later MMAs of this warpgroup see the copied elements; others do after
    `tcgen05_commit`. Along a `collective` axis of the cluster, with two CTAs,
    the first one starts the copies of both, each from its own shared to its own
    tensor memory.

    With `as_scales` the tile has the factors of an operand in blocks of 128
    rows and 4 columns, each block as 32 rows of 16: `tile[i, j, r, 4 a + b]` is
    the factor of row `128 i + 32 a + r` and column `4 j + b`; rows 32 to 63, if
    present, belong to the next block. With `as_metadata` it has the metadata of
    a sparse operand in blocks of 128 rows and 64 columns.

    Example:

    ```mlir
    warpgroup.tmem_copy %tile to %t : memref<128x64xf16>, memref<128x64xf16>
    warpgroup.tmem_copy %factors to %scales as_scales
        : memref<1x1x32x16xf8E8M0FNU>, memref<128x4xf8E8M0FNU>
    ```
  }];
  let arguments = (ins Arg<Grid_Ref, "", [MemRead]>:$source, Arg<Grid_Ref, "", [MemWrite]>:$dest,
                       UnitAttr:$scales, UnitAttr:$metadata, OptionalAttr<StrAttr>:$collective);
  let assemblyFormat = [{
    $source `to` $dest (`as_scales` $scales^)? (`as_metadata` $metadata^)? (`collective` $collective^)?
    attr-dict `:` type($source) `,` type($dest)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool reachesOtherBlocks() { return getCollective().has_value(); }
    bool replacesAll(::mlir::Value ref) { return ref == getDest() && !getCollective(); }
    bool completesLater(::mlir::Value ref) { return ref == getDest(); }
    bool isInOrder() { return true; }
    bool isCopy() { return true; }
    bool isSchedulingPoint() { return getCollective().has_value(); }
    bool meetsOtherPrograms() { return getCollective().has_value(); }
    bool needsTask() { return getCollective().has_value(); }
  }];
}

class Warpgroup_TmemWaitOp<string mnemonic> : Warpgroup_Op<mnemonic, [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let assemblyFormat = "attr-dict";
}

def Warpgroup_CommitTmemOp : Warpgroup_TmemWaitOp<"commit_tmem"> {
  let summary = "wait until the warpgroup's stores to tensor memory are "
                "complete";
  let description = [{
    Example:

    ```mlir
    warpgroup.commit_tmem
    ```
  }];
}

def Warpgroup_WaitTmemLoadOp : Warpgroup_TmemWaitOp<"wait_tmem_load"> {
  let summary = "wait until the warpgroup's loads from tensor memory are "
                "complete";
  let description = [{
    Example:

    ```mlir
    warpgroup.wait_tmem_load
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

def Warpgroup_SetMaxRegistersOp : Warpgroup_Op<"set_max_registers", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let summary = "set the number of registers of each thread of the warpgroup";
  let description = [{
    Example:

    ```mlir
    warpgroup.set_max_registers 232 increase
    warpgroup.set_max_registers 40
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$count, UnitAttr:$increase);
  let assemblyFormat = "$count (`increase` $increase^)? attr-dict";
  let hasVerifier = 1;
}

def Warpgroup_ProfileOp : Warpgroup_Op<"profile", [
    MemoryEffects<[MemRead<Warpgroup_Pending>, MemWrite<Warpgroup_Pending>]>,
    Grid_ProgramOpInterface]> {
  let summary = "record the begin or end of a scope that the author has named";
  let description = [{
    The kernel's `profile_space` is the number of scopes for which a trace has
    room, and its `profile_trace_scope` selects traces of warpgroups or warps.

    Example:

    ```mlir
    warpgroup.profile "load"
    warpgroup.profile "load" ends
    ```
  }];
  let arguments = (ins StrAttr:$scope, UnitAttr:$ends);
  let assemblyFormat = "$scope (`ends` $ends^)? attr-dict";
}

def Warpgroup_LayoutCastOp : Warpgroup_Op<"layout_cast", [
    Pure, SameOperandsAndResultType]> {
  let summary = "the same array in the layout that the author requests";
  let description = [{
    `layout` is the author's name of the layout, `spread` the layout itself if
    it is linear in the bits of register, lane and warp.

    Example:

    ```mlir
    %y = warpgroup.layout_cast %x "WGMMA"(#warpgroup.layout<wgmma>) : tensor<64x64xf16>
    ```
  }];
  let arguments = (ins Grid_Value:$value, StrAttr:$layout, OptionalAttr<Warpgroup_LayoutAttr>:$spread);
  let results = (outs Grid_Value:$result);
  let assemblyFormat = "$value $layout (`(` qualified($spread)^ `)`)? attr-dict `:` type($value)";
}

def Warpgroup_RelayoutOp : Warpgroup_Op<"relayout", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same tensor in another layout";
  let description = [{
    Threads exchange elements if the layouts of operand and result differ.

    Example:

    ```mlir
    %y = warpgroup.relayout %x
        : tensor<64x64xf16, #warpgroup.layout<strided(4)>> to tensor<64x64xf16, #warpgroup.layout<wgmma>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_WARPGROUPOPS_TD

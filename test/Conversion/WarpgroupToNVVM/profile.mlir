// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// The zeroed memory begins with the traces of all blocks. A trace has five numbers of its own, then one for each event:
// the scope, whether it ends, and above them the clock. The leader of a warpgroup stores it where there is room.
// CHECK: kernel.abi @scopes {{.*}} num_threads = 256 num_ctas = 3 cluster_ctas = 1 params = [{{.*}}, #kernel.zeroed<436>] profile_scopes = ["load", "store"] profile_traces = 2 profile_events = 4 profile_dir = "traces"{{$}}
// CHECK: llvm.func @scopes(%{{.+}}: !llvm.ptr<1>, %[[ZEROED:.+]]: !llvm.ptr<1>)
// CHECK: nvvm.read.ptx.sreg.globaltimer
// CHECK: nvvm.read.ptx.sreg.clock64
// CHECK: %[[COUNT:.+]] = llvm.load %[[VARIABLE:.+]] : !llvm.ptr -> i32
// CHECK: %[[ROOM:.+]] = arith.cmpi ult, %[[COUNT]], %c4_i32
// CHECK: %[[RECORDS:.+]] = arith.andi %{{.+}}, %[[ROOM]]
// CHECK: scf.if %[[RECORDS]] {
// CHECK: nvvm.read.ptx.sreg.clock
// CHECK: llvm.store %{{.+}} {alignment = 8 : i64} : i64, !llvm.ptr<1>
// CHECK: %[[NEXT:.+]] = arith.addi %[[COUNT]], %c1_i32
// CHECK: llvm.store %[[NEXT]], %[[VARIABLE]]
// An event of the second scope that ends.
// CHECK: arith.ori %{{.+}}, %c3_i64
// CHECK: nvvm.read.ptx.sreg.globaltimer
// CHECK: nvvm.read.ptx.sreg.smid
grid.kernel @scopes grid(%i = 3 named "x", %w = 2 named "wg" thread)
    outputs(%o: i32 [] space #warpgroup.space<gmem>) scratch(%s: memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>)
    params [#grid.mosaic_gpu_params<profile_space = 3, profile_dir = "traces", profile_trace_scope = "warpgroup">] {
  %one = arith.constant 1 : i32
  warpgroup.profile "load"
  grid.semaphore_signal %s, %one : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
  warpgroup.profile "load" ends
  warpgroup.profile "store"
  grid.store %one, %o : i32, memref<i32, #warpgroup.space<gmem>>
  warpgroup.profile "store" ends
}

// -----

// Of warps one thread of each records. What has no room is left out of the file.
// CHECK: kernel.abi @warps {{.*}} params = [#kernel.zeroed<224>] profile_scopes = ["all"] profile_traces = 4 profile_events = 2 profile_dir = "traces" profile_truncates
// CHECK: nvvm.elect.sync
// CHECK: %[[RECORDS:.+]] = nvvm.elect.sync
// CHECK: scf.if %[[RECORDS]]
grid.kernel @warps grid()
    params [#grid.mosaic_gpu_params<profile_space = 2, profile_dir = "traces", profile_trace_scope = "warp", profile_bounds_check = true>] {
  warpgroup.profile "all"
  warpgroup.profile "all" ends
}

// -----

// A grid without programs has profiles without bytes.

// CHECK-LABEL: llvm.func @empty(
grid.kernel @empty grid(%i = 0) scratch(%s: memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>)
    params [#grid.mosaic_gpu_params<profile_space = 3, profile_dir = "traces", profile_trace_scope = "warpgroup">] {
  warpgroup.profile "load"
  warpgroup.profile "load" ends
}

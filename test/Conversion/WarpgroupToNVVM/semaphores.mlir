// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// Semaphores are words of zeroed memory after the operands: those of the launch, and then those of each block. One
// thread waits and subtracts the amount, unless another block did before.
// CHECK: kernel.abi @semaphores {{.*}} num_ctas = 6 cluster_ctas = 1 params = [{{.*}}, #kernel.zeroed<56>]
// CHECK: llvm.func @semaphores(%{{.+}}: !llvm.ptr<1>, %[[ZEROED:.+]]: !llvm.ptr<1>)
// CHECK: %[[BLOCK:.+]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: arith.muli %[[BLOCK]], %c8_i32
// CHECK: llvm.fence syncscope("device") release
// CHECK-NEXT: llvm.atomicrmw add %[[ZEROED]], %c1_i32 syncscope("device") monotonic
// CHECK: scf.while
// CHECK: %[[COUNT:.+]] = llvm.load %[[ZEROED]] atomic syncscope("device") acquire
// CHECK: arith.cmpi slt, %[[COUNT]], %c6_i32
// CHECK: llvm.cmpxchg %[[ZEROED]], %[[COUNT]], %{{.+}} syncscope("device") acquire monotonic
// CHECK: nvvm.barrier
// CHECK: scf.while
// CHECK-NOT: llvm.cmpxchg
// CHECK: llvm.load {{.*}} acquire
grid.kernel @semaphores grid(%i = 6) outputs(%o: i32 [] space #warpgroup.space<gmem>)
    scratch(%global: memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>, %other: memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>) {
  grid.scoped (%own: memref<2x!grid.semaphore<regular>, #warpgroup.space<gmem>>) {
    %one = arith.constant 1 : i32
    %six = arith.constant 6 : i32
    grid.semaphore_signal %global, %one : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
    grid.semaphore_wait %global, %six : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
    grid.semaphore_wait %global, %one keep : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
    %s = grid.slice_ref %own[1] [1] [1] drop [0] : memref<2x!grid.semaphore<regular>, #warpgroup.space<gmem>> -> memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
    %n = grid.semaphore_read %s : memref<!grid.semaphore<regular>, #warpgroup.space<gmem>>
    grid.store %n, %o : i32, memref<i32, #warpgroup.space<gmem>>
  }
}

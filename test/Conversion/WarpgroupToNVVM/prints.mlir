// RUN: gridir-opt %s --split-input-file --warpgroup-infer-layouts --warpgroup-plan-memory --warpgroup-insert-barriers --convert-warpgroup-to-nvvm --canonicalize --cse | FileCheck %s

// Numbers are printed at once by the leader, of an array each element by itself.
// CHECK: kernel.abi @prints {{.*}}params = [#kernel.operand<0>, #kernel.report<3>]
// CHECK-SAME: diagnostics = ["expected more ({{.*}}:{{[0-9]+}}:3)", "expected {0} ({{.*}}:{{[0-9]+}}:3)"]
// CHECK-LABEL: gpu.module @prints
// CHECK: gpu.printf "100%% of %lld: %.9g\0A", %{{.+}}, %{{.+}} : i64, f64
// CHECK: gpu.printf "x = ["
// CHECK: scf.for
// CHECK: gpu.printf " "
// CHECK: gpu.printf "%llu", %{{.+}} : i64
// CHECK: gpu.printf "]"
// CHECK: gpu.printf "\0A"
// CHECK: scf.if %{{.+}} {
// CHECK: llvm.cmpxchg %arg1, %{{.+}}, %{{.+}} syncscope("device") monotonic monotonic : !llvm.ptr<1>, i64
// CHECK: scf.if %{{.+}} {
// CHECK: %[[PAIR:.+]] = llvm.cmpxchg %arg1
// CHECK: %[[IS_FIRST:.+]] = llvm.extractvalue %[[PAIR]][1]
// CHECK: scf.if %[[IS_FIRST]] {
// CHECK: %[[VALUE:.+]] = llvm.getelementptr %arg1[1]
// CHECK: llvm.store %{{.+}}, %[[VALUE]] : i64, !llvm.ptr<1>
// CHECK: nvvm.nanosleep
grid.kernel @prints grid() inputs(%x: i32 [3] space #warpgroup.space<gmem>) {
  %n = arith.constant 3 : i32
  %f = arith.constant 1.5 : f32
  grid.print "100% of {}: {}" %n, %f : i32, f32
  %v = grid.load %x : memref<3xi32, #warpgroup.space<gmem>> -> tensor<3xi32>
  grid.print "x = {}" %v : tensor<3xi32> {is_unsigned = array<i1: true>}
  %z0 = arith.constant 0 : index
  %z = tensor.extract %v[%z0] : tensor<3xi32>
  %more = arith.cmpi sgt, %z, %n : i32
  grid.assert %more, "expected more"
  grid.assert %more, "expected {0}"(%n : i32)
  grid.delay %n
}

// The ops of a dialect that gridir knows nothing of take part in the analyses of a kernel, by the interfaces of `grid`.
// They run on the CPU, by what their dialect says that they are in loops, and a TPU refuses them where they stand. The
// dialect is a project of its own, which is built on the installed package.
//
// RUN: %cmake-configure -S %S/Inputs/trial -B %t > %t.log
// RUN: %cmake-build %t >> %t.log
// RUN: %t/trial-opt %s --grid-infer-dimension-semantics --grid-check | FileCheck %s
// RUN: %t/trial-opt %s --grid-to-tpu --verify-diagnostics
// RUN: %t/trial-opt %s --grid-to-cpu=stop-after=loops -o %t.loops
// RUN: %python %S/Inputs/run.py %t.loops | FileCheck %s --check-prefix=CPU

// CHECK: semantics [parallel]
// CHECK-SAME: {check = "written", subject = "o_ref", verdict = "proved"}
// CHECK-SAME: {check = "disjoint", subject = "dimension 0", verdict = "proved"}
// CHECK-SAME: {check = "initialized", subject = "o_ref", verdict = "proved"}
// CPU: axpy on the CPU: True
grid.kernel @axpy grid(%i = 4)
    inputs(%x: f32 [64, 128] block [16, 128] at (%i, 0) origin "x_ref")
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0) origin "o_ref") {
  %c4 = arith.constant 4 : index
  // expected-error @below {{'trial.rows' is not supported on the tpu target}}
  %rows = trial.rows %x[%c4] : memref<16x128xf32, #grid.space<default>> -> memref<8x128xf32, #grid.space<default>>
  trial.zero %o : memref<8x128xf32, #grid.space<default>>
  trial.axpy 2.0, %rows, %o : memref<8x128xf32, #grid.space<default>>, memref<8x128xf32, #grid.space<default>>
}

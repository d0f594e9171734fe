// An op of another dialect that implements none of the interfaces is taken at its worst: it needs the order of the
// grid, and reads and writes all Refs that it takes. It makes no verdict false.
//
// RUN: gridir-opt %s --allow-unregistered-dialect --grid-check | FileCheck %s
// RUN: gridir-opt %s --allow-unregistered-dialect --grid-infer-dimension-semantics | FileCheck %s --check-prefix=ORDER

// CHECK-LABEL: grid.kernel @no_refs
// CHECK: {check = "disjoint", reason = "its effects are unknown", subject = "dimension 0", verdict = "unknown"}
// ORDER-LABEL: grid.kernel @no_refs
// ORDER: semantics [arbitrary]
grid.kernel @no_refs grid(%i = 4)
    inputs(%x: f32 [512] block [128] at (%i) origin "x_ref")
    outputs(%o: f32 [512] block [128] at (%i) origin "o_ref")
    semantics [parallel] {
  "other.tick"() : () -> ()
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// Its declared effects are trusted, and exclude Refs.
// CHECK-LABEL: grid.kernel @other_effects
// CHECK: {check = "disjoint", reason = "it has effects on memory outside of Refs", subject = "dimension 0", verdict = "unknown"}
grid.kernel @other_effects grid(%i = 4)
    inputs(%x: f32 [512] block [128] at (%i) origin "x_ref")
    outputs(%o: f32 [512] block [128] at (%i) origin "o_ref")
    semantics [parallel] {
  %true = arith.constant true
  cf.assert %true, "holds"
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// It may write less than all of what it takes, so that elements may stay unwritten.
// CHECK-LABEL: grid.kernel @writes
// CHECK: {check = "written", reason = "the condition or the indices of a store are known only at run time"
// CHECK-SAME: subject = "o_ref", verdict = "unknown"}
// CHECK-SAME: {check = "initialized", reason = "it may be read before it is written", subject = "o_ref"
grid.kernel @writes grid(%i = 4)
    outputs(%o: f32 [512] block [128] at (%i) origin "o_ref") {
  "other.fill"(%o) : (memref<128xf32, #grid.space<default>>) -> ()
}

// Its result may be any part of what it takes.
// CHECK-LABEL: grid.kernel @view
// CHECK: {check = "written", reason = "the condition or the indices of a store are known only at run time"
// CHECK-SAME: subject = "o_ref", verdict = "unknown"}
// CHECK-SAME: {check = "initialized", reason = "it may be read before it is written", subject = "o_ref"
grid.kernel @view grid(%i = 4)
    inputs(%x: f32 [512] block [128] at (%i) origin "x_ref")
    outputs(%o: f32 [512] block [128] at (%i) origin "o_ref") {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %w = "other.view"(%o) : (memref<128xf32, #grid.space<default>>) -> memref<128xf32>
  grid.store %v, %w : tensor<128xf32>, memref<128xf32>
}

// Nor is it known to signal the semaphore that the wait needs, or not to.
// CHECK-LABEL: grid.kernel @semaphores
// CHECK: {check = "balanced", reason = "{{.*}}", subject = "scratch[0]", verdict = "unknown"}
grid.kernel @semaphores grid(%i = 1)
    inputs(%x: f32 [128] block [128] at (%i) origin "x_ref")
    outputs(%o: f32 [128] block [128] at (%i) origin "o_ref")
    scratch(%s: memref<!grid.semaphore<regular>>) {
  %c1 = arith.constant 1 : i32
  "other.signal"(%s) : (memref<!grid.semaphore<regular>>) -> ()
  grid.semaphore_wait %s, %c1 : memref<!grid.semaphore<regular>>
}

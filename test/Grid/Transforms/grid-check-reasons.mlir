// Why a check stays open or fails: one reason in each kernel.
//
// RUN: gridir-opt %s --grid-check --split-input-file | FileCheck %s

// Blocks that an array of indices selects.
// CHECK-LABEL: grid.kernel @indirect 
// CHECK: {check = "no-revisit", reason = "its blocks are known only at run time", subject = "o_ref", verdict = "unknown"}
grid.kernel @indirect grid(%i = 4) outputs(%o: f32 [16, 8] block [4, indirect(2)] at (%i, 0) origin "o_ref") {
}

// -----

// An index map that reads a prefetched scalar.
// CHECK-LABEL: grid.kernel @loaded 
// CHECK: {check = "in-bounds", reason = "blocks may lie outside of dimension 0", subject = "o_ref", verdict = "unknown"}
// CHECK: {check = "no-revisit", reason = "its blocks are known only at run time", subject = "o_ref", verdict = "unknown"}
grid.kernel @loaded grid(%i = 4) index(%n: i32 [4] origin "n_ref")
    outputs(%o: f32 [32] block [8] map(%a: i32, %r: memref<4xi32, #grid.space<default>>) {
  %at = arith.index_cast %a : i32 to index
  %p = memref.load %r[%at] : memref<4xi32, #grid.space<default>>
  grid.yield %p : i32
} origin "o_ref") {
}

// -----

// A grid of size 0 has no program that writes.
// CHECK-LABEL: grid.kernel @no_program
// CHECK: {check = "written", reason = "the grid has no program", subject = "o_ref", verdict = "refuted"}
grid.kernel @no_program grid(%i = 0) outputs(%o: f32 [16, 8] block [4, 8] at (%i, 0) origin "o_ref") {
}

// -----

// No affine index map.
// CHECK-LABEL: grid.kernel @squares 
// CHECK: {check = "no-revisit", reason = "its blocks are known only at run time", subject = "o_ref", verdict = "unknown"}
grid.kernel @squares grid(%i = 4)
    outputs(%o: f32 [128] block [8] map(%a: i32) {
  %sq = arith.muli %a, %a : i32
  grid.yield %sq : i32
} origin "o_ref") {
}

// -----

// The revisit of a block depends on the extent of the outer dimension.
// CHECK-LABEL: grid.kernel @sizes 
// CHECK: {check = "no-revisit", reason = "the sizes of the grid are known only at run time", subject = "o_ref", verdict = "unknown"}
grid.kernel @sizes grid(%i = ?, %j = ?) outputs(%o: f32 [32] block [8] at (%j) origin "o_ref") {
}

// -----

// All is known here, but it is too much.
// CHECK-LABEL: grid.kernel @nine_dimensions 
// CHECK: {check = "no-revisit", reason = "the grid has more dimensions than the check supports", subject = "o_ref", verdict = "unknown"}
grid.kernel @nine_dimensions grid(%a = 2, %b = 2, %c = 2, %d = 2, %e = 2, %f = 2, %g = 2, %h = 2, %i = 2) outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") {
}

// -----

// Indices that nothing bounds.
// CHECK-LABEL: grid.kernel @gathers 
// CHECK: {check = "in-bounds", reason = "an array of indices into dimension 0 is known only at run time", subject = "x_ref", verdict = "unknown"}
grid.kernel @gathers grid(%i = 4) inputs(%x: f32 [16, 8] origin "x_ref", %n: i32 [4] origin "n_ref") {
  %rows = grid.load %n : memref<4xi32, #grid.space<default>> -> tensor<4xi32>
  %v = grid.gather %x[%rows] dims [0] : memref<16x8xf32, #grid.space<default>>, tensor<4xi32> -> tensor<4x8xf32>
}

// -----

// More stores than are looked at.
// CHECK-LABEL: grid.kernel @many_stores 
// CHECK: {check = "written", reason = "it has too many stores, or their indices do not follow from the program ids", subject = "o_ref", verdict = "unknown"}
grid.kernel @many_stores grid(%i = 1) outputs(%o: f32 [80] origin "o_ref") {
  %v = arith.constant dense<1.0> : tensor<1xf32>
  %a0 = grid.slice_ref %o[0] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a0 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a1 = grid.slice_ref %o[1] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a1 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a2 = grid.slice_ref %o[2] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a2 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a3 = grid.slice_ref %o[3] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a3 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a4 = grid.slice_ref %o[4] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a4 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a5 = grid.slice_ref %o[5] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a5 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a6 = grid.slice_ref %o[6] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a6 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a7 = grid.slice_ref %o[7] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a7 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a8 = grid.slice_ref %o[8] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a8 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a9 = grid.slice_ref %o[9] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a9 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a10 = grid.slice_ref %o[10] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a10 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a11 = grid.slice_ref %o[11] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a11 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a12 = grid.slice_ref %o[12] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a12 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a13 = grid.slice_ref %o[13] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a13 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a14 = grid.slice_ref %o[14] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a14 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a15 = grid.slice_ref %o[15] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a15 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a16 = grid.slice_ref %o[16] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a16 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a17 = grid.slice_ref %o[17] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a17 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a18 = grid.slice_ref %o[18] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a18 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a19 = grid.slice_ref %o[19] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a19 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a20 = grid.slice_ref %o[20] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a20 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a21 = grid.slice_ref %o[21] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a21 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a22 = grid.slice_ref %o[22] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a22 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a23 = grid.slice_ref %o[23] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a23 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a24 = grid.slice_ref %o[24] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a24 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a25 = grid.slice_ref %o[25] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a25 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a26 = grid.slice_ref %o[26] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a26 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a27 = grid.slice_ref %o[27] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a27 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a28 = grid.slice_ref %o[28] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a28 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a29 = grid.slice_ref %o[29] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a29 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a30 = grid.slice_ref %o[30] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a30 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a31 = grid.slice_ref %o[31] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a31 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a32 = grid.slice_ref %o[32] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a32 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a33 = grid.slice_ref %o[33] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a33 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a34 = grid.slice_ref %o[34] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a34 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a35 = grid.slice_ref %o[35] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a35 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a36 = grid.slice_ref %o[36] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a36 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a37 = grid.slice_ref %o[37] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a37 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a38 = grid.slice_ref %o[38] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a38 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a39 = grid.slice_ref %o[39] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a39 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a40 = grid.slice_ref %o[40] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a40 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a41 = grid.slice_ref %o[41] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a41 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a42 = grid.slice_ref %o[42] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a42 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a43 = grid.slice_ref %o[43] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a43 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a44 = grid.slice_ref %o[44] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a44 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a45 = grid.slice_ref %o[45] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a45 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a46 = grid.slice_ref %o[46] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a46 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a47 = grid.slice_ref %o[47] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a47 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a48 = grid.slice_ref %o[48] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a48 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a49 = grid.slice_ref %o[49] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a49 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a50 = grid.slice_ref %o[50] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a50 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a51 = grid.slice_ref %o[51] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a51 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a52 = grid.slice_ref %o[52] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a52 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a53 = grid.slice_ref %o[53] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a53 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a54 = grid.slice_ref %o[54] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a54 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a55 = grid.slice_ref %o[55] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a55 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a56 = grid.slice_ref %o[56] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a56 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a57 = grid.slice_ref %o[57] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a57 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a58 = grid.slice_ref %o[58] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a58 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a59 = grid.slice_ref %o[59] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a59 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a60 = grid.slice_ref %o[60] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a60 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a61 = grid.slice_ref %o[61] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a61 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a62 = grid.slice_ref %o[62] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a62 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a63 = grid.slice_ref %o[63] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a63 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a64 = grid.slice_ref %o[64] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a64 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a65 = grid.slice_ref %o[65] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a65 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a66 = grid.slice_ref %o[66] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a66 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a67 = grid.slice_ref %o[67] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a67 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a68 = grid.slice_ref %o[68] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a68 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %a69 = grid.slice_ref %o[69] [1] [1] : memref<80xf32, #grid.space<default>> -> memref<1xf32, #grid.space<default>>
  grid.store %v, %a69 : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// A dimension declared parallel exposes the order of the programs: to Python,
// CHECK-LABEL: grid.kernel @callback 
// CHECK: {check = "disjoint", reason = "a function is called in the order of the programs", subject = "dimension 0", verdict = "refuted"}
grid.kernel @callback grid(%i = 4) semantics [parallel] {
  %id = grid.program_id 0
  grid.callback "5f0c93e1" %id : i32
}

// -----

// to those who wait at a barrier,
// CHECK-LABEL: grid.kernel @barrier 
// CHECK: {check = "disjoint", reason = "the programs share a barrier semaphore", subject = "dimension 0", verdict = "refuted"}
grid.kernel @barrier grid(%i = 4) semantics [parallel] {
  %s = grid.barrier_semaphore : memref<!grid.semaphore<barrier>>
}

// -----

// to another device, which may signal in turn,
// CHECK-LABEL: grid.kernel @remote 
// CHECK: {check = "disjoint", reason = "another device sees the order of the programs", subject = "dimension 0", verdict = "unknown"}
// CHECK: {check = "balanced", reason = "another program may signal it", subject = "s_ref", verdict = "unknown"}
grid.kernel @remote grid(%i = 4) scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>> origin "s_ref") semantics [parallel] {
  %c1 = arith.constant 1 : i32
  grid.semaphore_signal %s, %c1 device (%c1 : i32) {device_id_type = #grid.device_id_type<logical>} : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

// or to programs that share memory.
// CHECK-LABEL: grid.kernel @collective 
// CHECK: {check = "disjoint", reason = "its programs share the Refs of a grid.scoped", subject = "dimension 0 (rows)", verdict = "refuted"}
grid.kernel @collective grid(%i = 4 named "rows") semantics [parallel] {
  grid.scoped (%t: memref<8x128xf32>) attributes {collective = ["rows"]} {
  }
}

// -----

// A generator that no program seeds goes on where the last one left it.
// CHECK-LABEL: grid.kernel @bits 
// CHECK: {check = "disjoint", reason = "random bits depend on the state of the previous program", subject = "dimension 0", verdict = "refuted"}
grid.kernel @bits grid(%i = 4) outputs(%o: i32 [32] block [8] at (%i)) semantics [parallel] {
  %bits = grid.prng_bits : tensor<8xi32>
}

// -----

// The first program waits for nothing, the others for what the one before has left.
// CHECK-LABEL: grid.kernel @wait 
// CHECK: {check = "disjoint", reason = "s_ref may be waited on before the program signals it", subject = "dimension 0", verdict = "unknown"}
// CHECK: {check = "balanced", program = array<i64: 0>, reason = "program (0) waits for a signal, but none is in flight", subject = "s_ref", verdict = "refuted"}
grid.kernel @wait grid(%i = 4) scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>> origin "s_ref") semantics [parallel] {
  %c1 = arith.constant 1 : i32
  grid.semaphore_wait %s, %c1 : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
  grid.semaphore_signal %s, %c1 : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

// A value decides whether the scratch is this program's.
// CHECK-LABEL: grid.kernel @may_read 
// CHECK: {check = "disjoint", reason = "s_ref may be read before the program writes it", subject = "dimension 0", verdict = "unknown"}
// CHECK: {check = "initialized", reason = "it may be read before it is written", subject = "s_ref", verdict = "unknown"}
grid.kernel @may_read grid(%i = 4) index(%n: i32 []) outputs(%o: f32 [32] block [8] at (%i) origin "o_ref") scratch(%s: memref<8xf32> origin "s_ref") semantics [parallel] {
  %p = grid.load %n : memref<i32, #grid.space<default>> -> i32
  %c1 = arith.constant 1 : i32
  %yes = arith.cmpi eq, %p, %c1 : i32
  %one = arith.constant dense<1.0> : tensor<8xf32>
  scf.if %yes {
    grid.store %one, %s : tensor<8xf32>, memref<8xf32>
  }
  %v = grid.load %s : memref<8xf32> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// One of two signals.
// CHECK-LABEL: grid.kernel @less 
// CHECK: {check = "balanced", program = array<i64: 0>, reason = "program (0) waits for a signal, but less is in flight", subject = "s_ref", verdict = "refuted"}
grid.kernel @less grid(%i = 1) scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>> origin "s_ref") {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  grid.semaphore_signal %s, %c1 : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
  grid.semaphore_wait %s, %c2 : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

// How often the signal is sent, which semaphore, how much: what the call says.
// CHECK-LABEL: grid.kernel @dynamic_grid 
// CHECK: {check = "balanced", reason = "the size of the grid is known only at run time", subject = "s_ref", verdict = "unknown"}
grid.kernel @dynamic_grid grid(%i = ?) scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>> origin "s_ref") {
  %c1 = arith.constant 1 : i32
  grid.semaphore_signal %s, %c1 : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

// CHECK-LABEL: grid.kernel @dynamic_amount 
// CHECK: {check = "balanced", reason = "the semaphore or the amount is known only at run time", subject = "s_ref", verdict = "unknown"}
grid.kernel @dynamic_amount grid(%i = 1) inputs(%n: i32 []) scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>> origin "s_ref") {
  %c1 = grid.load %n : memref<i32, #grid.space<default>> -> i32
  grid.semaphore_signal %s, %c1 : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

// Balanced, but too far to follow.
// CHECK-LABEL: grid.kernel @steps 
// CHECK: {check = "balanced", reason = "the kernel has more steps than the check simulates", subject = "s_ref", verdict = "unknown"}
grid.kernel @steps grid(%i = 100000000) scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>> origin "s_ref") {
  %c1 = arith.constant 1 : i32
  grid.semaphore_signal %s, %c1 : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
  grid.semaphore_wait %s, %c1 : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

// No index of 128 bits is compared as one of 64.
// CHECK-LABEL: grid.kernel @wide_bound
// CHECK: {check = "in-bounds", reason = "an array of indices into dimension 1 is known only at run time", subject = "x_ref", verdict = "unknown"}
grid.kernel @wide_bound grid(%i = 4) inputs(%x: f32 [4, 8] block [1, 8] at (%i, 0) origin "x_ref") {
  %most = arith.constant dense<100000000000000000000000000> : tensor<8xi128>
  %least = arith.constant dense<0> : tensor<8xi128>
  %from = arith.maxsi %least, %least : tensor<8xi128>
  %at = arith.minsi %from, %most : tensor<8xi128>
  %v = grid.gather %x [%at] dims [1] : memref<1x8xf32, #grid.space<default>>, tensor<8xi128> -> tensor<8x1xf32>
}

// -----

// Casts without a rank are not analyzed.
// CHECK-LABEL: grid.kernel @no_rank
// CHECK: {check = "balanced", reason = "the semaphore or the amount is known only at run time", subject = "s_ref", verdict = "unknown"}
!some = memref<2x!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
!any = memref<*x!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
!one = memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
grid.kernel @no_rank grid(%i = 4) scratch(%s: !some origin "s_ref") {
  %c1 = arith.constant 1 : i32
  %a = memref.cast %s : !some to !any
  %b = memref.cast %a : !any to !one
  grid.semaphore_signal %b, %c1 : !one
  grid.semaphore_wait %b, %c1 : !one
}

// -----

// A write of another warpgroup is possible, so nothing is refuted; private memory is uninitialized.
// CHECK-LABEL: grid.kernel @shared
// CHECK: {check = "initialized", program = array<i64: 0>, reason = "program (0) reads it before it is written", subject = "u_ref", verdict = "refuted"}
// CHECK-SAME: {check = "initialized", reason = "it may be read before it is written", subject = "t_ref", verdict = "unknown"}
grid.kernel @shared grid(%i = 2 named "wg" thread) outputs(%o: f32 [8] space #warpgroup.space<gmem>) {
  grid.scoped (%t: memref<8xf32, #warpgroup.space<smem>> origin "t_ref") attributes {collective = ["wg"]} {
    grid.scoped (%u: memref<8xf32, #warpgroup.space<smem>> origin "u_ref") {
      %0 = grid.load %t : memref<8xf32, #warpgroup.space<smem>> -> tensor<8xf32>
      %1 = grid.load %u : memref<8xf32, #warpgroup.space<smem>> -> tensor<8xf32>
      %2 = arith.addf %0, %1 : tensor<8xf32>
      grid.store %2, %o : tensor<8xf32>, memref<8xf32, #warpgroup.space<gmem>>
    }
  }
}

// RUN: gridir-opt %s --grid-legalize-blocks='target=cpu' --split-input-file --verify-diagnostics
// RUN: not gridir-opt %s --grid-legalize-blocks='target=abacus' --split-input-file 2>&1 | FileCheck %s

// CHECK: error: expected a target of grid-legalize-blocks, one of cpu, gpu, tpu, got abacus

grid.kernel @element_type grid()
    // expected-error @below {{expected x_ref to have an element type of the CPU, got 'i3'}}
    inputs(%x: i3 [8] origin "x_ref") {
}

// -----

grid.kernel @transforms grid()
    // expected-error @below {{expected x_ref without block transforms, which the CPU does not apply, got #grid.transform<swizzle[128]>}}
    inputs(%x: f32 [8] transforms [<swizzle [128]>] origin "x_ref") {
}

// -----

grid.kernel @gathered grid(%i = 2)
    // expected-error @below {{expected dimension 1 of x_ref to be divided into consecutive elements, got a gathered block}}
    inputs(%x: f32 [8, 8] block [8, indirect(4)] at (0, %i) origin "x_ref") {
}

// -----

grid.kernel @symbolic grid()
    // expected-error @below {{expected dimension 0 of x_ref to have a static size, got n}}
    inputs(%x: f32 [?n] origin "x_ref") {
}

// -----

// expected-error @below {{expected scratch[0] to have an element type of the CPU, got 'i128'}}
grid.kernel @scratch grid() scratch(%s: memref<8xi128>) {
}

// -----

// The fifth block of 8 elements starts where the array ends.
// expected-note @below {{it is the block of program (4)}}
grid.kernel @outside grid(%i = 5)
    // expected-error @below {{expected every block of x_ref to overlap its array, got one outside of dimension 0 of size 32}}
    inputs(%x: f32 [32] block [8] at (%i) origin "x_ref") {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
}

// -----

// expected-note @below {{it is the block of program (0, 0)}}
grid.kernel @before grid(%i = 2, %j = 2)
    // expected-error @below {{expected every block of outputs[0] to overlap its array, got one outside of dimension 1 of size 32}}
    outputs(%o: f32 [2, 32] block [squeezed, 8] at (%i, %j - 1)) {
  %v = arith.constant dense<0.0> : tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The condition holds of the fifth program, too.
// expected-note @below {{it is the block of program (4)}}
grid.kernel @guarded grid(%i = 5)
    // expected-error @below {{expected every block of x_ref to overlap its array, got one outside of dimension 0 of size 32}}
    inputs(%x: f32 [32] block [8] at (%i) origin "x_ref") {
  %id = grid.program_id 0
  %c1 = arith.constant 1 : i32
  %holds = arith.cmpi sge, %id, %c1 : i32
  scf.if %holds {
    %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  }
}

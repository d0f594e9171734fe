// Ops are left out or become zero, in loops and branches, too, as long as the test finds the module interesting; what is
// left has the locations of the input.
//
// RUN: gridir-reduce %s --reduction-tree='traversal-mode=0 test=%S/../tools/gridir-reduce/Inputs/has-print.sh' > %t 2> %t.errors
// RUN: not grep error %t.errors
// RUN: FileCheck %s < %t
// RUN: gridir-opt %t -o /dev/null

// CHECK: grid.kernel @kept
// CHECK-NOT: scf.for
// CHECK-NOT: grid.load
// CHECK-NOT: arith.mulf
// CHECK-NOT: grid.store
// CHECK: grid.print "here"
// CHECK-SAME: loc(
// CHECK-NOT: grid.store
// CHECK: "kernel.py":7:3
grid.kernel @kept grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i), %y: f32 [32] block [8] at (%i))
    outputs(%o: f32 [32] block [8] at (%i)) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = grid.load %y : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %p = arith.mulf %v, %w : tensor<8xf32>
  %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %p) -> (tensor<8xf32>) {
    %q = arith.addf %a, %w : tensor<8xf32>
    %r = arith.mulf %q, %v : tensor<8xf32>
    scf.yield %r : tensor<8xf32>
  }
  grid.print "here" loc("kernel.py":7:3)
  %t = arith.subf %s, %v : tensor<8xf32>
  grid.store %t, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

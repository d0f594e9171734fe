// RUN: gridir-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-division.sh' | FileCheck %s

// The reducer drops every function in which the interesting thing does not happen.
// CHECK-NOT: @uninteresting
// CHECK: func.func @interesting
// CHECK: arith.divsi
// CHECK-NOT: @uninteresting
func.func @uninteresting_1(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}

func.func @interesting(%x: i32, %y: i32) -> i32 {
  %z = arith.divsi %x, %y : i32
  return %z : i32
}

func.func @uninteresting_2() {
  return
}

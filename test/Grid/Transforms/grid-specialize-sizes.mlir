// The option gives the sizes of a public kernel's dynamic dimensions, and its calls lose them.
//
// RUN: gridir-opt %s --grid-specialize='grid=4,8' | FileCheck %s

// CHECK-LABEL: grid.kernel @pinned grid(%i = 4, %j = 2, %k = 8 named "k")
grid.kernel @pinned grid(%i = ?, %j = 2, %k = ? named "k") {
}
// CHECK-LABEL: func.func @call
func.func @call(%n: i32) {
  %c4 = arith.constant 4 : i32
  // CHECK: grid.call @pinned{{$}}
  grid.call @pinned dynamic(%c4, %n : i32, i32)
  return
}

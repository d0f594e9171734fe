// RUN: gridir-opt %s --test-support --allow-unregistered-dialect | FileCheck %s

// An unknown op reads and writes any memory; one without effects, none.
// CHECK-LABEL: func.func @accesses(
// CHECK: memref.load {{.*}} {test.accesses = ["read of operand 0"]
// CHECK: memref.store {{.*}} {test.accesses = ["write of operand 1"]}
// CHECK: memref.copy {{.*}} {test.accesses = ["read of operand 0", "write of operand 1"]}
// CHECK: "other.op"() {test.accesses = ["read and write of any memory"]}
// CHECK: memref.subview
// CHECK-NOT: test.accesses
// CHECK: return
func.func @accesses(%x: memref<8xf32>, %y: memref<8xf32>, %i: index) {
  %0 = memref.load %x[%i] : memref<8xf32>
  memref.store %0, %y[%i] : memref<8xf32>
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  "other.op"() : () -> ()
  %1 = memref.subview %x[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  return
}

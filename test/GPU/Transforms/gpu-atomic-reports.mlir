// RUN: gridir-opt %s --gpu-atomic-reports | FileCheck %s

// Who takes the fourth word of the report from 0 to 1 writes the others.
// CHECK-LABEL: func.func @k
// CHECK-SAME: %[[STATUS:[a-z0-9]+]]: memref<4xi64>
// CHECK: scf.if %{{.*}} {
// CHECK: %[[TAKEN:.+]] = memref.atomic_rmw assign %{{.+}}, %[[STATUS]][%{{.+}}]
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[TAKEN]]
// CHECK: scf.if %[[FIRST]] {
// CHECK: memref.store {{.*}}, %[[STATUS]]
// CHECK: memref.store {{.*}}, %[[STATUS]]
// CHECK: memref.store {{.*}}, %[[STATUS]]
// CHECK-NEXT: }
module attributes {gridir.kernel = "k"} {
  func.func @k(%n: memref<i64>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %number = arith.constant 1 : i64
    %limit = arith.constant 8 : i64
    %value = memref.load %n[] : memref<i64>
    %fails = arith.cmpi uge, %value, %limit : i64
    scf.if %fails {
      memref.store %number, %status[%c0] : memref<4xi64>
      memref.store %value, %status[%c1] : memref<4xi64>
      memref.store %limit, %status[%c2] : memref<4xi64>
    }
    return
  }
}

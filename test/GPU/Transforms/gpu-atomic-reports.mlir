// RUN: gridir-opt %s --gpu-atomic-reports | FileCheck %s

// Who takes the fourth word of the report from 0 to 1 writes the others.
// CHECK-LABEL: func.func @k
// CHECK-SAME: %[[STATUS:[a-z0-9]+]]: memref<4xi64>
// CHECK: scf.if %{{.*}} {
// Operands of a store may be computed between two of them, and move before the guard.
// CHECK: arith.addi
// CHECK-DAG: %[[SLOT:.+]] = arith.constant 3 : index
// CHECK-DAG: %[[ZERO:.+]] = arith.constant 0 : i64
// CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK: %[[TAKEN:.+]] = memref.atomic_rmw assign %[[ONE]], %[[STATUS]][%[[SLOT]]]
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[TAKEN]], %[[ZERO]]
// CHECK: scf.if %[[FIRST]] {
// CHECK: memref.store {{.*}}, %[[STATUS]]
// CHECK: memref.store {{.*}}, %[[STATUS]]
// CHECK: memref.store {{.*}}, %[[STATUS]]
// CHECK-NEXT: }
module {
  kernel.abi @k
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
      %beyond = arith.addi %value, %limit : i64
      memref.store %beyond, %status[%c1] : memref<4xi64>
      memref.store %limit, %status[%c2] : memref<4xi64>
    }
    return
  }
}

// RUN: gridir-opt %s --allow-unregistered-dialect --gpu-carry-alternating --canonicalize --cse | FileCheck %s

// A packed address in one of two buffers is carried, and changed in the bits in which both differ; a sum with it
// remains a sum.
// CHECK-LABEL: func.func @descriptors(
// CHECK-SAME: %[[BASE:[^:]+]]: i32
// CHECK: %[[SECOND:.+]] = arith.addi %[[BASE]], %c2048_i32
// CHECK: %[[NEXT:.+]] = llvm.insertelement %[[SECOND]]
// CHECK: %[[DIFFERENCE:.+]] = arith.xori %{{.+}}, %{{.+}} : i64
// CHECK: scf.for %{{.+}} = %c0_i32 to %c8_i32 step %c1_i32 iter_args(%[[NOW:.+]] = %{{.+}}) -> (i64)
// CHECK-NOT: arith.remsi
// CHECK: "use"(%[[NOW]]) : (i64) -> ()
// CHECK: %[[SUM:.+]] = arith.addi %[[NOW]], %c2_i64
// CHECK: "use"(%[[SUM]]) : (i64) -> ()
// CHECK: %[[THEN:.+]] = arith.xori %[[NOW]], %[[DIFFERENCE]] : i64
// CHECK: scf.yield %[[THEN]] : i64
func.func @descriptors(%base: i32, %words: vector<2xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c8 = arith.constant 8 : i32
  %c2048 = arith.constant 2048 : i32
  %two = arith.constant 2 : i64
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %slot = arith.remsi %i, %c2 : i32
    %scaled = arith.muli %slot, %c2048 : i32
    %sum = arith.addi %scaled, %base : i32
    %packed = llvm.insertelement %sum, %words[%c0 : i32] : vector<2xi32>
    %bits = llvm.bitcast %packed : vector<2xi32> to i64
    "use"(%bits) : (i64) -> ()
    %next = arith.addi %bits, %two : i64
    "use"(%next) : (i64) -> ()
  }
  return
}

// A loop that begins with an odd step begins with what is in the second buffer.
// CHECK-LABEL: func.func @odd(
// CHECK-SAME: %[[BASE:[^:]+]]: i32, %[[MASK:[^:]+]]: i32
// CHECK-DAG: %[[SECOND:.+]] = arith.addi %[[BASE]], %c64_i32
// CHECK-DAG: %[[FIRST:.+]] = arith.andi %[[SECOND]], %[[MASK]]
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = %[[FIRST]])
func.func @odd(%base: i32, %mask: i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  scf.for %i = %c1 to %c8 step %c1 : i32 {
    %slot = arith.remui %i, %c2 : i32
    %scaled = arith.muli %slot, %c64 : i32
    %sum = arith.addi %scaled, %base : i32
    %bits = arith.andi %sum, %mask : i32
    "use"(%bits) : (i32) -> ()
  }
  return
}

// The address in the other buffer is that in this one with other bits; known bytes are added last.
// CHECK-LABEL: func.func @addresses(
// CHECK-SAME: %[[BASE:[^:]+]]: !llvm.ptr<3>
// CHECK: %[[OTHER:.+]] = llvm.getelementptr %[[BASE]][8]
// CHECK: %[[BITS:.+]] = arith.xori
// CHECK: scf.for
// CHECK: %[[HERE:.+]] = llvm.getelementptr %[[BASE]][%{{.+}}]
// CHECK: %[[FULL:.+]] = llvm.getelementptr %[[HERE]][1024]
// CHECK: "use"(%[[FULL]])
// CHECK: %[[NUMBER:.+]] = llvm.ptrtoint %[[HERE]]
// CHECK: %[[CHANGED:.+]] = arith.xori %[[NUMBER]], %[[BITS]]
// CHECK: %[[THERE:.+]] = llvm.inttoptr %[[CHANGED]]
// CHECK: %[[EMPTY:.+]] = llvm.getelementptr %[[THERE]][2048]
// CHECK: "use"(%[[EMPTY]])
func.func @addresses(%base: !llvm.ptr<3>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c8 = arith.constant 8 : i32
  %fulls = llvm.getelementptr %base[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %empties = llvm.getelementptr %base[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %slot = arith.remsi %i, %c2 : i32
    %bytes = arith.muli %slot, %c8 : i32
    %full = llvm.getelementptr %fulls[%bytes] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    "use"(%full) : (!llvm.ptr<3>) -> ()
    %next = arith.addi %i, %c1 : i32
    %other = arith.remsi %next, %c2 : i32
    %behind = arith.muli %other, %c8 : i32
    %empty = llvm.getelementptr %empties[%behind] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    "use"(%empty) : (!llvm.ptr<3>) -> ()
  }
  return
}

// A value computed from a carried value has one value in even iterations and one in odd ones as before.
// CHECK-LABEL: func.func @addresses_of_carried(
// CHECK: scf.for {{.*}} iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}})
// CHECK: arith.addi %[[A]], %{{.+}}
// CHECK: %[[HERE:.+]] = llvm.getelementptr
// CHECK: %[[NUMBER:.+]] = llvm.ptrtoint %[[HERE]]
// CHECK: arith.xori %[[NUMBER]]
func.func @addresses_of_carried(%base: !llvm.ptr<3>, %mask: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %slot = arith.remsi %i, %c2 : i32
    %more = arith.addi %slot, %c3 : i32
    %a = arith.andi %more, %c7 : i32
    %sum = arith.addi %slot, %other : i32
    %b = arith.andi %sum, %mask : i32
    "use"(%a, %b) : (i32, i32) -> ()
    %here = arith.addi %a, %c1 : i32
    %first = llvm.getelementptr %base[%here] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    "use"(%first) : (!llvm.ptr<3>) -> ()
    %next = arith.addi %i, %c1 : i32
    %behind = arith.remsi %next, %c2 : i32
    %there = arith.addi %behind, %c2 : i32
    %third = arith.addi %there, %c2 : i32
    %second = llvm.getelementptr %base[%third] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    "use"(%second) : (!llvm.ptr<3>) -> ()
  }
  return
}

// Values of one instruction, of a longer ring, and values that the loop changes, are kept; so is everything in a loop
// with another begin or step.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: iter_args
// CHECK: return
func.func @others(%base: i32, %mask: i32, %begin: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %slot = arith.remsi %i, %c2 : i32
    %sum = arith.addi %slot, %base : i32
    "use"(%sum) : (i32) -> ()
    %longer = arith.remsi %i, %c3 : i32
    %a = arith.addi %longer, %base : i32
    %b = arith.andi %a, %mask : i32
    "use"(%b) : (i32) -> ()
    %read = "read"() : () -> i32
    %c = arith.addi %slot, %read : i32
    %d = arith.andi %c, %mask : i32
    "use"(%d) : (i32) -> ()
  }
  scf.for %i = %begin to %c8 step %c1 : i32 {
    %slot = arith.remsi %i, %c2 : i32
    %a = arith.addi %slot, %base : i32
    %b = arith.andi %a, %mask : i32
    "use"(%b) : (i32) -> ()
  }
  scf.for %i = %c0 to %c8 step %c2 : i32 {
    %slot = arith.remsi %i, %c2 : i32
    %a = arith.addi %slot, %base : i32
    %b = arith.andi %a, %mask : i32
    "use"(%b) : (i32) -> ()
  }
  return
}

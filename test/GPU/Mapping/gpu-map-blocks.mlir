// RUN: gridir-opt %s --split-input-file --gpu-map-blocks | FileCheck %s

// Scratch of the whole call becomes scratch of each CTA.
// CHECK-LABEL: func.func @k
// CHECK-SAME: %[[LO:[a-z0-9]+]]: index, %[[HI:[a-z0-9]+]]: index)
// CHECK: scf.forall (%[[ITEM:.+]]) = (%[[LO]]) to (%[[HI]]) step (1) {
// CHECK: memref.alloca
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[ITEM]]]
// CHECK: } {mapping = [#gpu.block<x>]}
module {
  kernel.abi @k
  func.func @k(%x: memref<8xf32> {llvm.noalias}, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %scratch = memref.alloca() : memref<8xf32>
    scf.for %item = %lo to %hi step %c1 {
      linalg.fill ins(%zero : f32) outs(%scratch : memref<8xf32>)
      memref.store %zero, %x[%item] : memref<8xf32>
    }
    return
  }
}

// -----

// The copy of an aliased input must be made before any item writes: one CTA.
// CHECK-LABEL: func.func @aliased
// CHECK-SAME: %[[LO:[a-z0-9]+]]: index, %[[HI:[a-z0-9]+]]: index)
// CHECK: scf.forall (%{{.+}}) in (1) {
// CHECK: linalg.copy
// CHECK: scf.for %{{.+}} = %[[LO]] to %[[HI]]
module {
  kernel.abi @aliased
  func.func @aliased(%x: memref<8xf32>, %o: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c1 = arith.constant 1 : index
    %copy = memref.alloca() : memref<8xf32>
    linalg.copy ins(%x : memref<8xf32>) outs(%copy : memref<8xf32>)
    scf.for %item = %lo to %hi step %c1 {
      %0 = memref.load %copy[%item] : memref<8xf32>
      memref.store %0, %o[%item] : memref<8xf32>
    }
    return
  }
}

// -----

// A branch or a loop before the items says of itself no effect; what is in it may read what they write: one CTA. One
// that reads nothing, and a copy of what is known to be apart, keep the CTAs.
// CHECK-LABEL: func.func @branch
// CHECK: scf.forall (%{{.+}}) in (1) {
// CHECK: scf.if
// CHECK: scf.for
module {
  kernel.abi @branch
  func.func @branch(%c: i1, %x: memref<8xf32>, %o: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c1 = arith.constant 1 : index
    %copy = memref.alloca() : memref<8xf32>
    scf.if %c {
      linalg.copy ins(%x : memref<8xf32>) outs(%copy : memref<8xf32>)
    }
    scf.for %item = %lo to %hi step %c1 {
      %0 = memref.load %copy[%item] : memref<8xf32>
      memref.store %0, %o[%item] : memref<8xf32>
    }
    return
  }
}

// -----

// CHECK-LABEL: func.func @apart
// CHECK-SAME: %[[LO:[a-z0-9]+]]: index, %[[HI:[a-z0-9]+]]: index)
// CHECK: scf.forall (%{{.+}}) = (%[[LO]]) to (%[[HI]]) step (1) {
// CHECK: scf.if
// CHECK: linalg.copy
module {
  kernel.abi @apart
  func.func @apart(%c: i1, %x: memref<8xf32> {llvm.noalias}, %o: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %n = scf.if %c -> i32 {
      scf.yield %one : i32
    } else {
      scf.yield %two : i32
    }
    %copy = memref.alloca() : memref<8xf32>
    %view = memref.subview %x[0] [8] [1] : memref<8xf32> to memref<8xf32, strided<[1]>>
    linalg.copy ins(%view : memref<8xf32, strided<[1]>>) outs(%copy : memref<8xf32>)
    scf.for %item = %lo to %hi step %c1 {
      %0 = memref.load %copy[%item] : memref<8xf32>
      memref.store %0, %o[%item] : memref<8xf32>
    }
    return
  }
}

// -----

// A view of an aliased input is that input.
// CHECK-LABEL: func.func @aliased_view
// CHECK: scf.forall (%{{.+}}) in (1) {
module {
  kernel.abi @aliased_view
  func.func @aliased_view(%x: memref<8xf32>, %o: memref<8xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c1 = arith.constant 1 : index
    %copy = memref.alloca() : memref<8xf32>
    %view = memref.subview %x[0] [8] [1] : memref<8xf32> to memref<8xf32, strided<[1]>>
    linalg.copy ins(%view : memref<8xf32, strided<[1]>>) outs(%copy : memref<8xf32>)
    scf.for %item = %lo to %hi step %c1 {
      %0 = memref.load %copy[%item] : memref<8xf32>
      memref.store %0, %o[%item] : memref<8xf32>
    }
    return
  }
}

// -----

// A loop that hands something on is no loop over work items.
// CHECK-LABEL: func.func @carries
// CHECK: scf.forall
// CHECK: %[[R:.*]] = scf.for
// CHECK: memref.store %[[R]]
module {
  kernel.abi @carries
  func.func @carries(%o: memref<4xindex>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c1 = arith.constant 1 : index
    %r = scf.for %item = %lo to %hi step %c1 iter_args(%x = %c1) -> index {
      scf.yield %x : index
    }
    memref.store %r, %o[%r] : memref<4xindex>
    return
  }
}

// RUN: gridir-opt %s --loops-widen-storage | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// CHECK: memref.global "private" constant @mask : memref<4xi8> = dense<[1, 0, 1, 1]>
memref.global "private" constant @mask : memref<4xi1> = dense<[true, false, true, true]>

// CHECK: memref.global "private" constant @small : memref<2xi8> = dense<[-1, 7]>
memref.global "private" constant @small : memref<2xi4> = dense<[-1, 7]>

// CHECK: memref.global "private" constant @fours : memref<3xi8> = dense<[2, 9, 15]>
memref.global "private" constant @fours : memref<3xf4E2M1FN> = dense<[1.0, -0.5, -6.0]>

// Bodies keep their types; what they load and store is a byte.
// CHECK-LABEL: func.func @body
// CHECK-SAME:    %[[X:.*]]: memref<8xf32>, %[[M:.*]]: memref<8xi8>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : memref<8xf32>) outs(%[[M]] : memref<8xi8>)
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[B:.*]]: i8):
// CHECK:           %[[OLD:.*]] = arith.trunci %[[B]] : i8 to i1
// CHECK:           %[[NEW:.*]] = arith.select %{{.*}}, %[[OLD]], %{{.*}} : i1
// CHECK:           %[[BYTE:.*]] = arith.extui %[[NEW]] : i1 to i8
// CHECK:           linalg.yield %[[BYTE]] : i8
func.func @body(%x: memref<8xf32>, %m: memref<8xi1>) {
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%m : memref<8xi1>) {
  ^bb0(%a: f32, %b: i1):
    %0 = arith.cmpf ogt, %a, %zero : f32
    %1 = arith.select %0, %b, %false : i1
    linalg.yield %1 : i1
  }
  return
}

// An accumulator is combined as a byte.
// CHECK-LABEL: func.func @any(
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[B:.*]]: i8):
// CHECK-NEXT:      %[[IS:.*]] = arith.cmpf
// CHECK-NEXT:      %[[BYTE:.*]] = arith.extui %[[IS]] : i1 to i8
// CHECK-NEXT:      %[[OR:.*]] = arith.ori %[[BYTE]], %[[B]] : i8
// CHECK-NEXT:      linalg.yield %[[OR]] : i8
func.func @any(%x: memref<8xf32>, %m: memref<8xi1>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%m : memref<8xi1>) {
  ^bb0(%a: f32, %b: i1):
    %0 = arith.cmpf ogt, %a, %zero : f32
    %1 = arith.ori %0, %b : i1
    linalg.yield %1 : i1
  }
  return
}

// A small integer keeps its sign.
// CHECK-LABEL: func.func @scalar
// CHECK-SAME:    %[[M:.*]]: memref<2x8xi8>, %[[I:.*]]: index
// CHECK:         %[[V:.*]] = memref.subview %[[M]]{{.*}} : memref<2x8xi8>
// CHECK:         %[[BYTE:.*]] = memref.load %[[V]]
// CHECK:         %[[X:.*]] = arith.trunci %[[BYTE]] : i8 to i4
// CHECK:         %[[Y:.*]] = arith.addi %[[X]], %[[X]] : i4
// CHECK:         %[[W:.*]] = arith.extsi %[[Y]] : i4 to i8
// CHECK:         memref.store %[[W]], %[[V]]
func.func @scalar(%m: memref<2x8xi4>, %i: index) {
  %v = memref.subview %m[1, 0] [1, 8] [1, 1] : memref<2x8xi4> to memref<8xi4, strided<[1], offset: 8>>
  %x = memref.load %v[%i] : memref<8xi4, strided<[1], offset: 8>>
  %y = arith.addi %x, %x : i4
  memref.store %y, %v[%i] : memref<8xi4, strided<[1], offset: 8>>
  return
}

// Named ops, and buffers that come out of control flow.
// CHECK-LABEL: func.func @flow
// CHECK-NOT:     xi1>
// CHECK:         memref.get_global @mask : memref<4xi8>
// CHECK:         scf.if %{{.*}} -> (memref<4xi8>)
// CHECK-NOT:     xi1>
// CHECK:         return
func.func @flow(%c: i1, %a: memref<4xi1>, %o: memref<4xi1>) {
  %g = memref.get_global @mask : memref<4xi1>
  %p = memref.alloc() : memref<4xi1>
  linalg.fill ins(%c : i1) outs(%p : memref<4xi1>)
  %r = scf.if %c -> memref<4xi1> {
    scf.yield %g : memref<4xi1>
  } else {
    memref.copy %a, %p : memref<4xi1> to memref<4xi1>
    scf.yield %p : memref<4xi1>
  }
  memref.copy %r, %o : memref<4xi1> to memref<4xi1>
  return
}

// A float of four bits keeps them.
// CHECK-LABEL: func.func @float4
// CHECK:         %[[BYTE:.*]] = memref.load %{{.*}} : memref<8xi8>
// CHECK:         %[[BITS:.*]] = arith.trunci %[[BYTE]] : i8 to i4
// CHECK:         arith.bitcast %[[BITS]] : i4 to f4E2M1FN
// CHECK:         %[[NEW:.*]] = arith.bitcast %{{.*}} : f4E2M1FN to i4
// CHECK:         arith.extsi %[[NEW]] : i4 to i8
func.func @float4(%m: memref<8xf4E2M1FN>, %i: index, %j: index) {
  %x = memref.load %m[%i] : memref<8xf4E2M1FN>
  memref.store %x, %m[%j] : memref<8xf4E2M1FN>
  return
}

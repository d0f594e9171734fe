// RUN: gridir-opt %s --loops-to-cpu | FileCheck %s

// CHECK-LABEL: module
// CHECK-SAME:    gridir.arena_bytes
// CHECK:       llvm.func @double(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64,
// CHECK-SAME:                    %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK:         llvm.fadd
// CHECK:       llvm.func @double.range(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i64
module attributes {gridir.kernel = "double"} {
  func.func @double(%x: memref<64x128xf32>, %o: memref<64x128xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %lo to %hi step %c1 {
      %row = arith.muli %i, %c8 : index
      %xs = memref.subview %x[%row, 0] [8, 128] [1, 1] : memref<64x128xf32> to memref<8x128xf32, strided<[128, 1], offset: ?>>
      %os = memref.subview %o[%row, 0] [8, 128] [1, 1] : memref<64x128xf32> to memref<8x128xf32, strided<[128, 1], offset: ?>>
      %v = bufferization.to_tensor %xs restrict : memref<8x128xf32, strided<[128, 1], offset: ?>> to tensor<8x128xf32>
      %s = arith.addf %v, %v : tensor<8x128xf32>
      bufferization.materialize_in_destination %s in restrict writable %os : (tensor<8x128xf32>, memref<8x128xf32, strided<[128, 1], offset: ?>>) -> ()
    }
    return
  }
  func.func @double.range(%x: memref<64x128xf32>, %o: memref<64x128xf32>) -> index {
    %c8 = arith.constant 8 : index
    return %c8 : index
  }
}

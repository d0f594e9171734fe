// RUN: gridir-opt %s --loops-to-cpu="vector-bytes=64 vector-registers=32 dot-products=tdpbf16ps" --split-input-file | FileCheck %s

// CHECK-LABEL: kernel.abi @double arena_bytes = 0
// CHECK:       llvm.func @double(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64,
// CHECK-SAME:                    %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK:         llvm.fadd
// CHECK:       llvm.func @double.range(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i64
module {
  kernel.abi @double
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

// -----

// A loop carries tiles as values, for which LLVM finds registers.
// CHECK-LABEL: llvm.func @tiles(
// CHECK:         llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
// CHECK:         llvm.br ^[[LOOP:bb[0-9]+]](%{{.*}} : i64, !llvm.x86_amx)
// CHECK:       ^[[LOOP]](%{{.*}}: i64, %[[SUM:.*]]: !llvm.x86_amx):
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"(%{{.*}}, %{{.*}}, %{{.*}}, %[[SUM]], %{{.*}}, %{{.*}}) : {{.*}} -> !llvm.x86_amx
// CHECK:         llvm.br ^[[LOOP]]
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64.internal"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SUM]])
module {
  kernel.abi @tiles
  func.func @tiles(%a: memref<16x256xbf16>, %b: memref<256x16xbf16>, %c: memref<16x16xf32>, %status: memref<4xi64>, %lo: index, %hi: index) {
    %x = bufferization.to_tensor %a restrict : memref<16x256xbf16> to tensor<16x256xbf16>
    %y = bufferization.to_tensor %b restrict : memref<256x16xbf16> to tensor<256x16xbf16>
    %z = bufferization.to_tensor %c restrict writable : memref<16x16xf32> to tensor<16x16xf32>
    %s = linalg.matmul ins(%x, %y : tensor<16x256xbf16>, tensor<256x16xbf16>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
    bufferization.materialize_in_destination %s in restrict writable %c : (tensor<16x16xf32>, memref<16x16xf32>) -> ()
    return
  }
  func.func @tiles.range(%a: memref<16x256xbf16>, %b: memref<256x16xbf16>, %c: memref<16x16xf32>) -> index {
    %c1 = arith.constant 1 : index
    return %c1 : index
  }
}

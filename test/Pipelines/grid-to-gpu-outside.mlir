// RUN: gridir-opt %s --grid-to-gpu="stop-after=loops" | FileCheck %s

// A block that nothing reads is not tested. One that lies before its array at a known position has no view of a known
// offset, which would be negative.
// CHECK-LABEL: func.func @before
// CHECK:         memref.subview %{{.*}}[%{{.*}}, %{{.*}}] [8, 128] [1, 1] : memref<32x128xf32> to memref<8x128xf32, strided<[128, 1], offset: ?>>
grid.kernel @before grid(%i = 4) inputs(%x: f32 [32, 128] block [slice(8), 128] at (%i * 8, 8, -128))
    outputs(%o: f32 [512] block [128] at (%i)) {
}

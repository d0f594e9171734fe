// RUN: gridir-opt %s --grid-plan-memory='target=tpu capacity=tpu.vmem:1000000' --split-input-file | FileCheck %s
// RUN: gridir-opt %s --grid-plan-memory='target=cpu' --split-input-file | FileCheck %s --check-prefix=CPU
// RUN: gridir-opt %s --grid-plan-memory='target=tpu' --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: gridir-opt %s --grid-plan-memory='target=tpu' --split-input-file -o /dev/null 2>&1 \
// RUN:   --remarks-filter=grid-plan-memory --remark-format=emitRemark | FileCheck %s --check-prefix=REMARK

// REMARK: [Analysis] memory | Category:grid-plan-memory | Remark="matmul holds 360960 bytes of tpu.vmem"

// STATS: GridPlanMemoryPass
// STATS: (S) 8 num-buffers
// STATS: (S) 360960 num-bytes
// STATS: (S) 239 num-revisits

// Blocks that change are held twice, one that never does once. %o stays for all steps of %k.
// CHECK-LABEL: grid.kernel @matmul
// CHECK-SAME: grid(%i = 4, %j = 4, %k = 8)
// CHECK: grid.memory_plan = #grid.memory_plan<"tpu" operands[
// CHECK-SAME: <name = "x_ref", space = "tpu.vmem", block_bytes = 32768, buffers = 2, fetches = 128>
// CHECK-SAME: <name = "y_ref", space = "tpu.vmem", block_bytes = 32768, buffers = 3, fetches = 128>
// CHECK-SAME: <name = "bias_ref", space = "tpu.vmem", block_bytes = 512, buffers = 1, fetches = 1>
// CHECK-SAME: <name = "o_ref", space = "tpu.vmem", block_bytes = 65536, buffers = 2, fetches = 16>
// CHECK-SAME: spaces[<"tpu.vmem", 360960>]
// On a CPU blocks are used where they lie; only scratch is held.
// CPU-LABEL: grid.kernel @matmul
// CPU: grid.memory_plan = #grid.memory_plan<"cpu" operands[<name = "x_ref", space = "default", block_bytes = 32768, buffers = 0
// CPU: spaces[<"tpu.vmem", 65536>]
grid.kernel @matmul grid(%i = 4, %j = 4, %k = 8)
    inputs(%x: bf16 [512, 1024] block [128, 128] at (%i, %k) origin "x_ref",
           %y: bf16 [1024, 512] block [128, 128] at (%k, %j) pipeline <3> origin "y_ref",
           %bias: f32 [128] origin "bias_ref")
    outputs(%o: f32 [512, 512] block [128, 128] at (%i, %j) origin "o_ref")
    scratch(%acc: memref<128x128xf32, #tpu.memory_space<vmem>>) {
}

// -----

// Two blocks are read ahead and three are written late: the block in use is one of either.
// CHECK-LABEL: grid.kernel @write_buffers
// CHECK: <name = "o_ref", space = "tpu.vmem", block_bytes = 4096, buffers = 4
grid.kernel @write_buffers grid(%i = 4)
    outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0) pipeline <2, write_buffers = 3> origin "o_ref") {
}

// -----

// Buffers that are alive at the same time add up: scratch, and nested scopes.
// CHECK-LABEL: grid.kernel @scopes
// CHECK: spaces[<"tpu.smem", 8>, <"tpu.vmem", 1536>]
// CPU-LABEL: grid.kernel @scopes
// CPU: spaces[<"default", 384>, <"tpu.smem", 8>, <"tpu.vmem", 64>]
grid.kernel @scopes grid() scratch(%s: memref<16xf32, #tpu.memory_space<vmem>>,
                                   %n: memref<2x!grid.semaphore<dma>, #tpu.memory_space<smem>>) {
  grid.scoped (%a: memref<64xf32>) {
    grid.scoped (%b: memref<32xi8>) {
    }
    grid.scoped (%c: memref<32xf32>) {
    }
  }
  grid.scoped (%d: memref<64xbf16>) {
  }
}

// -----

// VMEM holds whole tiles, of 8 rows and 128 lanes of 32 bits; bools take as much as those. Narrow elements lie deeper.
// An array of few rows has lower tiles, of a power of two of them.
// CHECK-LABEL: grid.kernel @tiles
// CHECK: <name = "a_ref", space = "tpu.vmem", block_bytes = 8192, buffers = 1
// CHECK-SAME: <name = "b_ref", space = "tpu.vmem", block_bytes = 2048, buffers = 1
// CHECK-SAME: <name = "c_ref", space = "tpu.vmem", block_bytes = 4096, buffers = 1
// CHECK-SAME: <name = "d_ref", space = "tpu.vmem", block_bytes = 2048, buffers = 1
// CHECK-SAME: <name = "e_ref", space = "tpu.vmem", block_bytes = 4096, buffers = 1
// CHECK-SAME: <name = "f_ref", space = "tpu.vmem", block_bytes = 1024, buffers = 1
// CHECK-SAME: <name = "g_ref", space = "tpu.vmem", block_bytes = 1024, buffers = 1
// CHECK-SAME: <name = "h_ref", space = "tpu.vmem", block_bytes = 2048, buffers = 1
grid.kernel @tiles grid()
    inputs(%a: f32 [9, 100] origin "a_ref", %b: i1 [4, 128] origin "b_ref", %c: i8 [32, 10] origin "c_ref",
           %d: bf16 [7, 128] origin "d_ref", %e: f32 [600] origin "e_ref",
           %f: f32 [1, 256] origin "f_ref", %g: bf16 [1, 256] origin "g_ref", %h: f32 [3, 128] origin "h_ref") {
}

// -----

// Arrays that the kernel copies from itself, and prefetched scalars.
// CHECK-LABEL: grid.kernel @spaces
// CHECK: <name = "rows_ref", space = "tpu.smem", block_bytes = 32, buffers = 1, fetches = 1>
// CHECK-SAME: <name = "x_ref", space = "any", block_bytes = 4096, buffers = 0, fetches = 1>
// CHECK: spaces[<"tpu.smem", 32>]
grid.kernel @spaces grid(%i = 4) index(%rows: i32 [8] origin "rows_ref")
    inputs(%x: f32 [1024] space any origin "x_ref") {
}

// -----

// A block that overhangs is held on a CPU too. Of a dynamic grid the fetches are not known.
// CPU-LABEL: grid.kernel @overhang
// CPU: <name = "x_ref", space = "default", block_bytes = 512, buffers = 1, fetches = 8>
// CPU: spaces[<"default", 512>]
grid.kernel @overhang grid(%i = 8) inputs(%x: f32 [1000] block [128] at (%i) origin "x_ref") {
}
// CHECK-LABEL: grid.kernel @dynamic
// CHECK: <name = "x_ref", space = "tpu.vmem", block_bytes = 512, buffers = 2>
grid.kernel @dynamic grid(%i = ?) inputs(%x: f32 [1024] block [128] at (%i) origin "x_ref") {
}

// -----

// Two parameters of one name are two entries. On a CPU bools are bytes and narrow integers are packed,
// the last ones into a byte that is not full.
// CHECK-LABEL: grid.kernel @names
// CHECK: operands[<name = "x_ref", space = "tpu.vmem", block_bytes = 512
// CHECK-SAME: <name = "x_ref", space = "tpu.vmem", block_bytes = 512
// CPU-LABEL: grid.kernel @names
// CPU: operands[<name = "x_ref", space = "default", block_bytes = 16
// CPU-SAME: <name = "x_ref", space = "default", block_bytes = 8
grid.kernel @names grid() inputs(%x: i1 [16] origin "x_ref", %y: i4 [15] origin "x_ref") {
}

// -----

// A tile of 8 rows of two bits would be less than a word: it has 16.
// CHECK-LABEL: grid.kernel @quarters
// CHECK: operands[<name = "x_ref", space = "tpu.vmem", block_bytes = 4096
// CHECK-SAME: <name = "y_ref", space = "tpu.vmem", block_bytes = 1024
grid.kernel @quarters grid() inputs(%x: i2 [64, 256] origin "x_ref", %y: i2 [24, 128] origin "y_ref") {
}

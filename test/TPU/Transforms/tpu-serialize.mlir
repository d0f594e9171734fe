// RUN: gridir-opt %s --tpu-serialize --mlir-print-op-generic | FileCheck %s
// RUN: gridir-opt %s --tpu-serialize=version=14 --mlir-print-op-generic | FileCheck %s --check-prefix=NEW
// RUN: gridir-opt %s --tpu-serialize=version=11 -o /dev/null
// RUN: gridir-opt %s --tpu-serialize=version=15 -o /dev/null
// RUN: not gridir-opt %s --tpu-serialize=version=10 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not gridir-opt %s --tpu-serialize=version=16 2>&1 | FileCheck %s --check-prefix=LATER

// OLD: error: expected a version from 11 to 15, got 10
// LATER: error: expected a version from 11 to 15, got 16

// The module itself keeps its name, loses what is not Mosaic's, and names the version.
// CHECK: "builtin.module"() ({
module attributes {gridir.cost = "dropped"} {
  // Properties stand beside other attributes, and defaults are spelled out.
  // CHECK: "stable_mosaic.func.func"() ({
  // CHECK: "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
  // CHECK: "stable_mosaic.vector.load"
  // CHECK: "stable_mosaic.arith.addf"({{.*}}) {fastmath = #arith.fastmath<none>} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xf32>
  // CHECK: "stable_mosaic.tpu.vector_store"({{.*}}) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>}
  // CHECK: "stable_mosaic.scf.if"({{.*}}) ({
  func.func @kernel(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %any: memref<8x128xf32, #tpu.memory_space<any>>,
                    %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %c: i1)
      attributes {dimension_semantics = [], tpu.core_type = #tpu.core_type<tc>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %w = arith.addf %v, %v : vector<8x128xf32>
    tpu.vector_store %x[%c0, %c0], %w {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
    scf.if %c {
      // Copies name a subcore from version 14 on.
      // CHECK: "stable_mosaic.tpu.enqueue_dma"({{.*}}operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0>
      // NEW: "stable_mosaic.tpu.enqueue_dma"({{.*}}operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>
      tpu.enqueue_dma source(%any : memref<8x128xf32, #tpu.memory_space<any>>) target(%x : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    }
    return
  }
}
// CHECK: "stable_mosaic.scf.yield"() : () -> ()
// CHECK: "stable_mosaic.func.return"() : () -> ()
// CHECK: {{.*}}function_type = {{.*}}sym_name = "kernel", tpu.core_type = #tpu.core_type<tc>}
// CHECK: }) {stable_mosaic.version = 13 : i64} : () -> ()
// NEW: }) {stable_mosaic.version = 14 : i64} : () -> ()

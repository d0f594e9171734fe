// RUN: gridir-opt %s --tpu-elide-checks --split-input-file | FileCheck %s
// RUN: gridir-opt %s --tpu-elide-checks --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: gridir-opt %s --tpu-elide-checks --split-input-file --remarks-filter=tpu-elide-checks --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// STATISTICS: (S) 2 num-elided
// STATISTICS: (S) 0 num-kept
// STATISTICS: (S) 0 num-elided
// STATISTICS: (S) 2 num-kept

// Each window overlaps its array, the copy takes a slice that lies inside, and is waited for.

// CHECK: module attributes {{{.*}}gridir.run_time_checks = {bounds, semaphore}}
// CHECK-LABEL: func.func @copies(
// REMARK: the bounds checks are switched off: nothing can fail them
// REMARK: the semaphore checks are switched off: nothing can fail them
module attributes {gridir.operands = {inputs = [#grid.operand<f32 [32, 128] space any>], outputs = [#grid.operand<f32 [32, 128]>]}} {
  func.func @copies(%i: i32, %x: memref<32x128xf32, #tpu.memory_space<any>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>,
                    %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 0 : i64, scratch_operands = 1 : i64,
      window_params = [{}, {transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    %c8_i32 = arith.constant 8 : i32
    %c0_i32 = arith.constant 0 : i32
    %row = arith.muli %i, %c8_i32 : i32
    %slice = tpu.memref_slice %x[%row, %c0_i32] : memref<32x128xf32, #tpu.memory_space<any>> -> memref<8x128xf32, #tpu.memory_space<any>>
    tpu.enqueue_dma source(%slice : memref<8x128xf32, #tpu.memory_space<any>>) target(%o : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    tpu.wait_dma2 semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%slice : memref<8x128xf32, #tpu.memory_space<any>>) dst(%o : memref<8x128xf32, #tpu.memory_space<vmem>>)
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %i, %c0_i32 : i32, i32
  }
}

// -----

// The last program's slice leaves the array, and nobody waits for its copy.

// CHECK: module attributes {{{.*}}gridir.run_time_checks = {bounds = "inputs[0]: program (3) slices beyond dimension 0, which has 32 elements", semaphore = "{{.*}}"}}
// CHECK-LABEL: func.func @beyond(
// REMARK: the bounds checks stay: inputs[0]: program (3) slices beyond dimension 0, which has 32 elements
// REMARK: the semaphore checks stay: scratch[0]:
module attributes {gridir.operands = {inputs = [#grid.operand<f32 [32, 128] space any>], outputs = [#grid.operand<f32 [32, 128]>]}} {
  func.func @beyond(%i: i32, %x: memref<32x128xf32, #tpu.memory_space<any>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>,
                    %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 0 : i64, scratch_operands = 1 : i64,
      window_params = [{}, {transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    %c9_i32 = arith.constant 9 : i32
    %c0_i32 = arith.constant 0 : i32
    %row = arith.muli %i, %c9_i32 : i32
    %slice = tpu.memref_slice %x[%row, %c0_i32] : memref<32x128xf32, #tpu.memory_space<any>> -> memref<8x128xf32, #tpu.memory_space<any>>
    tpu.enqueue_dma source(%slice : memref<8x128xf32, #tpu.memory_space<any>>) target(%o : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %i, %c0_i32 : i32, i32
  }
}

// -----

// Where a window lies is data, or outside of the array.

// CHECK: module attributes {{{.*}}gridir.run_time_checks = {bounds = "inputs[0]: blocks may lie outside of dimension 0", semaphore}}
// CHECK-LABEL: func.func @data(
module attributes {gridir.operands = {index = [#grid.operand<i32 [4] space tpu.smem>], inputs = [#grid.operand<f32 [32, 128]>], outputs = []}} {
  func.func @data(%i: i32, %rows: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 1 : i64, scratch_operands = 0 : i64,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @t(%i: i32, %rows: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    %at = arith.index_cast %i : i32 to index
    %row = memref.load %rows[%at] : memref<4xi32, #tpu.memory_space<smem>>
    return %row, %c0_i32 : i32, i32
  }
}

// -----

// In as many bits as it needs the quotient is 0, 4, 8 and 12; a TPU has 32 of them, where 2 << 30 is negative.

// CHECK: module attributes {{{.*}}gridir.run_time_checks = {bounds = "arithmetic on indices may wrap around", semaphore}}
// CHECK-LABEL: func.func @wraps(
module attributes {gridir.operands = {inputs = [#grid.operand<f32 [104, 128]>], outputs = []}} {
  func.func @wraps(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    %large = arith.constant 1073741824 : i32
    %less = arith.constant 268435456 : i32
    %product = arith.muli %i, %large : i32
    %quotient = arith.divsi %product, %less : i32
    return %quotient, %c0_i32 : i32, i32
  }
}

// -----

// What the index map reads may lie outside of its Ref, though the block does not.

// CHECK: module attributes {{{.*}}gridir.run_time_checks = {bounds = "an index map may read beyond a Ref", semaphore}}
// CHECK-LABEL: func.func @reads(
module attributes {gridir.operands = {index = [#grid.operand<i32 [4] space tpu.smem>], inputs = [#grid.operand<f32 [32, 128]>], outputs = []}} {
  func.func @reads(%i: i32, %rows: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 5>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 1 : i64, scratch_operands = 0 : i64,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @t(%i: i32, %rows: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    %c3_i32 = arith.constant 3 : i32
    %at = arith.index_cast %i : i32 to index
    %row = memref.load %rows[%at] : memref<4xi32, #tpu.memory_space<smem>>
    %most = arith.minsi %row, %c3_i32 : i32
    %least = arith.maxsi %most, %c0_i32 : i32
    return %least, %c0_i32 : i32, i32
  }
}

// -----

// A module that cannot be read back proves nothing; so does a semaphore of somebody else.

// CHECK: module attributes {gridir.run_time_checks = {bounds = "{{.*}}gridir.operands, the arrays of the call", semaphore = "{{.*}}gridir.operands, the arrays of the call"}}
// CHECK-LABEL: func.func @alone(
module {
  func.func @alone(%i: i32) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, window_params = []} {
    return
  }
}

// -----

// CHECK: module attributes {{{.*}}gridir.run_time_checks = {bounds, semaphore = "the kernel is given a semaphore"}}
// CHECK-LABEL: func.func @given(
module attributes {gridir.operands = {inputs = [#grid.operand<!grid.semaphore<dma> [] space tpu.semaphore_mem>], outputs = []}} {
  func.func @given(%sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    return
  }
}

// -----

// What is no kernel has no checks.

// CHECK: module {
// CHECK-NEXT: func.func @other()
module {
  func.func @other() {
    return
  }
}

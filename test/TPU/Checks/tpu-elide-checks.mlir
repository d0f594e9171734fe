// RUN: gridir-opt %s --tpu-elide-checks --split-input-file | FileCheck %s
// RUN: gridir-opt %s --tpu-elide-checks --split-input-file --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: gridir-opt %s --tpu-elide-checks --split-input-file --remarks-filter=tpu-elide-checks --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// STATISTICS: (S) 2 num-elided
// STATISTICS: (S) 0 num-kept
// STATISTICS: (S) 0 num-replaced
// STATISTICS: (S) 0 num-elided
// STATISTICS: (S) 1 num-kept
// STATISTICS: (S) 1 num-replaced

// Each window overlaps its array, the copy takes a slice that lies inside, and is waited for.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds, semaphore}}
// CHECK-LABEL: func.func @copies(
// REMARK: the semaphore checks are disabled: they cannot fail
// REMARK: the bounds checks are disabled: they cannot fail
module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128] space any>], outputs = [#grid.operand<f32 [32, 128]>]}} {
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

// The last program's slice exceeds the array, which the kernel asserts before it, and there is no wait for its copy.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = ["inputs[0]: an index is outside of dimension 0, which has 32 elements"], semaphore = "{{.*}}"}}
// CHECK-LABEL: func.func @beyond(
// CHECK: %[[ROW:.*]] = arith.muli
// CHECK: %[[LAST:.*]] = arith.constant 24 : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[ROW]], %[[LAST]] : i32
// CHECK-NEXT: cf.assert %[[INSIDE]], "inputs[0]: an index is outside of dimension 0, which has 32 elements"
// CHECK-NEXT: tpu.memref_slice %{{.*}}[%[[ROW]],
// REMARK: the semaphore checks stay: scratch[0]:
// REMARK: the bounds checks are disabled: the kernel asserts the unproved conditions, at 1 places
module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128] space any>], outputs = [#grid.operand<f32 [32, 128]>]}} {
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

// Where a window lies is data. Its transform, which runs before the program does, stays in bounds, and the program asserts
// that nothing had to be changed.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = ["inputs[0]: the block lies outside of dimension 0, which has 32 elements"], semaphore}}
// CHECK-LABEL: func.func @data(
// CHECK: %[[ROW:.*]] = memref.load
// CHECK: %[[LAST:.*]] = arith.constant 3 : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[ROW]], %[[LAST]] : i32
// CHECK-NEXT: cf.assert %[[INSIDE]]
// CHECK-LABEL: func.func @t(
// CHECK: %[[ROW:.*]] = memref.load
// CHECK: %[[LAST:.*]] = arith.constant 3 : i32
// CHECK: %[[CLAMPED:.*]] = arith.minui %[[ROW]], %[[LAST]] : i32
// CHECK: return %[[CLAMPED]],
module attributes {grid.operands = {index = [#grid.operand<i32 [4] space #tpu.memory_space<smem>>], inputs = [#grid.operand<f32 [32, 128]>], outputs = []}} {
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

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = ["inputs[0]: the block lies outside of dimension 0, which has 104 elements"], semaphore}}
// CHECK-LABEL: func.func @wraps(
// CHECK: cf.assert
module attributes {grid.operands = {inputs = [#grid.operand<f32 [104, 128]>], outputs = []}} {
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

// The index map may read outside of its Ref, though the block is inside.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = ["index[0]: an index is outside of dimension 0, which has 4 elements"], semaphore}}
// CHECK-LABEL: func.func @reads(
// CHECK: %[[LAST:.*]] = arith.constant 3 : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %{{.*}}, %[[LAST]] : i32
// CHECK-NEXT: cf.assert %[[INSIDE]]
module attributes {grid.operands = {index = [#grid.operand<i32 [4] space #tpu.memory_space<smem>>], inputs = [#grid.operand<f32 [32, 128]>], outputs = []}} {
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

// Two loads that differ by a constant are one assertion, before the vectors of their block. What is computed at the same
// index again needs none, nor does a sum that wraps around and is no index.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = ["index[0]: an index is outside of dimension 0, which has 8 elements"], semaphore}}
// CHECK-LABEL: func.func @several(
// CHECK: %[[AT:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<1xi32
// CHECK: %[[LAST:.*]] = arith.constant 6 : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[AT]], %[[LAST]] : i32
// CHECK-NEXT: cf.assert %[[INSIDE]]
// CHECK: vector.load
// CHECK-NOT: cf.assert
// CHECK-LABEL: func.func @t(
module attributes {grid.operands = {index = [#grid.operand<i32 [8] space #tpu.memory_space<smem>>, #grid.operand<i32 [1] space #tpu.memory_space<smem>>], inputs = [#grid.operand<f32 [32, 128]>], outputs = [#grid.operand<f32 [32, 128]>]}} {
  func.func @several(%i: i32, %rows: memref<8xi32, #tpu.memory_space<smem>>, %first: memref<1xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 2 : i64, scratch_operands = 0 : i64,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}, {transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    %c1_i32 = arith.constant 1 : i32
    %block = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %start = memref.load %first[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    %at = arith.index_cast %start : i32 to index
    %a = memref.load %rows[%at] : memref<8xi32, #tpu.memory_space<smem>>
    %next = arith.addi %start, %c1_i32 : i32
    %after = arith.index_cast %next : i32 to index
    %b = memref.load %rows[%after] : memref<8xi32, #tpu.memory_space<smem>>
    %again = memref.load %first[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    %same = arith.index_cast %again : i32 to index
    %c = memref.load %rows[%same] : memref<8xi32, #tpu.memory_space<smem>>
    %sum = arith.addi %a, %b : i32
    %total = arith.addi %sum, %c : i32
    %number = arith.sitofp %total : i32 to f32
    %all = vector.broadcast %number : f32 to vector<8x128xf32>
    %result = arith.addf %block, %all : vector<8x128xf32>
    vector.store %result, %o[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    return
  }
  func.func @t(%i: i32, %rows: memref<8xi32, #tpu.memory_space<smem>>, %first: memref<1xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %i, %c0_i32 : i32, i32
  }
}

// -----

// Indices that are known at one place share one assertion: one comparison for those with the same bound, of the largest
// of them. A value read at a data-dependent index is known only after the assertion of that index.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = ["index[0]: an index is outside of dimension 0, which has 8 elements", "inputs[0]: an index is outside of dimension 0, which has 16 elements, or inputs[1]: an index is outside of dimension 0, which has 8 elements"],
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: %{{.*}}: i32, %[[ROWS:[^:]*]]: memref<8xi32
// CHECK-SAME: %[[FIRST:[^:]*]]: memref<1xi32
// CHECK: %[[START:.*]] = memref.load %[[FIRST]]
// CHECK: %[[IS_ROW:.*]] = arith.cmpi ule, %[[START]], %{{.*}} : i32
// CHECK-NEXT: cf.assert %[[IS_ROW]], "index[0]
// CHECK: %[[A:.*]] = memref.load %[[ROWS]]
// CHECK: %[[B:.*]] = memref.load %[[ROWS]]
// CHECK: %[[C:.*]] = memref.load %[[ROWS]]
// CHECK: %[[LAST:.*]] = arith.constant 15 : i32
// CHECK: %[[LARGER:.*]] = arith.maxui %[[A]], %[[B]] : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[LARGER]], %[[LAST]] : i32
// CHECK: %[[OF_Y:.*]] = arith.cmpi ule, %[[C]], %{{.*}} : i32
// CHECK: %[[BOTH:.*]] = arith.andi %[[INSIDE]], %[[OF_Y]] : i1
// CHECK-NEXT: cf.assert %[[BOTH]], "inputs[0]
// CHECK: tpu.memref_slice
// CHECK-NOT: cf.assert
// CHECK-LABEL: func.func @t(
module attributes {grid.operands = {index = [#grid.operand<i32 [8] space #tpu.memory_space<smem>>, #grid.operand<i32 [1] space #tpu.memory_space<smem>>], inputs = [#grid.operand<f32 [16, 8, 128] space any>, #grid.operand<f32 [8, 8, 128] space any>], outputs = [#grid.operand<f32 [32, 128]>]}} {
  func.func @joined(%i: i32, %rows: memref<8xi32, #tpu.memory_space<smem>>, %first: memref<1xi32, #tpu.memory_space<smem>>, %x: memref<16x8x128xf32, #tpu.memory_space<any>>, %y: memref<8x8x128xf32, #tpu.memory_space<any>>, %o: memref<8x128xf32, #tpu.memory_space<vmem>>,
                    %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 2 : i64, scratch_operands = 1 : i64,
      window_params = [{}, {}, {transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %start = memref.load %first[%c0] : memref<1xi32, #tpu.memory_space<smem>>
    %at = arith.index_cast %start : i32 to index
    %a = memref.load %rows[%at] : memref<8xi32, #tpu.memory_space<smem>>
    %next = arith.addi %start, %c1_i32 : i32
    %after = arith.index_cast %next : i32 to index
    %b = memref.load %rows[%after] : memref<8xi32, #tpu.memory_space<smem>>
    %second = arith.addi %start, %c2_i32 : i32
    %last = arith.index_cast %second : i32 to index
    %c = memref.load %rows[%last] : memref<8xi32, #tpu.memory_space<smem>>
    %of_a = tpu.memref_slice %x[%a, %c0_i32, %c0_i32] : memref<16x8x128xf32, #tpu.memory_space<any>> -> memref<1x8x128xf32, #tpu.memory_space<any>>
    %row_a = tpu.memref_squeeze %of_a : memref<1x8x128xf32, #tpu.memory_space<any>> -> memref<8x128xf32, #tpu.memory_space<any>>
    tpu.enqueue_dma source(%row_a : memref<8x128xf32, #tpu.memory_space<any>>) target(%o : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    tpu.wait_dma2 semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%row_a : memref<8x128xf32, #tpu.memory_space<any>>) dst(%o : memref<8x128xf32, #tpu.memory_space<vmem>>)
    %of_b = tpu.memref_slice %x[%b, %c0_i32, %c0_i32] : memref<16x8x128xf32, #tpu.memory_space<any>> -> memref<1x8x128xf32, #tpu.memory_space<any>>
    %row_b = tpu.memref_squeeze %of_b : memref<1x8x128xf32, #tpu.memory_space<any>> -> memref<8x128xf32, #tpu.memory_space<any>>
    tpu.enqueue_dma source(%row_b : memref<8x128xf32, #tpu.memory_space<any>>) target(%o : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    tpu.wait_dma2 semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%row_b : memref<8x128xf32, #tpu.memory_space<any>>) dst(%o : memref<8x128xf32, #tpu.memory_space<vmem>>)
    %of_y = tpu.memref_slice %y[%c, %c0_i32, %c0_i32] : memref<8x8x128xf32, #tpu.memory_space<any>> -> memref<1x8x128xf32, #tpu.memory_space<any>>
    %row_y = tpu.memref_squeeze %of_y : memref<1x8x128xf32, #tpu.memory_space<any>> -> memref<8x128xf32, #tpu.memory_space<any>>
    tpu.enqueue_dma source(%row_y : memref<8x128xf32, #tpu.memory_space<any>>) target(%o : memref<8x128xf32, #tpu.memory_space<vmem>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    tpu.wait_dma2 semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%row_y : memref<8x128xf32, #tpu.memory_space<any>>) dst(%o : memref<8x128xf32, #tpu.memory_space<vmem>>)
    return
  }
  func.func @t(%i: i32, %rows: memref<8xi32, #tpu.memory_space<smem>>, %first: memref<1xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %i, %c0_i32 : i32, i32
  }
}

// -----

// Mosaic checks copies, and there are none: an assertion would cost more than its checks.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = "inputs[0]: a slice may exceed dimension 0, which has 8 elements", semaphore}}
// CHECK-LABEL: func.func @cheaper(
// CHECK-NOT: cf.assert
module attributes {grid.operands = {index = [], inputs = [#grid.operand<i32 [8] space #tpu.memory_space<smem>>], outputs = [#grid.operand<i32 [8] space #tpu.memory_space<smem>>]}} {
  func.func @cheaper(%rows: memref<8xi32, #tpu.memory_space<smem>>, %o: memref<8xi32, #tpu.memory_space<smem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %row = memref.load %rows[%c0] : memref<8xi32, #tpu.memory_space<smem>>
    %at = arith.index_cast %row : i32 to index
    %number = memref.load %rows[%at] : memref<8xi32, #tpu.memory_space<smem>>
    memref.store %number, %o[%c0] : memref<8xi32, #tpu.memory_space<smem>>
    return
  }
}

// -----

// A clamp would hide from Mosaic that the index of an element is a multiple of 8, so that its checks stay; and what the
// author has switched off is not asked about.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = "inputs[0]: blocks may lie outside of dimension 0", semaphore = false}}
// CHECK-LABEL: func.func @elements(
// CHECK-NOT: cf.assert
// CHECK-NOT: arith.minui
module attributes {grid.run_time_checks = {semaphore = false}, grid.operands = {index = [#grid.operand<i32 [4] space #tpu.memory_space<smem>>], inputs = [#grid.operand<f32 [32, 128]>], outputs = []}} {
  func.func @elements(%i: i32, %rows: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 1 : i64, scratch_operands = 0 : i64,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>, window_kind = #tpu.element_window<[0, 0], [0, 0]>}]} {
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

// The same where what it is computed by may wrap around.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = "arithmetic on indices may wrap around", semaphore}}
// CHECK-LABEL: func.func @wrapping_elements(
// CHECK-NOT: cf.assert
module attributes {grid.operands = {inputs = [#grid.operand<f32 [104, 128]>], outputs = []}} {
  func.func @wrapping_elements(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>, window_kind = #tpu.element_window<[0, 0], [0, 0]>}]} {
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    %large = arith.constant 1073741824 : i32
    %less = arith.constant 134217728 : i32
    %product = arith.muli %i, %large : i32
    %quotient = arith.divsi %product, %less : i32
    return %quotient, %c0_i32 : i32, i32
  }
}

// -----

// Reads in a conditional region of a transform are not asserted.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = "an index map may read beyond a Ref", semaphore}}
// CHECK-LABEL: func.func @reads_sometimes(
// CHECK-NOT: cf.assert
module attributes {grid.operands = {index = [#grid.operand<i32 [4] space #tpu.memory_space<smem>>], inputs = [#grid.operand<f32 [32, 128]>], outputs = []}} {
  func.func @reads_sometimes(%i: i32, %rows: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 5>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 1 : i64, scratch_operands = 0 : i64,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @t(%i: i32, %rows: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    %c3_i32 = arith.constant 3 : i32
    %isLater = arith.cmpi sgt, %i, %c0_i32 : i32
    %row = scf.if %isLater -> (i32) {
      %at = arith.index_cast %i : i32 to index
      %read = memref.load %rows[%at] : memref<4xi32, #tpu.memory_space<smem>>
      scf.yield %read : i32
    } else {
      scf.yield %c0_i32 : i32
    }
    %most = arith.minsi %row, %c3_i32 : i32
    %least = arith.maxsi %most, %c0_i32 : i32
    return %least, %c0_i32 : i32, i32
  }
}

// -----

// A module that cannot be converted back proves nothing; neither does a semaphore of another kernel.

// CHECK: module attributes {grid.run_time_checks = {bounds = "{{.*}}grid.operands, the arrays of the call", semaphore = "{{.*}}grid.operands, the arrays of the call"}}
// CHECK-LABEL: func.func @alone(
module {
  func.func @alone(%i: i32) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, window_params = []} {
    return
  }
}

// -----

// Where ranges show that nothing can fail, a module need not be read back, which this one cannot be.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds, semaphore}}
// CHECK-LABEL: func.func @ranges(
// CHECK-NOT: cf.assert
module attributes {grid.operands = {inputs = [#grid.operand<f32 [30, 128]>], outputs = [#grid.operand<i32 [32, 128]>]}} {
  func.func @ranges(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %o: memref<8x128xi32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64,
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}, {transform_indices = @last, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %id = tpu.device_id : i32
    %ids = vector.broadcast %id : i32 to vector<4x128xi32>
    vector.store %ids, %o[%c4, %c0] : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<4x128xi32>
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %i, %c0_i32 : i32, i32
  }
  func.func @last(%i: i32) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    %c3_i32 = arith.constant 3 : i32
    %other = arith.subi %c3_i32, %i : i32
    return %other, %c0_i32 : i32, i32
  }
}

// -----

// The ninth row of 8 is not within: then it is said what keeps the module from being read back.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = "expected an access inside {{.*}} got 5 to 9 in dimension 0", semaphore = "expected an access inside
// CHECK-LABEL: func.func @a_row_too_far(
module attributes {grid.operands = {inputs = [], outputs = [#grid.operand<i32 [32, 128]>]}} {
  func.func @a_row_too_far(%i: i32, %o: memref<8x128xi32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    %c0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    %id = tpu.device_id : i32
    %ids = vector.broadcast %id : i32 to vector<4x128xi32>
    vector.store %ids, %o[%c5, %c0] : memref<8x128xi32, #tpu.memory_space<vmem>>, vector<4x128xi32>
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %i, %c0_i32 : i32, i32
  }
}

// -----

// A grid of five has a block beyond an array of four.

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds = [{{.*}}], semaphore}}
// CHECK-LABEL: func.func @a_block_too_far(
// CHECK: cf.assert
module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128]>], outputs = []}} {
  func.func @a_block_too_far(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 5>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %i, %c0_i32 : i32, i32
  }
}

// -----

// CHECK: module attributes {{{.*}}grid.run_time_checks = {bounds, semaphore = "the kernel has a semaphore operand"}}
// CHECK-LABEL: func.func @given(
module attributes {grid.operands = {inputs = [#grid.operand<!grid.semaphore<dma> [] space #tpu.memory_space<semaphore_mem>>], outputs = []}} {
  func.func @given(%sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    return
  }
}

// -----

// A function that is not a kernel has no checks.

// CHECK: module {
// CHECK-NEXT: func.func @other()
module {
  func.func @other() {
    return
  }
}

// -----

// Mosaic's checks of a copy within HBM take no bundles, so that nothing is asserted.

// CHECK: grid.run_time_checks = {bounds = "inputs[0]
// CHECK-LABEL: func.func @within_hbm(
// CHECK-NOT: cf.assert
// REMARK: the bounds checks stay: inputs[0]
module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128] space any>], outputs = [#grid.operand<f32 [8, 128] space any>]}} {
  func.func @within_hbm(%i: i32, %x: memref<32x128xf32, #tpu.memory_space<any>>, %o: memref<8x128xf32, #tpu.memory_space<any>>,
                        %sem: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 5>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
      scalar_prefetch = 0 : i64, scratch_operands = 1 : i64, window_params = [{}, {}]} {
    %c8_i32 = arith.constant 8 : i32
    %c0_i32 = arith.constant 0 : i32
    %row = arith.muli %i, %c8_i32 : i32
    %slice = tpu.memref_slice %x[%row, %c0_i32] : memref<32x128xf32, #tpu.memory_space<any>> -> memref<8x128xf32, #tpu.memory_space<any>>
    tpu.enqueue_dma source(%slice : memref<8x128xf32, #tpu.memory_space<any>>) target(%o : memref<8x128xf32, #tpu.memory_space<any>>) target_semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    tpu.wait_dma2 semaphore(%sem : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%slice : memref<8x128xf32, #tpu.memory_space<any>>) dst(%o : memref<8x128xf32, #tpu.memory_space<any>>)
    return
  }
}

// RUN: gridir-opt %s --convert-tpu-to-grid --split-input-file --verify-diagnostics
// RUN: not gridir-opt %s --convert-tpu-to-grid --split-input-file 2>/dev/null | FileCheck %s

// Rejected modules are not converted.
// CHECK:     // -----
// CHECK-NOT: grid.kernel

// Modules that are not executable: one in each chunk. First violations of the contract, or of the arrays of the call;
// then ops that run on more than one core, or have no counterpart.

module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128]>]}} {
  // expected-error @below {{expected window 0 to be its block, got array<i64: 16, 128> and 'memref<8x128xf32, #tpu.memory_space<vmem>>'}}
  func.func @contract(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<parallel>],
      window_params = [{transform_indices = @t, window_bounds = array<i64: 16, 128>}]} {
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    return %i, %i : i32, i32
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128]>]}} {
  // expected-error @below {{expected a padding for each dimension of window 0}}
  func.func @padding(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<parallel>],
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>, window_kind = #tpu.element_window<[0], [8]>}]} {
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    return %i, %i : i32, i32
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [4096]>]}} {
  // expected-error @below {{expected bounds for each dimension of window 0}}
  func.func @array_of_another_rank(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<parallel>],
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    return %i, %i : i32, i32
  }
}

// -----

module attributes {grid.operands = {inputs = [], outputs = []}} {
  // expected-error @below {{expected an array of the call for each window, got 0 for 1}}
  func.func @fewer_arrays(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<parallel>],
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    return %i, %i : i32, i32
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128]>], outputs = [#grid.operand<f32 [32, 128]>]}} {
  // expected-error @below {{expected an argument for each grid index and operand, got 2}}
  func.func @more_arrays(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<parallel>],
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    return %i, %i : i32, i32
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [16, 128]>]}} {
  // expected-error @below {{expected a block of the shape of its window, got 'memref<8x128xf32, #tpu.memory_space<any>>' and 'memref<16x128xf32, #grid.space<default>>'}}
  func.func @array_of_another_shape(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<any>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<parallel>],
      window_params = [{}]} {
    return
  }
}

// -----

// The call has no prefetched scalars, and the transform reads one.

module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128]>]}} {
  // expected-error @below {{expected a transform of the grid indices and prefetched scalars for window 0}}
  func.func @transform(%i: i32, %n: memref<8x128xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<parallel>],
      scalar_prefetch = 1 : i64, window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  func.func @t(%i: i32, %n: memref<8x128xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
    return %i, %i : i32, i32
  }
}

// -----

module attributes {grid.operands = {}} {
  // expected-error @below {{expected a body of one block in an executable module, got 2}}
  func.func @blocks() attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    cf.br ^end
  ^end:
    return
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [32, 128]>]}} {
  func.func @transform_of_blocks(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<parallel>],
      window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
    return
  }
  // expected-error @below {{expected a body of one block in an executable module, got 2}}
  func.func @t(%i: i32) -> (i32, i32) {
    cf.br ^end
  ^end:
    return %i, %i : i32, i32
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @dynamic_window(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %c0 = arith.constant 0 : i32
    // expected-error @below {{expected a window of static size in an executable module}}
    %s = tpu.memref_slice %x[%c0, %c0] <%c0> : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<?x128xf32, #tpu.memory_space<vmem>>
    return
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 128]>, #grid.operand<f32 [8, 128]>]}} {
  func.func @copy_to_device(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %n = arith.constant 1 : i32
    // expected-error @below {{expected a copy on one core in an executable module}}
    tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%n)
    return
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 128]>, #grid.operand<f32 [8, 128]>]}} {
  func.func @wait_for_device(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %n = arith.constant 1 : i32
    // expected-error @below {{expected a copy on one core in an executable module}}
    tpu.wait_dma2 semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%s : memref<8x128xf32, #tpu.memory_space<any>>) dst(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) device_id(%n)
    return
  }
}

// -----

module attributes {grid.operands = {}} {
  func.func @signal_to_device(%q: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %n = arith.constant 1 : i32
    // expected-error @below {{expected a signal on one core in an executable module}}
    tpu.sem_signal %q, %n device_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    return
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 128]>, #grid.operand<f32 [8, 128]>]}} {
  func.func @copy_to_core(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %n = arith.constant 1 : i32
    // expected-error @below {{expected a copy on one core in an executable module}}
    tpu.enqueue_dma source(%s : memref<8x128xf32, #tpu.memory_space<any>>) target(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) core_id(%n)
    return
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 128]>, #grid.operand<f32 [8, 128]>]}} {
  func.func @wait_for_core(%s: memref<8x128xf32, #tpu.memory_space<any>>, %t: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %n = arith.constant 1 : i32
    // expected-error @below {{expected a copy on one core in an executable module}}
    tpu.wait_dma2 semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%s : memref<8x128xf32, #tpu.memory_space<any>>) dst(%t : memref<8x128xf32, #tpu.memory_space<vmem>>) core_id(%n)
    return
  }
}

// -----

module attributes {grid.operands = {}} {
  func.func @signal_to_core(%q: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %n = arith.constant 1 : i32
    // expected-error @below {{expected a signal on one core in an executable module}}
    tpu.sem_signal %q, %n core_id %n : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    return
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @gather(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %i = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
    // expected-error @below {{expected a gather along one dimension in an executable module}}
    %g = tpu.dynamic_gather %v[%i] in [0, 1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
    return
  }
}

// -----

module attributes {grid.operands = {}} {
  func.func @allocation() attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    // expected-error @below {{expected an allocation in a tpu.region in an executable module}}
    %m = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
    return
  }
}

// -----

module attributes {grid.operands = {}} {
  func.func @semaphore() attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    // expected-error @below {{expected an allocation in a tpu.region in an executable module}}
    %q = tpu.sem_alloc : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
    return
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @row(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    // expected-error @below {{expected one element at constant indices in an executable module}}
    %r = vector.extract %v[0] : vector<128xf32> from vector<8x128xf32>
    return
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<i32 [4] space #tpu.memory_space<smem>>, #grid.operand<f32 [8, 128]>]}} {
  func.func @element(%n: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %p = memref.load %n[%c0] : memref<4xi32, #tpu.memory_space<smem>>
    %i = arith.index_cast %p : i32 to index
    // expected-error @below {{expected one element at constant indices in an executable module}}
    %r = vector.extract %v[0, %i] : f32 from vector<8x128xf32>
    return
  }
}

// -----

module attributes {grid.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @rank0_op(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    // expected-error @below {{'vector.shuffle' is not supported in an executable module}}
    %r = vector.shuffle %v, %v [0, 1] : vector<8x128xf32>, vector<8x128xf32>
    return
  }
}

// -----

module attributes {grid.operands = {}} {
  func.func @effect() attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
    // expected-error @below {{'func.call' is not supported in an executable module}}
    func.call @f() : () -> ()
    return
  }
  func.func private @f()
}

// -----

// A number among the operands makes no number of a vector.

module attributes {grid.operands = {inputs = [#grid.operand<f32 [8]>]}} {
  func.func @sum(%x: memref<8xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.load %x[%c0] : memref<8xf32, #tpu.memory_space<vmem>>, vector<8xf32>
    // expected-error @below {{'vector.reduction' is not supported in an executable module}}
    %s = vector.reduction <add>, %v, %zero : vector<8xf32> into f32
    return
  }
}

// -----

// Ops in a region are rejected like those outside.

module attributes {grid.operands = {inputs = [#grid.operand<f32 [8]>]}} {
  func.func @sum_in_region(%x: memref<8xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    "tpu.region"() ({
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %v = vector.load %x[%c0] : memref<8xf32, #tpu.memory_space<vmem>>, vector<8xf32>
      // expected-error @below {{'vector.reduction' is not supported in an executable module}}
      %s = vector.reduction <add>, %v, %zero : vector<8xf32> into f32
      "tpu.yield"() : () -> ()
    }) : () -> ()
    return
  }
}

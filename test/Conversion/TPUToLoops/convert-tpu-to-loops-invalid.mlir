// RUN: gridir-opt %s --convert-tpu-to-loops --split-input-file --verify-diagnostics

// What only a TPU can execute, and what a module says wrongly of its arrays: one thing in each chunk.

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @dynamic_window(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c = arith.constant 0 : i32
    // expected-error @below {{expected a window of static size in a module to execute}}
    %s = tpu.memref_slice %x[%c, %c] <%c> : memref<8x128xf32, #tpu.memory_space<vmem>> -> memref<?x128xf32, #tpu.memory_space<vmem>>
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @copy_elsewhere(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %r: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 3 : i64} {
    %c = arith.constant 1 : i32
    // expected-error @below {{expected a copy on one core in a module to execute}}
    tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<vmem>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%c)
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @copy_to_a_core(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %r: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 3 : i64} {
    %c = arith.constant 1 : i32
    // expected-error @below {{expected a copy on one core in a module to execute}}
    tpu.enqueue_dma source(%x : memref<8x128xf32, #tpu.memory_space<vmem>>) target(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) source_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) core_id(%c)
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @wait_elsewhere(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %r: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 3 : i64} {
    %c = arith.constant 1 : i32
    // expected-error @below {{expected a copy on one core in a module to execute}}
    tpu.wait_dma2 semaphore(%q : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%x : memref<8x128xf32, #tpu.memory_space<vmem>>) dst(%y : memref<8x128xf32, #tpu.memory_space<vmem>>) device_id(%c)
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @signal_elsewhere(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %r: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 3 : i64} {
    %c = arith.constant 1 : i32
    // expected-error @below {{expected a signal on one core in a module to execute}}
    tpu.sem_signal %r, %c device_id %c : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @signal_to_a_core(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %q: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %r: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 3 : i64} {
    %c = arith.constant 1 : i32
    // expected-error @below {{expected a signal on one core in a module to execute}}
    tpu.sem_signal %r, %c core_id %c : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  // expected-error @below {{expected semantics for each grid dimension}}
  func.func @semantics(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  // expected-error @below {{expected bounds for each dimension of window 0}}
  func.func @bounds(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>], window_params = [{transform_indices = @t, window_bounds = array<i64: 8>}], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    return
  }
  func.func @t(%i: i32) -> (i32, i32) {
    return %i, %i : i32, i32
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  // expected-error @below {{expected a transform of the grid indices and prefetched scalars for window 0}}
  func.func @transform(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>], window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    return
  }
  func.func @t(%i: i32, %j: i32) -> (i32, i32) {
    return %i, %i : i32, i32
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  // expected-error @below {{expected a transform of the grid indices and prefetched scalars for window 0}}
  func.func @no_transform(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>], window_params = [{window_bounds = array<i64: 8, 128>}], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  // expected-error @below {{expected scratch as memrefs, got 'i32'}}
  func.func @scratch(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: i32) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 1 : i64} {
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  // expected-error @below {{expected a block of the shape of its window, got 'memref<16x128xf32, #tpu.memory_space<vmem>>' and 'memref<8x128xf32}}
  func.func @block(%x: memref<16x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  // expected-error @below {{expected an argument for each grid index and operand, got 1}}
  func.func @arguments(%i: i32) attributes {
      tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @gather(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %i = arith.constant dense<0> : vector<8x128xi32>
    // expected-error @below {{expected a gather along one dimension in a module to execute}}
    %g = tpu.dynamic_gather %v[%i] in [0, 1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @element(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    %d = tpu.iota {dimensions = array<i32: 0>} : vector<8x128xi32>
    %n = vector.extract %d[0, 0] : i32 from vector<8x128xi32>
    %j = arith.index_cast %n : i32 to index
    // expected-error @below {{expected one element at a constant place in a module to execute}}
    %e = vector.extract %v[%j, 0] : f32 from vector<8x128xf32>
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @row(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    // expected-error @below {{expected one element at a constant place in a module to execute}}
    %e = vector.extract %v[0] : vector<128xf32> from vector<8x128xf32>
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @bits(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
    // expected-error @below {{expected a bitcast between elements of one width in a module to execute}}
    %e = tpu.bitcast %v : vector<8x128xf32> -> vector<16x128xbf16>
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @allocation(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    // expected-error @below {{expected an allocation in a tpu.region in a module to execute}}
    %m = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
    return
  }
}

// -----

module attributes {gridir.operands = {inputs = [#grid.operand<f32 [8, 128]>]}} {
  func.func @allocation_in_a_loop(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
      tpu.core_type = #tpu.core_type<tc>, dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 0 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %c1 step %c1 : i32 {
      // expected-error @below {{expected an allocation in a tpu.region in a module to execute}}
      %m = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
    }
    return
  }
}

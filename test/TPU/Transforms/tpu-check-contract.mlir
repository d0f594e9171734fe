// RUN: gridir-opt %s --tpu-check-contract --split-input-file --verify-diagnostics

// A module that keeps the contract passes as it is.

func.func @good(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %y: memref<64x128xf32, #tpu.memory_space<any>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    scalar_prefetch = 0 : i64, scratch_operands = 0 : i64,
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}, {}]} {
  return
}
func.func @t(%i: i32) -> (i32, i32) {
  return %i, %i : i32, i32
}

// -----

// expected-error @below {{expected window 0 to be its block, got array<i64: 16, 128> and 'memref<8x128xf32, #tpu.memory_space<vmem>>'}}
func.func @window(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 16, 128>}]} {
  return
}
func.func @t(%i: i32) -> (i32, i32) {
  return %i, %i : i32, i32
}

// -----

// expected-error @below {{expected a function with a body for window 0, got @t}}
func.func @declaration(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
  return
}
func.func private @t(i32) -> (i32, i32)

// -----

func.func @rank(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
  return
}
// expected-error @below {{expected 2 results of i32, one for each dimension of window 0, got '(i32) -> i32'}}
func.func @t(%i: i32) -> i32 {
  return %i : i32
}

// -----

// expected-error @below {{expected a grid dimension of at least 1 program, got 0}}
func.func @bound() attributes {tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 0>,
    dimension_semantics = [#tpu.dimension_semantics<arbitrary>], window_params = []} {
  return
}

// -----

// expected-error @below {{expected 1 dimension semantics, got 0}}
func.func @semantics(%i: i32) attributes {tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>,
    dimension_semantics = [], window_params = []} {
  return
}

// -----

// expected-error @below {{expected argument 0 to be a memref in a memory of a TPU, got 'memref<8x128xf32>'}}
func.func @space(%x: memref<8x128xf32>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  return
}

// -----

func.func @access(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected an access inside 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 4 to 12 in dimension 0}}
  %v = vector.load %x[%c4, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
  return
}

// -----

func.func @endless() attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %true = arith.constant true
  // expected-error @below {{expected a loop that ends, got one whose condition is true}}
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    scf.yield
  }
  return
}

// -----

// An attribute of another type than Mosaic's says no number, and ends no process.

func.func @count_of_another_type(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    scalar_prefetch = 0 : ui4, scratch_operands = 0 : i128,
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
  return
}
func.func @t(%i: i32) -> (i32, i32) {
  return %i, %i : i32, i32
}

// -----

// expected-error @below {{expected a kernel with a body, got a declaration}}
func.func private @no_body() attributes {tpu.core_type = #tpu.core_type<tc>}

// -----

// expected-error @below {{expected window_params beside iteration_bounds}}
func.func @no_windows(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>]} {
  return
}

// -----

// expected-error @below {{expected an argument for each grid index, prefetched scalar and scratch, got 2}}
func.func @arguments(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>], scalar_prefetch = 1 : i64, scratch_operands = 1 : i64,
    window_params = []} {
  return
}

// -----

// Grid index, prefetched scalar and scratch alone are enough.

func.func @no_operands(%i: i32, %p: memref<1xi32, #tpu.memory_space<smem>>, %s: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>], scalar_prefetch = 1 : i64, scratch_operands = 1 : i64,
    window_params = []} {
  return
}

// -----

// expected-error @below {{expected grid index 0 as i32, got 'index'}}
func.func @grid_index(%i: index, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
  return
}

// -----

// expected-error @below {{expected 1 windows, got 2}}
func.func @number_of_windows(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{}, {}]} {
  return
}

// -----

// expected-error @below {{expected a dictionary for window 0, got 3 : i64}}
func.func @window_kind(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [3]} {
  return
}

// -----

// expected-error @below {{expected a window for operand 1, whose block is 'memref<8x128xf32, #tpu.memory_space<vmem>>'}}
func.func @missing_window(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %y: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}, {}]} {
  return
}
func.func @t(%i: i32) -> (i32, i32) {
  return %i, %i : i32, i32
}

// -----

// expected-error @below {{expected no window for operand 0, which stays in any}}
func.func @window_of_memory(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<any>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
  return
}
func.func @t(%i: i32) -> (i32, i32) {
  return %i, %i : i32, i32
}

// -----

// expected-error @below {{expected window_bounds and transform_indices of window 0}}
func.func @window_without_bounds(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t}]} {
  return
}
func.func @t(%i: i32) -> (i32, i32) {
  return %i, %i : i32, i32
}

// -----

// expected-error @below {{expected window_bounds and transform_indices of window 0}}
func.func @window_without_transform(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{window_bounds = array<i64: 8, 128>}]} {
  return
}

// -----

// expected-error @below {{expected window 0 to hold elements, got a size of 0}}
func.func @empty_window(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 0, 128>}]} {
  return
}
func.func @t(%i: i32) -> (i32, i32) {
  return %i, %i : i32, i32
}

// -----

// expected-error @below {{expected non-negative padding of window 0, got #tpu.element_window<[0, -8], [0, 0]>}}
func.func @negative_padding(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>, window_kind = #tpu.element_window<[0, -8], [0, 0]>}]} {
  return
}
func.func @t(%i: i32) -> (i32, i32) {
  return %i, %i : i32, i32
}

// -----

// expected-error @below {{expected a padding for each dimension of window 0}}
func.func @padding(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>, window_kind = #tpu.element_window<[0], [8]>}]} {
  return
}
func.func @t(%i: i32) -> (i32, i32) {
  return %i, %i : i32, i32
}

// -----

func.func @inputs(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
  return
}
// expected-error @below {{expected the grid indices and prefetched scalars of the kernel, got '(i32, i32) -> (i32, i32)'}}
func.func @t(%i: i32, %j: i32) -> (i32, i32) {
  return %i, %i : i32, i32
}

// -----

func.func @result_type(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
  return
}
// expected-error @below {{expected 2 results of i32, one for each dimension of window 0, got '(i32) -> (i32, i64)'}}
func.func @t(%i: i32) -> (i32, i64) {
  %c0 = arith.constant 0 : i64
  return %i, %c0 : i32, i64
}

// -----

func.func @negative_index(%i: i32, %x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>],
    window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>}]} {
  return
}
func.func @t(%i: i32) -> (i32, i32) {
  %c0 = arith.constant -1 : i32
  // expected-error @below {{expected an index of a block, got -1}}
  return %i, %c0 : i32, i32
}

// -----

// expected-error @below {{expected a grid dimension of at least 1 program, got 2147483648}}
func.func @large_bound(%i: i32) attributes {tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 2147483648>,
    dimension_semantics = [#tpu.dimension_semantics<arbitrary>], window_params = []} {
  return
}

// -----

// The largest grid, and one that the call gives.

func.func @bounds(%i: i32, %j: i32) attributes {tpu.core_type = #tpu.core_type<tc>,
    iteration_bounds = array<i64: 2147483647, -9223372036854775808>,
    dimension_semantics = [#tpu.dimension_semantics<arbitrary>, #tpu.dimension_semantics<arbitrary>], window_params = []} {
  return
}

// -----

func.func @vector_load(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  // expected-error @below {{expected an access inside 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 5 to 9 in dimension 0}}
  %r = tpu.vector_load %x[%c5, %c0] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>,
  return
}

// -----

func.func @vector_store(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %v = arith.constant dense<0.0> : vector<4x128xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected an access inside 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 1 to 129 in dimension 1}}
  tpu.vector_store %x[%c0, %c1], %v {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>,
  return
}

// -----

func.func @row(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{expected an access inside 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 8 to 9 in dimension 0}}
  %r = tpu.vector_load %x[%c8, %c0] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<128xf32>,
  return
}

// -----

func.func @strided_load(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // expected-error @below {{expected an access inside 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 2 to 9 in dimension 0}}
  %r = tpu.strided_load %x[%c2, %c0] {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  return
}

// -----

func.func @strided_store(%x: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %v = arith.constant dense<0.0> : vector<4x128xf32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // expected-error @below {{expected an access inside 'memref<8x128xf32, #tpu.memory_space<vmem>>', got 2 to 9 in dimension 0}}
  tpu.strided_store %x[%c2, %c0], %v {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  return
}

// -----

func.func @scalar_load(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: memref<4xi32, #tpu.memory_space<smem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %c4 = arith.constant 4 : index
  // expected-error @below {{expected an access inside 'memref<4xi32, #tpu.memory_space<smem>>', got 4 to 5 in dimension 0}}
  %r = memref.load %n[%c4] : memref<4xi32, #tpu.memory_space<smem>>
  return
}

// -----

func.func @scalar_store(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: memref<4xi32, #tpu.memory_space<smem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %i = arith.constant 7 : i32
  %c4 = arith.constant 4 : index
  // expected-error @below {{expected an access inside 'memref<4xi32, #tpu.memory_space<smem>>', got 4 to 5 in dimension 0}}
  memref.store %i, %n[%c4] : memref<4xi32, #tpu.memory_space<smem>>
  return
}

// -----

// An access that ends with its memory is in bounds.

func.func @last(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: memref<4xi32, #tpu.memory_space<smem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %v = arith.constant dense<0.0> : vector<4x128xf32>
  %w = arith.constant dense<0.0> : vector<128xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %0 = tpu.vector_load %x[%c4, %c0] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>,
  tpu.vector_store %x[%c7, %c0], %w {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<128xf32>,
  %1 = tpu.strided_load %x[%c1, %c0] {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  tpu.strided_store %x[%c1, %c0], %v {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  %2 = memref.load %n[%c3] : memref<4xi32, #tpu.memory_space<smem>>
  return
}

// -----

// Prefetched scalars come before the windows and scratch after them.

func.func @all(%i: i32, %s: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<8x128xf32, #tpu.memory_space<vmem>>, %y: memref<8x128xf32, #tpu.memory_space<any>>, %z: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {
    tpu.core_type = #tpu.core_type<tc>, iteration_bounds = array<i64: 4>, dimension_semantics = [#tpu.dimension_semantics<arbitrary>], scalar_prefetch = 1 : i64, scratch_operands = 1 : i64, window_params = [{transform_indices = @t, window_bounds = array<i64: 8, 128>, window_kind = #tpu.element_window<[0, 0], [0, 0]>}, {}]} {
  return
}
func.func @t(%i: i32, %s: memref<4xi32, #tpu.memory_space<smem>>) -> (i32, i32) {
  %c = arith.constant 0 : i32
  return %i, %c : i32, i32
}

// -----

// Every access, at the last index that it may have and one beyond; a stride spans from its first element to its last.

func.func @accesses(%x: memref<8x128xf32, #tpu.memory_space<vmem>>, %n: memref<?x128xf32, #tpu.memory_space<vmem>>) attributes {tpu.core_type = #tpu.core_type<tc>, dimension_semantics = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %before = arith.constant -1 : index
  %v = arith.constant dense<1.0> : vector<4x128xf32>
  %f = arith.constant 1.0 : f32
  %0 = tpu.vector_load %x[%c4, %c0] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>,
  // expected-error @below {{got 5 to 9 in dimension 0}}
  %1 = tpu.vector_load %x[%c5, %c0] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>,
  // expected-error @below {{got 1 to 129 in dimension 1}}
  %2 = tpu.vector_load %x[%c7, %c1] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<128xf32>,
  %3 = tpu.vector_load %x[%c7, %c0] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<128xf32>,
  // expected-error @below {{got 8 to 9 in dimension 0}}
  %4 = tpu.vector_load %x[%c8, %c0] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<128xf32>,
  %5 = tpu.strided_load %x[%c1, %c0] {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  // expected-error @below {{got 2 to 9 in dimension 0}}
  %6 = tpu.strided_load %x[%c2, %c0] {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  tpu.vector_store %x[%c4, %c0], %v {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>,
  // expected-error @below {{got 5 to 9 in dimension 0}}
  tpu.vector_store %x[%c5, %c0], %v {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>,
  tpu.strided_store %x[%c1, %c0], %v {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  // expected-error @below {{got 2 to 9 in dimension 0}}
  tpu.strided_store %x[%c2, %c0], %v {strides = array<i32: 2, 1>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<4x128xf32>
  %7 = memref.load %x[%c7, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>
  // expected-error @below {{got -1 to 0 in dimension 0}}
  %8 = memref.load %x[%before, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>
  // expected-error @below {{got 8 to 9 in dimension 0}}
  memref.store %f, %x[%c8, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>
  %9 = memref.load %n[%c8, %c0] : memref<?x128xf32, #tpu.memory_space<vmem>>
  return
}

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

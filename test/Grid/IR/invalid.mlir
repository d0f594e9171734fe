// Invalid kernels, index maps and calls: one error in each chunk.
//
// RUN: gridir-opt %s --verify-diagnostics --split-input-file

// expected-error @below {{expected index operand rows_ref without a block}}
grid.kernel @index_operand_with_block grid(%i = 4) index(%r: i32 [8] block [2] origin "rows_ref") {
}

// -----

// expected-error @below {{expected a body and an index map for each input and output, 2 regions, got 1}}
"grid.kernel"() <{sym_name = "missing_index_map", dims = [], index_operands = [],
                  inputs = [#grid.operand<f32 [8]>], outputs = []}> ({
^bb0(%x: memref<8xf32, #grid.space<default>>):
  "grid.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{expected distinct dimension names, got "rows" again at dimension 1}}
grid.kernel @same_names grid(%i = 4 named "rows", %j = 2 named "rows") {
}

// -----

grid.kernel @same_labels grid(%i = 4,
  // expected-error @below {{expected distinct dimensions, got %i twice}}
  %i = 2) {
}

// -----

// expected-error @below {{expected semantics for 2 dimensions, got 1}}
grid.kernel @too_few_semantics grid(%i = 4, %j = 2) semantics [parallel] {
}

// -----

// expected-error @below {{expected an alias to be a pair of numbers, got "0 -> 0"}}
"grid.kernel"() <{sym_name = "alias_of_text", dims = [], index_operands = [], inputs = [],
                  outputs = [], aliases = ["0 -> 0"]}> ({
  "grid.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{expected aliases that are functional, got no aliases}}
"grid.kernel"() <{sym_name = "functional_of_nothing", dims = [], index_operands = [], inputs = [],
                  outputs = [], functional_aliases}> ({
  "grid.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{expected an aliased operand below 1, got 1}}
grid.kernel @aliased_operand grid() inputs(%x: f32 [8]) outputs(%o: f32 [8]) aliases [1 -> 0] {
}

// -----

// expected-error @below {{expected an aliased output below 1, got 2}}
grid.kernel @aliased_output grid() inputs(%x: f32 [8]) outputs(%o: f32 [8]) aliases [0 -> 2] {
}

// -----

// expected-error @below {{expected each operand and output in at most one alias, got 0 -> 1 as another}}
grid.kernel @aliased_twice grid() inputs(%x: f32 [8]) outputs(%o: f32 [8], %p: f32 [8])
    aliases [0 -> 0, 0 -> 1] {
}

// -----

// expected-error @below {{expected aliased arrays of one type, got x_ref of 'tensor<8xf32>' and outputs[0] of 'tensor<4xf32>'}}
grid.kernel @aliased_types grid() inputs(%x: f32 [8] origin "x_ref") outputs(%o: f32 [4])
    aliases [0 -> 0] {
}

// -----

// expected-error @below {{expected compiler parameters of a backend, got "fast"}}
grid.kernel @params_of_nobody grid() params ["fast"] {
}

// -----

// expected-error @below {{expected one record of parameters for each backend, got #grid.triton_params<num_warps = 4> as another}}
grid.kernel @params_twice grid() params [#grid.triton_params<>, #grid.triton_params<num_warps = 4>] {
}

// -----

// The author of the parameters does not count the dimension that vmap made.
// expected-error @below {{expected dimension_semantics for 1 dimensions, got 2}}
grid.kernel @semantics_of_vmapped grid(%i = 3 vmapped, %j = 4)
    params [#grid.tpu_params<dimension_semantics = ["parallel", "arbitrary"]>] {
}

// -----

// expected-error @below {{expected dimension_semantics for 2 dimensions, got 1}}
grid.kernel @params_semantics grid(%i = 4, %j = 2)
    params [#grid.tpu_params<dimension_semantics = ["parallel"]>] {
}

// -----

// expected-error @below {{expected the body to take at least 1 Refs, got 0}}
"grid.kernel"() <{sym_name = "missing_ref", dims = [], index_operands = [#grid.operand<i32 [8]>],
                  inputs = [], outputs = []}> ({
  "grid.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{expected x_ref to be a Ref of type 'memref<2xf32, #grid.space<default>>', got 'memref<8xf32>'}}
"grid.kernel"() <{sym_name = "wrong_ref", dims = [], index_operands = [],
                  inputs = [#grid.operand<f32 [8] block [2] origin "x_ref">], outputs = []}> ({
^bb0(%x: memref<8xf32>):
  "grid.yield"() : () -> ()
}, {
  %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
  "grid.yield"(%0) : (i32) -> ()
}) : () -> ()

// -----

// expected-error @below {{expected scratch 1 to be a Ref of static shape and identity layout, got 'memref<?xf32>'}}
grid.kernel @dynamic_scratch grid() scratch(%s: memref<8xf32>, %t: memref<?xf32>) {
}

// -----

// expected-error @below {{expected origins once, got "scratch_origins" beside those of Refs}}
grid.kernel @twice grid() scratch(%s: memref<8xf32> origin "s_ref") attributes {scratch_origins = ["s_ref"]} {
}

// -----

// expected-error @below {{expected an origin for each of 1 Refs, got 2}}
grid.kernel @origins grid() scratch(%s: memref<8xf32>) attributes {scratch_origins = ["s_ref", "t_ref"]} {
}

// -----

// expected-error @below {{expected the body to end in grid.yield without values}}
grid.kernel @body_yields grid() {
  %0 = arith.constant 0 : i32
  grid.yield %0 : i32
}

// -----

// expected-error @below {{expected the index map of x_ref to take 1 program ids and 0 index operands, got 2 arguments}}
grid.kernel @index_map_arguments grid(%i = 4)
    inputs(%x: f32 [8] block [2] map(%a: i32, %b: i32) { grid.yield %a : i32 } origin "x_ref") {
}

// -----

// expected-error @below {{expected the index map of x_ref to take program id 0 as i32, got 'i64'}}
grid.kernel @index_map_id grid(%i = 4)
    inputs(%x: f32 [8] block [2] map(%a: i64) { grid.yield %a : i64 } origin "x_ref") {
}

// -----

// expected-error @below {{expected the index map of x_ref to take rows_ref as 'memref<8xi32, #grid.space<default>>', got 'memref<8xi32>'}}
grid.kernel @index_map_ref grid(%i = 4)
    index(%r: i32 [8] origin "rows_ref")
    inputs(%x: f32 [8] block [2] map(%a: i32, %b: memref<8xi32>) { grid.yield %a : i32 } origin "x_ref") {
}

// -----

// expected-error @below {{expected the index map of x_ref to end in grid.yield}}
grid.kernel @index_map_end grid(%i = 4)
    inputs(%x: f32 [8] block [2] map(%a: i32) { llvm.unreachable } origin "x_ref") {
}

// -----

// expected-error @below {{expected the index map of x_ref to give 2 indices, got 1}}
grid.kernel @index_map_results grid(%i = 4)
    inputs(%x: f32 [8, 8] block [2, squeezed] at (%i) origin "x_ref") {
}

// -----

// A bounded slice takes a start and a size.
// expected-error @below {{expected the index map of inputs[0] to give 2 indices, got 1}}
grid.kernel @bounded_slice_indices grid(%i = 4) inputs(%x: f32 [8] block [slice(2)] at (%i)) {
}

// -----

// expected-error @below {{expected the index map of outputs[0] to return i32 or i64, got 'f32' for index 0}}
grid.kernel @index_map_type grid(%i = 4)
    outputs(%o: f32 [8] block [2] map(%a: i32) {
      %0 = arith.constant 0.0 : f32
      grid.yield %0 : f32
    }) {
}

// -----

grid.kernel @unknown_label grid(%i = 4)
    // expected-error @below {{expected a dimension of the grid, got %j}}
    inputs(%x: f32 [8] block [2] at (%j)) {
}

// -----

grid.kernel @wrong_index_type grid(%i = 4)
    // expected-error @below {{expected an index map of i32 or i64, got 'i8'}}
    inputs(%x: f32 [8] block [2] at (%i) : i8) {
}

// -----

grid.kernel @unknown_axis_name grid(%i = 4 named "rows") {
  // expected-error @below {{expected the name of a grid dimension, got "columns"}}
  %0 = grid.program_id "columns"
}

// -----

grid.kernel @unknown_axis grid(%i = 4) {
  // expected-error @below {{expected a grid dimension below 1, got 1}}
  %0 = grid.num_programs 1
}

// -----

func.func @call_of_nothing() {
  // expected-error @below {{expected @nothing to be a grid.kernel}}
  grid.call @nothing
  return
}

// -----

grid.kernel @k grid(%i = ?) {
}
func.func @call_without_size() {
  // expected-error @below {{expected 1 dynamic grid sizes, got 0}}
  grid.call @k
  return
}

// -----

grid.kernel @k grid() index(%r: i32 [8]) {
}
func.func @call_without_index() {
  // expected-error @below {{expected 1 index operands, got 0}}
  grid.call @k
  return
}

// -----

grid.kernel @k grid() inputs(%x: f32 [8]) {
}
func.func @call_without_input() {
  // expected-error @below {{expected 1 inputs, got 0}}
  grid.call @k
  return
}

// -----

grid.kernel @k grid() inputs(%x: f32 [8] origin "x_ref") {
}
func.func @call_with_wrong_input(%x: tensor<4xf32>) {
  // expected-error @below {{expected x_ref of 'tensor<8xf32>', got 'tensor<4xf32>'}}
  grid.call @k inputs(%x : tensor<4xf32>)
  return
}

// -----

grid.kernel @k grid() outputs(%o: f32 [8]) {
}
func.func @call_without_result() {
  // expected-error @below {{expected 1 results, got 0}}
  grid.call @k
  return
}

// -----

grid.kernel @k grid() outputs(%o: ui32 [8]) {
}
func.func @call_with_wrong_result() {
  // expected-error @below {{expected result 0 of 'tensor<8xi32>', got 'tensor<8xf32>'}}
  %0 = grid.call @k -> tensor<8xf32>
  return
}

// -----

grid.kernel @uncountable_array grid()
    // expected-error @below {{expected operand and its block to have at most 1099511627776 elements}}
    inputs(%x: f32 [4611686018427387904, 64]) {
}

// -----

grid.kernel @uncountable_block grid()
    // expected-error @below {{expected operand and its block to have at most 1099511627776 elements}}
    inputs(%x: f32 [8, 64] block [4611686018427387904, 64] at (0, 0)) {
}

// -----

grid.kernel @dynamic_block grid()
    // expected-error @below {{expected dimension 0 of the block of operand to have a static size, as its array has}}
    inputs(%x: f32 [8, 64] block [-9223372036854775808, 64] at (0, 0)) {
}

// -----

grid.kernel @uncountable_value grid() {
  // expected-error @below {{expected a type of at most 1099511627776 elements, got 'tensor<8x4611686018427387904xf32>'}}
  %e = tensor.empty() : tensor<8x4611686018427387904xf32>
}

// -----

// expected-error @below {{expected dimension 1 of the grid to have at most 2147483647 programs, got 2147483648}}
grid.kernel @no_program_id grid(%i = 4, %j = 2147483648) {
}

// -----

// expected-error @below {{expected dimension 1 of kind thread to have a size of at least 1, got 0}}
grid.kernel @no_threads grid(%i = 4, %w = 0 named "wg" thread) {
}

// -----

// expected-error @below {{expected dimension 0 of kind cluster to have a size of at least 1, got 0}}
grid.kernel @no_ctas grid(%c = 0 cluster) {
}

// -----

// expected-error @below {{expected a grid of less than 2^63 programs}}
grid.kernel @uncountable_grid grid(%i = 2147483647, %j = 2147483647, %k = 2147483647) {
}

// -----

// expected-error @below {{expected an index map with one block}}
grid.kernel @empty_index_map grid()
    inputs(%x: f32 [8] block [4] map() {}) {
}

// -----

// expected-error @below {{expected no symbols in an index map}}
grid.kernel @symbol grid(%i = 2)
    inputs(%x: f32 [8] block [4] at (symbol(%i))) {
}

// -----

// expected-error @below {{result number not allowed in argument list}}
grid.kernel @numbered_operand grid() inputs(%x#0: f32 [8]) {
}

// -----

// expected-error @below {{expected numbers of one bit or more, got 'memref<8xi0>'}}
grid.kernel @no_bits grid() scratch(%s: memref<8xi0>) {
}

// -----

// The first map uses what the second one defines, and the text ends before that can be refused.
grid.kernel @across_maps grid(%i = 4)
    inputs(%x: f32 [8] block [2] map(%a: i32) {
      grid.yield %b : i32
    }, %y: f32 [8] block [2] map(%a: i32) {
      %c4 = arith.constant 4 : i32
      %b = arith.remsi %a, %c4 : i32
      grid.yield %b : i32
    // expected-error @below {{expected ')'}}
    }
    outputs(%o: f32 [8]) {
}

// -----

// The same, and the second map itself is wrong.
grid.kernel @across_maps_in_map grid(%i = 4)
    inputs(%x: f32 [8] block [2] map(%a: i32) {
      grid.yield %b : i32
    }, %y: f32 [8] block [2] map(%a: i32) {
      %b = arith.addi %a, %a : i32
      // expected-error @below {{expected ':'}}
      %c = arith.addi %a, %a
    }) {
}

// -----

grid.kernel @groups grid(%i = 1) inputs(%x: f32 [3, 64, 64]) outputs(%o: f32 [192, 64]) {
  %a = grid.load %x : memref<3x64x64xf32, #grid.space<default>> -> tensor<3x64x64xf32>
  // expected-error @below {{expected groups of all dimensions in order, got [[-4611686018427387904, 1], [2]]}}
  %c = tensor.collapse_shape %a [[-4611686018427387904, 1], [2]] : tensor<3x64x64xf32> into tensor<192x64xf32>
}

// RUN: gridir-opt %s --split-input-file --verify-diagnostics

// Invalid arithmetic and ops on shapes: one error in each chunk.

func.func @accumulator(%a: vector<8x128xbf16>, %b: vector<128x128xbf16>, %c: vector<8x128xbf16>) {
  // expected-error @below {{expected an accumulator of 32 bits, got 'vector<8x128xbf16>'}}
  %r = tpu.matmul %a, %b, %c {transpose_lhs_hint = false} : vector<8x128xbf16>, vector<128x128xbf16>, vector<8x128xbf16> -> vector<8x128xbf16>
  return
}

// -----

func.func @contraction(%a: vector<8x64xf32>, %b: vector<128x128xf32>, %c: vector<8x128xf32>) {
  // expected-error @below {{expected contracting dimensions of one size, got 64 and 128}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x64xf32>, vector<128x128xf32>, vector<8x128xf32> -> vector<8x128xf32>
  return
}

// -----

func.func @order(%a: vector<8x128xf32>, %b: vector<128x8xf32>, %c: vector<8x8xf32>) {
  // expected-error @below {{expected the order batch, left, right of the result dimensions}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [1, 1, 0, 0], [], []>, transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x8xf32>, vector<8x8xf32> -> vector<8x8xf32>
  return
}

// -----

func.func @reciprocal(%v: vector<16x128xbf16>) {
  // expected-error @below {{expected elements of f32, got 'vector<16x128xbf16>'}}
  %r = tpu.reciprocal %v : vector<16x128xbf16> -> vector<16x128xbf16>
  return
}

// -----

func.func @logistic(%v: vector<8x128xi32>) {
  // expected-error @below {{expected floats, got 'vector<8x128xi32>'}}
  %r = tpu.logistic %v : vector<8x128xi32> -> vector<8x128xi32>
  return
}

// -----

func.func @index(%v: vector<8x128xf32>) {
  // expected-error @below {{expected arg_max or arg_min, got sum}}
  %r = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<sum>} : vector<8x128xf32> -> vector<8xi32>
  return
}

// -----

func.func @iota() {
  // expected-error @below {{expected distinct dimensions of 'vector<8x128xi32>', got 2}}
  %v = tpu.iota {dimensions = array<i32: 2>} : vector<8x128xi32>
  return
}

// -----

func.func @transpose(%v: vector<8x128xf32>) {
  // expected-error @below {{expected a permutation of the dimensions of 'vector<8x128xf32>', got 0}}
  %t = tpu.transpose %v, [0, 0] : vector<8x128xf32> -> vector<8x8xf32>
  return
}

// -----

func.func @concatenate(%v: vector<8x128xf32>) {
  // expected-error @below {{expected a result of 256 in dimension 1, got 'vector<8x384xf32>'}}
  %c = tpu.concatenate %v, %v in 1 : vector<8x128xf32>, vector<8x128xf32> -> vector<8x384xf32>
  return
}

// -----

func.func @kind(%a: vector<8x128xi8>, %b: vector<128x64xi8>, %c: vector<8x64xf32>) {
  // expected-error @below {{expected an accumulator of the kind of the factors, got 'vector<8x128xi8>', 'vector<128x64xi8>' and 'vector<8x64xf32>'}}
  %r = tpu.matmul %a, %b, %c {transpose_lhs_hint = false} : vector<8x128xi8>, vector<128x64xi8>, vector<8x64xf32> -> vector<8x64xf32>
  return
}

// -----

func.func @both(%a: vector<8x128xf32>, %b: vector<64x128xf32>, %c: vector<8x64xf32>) {
  // expected-error @below {{expected either dimension numbers or transposes, got both}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_rhs = true, transpose_lhs_hint = false} : vector<8x128xf32>, vector<64x128xf32>, vector<8x64xf32> -> vector<8x64xf32>
  return
}

// -----

func.func @ranks(%a: vector<2x8x128xf32>, %b: vector<2x128x64xf32>, %c: vector<2x8x64xf32>) {
  // expected-error @below {{expected dimension numbers for 'vector<2x8x128xf32>' and 'vector<2x128x64xf32>'}}
  %r = tpu.matmul %a, %b, %c {transpose_lhs_hint = false} : vector<2x8x128xf32>, vector<2x128x64xf32>, vector<2x8x64xf32> -> vector<2x8x64xf32>
  return
}

// -----

func.func @shapes_contracted(%a: vector<8x128xf32>, %b: vector<64x128xf32>, %c: vector<8x128xf32>) {
  // expected-error @below {{expected shapes that match, got 'vector<8x128xf32>', 'vector<64x128xf32>' and 'vector<8x128xf32>'}}
  %r = tpu.matmul %a, %b, %c {transpose_lhs_hint = false} : vector<8x128xf32>, vector<64x128xf32>, vector<8x128xf32> -> vector<8x128xf32>
  return
}

// -----

func.func @shapes_left(%a: vector<8x128xf32>, %b: vector<128x64xf32>, %c: vector<16x64xf32>) {
  // expected-error @below {{expected shapes that match, got 'vector<8x128xf32>', 'vector<128x64xf32>' and 'vector<16x64xf32>'}}
  %r = tpu.matmul %a, %b, %c {transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x64xf32>, vector<16x64xf32> -> vector<16x64xf32>
  return
}

// -----

func.func @shapes_right(%a: vector<8x128xf32>, %b: vector<64x128xf32>, %c: vector<8x128xf32>) {
  // expected-error @below {{expected shapes that match, got 'vector<8x128xf32>', 'vector<64x128xf32>' and 'vector<8x128xf32>'}}
  %r = tpu.matmul %a, %b, %c {transpose_rhs = true, transpose_lhs_hint = false} : vector<8x128xf32>, vector<64x128xf32>, vector<8x128xf32> -> vector<8x128xf32>
  return
}

// -----

func.func @repeated(%a: vector<8x128xf32>, %b: vector<128x64xf32>, %c: vector<8x64xf32>) {
  // expected-error @below {{expected every dimension of the left side once, got 1 for 'vector<8x128xf32>'}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [1], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x64xf32>, vector<8x64xf32> -> vector<8x64xf32>
  return
}

// -----

func.func @beyond(%a: vector<8x128xf32>, %b: vector<128x64xf32>, %c: vector<8x64xf32>) {
  // expected-error @below {{expected every dimension of the right side once, got 2 for 'vector<128x64xf32>'}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [2], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x64xf32>, vector<8x64xf32> -> vector<8x64xf32>
  return
}

// -----

func.func @left_out(%a: vector<8x128xf32>, %b: vector<128x64xf32>, %c: vector<8x64xf32>) {
  // expected-error @below {{expected every dimension of the right side once, got none of 1 for 'vector<128x64xf32>'}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [], [0, 0], [], []>, transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x64xf32>, vector<8x64xf32> -> vector<8x64xf32>
  return
}

// -----

func.func @free_order(%a: vector<4x8x128xf32>, %b: vector<128x64xf32>, %c: vector<8x4x64xf32>) {
  // expected-error @below {{expected free dimensions of the left side in order}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[2], [0], [1, 0], [1], [0, 1, 0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<4x8x128xf32>, vector<128x64xf32>, vector<8x4x64xf32> -> vector<8x4x64xf32>
  return
}

// -----

func.func @batch_of_one_side(%a: vector<2x8x128xf32>, %b: vector<128x64xf32>, %c: vector<2x8x64xf32>) {
  // expected-error @below {{expected as many batch dimensions on both sides}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[2], [0], [1], [1], [0, 0, 0, 1, 1, 1], [0], []>, transpose_lhs_hint = false} : vector<2x8x128xf32>, vector<128x64xf32>, vector<2x8x64xf32> -> vector<2x8x64xf32>
  return
}

// -----

func.func @batch_sizes(%a: vector<2x8x128xf32>, %b: vector<3x128x64xf32>, %c: vector<2x8x64xf32>) {
  // expected-error @below {{expected batch dimensions of one size, got 2 and 3}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[2], [1], [1], [2], [0, 0, 0, 1, 1, 2], [0], [0]>, transpose_lhs_hint = false} : vector<2x8x128xf32>, vector<3x128x64xf32>, vector<2x8x64xf32> -> vector<2x8x64xf32>
  return
}

// -----

func.func @product(%a: vector<8x128xf32>, %b: vector<128x64xf32>, %c: vector<64x8xf32>) {
  // expected-error @below {{expected a result of the shape 'vector<8x64xf32>', got 'vector<64x8xf32>'}}
  %r = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<8x128xf32>, vector<128x64xf32>, vector<64x8xf32> -> vector<64x8xf32>
  return
}

// -----

func.func @index_element(%v: vector<8x128xi32>) {
  // expected-error @below {{expected elements of f32 or bf16, got 'vector<8x128xi32>'}}
  %r = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<8x128xi32> -> vector<8xi32>
  return
}

// -----

func.func @index_width(%v: vector<8x128xf32>) {
  // expected-error @below {{expected indices of i32 for elements of f32, got 'vector<8xi16>'}}
  %r = tpu.reduce_index %v {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<8x128xf32> -> vector<8xi16>
  return
}

// -----

func.func @index_axis(%v: vector<8x128xf32>) {
  // expected-error @below {{expected an axis of 'vector<8x128xf32>', got 2}}
  %r = tpu.reduce_index %v {axis = 2 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<8x128xf32> -> vector<8xi32>
  return
}

// -----

func.func @index_negative_axis(%v: vector<8x128xf32>) {
  // expected-error @below {{expected an axis of 'vector<8x128xf32>', got -1}}
  %r = tpu.reduce_index %v {axis = -1 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<8x128xf32> -> vector<8xi32>
  return
}

// -----

func.func @index_line(%v: vector<128xf32>) {
  // expected-error @below {{expected two dimensions or more, got 'vector<128xf32>'}}
  %r = tpu.reduce_index %v {axis = 0 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<128xf32> -> vector<1xi32>
  return
}

// -----

func.func @index_shape(%v: vector<8x128xf32>) {
  // expected-error @below {{expected the shape of the operand without dimension 0, got 'vector<8xi32>'}}
  %r = tpu.reduce_index %v {axis = 0 : i32, kind = #tpu.reduction_kind<arg_max>} : vector<8x128xf32> -> vector<8xi32>
  return
}

// -----

func.func @iota_repeated() {
  // expected-error @below {{expected distinct dimensions of 'vector<8x128xi32>', got 1}}
  %v = tpu.iota {dimensions = array<i32: 1, 1>} : vector<8x128xi32>
  return
}

// -----

func.func @weird_elements(%v: vector<8x128xf32>) {
  // expected-error @below {{expected f32 and i1, got 'vector<8x128xf32>' and 'vector<8x128xi8>'}}
  %w = tpu.weird %v : vector<8x128xf32> -> vector<8x128xi8>
  return
}

// -----

func.func @transposed_element(%v: vector<8x128xf32>) {
  // expected-error @below {{expected one element type, got 'vector<8x128xf32>' and 'vector<128x8xi32>'}}
  %t = tpu.transpose %v, [1, 0] : vector<8x128xf32> -> vector<128x8xi32>
  return
}

// -----

func.func @transposed_rank(%v: vector<8x128xf32>) {
  // expected-error @below {{expected a permutation of the dimensions of 'vector<8x128xf32>', got 3 numbers for 'vector<128x8xf32>'}}
  %t = tpu.transpose %v, [1, 0, 2] : vector<8x128xf32> -> vector<128x8xf32>
  return
}

// -----

func.func @transposed_sizes(%v: vector<2x8x128xf32>) {
  // expected-error @below {{expected dimension 0 of the result to have the size of dimension 2 of the operand, got 'vector<8x128x2xf32>'}}
  %t = tpu.transpose %v, [2, 0, 1] : vector<2x8x128xf32> -> vector<8x128x2xf32>
  return
}

// -----

func.func @concatenate_one(%v: vector<8x128xf32>) {
  // expected-error @below {{expected two operands or more, got 1}}
  %c = tpu.concatenate %v in 1 : vector<8x128xf32> -> vector<8x128xf32>
  return
}

// -----

func.func @concatenate_dimension(%v: vector<8x128xf32>) {
  // expected-error @below {{expected a dimension of 'vector<8x256xf32>', got 2}}
  %c = tpu.concatenate %v, %v in 2 : vector<8x128xf32>, vector<8x128xf32> -> vector<8x256xf32>
  return
}

// -----

func.func @concatenate_other(%v: vector<8x128xf32>, %w: vector<16x128xf32>) {
  // expected-error @below {{expected an operand that differs from 'vector<8x256xf32>' only in dimension 1, got 'vector<16x128xf32>'}}
  %c = tpu.concatenate %v, %w in 1 : vector<8x128xf32>, vector<16x128xf32> -> vector<8x256xf32>
  return
}

// -----

func.func @concatenate_element(%v: vector<8x128xf32>, %w: vector<8x128xi32>) {
  // expected-error @below {{expected an operand that differs from 'vector<8x256xf32>' only in dimension 1, got 'vector<8x128xi32>'}}
  %c = tpu.concatenate %v, %w in 1 : vector<8x128xf32>, vector<8x128xi32> -> vector<8x256xf32>
  return
}

// -----

func.func @repeat_dimension(%v: vector<8x128xf32>) {
  // expected-error @below {{expected a dimension of 'vector<8x128xf32>', got 2}}
  %r = tpu.repeat %v, 2 x 2 : vector<8x128xf32> -> vector<8x256xf32>
  return
}

// -----

func.func @repeat_shape(%v: vector<8x128xf32>) {
  // expected-error @below {{expected a result of 'vector<8x384xf32>', got 'vector<24x128xf32>'}}
  %r = tpu.repeat %v, 1 x 3 : vector<8x128xf32> -> vector<24x128xf32>
  return
}

// -----

func.func @bitcast_one_dimension(%v: vector<128xf32>) {
  // expected-error @below {{expected two dimensions or more, got 'vector<128xf32>'}}
  %b = tpu.bitcast %v : vector<128xf32> -> vector<256xbf16>
  return
}

// -----

func.func @bitcast_part(%v: vector<7x128xbf16>) {
  // expected-error @below {{expected whole elements of 'f32', got 'vector<7x128xbf16>'}}
  %b = tpu.bitcast %v : vector<7x128xbf16> -> vector<4x128xf32>
  return
}

// -----

func.func @bitcast_shape(%v: vector<8x128xf32>) {
  // expected-error @below {{expected a result of 'vector<16x128xbf16>', got 'vector<8x256xbf16>'}}
  %b = tpu.bitcast %v : vector<8x128xf32> -> vector<8x256xbf16>
  return
}

// -----

func.func @rotate_dimension(%v: vector<8x128xf32>, %n: i32) {
  // expected-error @below {{expected a dimension of 'vector<8x128xf32>', got 2}}
  %r = tpu.dynamic_rotate %v by %n dim 2 : vector<8x128xf32>, i32 -> vector<8x128xf32>
  return
}

// -----

func.func @rotate_stride(%v: vector<8x128xf32>, %n: i32) {
  // expected-error @below {{expected stride and stride_dimension together}}
  %r = tpu.dynamic_rotate %v by %n dim 1 {stride = 1 : si32} : vector<8x128xf32>, i32 -> vector<8x128xf32>
  return
}

// -----

func.func @rotate_backwards(%v: vector<8x128xf32>, %n: i32) {
  // expected-error @below {{expected a stride of at least 0, got -1}}
  %r = tpu.dynamic_rotate %v by %n dim 1 {stride = -1 : si32, stride_dimension = 0 : si32} : vector<8x128xf32>, i32 -> vector<8x128xf32>
  return
}

// -----

func.func @rotate_one_dimension(%v: vector<8x128xf32>, %n: i32) {
  // expected-error @below {{expected another dimension of 'vector<8x128xf32>' for the stride, got 1}}
  %r = tpu.dynamic_rotate %v by %n dim 1 {stride = 1 : si32, stride_dimension = 1 : si32} : vector<8x128xf32>, i32 -> vector<8x128xf32>
  return
}

// -----

func.func @rotate_beyond(%v: vector<8x128xf32>, %n: i32) {
  // expected-error @below {{expected another dimension of 'vector<8x128xf32>' for the stride, got 2}}
  %r = tpu.dynamic_rotate %v by %n dim 1 {stride = 1 : si32, stride_dimension = 2 : si32} : vector<8x128xf32>, i32 -> vector<8x128xf32>
  return
}

// -----

func.func @gather_dimension(%v: vector<8x128xf32>, %i: vector<8x128xi32>) {
  // expected-error @below {{expected distinct dimensions of 'vector<8x128xf32>', got 2}}
  %g = tpu.dynamic_gather %v[%i] in [2] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
  return
}

// -----

func.func @gather_shape(%v: vector<8x128xf32>, %i: vector<8x64xi32>) {
  // expected-error @below {{expected elements of 'vector<8x128xf32>' in the shape of 'vector<8x64xi32>', got 'vector<8x128xf32>'}}
  %g = tpu.dynamic_gather %v[%i] in [1] : vector<8x128xf32>, vector<8x64xi32> -> vector<8x128xf32>
  return
}

// -----

func.func @gather_kept(%v: vector<8x128xf32>, %i: vector<4x128xi32>) {
  // expected-error @below {{expected dimension 0 to be kept, got 'vector<8x128xf32>' and 'vector<4x128xf32>'}}
  %g = tpu.dynamic_gather %v[%i] in [1] : vector<8x128xf32>, vector<4x128xi32> -> vector<4x128xf32>
  return
}

// -----

// The types that these name cannot be.
func.func @repeat_never(%v: vector<8x128xf32>) {
  // expected-error @below {{expected one repetition or more, and less than 2^63 elements, got -2147483648 times 'vector<8x128xf32>'}}
  %r = tpu.repeat %v, 1 x 2147483648 : vector<8x128xf32> -> vector<8x256xf32>
  return
}

// -----

func.func @repeat_beyond_count(%v: vector<8x4611686018427387904xf32>) {
  // expected-error @below {{less than 2^63 elements}}
  %r = tpu.repeat %v, 1 x 4 : vector<8x4611686018427387904xf32> -> vector<8x256xf32>
  return
}

// -----

// Elements without a width.
func.func @bitcast_index(%v: vector<8x128xindex>) {
  // expected-error @below {{expected integer or float elements, got 'vector<8x128xindex>'}}
  %b = tpu.bitcast %v : vector<8x128xindex> -> vector<8x128xi64>
  return
}

// -----

func.func @accumulator_index(%a: vector<8x128xbf16>, %b: vector<128x128xbf16>, %c: vector<8x128xindex>) {
  // expected-error @below {{expected an accumulator of 32 bits, got 'vector<8x128xindex>'}}
  %r = tpu.matmul %a, %b, %c {transpose_lhs_hint = false} : vector<8x128xbf16>, vector<128x128xbf16>, vector<8x128xindex> -> vector<8x128xindex>
  return
}

// -----

func.func @bitcast_to_nothing(%v: vector<8x128xi32>) {
  // expected-error @below {{expected whole elements of 'i0', got 'vector<8x128xi32>'}}
  %b = tpu.bitcast %v : vector<8x128xi32> -> vector<8x128xi0>
  return
}

// -----

func.func @concatenate_beyond_count(%v: vector<4611686018427387904x1xi8>) {
  // expected-error @below {{expected less than 2^63 elements, got 3 operands of 'vector<4611686018427387904x1xi8>'}}
  %b = tpu.concatenate %v, %v, %v in 0 : vector<4611686018427387904x1xi8>, vector<4611686018427387904x1xi8>, vector<4611686018427387904x1xi8> -> vector<1x1xi8>
  return
}

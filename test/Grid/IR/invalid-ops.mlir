// Invalid ops of a body: one error in each chunk.
//
// RUN: gridir-opt %s --verify-diagnostics --split-input-file

func.func @slice_offsets(%x: memref<8x128xf32>) {
  // expected-error @below {{expected 2 offsets, got 1}}
  %0 = grid.slice_ref %x[0] [1, 64] [1, 1] : memref<8x128xf32> -> memref<1x64xf32>
  return
}

// -----

func.func @slice_sizes(%x: memref<8x128xf32>) {
  // expected-error @below {{expected 2 sizes, got 1}}
  %0 = grid.slice_ref %x[0, 0] [1] [1, 1] : memref<8x128xf32> -> memref<1x64xf32>
  return
}

// -----

func.func @slice_strides(%x: memref<8x128xf32>) {
  // expected-error @below {{expected 2 strides, got 3}}
  %0 = grid.slice_ref %x[0, 0] [1, 64] [1, 1, 1] : memref<8x128xf32> -> memref<1x64xf32>
  return
}

// -----

func.func @slice_dynamic_offsets(%x: memref<8xf32>, %i: i32) {
  // expected-error @below {{expected 0 dynamic offsets, got 1}}
  %0 = "grid.slice_ref"(%x, %i) <{static_offsets = array<i64: 0>, sizes = array<i64: 1>,
                                  strides = array<i64: 1>}> : (memref<8xf32>, i32) -> memref<1xf32>
  return
}

// -----

func.func @slice_stride(%x: memref<8xf32>) {
  // expected-error @below {{expected a non-negative size and a positive stride in dimension 0, got 4 and 0}}
  %0 = grid.slice_ref %x[0] [4] [0] : memref<8xf32> -> memref<4xf32>
  return
}

// -----

func.func @slice_long_stride(%x: memref<8xf32>, %i: i32) {
  // expected-error @below {{expected a stride of at most the 8 positions of dimension 0, got 9}}
  %0 = grid.slice_ref %x[%i] [2] [9] : memref<8xf32>, i32 -> memref<2xf32>
  return
}

// -----

func.func @slice_wide_stride(%x: memref<8xf32>) {
  // expected-error @below {{expected a stride that fits 32 bits in dimension 0, got 2147483648}}
  %0 = grid.slice_ref %x[0] [1] [2147483648] : memref<8xf32> -> memref<1xf32>
  return
}

// -----

func.func @slice_beyond_numbers(%x: memref<8xf32>) {
  // expected-error @below {{expected a window inside dimension 0 of size 8, got offset 1, size 9223372036854775807 and stride 2}}
  %0 = grid.slice_ref %x[1] [9223372036854775807] [2] : memref<8xf32> -> memref<9223372036854775807xf32>
  return
}

// -----

func.func @slice_window(%x: memref<8xf32>) {
  // expected-error @below {{expected a window inside dimension 0 of size 8, got offset 2, size 4 and stride 2}}
  %0 = grid.slice_ref %x[2] [4] [2] : memref<8xf32> -> memref<4xf32>
  return
}

// -----

func.func @slice_drop_order(%x: memref<8x8xf32>) {
  // expected-error @below {{expected ascending dimensions below 2 in drop, got 2}}
  %0 = grid.slice_ref %x[0, 0] [1, 1] [1, 1] drop [2] : memref<8x8xf32> -> memref<1xf32>
  return
}

// -----

func.func @slice_drop_size(%x: memref<8x8xf32>) {
  // expected-error @below {{expected a dropped dimension of size 1, got 2 in dimension 0}}
  %0 = grid.slice_ref %x[0, 0] [2, 1] [1, 1] drop [0] : memref<8x8xf32> -> memref<1xf32>
  return
}

// -----

func.func @slice_result(%x: memref<8x8xf32>) {
  // expected-error @below {{expected a result of type 'memref<2x4xf32>', got 'memref<8xf32>'}}
  %0 = grid.slice_ref %x[0, 0] [2, 4] [1, 1] : memref<8x8xf32> -> memref<8xf32>
  return
}

// -----

func.func @slice_space(%x: memref<8xf32, #tpu.memory_space<vmem>>) {
  // expected-error @below {{expected the result to keep the memory space of its source, 'memref<8xf32, #tpu.memory_space<vmem>>', got 'memref<4xf32>'}}
  %0 = grid.slice_ref %x[0] [4] [1] : memref<8xf32, #tpu.memory_space<vmem>> -> memref<4xf32>
  return
}

// -----

func.func @slice_layout(%x: memref<8xf32>) {
  // expected-error @below {{expected a result of identity layout, got 'memref<4xf32, strided<[2]>>'}}
  %0 = grid.slice_ref %x[0] [4] [2] : memref<8xf32> -> memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @bitcast_elements(%x: memref<8x!grid.semaphore<dma>>) {
  // expected-error @below {{expected integer or float elements, got 'memref<8x!grid.semaphore<dma>>' and 'memref<8xi32>'}}
  %0 = grid.bitcast_ref %x : memref<8x!grid.semaphore<dma>> -> memref<8xi32>
  return
}

// -----

func.func @bitcast_scalar(%x: memref<i16>) {
  // expected-error @below {{expected elements of one width in a Ref of rank 0, got 'memref<i16>' and 'memref<i32>'}}
  %0 = grid.bitcast_ref %x : memref<i16> -> memref<i32>
  return
}

// -----

func.func @bitcast_rows(%x: memref<3x128xi16>) {
  // expected-error @below {{expected 3 rows of 16 bits to be whole elements of 32 bits}}
  %0 = grid.bitcast_ref %x : memref<3x128xi16> -> memref<1x128xi32>
  return
}

// -----

func.func @bitcast_shape(%x: memref<4x128xi16>) {
  // expected-error @below {{expected a result of shape [2, 128], got 'memref<4x64xi32>'}}
  %0 = grid.bitcast_ref %x : memref<4x128xi16> -> memref<4x64xi32>
  return
}

// -----

func.func @reshape_type(%x: memref<8xf32>) {
  // expected-error @below {{expected one element type, got 'memref<8xf32>' and 'memref<8xi32>'}}
  %0 = grid.reshape_ref %x : memref<8xf32> -> memref<8xi32>
  return
}

// -----

func.func @reshape_count(%x: memref<8xf32>) {
  // expected-error @below {{expected 8 elements, got 6}}
  %0 = grid.reshape_ref %x : memref<8xf32> -> memref<2x3xf32>
  return
}

// -----

func.func @transpose_permutation(%x: memref<8x4xf32>) {
  // expected-error @below {{expected a permutation of 2 dimensions, got [0, 0]}}
  %0 = grid.transpose_ref %x [0, 0] : memref<8x4xf32> -> memref<8x8xf32>
  return
}

// -----

func.func @select_nothing(%i: i32) {
  // expected-error @below {{expected at least one Ref}}
  %0 = "grid.select_ref"(%i) : (i32) -> memref<8xf32>
  return
}

// -----

func.func @select_types(%i: i32, %a: memref<8xf32>, %b: memref<4xf32>) {
  // expected-error @below {{expected sources of the result's type, 'memref<8xf32>', got 'memref<4xf32>'}}
  %0 = grid.select_ref %i of %a, %b : memref<8xf32>, memref<4xf32> -> memref<8xf32>
  return
}

// -----

func.func @load_value(%x: memref<8xf32>) {
  // expected-error @below {{expected the value of a Ref of type 'memref<8xf32>' to be 'tensor<8xf32>', got 'tensor<8xi32>'}}
  %0 = grid.load %x : memref<8xf32> -> tensor<8xi32>
  return
}

// -----

func.func @load_scalar(%x: memref<f32>) {
  // expected-error @below {{expected the value of a Ref of type 'memref<f32>' to be 'f32', got 'tensor<f32>'}}
  %0 = grid.load %x : memref<f32> -> tensor<f32>
  return
}

// -----

func.func @load_mask(%x: memref<8xf32>, %m: tensor<4xi1>) {
  // expected-error @below {{expected a mask of type 'tensor<8xi1>', got 'tensor<4xi1>'}}
  %0 = grid.load %x mask %m : memref<8xf32>, tensor<4xi1> -> tensor<8xf32>
  return
}

// -----

func.func @record_mask(%x: memref<8xf32>, %m: tensor<4xi1>) {
  // expected-error @below {{expected a mask of type 'tensor<8xi1>', got 'tensor<4xi1>'}}
  grid.record_access read %x mask %m : memref<8xf32> mask tensor<4xi1>
  return
}

// -----

func.func @load_other(%x: memref<8xf32>, %m: tensor<8xi1>, %o: f32) {
  // expected-error @below {{expected other to be of type 'tensor<8xf32>', got 'f32'}}
  %0 = grid.load %x mask %m other %o : memref<8xf32>, tensor<8xi1>, f32 -> tensor<8xf32>
  return
}

// -----

func.func @store_value(%x: memref<8xf32>, %v: tensor<4xf32>) {
  // expected-error @below {{expected the value of a Ref of type 'memref<8xf32>' to be 'tensor<8xf32>', got 'tensor<4xf32>'}}
  grid.store %v, %x : tensor<4xf32>, memref<8xf32>
  return
}

// -----

func.func @accumulate_value(%x: memref<8xf32>, %v: f32) {
  // expected-error @below {{expected the value of a Ref of type 'memref<8xf32>' to be 'tensor<8xf32>', got 'f32'}}
  grid.accumulate %v, %x : f32, memref<8xf32>
  return
}

// -----

func.func @gather_count(%x: memref<8x4xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{expected an index tensor for each of 2 dimensions, at least one, got 1}}
  %0 = grid.gather %x[%i] dims [0, 1] : memref<8x4xf32>, tensor<2xi32> -> tensor<2xf32>
  return
}

// -----

func.func @gather_index_type(%x: memref<8xf32>, %i: tensor<2xf32>) {
  // expected-error @below {{expected integer index tensors of static shape, got 'tensor<2xf32>'}}
  %0 = grid.gather %x[%i] dims [0] : memref<8xf32>, tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @gather_index_shapes(%x: memref<8x4xf32>, %i: tensor<2xi32>, %j: tensor<3xi32>) {
  // expected-error @below {{expected index tensors of one shape, got 'tensor<2xi32>' and 'tensor<3xi32>'}}
  %0 = grid.gather %x[%i, %j] dims [0, 1]
      : memref<8x4xf32>, tensor<2xi32>, tensor<3xi32> -> tensor<2xf32>
  return
}

// -----

func.func @gather_dims(%x: memref<8x4xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{expected ascending dimensions below 2, got 2}}
  %0 = grid.gather %x[%i] dims [2] : memref<8x4xf32>, tensor<2xi32> -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_value(%x: memref<8x4xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{expected a value of type 'tensor<2x4xf32>', got 'tensor<4x2xf32>'}}
  %0 = grid.gather %x[%i] dims [0] : memref<8x4xf32>, tensor<2xi32> -> tensor<4x2xf32>
  return
}

// -----

func.func @scatter_mask(%v: tensor<2x4xf32>, %x: memref<8x4xf32>, %i: tensor<2xi32>, %m: tensor<2x4xi1>) {
  // expected-error @below {{expected a mask of type 'tensor<2xi1>', got 'tensor<2x4xi1>'}}
  grid.scatter %v, %x[%i] dims [0] mask %m
      : tensor<2x4xf32>, memref<8x4xf32>, tensor<2xi32> mask tensor<2x4xi1>
  return
}

// -----

func.func @atomic_value(%x: memref<8xi32>, %v: i32) {
  // expected-error @below {{expected the value of a Ref of type 'memref<8xi32>' to be 'tensor<8xi32>', got 'i32'}}
  %0 = grid.atomic_rmw add %v, %x : i32, memref<8xi32>
  return
}

// -----

func.func @cas_value(%x: memref<8xi32>, %v: i32) {
  // expected-error @below {{expected the value of a Ref of type 'memref<8xi32>' to be 'tensor<8xi32>', got 'i32'}}
  %0 = grid.atomic_cas %v, %v, %x : i32, memref<8xi32>
  return
}

// -----

func.func @scoped_argument() {
  // expected-error @below {{expected argument 0 to be a Ref of static shape and identity layout, got 'tensor<8xf32>'}}
  grid.scoped (%t: tensor<8xf32>) {
  }
  return
}

// -----

func.func @scoped_origins() {
  // expected-error @below {{expected an origin for each of 2 Refs, got 1}}
  grid.scoped (%t: memref<8xf32>, %u: memref<8xf32>) attributes {origins = ["t_ref"]} {
  }
  return
}

// -----

func.func @scoped_transforms() {
  // expected-error @below {{expected transforms of 2 Refs, got those of 1}}
  grid.scoped (%t: memref<8xf32>, %u: memref<8xf32>) attributes {transforms = [[]]} {
  }
  return
}

// -----

func.func @scoped_transform() {
  // expected-error @below {{expected transforms of each Ref, got [64]}}
  grid.scoped (%t: memref<8xf32>) attributes {transforms = [[64]]} {
  }
  return
}

// -----

func.func @scoped_results() {
  // expected-error @below {{expected the region to return 'f32', got 'i32'}}
  %0 = grid.scoped () -> f32 {
    %1 = arith.constant 0 : i32
    grid.yield %1 : i32
  }
  return
}

// -----

func.func @dot_dims(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) {
  // expected-error @below {{expected distinct dimensions below 2 for the lhs, got 2}}
  %0 = grid.dot %a, %b contract [2] x [0] : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @dot_counts(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) {
  // expected-error @below {{expected as many dimensions on the left as on the right}}
  %0 = grid.dot %a, %b contract [1] x [] : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x4x8xf32>
  return
}

// -----

func.func @dot_sizes(%a: tensor<8x4xf32>, %b: tensor<5x8xf32>) {
  // expected-error @below {{expected contracted and batch dimensions of equal size in 'tensor<8x4xf32>' and 'tensor<5x8xf32>'}}
  %0 = grid.dot %a, %b contract [1] x [0] : tensor<8x4xf32>, tensor<5x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @dot_result(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) {
  // expected-error @below {{expected a result of shape [8, 8], got 'tensor<8x4xf32>'}}
  %0 = grid.dot %a, %b contract [1] x [0] : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @dot_acc(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf64>) {
  // expected-error @below {{expected acc to have the type of the result, 'tensor<8x8xf32>', got 'tensor<8x8xf64>'}}
  %0 = grid.dot %a, %b acc %c contract [1] x [0]
      : tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x8xf64> -> tensor<8x8xf32>
  return
}

// -----

func.func @dot_precision(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) {
  // expected-error @below {{expected a precision for each side, got 1}}
  %0 = grid.dot %a, %b contract [1] x [0] precision ["high"]
      : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @print_placeholders(%x: f32) {
  // expected-error @below {{expected a value for each of 2 placeholders in the format, got 1}}
  grid.print "{} {}" %x : f32
  return
}

// -----

func.func @assert_values(%ok: i1, %i: i32) {
  // expected-error @below {{expected at most 2 integers, got 3}}
  grid.assert %ok, "{0} {1} {2}"(%i, %i, %i : i32, i32, i32)
  return
}

// -----

func.func @callback_identity() {
  // expected-error @below {{expected the identity of a function, got none}}
  grid.callback ""
  return
}

// -----

func.func @callback_signs(%x: i32) {
  // expected-error @below {{expected is_unsigned for each of 1 values, got 2}}
  grid.callback "5f0c93e1" %x : i32 {is_unsigned = array<i1: true, false>}
  return
}

// -----

func.func @print_signs(%x: i32) {
  // expected-error @below {{expected is_unsigned for each of 1 values, got 2}}
  grid.print "{}" %x : i32 {is_unsigned = array<i1: true, false>}
  return
}

// -----

func.func @copied_semaphores(%x: memref<2x!grid.semaphore<dma>>, %s: memref<!grid.semaphore<dma>>) {
  // expected-error @below {{expected a copy of numbers, got one of 'memref<2x!grid.semaphore<dma>>'}}
  grid.copy_start %x, %x sem %s : memref<2x!grid.semaphore<dma>>, memref<2x!grid.semaphore<dma>>, memref<!grid.semaphore<dma>>
  return
}

// -----

func.func @copy_shapes(%x: memref<8xf32>, %y: memref<4xf32>, %s: memref<!grid.semaphore<dma>>) {
  // expected-error @below {{expected source and destination of one shape and element type, got 'memref<8xf32>' and 'memref<4xf32>'}}
  grid.copy_start %x, %y sem %s : memref<8xf32>, memref<4xf32>, memref<!grid.semaphore<dma>>
  return
}

// -----

func.func @copy_semaphore_array(%x: memref<8xf32>, %s: memref<2x!grid.semaphore<dma>>) {
  // expected-error @below {{expected sem to be one semaphore, got 'memref<2x!grid.semaphore<dma>>'}}
  grid.copy_wait %x, %x sem %s : memref<8xf32>, memref<8xf32>, memref<2x!grid.semaphore<dma>>
  return
}

// -----

func.func @copy_semaphore_kind(%x: memref<8xf32>, %s: memref<!grid.semaphore<regular>>) {
  // expected-error @below {{expected sem not to be a regular semaphore}}
  grid.copy_wait %x, %x sem %s : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<regular>>
  return
}

// -----

func.func @copy_src_sem(%x: memref<8xf32>, %s: memref<!grid.semaphore<dma>>) {
  // expected-error @below {{expected src_sem if and only if a device}}
  grid.copy_start %x, %x sem %s src_sem %s
      : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<dma>>, memref<!grid.semaphore<dma>>
  return
}

// -----

func.func @device_type(%s: memref<!grid.semaphore<regular>>, %n: i32) {
  // expected-error @below {{expected device_id_type if and only if a device is given}}
  grid.semaphore_signal %s, %n device(%n : i32) : memref<!grid.semaphore<regular>>
  return
}

// -----

func.func @logical_device(%s: memref<!grid.semaphore<regular>>, %n: i32) {
  // expected-error @below {{expected one logical device number, got 2}}
  grid.semaphore_signal %s, %n device(%n, %n : i32, i32)
      {device_id_type = #grid.device_id_type<logical>} : memref<!grid.semaphore<regular>>
  return
}

// -----

func.func @signal_dma(%s: memref<!grid.semaphore<dma>>, %n: i32) {
  // expected-error @below {{expected sem not to be a dma semaphore}}
  grid.semaphore_signal %s, %n : memref<!grid.semaphore<dma>>
  return
}

// -----

func.func @read_semaphore_array(%s: memref<2x!grid.semaphore<regular>>) {
  // expected-error @below {{expected sem to be one semaphore, got 'memref<2x!grid.semaphore<regular>>'}}
  %0 = grid.semaphore_read %s : memref<2x!grid.semaphore<regular>>
  return
}

// -----

func.func @scoped_element() {
  // expected-error @below {{expected argument 0 to hold numbers or semaphores, got 'memref<8xvector<4xf32>>'}}
  grid.scoped (%a: memref<8xvector<4xf32>>) {
  }
  return
}

// -----

// expected-error @below {{expected scratch 0 to hold numbers or semaphores, got 'memref<8xui32>'}}
grid.kernel @scratch_element grid() scratch(%s: memref<8xui32>) {
}

// -----

func.func @uncountable_reshape(%x: memref<8xf32>) {
  // expected-error @below {{expected at most 1099511627776 elements, got 'memref<8xf32>' and 'memref<2x4611686018427387904xf32>'}}
  %0 = grid.reshape_ref %x : memref<8xf32> -> memref<2x4611686018427387904xf32>
  return
}

// -----

func.func @copy_to_a_device_without_its_semaphore(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<!grid.semaphore<dma>>, %n: i32) {
  // expected-error @below {{expected src_sem if and only if a device or a core is given}}
  grid.copy_start %x, %y sem %s device(%n : i32) {device_id_type = #grid.device_id_type<logical>}
      : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<dma>>
  return
}

// -----

func.func @copy_here_with_two_semaphores(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<!grid.semaphore<dma>>) {
  // expected-error @below {{expected src_sem if and only if a device or a core is given}}
  grid.copy_start %x, %y sem %s src_sem %s
      : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<dma>>, memref<!grid.semaphore<dma>>
  return
}

// -----

func.func @reshape_to_unknown(%x: memref<4x8xf32>) {
  // expected-error @below {{expected static shapes, got 'memref<4x8xf32>' and 'memref<?xf32>'}}
  %0 = grid.reshape_ref %x : memref<4x8xf32> -> memref<?xf32>
  return
}

// -----

func.func @bitcast_to_nothing(%x: memref<8xi32>) {
  // expected-error @below {{expected 8 rows of 32 bits to be whole elements of 0 bits}}
  %0 = grid.bitcast_ref %x : memref<8xi32> -> memref<8xi0>
  return
}

// -----

func.func @bitcast_beyond_count(%x: memref<4611686018427387904xi32>) {
  // expected-error @below {{expected 4611686018427387904 rows of 32 bits to be whole elements of 8 bits}}
  %0 = grid.bitcast_ref %x : memref<4611686018427387904xi32> -> memref<4xi8>
  return
}

// -----

func.func @dot_of_indices(%x: tensor<8x8xindex>) {
  // expected-error @below {{operand #0 must be ranked tensor of signless integer or floating-point or complex-type values, but got 'tensor<8x8xindex>'}}
  %0 = grid.dot %x, %x contract [1] x [0] : tensor<8x8xindex>, tensor<8x8xindex> -> tensor<8x8xindex>
  return
}

// -----

func.func @dot_to_index(%x: tensor<8x8xi32>) {
  // expected-error @below {{expected a result of integers, floats or complex numbers, got 'tensor<8x8xindex>'}}
  %0 = grid.dot %x, %x contract [1] x [0] : tensor<8x8xi32>, tensor<8x8xi32> -> tensor<8x8xindex>
  return
}

// -----

func.func @dot_of_complex(%x: tensor<8x8xcomplex<f32>>) {
  // expected-error @below {{expected complex numbers of one type, got 'tensor<8x8xcomplex<f32>>', 'tensor<8x8xcomplex<f32>>' and 'tensor<8x8xi32>'}}
  %0 = grid.dot %x, %x contract [1] x [0] : tensor<8x8xcomplex<f32>>, tensor<8x8xcomplex<f32>> -> tensor<8x8xi32>
  return
}

// -----

func.func @print_of_unknown_size(%x: tensor<?xf32>) {
  // expected-error @below {{must be variadic of a scalar or a tensor of static shape, but got 'tensor<?xf32>'}}
  grid.print "{}" %x : tensor<?xf32>
  return
}

// -----

func.func @call_with_vector(%x: vector<4xf32>) {
  // expected-error @below {{must be variadic of a scalar or a tensor of static shape, but got 'vector<4xf32>'}}
  "grid.callback"(%x) <{identity = "f"}> : (vector<4xf32>) -> ()
  return
}

// -----

func.func @bitcast_complex(%x: tensor<8x4xcomplex<f32>>) {
  // expected-error @below {{expected integers and floats, got 'tensor<8x4xcomplex<f32>>' and 'tensor<8x4xi32>'}}
  %0 = grid.bitcast %x : tensor<8x4xcomplex<f32>> -> tensor<8x4xi32>
  return
}

// -----

func.func @bitcast_same_width(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected two widths where one is a multiple of the other, got 'f32' and 'i32'}}
  %0 = grid.bitcast %x : tensor<8x4xf32> -> tensor<8x4xi32>
  return
}

// -----

func.func @bitcast_other_width(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected two widths where one is a multiple of the other, got 'f32' and 'i24'}}
  %0 = grid.bitcast %x : tensor<8x4xf32> -> tensor<8x4xi24>
  return
}

// -----

func.func @bitcast_rank(%x: tensor<8xbf16>) {
  // expected-error @below {{expected two dimensions or more of known sizes, got 'tensor<8xbf16>'}}
  %0 = grid.bitcast %x : tensor<8xbf16> -> tensor<4xi32>
  return
}

// -----

func.func @bitcast_unknown(%x: tensor<?x4xbf16>) {
  // expected-error @below {{expected two dimensions or more of known sizes, got 'tensor<?x4xbf16>'}}
  %0 = grid.bitcast %x : tensor<?x4xbf16> -> tensor<?x2xi32>
  return
}

// -----

func.func @bitcast_rows(%x: tensor<7x4xbf16>) {
  // expected-error @below {{expected whole elements of 'i32', got 'tensor<7x4xbf16>'}}
  %0 = grid.bitcast %x : tensor<7x4xbf16> -> tensor<3x4xi32>
  return
}

// -----

func.func @bitcast_shape(%x: tensor<8x4xbf16>) {
  // expected-error @below {{expected a result of 'tensor<4x4xi32>', got 'tensor<8x2xi32>'}}
  %0 = grid.bitcast %x : tensor<8x4xbf16> -> tensor<8x2xi32>
  return
}

// -----

func.func @rotate_dim(%x: tensor<8x4xf32>, %n: i32) {
  // expected-error @below {{expected a dimension of 'tensor<8x4xf32>', got 2}}
  %0 = grid.rotate %x by %n dim 2 : tensor<8x4xf32>, i32
  return
}

// -----

func.func @rotate_stride(%x: tensor<8x4xf32>, %n: i32) {
  // expected-error @below {{expected a stride and its dimension, or neither}}
  %0 = "grid.rotate"(%x, %n) {dim = 1 : i64, stride = 1 : i64} : (tensor<8x4xf32>, i32) -> tensor<8x4xf32>
  return
}

// -----

func.func @rotate_along(%x: tensor<8x4xf32>, %n: i32) {
  // expected-error @below {{expected another dimension of 'tensor<8x4xf32>' for the stride, got 1}}
  %0 = grid.rotate %x by %n dim 1 stride 1 along 1 : tensor<8x4xf32>, i32
  return
}

// RUN: gridir-opt %s --split-input-file --loops-verify-sizes --verify-diagnostics

func.func @counted(%x: memref<1048576x1048576xf32>, %y: memref<?x4xi1, strided<[1099511627776, ?], offset: ?>>,
                   %z: memref<1048576x0xf32>) {
  return
}

// -----

// expected-error @below {{expected a type of at most 1099511627776 elements, got 'memref<1048577x1048576xf32>'}}
func.func @argument(%x: memref<1048577x1048576xf32>) {
  return
}

// -----

// The number of bytes, and that of elements, exceed 64 bits.
func.func @result() {
  // expected-error @below {{expected a type of at most 1099511627776 elements, got 'memref<4611686018427387903x32xf32>'}}
  %0 = memref.alloc() : memref<4611686018427387903x32xf32>
  return
}

// -----

func.func @nested(%n: index) {
  scf.execute_region {
    // expected-error @below {{got 'tensor<?x4611686018427387904x2xf32>'}}
    %0 = tensor.empty(%n) : tensor<?x4611686018427387904x2xf32>
    scf.yield
  }
  return
}

// -----

// expected-error @below {{got 'memref<1048576xvector<2097152xf32>>'}}
func.func @vectors(%x: memref<1048576xvector<2097152xf32>>) {
  return
}

// -----

// expected-error @below {{got 'tensor<1099511627776xi129>'}}
func.func @wide(%x: tensor<1099511627776xi129>) {
  return
}

// -----

// expected-error @below {{got 'memref<4x4xf32, strided<[4611686018427387904, 1]>>'}}
func.func @stride(%x: memref<4x4xf32, strided<[4611686018427387904, 1]>>) {
  return
}

// -----

// expected-error @below {{got 'memref<4xf32, strided<[1], offset: 9223372036854775807>>'}}
func.func @offset(%x: memref<4xf32, strided<[1], offset: 9223372036854775807>>) {
  return
}

// -----

// expected-error @below {{expected numbers of one bit or more, got 'memref<4xi0>'}}
func.func @no_bits(%x: memref<4xi0>) {
  return
}

// -----

// The low 32 bits of the first number are those of 0.
func.func @groups(%x: tensor<8xf32>) -> tensor<1x8xf32> {
  // expected-error @below {{expected groups of all dimensions in order, got [[-4294967296, 1]]}}
  %0 = tensor.expand_shape %x [[-4294967296, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

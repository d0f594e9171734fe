// RUN: gridir-opt %s

// Inputs on which MLIR's own parser crashes.
func.func private @f() attributes {numbers = array<index: 1>}

// -----

// The same among the attributes of an op of gridir.
func.func private @g(%x: memref<8x32xf32, #tpu.memory_space<vmem>>, %i: index) {
  %0 = tpu.vector_load %x[%i, %i] {strides = array<index>} : memref<8x32xf32, #tpu.memory_space<vmem>>, vector<8x32xf32>,
  return
}

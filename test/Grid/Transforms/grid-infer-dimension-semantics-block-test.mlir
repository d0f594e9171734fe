// Claims that depend on prefetched scalars, which only a call knows: each call tests its blocks.
//
// RUN: gridir-opt %s --grid-infer-dimension-semantics=test-blocks --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: grid.kernel @rows
// CHECK: semantics [arbitrary, parallel]
// CHECK-SAME: grid.block_test = {dims = array<i64: 0>, operands = array<i64: 1>}
grid.kernel @rows grid(%i = 8, %j = 4)
    index(%rows: i32 [8])
    outputs(%o: f32 [64, 32] block [1, 8] map(%id: i32, %jd: i32, %r: memref<8xi32, #grid.space<default>>) {
      %at = arith.index_cast %id : i32 to index
      %row = memref.load %r[%at] : memref<8xi32, #grid.space<default>>
      grid.yield %row, %jd : i32, i32
    })
    semantics [parallel, arbitrary] {
  %v = arith.constant dense<0.0> : tensor<1x8xf32>
  grid.store %v, %o : tensor<1x8xf32>, memref<1x8xf32, #grid.space<default>>
}

// -----

// Operands that share memory are tested together.
// CHECK-LABEL: grid.kernel @in_place
// CHECK: grid.block_test = {dims = array<i64: 0>, operands = array<i64: 1, 2>}
grid.kernel @in_place grid(%i = 8)
    index(%rows: i32 [8])
    inputs(%x: f32 [64] block [1] map(%id: i32, %r: memref<8xi32, #grid.space<default>>) {
      %at = arith.index_cast %id : i32 to index
      %row = memref.load %r[%at] : memref<8xi32, #grid.space<default>>
      grid.yield %row : i32
    })
    outputs(%o: f32 [64] block [1] map(%id: i32, %r: memref<8xi32, #grid.space<default>>) {
      %at = arith.index_cast %id : i32 to index
      %row = memref.load %r[%at] : memref<8xi32, #grid.space<default>>
      grid.yield %row : i32
    })
    semantics [parallel] aliases [1 -> 0] {
  %v = grid.load %x : memref<1xf32, #grid.space<default>> -> tensor<1xf32>
  grid.store %v, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// Blocks of elements may overlap without being the same.
// CHECK-LABEL: grid.kernel @elements
// CHECK-NOT: grid.block_test
// expected-remark @below {{dimension 0 is declared parallel, but its programs may depend on their order}}
grid.kernel @elements grid(%i = 8)
    index(%rows: i32 [8])
    outputs(%o: f32 [64] block [element(4)] map(%id: i32, %r: memref<8xi32, #grid.space<default>>) {
      %at = arith.index_cast %id : i32 to index
      %row = memref.load %r[%at] : memref<8xi32, #grid.space<default>>
      grid.yield %row : i32
    })
    semantics [parallel] {
  %v = arith.constant dense<0.0> : tensor<4xf32>
  // expected-note @below {{programs that differ along it may touch the same elements of outputs[0]}}
  grid.store %v, %o : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// Programs that write to the scalars change the blocks of those after them.
// CHECK-LABEL: grid.kernel @written_scalars
// CHECK-NOT: grid.block_test
// expected-remark @below {{dimension 0 is declared parallel, but its programs depend on their order}}
grid.kernel @written_scalars grid(%i = 8)
    index(%rows: i32 [8])
    outputs(%o: f32 [64] block [1] map(%id: i32, %r: memref<8xi32, #grid.space<default>>) {
      %at = arith.index_cast %id : i32 to index
      %row = memref.load %r[%at] : memref<8xi32, #grid.space<default>>
      grid.yield %row : i32
    })
    semantics [parallel] {
  %v = arith.constant dense<0.0> : tensor<1xf32>
  grid.store %v, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  %n = arith.constant dense<1> : tensor<8xi32>
  // expected-note @below {{programs (0) and (1) touch the same elements of}}
  grid.store %n, %rows : tensor<8xi32>, memref<8xi32, #grid.space<default>>
}

// -----

// State in scratch is independent of blocks.
// CHECK-LABEL: grid.kernel @carried
// CHECK-NOT: grid.block_test
// expected-remark @below {{dimension 0 is declared parallel, but its programs depend on their order}}
grid.kernel @carried grid(%i = 8)
    index(%rows: i32 [8])
    outputs(%o: f32 [64] block [1] map(%id: i32, %r: memref<8xi32, #grid.space<default>>) {
      %at = arith.index_cast %id : i32 to index
      %row = memref.load %r[%at] : memref<8xi32, #grid.space<default>>
      grid.yield %row : i32
    })
    scratch(%s: memref<1xf32>)
    semantics [parallel] {
  // expected-note @below {{program (1) reads elements that program (0) has written}}
  %v = grid.load %s : memref<1xf32> -> tensor<1xf32>
  %w = arith.addf %v, %v : tensor<1xf32>
  grid.store %w, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
  // expected-note @below {{it is written here}}
  grid.store %w, %s : tensor<1xf32>, memref<1xf32>
}

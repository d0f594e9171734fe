// Claims of the author that are wrong, or not proved: the dimension keeps its order, and a remark says why.
//
// RUN: gridir-opt %s --grid-infer-dimension-semantics --split-input-file --verify-diagnostics | FileCheck %s
// RUN: gridir-opt %s --grid-infer-dimension-semantics --split-input-file -o /dev/null 2>&1 \
// RUN:   --remarks-filter=grid-infer-dimension-semantics --remark-format=emitRemark | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] dimension | Category:grid-infer-dimension-semantics | Remark="dimension 0 is parallel"
// REMARK: [Missed] dimension | Category:grid-infer-dimension-semantics | Remark="dimension 1 (columns) is not parallel: programs (0, 0) and (0, 1) touch the same elements of o_ref"
// REMARK: [Missed] dimension | Category:grid-infer-dimension-semantics | Remark="dimension 0 is not proved parallel: programs that differ along it may touch the same elements of outputs[0]"

// CHECK-LABEL: grid.kernel @revisited
// CHECK: semantics [parallel, arbitrary]
// expected-remark @below {{dimension 1 (columns) is declared parallel, but its programs depend on their order}}
grid.kernel @revisited grid(%i = 4, %k = 8 named "columns")
    inputs(%x: f32 [4, 8] block [1, 1] at (%i, %k))
    outputs(%o: f32 [4, 1] block [1, 1] at (%i, 0) origin "o_ref")
    params [#grid.tpu_params<dimension_semantics = ["parallel", "parallel"]>] {
  %v = grid.load %x : memref<1x1xf32, #grid.space<default>> -> tensor<1x1xf32>
  // expected-note @below {{programs (0, 0) and (0, 1) touch the same elements of o_ref}}
  grid.accumulate %v, %o : tensor<1x1xf32>, memref<1x1xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @carried
// CHECK: semantics [arbitrary]
// expected-remark @below {{dimension 0 is declared parallel, but its programs depend on their order}}
grid.kernel @carried grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i))
    outputs(%o: f32 [32] block [8] at (%i))
    scratch(%sum: memref<8xf32>)
    semantics [parallel] {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  // expected-note @below {{program (1) reads elements that program (0) has written to scratch[0]}}
  %s = grid.load %sum : memref<8xf32> -> tensor<8xf32>
  %t = arith.addf %s, %v : tensor<8xf32>
  // expected-note @below {{it is written here}}
  grid.store %t, %sum : tensor<8xf32>, memref<8xf32>
  grid.store %t, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: grid.kernel @printed
// CHECK: semantics [arbitrary]
// expected-remark @below {{dimension 0 is declared parallel, but its programs depend on their order}}
grid.kernel @printed grid(%i = 4) semantics [parallel] {
  // expected-note @below {{values are printed in the order of the programs}}
  grid.print "here"
}

// -----

// Neither proved nor refuted: threads would race for the block if it is written more than once.
// CHECK-LABEL: grid.kernel @unknown
// CHECK: semantics [arbitrary]
// expected-remark @below {{dimension 0 is declared parallel, but its programs may depend on their order}}
grid.kernel @unknown grid(%i = 8)
    inputs(%m: i1 [8] block [1] at (%i))
    outputs(%o: f32 [64] block [64] at (0))
    semantics [parallel] {
  %c0 = arith.constant 0 : index
  %mask = grid.load %m : memref<1xi1, #grid.space<default>> -> tensor<1xi1>
  %bit = tensor.extract %mask[%c0] : tensor<1xi1>
  scf.if %bit {
    %v = arith.constant dense<0.0> : tensor<64xf32>
    // expected-note @below {{programs that differ along it may touch the same elements of outputs[0]}}
    grid.store %v, %o : tensor<64xf32>, memref<64xf32, #grid.space<default>>
  }
}

// -----

// The rows may repeat, whatever the author says.
// CHECK-LABEL: grid.kernel @prefetched
// CHECK: semantics [arbitrary]
// expected-remark @below {{dimension 0 is declared core_parallel, but its programs may depend on their order}}
grid.kernel @prefetched grid(%i = 8)
    index(%rows: i32 [8])
    outputs(%o: f32 [64] block [1] map(%id: i32, %r: memref<8xi32, #grid.space<default>>) {
      %at = arith.index_cast %id : i32 to index
      %row = memref.load %r[%at] : memref<8xi32, #grid.space<default>>
      grid.yield %row : i32
    } origin "o_ref")
    params [#grid.tpu_params<dimension_semantics = ["core_parallel"]>] {
  %v = arith.constant dense<0.0> : tensor<1xf32>
  // expected-note @below {{programs that differ along it may touch the same elements of o_ref}}
  grid.store %v, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// Programs that write under mutually exclusive conditions do not race.
// CHECK-LABEL: grid.kernel @the_last_one_writes
// CHECK: semantics [parallel, arbitrary]
grid.kernel @the_last_one_writes grid(%i = ?, %k = 2) outputs(%o: f32 [8] block [8] at (0))
    semantics [parallel, arbitrary] {
  %c1 = arith.constant 1 : i32
  %id = grid.program_id 0
  %n = grid.num_programs 0
  %end = arith.subi %n, %c1 : i32
  %last = arith.cmpi eq, %id, %end : i32
  scf.if %last {
    %v = arith.constant dense<0.0> : tensor<8xf32>
    grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

// -----

// Unless the block overhangs its array: then every program copies it.
// CHECK-LABEL: grid.kernel @the_last_one_writes_overhanging
// CHECK: semantics [arbitrary]
// expected-remark @below {{dimension 0 is declared parallel, but its programs may depend on their order}}
grid.kernel @the_last_one_writes_overhanging grid(%i = 4) outputs(%o: f32 [7] block [8] at (0))
    semantics [parallel] {
  %c3 = arith.constant 3 : i32
  %id = grid.program_id 0
  %last = arith.cmpi eq, %id, %c3 : i32
  scf.if %last {
    %v = arith.constant dense<0.0> : tensor<8xf32>
    // expected-note @below {{programs that differ along it may touch the same elements of outputs[0]}}
    grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

// -----

// Prefetched scalars that programs write to are notes for the next program on the same core. They cannot be told from
// those of another core in order, but each work item has its own.
// CHECK-LABEL: grid.kernel @notes_in_prefetched_scalars
// CHECK: semantics [parallel, arbitrary]
// CHECK-SAME: grid.own_state
grid.kernel @notes_in_prefetched_scalars grid(%i = 2, %k = 4)
    index(%begins: i32 [1] space #tpu.memory_space<smem>)
    inputs(%x: f32 [8, 8] block [squeezed, 8] at (%i * 4 + %k, 0))
    outputs(%o: f32 [8, 8] block [squeezed, 8] at (%i * 4 + %k, 0))
    scratch(%t: memref<8xf32>)
    semantics [parallel, arbitrary] {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %flag = grid.load %begins : memref<1xi32, #tpu.memory_space<smem>> -> tensor<1xi32>
  %first = tensor.extract %flag[%c0] : tensor<1xi32>
  %is = arith.cmpi ne, %first, %c0_i32 : i32
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  scf.if %is {
    grid.store %v, %t : tensor<8xf32>, memref<8xf32>
    %none = arith.constant dense<0> : tensor<1xi32>
    grid.store %none, %begins : tensor<1xi32>, memref<1xi32, #tpu.memory_space<smem>>
  }
  %w = grid.load %t : memref<8xf32> -> tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The author, who says something of two dimensions, does not see the one of `jax.vmap`, whose programs never know of each
// other.
// CHECK-LABEL: grid.kernel @vmapped
// CHECK: semantics [arbitrary, arbitrary, arbitrary]
// expected-remark @below {{dimension 0 is declared parallel, but its programs may depend on their order}}
// expected-remark @below {{dimension 1 is declared parallel, but its programs may depend on their order}}
grid.kernel @vmapped grid(%b = 2 vmapped, %i = 8, %k = 2)
    index(%rows: i32 [2, 8])
    outputs(%o: f32 [128] block [1] map(%b0: i32, %id: i32, %k0: i32, %r: memref<2x8xi32, #grid.space<default>>) {
      %b1 = arith.index_cast %b0 : i32 to index
      %at = arith.index_cast %id : i32 to index
      %row = memref.load %r[%b1, %at] : memref<2x8xi32, #grid.space<default>>
      grid.yield %row : i32
    })
    params [#grid.tpu_params<dimension_semantics = ["parallel", "arbitrary"]>] {
  %v = arith.constant dense<0.0> : tensor<1xf32>
  // expected-note @below {{programs that differ along it may touch the same elements of outputs[0]}}
  grid.store %v, %o : tensor<1xf32>, memref<1xf32, #grid.space<default>>
}

// -----

// The cores of a mesh share what is in the memory of their chip: the second one sees what the first has written.
// CHECK-LABEL: grid.kernel @shared_scope
// CHECK: semantics [arbitrary]
// expected-remark @below {{dimension 0 (core) is declared core_parallel, but its programs may depend on their order}}
grid.kernel @shared_scope grid(%c = 2 named "core" core)
    outputs(%o: f32 [16] block [8] at (%c))
    semantics [core_parallel] {
  %c0 = arith.constant 0 : i32
  %core = grid.program_id 0
  %first = arith.cmpi eq, %core, %c0 : i32
  grid.scoped (%s: memref<8xf32, #tpu.memory_space<hbm>>) {
    scf.if %first {
      %v = arith.constant dense<1.0> : tensor<8xf32>
      grid.store %v, %s : tensor<8xf32>, memref<8xf32, #tpu.memory_space<hbm>>
    }
    // expected-note @below {{which may be read before the program writes it}}
    %w = grid.load %s : memref<8xf32, #tpu.memory_space<hbm>> -> tensor<8xf32>
    grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

// -----

// A core that writes first sees what it has written itself.
// CHECK-LABEL: grid.kernel @shared_scope_written_first
// CHECK: semantics [core_parallel]
grid.kernel @shared_scope_written_first grid(%c = 2 named "core" core)
    outputs(%o: f32 [16] block [8] at (%c))
    semantics [core_parallel] {
  grid.scoped (%s: memref<8xf32, #tpu.memory_space<hbm>>) {
    %v = arith.constant dense<1.0> : tensor<8xf32>
    grid.store %v, %s : tensor<8xf32>, memref<8xf32, #tpu.memory_space<hbm>>
    %w = grid.load %s : memref<8xf32, #tpu.memory_space<hbm>> -> tensor<8xf32>
    grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

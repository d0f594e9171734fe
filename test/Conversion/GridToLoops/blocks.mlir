// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s

// The last block overhangs. It is tested once for each operand, and both ways give one type, so that the body stands
// once. The private buffer holds NaN around the valid part; what the program writes there is copied out. A block that is
// first stored, whole, needs no contents before. The program asks where it is, so that its blocks stay where they are.
// CHECK-LABEL: func.func @overhang(
// CHECK-SAME:      %[[X:.*]]: memref<500xf32> {llvm.noalias}, %[[O:.*]]: memref<500xf32> {llvm.noalias}
// CHECK-DAG:     %[[XB:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<128xf32>
// CHECK-DAG:     %[[OB:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<128xf32>
// CHECK:         scf.for
// CHECK:           %[[XS:[a-z0-9_]*]] = scf.if %{{.*}} -> (memref<128xf32, strided<[1], offset: ?>>) {
// CHECK:             memref.subview %[[X]][%{{.*}}] [128] [1]
// CHECK:           } else {
// CHECK:             %[[NAN:[a-z0-9_]*]] = arith.constant 0x7FC00000 : f32
// CHECK:             linalg.fill ins(%[[NAN]]
// CHECK:             linalg.copy
// CHECK:           }
// CHECK:           %[[OS:[a-z0-9_]*]] = scf.if %[[INSIDE:[a-z0-9]*]] -> (memref<128xf32, strided<[1], offset: ?>>) {
// CHECK-NOT:         linalg.fill
// CHECK:           bufferization.to_tensor %[[XS]]
// CHECK:           bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OS]]
// CHECK:           scf.if %[[INSIDE]] {
// CHECK:           } else {
// CHECK:             linalg.copy
grid.kernel @overhang grid(%i = 4)
    inputs(%x: f32 [500] block [128] at (%i))
    outputs(%o: f32 [500] block [128] at (%i)) {
  %p = grid.program_id 0
  %f = arith.sitofp %p : i32 to f32
  %t = tensor.splat %f : tensor<128xf32>
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %s = arith.addf %v, %t : tensor<128xf32>
  grid.store %s, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Each row is computed from the same row alone, and no program asks where it is. So the last blocks, which would overhang
// by rows, start earlier and lie inside: some rows are computed twice.
// CHECK-LABEL: func.func @moved(
// CHECK-NOT:     memref.alloca
// CHECK-NOT:     scf.if
// CHECK:         %[[C492:.*]] = arith.constant 492 : index
// CHECK:         arith.minsi %{{.*}}, %[[C492]]
// CHECK:         return
grid.kernel @moved grid(%i = 63)
    inputs(%x: f32 [500, 64] block [8, 64] at (%i, 0), %y: f32 [1, 64] block [1, 64] at (0, 0))
    outputs(%o: f32 [500, 64] block [8, 64] at (%i, 0)) {
  %v = grid.load %x : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %b = grid.load %y : memref<1x64xf32, #grid.space<default>> -> tensor<1x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%v : tensor<8x64xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %c = tensor.collapse_shape %b [[0, 1]] : tensor<1x64xf32> into tensor<64xf32>
  %g = tensor.empty() : tensor<8x64xf32>
  %r = linalg.broadcast ins(%s : tensor<8xf32>) outs(%g : tensor<8x64xf32>) dimensions = [1]
  %w = linalg.broadcast ins(%c : tensor<64xf32>) outs(%g : tensor<8x64xf32>) dimensions = [0]
  %m = arith.subf %v, %r : tensor<8x64xf32>
  %n = arith.mulf %m, %w : tensor<8x64xf32>
  grid.store %n, %o : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>
}

// -----

// Masked elements differ between the two programs that write a row: nothing moves.
// CHECK-LABEL: func.func @masked_rows(
// CHECK-COUNT-2: memref.alloca() {{.*}} : memref<8x64xf32>
// CHECK:         scf.if
// CHECK:         return
grid.kernel @masked_rows grid(%i = 63)
    inputs(%x: f32 [500, 64] block [8, 64] at (%i, 0), %m: i1 [8, 64] block [8, 64] at (0, 0))
    outputs(%o: f32 [500, 64] block [8, 64] at (%i, 0)) {
  %v = grid.load %x : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %mask = grid.load %m : memref<8x64xi1, #grid.space<default>> -> tensor<8x64xi1>
  grid.store %v, %o mask %mask : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>, tensor<8x64xi1>
}

// -----

// Nor where a fixed operand is combined with one that would move: each row adds its own index in the block.
// CHECK-LABEL: func.func @numbered_rows(
// CHECK-COUNT-2: memref.alloca() {{.*}} : memref<8x64xf32>
// CHECK:         scf.if
// CHECK:         return
grid.kernel @numbered_rows grid(%i = 63)
    inputs(%x: f32 [500, 64] block [8, 64] at (%i, 0), %n: f32 [8, 64] block [8, 64] at (0, 0))
    outputs(%o: f32 [500, 64] block [8, 64] at (%i, 0)) {
  %v = grid.load %x : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %number = grid.load %n : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %sum = arith.addf %v, %number : tensor<8x64xf32>
  grid.store %sum, %o : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>
}

// -----

// On threads, only one of two programs writes the rows of both: the last block is a buffer, and only its rest is copied
// out.
// CHECK-LABEL: func.func @moved_on_threads(
// CHECK:         %[[BUFFER:.+]] = memref.alloca()
// CHECK:         arith.minsi
// CHECK:         %[[START:.+]] = arith.minsi %[[AT:[a-z0-9_]+]],
// CHECK:         %[[OVERLAP:.+]] = arith.subi %[[AT]], %[[START]]
// CHECK:         %[[ALONE:.+]] = arith.cmpi eq, %[[OVERLAP]]
// CHECK:         scf.if %[[ALONE]]
// CHECK:         %[[ROWS:.+]] = arith.subi %{{.*}}, %[[OVERLAP]]
// CHECK:         memref.subview %[[BUFFER]][%[[OVERLAP]], 0] [%[[ROWS]],
grid.kernel @moved_on_threads grid(%i = 63)
    inputs(%x: f32 [500, 64] block [8, 64] at (%i, 0))
    outputs(%o: f32 [500, 64] block [8, 64] at (%i, 0)) semantics [parallel] {
  %v = grid.load %x : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %w = arith.addf %v, %v : tensor<8x64xf32>
  grid.store %w, %o : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>
}

// -----

// Where rows are reduced, or numbered, the padding of the last block stays where it is.
// CHECK-LABEL: func.func @numbered(
// CHECK:         scf.if %{{.*}} -> (memref<8x64xf32
grid.kernel @numbered grid(%i = 63)
    inputs(%x: f32 [500, 64] block [8, 64] at (%i, 0))
    outputs(%o: f32 [500, 64] block [8, 64] at (%i, 0)) {
  %v = grid.load %x : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.addf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8x64xf32>
  grid.store %n, %o : tensor<8x64xf32>, memref<8x64xf32, #grid.space<default>>
}

// -----

// CHECK-LABEL: func.func @reduced(
// CHECK:         scf.if %{{.*}} -> (memref<8x64xf32
grid.kernel @reduced grid(%i = 63)
    inputs(%x: f32 [500, 64] block [8, 64] at (%i, 0))
    outputs(%o: f32 [63, 64] block [squeezed, 64] at (%i, 0)) {
  %v = grid.load %x : memref<8x64xf32, #grid.space<default>> -> tensor<8x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%v : tensor<8x64xf32>) outs(%f : tensor<64xf32>) dimensions = [0]
  grid.store %s, %o : tensor<64xf32>, memref<64xf32, #grid.space<default>>
}

// -----

// An input that overhangs is not copied out.
// CHECK-LABEL: func.func @overhanging_input(
// CHECK:           bufferization.materialize_in_destination
// CHECK-NOT:       linalg.copy
// CHECK:         return
grid.kernel @overhanging_input grid(%i = 4)
    inputs(%x: i32 [500] block [128] at (%i))
    outputs(%o: i32 [512] block [128] at (%i)) {
  %v = grid.load %x : memref<128xi32, #grid.space<default>> -> tensor<128xi32>
  grid.store %v, %o : tensor<128xi32>, memref<128xi32, #grid.space<default>>
}

// -----

// The output's block is the same one in all programs of a row, which read what they have left there. So the private
// buffer is filled where the program before, in the same work item, had another block, and keeps its padding elsewhere.
// CHECK-LABEL: func.func @stays(
// CHECK-DAG:     %[[LAST:.+]] = memref.alloca() {{.*}} : memref<3xi64>
// CHECK-DAG:     %[[BUFFER:.+]] = memref.alloca() {{.*}} : memref<1x128xf32>
// CHECK:         scf.for
// CHECK:           memref.store %{{.*}}, %[[LAST]]
// CHECK:           scf.for
// CHECK-COUNT-3:     memref.store %{{.*}}, %[[LAST]]
// CHECK:             scf.if %{{.*}} -> (memref<1x128xf32
// CHECK:             } else {
// CHECK-NEXT:          scf.if %{{.*}} {
// CHECK-NEXT:          } else {
// CHECK:                 linalg.fill ins(%{{.*}} : f32) outs(%[[BUFFER]]
grid.kernel @stays grid(%i = 4, %j = 8)
    inputs(%x: f32 [32, 128] block [1, 128] at (%j, 0))
    outputs(%o: f32 [4, 100] block [1, 128] at (%i, 0)) semantics [parallel, arbitrary] {
  %v = grid.load %x : memref<1x128xf32, #grid.space<default>> -> tensor<1x128xf32>
  %a = grid.load %o : memref<1x128xf32, #grid.space<default>> -> tensor<1x128xf32>
  %b = arith.addf %a, %v : tensor<1x128xf32>
  grid.store %b, %o : tensor<1x128xf32>, memref<1x128xf32, #grid.space<default>>
}

// -----

// The block is another one in each program: nothing is to be kept.
// CHECK-LABEL: func.func @moves(
// CHECK:         scf.for
// CHECK-NOT:     memref.store
// CHECK:         return
grid.kernel @moves grid(%i = 4, %j = 8)
    inputs(%x: f32 [8, 128] block [1, 128] at (%j, 0))
    outputs(%o: f32 [4, 8, 100] block [squeezed, 1, 128] at (%i, %j, 0)) semantics [parallel, arbitrary] {
  %v = grid.load %x : memref<1x128xf32, #grid.space<default>> -> tensor<1x128xf32>
  %a = grid.load %o : memref<1x128xf32, #grid.space<default>> -> tensor<1x128xf32>
  %b = arith.addf %a, %v : tensor<1x128xf32>
  grid.store %b, %o : tensor<1x128xf32>, memref<1x128xf32, #grid.space<default>>
}

// -----

// Stores of a program to its block of an input persist when the block is visited again: in the buffer, or in the copy
// of the array.
// CHECK-LABEL: func.func @written_input(
// CHECK:         %[[COPY:.+]] = memref.alloca() {{.*}} : memref<12xf32>
// CHECK:         linalg.copy ins(%{{.*}} : memref<12xf32>) outs(%[[COPY]]
// CHECK:         scf.if %[[INSIDE:.+]] -> (memref<8xf32
// CHECK:         bufferization.materialize_in_destination
// CHECK:         scf.if %[[INSIDE]] {
// CHECK-NEXT:    } else {
// CHECK:           %[[PART:.+]] = memref.subview %[[COPY]]
// CHECK:           linalg.copy ins(%{{.*}}) outs(%[[PART]]
grid.kernel @written_input grid(%i = 3, %j = 2)
    inputs(%x: f32 [12] block [8] at (%j))
    outputs(%o: f32 [3, 16] block [squeezed, 8] at (%i, %j)) {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = arith.addf %v, %v : tensor<8xf32>
  grid.store %w, %x : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// A squeezed dimension is absent from the block.
// CHECK-LABEL: func.func @squeezed(
// CHECK-NOT:     scf.if
// CHECK:         memref.subview %{{[a-z0-9]*}}[%{{[a-z0-9]*}}, 0] [1, 16] [1, 1] : memref<4x16xf32> to memref<16xf32, strided<[1], offset: ?>>
grid.kernel @squeezed grid(%i = 4)
    inputs(%x: f32 [4, 16] block [squeezed, 16] at (%i, 0))
    outputs(%o: f32 [4, 16] block [squeezed, 16] at (%i, 0)) {
  %v = grid.load %x : memref<16xf32, #grid.space<default>> -> tensor<16xf32>
  grid.store %v, %o : tensor<16xf32>, memref<16xf32, #grid.space<default>>
}

// -----

// Windows of elements overlap and count elements; padding lies before the array.
// CHECK-LABEL: func.func @element(
// CHECK:         %[[C1:[a-z0-9_]*]] = arith.constant 1 : index
// CHECK:         arith.subi
// CHECK:         scf.if %{{.*}} -> (memref<10xf32, strided<[1], offset: ?>>)
grid.kernel @element grid(%i = 4)
    inputs(%x: f32 [32] block [element(10, 1, 1)] at (%i * 8))
    outputs(%o: f32 [32] block [8] at (%i)) {
  %s = grid.slice_ref %x[1] [8] [1] : memref<10xf32, #grid.space<default>> -> memref<8xf32, #grid.space<default>>
  %v = grid.load %s : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// A block that may lie wholly outside its array is an error that the caller gets, with the block's index.
// CHECK-LABEL: kernel.abi @outside diagnostics = ["block index {0} of dimension 0 of x_ref is outside the array, which has 512 elements there and blocks of 128 (kernel.py:7:3)"]
// CHECK:       func.func @outside(
// CHECK-SAME:      %[[STATUS:[a-z0-9]*]]: memref<4xi64>, %{{[a-z0-9]*}}: index, %{{[a-z0-9]*}}: index)
// CHECK:         scf.if
// CHECK:           memref.load %[[STATUS]]
// CHECK:           memref.store %{{.*}}, %[[STATUS]]
grid.kernel @outside grid(%i = 4)
    inputs(%x: f32 [512] block [128] at (%i + 1) origin "x_ref")
    outputs(%o: f32 [512] block [128] at (%i)) {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  grid.store %v, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
} loc("kernel.py":7:3)

// -----

// An index map that reads a prefetched scalar is computed in place and tested.
// CHECK-LABEL: func.func @prefetched(
// CHECK-SAME:      %[[ROWS:[a-z0-9]*]]: memref<8xi32>
// CHECK:         %[[ROW:[a-z0-9_]*]] = memref.subview %[[ROWS]]
// CHECK:         memref.load %[[ROW]]
// CHECK:         scf.if
grid.kernel @prefetched grid(%i = 8)
    index(%rows: i32 [8] space index)
    inputs(%x: f32 [64, 16] block [squeezed, 16] map(%a: i32, %r: memref<8xi32, #grid.space<index>>) {
             %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<8xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
             %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
             %c0 = arith.constant 0 : i32
             grid.yield %row, %c0 : i32, i32
           })
    outputs(%o: f32 [8, 16] block [squeezed, 16] at (%i, 0)) {
  %v = grid.load %x : memref<16xf32, #grid.space<default>> -> tensor<16xf32>
  grid.store %v, %o : tensor<16xf32>, memref<16xf32, #grid.space<default>>
}

// -----

// A sequential dimension is a loop inside the work item; two parallel ones are taken apart; scratch is made once.
// CHECK-LABEL: func.func @dimensions(
// CHECK-SAME:      %[[N:[a-z0-9]*]]: memref<i32>
// CHECK:         memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         scf.for %[[ITEM:[a-z0-9_]*]] = %{{.*}} to %{{.*}} step
// CHECK:           arith.remui %[[ITEM]]
// CHECK:           arith.divui %[[ITEM]]
// CHECK:           scf.for
// CHECK-NOT:         memref.alloca
// CHECK:             arith.index_cast %[[ITEM:.*]] : index to i32
// CHECK:       func.func @dimensions.range(%[[N2:[a-z0-9]*]]: memref<i32>
// CHECK:         memref.load %[[N2]]
grid.kernel @dimensions grid(%i = 2, %k = 3, %j = ?)
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #tpu.memory_space<vmem>>)
    semantics [parallel, arbitrary, parallel] {
  %p = grid.program_id 1
  %n = grid.num_programs 2
  %s = arith.addi %p, %n : i32
  %f = arith.sitofp %s : i32 to f32
  %t = tensor.splat %f : tensor<8xf32>
  grid.store %t, %a : tensor<8xf32>, memref<8xf32, #tpu.memory_space<vmem>>
  %v = grid.load %a : memref<8xf32, #tpu.memory_space<vmem>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// A block of the result that is read before it is stored is brought in, as that of an input.
// CHECK-LABEL: func.func @accumulated(
// CHECK:         memref.alloca() {{.*}} : memref<128xf32>
// CHECK:         scf.if
// CHECK:         } else {
// CHECK:           linalg.fill
// CHECK:           linalg.copy
grid.kernel @accumulated grid(%i = 4)
    inputs(%x: f32 [512] block [128] at (%i))
    outputs(%o: f32 [500] block [128] at (%i)) {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %w = grid.load %o : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  %s = arith.addf %v, %w : tensor<128xf32>
  grid.store %s, %o : tensor<128xf32>, memref<128xf32, #grid.space<default>>
}

// -----

// Blocks that tile the array lie inside of it or miss it; one that misses is reported, and the nearest one is used
// instead, so that no private buffer is needed.
// CHECK-LABEL: func.func @tiles(
// CHECK-NOT:     memref.alloca
// CHECK:         scf.if
// CHECK:         arith.maxsi
// CHECK:         arith.minsi
// CHECK-NOT:     scf.if {{.*}} -> (memref
// CHECK:         return
grid.kernel @tiles grid(%i = 8)
    index(%rows: i32 [8] space index)
    inputs(%x: f32 [64, 16] block [4, 16] map(%a: i32, %r: memref<8xi32, #grid.space<index>>) {
             %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<8xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
             %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
             %c0 = arith.constant 0 : i32
             grid.yield %row, %c0 : i32, i32
           })
    outputs(%o: f32 [32, 16] block [4, 16] at (%i, 0)) {
  %v = grid.load %x : memref<4x16xf32, #grid.space<default>> -> tensor<4x16xf32>
  grid.store %v, %o : tensor<4x16xf32>, memref<4x16xf32, #grid.space<default>>
}

// -----

// Which rows programs see is known to the call. Work item 0 is the whole grid in order; those after it are one program
// each. A call with a negative range counts them: none, if a block has been seen by another one.
// CHECK-LABEL: kernel.abi @rows shares
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:      %[[ROWS:.*]]: memref<8xi32> {{.*}}, %{{.*}}: memref<64x16xf32> {{.*}}, %[[STATUS:.*]]: memref<4xi64>, %[[LO:.*]]: index, %[[HI:.*]]: index
// CHECK:         %[[SEEN:.+]] = memref.alloca() {{.*}} : memref<64xindex>
// CHECK:         %[[ASKS:.+]] = arith.cmpi slt, %[[LO]]
// CHECK:         scf.if %[[ASKS]] {
// CHECK:           linalg.fill {{.*}} outs(%[[SEEN]]
// CHECK:           %[[MEETS:.+]] = scf.for
// CHECK:             %[[OTHER:.+]] = memref.load %[[SEEN]]
// CHECK-NEXT:        memref.store %[[SELF:[a-z0-9]+]], %[[SEEN]]
// CHECK-DAG:         arith.cmpi ne, %[[OTHER]], %[[SELF]]
// CHECK:           %[[ANY:.+]] = arith.ori %{{.*}}, %[[MEETS]]
// CHECK:           %[[COUNT:.+]] = arith.select %[[ANY]]
// CHECK:           %[[WORD:.+]] = arith.index_cast %[[COUNT]] : index to i64
// CHECK:           memref.store %[[WORD]], %[[STATUS]]
// CHECK:         scf.for %[[ITEM:.+]] = %[[LO]] to %[[HI]]
// CHECK:           %[[FINE:.+]] = arith.cmpi uge, %[[ITEM]]
// CHECK:           %[[BEGIN:.+]] = arith.select %[[FINE]]
// CHECK:           %[[END:.+]] = arith.select %[[FINE]]
// CHECK:           scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK-LABEL: func.func @rows.range(
// CHECK:         %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    return %[[ONE]]
grid.kernel @rows grid(%i = 8)
    index(%rows: i32 [8] space index)
    outputs(%o: f32 [64, 16] block [1, 16] map(%a: i32, %r: memref<8xi32, #grid.space<index>>) {
      %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<8xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
      %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
      %c0 = arith.constant 0 : i32
      grid.yield %row, %c0 : i32, i32
    })
    attributes {grid.block_test = {dims = array<i64: 0>, operands = array<i64: 1>}} {
  %v = arith.constant dense<0.0> : tensor<1x16xf32>
  grid.store %v, %o : tensor<1x16xf32>, memref<1x16xf32, #grid.space<default>>
}

// -----

// Rows that the table names are read and written in place, where no row comes twice: the whole grid in order tests that
// first, and takes a copy of the input if one does. Calls of single programs come after a test of their own.
// CHECK-LABEL: func.func @updated_rows(
// CHECK-SAME:      %[[ROWS:.*]]: memref<8xi32> {{.*}}, %[[X:.*]]: memref<64x16xf32>, %{{.*}}: memref<64x16xf32>, %{{.*}}: memref<4xi64>, %[[LO:.*]]: index, %{{.*}}: index
// CHECK:         %[[WHOLE:.+]] = arith.cmpi ult, %[[LO]]
// CHECK:         %[[TWICE:.+]] = scf.if %[[WHOLE]] -> (i1) {
// CHECK:           scf.for
// CHECK:         } else {
// CHECK-NEXT:      %[[NONE:.+]] = arith.constant false
// CHECK-NEXT:      scf.yield %[[NONE]]
// CHECK:         scf.if %[[TWICE]] -> (memref<64x16xf32>) {
// CHECK-NEXT:      linalg.copy ins(%[[X]] :
grid.kernel @updated_rows grid(%i = 8)
    index(%rows: i32 [8] space index)
    inputs(%x: f32 [64, 16] block [1, 16] map(%a: i32, %r: memref<8xi32, #grid.space<index>>) {
      %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<8xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
      %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
      %c0 = arith.constant 0 : i32
      grid.yield %row, %c0 : i32, i32
    })
    outputs(%o: f32 [64, 16] block [1, 16] map(%a: i32, %r: memref<8xi32, #grid.space<index>>) {
      %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<8xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
      %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
      %c0 = arith.constant 0 : i32
      grid.yield %row, %c0 : i32, i32
    }) aliases [1 -> 0] functional
    attributes {grid.block_test = {dims = array<i64: 0>, operands = array<i64: 1, 2>}} {
  %v = grid.load %x : memref<1x16xf32, #grid.space<default>> -> tensor<1x16xf32>
  %w = arith.addf %v, %v : tensor<1x16xf32>
  grid.store %w, %o : tensor<1x16xf32>, memref<1x16xf32, #grid.space<default>>
}

// -----

// The dropped dimension and the block have one element each. The view of the array has the stride of the last dimension,
// as the buffer has.
// CHECK-LABEL: func.func @single(
// CHECK:         memref.subview %{{.*}}[%{{.*}}] [1, 1] [1, 1] : memref<3x2xf32> to memref<1xf32, strided<[1], offset: ?>>
grid.kernel @single grid(%i = 3, %j = 2)
    inputs(%x: f32 [3, 2] block [squeezed, 1] at (%i, (%j + 1) mod 2))
    outputs(%o: f32 [3, 2] block [1, 1] at (%i, %j)) {
  %v = grid.load %x : memref<1xf32, #grid.space<default>> -> tensor<1xf32>
  %w = tensor.expand_shape %v [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  grid.store %w, %o : tensor<1x1xf32>, memref<1x1xf32, #grid.space<default>>
}

// -----

// A result has its values before the number of work items is known, and so before any of them runs.
// CHECK-LABEL: func.func @initial_results.range(
// CHECK-SAME:    %{{.*}}: memref<8xf32>, %[[O:.*]]: memref<8xf32>, %{{.*}}: memref<4xi32>)
// CHECK:         %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         linalg.fill ins(%[[ONE]] : f32) outs(%[[O]] : memref<8xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         return
grid.kernel @initial_results grid(%i = 2) inputs(%x: f32 [8]) outputs(%o: f32 [8], %p: i32 [4])
    semantics [parallel] attributes {grid.initial_results = [1.0 : f32, unit]} {
}

// -----

// Blocks without elements are one along their dimension.
// CHECK-LABEL: func.func @empty_rows(
// CHECK:         memref.alloca() {{.*}}: memref<64xindex>
grid.kernel @empty_rows grid(%i = 8)
    index(%rows: i32 [8] space index)
    inputs(%x: f32 [64, 0] block [1, 0] map(%a: i32, %r: memref<8xi32, #grid.space<index>>) {
      %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<8xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
      %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
      %c0 = arith.constant 0 : i32
      grid.yield %row, %c0 : i32, i32
    })
    outputs(%o: f32 [64, 0] block [1, 0] map(%a: i32, %r: memref<8xi32, #grid.space<index>>) {
      %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<8xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
      %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
      %c0 = arith.constant 0 : i32
      grid.yield %row, %c0 : i32, i32
    }) aliases [1 -> 0] functional
    attributes {grid.block_test = {dims = array<i64: 0>, operands = array<i64: 1, 2>}} {
  %v = grid.load %x : memref<1x0xf32, #grid.space<default>> -> tensor<1x0xf32>
  %w = arith.addf %v, %v : tensor<1x0xf32>
  grid.store %w, %o : tensor<1x0xf32>, memref<1x0xf32, #grid.space<default>>
}

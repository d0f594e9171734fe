// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s
// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops --remark-format=emitRemark --remarks-filter=convert-grid-to-loops -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Every kernel here shows one case of RefHazards. A copied load is an alloc_tensor with a copy operand.

// No store to %x: the load is a view of the memory for as long as it likes.
// CHECK-LABEL: func.func @no_store(
// CHECK-NOT:     copy(
// CHECK:         return
grid.kernel @no_store grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8]) {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The value is used after a store to the same Ref.
// REMARK:      remark: {{.*}}scratch[0]{{.*}} is copied, since a later store may change it
// CHECK-LABEL: func.func @store_before_use(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %[[A:[a-z0-9_]*]] restrict :
// CHECK:         %[[C:[a-z0-9]*]] = bufferization.alloc_tensor() copy(%[[V]])
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable %[[A]]
// CHECK:         arith.addf %[[C]], %[[C]]
grid.kernel @store_before_use grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #tpu.memory_space<vmem>>) {
  %v = grid.load %a : memref<8xf32, #tpu.memory_space<vmem>> -> tensor<8xf32>
  %n = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %n, %a : tensor<8xf32>, memref<8xf32, #tpu.memory_space<vmem>>
  %w = arith.addf %v, %v : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The sum stands before the store, but fusion may move it to where it is used: after.
// CHECK-LABEL: func.func @sunk_use(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK:         %[[C:[a-z0-9]*]] = bufferization.alloc_tensor() copy(%[[V]])
// CHECK:         arith.addf %[[C]], %[[C]]
grid.kernel @sunk_use grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #tpu.memory_space<vmem>>) {
  %v = grid.load %a : memref<8xf32, #tpu.memory_space<vmem>> -> tensor<8xf32>
  %n = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = arith.addf %v, %v : tensor<8xf32>
  grid.store %n, %a : tensor<8xf32>, memref<8xf32, #tpu.memory_space<vmem>>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// An update in place, element by element: the store is the last use. The memory may be computed in.
// CHECK-LABEL: func.func @in_place(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %[[O:[a-z0-9_]*]] restrict writable
// CHECK-NOT:     copy(
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable %[[O]]
grid.kernel @in_place grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8]) {
  %v = grid.load %o : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %n = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = arith.addf %v, %n : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// A transpose reads one element where it writes another.
// CHECK-LABEL: func.func @transposed_in_place(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK:         bufferization.alloc_tensor() copy(%[[V]])
grid.kernel @transposed_in_place grid()
    inputs() outputs(%o: f32 [8, 8]) {
  %v = grid.load %o : memref<8x8xf32, #grid.space<default>> -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %t = linalg.transpose ins(%v : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  grid.store %t, %o : tensor<8x8xf32>, memref<8x8xf32, #grid.space<default>>
}

// -----

// The same Ref, but another window of it: rows 0 to 3 are read while rows 2 to 5 are written.
// CHECK-LABEL: func.func @overlapping_slices(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK:         bufferization.alloc_tensor() copy(%[[V]])
grid.kernel @overlapping_slices grid()
    inputs() outputs(%o: f32 [8]) {
  %a = grid.slice_ref %o[0] [4] [1] : memref<8xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %b = grid.slice_ref %o[2] [4] [1] : memref<8xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %v = grid.load %a : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  grid.store %v, %b : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// Windows that share no element do not disturb each other.
// CHECK-LABEL: func.func @disjoint_slices(
// CHECK-NOT:     copy(
// CHECK:         return
grid.kernel @disjoint_slices grid()
    inputs() outputs(%o: f32 [8]) {
  %a = grid.slice_ref %o[0] [4] [1] : memref<8xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %b = grid.slice_ref %o[4] [4] [1] : memref<8xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %v = grid.load %a : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  grid.store %v, %b : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// The value is loaded once, and a later iteration uses it after an earlier one stored.
// CHECK-LABEL: func.func @loop_carried_store(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK:         bufferization.alloc_tensor() copy(%[[V]])
grid.kernel @loop_carried_store grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = grid.load %o : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %n = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    %w = arith.addf %v, %n : tensor<8xf32>
    grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

// -----

// A value that is loaded again in every iteration is stored in the same one: no copy.
// CHECK-LABEL: func.func @load_in_loop(
// CHECK-NOT:     copy(
// CHECK:         return
grid.kernel @load_in_loop grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = grid.load %o : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    %n = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    %w = arith.addf %v, %n : tensor<8xf32>
    grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

// -----

// A DMA writes the memory before the value is used.
// CHECK-LABEL: func.func @copy_before_use(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %[[A:[a-z0-9_]*]] restrict :
// CHECK:         %[[C:[a-z0-9]*]] = bufferization.alloc_tensor() copy(%[[V]])
// CHECK:         linalg.copy ins(%{{.*}} : {{.*}}) outs(%[[A]]
// CHECK:         bufferization.materialize_in_destination %[[C]]
grid.kernel @copy_before_use grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #tpu.memory_space<vmem>>, %s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
  %v = grid.load %a : memref<8xf32, #tpu.memory_space<vmem>> -> tensor<8xf32>
  grid.copy_start %x, %a sem %s : memref<8xf32, #grid.space<default>>, memref<8xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  grid.copy_wait %x, %a sem %s : memref<8xf32, #grid.space<default>>, memref<8xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// A store in another branch than the use cannot come between.
// CHECK-LABEL: func.func @other_branch(
// CHECK-NOT:     copy(
// CHECK:         return
grid.kernel @other_branch grid(%i = 2)
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #tpu.memory_space<vmem>>) {
  %p = grid.program_id 0
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %p, %c0 : i32
  %v = grid.load %a : memref<8xf32, #tpu.memory_space<vmem>> -> tensor<8xf32>
  scf.if %first {
    %n = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %n, %a : tensor<8xf32>, memref<8xf32, #tpu.memory_space<vmem>>
  } else {
    grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  }
}

// -----

// Input and output share memory and blocks: element by element, each is read before it is written.
// CHECK-LABEL: func.func @aliased_in_place(
// CHECK-SAME:      %{{.*}}: memref<16xf32>, %{{.*}}: memref<16xf32>, %{{.*}}: memref<4xi64>
// CHECK-NOT:     copy
// CHECK:         return
grid.kernel @aliased_in_place grid(%i = 2)
    inputs(%x: f32 [16] block [8] at (%i)) outputs(%o: f32 [16] block [8] at (%i)) aliases [0 -> 0] {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = arith.addf %v, %v : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// As in JAX, the input does not change with the output that shares its memory: the block is copied before the program.
// CHECK-LABEL: func.func @aliased_read_after_write(
// CHECK:         %[[B:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         scf.for
// CHECK:           linalg.copy ins(%{{.*}}) outs(%[[B]]
// CHECK:           bufferization.materialize_in_destination
// CHECK:           bufferization.to_tensor %[[B]] restrict
grid.kernel @aliased_read_after_write grid(%i = 2)
    inputs(%x: f32 [16] block [8] at (%i)) outputs(%o: f32 [16] block [8] at (%i)) aliases [0 -> 0] {
  %z = arith.constant dense<0.0> : tensor<8xf32>
  grid.store %z, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = arith.addf %v, %v : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// With functional aliases the input keeps its value. The blocks differ, so one program could read what another wrote:
// the array is copied once.
// CHECK-LABEL: func.func @aliased_other_blocks(
// CHECK:         %[[A:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<16xf32>
// CHECK:         linalg.copy ins(%{{.*}}) outs(%[[A]]
// CHECK:         scf.for
// CHECK:           memref.subview %[[A]]
grid.kernel @aliased_other_blocks grid(%i = 2)
    inputs(%x: f32 [16] block [8] at (-%i + 1)) outputs(%o: f32 [16] block [8] at (%i)) aliases [0 -> 0] functional {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Otherwise the two are one memory, and a program sees what an earlier one wrote: nothing is copied.
// CHECK-LABEL: func.func @one_memory(
// CHECK-SAME:      %[[X:[a-z0-9]*]]: memref<16xf32>, %[[O:[a-z0-9]*]]: memref<16xf32>
// CHECK-NOT:     copy
// CHECK:         scf.for
// CHECK:           memref.subview %[[X]]
// CHECK:           memref.subview %[[O]]
// CHECK-NOT:     linalg.copy
// CHECK:         return
grid.kernel @one_memory grid(%i = 2)
    inputs(%x: f32 [16] block [8] at (-%i + 1)) outputs(%o: f32 [16] block [8] at (%i)) aliases [0 -> 0] {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = arith.addf %v, %v : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Arrays that stay outside of the core have no windows: what the program reads after it wrote is what it wrote.
// CHECK-LABEL: func.func @one_memory_without_windows(
// CHECK-NOT:     linalg.copy
// CHECK:         return
grid.kernel @one_memory_without_windows grid()
    inputs(%x: f32 [8] space any) outputs(%o: f32 [8] space any) aliases [0 -> 0] {
  %z = arith.constant dense<0.0> : tensor<8xf32>
  grid.store %z, %o : tensor<8xf32>, memref<8xf32, #grid.space<any>>
  %v = grid.load %x : memref<8xf32, #grid.space<any>> -> tensor<8xf32>
  %w = arith.addf %v, %v : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<any>>
}

// -----

// Stores to the input change the output.
// CHECK-LABEL: func.func @written_input(
// CHECK-SAME:      %[[X:[a-z0-9]*]]: memref<16xf32>, %{{.*}}: memref<16xf32>
// CHECK-NOT:     linalg.copy
// CHECK:         %[[W:.*]] = memref.subview %[[X]]
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable %[[W]]
grid.kernel @written_input grid(%i = 2)
    inputs(%x: f32 [16] block [8] at (%i)) outputs(%o: f32 [16] block [8] at (%i)) aliases [0 -> 0] {
  %z = arith.constant dense<0.0> : tensor<8xf32>
  grid.store %z, %x : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Which rows are read and written is known when the kernel runs. With functional aliases the grid is walked first: unless it sees a row twice,
// each row is read before it is written, and the array is not copied.
// CHECK-LABEL: func.func @aliased_gather(
// CHECK-SAME:      %[[ROWS:[a-z0-9]*]]: memref<4xi32> {llvm.noalias}, %[[X:[a-z0-9]*]]: memref<16x8xf32>, %[[O:[a-z0-9]*]]: memref<16x8xf32>
// CHECK-DAG:     %[[COPY:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<16x8xf32>
// CHECK-DAG:     %[[SEEN:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<16xindex>
// CHECK:         %[[TWICE:[a-z0-9_]*]] = scf.for
// CHECK:           memref.load %[[SEEN]]
// CHECK:           memref.store %{{.*}}, %[[SEEN]]
// CHECK:         %[[FROM:[a-z0-9_]*]] = scf.if %[[TWICE]] -> (memref<16x8xf32>) {
// CHECK:           linalg.copy ins(%[[X]] {{.*}} outs(%[[COPY]]
// CHECK:           scf.yield %[[COPY]]
// CHECK:         } else {
// CHECK:           scf.yield %[[X]]
// CHECK:         scf.for
// CHECK:           memref.subview %[[FROM]][%[[ROW:[a-z0-9_]*]], 0]
// CHECK:           memref.subview %[[O]][%{{.*}}, 0]
// CHECK-NOT:       bufferization.alloc_tensor
grid.kernel @aliased_gather grid(%i = 4)
    index(%rows: i32 [4] space index)
    inputs(%x: f32 [16, 8] block [squeezed, 8] map(%a: i32, %r: memref<4xi32, #grid.space<index>>) {
             %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<4xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
             %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
             %c0 = arith.constant 0 : i32
             grid.yield %row, %c0 : i32, i32
           })
    outputs(%o: f32 [16, 8] block [squeezed, 8] map(%a: i32, %r: memref<4xi32, #grid.space<index>>) {
             %s = grid.slice_ref %r[%a] [1] [1] drop [0] : memref<4xi32, #grid.space<index>>, i32 -> memref<i32, #grid.space<index>>
             %row = grid.load %s : memref<i32, #grid.space<index>> -> i32
             %c0 = arith.constant 0 : i32
             grid.yield %row, %c0 : i32, i32
           })
    aliases [1 -> 0] functional {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  %w = arith.addf %v, %v : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The same on a parallel dimension: the copy must be whole before any program writes, so one thread runs them all.
// CHECK-LABEL: func.func @aliased_parallel(
// CHECK:         %[[A:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<16xf32>
// CHECK:         linalg.copy ins(%{{.*}}) outs(%[[A]]
// CHECK-LABEL: func.func @aliased_parallel.range(
// CHECK:         %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    return %[[ONE]]
grid.kernel @aliased_parallel grid(%i = 2)
    inputs(%x: f32 [16] block [8] at (-%i + 1)) outputs(%o: f32 [16] block [8] at (%i))
    semantics [parallel] aliases [0 -> 0] functional {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The last element that is read is the first that is written.
// CHECK-LABEL: func.func @one_element_shared(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK:         bufferization.alloc_tensor() copy(%[[V]])
grid.kernel @one_element_shared grid()
    inputs() outputs(%o: f32 [8]) {
  %a = grid.slice_ref %o[0] [4] [1] : memref<8xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %b = grid.slice_ref %o[3] [4] [1] : memref<8xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %v = grid.load %a : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  grid.store %v, %b : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// A load of every second element, and a store into its span.
// CHECK-LABEL: func.func @strided_span(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK:         bufferization.alloc_tensor() copy(%[[V]])
grid.kernel @strided_span grid()
    inputs() outputs(%o: f32 [8]) {
  %a = grid.slice_ref %o[0] [4] [2] : memref<8xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %b = grid.slice_ref %o[3] [4] [1] : memref<8xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %v = grid.load %a : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  grid.store %v, %b : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// The store begins after the last element that the stride reaches, 6.
// CHECK-LABEL: func.func @behind_the_span(
// CHECK-NOT:     copy(
// CHECK:         return
grid.kernel @behind_the_span grid()
    inputs() outputs(%o: f32 [11]) {
  %a = grid.slice_ref %o[0] [4] [2] : memref<11xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %b = grid.slice_ref %o[7] [4] [1] : memref<11xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %v = grid.load %a : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  grid.store %v, %b : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// The store begins at that element.
// CHECK-LABEL: func.func @at_the_end_of_the_span(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK:         bufferization.alloc_tensor() copy(%[[V]])
grid.kernel @at_the_end_of_the_span grid()
    inputs() outputs(%o: f32 [11]) {
  %a = grid.slice_ref %o[0] [4] [2] : memref<11xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %b = grid.slice_ref %o[6] [4] [1] : memref<11xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %v = grid.load %a : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  grid.store %v, %b : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// A store of every second element from the last that is read.
// CHECK-LABEL: func.func @strided_store(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK:         bufferization.alloc_tensor() copy(%[[V]])
grid.kernel @strided_store grid()
    inputs() outputs(%o: f32 [10]) {
  %a = grid.slice_ref %o[0] [4] [1] : memref<10xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %b = grid.slice_ref %o[3] [4] [2] : memref<10xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %v = grid.load %a : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  grid.store %v, %b : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// And from the element after it.
// CHECK-LABEL: func.func @strided_store_behind(
// CHECK-NOT:     copy(
// CHECK:         return
grid.kernel @strided_store_behind grid()
    inputs() outputs(%o: f32 [11]) {
  %a = grid.slice_ref %o[0] [4] [1] : memref<11xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %b = grid.slice_ref %o[4] [4] [2] : memref<11xf32, #grid.space<default>> -> memref<4xf32, #grid.space<default>>
  %v = grid.load %a : memref<4xf32, #grid.space<default>> -> tensor<4xf32>
  grid.store %v, %b : tensor<4xf32>, memref<4xf32, #grid.space<default>>
}

// -----

// A store in a branch comes between, where the branch is taken.
// CHECK-LABEL: func.func @branch_before_use(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK:         bufferization.alloc_tensor() copy(%[[V]])
grid.kernel @branch_before_use grid(%i = 2)
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #tpu.memory_space<vmem>>) {
  %p = grid.program_id 0
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %p, %c0 : i32
  %v = grid.load %a : memref<8xf32, #tpu.memory_space<vmem>> -> tensor<8xf32>
  scf.if %first {
    %n = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %n, %a : tensor<8xf32>, memref<8xf32, #tpu.memory_space<vmem>>
  }
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// In one branch, the use comes first.
// CHECK-LABEL: func.func @use_before_store_in_branch(
// CHECK-NOT:     copy(
// CHECK:         return
grid.kernel @use_before_store_in_branch grid(%i = 2)
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #tpu.memory_space<vmem>>) {
  %p = grid.program_id 0
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %p, %c0 : i32
  %v = grid.load %a : memref<8xf32, #tpu.memory_space<vmem>> -> tensor<8xf32>
  scf.if %first {
    grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    %n = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %n, %a : tensor<8xf32>, memref<8xf32, #tpu.memory_space<vmem>>
  }
}

// -----

// In one loop it does so in the first iteration only.
// CHECK-LABEL: func.func @use_before_store_in_loop(
// CHECK:         %[[V:[a-z0-9]*]] = bufferization.to_tensor %{{.*}} restrict :
// CHECK:         bufferization.alloc_tensor() copy(%[[V]])
grid.kernel @use_before_store_in_loop grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #tpu.memory_space<vmem>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = grid.load %a : memref<8xf32, #tpu.memory_space<vmem>> -> tensor<8xf32>
  scf.for %k = %c0 to %c4 step %c1 {
    grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    %n = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %n, %a : tensor<8xf32>, memref<8xf32, #tpu.memory_space<vmem>>
  }
}

// -----

// Unless each iteration loads it again.
// CHECK-LABEL: func.func @load_in_the_loop_of_the_store(
// CHECK-NOT:     copy(
// CHECK:         return
grid.kernel @load_in_the_loop_of_the_store grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #tpu.memory_space<vmem>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %k = %c0 to %c4 step %c1 {
    %v = grid.load %a : memref<8xf32, #tpu.memory_space<vmem>> -> tensor<8xf32>
    grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
    %n = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
    grid.store %n, %a : tensor<8xf32>, memref<8xf32, #tpu.memory_space<vmem>>
  }
}

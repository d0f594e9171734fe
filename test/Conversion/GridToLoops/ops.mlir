// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s

// A copy is done when it is started; its semaphore counts bytes, and a wait that lacks some is an error.
// CHECK-LABEL: kernel.abi @copies diagnostics = ["a copy to scratch[0] waits for {1} on a semaphore that holds {0}, and nothing can signal it
// CHECK:       func.func @copies(
// CHECK-SAME:      %[[X:[a-z0-9]*]]: memref<8xf32>
// CHECK-DAG:     %[[A:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK-DAG:     %[[S:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<2xi64>
// CHECK:         scf.for
// CHECK:           linalg.fill ins(%{{.*}} : i64) outs(%[[S]]
// CHECK:           linalg.copy ins(%[[X]] : memref<8xf32>) outs(%[[A]] : memref<8xf32>)
// CHECK:           %[[BYTES:[a-z0-9_]*]] = arith.constant 32 : i64
// CHECK:           arith.addi %{{.*}}, %[[BYTES]] : i64
// CHECK:           arith.cmpi slt
grid.kernel @copies grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%a: memref<8xf32, #tpu.memory_space<vmem>>, %s: memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>) {
  %t = grid.slice_ref %s[1] [1] [1] drop [0] : memref<2x!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>> -> memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  grid.copy_start %x, %a sem %t : memref<8xf32, #grid.space<default>>, memref<8xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  grid.copy_wait %x, %a sem %t : memref<8xf32, #grid.space<default>>, memref<8xf32, #tpu.memory_space<vmem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
  %v = grid.load %a : memref<8xf32, #tpu.memory_space<vmem>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// Semaphores that another kernel passes are counters of 16 bits in the arrays; their largest value satisfies any wait.
// An output that is an input has its counters, another one counts from zero.
// CHECK-LABEL: func.func @handed(
// CHECK-SAME:      %[[IN:[a-z0-9]*]]: memref<2xi16>, %[[SAME:[a-z0-9]*]]: memref<2xi16>, %[[NEW:[a-z0-9]*]]: memref<i16>
// CHECK-DAG:     %[[S:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<2xi64>
// CHECK-DAG:     %[[N:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<i64>
// CHECK:         linalg.generic {{.*}} ins(%[[IN]] : memref<2xi16>) outs(%[[S]] : memref<2xi64>)
// CHECK:           arith.extsi
// CHECK:           arith.select
// CHECK:         linalg.fill ins(%{{.*}} : i64) outs(%[[N]]
// CHECK:         scf.for
// CHECK:         linalg.generic {{.*}} ins(%[[S]] : memref<2xi64>) outs(%[[SAME]] : memref<2xi16>)
// CHECK:           arith.minsi
// CHECK:           arith.trunci
// CHECK:         linalg.generic {{.*}} ins(%[[N]] : memref<i64>) outs(%[[NEW]] : memref<i16>)
grid.kernel @handed grid()
    inputs(%s: !grid.semaphore<regular> [2]) outputs(%same: !grid.semaphore<regular> [2], %new: !grid.semaphore<regular> [])
    aliases [0 -> 0] {
  %one = arith.constant 1 : i32
  %t = grid.slice_ref %s[1] [1] [1] drop [0] : memref<2x!grid.semaphore<regular>, #grid.space<default>> -> memref<!grid.semaphore<regular>, #grid.space<default>>
  grid.semaphore_wait %t, %one : memref<!grid.semaphore<regular>, #grid.space<default>>
  grid.semaphore_signal %new, %one : memref<!grid.semaphore<regular>, #grid.space<default>>
}

// -----

// Semaphores of a scope are zeroed where it is entered; its Refs are made at the entry of the function.
// CHECK-LABEL: func.func @scope(
// CHECK-DAG:     %[[T:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<f32>
// CHECK-DAG:     %[[S:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<i64>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             linalg.fill ins(%{{.*}} : i64) outs(%[[S]]
// CHECK:             memref.store %{{.*}}, %[[T]]
grid.kernel @scope grid()
    inputs() outputs(%o: f32 []) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %f = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    %r = grid.scoped (%t: memref<f32>, %s: memref<!grid.semaphore<regular>>) -> f32 {
      grid.semaphore_signal %s, %one : memref<!grid.semaphore<regular>>
      grid.semaphore_wait %s, %one : memref<!grid.semaphore<regular>>
      grid.store %f, %t : f32, memref<f32>
      %w = grid.load %t : memref<f32> -> f32
      grid.yield %w : f32
    }
    grid.store %r, %o : f32, memref<f32, #grid.space<default>>
  }
}

// -----

// A gather checks every index and reads at the nearest one inside; a mask chooses the value instead.
// CHECK-LABEL: kernel.abi @gather diagnostics = ["index {0} is out of bounds [0, {1}) in dimension 0 of x_ref
// CHECK:       func.func @gather(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             arith.cmpi ult
// CHECK:         linalg.generic
// CHECK:           tensor.extract
// CHECK:           arith.select
grid.kernel @gather grid()
    inputs(%x: f32 [64, 16] origin "x_ref", %i: i32 [4], %m: i1 [4], %d: f32 [4, 16]) outputs(%o: f32 [4, 16]) {
  %rows = grid.load %i : memref<4xi32, #grid.space<default>> -> tensor<4xi32>
  %mask = grid.load %m : memref<4xi1, #grid.space<default>> -> tensor<4xi1>
  %other = grid.load %d : memref<4x16xf32, #grid.space<default>> -> tensor<4x16xf32>
  %v = grid.gather %x[%rows] dims [0] mask %mask other %other
      : memref<64x16xf32, #grid.space<default>>, tensor<4xi32> mask tensor<4xi1> other tensor<4x16xf32> -> tensor<4x16xf32>
  grid.store %v, %o : tensor<4x16xf32>, memref<4x16xf32, #grid.space<default>>
}

// -----

// A scatter writes in order, one row after another.
// CHECK-LABEL: func.func @scatter(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK:               scf.for
// CHECK:                 arith.addf
// CHECK:                 memref.store
grid.kernel @scatter grid()
    inputs(%v: f32 [4, 16], %i: i32 [4]) outputs(%o: f32 [64, 16]) {
  %rows = grid.load %i : memref<4xi32, #grid.space<default>> -> tensor<4xi32>
  %a = grid.load %v : memref<4x16xf32, #grid.space<default>> -> tensor<4x16xf32>
  grid.scatter %a, %o[%rows] dims [0] add : tensor<4x16xf32>, memref<64x16xf32, #grid.space<default>>, tensor<4xi32>
}

// -----

// The old value of an atomic update is kept from the new one.
// CHECK-LABEL: func.func @atomic(
// CHECK:         %[[OLD:[a-z0-9_]*]] = bufferization.alloc_tensor() copy(
// CHECK:         linalg.generic {{.*}} ins(%[[OLD]],
// CHECK:           arith.maxsi
// CHECK:         memref.load
// CHECK:         arith.cmpi eq
grid.kernel @atomic grid()
    inputs(%x: i32 [8]) outputs(%o: i32 [8], %p: i32 [8], %k: i32 []) {
  %c = arith.constant 1 : i32
  %v = grid.load %x : memref<8xi32, #grid.space<default>> -> tensor<8xi32>
  %old = grid.atomic_rmw maxs %v, %o : tensor<8xi32>, memref<8xi32, #grid.space<default>>
  grid.store %old, %p : tensor<8xi32>, memref<8xi32, #grid.space<default>>
  %was = grid.atomic_cas %c, %c, %k : i32, memref<i32, #grid.space<default>>
}

// -----

// A kernel that prints runs in order, whatever it says of its dimensions; values reach the runtime as memory.
// CHECK-LABEL: kernel.abi
// CHECK-SAME:    prints = [#kernel.print<"x = {}, {}"(tensor<8xf32>, ui32)>]
// CHECK-DAG:   func.func private @gridirPrintBegin(i64)
// CHECK-DAG:   func.func private @gridirPrintValue(!llvm.ptr, i64)
// CHECK-DAG:   func.func private @gridirPrintEnd()
// CHECK:       func.func @prints(
// CHECK:         call @gridirPrintBegin
// CHECK:         call @gridirPrintValue
// CHECK:         call @gridirPrintValue
// CHECK:         call @gridirPrintEnd
// CHECK:       func.func @prints.range(
// CHECK:         %[[ONE:[a-z0-9_]*]] = arith.constant 1 : index
// CHECK:         return %[[ONE]]
grid.kernel @prints grid(%i = 4)
    inputs(%x: f32 [32] block [8] at (%i)) outputs(%o: f32 [8]) semantics [parallel] {
  %p = grid.program_id 0
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.print "x = {}, {}" %v, %p : tensor<8xf32>, i32 {is_unsigned = array<i1: false, true>}
}

// -----

// A call of a function is a site like a print, with the identity instead of the format.
// CHECK-LABEL: kernel.abi @callbacks
// CHECK-SAME:    prints = [#kernel.callback<"5f0c93e1", "the Python function of a callback (kernel.py:4:2)"(i32)>]
// CHECK:       func.func @callbacks(
// CHECK:         call @gridirPrintBegin
// CHECK:         call @gridirPrintValue
// CHECK:         call @gridirPrintEnd
grid.kernel @callbacks grid(%i = 4) outputs(%o: f32 [8]) semantics [parallel] {
  %p = grid.program_id 0
  grid.callback "5f0c93e1" %p : i32 loc("kernel.py":4:2)
}

// -----

// A condition that does not hold is an error of the call; an assumption is not checked.
// CHECK-LABEL: kernel.abi @asserts diagnostics = ["too large (kernel.py:4:2)", "{0} is not {1} (kernel.py:5:2)"]
// CHECK:       func.func @asserts(
// CHECK:         arith.xori
// CHECK:         scf.if
// CHECK:         %[[FIRST:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK:         %[[SECOND:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK:         memref.store %[[FIRST]], %{{.*}}[%{{.*}}] : memref<4xi64>
// CHECK:         memref.store %[[SECOND]], %{{.*}}[%{{.*}}] : memref<4xi64>
// CHECK-NOT:     assume
grid.kernel @asserts grid(%i = 4) inputs() outputs(%o: i32 []) {
  %c2 = arith.constant 2 : i32
  %p = grid.program_id 0
  %q = grid.assume_multiple %p, 1 : i32
  %ok = arith.cmpi slt, %q, %c2 : i32
  grid.assert %ok, "too large" loc("kernel.py":4:2)
  grid.assert %ok, "{0} is not {1}"(%q, %c2 : i32, i32) loc("kernel.py":5:2)
  grid.store %q, %o : i32, memref<i32, #grid.space<default>>
}

// -----

// Random bits are a function of the seeds, the index and the number of the draw. Those of 32 bits are a word as it is.
// CHECK-LABEL: func.func @random(
// CHECK:         %[[STATE:[a-z0-9_]*]] = memref.alloca() {{.*}} : memref<3xi32>
// CHECK:         memref.store %{{.*}}, %[[STATE]]
// CHECK:         memref.load %[[STATE]]
// CHECK:         linalg.generic
// CHECK:           linalg.index 0
// CHECK:           arith.xori
// CHECK-NOT:       i64
// CHECK:           linalg.yield %{{.*}} : i32
grid.kernel @random grid() inputs() outputs(%o: i32 [8]) {
  %c = arith.constant 7 : i32
  grid.prng_seed %c : i32
  %bits = grid.prng_bits : tensor<8xi32>
  grid.store %bits, %o : tensor<8xi32>, memref<8xi32, #grid.space<default>>
}

// -----

// Nothing reads or writes an array without elements, whose type has no strides that LLVM knows.
// CHECK-LABEL: func.func @empty(
// CHECK-SAME:      memref<0xf32>
// CHECK-SAME:      memref<0xf32>
// CHECK-SAME:      %[[SUM:[a-z0-9]*]]: memref<2xf32>
// CHECK-NOT:     linalg.reduce
// CHECK-NOT:     grid.
// CHECK:         linalg.fill {{.*}} -> tensor<2xf32>
// CHECK-NOT:     linalg.reduce
// CHECK:         return
grid.kernel @empty grid()
    inputs(%x: f32 [2, 0]) outputs(%o: f32 [2, 0], %s: f32 [2]) {
  %v = grid.load %x : memref<2x0xf32, #grid.space<default>> -> tensor<2x0xf32>
  %n = arith.negf %v : tensor<2x0xf32>
  grid.store %n, %o : tensor<2x0xf32>, memref<2x0xf32, #grid.space<default>>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.reduce ins(%n : tensor<2x0xf32>) outs(%f : tensor<2xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    }
  grid.store %sum, %s : tensor<2xf32>, memref<2xf32, #grid.space<default>>
}

// -----

// Of two narrow rows the first is in the lower half of the wide one.

// CHECK-LABEL: func.func @bits(
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : tensor<6x4xbf16> to tensor<6x4xi16>
// CHECK: %[[LOW:.*]] = tensor.extract_slice %[[BITS]][0, 0] [3, 4] [2, 1] : tensor<6x4xi16> to tensor<3x4xi16>
// CHECK: %[[LOW_BITS:.*]] = arith.extui %[[LOW]] : tensor<3x4xi16> to tensor<3x4xi32>
// CHECK: %[[HIGH:.*]] = tensor.extract_slice %[[BITS]][1, 0] [3, 4] [2, 1] : tensor<6x4xi16> to tensor<3x4xi16>
// CHECK: %[[HIGH_BITS:.*]] = arith.extui %[[HIGH]] : tensor<3x4xi16> to tensor<3x4xi32>
// CHECK: %[[SHIFTED:.*]] = arith.shli %[[HIGH_BITS]], %{{.*}} : tensor<3x4xi32>
// CHECK: %[[WIDE:.*]] = arith.ori %[[LOW_BITS]], %[[SHIFTED]] : tensor<3x4xi32>
// CHECK: arith.bitcast %[[WIDE]] : tensor<3x4xi32> to tensor<3x4xf32>
// CHECK: %[[FIRST:.*]] = arith.trunci %{{.*}} : tensor<3x4xi32> to tensor<3x4xi16>
// CHECK: %[[HALF:.*]] = tensor.insert_slice %[[FIRST]] into %{{.*}}[0, 0] [3, 4] [2, 1] : tensor<3x4xi16> into tensor<6x4xi16>
// CHECK: %[[DOWN:.*]] = arith.shrui %{{.*}}, %{{.*}} : tensor<3x4xi32>
// CHECK: %[[SECOND:.*]] = arith.trunci %[[DOWN]] : tensor<3x4xi32> to tensor<3x4xi16>
// CHECK: tensor.insert_slice %[[SECOND]] into %[[HALF]][1, 0] [3, 4] [2, 1] : tensor<3x4xi16> into tensor<6x4xi16>
grid.kernel @bits grid() inputs(%x: bf16 [6, 4], %y: i32 [3, 4]) outputs(%o: f32 [3, 4], %p: i16 [6, 4]) {
  %0 = grid.load %x : memref<6x4xbf16, #grid.space<default>> -> tensor<6x4xbf16>
  %1 = grid.bitcast %0 : tensor<6x4xbf16> -> tensor<3x4xf32>
  grid.store %1, %o : tensor<3x4xf32>, memref<3x4xf32, #grid.space<default>>
  %2 = grid.load %y : memref<3x4xi32, #grid.space<default>> -> tensor<3x4xi32>
  %3 = grid.bitcast %2 : tensor<3x4xi32> -> tensor<6x4xi16>
  grid.store %3, %p : tensor<6x4xi16>, memref<6x4xi16, #grid.space<default>>
}

// -----

// A rotation is a window of the value twice, which begins at the size less the amount; with a stride each element is
// looked for.

// CHECK-LABEL: func.func @rotated(
// CHECK: %[[REST:.*]] = arith.remsi %{{.*}}, %[[C5:.*]] : index
// CHECK: %[[IS_BEFORE:.*]] = arith.cmpi slt, %[[REST]], %{{.*}} : index
// CHECK: %[[AROUND:.*]] = arith.addi %[[REST]], %[[C5]] : index
// CHECK: %[[AMOUNT:.*]] = arith.select %[[IS_BEFORE]], %[[AROUND]], %[[REST]] : index
// CHECK: %[[ONCE:.*]] = tensor.insert_slice %[[X:.*]] into %{{.*}}[0, 0] [3, 5] [1, 1] : tensor<3x5xf32> into tensor<3x10xf32>
// CHECK: %[[TWICE:.*]] = tensor.insert_slice %[[X]] into %[[ONCE]][0, 5] [3, 5] [1, 1] : tensor<3x5xf32> into tensor<3x10xf32>
// CHECK: %[[START:.*]] = arith.subi %[[C5]], %[[AMOUNT]] : index
// CHECK: tensor.extract_slice %[[TWICE]][0, %[[START]]] [3, 5] [1, 1] : tensor<3x10xf32> to tensor<3x5xf32>
// CHECK: linalg.generic
// CHECK: %[[ROW:.*]] = linalg.index 0 : index
// CHECK: %[[COLUMN:.*]] = linalg.index 1 : index
// CHECK: %[[MORE:.*]] = arith.muli %[[ROW]], %{{.*}} : index
// CHECK: %[[DISTANCE:.*]] = arith.addi %{{.*}}, %[[MORE]] : index
// CHECK: %[[FROM:.*]] = arith.subi %[[COLUMN]], %[[DISTANCE]] : index
// CHECK: arith.remsi %[[FROM]]
// CHECK: %[[AT:.*]] = arith.select
// CHECK: tensor.extract %{{.*}}[%[[ROW]], %[[AT]]] : tensor<3x5xf32>
grid.kernel @rotated grid(%i = 4) inputs(%x: f32 [3, 5]) outputs(%o: f32 [3, 5], %p: f32 [3, 5]) {
  %n = grid.program_id 0
  %0 = grid.load %x : memref<3x5xf32, #grid.space<default>> -> tensor<3x5xf32>
  %1 = grid.rotate %0 by %n dim 1 : tensor<3x5xf32>, i32
  grid.store %1, %o : tensor<3x5xf32>, memref<3x5xf32, #grid.space<default>>
  %2 = grid.rotate %0 by %n dim 1 stride 2 along 0 : tensor<3x5xf32>, i32
  grid.store %2, %p : tensor<3x5xf32>, memref<3x5xf32, #grid.space<default>>
}

// -----

// A signal adds to a counter; a wait takes away what it finds there, or reports what it lacks.

// CHECK-LABEL: func.func @semaphores(
// CHECK: %[[ALLOCA:.*]] = memref.alloca() {alignment = 64 : i64} : memref<i64>
// CHECK-DAG: %[[CONSTANT2:.*]] = arith.constant 0 : i64
// CHECK: linalg.fill ins(%[[CONSTANT2]] : i64) outs(%[[ALLOCA]] : memref<i64>)
// CHECK-DAG: %[[CONSTANT6:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[CONSTANT7:.*]] = arith.constant 2 : i32
// CHECK: %[[EXTSI:.*]] = arith.extsi %[[CONSTANT6]] : i32 to i64
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOCA]][] : memref<i64>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[EXTSI]] : i64
// CHECK: memref.store %[[ADDI]], %[[ALLOCA]][] : memref<i64>
// CHECK: %[[EXTSI1:.*]] = arith.extsi %[[CONSTANT7]] : i32 to i64
// CHECK: %[[LOAD1:.*]] = memref.load %[[ALLOCA]][] : memref<i64>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD1]], %[[EXTSI1]] : i64
// CHECK: scf.if %[[CMPI]] {
// CHECK-DAG: %[[CONSTANT8:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[CONSTANT9:.*]] = arith.constant 0 : index
// CHECK: %[[LOAD2:.*]] = memref.load %{{.*}}[%[[CONSTANT9]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT10:.*]] = arith.constant 0 : i64
// CHECK: %[[CMPI1:.*]] = arith.cmpi eq, %[[LOAD2]], %[[CONSTANT10]] : i64
// CHECK: scf.if %[[CMPI1]] {
// CHECK-DAG: %[[CONSTANT11:.*]] = arith.constant 0 : index
// CHECK: memref.store %[[CONSTANT8]], %{{.*}}[%[[CONSTANT11]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT12:.*]] = arith.constant 1 : index
// CHECK: memref.store %[[LOAD1]], %{{.*}}[%[[CONSTANT12]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT13:.*]] = arith.constant 2 : index
// CHECK: memref.store %[[EXTSI1]], %{{.*}}[%[[CONSTANT13]]] : memref<4xi64>
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD1]], %[[EXTSI1]] : i64
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[LOAD1]], %[[SUBI]] : i64
// CHECK: memref.store %[[SELECT]], %[[ALLOCA]][] : memref<i64>
// CHECK: %[[EXTSI2:.*]] = arith.extsi %[[CONSTANT7]] : i32 to i64
// CHECK: %[[LOAD3:.*]] = memref.load %[[ALLOCA]][] : memref<i64>
// CHECK: %[[CMPI2:.*]] = arith.cmpi slt, %[[LOAD3]], %[[EXTSI2]] : i64
// CHECK: scf.if %[[CMPI2]] {
// CHECK-DAG: %[[CONSTANT14:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[CONSTANT15:.*]] = arith.constant 0 : index
// CHECK: %[[LOAD4:.*]] = memref.load %{{.*}}[%[[CONSTANT15]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT16:.*]] = arith.constant 0 : i64
// CHECK: %[[CMPI3:.*]] = arith.cmpi eq, %[[LOAD4]], %[[CONSTANT16]] : i64
// CHECK: scf.if %[[CMPI3]] {
// CHECK-DAG: %[[CONSTANT17:.*]] = arith.constant 0 : index
// CHECK: memref.store %[[CONSTANT14]], %{{.*}}[%[[CONSTANT17]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT18:.*]] = arith.constant 1 : index
// CHECK: memref.store %[[LOAD3]], %{{.*}}[%[[CONSTANT18]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT19:.*]] = arith.constant 2 : index
// CHECK: memref.store %[[EXTSI2]], %{{.*}}[%[[CONSTANT19]]] : memref<4xi64>
grid.kernel @semaphores grid(%i = 4)
    outputs(%o: i32 [1])
    scratch(%r: memref<!grid.semaphore<regular>>) {
  %c3 = arith.constant 3 : i32
  %c2 = arith.constant 2 : i32
  grid.semaphore_signal %r, %c3 : memref<!grid.semaphore<regular>>
  grid.semaphore_wait %r, %c2 : memref<!grid.semaphore<regular>>
  grid.semaphore_wait %r, %c2 keep : memref<!grid.semaphore<regular>>
}

// -----

// A copy that adds reads what it writes; a plain one is a copy.

// CHECK: #[[$MAP:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @copies(
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[ALLOCA:.*]] = memref.alloca() {alignment = 64 : i64} : memref<i64>
// CHECK-DAG: %[[CONSTANT1:.*]] = arith.constant 0 : i64
// CHECK: linalg.fill ins(%[[CONSTANT1]] : i64) outs(%[[ALLOCA]] : memref<i64>)
// CHECK: linalg.copy ins(%[[X]] : memref<8xf32>) outs(%{{.*}} : memref<8xf32>)
// CHECK-DAG: %[[CONSTANT7:.*]] = arith.constant 32 : i64
// CHECK: %[[LOAD:.*]] = memref.load %[[ALLOCA]][] : memref<i64>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[CONSTANT7]] : i64
// CHECK: memref.store %[[ADDI]], %[[ALLOCA]][] : memref<i64>
// CHECK-DAG: %[[CONSTANT8:.*]] = arith.constant 32 : i64
// CHECK: %[[LOAD1:.*]] = memref.load %[[ALLOCA]][] : memref<i64>
// CHECK: %[[CMPI:.*]] = arith.cmpi slt, %[[LOAD1]], %[[CONSTANT8]] : i64
// CHECK: scf.if %[[CMPI]] {
// CHECK-DAG: %[[CONSTANT9:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[CONSTANT10:.*]] = arith.constant 0 : index
// CHECK: %[[LOAD2:.*]] = memref.load %{{.*}}[%[[CONSTANT10]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT11:.*]] = arith.constant 0 : i64
// CHECK: %[[CMPI1:.*]] = arith.cmpi eq, %[[LOAD2]], %[[CONSTANT11]] : i64
// CHECK: scf.if %[[CMPI1]] {
// CHECK-DAG: %[[CONSTANT12:.*]] = arith.constant 0 : index
// CHECK: memref.store %[[CONSTANT9]], %{{.*}}[%[[CONSTANT12]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT13:.*]] = arith.constant 1 : index
// CHECK: memref.store %[[LOAD1]], %{{.*}}[%[[CONSTANT13]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT14:.*]] = arith.constant 2 : index
// CHECK: memref.store %[[CONSTANT8]], %{{.*}}[%[[CONSTANT14]]] : memref<4xi64>
// CHECK: %[[SUBI:.*]] = arith.subi %[[LOAD1]], %[[CONSTANT8]] : i64
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[LOAD1]], %[[SUBI]] : i64
// CHECK: memref.store %[[SELECT]], %[[ALLOCA]][] : memref<i64>
// CHECK: %[[TO_TENSOR:.*]] = bufferization.to_tensor %[[X]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK: %[[TO_TENSOR1:.*]] = bufferization.to_tensor %{{.*}} restrict writable : memref<8xf32> to tensor<8xf32>
// CHECK: %[[GENERIC:.*]] = linalg.generic {indexing_maps = [#[[$MAP]], #[[$MAP]], #[[$MAP]]], iterator_types = ["parallel"]} ins(%[[TO_TENSOR1]], %[[TO_TENSOR]] : tensor<8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) {
// CHECK: ^bb0(%[[I0:.*]]: f32, %[[I1:.*]]: f32, %[[I2:.*]]: f32):
// CHECK: %[[ADDF:.*]] = arith.addf %[[I0]], %[[I1]] : f32
// CHECK: linalg.yield %[[ADDF]] : f32
// CHECK: bufferization.materialize_in_destination %[[GENERIC]] in restrict writable %{{.*}} : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK-DAG: %[[CONSTANT15:.*]] = arith.constant 32 : i64
// CHECK: %[[LOAD3:.*]] = memref.load %[[ALLOCA]][] : memref<i64>
// CHECK: %[[ADDI1:.*]] = arith.addi %[[LOAD3]], %[[CONSTANT15]] : i64
// CHECK: memref.store %[[ADDI1]], %[[ALLOCA]][] : memref<i64>
// CHECK-DAG: %[[CONSTANT16:.*]] = arith.constant 32 : i64
// CHECK: %[[LOAD4:.*]] = memref.load %[[ALLOCA]][] : memref<i64>
// CHECK: %[[CMPI2:.*]] = arith.cmpi slt, %[[LOAD4]], %[[CONSTANT16]] : i64
// CHECK: scf.if %[[CMPI2]] {
// CHECK-DAG: %[[CONSTANT17:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[CONSTANT18:.*]] = arith.constant 0 : index
// CHECK: %[[LOAD5:.*]] = memref.load %{{.*}}[%[[CONSTANT18]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT19:.*]] = arith.constant 0 : i64
// CHECK: %[[CMPI3:.*]] = arith.cmpi eq, %[[LOAD5]], %[[CONSTANT19]] : i64
// CHECK: scf.if %[[CMPI3]] {
// CHECK-DAG: %[[CONSTANT20:.*]] = arith.constant 0 : index
// CHECK: memref.store %[[CONSTANT17]], %{{.*}}[%[[CONSTANT20]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT21:.*]] = arith.constant 1 : index
// CHECK: memref.store %[[LOAD4]], %{{.*}}[%[[CONSTANT21]]] : memref<4xi64>
// CHECK-DAG: %[[CONSTANT22:.*]] = arith.constant 2 : index
// CHECK: memref.store %[[CONSTANT16]], %{{.*}}[%[[CONSTANT22]]] : memref<4xi64>
// CHECK: %[[SUBI1:.*]] = arith.subi %[[LOAD4]], %[[CONSTANT16]] : i64
// CHECK: %[[SELECT1:.*]] = arith.select %[[CMPI2]], %[[LOAD4]], %[[SUBI1]] : i64
// CHECK: memref.store %[[SELECT1]], %[[ALLOCA]][] : memref<i64>
grid.kernel @copies grid()
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    scratch(%s: memref<!grid.semaphore<dma>>) {
  grid.copy_start %x, %o sem %s : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
  grid.copy_wait %x, %o sem %s : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
  grid.copy_start %x, %o sem %s {add} : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
  grid.copy_wait %x, %o sem %s : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>
}

// -----

// Random words: the number of the draw is the third word of the state, which moves on by one for each; a word of 64 bits
// has the second one above the first.

// CHECK-LABEL: func.func @bits(
// CHECK: %[[STATE:.*]] = memref.alloca() {{.*}} : memref<3xi32>
// CHECK: memref.load %[[STATE]]
// CHECK: memref.load %[[STATE]]
// CHECK: %[[POSITION:.*]] = arith.constant 2 : index
// CHECK: %[[DRAWN:.*]] = memref.load %[[STATE]][%[[POSITION]]]
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[DRAWN]], %[[ONE]] : i32
// CHECK: memref.store %[[NEXT]], %[[STATE]]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3xi64>)
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: arith.addi %{{.*}}, %[[J]] : index
// CHECK: %[[LOW:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: %[[HIGH:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: %[[HALF:.*]] = arith.constant 32 : i64
// CHECK: %[[UPPER:.*]] = arith.shli %[[HIGH]], %[[HALF]] : i64
// CHECK: %[[WORD:.*]] = arith.ori %[[LOW]], %[[UPPER]] : i64
// CHECK: linalg.yield %[[WORD]]
// CHECK: memref.load %[[STATE]]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4xi8>)
// CHECK: arith.trunci %{{.*}} : i32 to i8
grid.kernel @bits grid() outputs(%o: i64 [2, 3], %p: i8 [4]) {
  %c7 = arith.constant 7 : i32
  grid.prng_seed %c7 : i32
  %0 = grid.prng_bits : tensor<2x3xi64>
  grid.store %0, %o : tensor<2x3xi64>, memref<2x3xi64, #grid.space<default>>
  %1 = grid.prng_bits : tensor<4xi8>
  grid.store %1, %p : tensor<4xi8>, memref<4xi8, #grid.space<default>>
}

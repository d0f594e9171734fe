// RUN: gridir-opt %s --convert-grid-to-loops --split-input-file | FileCheck %s

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

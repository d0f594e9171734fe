// A kernel that looks for races tells the runtime of each access: where the view lies, and what and which line it is.
//
// RUN: gridir-opt %s --split-input-file --convert-grid-to-loops | FileCheck %s

// CHECK:       kernel.abi {{.*}}tasks = <races = true>
// CHECK-SAME:  accesses = ["read of x_ref (k.py:3:5)", "write of o_ref (k.py:4:5)", "read of x_ref (k.py:5:5)"]
// CHECK-DAG:   func.func private @gridirTaskDim(i64, i64, i64)
// CHECK-DAG:   func.func private @gridirTaskAccess(i64, i64, i64, i64)
// CHECK-LABEL: func.func @views(
// CHECK:         %[[ROW:.*]] = memref.subview %{{.*}} : memref<4x8xf32> to memref<8xf32
// CHECK:         memref.extract_strided_metadata %[[ROW]]
// CHECK:         call @gridirTaskDim(%{{.*}}, %{{.*}}, %{{.*}}) : (i64, i64, i64) -> ()
// CHECK:         memref.extract_aligned_pointer_as_index %[[ROW]]
// CHECK:         %[[BYTES:.*]] = arith.constant 4 : i64
// CHECK:         %[[READ:.*]] = arith.constant 0 : i64
// CHECK:         %[[SITE:.*]] = arith.constant 0 : i64
// CHECK:         call @gridirTaskAccess(%{{.*}}, %[[BYTES]], %[[READ]], %[[SITE]])
// CHECK:         %[[WRITE:.*]] = arith.constant 1 : i64
// CHECK:         %[[STORE:.*]] = arith.constant 1 : i64
// CHECK:         call @gridirTaskAccess(%{{.*}}, %{{.*}}, %[[WRITE]], %[[STORE]])
// One access for each index that is in bounds.
// CHECK:         scf.for
// CHECK:           %[[INDEX:.*]] = tensor.extract
// CHECK:           arith.cmpi ult
// CHECK:           scf.if
// CHECK:             memref.subview %{{.*}} [1, 8] [1, 1]
// CHECK:             call @gridirTaskAccess(
// CHECK-NOT:     grid.
grid.kernel @views grid(%p = 4)
    inputs(%x: f32 [4, 8] space any origin "x_ref") outputs(%o: f32 [4, 8] block [1, 8] at (%p, 0) origin "o_ref")
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<races = true>} {
  %id = grid.program_id 0
  %row = grid.slice_ref %x[%id, 0] [1, 8] [1, 1] drop [0] : memref<4x8xf32, #grid.space<any>>, i32 -> memref<8xf32, #grid.space<any>>
  grid.record_access read %row : memref<8xf32, #grid.space<any>> loc("k.py":3:5)
  grid.record_access write %o : memref<1x8xf32, #grid.space<default>> loc("k.py":4:5)
  %i = arith.constant dense<[3, 1]> : tensor<2xi32>
  grid.record_access read %x[%i] dims [0] : memref<4x8xf32, #grid.space<any>>, tensor<2xi32> loc("k.py":5:5)
}

// -----

// A use names the element of the complete Ref; semaphores are recorded with their names.
// CHECK:       accesses = ["counts ({{.*}})", "read of element {0} of s_ref (k.py:7:5)"]
// CHECK-LABEL: func.func @elements(
// CHECK:         %[[COUNTS:.*]] = memref.extract_aligned_pointer_as_index %{{.*}} : memref<3xi64>
// CHECK:         call @gridirTaskSemaphores(
// CHECK:         memref.extract_strided_metadata %[[SCRATCH:[a-z0-9_]+]] : memref<4x8xf32>
// CHECK:         call @gridirTaskRoot(
// CHECK:         call @gridirTaskAccess(
grid.kernel @elements grid(%p = 4)
    scratch(%s: memref<4x8xf32> origin "s_ref", %c: memref<3x!grid.semaphore<regular>> origin "counts")
    attributes {grid.tasks = #kernel.tasks<uninitialized = true, semaphores = true>} {
  %row = grid.slice_ref %s[2, 0] [1, 8] [1, 1] drop [0] : memref<4x8xf32> -> memref<8xf32>
  grid.record_access use %row of %s : memref<8xf32> of memref<4x8xf32> loc("k.py":7:5)
}

// -----

// A view without a memref is recorded as an access to its source. A block that overhangs its array is a copy: the array
// is accessed when it is made and when it is written back.
// CHECK:       accesses = ["read of x_ref {{.*}}, "write of o_ref
// CHECK-LABEL: func.func @copies(
// CHECK:         scf.if
// CHECK:         } else {
// CHECK:           call @gridirTaskAccess(
// CHECK:           linalg.copy
// CHECK:         call @gridirTaskAccess(
// CHECK:         scf.if
// CHECK:         } else {
// CHECK:           call @gridirTaskAccess(
// CHECK:           linalg.copy
grid.kernel @copies grid(%p = 4)
    inputs(%x: f32 [4, 30] block [1, 8] at (0, %p) origin "x_ref")
    outputs(%o: f32 [4, 30] block [1, 8] at (0, %p) origin "o_ref")
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<races = true>} {
  %t = grid.transpose_ref %x [1, 0] : memref<1x8xf32, #grid.space<default>> -> memref<8x1xf32, #grid.space<default>>
  grid.record_access read %t : memref<8x1xf32, #grid.space<default>>
  %v = grid.load %x : memref<1x8xf32, #grid.space<default>> -> tensor<1x8xf32>
  %s = arith.addf %v, %v : tensor<1x8xf32>
  grid.store %s, %o : tensor<1x8xf32>, memref<1x8xf32, #grid.space<default>>
}

// -----

// A masked access may reach outside of its Ref; what lies inside, and the mask lets through, is recorded.
// CHECK-LABEL: func.func @masked(
// CHECK:         tensor.generate
// CHECK:         scf.for
// CHECK:           %[[CHOSEN:.*]] = tensor.extract
// CHECK:           %[[WITHIN:.*]] = arith.cmpi ult
// CHECK:           %[[HAPPENS:.*]] = arith.andi %[[CHOSEN]], %[[WITHIN]] : i1
// CHECK:           scf.if %[[HAPPENS]]
// CHECK:             memref.subview {{.*}} [1] [1]
// CHECK:             call @gridirTaskAccess(
// CHECK-NOT:     grid.
grid.kernel @masked grid(%p = 4)
    inputs(%x: f32 [30] space any origin "x_ref", %n: i32 [4] space any) outputs(%o: f32 [32] block [8] at (%p) origin "o_ref")
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<races = true>} {
  %ns = grid.load %n : memref<4xi32, #grid.space<any>> -> tensor<4xi32>
  %c0 = arith.constant 0 : index
  %start = tensor.extract %ns[%c0] : tensor<4xi32>
  %m = arith.constant dense<[true, true, true, true, true, true, false, false]> : tensor<8xi1>
  %row = grid.slice_ref %x[%start] [8] [1] : memref<30xf32, #grid.space<any>>, i32 -> memref<8xf32, #grid.space<any>>
  grid.record_access read %row mask %m : memref<8xf32, #grid.space<any>> mask tensor<8xi1>
  %v = grid.load %row mask %m : memref<8xf32, #grid.space<any>>, tensor<8xi1> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

// The same of a Ref that is known to be inside.
// CHECK-LABEL: func.func @masked_block(
// CHECK:         scf.for
// CHECK:           %[[CHOSEN:.*]] = tensor.extract
// CHECK-NEXT:      scf.if %[[CHOSEN]]
// CHECK:             memref.subview {{.*}} [1] [1]
// CHECK:             call @gridirTaskAccess(
// CHECK-NOT:     grid.
grid.kernel @masked_block grid(%p = 4)
    outputs(%o: f32 [32] block [8] at (%p) origin "o_ref")
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<races = true>} {
  %m = arith.constant dense<[true, true, true, true, true, true, false, false]> : tensor<8xi1>
  grid.record_access write %o mask %m : memref<8xf32, #grid.space<default>> mask tensor<8xi1>
}

// -----

// The stores of a copy need no commit.
// CHECK-LABEL: func.func @copied(
// CHECK:         call @gridirTaskAccess(
// CHECK:         call @gridirTaskMemory(
grid.kernel @copied grid(%p = 4)
    outputs(%o: f32 [32] block [8] at (%p) origin "o_ref")
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<races = true>} {
  grid.record_access write %o {grid.copied} : memref<8xf32, #grid.space<default>>
}

// -----

// The runtime knows the program by its number in the order of the grid, what is scratch, and what holds nothing: a scope
// when it is entered, a block that is copied and not read first, and outputs when the call begins.
// CHECK:       grid = [4, 2]
// CHECK-SAME:  unwritten_operands = [#kernel.unwritten<0, "o_ref{{.*}}", tensor<30xf32>>]
// CHECK-LABEL: func.func @memory(
// CHECK:         scf.for %[[P:.*]] =
// CHECK:           call @gridirTaskScratch(
// CHECK:           scf.for %[[K:.*]] =
// CHECK:             arith.muli
// CHECK:             %[[ROW:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK:             %[[NUMBER:.*]] = arith.addi %[[ROW]], %[[K]] : index
// CHECK:             %[[CAST:.*]] = arith.index_cast %[[NUMBER]]
// CHECK:             call @gridirTaskProgram(%[[CAST]])
// CHECK:             } else {
// CHECK:               call @gridirTaskDim(
// CHECK:               %[[WIDTH:.*]] = arith.constant 4 : i64
// CHECK:               %[[NOTHING:.*]] = arith.constant 0 : i64
// CHECK:               call @gridirTaskMemory(%{{.*}}, %[[WIDTH]], %[[NOTHING]])
// CHECK:             call @gridirTaskMemory(
// CHECK:             } else {
// CHECK:               call @gridirTaskAccess(
// CHECK:               linalg.copy
// CHECK:               call @gridirTaskTransfer(
grid.kernel @memory grid(%p = 4, %k = 2)
    outputs(%o: f32 [30] block [8] at (%p) origin "o_ref")
    scratch(%s: memref<8xf32>)
    semantics [parallel, arbitrary] attributes {grid.tasks = #kernel.tasks<uninitialized = true>} {
  grid.scoped (%t: memref<8xf32>) {
    %v = arith.constant dense<1.0> : tensor<8xf32>
    grid.store %v, %t : tensor<8xf32>, memref<8xf32>
  }
  %w = arith.constant dense<2.0> : tensor<8xf32>
  grid.store %w, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

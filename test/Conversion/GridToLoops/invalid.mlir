// RUN: gridir-opt %s --split-input-file --verify-diagnostics --convert-grid-to-loops
// RUN: not gridir-opt %s --split-input-file --convert-grid-to-loops 2>/dev/null | FileCheck %s

// Rejected kernels are not converted.
// CHECK:     // -----
// CHECK-NOT: {{grid.kernel|func.func}}

// expected-error @below {{expected arrays of static shape, got symbolic dimensions in x_ref; set their sizes with grid-specialize}}
grid.kernel @symbolic grid()
    inputs(%x: f32 [?n] block [8] origin "x_ref") outputs(%o: f32 [8]) {
}

// -----

// expected-error @below {{expected blocks without transforms, got transforms of x_ref, which only another backend supports}}
grid.kernel @transformed grid()
    inputs(%x: f32 [8, 64] transforms [<transpose [1, 0]>] origin "x_ref") outputs(%o: f32 [8]) {
}

// -----

// expected-error @below {{expected semaphores in one block, got blocks of args[0]}}
grid.kernel @cut_semaphores grid(%i = 2)
    inputs(%s: !grid.semaphore<dma> [2] block [1] at (%i) origin "args[0]") outputs(%o: f32 [8]) {
}

// -----

// expected-error @below {{expected semaphores in one block, got blocks of args[0]}}
grid.kernel @moved_whole_semaphores grid(%i = 2)
    inputs(%s: !grid.semaphore<dma> [2] block [] at (%i) origin "args[0]") outputs(%o: f32 [8]) {
}

// -----

// expected-error @below {{expected semaphores in one block, got blocks of args[0]}}
grid.kernel @moved_semaphores grid(%i = 2)
    inputs(%s: !grid.semaphore<dma> [2] block [2] at (%i) origin "args[0]") outputs(%o: f32 [8]) {
}

// -----

grid.kernel @remote_signal grid()
    inputs() outputs(%o: f32 [8])
    scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{expected signals within one device, got a signal to another device or core}}
  grid.semaphore_signal %s, %c1 device (%c1 : i32) {device_id_type = #grid.device_id_type<logical>} : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

grid.kernel @unseeded grid()
    inputs() outputs(%o: i32 [8]) {
  // expected-error @below {{expected the kernel to seed its random generator}}
  %bits = grid.prng_bits : tensor<8xi32>
  grid.store %bits, %o : tensor<8xi32>, memref<8xi32, #grid.space<default>>
}

// -----

grid.kernel @shared_scope grid(%i = 2 named "core" core, %j = 4 named "subcore" subcore)
    inputs() outputs(%o: f32 [8] space any)
    semantics [core_parallel, subcore_parallel] attributes {grid.tasks = #kernel.tasks<>} {
  // expected-error @below {{expected a scope that is shared along the innermost concurrent dimensions, got outer dimensions}}
  grid.scoped (%t: memref<8xf32>) attributes {collective = ["core"]} {
  }
}

// -----

// expected-error @below {{expected inputs that are read in place, since programs synchronize, got one that must be copied first}}
grid.kernel @copied_input grid(%i = 2)
    inputs(%x: f32 [8]) outputs(%o: f32 [8])
    semantics [parallel] aliases [0 -> 0] functional attributes {grid.tasks = #kernel.tasks<>} {
  %v = grid.load %x : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

grid.kernel @other_device grid(%i = 2)
    inputs() outputs(%o: f32 [8])
    scratch(%s: memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{expected devices over which the call is mapped, as in shard_map, got a device outside of any known mesh}}
  grid.semaphore_signal %s, %c1 device (%c1 : i32) {device_id_type = #grid.device_id_type<logical>} : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

// expected-note @below {{the first kernel}}
grid.kernel @first grid() inputs() outputs(%o: f32 [8]) {
}
// expected-error @below {{expected one kernel in a module, got another before: @first}}
grid.kernel @second grid() inputs() outputs(%o: f32 [8]) {
}

// -----

grid.kernel @transposed_semaphores grid()
    scratch(%s: memref<2x3x!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>) {
  %c1 = arith.constant 1 : i32
  %t = grid.transpose_ref %s [1, 0] : memref<2x3x!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>> -> memref<3x2x!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
  %r = grid.slice_ref %t[2, 1] [1, 1] [1, 1] drop [0, 1] : memref<3x2x!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>> -> memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
  // expected-error @below {{expected a semaphore of a Ref in memory, got one of a view without a memref}}
  grid.semaphore_signal %r, %c1 : memref<!grid.semaphore<regular>, #tpu.memory_space<semaphore_mem>>
}

// -----

grid.kernel @barriers grid() {
  // expected-error @below {{expected one barrier semaphore, got an array}}
  %s = grid.barrier_semaphore : memref<2x!grid.semaphore<barrier>>
}

// -----

// Ops after a rejected Ref are converted without further errors.

grid.kernel @choose_transposed grid() inputs(%x: f32 [4, 8], %y: f32 [8, 4]) {
  %c = arith.constant 1 : i32
  %t = grid.transpose_ref %x [1, 0] : memref<4x8xf32, #grid.space<default>> -> memref<8x4xf32, #grid.space<default>>
  // expected-error @below {{expected whole Refs or slices to choose from, got a Ref that is transposed or bitcast}}
  %q = grid.select_ref %c of %t, %y : memref<8x4xf32, #grid.space<default>>, memref<8x4xf32, #grid.space<default>> -> memref<8x4xf32, #grid.space<default>>
  %0 = grid.load %q : memref<8x4xf32, #grid.space<default>> -> tensor<8x4xf32>
  grid.store %0, %q : tensor<8x4xf32>, memref<8x4xf32, #grid.space<default>>
  grid.record_access write %q : memref<8x4xf32, #grid.space<default>>
}

// -----

grid.kernel @device grid() {
  // expected-error @below {{expected an op that can run in a loop over the grid, got 'grid.device_id'}}
  %c = grid.device_id
}

// -----

grid.kernel @add_there grid(%i = 2) inputs(%x: f32 [8] space any) outputs(%o: f32 [8] space any)
    scratch(%s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>, grid.devices = 4 : i64} {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{expected a copy between strided Refs to another core or device, without add}}
  grid.copy_start %x, %o sem %s src_sem %s device (%c1 : i32) {add, device_id_type = #grid.device_id_type<logical>}
      : memref<8xf32, #grid.space<any>>, memref<8xf32, #grid.space<any>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
}

// -----

// The op lets a window without elements begin anywhere; memory does not.

grid.kernel @empty_window grid() inputs(%x: f32 [16] origin "x_ref") outputs(%o: f32 [0]) {
  %first = grid.slice_ref %x[16] [0] [1] : memref<16xf32, #grid.space<default>> -> memref<0xf32, #grid.space<default>>
  // expected-error @below {{expected dimension 0 of a slice of x_ref to start in [0, 16], got 17}}
  %second = grid.slice_ref %x[17] [0] [1] : memref<16xf32, #grid.space<default>> -> memref<0xf32, #grid.space<default>>
}

// -----

// A copy names its receiver once, and is refused once.

grid.kernel @nowhere grid(%i = 2) inputs(%x: f32 [8] space any) outputs(%o: f32 [8] space any)
    scratch(%s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>)
    semantics [parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{expected devices over which the call is mapped, as in shard_map, got a device outside of any known mesh}}
  grid.copy_start %x, %o sem %s src_sem %s device (%c1 : i32) {device_id_type = #grid.device_id_type<logical>}
      : memref<8xf32, #grid.space<any>>, memref<8xf32, #grid.space<any>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
}

// -----

// MLIR's verifier takes it.

grid.kernel @other_output_shape grid() inputs(%x: f32 [128]) outputs(%o: f32 [2, 64]) {
  %v = grid.load %x : memref<128xf32, #grid.space<default>> -> tensor<128xf32>
  // expected-error @below {{expected the output shape of the result's type}}
  %z = tensor.expand_shape %v [[0, 1]] output_shape [2, 63] : tensor<128xf32> into tensor<2x64xf32>
  grid.store %z, %o : tensor<2x64xf32>, memref<2x64xf32, #grid.space<default>>
}

// -----

// Kernels that loops cannot express: one in each chunk.

grid.kernel @remote_copy grid() inputs(%x: f32 [8] origin "x_ref") outputs(%o: f32 [8])
    scratch(%s: memref<!grid.semaphore<dma>>) {
  %n = arith.constant 1 : i32
  // expected-error @below {{expected copies within one device, got a remote copy of x_ref}}
  grid.copy_start %x, %o sem %s src_sem %s device(%n : i32) {device_id_type = #grid.device_id_type<logical>}
      : memref<8xf32, #grid.space<default>>, memref<8xf32, #grid.space<default>>, memref<!grid.semaphore<dma>>, memref<!grid.semaphore<dma>>
}

// -----

// expected-error @below {{expected blocks of consecutive elements, got an indirect dimension 0 of x_ref}}
grid.kernel @indirect grid(%i = 2) inputs(%x: f32 [8] block [indirect(4)] at (%i) origin "x_ref") outputs(%o: f32 [8]) {
}

// -----

grid.kernel @algorithm grid() inputs(%x: f32 [8, 8]) outputs(%o: f32 [8, 8]) {
  %0 = grid.load %x : memref<8x8xf32, #grid.space<default>> -> tensor<8x8xf32>
  // expected-error @below {{expected a dot algorithm of JAX, got 'F8_F8_F8'}}
  %1 = grid.dot %0, %0 contract [1] x [0] {algorithm = "F8_F8_F8"} : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  grid.store %1, %o : tensor<8x8xf32>, memref<8x8xf32, #grid.space<default>>
}

// -----

grid.kernel @empty_gather grid() inputs(%x: f32 [0, 16]) outputs(%o: f32 [4, 16]) {
  %i = arith.constant dense<0> : tensor<4xi32>
  // expected-error @below {{expected a Ref with elements to gather from}}
  %0 = grid.gather %x[%i] dims [0] : memref<0x16xf32, #grid.space<default>>, tensor<4xi32> -> tensor<4x16xf32>
  grid.store %0, %o : tensor<4x16xf32>, memref<4x16xf32, #grid.space<default>>
}

// -----

grid.kernel @complex_swap grid() inputs(%x: complex<f32> []) outputs(%o: complex<f32> []) {
  %v = grid.load %x : memref<complex<f32>, #grid.space<default>> -> complex<f32>
  // expected-error @below {{expected integers or floats to compare, got complex numbers}}
  %0 = grid.atomic_cas %v, %v, %o : complex<f32>, memref<complex<f32>, #grid.space<default>>
}

// -----

grid.kernel @wide_bits grid() outputs(%o: f32 [8]) {
  %n = arith.constant 1 : i32
  grid.prng_seed %n : i32
  // expected-error @below {{expected random bits as integers of at most 64 bits}}
  %0 = grid.prng_bits : tensor<8xi128>
}

// -----

grid.kernel @printed grid() inputs(%x: complex<f32> [8]) outputs(%o: f32 [8]) {
  %v = grid.load %x : memref<8xcomplex<f32>, #grid.space<default>> -> tensor<8xcomplex<f32>>
  // expected-error @below {{expected integers and floats as operands of a print or callback, got a value of another type}}
  grid.print "{}" %v : tensor<8xcomplex<f32>>
}

// -----

grid.kernel @adding grid(%c = 2 named "core" core)
    inputs(%x: f32 [8]) outputs(%o: f32 [8] space any)
    scratch(%t: memref<8xf32>, %s: memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>)
    semantics [core_parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %n = arith.constant 1 : i32
  // expected-error @below {{expected a copy between strided Refs to another core or device, without add}}
  grid.copy_start %x, %t sem %s src_sem %s core %n {add} : memref<8xf32, #grid.space<default>>, memref<8xf32>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>, memref<!grid.semaphore<dma>, #tpu.memory_space<semaphore_mem>>
}

// -----

grid.kernel @other_memory grid() outputs(%o: f32 [8]) {
  %a = memref.alloc() : memref<8xf32>
  // expected-error @below {{expected a Ref of the kernel or a view of one, got a memref of 'memref.alloc'}}
  %v = grid.load %a : memref<8xf32> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

grid.kernel @from_nothing grid() outputs(%o: f32 [8]) {
  %a = builtin.unrealized_conversion_cast to memref<8xf32>
  // expected-error @below {{expected a Ref of the kernel or a view of one, got a memref of 'builtin.unrealized_conversion_cast'}}
  %v = grid.load %a : memref<8xf32> -> tensor<8xf32>
  grid.store %v, %o : tensor<8xf32>, memref<8xf32, #grid.space<default>>
}

// -----

grid.kernel @cast grid() outputs(%o: f32 [8]) {
  %a = memref.cast %o : memref<8xf32, #grid.space<default>> to memref<*xf32, #grid.space<default>>
  %b = memref.cast %a : memref<*xf32, #grid.space<default>> to memref<8xf32, #grid.space<default>>
  // expected-error @below {{expected a Ref of the kernel or a view of one, got a memref of 'memref.cast'}}
  %v = grid.load %b : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
}

// -----

grid.kernel @carried grid() inputs(%x: f32 [8], %y: f32 [8]) outputs(%o: f32 [8]) {
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c1 to %c1 step %c1 iter_args(%z = %x) -> memref<8xf32, #grid.space<default>> {
    scf.yield %y : memref<8xf32, #grid.space<default>>
  }
  // expected-error @below {{expected a Ref of the kernel or a view of one, got a memref of 'scf.for'}}
  %v = grid.load %r : memref<8xf32, #grid.space<default>> -> tensor<8xf32>
}

// -----

grid.kernel @escapes grid() outputs(%o: f32 [8]) {
  %r = grid.scoped (%s: memref<8xf32>) -> memref<8xf32> {
    grid.yield %s : memref<8xf32>
  }
  // expected-error @below {{expected a Ref of the kernel or a view of one, got a memref of 'grid.scoped'}}
  %v = grid.load %r : memref<8xf32> -> tensor<8xf32>
}

// -----

// The meshes of a kernel enumerate its programs.

!shared = memref<8xf32, #tpu.memory_space<vmem_shared>>

// expected-error @below {{expected meshes whose cores are the programs of the last grid dimension, got other shapes}}
grid.kernel @too_few_cores grid(%c = 8 core) outputs(%o: f32 [8, 8] space any) scratch(%shared: !shared)
    semantics [core_parallel]
    attributes {grid.tasks = #kernel.tasks<>, grid.meshes = [array<i64: 2, 3>]} {
  %v = grid.load %shared : !shared -> tensor<8xf32>
  grid.store %v, %shared : tensor<8xf32>, !shared
}

// -----

!shared = memref<8xf32, #tpu.memory_space<vmem_shared>>

// expected-error @below {{expected parallel cores, whose programs share memory, got a sequential dimension}}
grid.kernel @sequential_cores grid(%c = 2 core) outputs(%o: f32 [2, 8] space any) scratch(%shared: !shared)
    attributes {grid.tasks = #kernel.tasks<>} {
  %v = grid.load %shared : !shared -> tensor<8xf32>
  grid.store %v, %shared : tensor<8xf32>, !shared
}

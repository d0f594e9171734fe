// RUN: gridir-opt %s --convert-grid-to-loops --split-input-file --verify-diagnostics

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
    scratch(%t: memref<8xf32>, %s: memref<!grid.semaphore<dma>, #grid.space<tpu.semaphore_mem>>)
    semantics [core_parallel] attributes {grid.tasks = #kernel.tasks<>} {
  %n = arith.constant 1 : i32
  // expected-error @below {{expected a copy between strided Refs to another core or device, without add}}
  grid.copy_start %x, %t sem %s src_sem %s core %n {add} : memref<8xf32, #grid.space<default>>, memref<8xf32>, memref<!grid.semaphore<dma>, #grid.space<tpu.semaphore_mem>>, memref<!grid.semaphore<dma>, #grid.space<tpu.semaphore_mem>>
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

!shared = memref<8xf32, #grid.space<tpu.vmem_shared>>

// expected-error @below {{expected meshes whose cores are the programs of the last grid dimension, got other shapes}}
grid.kernel @too_few_cores grid(%c = 8 core) outputs(%o: f32 [8, 8] space any) scratch(%shared: !shared)
    semantics [core_parallel]
    attributes {grid.tasks = #kernel.tasks<>, grid.meshes = [array<i64: 2, 3>]} {
  %v = grid.load %shared : !shared -> tensor<8xf32>
  grid.store %v, %shared : tensor<8xf32>, !shared
}

// -----

!shared = memref<8xf32, #grid.space<tpu.vmem_shared>>

// expected-error @below {{expected meshes whose cores are the programs of the last grid dimension, got other shapes}}
grid.kernel @negative_mesh grid(%c = 8 core) outputs(%o: f32 [8, 8] space any) scratch(%shared: !shared)
    semantics [core_parallel]
    attributes {grid.tasks = #kernel.tasks<>, grid.meshes = [array<i64: -2, -3>, array<i64: 2>]} {
  %v = grid.load %shared : !shared -> tensor<8xf32>
  grid.store %v, %shared : tensor<8xf32>, !shared
}

// -----

!shared = memref<8xf32, #grid.space<tpu.vmem_shared>>

// expected-error @below {{expected meshes whose cores are the programs of the last grid dimension, got other shapes}}
grid.kernel @narrow_mesh grid(%c = 8 core) outputs(%o: f32 [8, 8] space any) scratch(%shared: !shared)
    semantics [core_parallel]
    attributes {grid.tasks = #kernel.tasks<>, grid.meshes = [array<i32: 8>]} {
  %v = grid.load %shared : !shared -> tensor<8xf32>
  grid.store %v, %shared : tensor<8xf32>, !shared
}

// Every op, written by hand, comes back from its custom form, its generic form and bytecode.
//
// RUN: gridir-opt %s | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --mlir-print-op-generic | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --emit-bytecode | gridir-opt | FileCheck %s

// CHECK-LABEL: grid.kernel @matmul grid(%i = 4, %j = 4, %k = 4)
// CHECK: inputs(%[[X:.*]]: bf16 [512, 512] block [128, 128] at (%i, %k),
// CHECK: %{{.*}}: bf16 [512, 512] block [128, 128] at (%k, %j))
// CHECK: outputs(%[[O:.*]]: f32 [512, 512] block [128, 128] at (%i, %j))
// CHECK: scratch(%{{.*}}: memref<128x128xf32, #tpu.memory_space<vmem>>)
// CHECK: semantics [parallel, parallel, arbitrary]
// CHECK: grid.load %[[X]]
// CHECK: grid.accumulate %{{.*}}, %[[O]]
grid.kernel @matmul grid(%i = 4, %j = 4, %k = 4)
    inputs(%x: bf16 [512, 512] block [128, 128] at (%i, %k),
           %y: bf16 [512, 512] block [128, 128] at (%k, %j))
    outputs(%o: f32 [512, 512] block [128, 128] at (%i, %j))
    scratch(%acc: memref<128x128xf32, #tpu.memory_space<vmem>>)
    semantics [parallel, parallel, arbitrary] {
  %a = grid.load %x : memref<128x128xbf16, #grid.space<default>> -> tensor<128x128xbf16>
  %b = grid.load %y : memref<128x128xbf16, #grid.space<default>> -> tensor<128x128xbf16>
  %c = grid.dot %a, %b contract [1] x [0]
      : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
  grid.accumulate %c, %o : tensor<128x128xf32>, memref<128x128xf32, #grid.space<default>>
}

// All that a kernel may carry, each part not at its default.
// CHECK-LABEL: grid.kernel private @everything grid(%i = ?, %j = 2 named "rows" vmapped, %k = 1 named "c" cluster)
// CHECK: index(%[[ROWS:.*]]: i32 [8] space #tpu.memory_space<smem> origin "rows_ref")
// CHECK: inputs(%{{.*}}: ui8 [?m, 66] block [squeezed, element(34, 1, 1)] map(
// CHECK: memref.load
// CHECK: grid.yield
// CHECK: space any pipeline <3, lookahead, revisit = any> transforms [<tiling[2]>] origin "x_ref" index_tree "(*, *)"
// CHECK: outputs(%{{.*}}: ui8 [?m, 66] origin "outputs[0]",
// CHECK: %{{.*}}: f32 [16, 8] block [slice(4), indirect(2)] at (%i, 0, (%j * 2) + 1))
// CHECK: aliases [1 -> 0] functional
// CHECK: params [#grid.tpu_params<vmem_limit_bytes = 1024>, #grid.triton_params<num_warps = 4>]
// CHECK: attributes {backend = "mosaic_tpu", cost = #grid.cost<flops = 8
// CHECK-SAME: debug
// CHECK-SAME: jax = {tree = "*"}
// CHECK-SAME: metadata = {owner = "me"}
// CHECK-SAME: source = "kernel.py:3"
grid.kernel private @everything grid(%i = ?, %j = 2 named "rows" vmapped, %k = 1 named "c" cluster)
    index(%rows: i32 [8] space #tpu.memory_space<smem> origin "rows_ref")
    inputs(%x: ui8 [?m, 66] block [squeezed, element(34, 1, 1)]
             map(%a: i32, %b: i32, %c: i32, %r: memref<8xi32, #tpu.memory_space<smem>>) {
               %at = arith.index_cast %a : i32 to index
               %row = memref.load %r[%at] : memref<8xi32, #tpu.memory_space<smem>>
               grid.yield %row, %b : i32, i32
             } space any pipeline <3, lookahead, revisit = any> transforms [<tiling [2]>]
             origin "x_ref" index_tree "(*, *)")
    outputs(%o: ui8 [?m, 66] origin "outputs[0]",
            %p: f32 [16, 8] block [slice(4), indirect(2)] at (%i, 0, %j * 2 + 1))
    aliases [1 -> 0] functional
    params [#grid.tpu_params<vmem_limit_bytes = 1024>, #grid.triton_params<num_warps = 4>]
    attributes {backend = "mosaic_tpu", debug,
                cost = #grid.cost<flops = 8, transcendentals = 0, bytes_accessed = 96, remote_bytes_transferred = 0>,
                jax = {tree = "*"}, metadata = {owner = "me"}, source = "kernel.py:3"} {
  // CHECK: %[[ID:.*]] = grid.program_id 0
  %i0 = grid.program_id 0
  // CHECK: grid.program_id "rows"
  %i1 = grid.program_id "rows"
  // CHECK: grid.num_programs 0
  %n = grid.num_programs 0
}

// CHECK-LABEL: grid.kernel @no_grid grid()
grid.kernel @no_grid grid() inputs(%x: f32 [8]) outputs(%o: f32 []) {
}

// A dimension that vmap made is not among those of the author's parameters.
// CHECK-LABEL: grid.kernel @vmapped
// CHECK: dimension_semantics = ["parallel"]
grid.kernel @vmapped grid(%i = 3 vmapped, %j = 4)
    params [#grid.tpu_params<dimension_semantics = ["parallel"]>] {
}

// Indices of two types have no short form, though they are affine.
// CHECK-LABEL: grid.kernel @indices_of_two_types
// CHECK: inputs(%{{.*}}: f32 [8, 8] block [2, 2] map(
// CHECK: grid.yield %{{.*}}, %{{.*}} : i32, i64
grid.kernel @indices_of_two_types grid(%i = 4)
    inputs(%x: f32 [8, 8] block [2, 2] map(%a: i32) {
             %c0 = arith.constant 0 : i64
             grid.yield %a, %c0 : i32, i64
           }) {
}

// CHECK-LABEL: grid.kernel @index_64 grid(%i = 4)
// CHECK: inputs(%{{.*}}: f32 [8] block [2] at (%i) : i64)
// CHECK: outputs(%{{.*}}: f32 [8] block [2] at (((%i * 3) + 1) floordiv 4))
grid.kernel @index_64 grid(%i = 4)
    inputs(%x: f32 [8] block [2] at (%i) : i64)
    outputs(%o: f32 [8] block [2] at ((%i * 3 + 1) floordiv 4)) {
}

// Program ids are never negative, so that division toward zero is division down, and what is affine has its simplest
// form; what wraps around in its type is no affine expression.
// CHECK-LABEL: grid.kernel @divided
// CHECK: inputs(%{{.*}}: f32 [8, 8, 8] block [2, 2, 2] at (%i floordiv 2, %i mod 3, (%i * 4) mod 3),
// CHECK: f32 [8] block [2] map(
// CHECK: outputs(%{{.*}}: f32 [8] block [2] map(
grid.kernel @divided grid(%i = 4)
    inputs(%x: f32 [8, 8, 8] block [2, 2, 2] map(%a: i32) {
             %c2 = arith.constant 2 : i32
             %c3 = arith.constant 3 : i32
             %half = arith.divsi %a, %c2 : i32
             %rest = arith.remsi %a, %c3 : i32
             %left = arith.shli %a, %c2 : i32
             %quotient = arith.floordivsi %left, %c3 : i32
             %whole = arith.muli %quotient, %c3 : i32
             %mod = arith.subi %left, %whole : i32
             grid.yield %half, %rest, %mod : i32, i32, i32
           }, %y: f32 [8] block [2] map(%a: i32) {
             %c1 = arith.constant 1 : i32
             %c2 = arith.constant 2 : i32
             %less = arith.subi %a, %c1 : i32
             %half = arith.divsi %less, %c2 : i32
             grid.yield %half : i32
           })
    outputs(%o: f32 [8] block [2] map(%a: i32) {
             %c7 = arith.constant 7 : i32
             %factor = arith.constant 1103515245 : i32
             %hash = arith.muli %a, %factor : i32
             %quotient = arith.floordivsi %hash, %c7 : i32
             grid.yield %quotient : i32
           }) {
}

// CHECK-LABEL: func.func @call
func.func @call(%n: i32, %rows: tensor<8xi32>, %x: tensor<4x66xi8>) -> (tensor<4x66xi8>, tensor<16x8xf32>) {
  // CHECK: grid.call @everything dynamic(%{{.*}} : i32) index(%{{.*}} : tensor<8xi32>) inputs(%{{.*}} : tensor<4x66xi8>) -> tensor<4x66xi8>, tensor<16x8xf32>
  %r:2 = grid.call @everything dynamic(%n : i32) index(%rows : tensor<8xi32>)
      inputs(%x : tensor<4x66xi8>) -> tensor<4x66xi8>, tensor<16x8xf32>
  return %r#0, %r#1 : tensor<4x66xi8>, tensor<16x8xf32>
}

// CHECK-LABEL: func.func @views
func.func @views(%x: memref<8x128xf32>, %h: memref<16x128xi16>, %i: i32, %j: index) {
  // CHECK: grid.slice_ref %{{.*}}[%{{.*}}, 0] [1, 64] [1, 2] drop [0] : memref<8x128xf32>, i32 -> memref<64xf32>
  %s = grid.slice_ref %x[%i, 0] [1, 64] [1, 2] drop [0] : memref<8x128xf32>, i32 -> memref<64xf32>
  // CHECK: grid.slice_ref %{{.*}}[%{{.*}}, %{{.*}}] [2, 4] [1, 1] : memref<8x128xf32>, i32, index -> memref<2x4xf32>
  %t = grid.slice_ref %x[%i, %j] [2, 4] [1, 1] : memref<8x128xf32>, i32, index -> memref<2x4xf32>
  // CHECK: grid.bitcast_ref %{{.*}} : memref<16x128xi16> -> memref<8x128xi32>
  %b = grid.bitcast_ref %h : memref<16x128xi16> -> memref<8x128xi32>
  // CHECK: grid.reshape_ref %{{.*}} : memref<8x128xf32> -> memref<1024xf32>
  %r = grid.reshape_ref %x : memref<8x128xf32> -> memref<1024xf32>
  // CHECK: grid.transpose_ref %{{.*}} [1, 0] : memref<8x128xf32> -> memref<128x8xf32>
  %p = grid.transpose_ref %x [1, 0] : memref<8x128xf32> -> memref<128x8xf32>
  // CHECK: grid.select_ref %{{.*}} of %{{.*}}, %{{.*}} : memref<64xf32>, memref<64xf32> -> memref<64xf32>
  %q = grid.select_ref %i of %s, %s : memref<64xf32>, memref<64xf32> -> memref<64xf32>
  return
}

// CHECK-LABEL: func.func @loads_and_stores
func.func @loads_and_stores(%x: memref<8x16xf32>, %v: tensor<8x16xf32>, %m: tensor<8x16xi1>,
                            %s: memref<f32>, %k: memref<i32>, %c: i32, %rows: tensor<4xi32>,
                            %gm: tensor<4xi1>, %g: tensor<4x16xf32>) {
  // CHECK: grid.load %{{.*}} : memref<8x16xf32> -> tensor<8x16xf32>
  %0 = grid.load %x : memref<8x16xf32> -> tensor<8x16xf32>
  // CHECK: grid.load %{{.*}} mask %{{.*}} other %{{.*}} : memref<8x16xf32>, tensor<8x16xi1>, tensor<8x16xf32> -> tensor<8x16xf32>
  %1 = grid.load %x mask %m other %v : memref<8x16xf32>, tensor<8x16xi1>, tensor<8x16xf32> -> tensor<8x16xf32>
  // CHECK: grid.load %{{.*}} : memref<f32> -> f32
  %2 = grid.load %s : memref<f32> -> f32
  // CHECK: grid.store %{{.*}}, %{{.*}} : tensor<8x16xf32>, memref<8x16xf32>
  grid.store %v, %x : tensor<8x16xf32>, memref<8x16xf32>
  // CHECK: grid.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8x16xf32>, memref<8x16xf32>, tensor<8x16xi1>
  grid.store %v, %x mask %m : tensor<8x16xf32>, memref<8x16xf32>, tensor<8x16xi1>
  // CHECK: grid.accumulate %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8x16xf32>, memref<8x16xf32>, tensor<8x16xi1>
  grid.accumulate %v, %x mask %m : tensor<8x16xf32>, memref<8x16xf32>, tensor<8x16xi1>
  // CHECK: grid.gather %{{.*}}[%{{.*}}] dims [0] : memref<8x16xf32>, tensor<4xi32> -> tensor<4x16xf32>
  %3 = grid.gather %x[%rows] dims [0] : memref<8x16xf32>, tensor<4xi32> -> tensor<4x16xf32>
  // CHECK: grid.gather %{{.*}}[%{{.*}}] dims [0] mask %{{.*}} other %{{.*}} : memref<8x16xf32>, tensor<4xi32> mask tensor<4xi1> other tensor<4x16xf32> -> tensor<4x16xf32>
  %4 = grid.gather %x[%rows] dims [0] mask %gm other %g
      : memref<8x16xf32>, tensor<4xi32> mask tensor<4xi1> other tensor<4x16xf32> -> tensor<4x16xf32>
  // CHECK: grid.scatter %{{.*}}, %{{.*}}[%{{.*}}] dims [0] add : tensor<4x16xf32>, memref<8x16xf32>, tensor<4xi32>
  grid.scatter %g, %x[%rows] dims [0] add : tensor<4x16xf32>, memref<8x16xf32>, tensor<4xi32>
  // CHECK: grid.scatter %{{.*}}, %{{.*}}[%{{.*}}] dims [0] mask %{{.*}} : tensor<4x16xf32>, memref<8x16xf32>, tensor<4xi32> mask tensor<4xi1>
  grid.scatter %g, %x[%rows] dims [0] mask %gm : tensor<4x16xf32>, memref<8x16xf32>, tensor<4xi32> mask tensor<4xi1>
  // CHECK: grid.atomic_rmw {{ ?}}add %{{.*}}, %{{.*}} : i32, memref<i32>
  %5 = grid.atomic_rmw add %c, %k : i32, memref<i32>
  // CHECK: grid.record_access write %{{.*}} : memref<8x16xf32>
  grid.record_access write %x : memref<8x16xf32>
  // CHECK: grid.record_access use %{{.*}} of %{{.*}} : memref<f32> of memref<8x16xf32>
  grid.record_access use %s of %x : memref<f32> of memref<8x16xf32>
  // CHECK: grid.record_access read %{{.*}} mask %{{.*}} : memref<8x16xf32> mask tensor<8x16xi1>
  grid.record_access read %x mask %m : memref<8x16xf32> mask tensor<8x16xi1>
  // CHECK: grid.record_access atomic %{{.*}}[%{{.*}}] dims [0] mask %{{.*}} : memref<8x16xf32>, tensor<4xi32> mask tensor<4xi1>
  grid.record_access atomic %x[%rows] dims [0] mask %gm : memref<8x16xf32>, tensor<4xi32> mask tensor<4xi1>
  // CHECK: grid.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} : i32, memref<i32>
  %6 = grid.atomic_cas %c, %c, %k : i32, memref<i32>
  // CHECK: grid.scoped (%[[TMP:.*]]: memref<8x16xf32>) -> tensor<8x16xf32> attributes {collective = ["rows"]}
  %7 = grid.scoped (%tmp: memref<8x16xf32>) -> tensor<8x16xf32> attributes {collective = ["rows"]} {
    // CHECK: grid.load %[[TMP]]
    %w = grid.load %tmp : memref<8x16xf32> -> tensor<8x16xf32>
    grid.yield %w : tensor<8x16xf32>
  }
  // CHECK: grid.scoped ()
  grid.scoped () {
  }
  return
}

// CHECK-LABEL: func.func @values
func.func @values(%a: tensor<2x8x16xbf16>, %b: tensor<2x4x16xbf16>, %c: tensor<2x8x4xf32>, %i: i32, %ok: i1) {
  // CHECK: grid.dot %{{.*}}, %{{.*}} acc %{{.*}} contract [2] x [2] batch [0] x [0] precision ["default", "highest"]
  // CHECK-SAME: {algorithm = "BF16_BF16_F32"} : tensor<2x8x16xbf16>, tensor<2x4x16xbf16>, tensor<2x8x4xf32> -> tensor<2x8x4xf32>
  %0 = grid.dot %a, %b acc %c contract [2] x [2] batch [0] x [0] precision ["default", "highest"]
      {algorithm = "BF16_BF16_F32"}
      : tensor<2x8x16xbf16>, tensor<2x4x16xbf16>, tensor<2x8x4xf32> -> tensor<2x8x4xf32>
  // CHECK: grid.assume_multiple %{{.*}}, 128 : i32
  %1 = grid.assume_multiple %i, 128 : i32
  // CHECK: grid.prng_seed %{{.*}}, %{{.*}} : i32, i32
  grid.prng_seed %i, %i : i32, i32
  // CHECK: grid.prng_bits : tensor<8x128xi32>
  %2 = grid.prng_bits : tensor<8x128xi32>
  // CHECK: grid.print "x = {}" %{{.*}} : i32
  grid.print "x = {}" %i : i32
  // CHECK: grid.print "here"
  grid.print "here"
  // CHECK: grid.callback "5f0c93e1" %{{.*}} : i32
  grid.callback "5f0c93e1" %i : i32
  // CHECK: grid.callback "5f0c93e1"{{$}}
  grid.callback "5f0c93e1"
  // CHECK: grid.assert %{{.*}}, "index is negative"
  grid.assert %ok, "index is negative"
  // CHECK: grid.assert %{{.*}}, "index {0} is not {1}"(%{{.*}}, %{{.*}} : i32, i32)
  grid.assert %ok, "index {0} is not {1}"(%i, %1 : i32, i32)
  return
}

// CHECK-LABEL: func.func @asynchronous
func.func @asynchronous(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<!grid.semaphore<dma>>,
                        %r: memref<!grid.semaphore<regular>>, %n: i32) {
  // CHECK: grid.copy_start %{{.*}}, %{{.*}} sem %{{.*}} : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<dma>>
  grid.copy_start %x, %y sem %s : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<dma>>
  // CHECK: grid.copy_start %{{.*}}, %{{.*}} sem %{{.*}} src_sem %{{.*}} device(%{{.*}} : i32) {add, device_id_type = #grid.device_id_type<logical>, priority = 1 : i64}
  grid.copy_start %x, %y sem %s src_sem %s device(%n : i32)
      {add, device_id_type = #grid.device_id_type<logical>, priority = 1 : i64}
      : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<dma>>, memref<!grid.semaphore<dma>>
  // CHECK: grid.copy_start %{{.*}}, %{{.*}} sem %{{.*}} src_sem %{{.*}} core %{{.*}} : memref
  grid.copy_start %x, %y sem %s src_sem %s core %n
      : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<dma>>, memref<!grid.semaphore<dma>>
  // CHECK: grid.copy_wait %{{.*}}, %{{.*}} sem %{{.*}} : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<dma>>
  grid.copy_wait %x, %y sem %s : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<dma>>
  // CHECK: grid.copy_wait %{{.*}}, %{{.*}} sem %{{.*}} device(%{{.*}} : i32) send
  grid.copy_wait %x, %y sem %s device(%n : i32) send {device_id_type = #grid.device_id_type<logical>}
      : memref<8xf32>, memref<8xf32>, memref<!grid.semaphore<dma>>
  // CHECK: grid.semaphore_signal %{{.*}}, %{{.*}} : memref<!grid.semaphore<regular>>
  grid.semaphore_signal %r, %n : memref<!grid.semaphore<regular>>
  // CHECK: grid.semaphore_signal %{{.*}}, %{{.*}} device(%{{.*}}, %{{.*}} : i32, i32) core %{{.*}} {device_id_type = #grid.device_id_type<mesh>}
  grid.semaphore_signal %r, %n device(%n, %n : i32, i32) core %n
      {device_id_type = #grid.device_id_type<mesh>} : memref<!grid.semaphore<regular>>
  // CHECK: grid.semaphore_wait %{{.*}}, %{{.*}} : memref<!grid.semaphore<regular>>
  grid.semaphore_wait %r, %n : memref<!grid.semaphore<regular>>
  // CHECK: grid.semaphore_wait %{{.*}}, %{{.*}} keep : memref<!grid.semaphore<regular>>
  grid.semaphore_wait %r, %n keep : memref<!grid.semaphore<regular>>
  // CHECK: grid.semaphore_read %{{.*}} : memref<!grid.semaphore<regular>>
  %0 = grid.semaphore_read %r : memref<!grid.semaphore<regular>>
  // CHECK: grid.device_id
  %device = grid.device_id
  // CHECK: grid.barrier_semaphore tag(["ring", 1]) : memref<!grid.semaphore<barrier>>
  %ring = grid.barrier_semaphore tag(["ring", 1]) : memref<!grid.semaphore<barrier>>
  // CHECK: grid.barrier_semaphore : memref<!grid.semaphore<barrier>>
  %1 = grid.barrier_semaphore : memref<!grid.semaphore<barrier>>
  // CHECK: grid.delay %{{.*}}
  grid.delay %n
  return
}

// An index that is used twice is affine twice.
// CHECK-LABEL: grid.kernel @diagonal
// CHECK: block [2, 2] at (%{{.*}} + 1, %{{.*}} + 1)
grid.kernel @diagonal grid(%i = 3)
    inputs(%x: f32 [8, 8] block [2, 2] map(%a: i32) {
             %c1 = arith.constant 1 : i32
             %next = arith.addi %a, %c1 : i32
             grid.yield %next, %next : i32, i32
           }) {
}

// The Ref of a block in tiles has the tiles first; one whose dimensions are permuted has them in that order.
// CHECK-LABEL: grid.kernel @transformed
// CHECK: grid.load %{{.*}} : memref<4x2x8x64xf32, #grid.space<default>>
// CHECK: grid.load %{{.*}} : memref<128x32xf32, #grid.space<default>>
grid.kernel @transformed grid()
    inputs(%x: f32 [32, 128] transforms [<tiling [8, 64]>], %y: f32 [32, 128] transforms [<transpose [1, 0]>]) {
  %0 = grid.load %x : memref<4x2x8x64xf32, #grid.space<default>> -> tensor<4x2x8x64xf32>
  %1 = grid.load %y : memref<128x32xf32, #grid.space<default>> -> tensor<128x32xf32>
}

// Braces that stand for themselves ask for no value.
// CHECK-LABEL: func.func @braces
// CHECK: grid.print "{{[{][{]}}{}{{[}][}]}} {{[{][{]}}" %{{.*}} : i32
func.func @braces(%n: i32) {
  grid.print "{{{}}} {{" %n : i32
  return
}

// CHECK-LABEL: func.func @rearranged
func.func @rearranged(%x: tensor<16x128xbf16>, %y: tensor<8x128xf32>, %n: i32) {
  // CHECK: grid.bitcast %{{.*}} : tensor<16x128xbf16> -> tensor<8x128xi32>
  %0 = grid.bitcast %x : tensor<16x128xbf16> -> tensor<8x128xi32>
  // CHECK: grid.bitcast %{{.*}} : tensor<8x128xf32> -> tensor<32x128xi8>
  %1 = grid.bitcast %y : tensor<8x128xf32> -> tensor<32x128xi8>
  // CHECK: grid.rotate %{{.*}} by %{{.*}} dim 1 : tensor<16x128xbf16>, i32
  %2 = grid.rotate %x by %n dim 1 : tensor<16x128xbf16>, i32
  // CHECK: grid.rotate %{{.*}} by %{{.*}} dim 0 stride -2 along 1 : tensor<8x128xf32>, i32
  %3 = grid.rotate %y by %n dim 0 stride -2 along 1 : tensor<8x128xf32>, i32
  return
}

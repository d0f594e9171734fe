// Every attribute, with every field once away from its default.
//
// RUN: gridir-opt %s | gridir-opt | FileCheck %s
// RUN: gridir-opt %s --emit-bytecode | gridir-opt | FileCheck %s

// CHECK-LABEL: func.func private @dims
// CHECK-SAME: [#grid.dim<4>, #grid.dim<?>, #grid.dim<4 named "rows" vmapped cluster>, #grid.dim<1 thread>, #grid.dim<2 core>, #grid.dim<3 subcore>]
func.func private @dims() attributes {
  a = [#grid.dim<4>, #grid.dim<?>, #grid.dim<4 named "rows" vmapped cluster>, #grid.dim<1 thread>,
       #grid.dim<2 core>, #grid.dim<3 subcore>]}

// A block of nothing is a block.
// CHECK-LABEL: func.func private @empty_block
// CHECK-SAME: #grid.block_dim<0>
func.func private @empty_block() attributes {a = #grid.block_dim<0>}

// CHECK-LABEL: func.func private @block_dims
// CHECK-SAME: [#grid.block_dim<128>, #grid.block_dim<squeezed>, #grid.block_dim<element(66)>, #grid.block_dim<element(66, 1, 2)>, #grid.block_dim<slice(8)>, #grid.block_dim<indirect(4)>]
func.func private @block_dims() attributes {
  a = [#grid.block_dim<128>, #grid.block_dim<squeezed>, #grid.block_dim<element(66)>,
       #grid.block_dim<element(66, 1, 2)>, #grid.block_dim<slice(8)>, #grid.block_dim<indirect(4)>]}

// CHECK-LABEL: func.func private @pipelines
// CHECK-SAME: [#grid.pipeline<1>, #grid.pipeline<3, lookahead, revisit = any>, #grid.pipeline<2, revisit = immediate>, #grid.pipeline<2, write_buffers = 3, prefetched = 1>]
func.func private @pipelines() attributes {
  a = [#grid.pipeline<1>, #grid.pipeline<3, lookahead, revisit = any>,
       #grid.pipeline<2, revisit = immediate>, #grid.pipeline<2, prefetched = 1, write_buffers = 3>]}

// CHECK-LABEL: func.func private @transforms
// CHECK-SAME: [#grid.transform<tiling[8, 64]>, #grid.transform<untiling[8, 64]>, #grid.transform<swizzle[128]>, #grid.transform<unswizzle[128]>, #grid.transform<transpose[1, 0]>]
func.func private @transforms() attributes {
  a = [#grid.transform<tiling [8, 64]>, #grid.transform<untiling [8, 64]>,
       #grid.transform<swizzle [128]>, #grid.transform<unswizzle [128]>,
       #grid.transform<transpose [1, 0]>]}

// CHECK-LABEL: func.func private @operands
// CHECK-SAME: [#grid.operand<f32 []>,
// CHECK-SAME: #grid.operand<ui4 [512, ?n] block [128, squeezed] space #tpu.memory_space<vmem> pipeline <2> transforms [<swizzle[64]>] origin "x_ref" index_tree "*">]
func.func private @operands() attributes {
  a = [#grid.operand<f32 []>,
       #grid.operand<ui4 [512, ?n] block [128, squeezed] space #tpu.memory_space<vmem> pipeline <2>
                     transforms [<swizzle [64]>] origin "x_ref" index_tree "*">]}

// CHECK-LABEL: func.func private @semantics
// CHECK-SAME: [#grid.semantics<arbitrary>, #grid.semantics<parallel>, #grid.semantics<core_parallel>, #grid.semantics<subcore_parallel>, #grid.semantics<sequential>]
func.func private @semantics() attributes {
  a = [#grid.semantics<arbitrary>, #grid.semantics<parallel>, #grid.semantics<core_parallel>,
       #grid.semantics<subcore_parallel>, #grid.semantics<sequential>]}

// CHECK-LABEL: func.func private @atomics
// CHECK-SAME: [#grid<atomic xchg>, #grid<atomic add>, #grid<atomic maxs>, #grid<atomic maxu>, #grid<atomic maxf>, #grid<atomic mins>, #grid<atomic minu>, #grid<atomic minf>, #grid<atomic and>, #grid<atomic or>, #grid<atomic xor>]
func.func private @atomics() attributes {
  a = [#grid<atomic xchg>, #grid<atomic add>, #grid<atomic maxs>, #grid<atomic maxu>, #grid<atomic maxf>,
       #grid<atomic mins>, #grid<atomic minu>, #grid<atomic minf>, #grid<atomic and>, #grid<atomic or>,
       #grid<atomic xor>]}

// CHECK-LABEL: func.func private @cost
// CHECK-SAME: #grid.cost<flops = 8, transcendentals = 1, bytes_accessed = 96, remote_bytes_transferred = 2>
func.func private @cost() attributes {
  a = #grid.cost<flops = 8, transcendentals = 1, bytes_accessed = 96, remote_bytes_transferred = 2>}

// CHECK-LABEL: func.func private @tpu_params
// CHECK-SAME: #grid.tpu_params<
// CHECK-SAME: dimension_semantics = ["parallel", "arbitrary"]
// CHECK-SAME: allow_input_fusion = [true, false]
// CHECK-SAME: vmem_limit_bytes = 1048576
// CHECK-SAME: collective_id = 7
// CHECK-SAME: has_side_effects = "side_effecting"
// CHECK-SAME: flags = {xla_flag = true}
// CHECK-SAME: internal_scratch_in_bytes = 128
// CHECK-SAME: serialization_format = 1
// CHECK-SAME: kernel_type = "TC"
// CHECK-SAME: disable_bounds_checks = true
// CHECK-SAME: disable_semaphore_checks = true
// CHECK-SAME: skip_device_barrier = true
// CHECK-SAME: allow_collective_id_without_custom_barrier = true
// CHECK-SAME: shape_invariant_numerics = true
// CHECK-SAME: use_tc_tiling_on_sc = true
// CHECK-SAME: needs_layout_passes = true
// CHECK-SAME: fuse_transposed_lhs_in_matmul = true
// CHECK-SAME: opt_level = "O2"
func.func private @tpu_params() attributes {
  a = #grid.tpu_params<dimension_semantics = ["parallel", "arbitrary"], allow_input_fusion = [true, false],
        vmem_limit_bytes = 1048576, collective_id = 7, has_side_effects = "side_effecting",
        flags = {xla_flag = true}, internal_scratch_in_bytes = 128, serialization_format = 1,
        kernel_type = "TC", disable_bounds_checks = true, disable_semaphore_checks = true,
        skip_device_barrier = true, allow_collective_id_without_custom_barrier = true,
        shape_invariant_numerics = true, use_tc_tiling_on_sc = true, needs_layout_passes = true,
        fuse_transposed_lhs_in_matmul = true, opt_level = "O2">}

// CHECK-LABEL: func.func private @mosaic_gpu_params
// CHECK-SAME: #grid.mosaic_gpu_params<
// CHECK-SAME: approx_math = true
// CHECK-SAME: dimension_semantics = ["parallel", "sequential"]
// CHECK-SAME: max_concurrent_steps = 4
// CHECK-SAME: delay_release = 1
// CHECK-SAME: unsafe_no_auto_barriers = true
// CHECK-SAME: reduction_scratch_bytes = 64
// CHECK-SAME: profile_space = 2
// CHECK-SAME: profile_dir = "traces"
// CHECK-SAME: profile_trace_scope = "block"
// CHECK-SAME: profile_bounds_check = true
// CHECK-SAME: lowering_semantics = "Warpgroup"
// CHECK-SAME: skip_device_barrier = true
// CHECK-SAME: is_multi_process = true
func.func private @mosaic_gpu_params() attributes {
  a = #grid.mosaic_gpu_params<approx_math = true, dimension_semantics = ["parallel", "sequential"],
        max_concurrent_steps = 4, delay_release = 1, unsafe_no_auto_barriers = true,
        reduction_scratch_bytes = 64, profile_space = 2, profile_dir = "traces",
        profile_trace_scope = "block", profile_bounds_check = true, lowering_semantics = "Warpgroup",
        skip_device_barrier = true, is_multi_process = true>}

// CHECK-LABEL: func.func private @triton_params
// CHECK-SAME: #grid.triton_params<num_warps = 4, num_stages = 2>
func.func private @triton_params() attributes {
  a = #grid.triton_params<num_warps = 4, num_stages = 2>}

// A record without fields is the backend's default.
// CHECK-LABEL: func.func private @default_params
// CHECK-SAME: [#grid.tpu_params<>, #grid.mosaic_gpu_params<>, #grid.triton_params<>]
func.func private @default_params() attributes {
  a = [#grid.tpu_params<>, #grid.mosaic_gpu_params<>, #grid.triton_params<>]}

// CHECK-LABEL: func.func private @device_id_types
// CHECK-SAME: [#grid.device_id_type<mesh>, #grid.device_id_type<logical>]
func.func private @device_id_types() attributes {
  a = [#grid.device_id_type<mesh>, #grid.device_id_type<logical>]}

// CHECK-LABEL: func.func private @memory_plan
// CHECK-SAME: [#grid.memory_plan<"cpu">, #grid.memory_plan<"gpu" spaces[<"default", 8>]>,
// CHECK-SAME:  #grid.memory_plan<"tpu" operands[<name = "x_ref", space = "tpu.vmem", block_bytes = 512, buffers = 2, fetches = 8>, <name = "n_ref", space = "tpu.smem", block_bytes = 4, buffers = 1>] spaces[<"tpu.vmem", 1024>, <"tpu.smem", 4>]>]
func.func private @memory_plan() attributes {
  a = [#grid.memory_plan<"cpu">, #grid.memory_plan<"gpu" spaces [<"default", 8>]>,
       #grid.memory_plan<"tpu"
         operands [<name = "x_ref", space = "tpu.vmem", block_bytes = 512, buffers = 2, fetches = 8>,
                   <name = "n_ref", space = "tpu.smem", block_bytes = 4, buffers = 1>]
         spaces [<"tpu.vmem", 1024>, <"tpu.smem", 4>]>]}

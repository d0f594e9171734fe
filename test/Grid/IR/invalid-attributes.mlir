// Invalid attributes: one error in each chunk.
//
// RUN: gridir-opt %s --verify-diagnostics --split-input-file

// expected-error @below {{expected a non-negative number of programs, got -1}}
func.func private @f() attributes {a = #grid.dim<-1>}

// -----

// expected-error @below {{expected a non-negative block size, got -2}}
func.func private @f() attributes {a = #grid.block_dim<-2>}

// -----

// expected-error @below {{expected non-negative padding, got -1 and 0}}
func.func private @f() attributes {a = #grid.block_dim<element(8, -1, 0)>}

// -----

// expected-error @below {{expected a number, squeezed, element, slice or indirect, got whole}}
func.func private @f() attributes {a = #grid.block_dim<whole>}

// -----

// expected-error @below {{expected at most 2147483647 buffers, got 2147483648}}
grid.kernel @many_buffers grid(%i = 4) inputs(%x: f32 [32] block [8] at (%i) pipeline <2147483648>) {
}

// -----

// expected-error @below {{expected at least one buffer, got 0}}
func.func private @f() attributes {a = #grid.pipeline<0>}

// -----

// expected-error @below {{expected lookahead, revisit, write_buffers or prefetched, got ahead}}
func.func private @f() attributes {a = #grid.pipeline<2, ahead>}

// -----

// expected-error @below {{expected at least one write buffer, got 0}}
func.func private @f() attributes {a = #grid.pipeline<2, write_buffers = 0>}

// -----

// expected-error @below {{expected at most 2 prefetched blocks, got 3}}
func.func private @f() attributes {a = #grid.pipeline<2, prefetched = 3>}

// -----

// expected-error @below {{expected opt_level to be O0, O1, O2 or O3, got fast}}
func.func private @f() attributes {a = #grid.tpu_params<opt_level = "fast">}

// -----

// expected-error @below {{expected lowering_semantics to be Lane or Warpgroup, got Thread}}
func.func private @f() attributes {a = #grid.mosaic_gpu_params<lowering_semantics = "Thread">}

// -----

// expected-error @below {{expected immediate or any, got never}}
func.func private @f() attributes {a = #grid.pipeline<2, revisit = never>}

// -----

// expected-error @below {{expected a permutation in transpose}}
func.func private @f() attributes {a = #grid.transform<transpose [0, 0]>}

// -----

// expected-error @below {{expected one number of bytes in swizzle, got 2}}
func.func private @f() attributes {a = #grid.transform<swizzle [64, 128]>}

// -----

// expected-error @below {{expected positive numbers in tiling}}
func.func private @f() attributes {a = #grid.transform<tiling [8, 0]>}

// -----

// expected-error @below {{expected 16, 32, 64 or 128 bytes in unswizzle, got 48}}
func.func private @f() attributes {a = #grid.transform<unswizzle [48]>}

// -----

// expected-error @below {{expected x_ref to have an integer, float, complex or semaphore element type, got 'index'}}
func.func private @f() attributes {a = #grid.operand<index [8] origin "x_ref">}

// -----

// expected-error @below {{expected a non-negative dimension of operand, got -8}}
func.func private @f() attributes {a = #grid.operand<f32 [-8]>}

// -----

// expected-error @below {{expected the block of operand to have the rank of its array, 2, got 1}}
func.func private @f() attributes {a = #grid.operand<f32 [8, 8] block [2]>}

// -----

// expected-error @below {{expected dimension_semantics to hold strings, got [1]}}
func.func private @f() attributes {a = #grid.tpu_params<dimension_semantics = [1]>}

// -----

// expected-error @below {{expected allow_input_fusion to hold booleans, got ["yes"]}}
func.func private @f() attributes {a = #grid.tpu_params<allow_input_fusion = ["yes"]>}

// -----

// expected-error @below {{expected no negative number in the memory of "x_ref", got -1}}
func.func private @f() attributes {a = #grid.operand_memory<name = "x_ref", space = "any", block_bytes = 8, buffers = -1>}

// -----

// expected-error @below {{expected no negative number of bytes of tpu.vmem, got -1}}
func.func private @f() attributes {a = #grid.space_memory<"tpu.vmem", -1>}

// -----

// expected-error @below {{expected vmem_limit_bytes to be at least 0, got -1}}
func.func private @f() attributes {a = #grid.tpu_params<vmem_limit_bytes = -1>}

// -----

// expected-error @below {{expected internal_scratch_in_bytes to be at least 0, got -1}}
func.func private @f() attributes {a = #grid.tpu_params<internal_scratch_in_bytes = -1>}

// -----

// expected-error @below {{expected has_side_effects to be a boolean or a string, got 3}}
func.func private @f() attributes {a = #grid.tpu_params<has_side_effects = 3 : i64>}

// -----

// expected-error @below {{expected delay_release to be less than max_concurrent_steps, got 2 and 2}}
func.func private @f() attributes {a = #grid.mosaic_gpu_params<max_concurrent_steps = 2, delay_release = 2>}

// -----

// expected-error @below {{expected dimension_semantics to hold strings, got [true]}}
func.func private @f() attributes {a = #grid.mosaic_gpu_params<dimension_semantics = [true]>}

// -----

// expected-error @below {{expected max_concurrent_steps to be at least 1, got 0}}
func.func private @f() attributes {a = #grid.mosaic_gpu_params<max_concurrent_steps = 0>}

// -----

// expected-error @below {{expected delay_release to be at least 0, got -1}}
func.func private @f() attributes {a = #grid.mosaic_gpu_params<delay_release = -1>}

// -----

// expected-error @below {{expected reduction_scratch_bytes to be at least 0, got -1}}
func.func private @f() attributes {a = #grid.mosaic_gpu_params<reduction_scratch_bytes = -1>}

// -----

// expected-error @below {{expected profile_space to be at least 0, got -1}}
func.func private @f() attributes {a = #grid.mosaic_gpu_params<profile_space = -1>}

// -----

// expected-error @below {{expected num_warps to be at least 1, got 0}}
func.func private @f() attributes {a = #grid.triton_params<num_warps = 0>}

// -----

// expected-error @below {{expected num_stages to be at least 0, got -1}}
func.func private @f() attributes {a = #grid.triton_params<num_stages = -1>}

// -----

// The space of a Ref is qualified by its owner.
// expected-error @below {{expected ::gridir::grid::MemorySpace to be one of}}
// expected-error @below {{failed to parse Grid_SpaceAttr parameter 'value'}}
func.func private @f(memref<8xf32, #grid.space<smem>>)

// -----

// Discardable attributes are of one type.

// expected-error @below {{expected arrays of positive i64 of a kernel as grid.meshes, got [array<i64: -2, -3>] of 'grid.kernel'}}
grid.kernel @negative_mesh grid(%c = 8 core) attributes {grid.meshes = [array<i64: -2, -3>]} {
}

// -----

// expected-error @below {{expected arrays of positive i64 of a kernel as grid.meshes, got [array<i32: 8>] of 'grid.kernel'}}
grid.kernel @narrow_mesh grid(%c = 8 core) attributes {grid.meshes = [array<i32: 8>]} {
}

// -----

// expected-error @below {{expected a #kernel.tasks of a kernel as grid.tasks, got unit of 'grid.kernel'}}
grid.kernel @tasks grid() attributes {grid.tasks} {
}

// -----

// expected-error @below {{expected a positive i64 of a kernel as grid.devices, got 0 : i64 of 'grid.kernel'}}
grid.kernel @devices grid() attributes {grid.devices = 0 : i64} {
}

// -----

// expected-error @below {{expected a string of a kernel as grid.core_type, got "sc" of 'func.func'}}
func.func private @core_type() attributes {grid.core_type = "sc"}

// -----

// expected-error @below {{expected a unit attribute of a kernel as grid.own_state, got true of 'grid.kernel'}}
grid.kernel @own_state grid() attributes {grid.own_state = true} {
}

// -----

// expected-error @below {{expected the arrays of i64 `dims` and `operands` of a kernel as grid.block_test, got {dims = array<i64: 0>} of 'grid.kernel'}}
grid.kernel @block_test grid() attributes {grid.block_test = {dims = array<i64: 0>}} {
}

// -----

// expected-error @below {{expected an array of dictionaries of a kernel as grid.checks, got [1] of 'grid.kernel'}}
grid.kernel @checks grid() attributes {grid.checks = [1]} {
}

// -----

// expected-error @below {{expected a #grid.memory_plan of a kernel as grid.memory_plan, got [] of 'grid.kernel'}}
grid.kernel @memory_plan grid() attributes {grid.memory_plan = []} {
}

// -----

// expected-error @below {{expected a number or a unit attribute for each result of a kernel as grid.initial_results, got [unit] of 'grid.kernel'}}
grid.kernel @initial_results grid() attributes {grid.initial_results = [unit]} {
}

// -----

// expected-error @below {{expected a number or a unit attribute for each result of a kernel as grid.initial_results, got [0 : i32] of 'grid.kernel'}}
grid.kernel @initial_result grid() outputs(%o: f32 [8]) attributes {grid.initial_results = [0 : i32]} {
}

// -----

// expected-error @below {{expected an array of i64 as grid.unsigned, got 0 : i64 of 'grid.kernel'}}
grid.kernel @unsigned grid() attributes {grid.unsigned = 0 : i64} {
}

// -----

// expected-error @below {{expected a unit attribute as grid.copied, got 0 : i64 of 'func.func'}}
func.func private @copied() attributes {grid.copied = 0 : i64}

// -----

// expected-error @below {{expected an array of i64 as grid.copied_dims, got [0] of 'func.func'}}
func.func private @copied_dims() attributes {grid.copied_dims = [0]}

// -----

// expected-error @below {{expected a known attribute of grid, got "grid.unknown"}}
func.func private @unknown() attributes {grid.unknown}

// -----

// expected-error @below {{expected arrays of #grid.operand by `index`, `inputs` and `outputs` of a module as grid.operands, got {inputs = 3 : i64} of 'builtin.module'}}
module attributes {grid.operands = {inputs = 3}} {
}

// -----

// expected-error @below {{expected arrays of #grid.operand by `index`, `inputs` and `outputs` of a module as grid.operands, got {index = [3]} of 'builtin.module'}}
module attributes {grid.operands = {index = [3]}} {
}

// -----

// expected-error @below {{expected a dictionary of a module as grid.run_time_checks, got [] of 'builtin.module'}}
module attributes {grid.run_time_checks = []} {
}

// -----

// expected-error @below {{expected a unit attribute as grid.without_layout_passes, got 1 : i64 of 'func.func'}}
func.func private @without_layout_passes() attributes {grid.without_layout_passes = 1 : i64}

// -----

// Spaces of a target are attributes of its dialect.
// expected-error @below {{expected a memory space, got vmem}}
func.func private @f() attributes {a = #grid.operand<f32 [8] space vmem>}

// -----

// expected-error @below {{expected a memory space, got "vmem"}}
func.func private @f() attributes {a = #grid.operand<f32 [8] space "vmem">}

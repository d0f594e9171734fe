# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The effects that fields of JAX's calls and records can have, and those that targets differ in."""

from __future__ import annotations

import enum


class Effect(enum.Enum):
    """The effect of a field on a target."""

    HONOURED = "honoured"
    NO_MEANING = "no meaning"
    ERROR = "error"


HONOURED, NO_MEANING, ERROR = Effect.HONOURED, Effect.NO_MEANING, Effect.ERROR


# The effects that differ from those on the CPU.
OTHER_TARGETS: dict[str, dict[str, dict[str, tuple[Effect, str]]]] = {
    "tpu": {
        "GridMapping": {
            "grid": (HONOURED, "`iteration_bounds`; a size that the call gives is an operand of Mosaic's call"),
            "grid_names": (HONOURED, "`axis_index` finds a dimension by its name"),
            "scratch_avals": (HONOURED, "VMEM, SMEM and semaphores that live from program to program"),
            "num_index_operands": (HONOURED, "`scalar_prefetch`"),
        },
        "BlockMapping": {
            "block_shape": (HONOURED, "`window_bounds`: whole tiles; bounded slices and `Indirect` are an error"),
            "transformed_block_aval": (HONOURED, "VMEM, SMEM, HBM or any; the space of another chip is an error"),
            "index_map_jaxpr": (HONOURED, "a transform function of the module"),
            "index_map_out_tree": (HONOURED, "says which start and size of a `pl.Slice` are fixed"),
            "pipeline_mode": (HONOURED, "see Buffered"),
            "transforms": (ERROR, "the kernel sees the block in a layout of a GPU"),
        },
        "CostEstimate": dict.fromkeys(
            ("flops", "transcendentals", "bytes_accessed", "remote_bytes_transferred"),
            (HONOURED, "`cost_estimate` of the call's configuration"),
        ),
        "Buffered": {
            "buffer_count": (HONOURED, "one buffer or two; more, and a pair, are an error"),
            "use_lookahead": (ERROR, "only `pltpu.emit_pipeline` has lookahead, where it is honoured"),
            "revisit": (HONOURED, "`revisit_mode` of the window; `any` with two buffers is an error"),
            "prefetched_count": (ERROR, "only `pltpu.emit_pipeline` is given buffers, where it is honoured"),
        },
        "pallas_call": {
            "input_output_aliases": (HONOURED, "`output_operand_aliases` of the call"),
            "interpret": (HONOURED, "left to JAX"),
            "cost_estimate": (HONOURED, "`cost_estimate` of the call's configuration"),
            "metadata": (HONOURED, "the frontend attribute `kernel_metadata` of the call"),
        },
        "tpu.CompilerParams": {
            "dimension_semantics": (HONOURED, "an attribute of the kernel's function"),
            **dict.fromkeys(
                (
                    "allow_input_fusion",
                    "internal_scratch_in_bytes",
                    "disable_bounds_checks",
                    "disable_semaphore_checks",
                    "skip_device_barrier",
                    "shape_invariant_numerics",
                ),
                (HONOURED, "the same name in `custom_call_config`"),
            ),
            "vmem_limit_bytes": (HONOURED, "`scoped_memory_configs`, and the limit of `grid-plan-memory`"),
            "collective_id": (
                HONOURED,
                "an error without a barrier semaphore, as that is without it; JAX may choose it since 0.11: for a "
                "`tag` of `get_barrier_semaphore`, or by `jax_pallas_auto_assign_collective_ids`",
            ),
            "has_side_effects": (HONOURED, "`has_side_effect` of the call"),
            "flags": (HONOURED, "`flag_configs`; libtpu knows a closed list of them"),
            "serialization_format": (ERROR, "libtpu reads format 1 only, which is the default"),
            "kernel_type": (HONOURED, "a TensorCore, which is the default; another core is an error"),
            "allow_collective_id_without_custom_barrier": (HONOURED, "lets `collective_id` through"),
            "use_tc_tiling_on_sc": (ERROR, "for a TensorCore; for a SparseCore it is honoured: `sparse_core_config`"),
            "needs_layout_passes": (NO_MEANING, "a TensorCore's kernel always has them; for a SparseCore honoured"),
            "fuse_transposed_lhs_in_matmul": (HONOURED, "`transpose_lhs_hint` of `tpu.matmul`"),
            "opt_level": (ERROR, "for a TensorCore; for a SparseCore it is honoured: `sparse_core_config`"),
        },
        "mosaic_gpu.CompilerParams": dict.fromkeys(
            ("profile_space", "profile_dir", "profile_trace_scope", "profile_bounds_check"),
            (NO_MEANING, "a record for another chip"),
        ),
        "triton.CompilerParams": {
            "num_stages": (NO_MEANING, "a record for another chip"),
            "num_warps": (NO_MEANING, "a record for another chip"),
        },
    },
    "gpu": {
        "BlockMapping": {
            "transformed_block_aval": (HONOURED, "blocks lie in the memory of the GPU; the space of a TPU is an error"),
            "transforms": (HONOURED, "how a block lies in the shared memory of its CTA"),
        },
        "tpu.CompilerParams": {
            "vmem_limit_bytes": (NO_MEANING, "there is no VMEM"),
        },
        "mosaic_gpu.CompilerParams": {
            "approx_math": (
                HONOURED,
                "f32 `exp`, `exp2`, `tanh`, quotients off by some bits; products and sums rounded once",
            ),
            "delay_release": (HONOURED, "less than `max_concurrent_steps`, or an error; blocks are read in place"),
            "reduction_scratch_bytes": (HONOURED, "shared memory that a reduction may take"),
        },
        "triton.CompilerParams": {
            "num_warps": (HONOURED, "warps of a program, 1 to 32"),
        },
    },
}

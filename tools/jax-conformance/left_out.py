# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of JAX's kernels for GPUs and SparseCores that do not depend on the results of a kernel."""

from __future__ import annotations

import fnmatch

_PTX = "looks at the PTX or the machine code that JAX makes"
_CALL = "looks at the text of JAX's own custom call"
_LACK = "expects an error, since JAX's lowering lacks what gridir has"
_SCRATCH = "expects an error, since JAX's lowering needs more memory than it is given"
_BACKEND = "asks JAX for its backend of GPUs"
_ENDLESS = "expects an error of JAX's choice of layouts, where the kernel itself never ends"
_MOCK = "looks at what JAX's own lowering calls"
_PRINTF = "looks at how printf of CUDA writes an array, or at the layout that JAX has chosen"

_DUMP = "looks at the files that JAX's own lowering dumps"

_FLAGS = "expects an error of a flag of XLA for GPUs"

_CLASS = "expects an error of a class of JAX's own"

_TPU_OPTION = "asks XLA for an option that it has for a TPU only"

_PLACE = "looks at how JAX words where a check is"

_RACE = "has subcores write what others may still read"

_OUTSIDE = "copies rows that its array does not have"

LEFT_OUT: dict[str, dict[str, str]] = {
    "mosaic_gpu_test": {
        "*.test_copy_gmem_to_smem_contiguous*": _PTX,
        "*.test_copy_gmem_to_smem_clamped_arrivals*": _PTX,
        "*.test_reduction_with_more_scratch_uses_less_synchronization*": _PTX,
        "*.test_line_info*": _PTX,
        "*.test_e8m0_reciprocal_ptx*": _PTX,
        "*.test_clz_ptx*": _PTX,
        "*.test_griddepcontrol*": _PTX,
        "*.test_wgmma_fence_ptx*": _PTX,
        "*.test_wgmma_accumulator_load_with_custom_wait*": _PTX,
        "WarpSpecializedPipeline*.test_collective": _PTX,
        "Semaphore*Test.test_lowering": _CALL,
        "Semaphore*Test.test_basic": _CALL,
        "Semaphore*Test.test_with_profiler": _CALL,
        "MosaicGPUPoisonTest.test_poison_buffers_nyi": _LACK,
        "*.test_collapsing_several_non_unit_tiled_dimensions_raises": _LACK,
        "*WG*.test_swizzled_dimension_dynamic_slice_raises_for_non_divisible_offset": _LACK,
        "*.test_while_loop_layout_mismatch": _ENDLESS,
        "*.test_cond_get_arch": _MOCK,
        "*.test_profiler_computes_correct_allocation_size": _SCRATCH,
        "*.test_barrier_test_is_rejected_in_non_warp_context": _LACK,
        "*.test_reduction_fails_on_too_little_scratch_bytes*": _SCRATCH,
        "*.test_lower_with_abstract_mesh": _BACKEND,
        "*.test_errors_when_closing_over_array": _CLASS,
        "*.test_print_wgmma_tiled_layout*": _PRINTF,
        "*.test_print_array*": _PRINTF,
        "*.test_print_layout*": _PRINTF,
        "*.test_tmem_aliased_refs_collision*": _PRINTF,
        "*.test_mlir_error_includes_mlir_error_callsites": _MOCK,
        "*.test_dump_layout_inference": _DUMP,
    },
    "tpu_sparsecore_pallas_test": {
        "DebugPrintTest.*": _TPU_OPTION,
        "PallasTpuSparseCoreLoweringErrorTest.*": _MOCK,
        "*.test_2d_vmem_column_write": _LACK,
        "*.test_barrier": _RACE,
        "*.test_cumsum_2d_not_supported*": _LACK,
        "*.test_invalid_gather_1d_memory_space": _LACK,
        "*.test_invalid_gather_1d_offsets_memory_space": _LACK,
        "*.test_invalid_gather_1d_with_extra_transforms": _CLASS,
        "*.test_invalid_gather_1d_with_indexed_destination": _LACK,
        "*.test_invalid_gather_nd_indices": _CLASS,
        "*.test_scalar_load_vmem": _LACK,
        "*.test_scalar_load_hbm": _LACK,
        "*.test_scalar_store_*": _LACK,
    },
    "tpu_sparsecore_pallas_debug_check_test": {
        "*.test_trigger_bounds_checker*": _TPU_OPTION,
        "*.test_vector_debug_check": _PLACE,
    },
    "tpu_pallas_mpmd_test": {
        "*.test_copy_with_cross_core_signaling": _OUTSIDE,
        "*.test_parallel_subkernels_semaphores_missing_subcore_axis": _CLASS,
    },
    "gpu_pallas_distributed_test": {
        "*.test_permuted_mesh": _LACK,
        "*.test_collective_metadata_with_nvshmem_raises": _FLAGS,
    },
}
"""For each test file the tests, as patterns of `Class.method`, with the reason."""


def reason_to_leave_out(file: str, test: str) -> str | None:
    """Why a test is not run; None for one that is.

    Args:
      file: the name of its file, without the suffix.
      test: its name, as `Class.method`.
    """
    patterns = LEFT_OUT.get(file, {})
    return next((reason for pattern, reason in patterns.items() if fnmatch.fnmatchcase(test, pattern)), None)

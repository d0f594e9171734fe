# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The effect of every field of JAX's calls and records, by target.

A field is honoured; or it has no meaning on the target, and is accepted in silence; or dropping it would change the
result, and then a value other than the default is an error. `check` raises from this table; docs/fields.md is it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from typing import Any

from jax.experimental import pallas as pl

from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_gpu
from gridir.frontend.compat.releases import DEFAULTS, FIELDS, Releases
from gridir.frontend.field_effects import ERROR, HONOURED, NO_MEANING, OTHER_TARGETS, Effect
from gridir.frontend.request.unknown_fields import check_known


@dataclasses.dataclass(frozen=True)
class Field:
    """One field of a record or one parameter of a call.

    Attributes:
      owner: the record or the call.
      name: the field.
      stored_in: where `grid` holds it.
      cpu: the effect on the CPU target.
      why: the reason, or the exact effect.
      others: the same two for a target that does something else: "tpu" or "gpu".
    """

    owner: str
    name: str
    stored_in: str
    cpu: Effect
    why: str
    others: Mapping[str, tuple[Effect, str]] = dataclasses.field(default_factory=dict)

    def on(self, target: str) -> tuple[Effect, str]:
        """Returns the effect of the field on a target, and the reason."""
        return self.others.get(target, (self.cpu, self.why))

    @property
    def releases(self) -> Releases:
        """The releases of JAX that have the field."""
        return FIELDS.get((self.owner, self.name), Releases())

    def describe_releases(self) -> str:
        """The releases of JAX that have the field, and its defaults where they depend on the release."""
        defaults = (f"`{value}` {releases}" for releases, value in DEFAULTS.get((self.owner, self.name), ()))
        return "; default ".join(filter(None, (str(self.releases) or "all", ", ".join(defaults))))


def _fields(owner: str, *rows: tuple[str, str, Effect, str]) -> tuple[Field, ...]:
    return tuple(
        Field(
            owner,
            *row,
            others={
                target: table[owner][row[0]]
                for target, table in OTHER_TARGETS.items()
                if row[0] in table.get(owner, {})
            },
        )
        for row in rows
    )


GRID_MAPPING = _fields(
    "GridMapping",
    ("grid", "`grid(...)`", HONOURED, "every point is run; sizes may be given by the call"),
    ("grid_names", "`named` of a dimension", HONOURED, "`axis_index` and `program_id` find a dimension by its name"),
    ("block_mappings", "`inputs(...)`, `outputs(...)`", HONOURED, "see BlockMapping"),
    ("index_map_tree", "`jax {index_map_tree}`", NO_MEANING, "how Python passes arguments to an index map"),
    ("index_map_avals", "the arguments of index maps", HONOURED, "program ids and index operands"),
    (
        "vmapped_dims",
        "`vmapped` of a dimension",
        HONOURED,
        "a parallel dimension, hidden from `program_id`",
    ),
    ("scratch_avals", "`scratch(...)`", HONOURED, "memory that lives from program to program"),
    ("num_index_operands", "`index(...)`", HONOURED, "the length of that list"),
    ("num_inputs", "`inputs(...)`", HONOURED, "the length of that list"),
    ("num_outputs", "`outputs(...)`", HONOURED, "the length of that list"),
    ("get_grid_indices", "`jax {objects}`", ERROR, "a Python function replaces the program ids"),
    ("local_grid_env", "`jax {objects}`", ERROR, "a Python function replaces the grid that programs see"),
    ("debug", "`debug`", HONOURED, "the kernel is printed when it is lowered"),
)

BLOCK_MAPPING = _fields(
    "BlockMapping",
    ("block_shape", "`block [...]`", HONOURED, "blocked, squeezed, element and bounded slices; see `Indirect`"),
    ("transformed_block_aval", "the Ref in the body, `space`", HONOURED, "all spaces are the memory of the host"),
    ("index_map_jaxpr", "the index map's region", HONOURED, "evaluated for every program"),
    ("index_map_out_tree", "`index_tree`", HONOURED, "says which start and size of a `pl.Slice` are fixed"),
    ("array_aval", "type and shape of the operand", HONOURED, "dtype with its sign; dimensions may be symbols"),
    ("origin", "`origin`, `jax {origins}`", HONOURED, "names the operand in every message"),
    (
        "transforms",
        "`transforms [...]`",
        HONOURED,
        "how a block lies in shared memory changes nothing that is computed",
    ),
    ("pipeline_mode", "`pipeline <...>`", NO_MEANING, "blocks are read in place, and any may be visited again"),
    ("debug", "`jax {block_debug}`", NO_MEANING, "how JAX prints the mapping"),
)

BUFFERED = _fields(
    "Buffered",
    ("buffer_count", "`pipeline <2>`, `write_buffers`", NO_MEANING, "blocks are read in place"),
    ("use_lookahead", "`lookahead`", NO_MEANING, "blocks are read in place"),
    ("revisit", "`revisit`", NO_MEANING, "any block may be visited again"),
    ("prefetched_count", "`prefetched`", NO_MEANING, "blocks are read in place"),
)

COST_ESTIMATE = _fields(
    "CostEstimate",
    *(
        (name, "`#grid.cost`", NO_MEANING, "nothing on this target is scheduled by it")
        for name in ("flops", "transcendentals", "bytes_accessed", "remote_bytes_transferred")
    ),
)

PALLAS_CALL = _fields(
    "pallas_call",
    ("kernel", "the body", HONOURED, "the function itself"),
    ("out_shape", "`outputs(...)`", HONOURED, "type and shape of the results"),
    ("grid_spec", "GridMapping", HONOURED, "another way to give grid, specs and scratch"),
    ("grid", "GridMapping", HONOURED, "see GridMapping"),
    ("in_specs", "GridMapping", HONOURED, "see BlockMapping"),
    ("out_specs", "GridMapping", HONOURED, "see BlockMapping"),
    ("scratch_shapes", "GridMapping", HONOURED, "see GridMapping"),
    (
        "input_output_aliases",
        "`aliases [...]`",
        HONOURED,
        "one memory; until 0.10 the input is copied",
    ),
    ("debug", "`debug`", HONOURED, "the kernel is printed when it is lowered"),
    ("interpret", "not in `grid`", HONOURED, "left to JAX, unless installed with `replace_interpret=True`"),
    ("name", "the symbol, `source`", HONOURED, "names the kernel in every message"),
    ("compiler_params", "`params [...]`", HONOURED, "see the records below"),
    ("cost_estimate", "`cost`", NO_MEANING, "nothing on this target is scheduled by it"),
    ("backend", "`backend`", NO_MEANING, "where a kernel runs is decided by where its arrays are"),
    ("metadata", "`metadata`", NO_MEANING, "values of JSON of the author's own, kept for who reads the module"),
)

TPU_PARAMS = _fields(
    "tpu.CompilerParams",
    (
        "dimension_semantics",
        "`semantics [...]`",
        HONOURED,
        "parallel dimensions run on threads, where that is proved",
    ),
    ("allow_input_fusion", "`#grid.tpu_params`", NO_MEANING, "XLA fuses nothing into a kernel here"),
    ("vmem_limit_bytes", "`#grid.tpu_params`", NO_MEANING, "there is no VMEM"),
    ("collective_id", "`#grid.tpu_params`", NO_MEANING, "each call has a barrier of its own"),
    ("has_side_effects", "`#grid.tpu_params`", HONOURED, "XLA keeps a call whose results are not used"),
    ("flags", "`#grid.tpu_params`", NO_MEANING, "options of another compiler"),
    ("internal_scratch_in_bytes", "`#grid.tpu_params`", NO_MEANING, "scratch of another compiler"),
    ("serialization_format", "`#grid.tpu_params`", NO_MEANING, "nothing is serialised for it"),
    ("kernel_type", "`#grid.tpu_params`", NO_MEANING, "there is one kind of core"),
    ("disable_bounds_checks", "`#grid.tpu_params`", HONOURED, "loads and stores outside of a Ref are no error"),
    ("disable_semaphore_checks", "`#grid.tpu_params`", NO_MEANING, "checks that are not proved unnecessary stay"),
    ("skip_device_barrier", "`#grid.tpu_params`", NO_MEANING, "there is no such barrier"),
    ("allow_collective_id_without_custom_barrier", "`#grid.tpu_params`", NO_MEANING, "a check of another compiler"),
    (
        "shape_invariant_numerics",
        "`#grid.tpu_params`",
        NO_MEANING,
        "the order of a sum depends on its block alone",
    ),
    ("use_tc_tiling_on_sc", "`#grid.tpu_params`", NO_MEANING, "there are no tiled layouts"),
    ("needs_layout_passes", "`#grid.tpu_params`", NO_MEANING, "there are no tiled layouts"),
    ("fuse_transposed_lhs_in_matmul", "`#grid.tpu_params`", NO_MEANING, "a hint for another compiler"),
    ("opt_level", "`#grid.tpu_params`", NO_MEANING, "an option of another compiler"),
)

MOSAIC_GPU_PARAMS = _fields(
    "mosaic_gpu.CompilerParams",
    ("approx_math", "`#grid.mosaic_gpu_params`", NO_MEANING, "exact functions are always allowed"),
    (
        "dimension_semantics",
        "`semantics [...]`",
        HONOURED,
        "parallel dimensions run on threads, where that is proved",
    ),
    ("max_concurrent_steps", "`#grid.mosaic_gpu_params`", NO_MEANING, "blocks are read where they are, step by step"),
    ("delay_release", "`#grid.mosaic_gpu_params`", NO_MEANING, "blocks are read where they are"),
    (
        "unsafe_no_auto_barriers",
        "`#grid.mosaic_gpu_params`",
        NO_MEANING,
        "a warpgroup is one task, whose own accesses are in order",
    ),
    ("reduction_scratch_bytes", "`#grid.mosaic_gpu_params`", NO_MEANING, "scratch of another compiler"),
    (
        "profile_space",
        "`#grid.mosaic_gpu_params`",
        HONOURED,
        "a trace holds fewer scopes than this; more are a warning",
    ),
    ("profile_dir", "`#grid.mosaic_gpu_params`", HONOURED, "where each call writes its traces, in JAX's format"),
    ("profile_trace_scope", "`#grid.mosaic_gpu_params`", HONOURED, "a trace for each warpgroup, or for each warp"),
    (
        "profile_bounds_check",
        "`#grid.mosaic_gpu_params`",
        HONOURED,
        "scopes without space are left out of the trace",
    ),
    (
        "lowering_semantics",
        "`#grid.mosaic_gpu_params`, always written",
        NO_MEANING,
        "how another compiler maps threads",
    ),
    ("skip_device_barrier", "`#grid.mosaic_gpu_params`", NO_MEANING, "no devices wait for each other before a kernel"),
    ("is_multi_process", "`#grid.mosaic_gpu_params`", NO_MEANING, "the mesh says which processes run a kernel"),
)

MOSAIC_GPU_BLOCK_SPEC = _fields(
    "mosaic_gpu.BlockSpec",
    ("transforms", "`transforms [...]`", HONOURED, "see BlockMapping; in a pipeline, the layout of a scratch Ref"),
    (
        "delay_release",
        "the loop of the pipeline",
        HONOURED,
        "by the pipelines of `plgpu`; JAX drops it from a `pallas_call`",
    ),
    (
        "collective_axes",
        "`collective` of `warpgroup.tma_load`",
        HONOURED,
        "by `plgpu.emit_pipeline_warp_specialized`; JAX refuses it elsewhere",
    ),
    (
        "oob_fill_mode",
        "not in `grid`",
        HONOURED,
        "elements outside of the array are zero, which every mode allows; JAX drops it from a `pallas_call`",
    ),
)

TRITON_PARAMS = _fields(
    "triton.CompilerParams",
    ("num_warps", "`#grid.triton_params`", NO_MEANING, "there are no warps"),
    ("num_stages", "`#grid.triton_params`", NO_MEANING, "loads are not staged"),
)

MOSAIC_GPU_KERNEL = _fields(
    "mosaic_gpu.kernel",
    ("body", "the body", HONOURED, "the function itself, or what the decorator is put on"),
    ("out_shape", "`outputs(...)`", HONOURED, "type and shape of the results"),
    ("out_type", "`outputs(...)`", HONOURED, "the other name of out_shape"),
    ("scratch_shapes", "`grid.scoped`", HONOURED, "memory and barriers of one block"),
    ("scratch_types", "`grid.scoped`", HONOURED, "the other name of scratch_shapes"),
    ("compiler_params", "`params [...]`", HONOURED, "see the records above"),
    ("cost_estimate", "`cost`", NO_MEANING, "nothing on this target is scheduled by it"),
    ("grid", "`grid(...)`", HONOURED, "every point is run"),
    ("grid_names", "`named` of a dimension", HONOURED, "`axis_index` finds a dimension by its name"),
    ("cluster", "dimensions of kind `cluster`", HONOURED, "every point is run, beside the others of its cluster"),
    ("cluster_names", "`named` of a dimension", HONOURED, "`axis_index` finds a dimension by its name"),
    (
        "num_threads",
        "a dimension of kind `thread`",
        HONOURED,
        "each of them is a task; scratch is shared by those of a block",
    ),
    ("thread_name", "`named` of that dimension", HONOURED, "`axis_index` finds the dimension by its name"),
    ("interpret", "not in `grid`", HONOURED, "left to JAX, unless installed with `replace_interpret=True`"),
    ("debug", "`debug`", HONOURED, "the kernel is printed when it is lowered"),
    ("mesh_kwargs", "the mesh", HONOURED, "further fields of JAX's mesh, as `kernel_name`"),
)

_ON_RACE = (
    "on_race",
    "not in `grid`",
    HONOURED,
    "a race is an error of the call, or a warning on the standard error stream",
)
_SKIP_FLOATS = ("skip_floating_point_ops", "not in `grid`", HONOURED, "no float is computed: each of them is infinite")
_UNINITIALIZED = (
    "uninitialized_memory",
    "not in `grid`",
    HONOURED,
    "memory is filled with it, as `CpuOptions(fill_memory=...)` says; padding stays NaN",
)

# Other targets leave kernels with an `interpret` argument to JAX.
INTERPRET_PARAMS = tuple(
    dataclasses.replace(field, others=dict.fromkeys(OTHER_TARGETS, (HONOURED, "left to JAX")))
    for field in _fields(
        "tpu.InterpretParams",
        ("detect_races", "not in `grid`", HONOURED, 'the check "races": the first one is told with both lines'),
        _ON_RACE,
        ("out_of_bounds_reads", "not in `grid`", ERROR, "an index outside of its Ref is always an error"),
        _SKIP_FLOATS,
        _UNINITIALIZED,
        (
            "num_cores_or_threads",
            "not in `grid`",
            NO_MEANING,
            "programs of a parallel dimension race with one another on any number of cores",
        ),
        ("vector_clock_size", "not in `grid`", NO_MEANING, "clocks grow as they must"),
        ("logging_mode", "not in `grid`", NO_MEANING, "nothing is logged"),
        (
            "dma_execution_mode",
            "not in `grid`",
            NO_MEANING,
            "with `random_seed`, a copy is done at some time before the wait for it, without, when it is started",
        ),
        (
            "random_seed",
            "not in `grid`",
            HONOURED,
            "`schedule_seed`, which chooses an order of its own for parallel programs and copies",
        ),
        ("grid_point_recorder", "not in `grid`", ERROR, "no Python function runs between programs"),
        (
            "allow_hbm_allocation_in_run_scoped",
            "not in `grid`",
            NO_MEANING,
            "all spaces are the memory of the host, and may be scoped",
        ),
        ("buffer_bounds", "not in `grid`", ERROR, "buffers have no padding that may be read"),
    )
)

INTERPRET_GPU_PARAMS = tuple(
    dataclasses.replace(field, others={"tpu": (HONOURED, "left to JAX"), **field.others})
    for field in _fields(
        "mosaic_gpu.InterpretGPUParams",
        ("detect_races", "not in `grid`", HONOURED, 'the check "races", for which `get_races()` has the first one'),
        _ON_RACE,
        ("out_of_bounds_reads", "not in `grid`", ERROR, "an index outside of its Ref is always an error"),
        _SKIP_FLOATS,
        _UNINITIALIZED,
        ("num_cores_or_threads", "not in `grid`", NO_MEANING, "the mesh says how many threads there are"),
        ("vector_clock_size", "not in `grid`", NO_MEANING, "JAX refuses every value"),
        ("logging_mode", "not in `grid`", NO_MEANING, "nothing is logged"),
        ("num_tma_threads_per_device", "not in `grid`", NO_MEANING, "each bulk copy has a clock of its own"),
        ("inline_mgpu", "not in `grid`", NO_MEANING, "inline code is executed"),
    )
)

TABLE = (
    *GRID_MAPPING,
    *BLOCK_MAPPING,
    *BUFFERED,
    *COST_ESTIMATE,
    *PALLAS_CALL,
    *TPU_PARAMS,
    *MOSAIC_GPU_PARAMS,
    *TRITON_PARAMS,
    *MOSAIC_GPU_BLOCK_SPEC,
    *MOSAIC_GPU_KERNEL,
    *INTERPRET_PARAMS,
    *INTERPRET_GPU_PARAMS,
)
"""The fields of all records and calls."""


@functools.cache
def _names(owner: str) -> frozenset[str]:
    return frozenset(field.name for field in TABLE if field.owner == owner)


def check_all_known(request: Any) -> None:
    """Refuses a kernel with a field that this table does not have, unless it has its default.

    Raises:
      UnsupportedError: naming the field and its value.
    """
    mapping, name = request.grid_mapping, request.kernel_name
    check_known("GridMapping", mapping, _names("GridMapping"), name)
    for block in mapping.block_mappings:
        check_known("BlockMapping", block, _names("BlockMapping"), name)
        if isinstance(block.pipeline_mode, pl.Buffered):
            check_known("Buffered", block.pipeline_mode, _names("Buffered"), name)
    if request.cost_estimate is not None:
        check_known("CostEstimate", request.cost_estimate, _names("CostEstimate"), name)


_OF_MAPPINGS = {"GridMapping": GRID_MAPPING, "BlockMapping": BLOCK_MAPPING}


@functools.cache
def _errors(owner: str, target: str) -> tuple[tuple[Field, str], ...]:
    """The fields of a mapping that a target cannot honour, each with the reason."""
    effects = ((field, *field.on(target.lower())) for field in _OF_MAPPINGS[owner])
    return tuple((field, why) for field, effect, why in effects if effect is ERROR)


def _refused(owner: str, record: Any, target: str) -> Iterator[tuple[Field, str]]:
    for field, why in _errors(owner, target):
        if getattr(record, field.name, None) not in (None, (), [], False):
            yield field, why


def check(request: Any, target: str = "CPU") -> None:
    """Refuses a kernel that sets a field whose dropping would change the result.

    Args:
      request: the `KernelRequest`.
      target: the target, as messages write it.

    Raises:
      UnsupportedError: naming the field and the operand, with the reason of the table.
    """
    for field, why in _refused("GridMapping", request.grid_mapping, target):
        raise UnsupportedError(
            f"{field.owner}.{field.name} is set, which the {target} target cannot honour: {why}",
            kernel=request.kernel_name,
        )
    for block_mapping in request.grid_mapping.block_mappings:
        for field, why in _refused("BlockMapping", block_mapping, target):
            raise UnsupportedError(
                f"{field.name} of {block_mapping.origin} is set, which the {target} target cannot honour: {why}",
                kernel=request.kernel_name,
                notes=["a block without transforms means the same on every target"],
            )
        for dim, size in enumerate(block_mapping.block_shape):
            if isinstance(size, pl.Indirect):
                raise UnsupportedError(
                    f"dimension {dim} of {block_mapping.origin} is pl.Indirect, which the {target} target "
                    "cannot gather",
                    kernel=request.kernel_name,
                    notes=["pass the indices as an index operand and read them in the index map"],
                )


def check_interpret_params(request: Any) -> None:
    """Refuses a kernel that runs natively instead of in JAX's interpreter, with parameters that change its result.

    Args:
      request: the `KernelRequest`, whose `interpret` is a record of JAX's.

    Raises:
      UnsupportedError: naming the field and its value, with the reason of the table.
    """
    defaults = {field.name: field.default for field in dataclasses.fields(request.interpret)}
    is_gpu = jax_gpu.is_interpret_params(request.interpret)
    known = INTERPRET_GPU_PARAMS if is_gpu else INTERPRET_PARAMS
    check_known(known[0].owner, request.interpret, _names(known[0].owner), request.kernel_name)
    for field in known:
        value = getattr(request.interpret, field.name, None)
        if field.cpu is ERROR and field.name in defaults and value != defaults[field.name]:
            raise UnsupportedError(
                f"{field.name}={value!r} of {type(request.interpret).__name__} is set, which the CPU target cannot "
                f"honour: {field.why}",
                kernel=request.kernel_name,
                notes=["without replace_interpret=True, the kernel is left to JAX's interpreter"],
            )


def to_markdown() -> str:
    """The table as a page of the documentation."""
    lines = [
        "# Fields of JAX's calls and records",
        "",
        "A field is *honoured*, or it has *no meaning* on a target and is ignored. If ignoring it would change the",
        "result, a value other than the default is an *error* that names the kernel and the operand. The second",
        "column is the place of the field in the `grid` dialect. A target without a reason of its own has the",
        "CPU's. The third column lists the releases of JAX that have the field, and its default if that depends on",
        "the release. gridir's own records and calls have all fields with every release. A field that is in no",
        "table is an error, unless it has its default.",
        "",
        "The page is printed by `python -m gridir.frontend.fields`, from the table that the compiler itself uses.",
    ]
    owner = None
    for field in TABLE:
        if field.owner != owner:
            owner = field.owner
            lines += [
                "",
                f"## `{owner}`",
                "",
                "| field | in `grid` | JAX | CPU | TPU | GPU |",
                "| --- | --- | --- | --- | --- | --- |",
            ]
        cells = [f"{field.cpu.value}: {field.why}"]
        for target in OTHER_TARGETS:
            effect, why = field.on(target)
            cells.append(f"{effect.value}: {why}" if target in field.others else effect.value)
        lines.append(f"| `{field.name}` | {field.stored_in} | {field.describe_releases()} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(to_markdown(), end="")

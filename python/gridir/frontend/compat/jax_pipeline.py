# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's private module for pipelines inside a kernel, where `emit_pipeline` is one primitive of the kernel's jaxpr."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jax._src import core as _core
from jax._src import linear_util as _lu
from jax._src.api_util import debug_info as _debug_info
from jax._src.interpreters import partial_eval as _pe
from jax._src.pallas import core as _pallas_core
from jax._src.pallas.mosaic import pipeline as _pipeline
from jax._src.tree_util import tracing_registry as _tracing_registry

from gridir.frontend.compat.jax_tpu import some_device


def _take(values: Iterator[Any], count: int) -> list[Any]:
    return [next(values) for _ in range(count)]


def _with_values(sizes: Sequence[Any], values: Iterator[Any]) -> tuple[Any, ...]:
    """Sizes, with a value for each that the kernel computes."""
    return tuple(next(values) if _pallas_core.is_dynamic_dim(size) else size for size in sizes)


def indices_of(step: Any) -> Sequence[Any]:
    """The indices of a step of a pipeline, which since JAX 0.11 also has a number."""
    return step if isinstance(step, (tuple, list)) else step.index


def grid_of(operands: Sequence[Any], params: Mapping[str, Any]) -> tuple[Any, ...]:
    """The sizes of the pipeline's grid that its body sees, as numbers or operands of the equation."""
    mapping = params["grid_mapping"]
    num_consts = sum(len(block.index_map_jaxpr.consts) for block in mapping.block_mappings)
    sizes = _with_values(mapping.grid, iter(operands[num_consts:]))
    return tuple(size for dim, size in enumerate(sizes) if dim not in mapping.vmapped_dims)


def pipeline_jaxpr(
    avals: Sequence[Any], params: Mapping[str, Any], axes: Sequence[tuple[str, int]]
) -> tuple[Any, Sequence[Any]]:
    """The jaxpr of the loops, copies and waits that an `emit_pipeline` equation stands for, and its constants.

    The body of the pipeline is an equation `pipeline_body` in it.

    Args:
      avals: abstract values of the operands.
      params: the parameters of the equation.
      axes: names and sizes of the grid dimensions of the kernel, which index maps may ask for.
    """
    # JAX queries the device for its tiles, and there may be no TPU.
    with some_device():
        return _pipeline_jaxpr(avals, axes, **params)


def _written_by_jax(avals: Sequence[Any], axes: Sequence[tuple[str, int]], **params: Any) -> tuple[Any, Sequence[Any]]:
    names, sizes = zip(*axes, strict=True) if axes else ((), ())
    closed = _to_jaxpr(list(avals), grid_names=names, grid_sizes=sizes, **params)
    return closed.jaxpr, closed.consts


def _written_here(
    avals: Sequence[Any],
    axes: Sequence[tuple[str, int]],
    *,
    grid_mapping: Any,
    args_tree: Any,
    body_jaxpr: Any,
    body_consts_len: int,
    _static_grid_offsets: Sequence[Any],
    _num_extra_dynamic: int,
    **options: Any,
) -> tuple[Any, Sequence[Any]]:
    """JAX had no function for this until 0.11."""
    del _num_extra_dynamic  # It is the number of offsets that are values.
    mapping = grid_mapping

    def pipeline(*operands: Any) -> tuple[()]:
        rest = iter(operands)
        blocks = []
        for block in mapping.block_mappings:
            closed = block.index_map_jaxpr
            consts = _take(rest, len(closed.consts))
            blocks.append(block.replace(index_map_jaxpr=closed.replace(consts=consts)))
        sizes, starts = _with_values(mapping.grid, rest), _with_values(_static_grid_offsets, rest)
        body_consts = _take(rest, body_consts_len)
        specs = [block.to_block_spec() for block in blocks]

        def step(indices: Sequence[Any], *refs: Any) -> Any:
            seen = tuple(index for dim, index in enumerate(indices) if dim not in mapping.vmapped_dims)
            flat, tree = _tracing_registry.flatten((seen, body_consts, refs))
            return _pipeline.pipeline_body_p.bind(*flat, jaxpr=body_jaxpr, in_tree=tree, num_inputs=mapping.num_inputs)

        run = _pipeline._emit_pipeline(
            step,
            grid=sizes,
            in_specs=specs[: mapping.num_inputs],
            out_specs=specs[mapping.num_inputs :],
            _grid_offsets=starts,
            _explicit_indices=True,
            **options,
        )
        refs, _ = _tracing_registry.flatten(args_tree.unflatten(list(rest)), _pipeline.is_transformed_ref)
        logical = tuple(size for dim, size in enumerate(mapping.grid) if dim not in mapping.vmapped_dims)
        with _core.extend_axis_env_nd(list(axes)), _pallas_core.tracing_grid_env(logical, ()):
            run(*refs)
        return ()

    info = _debug_info("emit_pipeline", pipeline, tuple(avals), {})
    jaxpr, _, consts = _pe.trace_to_jaxpr_dynamic(_lu.wrap_init(pipeline, debug_info=info), list(avals))
    return jaxpr, consts


# Since JAX 0.11.
_to_jaxpr: Any = getattr(_pipeline, "emit_pipeline_to_jaxpr", None)
_pipeline_jaxpr = _written_here if _to_jaxpr is None else _written_by_jax

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations and bytes of a kernel at each step of its grid: its operands, its scratch memory and its jaxpr."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from jax.experimental import pallas as pl

from gridir.frontend.compat import jax_core
from gridir.frontend.compat.jax_gpu import is_mesh as is_gpu_mesh
from gridir.frontend.estimates import step_registers
from gridir.frontend.estimates.step_amounts import StepWork, Transfer
from gridir.frontend.estimates.step_values import ONCE, KnownRef, Scalar, Steps, Value, derive, literal
from gridir.frontend.estimates.step_walk import StepWalk, itemsize_of, shared_bytes_of
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.rules.control import open_jaxpr
from gridir.frontend.walk.types import is_ref

MAX_STEPS = 1 << 18
"""The steps of a grid that are looked at; those of a larger grid are taken to be like them."""

MAX_PROGRAMS = 1 << 15
"""The same for kernels of Mosaic GPU, which have more scalars, and tiles that are alike."""


def count_work(
    request: KernelRequest,
    sizes: Sequence[Any] = (),
    scalars: Sequence[Any] = (),
    inputs: Sequence[Any] = (),
    on_gpu: bool = False,
) -> StepWork:
    """Counts the work of a kernel.

    Args:
      request: the kernel.
      sizes: the values of the dynamic dimensions of its grid; None for one that is not known.
      scalars: the values of its prefetched operands; None likewise.
      inputs: the values of its other inputs; None likewise.
      on_gpu: whether it is a kernel of a GPU, whose programs have no order. Unless it is one of Mosaic GPU, its values
        are in registers.
    """
    mapping: Any = request.grid_mapping
    notes: dict[str, None] = {}
    dynamic = iter([*sizes, *[None] * len(mapping.grid)])
    grid = []
    for dim, size in enumerate(mapping.grid):
        known = size if jax_core.is_constant_dim(size) else next(dynamic)
        if known is None:
            notes[f"the size of grid dimension {dim} depends on data and counts as 1"] = None
        grid.append(1 if known is None else int(known))
    has_mesh = is_gpu_mesh(request.mesh)
    in_registers = on_gpu and not has_mesh
    # Programs of a GPU have no order. The warpgroups of a CTA are the last dimension of a mesh.
    has_threads = has_mesh and request.mesh.num_threads is not None
    program = "" if not on_gpu or not grid else "last" if has_threads else "step"
    steps = Steps.of(grid, MAX_PROGRAMS if has_mesh else MAX_STEPS, program)
    scalars = [*scalars, *[None] * (mapping.num_index_operands - len(scalars))]
    work = StepWork(
        steps, math.prod(grid), operands=(*scalars, *inputs), notes=notes, in_registers=in_registers, program=program
    )
    if not steps.count:
        return work
    refs = [KnownRef(np.asarray(x), i) if x is not None else None for i, x in enumerate(scalars)]
    own_axes = [i for i in range(len(grid)) if i not in mapping.vmapped_dims]
    walk = StepWalk(work, own_axes, mapping.grid_names)
    work.transfers = tuple(_transfers(request, walk, refs))
    work.scratch = tuple(_scratch(request))
    work.held.shared = walk.shared = sum(map(shared_bytes_of, request.jaxpr.invars))
    known = _known_inputs(request, walk, refs, inputs)
    names = [*refs, *known, *[None] * (len(request.jaxpr.invars) - len(refs) - len(known))]
    walk.jaxpr(request.jaxpr, (), names, ONCE)
    if in_registers and not any(is_loop for is_loop, *_ in work.parts):
        # Without loops, the kernel is the body that holds values.
        work.held.alone, _, work.held.staged, _ = step_registers.values_of(request.jaxpr)
    return work


def _known_inputs(request: KernelRequest, walk: StepWalk, refs: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """The Refs of inputs whose values are known, each with the first index of its block."""
    mapping: Any = request.grid_mapping
    found: list[Any] = [None] * len(inputs)
    written = {number for number, _ in request.input_output_aliases}
    for number, (value, block) in enumerate(zip(inputs, mapping.block_mappings, strict=False)):
        # An input that is an output, too, may change.
        if value is None or number + mapping.num_index_operands in written:
            continue
        whole = tuple(_size(dim) for dim in block.block_shape) == tuple(block.array_aval.shape)
        place: Any = None
        if not whole or any(isinstance(dim, pl.Squeezed) for dim in block.block_shape):
            indices = [index for index in _indices(request, walk, refs, block) if index is not None]
            if len(indices) != len(block.block_shape) or any(
                isinstance(dim, pl.Element | pl.BoundedSlice) for dim in block.block_shape
            ):
                continue
            place = tuple(
                (derive("mul", (index, literal(np.int64(_size(dim)))), np.int64), not isinstance(dim, pl.Squeezed))
                for index, dim in zip(indices, block.block_shape, strict=True)
            )
        found[number] = KnownRef(np.asarray(value), len(refs) + number, place)
    return found


def _indices(request: KernelRequest, walk: StepWalk, refs: Sequence[Any], block: Any) -> list[Value]:
    """The indices that the index map of a block gives at each step."""
    jaxpr, consts = open_jaxpr(block.index_map_jaxpr)
    steps = walk.work.steps
    found = StepWalk(StepWork(steps, walk.work.total), range(len(steps.sizes))).jaxpr(
        jaxpr, consts, [*(Scalar(ids, "id", (), i) for i, ids in enumerate(steps.ids)), *refs], ONCE
    )
    return [index if isinstance(index, Scalar) else None for index in found]


def _transfers(request: KernelRequest, walk: StepWalk, refs: Sequence[Any]) -> list[Transfer]:
    mapping: Any = request.grid_mapping
    names = list(request.jaxpr.debug_info.arg_names or ())[mapping.num_index_operands :]
    found = []
    for number, block in enumerate(mapping.block_mappings):
        shape = tuple(_size(dim) for dim in block.block_shape)
        aval = block.array_aval
        array = tuple(int(size) if jax_core.is_constant_dim(size) else 1 for size in aval.shape)
        name = names[number] if number < len(names) and names[number] else block.origin
        space = str(block.transformed_block_aval.memory_space)
        whole = shape == array
        if space in ("any", "hbm", "ANY", "HBM") and not walk.work.in_registers:
            continue
        indices: tuple[Scalar, ...] | None = ()
        if not whole:
            found_indices = _indices(request, walk, refs, block)
            indices = tuple(index for index in found_indices if index is not None)
            if len(indices) != len(found_indices):
                indices = None
                walk.work.notes[f"the blocks of {name} depend on data and count at every step"] = None
        found.append(
            Transfer(
                name,
                shape,
                array,
                itemsize_of(aval.dtype),
                number >= mapping.num_inputs,
                indices,
                space,
                getattr(block.pipeline_mode, "buffer_count", None) or 2,
            )
        )
    return found


def _scratch(request: KernelRequest) -> Iterator[tuple[str, tuple[int, ...], float]]:
    mapping: Any = request.grid_mapping
    names = list(request.jaxpr.debug_info.arg_names or ())
    first = mapping.num_index_operands + len(mapping.block_mappings)
    for number, var in enumerate(request.jaxpr.invars[first:], first):
        aval: Any = var.aval
        space = str(getattr(aval, "memory_space", "")).lower()
        if is_ref(aval) and "vmem" in space and hasattr(aval.dtype, "itemsize"):
            yield names[number] if number < len(names) else "scratch", tuple(aval.shape), aval.dtype.itemsize


def _size(dim: Any) -> int:
    return 1 if isinstance(dim, pl.Squeezed) else int(dim.block_size)

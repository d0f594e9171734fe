# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's private modules of interpret mode and of callbacks, which only this file imports."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import callback as _callback
from jax._src.pallas import hlo_interpreter as _hlo_interpreter

from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_lowering
from gridir.frontend.request.kernel_request import KernelRequest

_REQUESTS = {
    "pallas_call": jax_lowering.request_of_pallas_call,
    "mpmd_map": jax_lowering.request_of_mpmd_map,
}


def interpreted(equation: Any, *, x64: bool) -> Any | None:
    """The closed jaxpr that JAX's interpret mode runs for an equation that is a kernel, with no Refs left.

    Args:
      equation: any equation.
      x64: whether the author's program has types of 64 bits, whatever is in force now.

    Returns:
      The jaxpr, or None for an equation that is no kernel.

    Raises:
      UnsupportedError: for a kernel of several meshes, which interpret mode does not run.
    """
    if equation.primitive.name not in _REQUESTS:
        return None
    avals = [v.aval for v in equation.invars]
    function = interpretation(_REQUESTS[equation.primitive.name](avals, equation.params))
    with jax.enable_x64(x64):
        return jax.make_jaxpr(function)(*avals)


def interpretation(request: KernelRequest) -> Callable[..., Any]:
    """The function of a kernel's operands that JAX's interpret mode runs.

    Raises:
      UnsupportedError: for a kernel of several meshes, which interpret mode does not run.
    """
    if request.more_jaxprs:
        raise UnsupportedError("expected a kernel of one mesh, got one of several, which interpret mode does not run")
    # None stands for no estimate, whatever its annotation says.
    interpret: Any = _hlo_interpreter.pallas_call_hlo_interpret
    return functools.partial(
        interpret,
        jaxpr=request.jaxpr,
        debug=False,
        input_output_aliases=request.input_output_aliases,
        grid_mapping=request.grid_mapping,
        mesh=request.mesh,
        compiler_params=None,
        cost_estimate=None,
        out_avals=request.out_avals,
        metadata=None,
        name=request.name,
    )


def block_starts(block_mapping: Any, programs: np.ndarray, scalars: Sequence[np.ndarray]) -> np.ndarray:
    """The first element of the block that each program has, as interpret mode computes it.

    Args:
      block_mapping: an entry of the `block_mappings` of a `GridMapping`.
      programs: the program ids, one row for each program.
      scalars: the prefetched operands.

    Returns:
      Element indices of the array, one row for each program; negative ones are in the padding before it.

    Raises:
      UnsupportedError: for an index map that interpret mode cannot compute, or that reads scalars which are not given.
    """
    if len(block_mapping.index_map_jaxpr.in_avals) > programs.shape[1] + len(scalars):
        raise UnsupportedError("the index map reads prefetched scalars, and nothing has run")

    def start(program: Any) -> Any:
        ids = [program[i] for i in range(programs.shape[1])]
        return [jnp.int32(x) for x in block_mapping.compute_start_indices_interpret(ids, *scalars)]

    try:
        columns = jax.jit(jax.vmap(start))(jnp.asarray(programs, jnp.int32))
    except Exception as error:
        # JAX raises errors of any class for index maps that it cannot compute.
        raise UnsupportedError(str(error).strip().partition("\n")[0]) from error
    # The index map counts from the beginning of the padding.
    before = [(getattr(dim, "padding", None) or (0, 0))[0] for dim in block_mapping.block_shape]
    rows = [
        np.asarray(column, np.int64).reshape(len(programs)) - first
        for column, first in zip(columns, before, strict=True)
    ]
    return np.stack(rows, axis=1) if rows else np.zeros((len(programs), 0), np.int64)


def filter_callback_log(keep: Callable[[logging.LogRecord], bool]) -> None:
    """Leaves out of JAX's log those errors of callbacks for which `keep` is false."""
    _callback.logger.addFilter(keep)

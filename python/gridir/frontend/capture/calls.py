# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front door to `pallas_call`, which takes the parameters of every release of JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jax.experimental import pallas as pl

from gridir.frontend.request.options import make_options


def pallas_call(
    kernel: Callable[..., None],
    out_shape: Any,
    *,
    compiler_params: Any | Mapping[str, Any] = None,
    backend: str | None = None,
    **options: Any,
) -> Callable[..., Any]:
    """`jax.experimental.pallas.pallas_call` with the parameters of every release of JAX.

    Args:
      kernel: the kernel, a function of Refs. out_shape: the shapes and dtypes of the results. compiler_params: a record
      of parameters of one backend, or a mapping from backend name to record. backend: the backend that is meant:
      "mosaic_tpu", "triton", "mosaic_gpu" or "cpu". It chooses among records and has no other effect: the location of
      its arrays determines the device of a kernel. **options: everything else that JAX's `pallas_call` takes:
      grid_spec, grid, in_specs, out_specs, scratch_shapes, input_output_aliases, debug, interpret, name, cost_estimate,
      metadata.

    Returns:
      A function of arrays, as JAX's. With a mapping, or a named backend, it needs `gridir.install()`.

    Raises:
      OptionError: if a backend is unknown, or a record is not that of its backend.

    Example:
      gridir.pallas_call(kernel, out_shape, grid=(4,), compiler_params={"triton": triton.CompilerParams(num_warps=4)})
    """
    return pl.pallas_call(kernel, out_shape, compiler_params=make_options(compiler_params, backend), **options)

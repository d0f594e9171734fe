# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front door to JAX's Mosaic GPU kernels, with the fields of every release of JAX."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from gridir.errors import OptionError

try:
    from jax.experimental.pallas import mosaic_gpu as _mosaic_gpu
except ImportError as error:
    raise ImportError(f"expected the imports of JAX's Mosaic GPU (pip install absl-py), got: {error}") from error


@dataclasses.dataclass(frozen=True, kw_only=True)
class CompilerParams(_mosaic_gpu.CompilerParams):
    """`jax.experimental.pallas.mosaic_gpu.CompilerParams` with the fields of every release of JAX.

    Attributes:
      delay_release: how many grid steps to wait before a buffer of an input or output is used again. It is less than
        `max_concurrent_steps`. Later releases of JAX take it with each block.
      profile_bounds_check: whether scopes for which a trace has no space are left out. JAX has it since 0.11.1.
      skip_device_barrier: whether devices do not wait for each other before the kernel. JAX has it since 0.11.2.
      is_multi_process: whether devices of several processes run the kernel. JAX has it since 0.12.

    All other fields are JAX's own.

    Raises:
      OptionError: if `delay_release` is not less than `max_concurrent_steps`.
    """

    delay_release: int = 0
    profile_bounds_check: bool = False
    skip_device_barrier: bool = False
    is_multi_process: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.delay_release < self.max_concurrent_steps:
            raise OptionError(
                f"expected delay_release to be less than max_concurrent_steps = {self.max_concurrent_steps}, "
                f"got {self.delay_release}"
            )

    # Replace is a method, not a field.
    replace = dataclasses.replace


def kernel(
    body: Callable[..., None] | None = None,
    out_shape: Any = None,
    *,
    out_type: Any = None,
    scratch_shapes: Any = None,
    scratch_types: Any = None,
    compiler_params: Any = None,
    cost_estimate: Any = None,
    grid: tuple[int, ...] = (),
    grid_names: tuple[str, ...] = (),
    cluster: tuple[int, ...] = (),
    cluster_names: tuple[str, ...] = (),
    num_threads: int | None = None,
    thread_name: str | None = None,
    interpret: Any = None,
    debug: bool = False,
    **mesh_kwargs: Any,
) -> Any:
    """`jax.experimental.pallas.mosaic_gpu.kernel` with the parameters of every release of JAX.

    Args:
      body: the kernel, a function of Refs; without it the result is a decorator.
      out_shape: another name of `out_type`.
      out_type: the shapes and dtypes of the results.
      scratch_shapes: another name of `scratch_types`.
      scratch_types: the scratch Refs.
      compiler_params: a record of parameters, or a mapping from backend name to record.
      cost_estimate: a `pl.CostEstimate` of one call. JAX's own `kernel` takes it since 0.12.
      grid: the sizes of the grid.
      grid_names: a name for each of them.
      cluster: the sizes of a cluster.
      cluster_names: a name for each of them.
      num_threads: the number of threads of a block (warpgroups on Hopper and later).
      thread_name: the name of that dimension.
      interpret: the parameters of interpret mode.
      debug: whether the kernel is to be printed.
      **mesh_kwargs: further fields of JAX's mesh.

    Returns:
      A function of arrays, as JAX's.

    Raises:
      OptionError: if both names of one argument are given, or the compiler parameters are malformed.

    Example:
      @gridir.mosaic_gpu.kernel(out_type=jax.ShapeDtypeStruct((256,), jnp.float32), grid=(2,), grid_names=("i",))
      def double(x_ref, o_ref): ...
    """
    from gridir.frontend.request.options import make_options

    types = {
        "out_type": _only_one("out_type", out_type, "out_shape", out_shape),
        "scratch_types": _only_one("scratch_types", scratch_types, "scratch_shapes", scratch_shapes),
    }
    options = dict(
        {name: value for name, value in types.items() if value is not None},
        compiler_params=make_options(compiler_params, debug=debug, cost_estimate=cost_estimate),
        grid=grid,
        grid_names=grid_names,
        cluster=cluster,
        cluster_names=cluster_names,
        num_threads=num_threads,
        thread_name=thread_name,
        interpret=interpret,
        **mesh_kwargs,
    )
    return _mosaic_gpu.kernel(**options) if body is None else _mosaic_gpu.kernel(body, **options)


def _only_one(name: str, value: Any, other_name: str, other: Any) -> Any:
    if value is not None and other is not None:
        raise OptionError(f"expected {name} or {other_name}, got both")
    return other if value is None else value

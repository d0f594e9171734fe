# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of a lowering rule of JAX for one kernel, as one frozen record."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gridir.frontend.compat import jax_core

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr
    from jax.extend.pallas import GridMapping


@dataclasses.dataclass(frozen=True)
class DeviceMesh:
    """The devices that a call is mapped over, as by `shard_map`.

    Attributes:
      names: the axes of the mesh.
      sizes: how many devices there are along each.
      is_local: whether all of them belong to this process.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    is_local: bool = True

    @property
    def num_devices(self) -> int:
        """The number of devices."""
        return math.prod(self.sizes)


@dataclasses.dataclass(frozen=True)
class KernelRequest:
    """One `pallas_call` (or `mpmd_map`) equation, ready to be lowered.

    The operands of the call are, in this order, the sizes of the dynamic grid dimensions (int32 scalars), the index
    operands (scalar prefetch) and the inputs; `in_avals` has one entry for each of them. The results are `out_avals`.

    Attributes:
      jaxpr: the kernel, a function of index Refs, input Refs, output Refs and scratch Refs.
      grid_mapping: JAX's own description of grid, blocks and index maps.
      in_avals: abstract values of all operands, in the order above.
      out_avals: abstract values of the results.
      input_output_aliases: pairs (input, output) where `input` counts operands after the dynamic grid sizes.
      functional_aliases: whether an aliased input keeps its value while programs write the output, as in the
        interpreter of JAX 0.10; since JAX 0.11 the two are one memory.
      compiler_params: the record that the author passed, the `CallOptions` of a front door of gridir, or None.
      cost_estimate: JAX's CostEstimate, or None.
      metadata: the author's metadata of the call: values of JSON by name.
      name: the name that the author gave to the call, or None.
      debug: whether the author asked for the kernel to be printed.
      interpret: the author's parameters of interpret mode; falsy for a compiled kernel.
      backend: the backend that the author named, or None.
      mesh: the mesh of `pl.kernel` or `core_map`, the `MeshUnion` of several, or None.
      more_jaxprs: the bodies of the meshes of a union after the first one, whose body is `jaxpr`.
      devices: the devices that the call is mapped over, or None.
    """

    jaxpr: Jaxpr
    grid_mapping: GridMapping
    in_avals: tuple[Any, ...]
    out_avals: tuple[Any, ...]
    input_output_aliases: tuple[tuple[int, int], ...] = ()
    functional_aliases: bool = False
    compiler_params: Any = None
    cost_estimate: Any = None
    metadata: Mapping[str, Any] | None = None
    name: str | None = None
    debug: bool = False
    interpret: Any = False
    backend: str | None = None
    mesh: Any = None
    more_jaxprs: tuple[Jaxpr, ...] = ()
    devices: DeviceMesh | None = None

    @property
    def jaxprs(self) -> tuple[Jaxpr, ...]:
        """All bodies of the kernel; they have the same arguments."""
        return (self.jaxpr, *self.more_jaxprs)

    @property
    def operand_aliases(self) -> dict[int, int]:
        """Operand, of all that `in_avals` has, to the result that is the same memory."""
        num_sizes = self.grid_mapping.num_dynamic_grid_bounds
        return {operand + num_sizes: result for operand, result in self.input_output_aliases}

    @property
    def kernel_name(self) -> str:
        """The name of the call, or that of the kernel function where the call has none."""
        return self.name or self.jaxpr.debug_info.func_name or "kernel"

    @property
    def source(self) -> str:
        """The kernel function and its source line, as JAX writes them: "add_kernel at add.py:12"."""
        return jax_core.authors_jaxpr(self.jaxpr).debug_info.func_src_info

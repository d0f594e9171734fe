# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's own lowering of kernels for GPUs: for Mosaic GPU, with whose code gridir's is compared, and for Triton."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.sharding import AbstractDevice, AbstractMesh

from gridir.errors import OptionError
from gridir.runtime.chips import find_facts
from gridir.runtime.gpu.chips import capability_of

_CORE = "jax.experimental.mosaic.gpu.core"


def lower_to_mosaic(function: Callable[..., Any], args: Sequence[Any], chip: str) -> list[bytes]:
    """Returns the bytecode of each kernel of a function as JAX passes it to its pipeline.

    Args:
      function: the function to lower.
      args: its arguments, or their shapes and dtypes.
      chip: the chip, as "sm_90a".

    Raises:
      OptionError: for a chip that JAX does not lower such kernels for.
    """
    facts = find_facts(f"gpu:{chip}")
    if "bulk-copies" not in facts.get("features", ()) or "multiprocessors" not in facts:
        raise OptionError(f"expected a chip that JAX lowers kernels of Mosaic GPU for, got {chip!r}")
    (major, minor), _ = capability_of(chip)
    device = AbstractDevice(device_kind=f"sm_{major}{minor}", num_cores=facts["multiprocessors"], platform="gpu")
    core: Any = importlib.import_module(_CORE)
    # Since JAX 0.11 the chip is a matter of its utilities.
    asked = core if hasattr(core, "_infer_arch") else core.utils
    infer, known = asked._infer_arch, dict(core.KNOWN_KERNELS)
    asked._infer_arch = lambda: (major, minor)
    core.KNOWN_KERNELS.clear()
    try:
        with jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=device)):
            # Another function each time: JAX caches lowered functions, without their kernels.
            jax.jit(lambda *xs: function(*xs)).trace(*args).lower(lowering_platforms=("cuda",))
        return list(core.KNOWN_KERNELS.values())
    finally:
        asked._infer_arch = infer
        core.KNOWN_KERNELS.clear()
        core.KNOWN_KERNELS.update(known)


def lower_for_triton(function: Callable[..., Any], args: Sequence[Any], chip: str) -> Any:
    """Returns the StableHLO module of a function whose kernels JAX lowers for Triton.

    Args:
      function: the function to lower.
      args: its arguments, or their shapes and dtypes.
      chip: the chip, as "sm_90a".

    Raises:
      OptionError: for a chip that is no product.
    """
    facts = find_facts(f"gpu:{chip}")
    if "product" not in facts:
        raise OptionError(f"expected a chip that is a product, for which JAX lowers kernels for Triton, got {chip!r}")
    device = AbstractDevice(
        device_kind=f"NVIDIA {facts['product']}", num_cores=facts["multiprocessors"], platform="gpu"
    )
    with jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=device)):
        # Another function each time: JAX caches what it has lowered for another chip.
        traced = jax.jit(lambda *xs: function(*xs)).trace(*args)
        return traced.lower(lowering_platforms=("cuda",)).compiler_ir("stablehlo")

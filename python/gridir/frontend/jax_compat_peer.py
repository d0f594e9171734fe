# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's own lowering of Mosaic GPU kernels, for comparison with gridir's code."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.sharding import AbstractDevice, AbstractMesh

from gridir.errors import OptionError

_CORE = "jax.experimental.mosaic.gpu.core"
# Multiprocessors of the chip that has the fewest of each generation.
_MULTIPROCESSORS = {9: 132, 10: 148}


def lower_to_mosaic(function: Callable[..., Any], args: Sequence[Any], chip: str) -> list[bytes]:
    """Returns the bytecode of each kernel of a function as JAX passes it to its pipeline.

    Args:
      function: the function to lower.
      args: its arguments, or their shapes and dtypes.
      chip: the chip, as "sm_90a".

    Raises:
      OptionError: for a chip that JAX does not lower such kernels for.
    """
    found = re.fullmatch(r"sm_(\d+)(\d)[af]?", chip)
    if found is None or int(found[1]) not in _MULTIPROCESSORS:
        raise OptionError(f"expected a chip that JAX lowers kernels of Mosaic GPU for, got {chip!r}")
    major, minor = int(found[1]), int(found[2])
    device = AbstractDevice(device_kind=f"sm_{major}{minor}", num_cores=_MULTIPROCESSORS[major], platform="gpu")
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

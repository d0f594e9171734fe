# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The TPU that a program sees if it queries the device during tracing on a machine without one.

`pltpu.emit_pipeline`, `pltpu.get_tpu_info` and the meshes of SparseCores query it. JAX has no TPU of the kind "cpu",
but allows definitions of unknown kinds; this module defines one.
"""

from __future__ import annotations

import dataclasses

from gridir.errors import OptionError
from gridir.frontend.compat import jax_tpu
from gridir.runtime.chips import chips_of

KINDS: dict[str, str] = {chip: facts["device_kind"] for chip, facts in chips_of("tpu").items()}
"""The chips, by the beginning of libtpu's topologies, and JAX's name of each."""

DEFAULT = "v5e"
"""The chip that a program sees if no other one was chosen."""


@dataclasses.dataclass
class _State:
    chip: str = ""
    asked: bool = False


_state = _State()


def check_chip(name: str) -> str:
    """Returns the name of a chip; raises OptionError for an unknown name."""
    if name not in KINDS:
        raise OptionError(f"expected a TPU among {', '.join(KINDS)}, got {name!r}")
    return name


def chip_of_topology(topology: str) -> str | None:
    """Returns the chip of a topology of libtpu; None for one that is not known here."""
    name = topology.partition(":")[0]
    return name if name in KINDS else None


def lowered_chip() -> str | None:
    """Returns the chip for which JAX lowers; None if it is not known here, or is no TPU."""
    version = jax_tpu.chip_version()
    return next((chip for chip, kind in KINDS.items() if jax_tpu.chip_version(kind) == version), None)


def choose(name: str) -> None:
    """Makes all threads of the process see this chip.

    Raises:
      OptionError: for an unknown chip.
    """
    _state.chip, _state.asked = check_chip(name), False
    jax_tpu.answer_for_cpu(KINDS[name], _note)


def choose_default() -> None:
    """Selects the default chip, unless another one was chosen."""
    if not _state.chip:
        _state.chip = DEFAULT
        jax_tpu.answer_for_cpu(KINDS[DEFAULT], _note, keep=True)


def _note() -> None:
    _state.asked = True


def chip_told() -> str:
    """Returns the chip that a program was told of since the choice; "" where none has asked."""
    return _state.chip if _state.asked else ""

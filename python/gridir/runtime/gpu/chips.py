# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The devices that run code for a chip, by the rules of CUDA.

The letter after a chip's number bounds where its code runs: "a" on exactly this chip, "f" on chips of the same family;
without one, PTX runs on all later chips and a cubin on later ones of the same major number.
"""

from __future__ import annotations

import re

from gridir.errors import OptionError

Capability = tuple[int, int]
Devices = tuple[Capability, Capability]
"""Devices from one compute capability to another, both included."""

_LAST = (999, 9)
"""A compute capability beyond all devices, whose second number has one digit."""


def capability_of(chip: str) -> tuple[Capability, str]:
    """Returns the compute capability of a chip and its letter, as ((9, 0), "a") of "sm_90a".

    Raises:
      OptionError: when it is not the name of a chip.
    """
    found = re.fullmatch(r"sm_(\d+)(\d)([af]?)", chip)
    if found is None:
        raise OptionError(f"expected the name of a chip, as sm_90a, got {chip!r}")
    return (int(found[1]), int(found[2])), found[3]


def cubin_devices(chip: str) -> Devices:
    """Returns the devices that run machine code for a chip."""
    own, letter = capability_of(chip)
    return own, own if letter == "a" else (own[0], _LAST[1])


def ptx_devices(chip: str) -> Devices:
    """Returns the devices that run PTX for a chip."""
    own, letter = capability_of(chip)
    return own, {"a": own, "f": (own[0], _LAST[1])}.get(letter, _LAST)


def runs_on(devices: Devices, device: Capability) -> bool:
    """True if a device is among them."""
    return devices[0] <= device <= devices[1]


def chip_of(device: Capability) -> str:
    """Returns the chip whose code uses all that devices of a compute capability have."""
    major, minor = device
    return f"sm_{major}{minor}" + ("a" if major >= 9 and device not in ((12, 0), (12, 1)) else "")

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What hardware this machine has that JAX would look for."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path

# The vendor of TPUs on the PCI bus.
_GOOGLE = "0x1ae0"
_NVIDIA_FILES = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg")


def leave_libtpu_alone() -> None:
    """Asks JAX for the CPU where nothing else is there and libtpu would be started all the same.

    gridir needs libtpu to be installed where there is no TPU. JAX, which finds it, then starts it as soon as it makes
    an array; libtpu writes to stderr what it misses on this host, and JAX goes on with the CPU. Nothing is done where
    the user says what JAX is for, as by JAX_PLATFORMS, where there is any other device, or where JAX has begun.
    """
    if os.environ.get("JAX_PLATFORMS") or not _only_has_libtpu():
        return
    os.environ["JAX_PLATFORMS"] = "cpu"
    jax = sys.modules.get("jax")
    if jax is not None and not jax.config.jax_platforms:
        jax.config.update("jax_platforms", "cpu")


def _only_has_libtpu() -> bool:
    """Whether libtpu is installed, and no device that it, or another part of JAX, could be for."""
    if "JAX_FORCE_TPU_INIT" in os.environ:
        return False
    if importlib.util.find_spec("libtpu") is None:
        return False
    if any(os.path.exists(path) for path in _NVIDIA_FILES):
        return False
    if importlib.metadata.entry_points(group="jax_plugins"):
        return False
    vendors = Path("/sys/bus/pci/devices").glob("*/vendor")
    return all(vendor.read_text(encoding="ascii").strip() != _GOOGLE for vendor in vendors)

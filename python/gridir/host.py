# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hardware of this machine that JAX would look for."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path

EXTRAS = {
    "absl": "gpu",
    "jax_plugins": "peer",
    "jinja2": "report",
    "libtpu": "tpu",
    "matplotlib": "report",
    "pygments": "report",
}
"""For each module that gridir, or JAX's code that it calls, may miss: the extra of gridir that provides it."""

# The vendor of TPUs on the PCI bus.
_GOOGLE = "0x1ae0"
_NVIDIA_FILES = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg")


def leave_devices_alone() -> None:
    """Restricts JAX to the CPU if there is no other device, so that libtpu and the CUDA plugin are not started.

    gridir needs libtpu to be installed where there is no TPU, and JAX's CUDA plugin where there is no GPU. JAX, which
    finds them, then starts them as soon as it makes an array; both report missing parts of this host on stderr, and JAX
    goes on with the CPU. It has no effect if the user selects a platform (JAX_PLATFORMS), if there is another device,
    or if JAX has started.
    """
    if os.environ.get("JAX_PLATFORMS") or not _lacks_devices():
        return
    os.environ["JAX_PLATFORMS"] = "cpu"
    jax = sys.modules.get("jax")
    if jax is not None and not jax.config.jax_platforms:
        jax.config.update("jax_platforms", "cpu")


def _lacks_devices() -> bool:
    """True if a plugin for devices is installed, and there is no device that it, or another part of JAX, supports."""
    if "JAX_FORCE_TPU_INIT" in os.environ:
        return False
    plugins = {entry.name for entry in importlib.metadata.entry_points(group="jax_plugins")}
    of_cuda = {name for name in plugins if "cuda" in name}
    if not of_cuda and importlib.util.find_spec("libtpu") is None:
        return False
    if any(os.path.exists(path) for path in _NVIDIA_FILES):
        return False
    if plugins - of_cuda:
        return False
    vendors = Path("/sys/bus/pci/devices").glob("*/vendor")
    return all(vendor.read_text(encoding="ascii").strip() != _GOOGLE for vendor in vendors)

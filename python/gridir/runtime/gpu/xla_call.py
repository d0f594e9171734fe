# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The XLA custom calls that launch kernels on GPUs.

A call carries the code and the description of the launch, so that it runs in any process that has registered it.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from gridir.mlir._mlir_libs import _gridirGPU as native
from gridir.runtime.gpu.chips import cubin_devices, ptx_devices
from gridir.runtime.gpu.launch import Launch, TensorMap

CALL_TARGET = "gridir_gpu"
"""The name of the call of kernels with run-time checks or a dynamic grid, for `jax.export`'s list of allowed calls."""

RECORDED_CALL_TARGET = "gridir_gpu_recorded"
"""The same for all other kernels: XLA may record these calls in a command buffer, a CUDA graph."""


_ELF = b"\x7fELF"


@dataclasses.dataclass(frozen=True)
class XlaCall:
    """A custom call of XLA's.

    Attributes:
      target: the name under which XLA knows it.
      attributes: the attributes of the call.
      scratch_bytes: the size of the call's last result, memory for temporaries; 0 for a call without that result.
    """

    target: str
    attributes: dict[str, Any] = dataclasses.field(repr=False)
    scratch_bytes: int


def xla_call(name: str, image: bytes, chip: str, launch: Launch) -> XlaCall:
    """Returns the call that launches a kernel.

    Args:
      name: the kernel's name, for messages.
      image: a cubin or a text of PTX.
      chip: the chip that it is for.
      launch: how it is launched.
    """
    record = launch.to_json()
    for parameter, described in zip(launch.parameters, record["parameters"], strict=True):
        if isinstance(parameter, TensorMap):
            described |= parameter.cuda_numbers
    description = json.dumps(record)
    least, last = cubin_devices(chip) if image.startswith(_ELF) else ptx_devices(chip)
    waits = bool(launch.diagnostics) or launch.dynamic_ctas is not None
    target = CALL_TARGET if waits else RECORDED_CALL_TARGET
    attributes = {
        "name": name,
        "image": image,
        "chip": chip,
        "least_device": 10 * least[0] + least[1],
        "last_device": 10 * last[0] + last[1],
        "launch": description,
    }
    return XlaCall(target, attributes, native.scratch_bytes(description))


def ffi_target() -> dict[str, Any]:
    """Returns the addresses of the calls' stages and state, for `jax.ffi`."""
    return native.ffi_target()

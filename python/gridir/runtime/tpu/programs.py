# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Taking the Mosaic kernels out of a program that JAX lowered: each becomes a separate program."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any

from gridir.runtime.programs import custom_calls, program_of_call

CALL_TARGET = "tpu_custom_call"
"""The name of XLA's custom call that holds a Mosaic kernel."""


@dataclasses.dataclass(frozen=True)
class KernelProgram:
    """One kernel as a whole program, so that libtpu judges it alone.

    Attributes:
      name: the kernel's name.
      program: a StableHLO module, as MLIR bytecode, whose only op is the call of the kernel.
      config: the call's backend configuration, without the body.
      body: the kernel: MLIR bytecode, or text.
    """

    name: str
    program: bytes = dataclasses.field(repr=False)
    config: dict[str, Any]
    body: bytes = dataclasses.field(repr=False)


def kernel_programs(module: Any) -> list[KernelProgram]:
    """Returns the distinct kernels of a StableHLO module of JAX's, in their order there."""
    found: dict[bytes, KernelProgram] = {}
    for op in custom_calls(module, CALL_TARGET):
        program = _program_of(op)
        found.setdefault(program.program, program)
    return list(found.values())


def _program_of(op: Any) -> KernelProgram:
    from jaxlib.mlir import ir

    name = ir.StringAttr(op.attributes["kernel_name"]).value if "kernel_name" in op.attributes else "kernel"
    config = json.loads(ir.StringAttr(op.attributes["backend_config"]).value)
    body = base64.b64decode(config["custom_call_config"].pop("body"))
    return KernelProgram(name, program_of_call(op, name), config, body)

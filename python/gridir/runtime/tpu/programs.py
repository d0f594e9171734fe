# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Taking the Mosaic kernels out of a program that JAX lowered: each becomes a separate program."""

from __future__ import annotations

import base64
import dataclasses
import io
import json
from typing import Any

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
    from jaxlib.mlir import ir

    found: dict[bytes, KernelProgram] = {}

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.custom_call" and ir.StringAttr(op.attributes["call_target_name"]).value == CALL_TARGET:
            program = _program_of(op, ir)
            found.setdefault(program.program, program)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return list(found.values())


def _program_of(op: Any, ir: Any) -> KernelProgram:
    name = ir.StringAttr(op.attributes["kernel_name"]).value if "kernel_name" in op.attributes else "kernel"
    config = json.loads(ir.StringAttr(op.attributes["backend_config"]).value)
    body = base64.b64decode(config["custom_call_config"].pop("body"))
    with op.context, ir.Location.name(name):
        module = ir.Module.create()
        number = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 1)
        module.operation.attributes["mhlo.num_partitions"] = number
        module.operation.attributes["mhlo.num_replicas"] = number
        arguments = [operand.type for operand in op.operands]
        results = [result.type for result in op.results]
        function = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get("main"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get(arguments, results)),
            },
            regions=1,
            ip=ir.InsertionPoint(module.body),
        )
        block = function.regions[0].blocks.append(*arguments)
        call = op.clone(ip=ir.InsertionPoint(block))
        for i, argument in enumerate(block.arguments):
            call.operation.operands[i] = argument
        ir.Operation.create("func.return", operands=list(call.results), ip=ir.InsertionPoint(block))
        buffer = io.BytesIO()
        module.operation.write_bytecode(buffer)
    return KernelProgram(name, buffer.getvalue(), config, body)

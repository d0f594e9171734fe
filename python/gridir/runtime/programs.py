# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A custom call of a StableHLO module as a program of its own."""

from __future__ import annotations

import io
from typing import Any


def program_of_call(op: Any, name: str) -> bytes:
    """Returns a StableHLO module, as MLIR bytecode, whose only op is a clone of a custom call.

    Args:
      op: the custom call.
      name: the location of the module.
    """
    from jaxlib.mlir import ir

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
    return buffer.getvalue()


def custom_calls(module: Any, target: str) -> list[Any]:
    """Returns the custom calls of a target in a StableHLO module, in order."""
    from jaxlib.mlir import ir

    found = []

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.custom_call" and ir.StringAttr(op.attributes["call_target_name"]).value == target:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes that any pipeline of gridir can name: importing this module registers them."""

import gridir
from gridir.mlir import ir
from gridir.mlir.dialects import arith


@gridir.passes.register_patterns("my-twice-is-sum", statistics={"num-sums": "Multiplications that became sums"})
def twice_is_sum(patterns, run, *, factor: float = 2.0):
    """Adds a value to itself instead of multiplying it by two.

    Args:
      factor: the factor that is replaced.
    """

    def to_sum(op, rewriter):
        if _number(op.rhs) != factor:
            return "expected a factor of two"
        with rewriter.ip:
            rewriter.replace_op(op, arith.AddFOp(op.lhs, op.lhs))
        run.count("num-sums")
        return None

    patterns.add(arith.MulFOp, to_sum)


def _number(value: ir.Value) -> float | None:
    """The number that a constant is, or that all of its elements are; None for anything else."""
    if not isinstance(value.owner, arith.ConstantOp):
        return None
    attribute = value.owner.value
    if isinstance(attribute, ir.DenseElementsAttr):
        if not attribute.is_splat:
            return None
        attribute = attribute.get_splat_value()
    return attribute.value if isinstance(attribute, ir.FloatAttr) else None

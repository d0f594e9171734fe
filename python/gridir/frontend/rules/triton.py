# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of Pallas' Triton backend."""

from __future__ import annotations

import re

from gridir.frontend.rules.elementwise import elementwise
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import TRITON
from gridir.frontend.walk.registry import ANY
from gridir.mlir import ir


@TRITON.rule("debug_barrier")
def _debug_barrier(_: RuleContext) -> list[ir.Value]:
    """The threads of a program synchronize after every op anyway."""
    return []


@TRITON.rule("max_contiguous", ignores={"values": ANY})
def _max_contiguous(_: RuleContext, x: ir.Value) -> ir.Value:
    """A hint for the compiler that it is written for."""
    return x


@TRITON.rule("elementwise_inline_asm", ignores={"constraints": ANY, "pack": ANY, "result_shape_dtypes": ANY})
def _elementwise_inline_asm(ctx: RuleContext, *values: ir.Value, asm: str) -> list[ir.Value]:
    """The only assembly that is known is that of `approx_tanh`; any other is for one machine."""
    if not re.fullmatch(r"tanh\.approx\.\w+ \$0, \$1;", asm):
        raise ctx.unsupported(f"expected the assembly of `approx_tanh`, got {asm!r}", "write it with jax.numpy")
    return [elementwise("math.tanh", ctx, values)]

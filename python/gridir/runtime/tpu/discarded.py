# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads of a Mosaic module whose elements may all be unused.

`jnp.where(s >= 0, lengths[s], 0)` loads before it selects. A load may therefore leave its memref if a selection, a
masked store, a part of the value or a branch guards each use. The rule is that of `mayBeDiscarded` of the `grid`
dialect, in the ops of a Mosaic module.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# Ops that take a part of their first operand.
_PARTS = {"vector.extract", "vector.extract_strided_slice"}
_BRANCHES = {"scf.if", "scf.index_switch"}
# A value with more transitive users than this counts as used.
_LIMIT = 256


def may_be_discarded(load: Any) -> bool:
    """True if every element that an op loads may be unused."""
    block = load.block
    pending, followed = list(load.results), set[Any]()
    while pending:
        value = pending.pop()
        if value in followed:
            continue
        followed.add(value)
        if len(followed) > _LIMIT:
            return False
        for use in value.uses:
            if (values := _flows_to(use, block)) is None:
                return False
            pending += values
    return True


def _flows_to(use: Any, block: Any) -> list[Any] | None:
    """The values that depend on all of a used value; None where the op itself depends on it."""
    op, number = use.owner.operation, use.operand_number
    name = op.name.removeprefix("stable_mosaic.")
    if (
        _is_conditional(op, block)
        or (name == "arith.select" and number != 0)
        or (name in _PARTS and number == 0)
        or (name in ("tpu.vector_store", "tpu.store") and number == 0 and _has_mask(op))
    ):
        return []
    if name in ("scf.yield", "tpu.yield"):
        parent = op.parent.operation
        outer = parent.name.removeprefix("stable_mosaic.")
        if outer == "scf.for":
            return [parent.results[number], parent.regions[0].blocks[0].arguments[number + 1]]
        return [parent.results[number]] if outer in {*_BRANCHES, "tpu.region"} else None
    if name == "scf.for" and number >= 3:
        return [op.results[number - 3], op.regions[0].blocks[0].arguments[number - 2]]
    # A memref that depends on it, or an access at it, does so wherever it leads.
    if not len(op.results) or len(op.regions) or any("memref" in str(other.type) for other in op.operands):
        return None
    return list(op.results)


def _has_mask(op: Any) -> bool:
    sizes = op.attributes.get("operandSegmentSizes", None)
    return sizes is not None and list(sizes)[-1] == 1


def _is_conditional(op: Any, block: Any) -> bool:
    """True if an op is in a branch that may be skipped when the load runs."""
    around = list(_ancestors(block.owner.operation))
    return any(
        outer != op and outer.name.removeprefix("stable_mosaic.") in _BRANCHES and outer not in around
        for outer in _ancestors(op)
    )


def _ancestors(op: Any) -> Iterator[Any]:
    """An op and those around it, up to its function."""
    while op.name not in ("func.func", "builtin.module"):
        yield op
        op = op.parent.operation

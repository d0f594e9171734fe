# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The work of equations that only kernels of a GPU have: products of matrix units, and copies of shared memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax

from gridir.frontend.compat import jax_core
from gridir.frontend.compat.jax_equations import primitive_name
from gridir.frontend.walk.types import is_ref

if TYPE_CHECKING:
    from gridir.frontend.estimates.step_amounts import Held

_PRODUCTS = ("wgmma", "wgmma_ref", "mma", "tcgen05_mma")
_COPIES = {"copy_gmem_to_smem": 1, "copy_smem_to_gmem": 0, "async_prefetch": None}
"""Copies with the number of the operand in shared memory, which is copied as a whole; None for one that is free."""


def product_of(name: str, eqn: Any) -> tuple[int, float] | None:
    """Returns the bits of an operand's element and the floating-point operations of a product; None for another op."""
    if name not in _PRODUCTS:
        return None
    params, avals = eqn.params, [atom.aval for atom in eqn.invars]
    if name == "mma":
        accumulator, left = avals[:2]
    else:
        trees = [params.get(f"{operand}_transforms_tree") for operand in ("acc", "a")]
        # The transforms of all operands are the last operands; those of the first two are first among them.
        later = [tree for key, tree in params.items() if key.endswith("_transforms_tree") and tree is not None]
        count = sum(tree.num_leaves for tree in later)
        leaves = avals[len(avals) - count :]
        split = 0 if trees[0] is None else trees[0].num_leaves
        accumulator, left = _view(avals[0], trees[0], leaves[:split]), _view(avals[1], trees[1], leaves[split:])
    depth = math.prod(left.shape) // max(accumulator.shape[0], 1)
    return int(left.dtype.itemsize * 8), 2.0 * math.prod(accumulator.shape) * depth


def moved_by(name: str, eqn: Any) -> float | None:
    """Returns the bytes that an access to global memory moves; None for another operation."""
    if name in ("get", "swap"):
        aval: Any = eqn.invars[0].aval
        is_global = is_ref(aval) and str(aval.memory_space) == "gmem"
        return _bytes(eqn.outvars[0].aval.shape, aval.dtype) if is_global else None
    if name not in _COPIES:
        return None
    number = _COPIES[name]
    if number is None:
        return 0.0
    first = 3 if eqn.params.get("has_barrier") else 2
    leaves = [atom.aval for atom in eqn.invars[first:]]
    trees = [eqn.params["src_transforms_treedef"], eqn.params["dst_transforms_treedef"]]
    begin = trees[0].num_leaves if number else 0
    ref = _view(eqn.invars[number].aval, trees[number], leaves[begin:])
    return _bytes(ref.shape, ref.dtype)


def note_held(held: Held, body: Any) -> None:
    """Updates the bytes that a program holds by those of the body of a loop."""
    carried = sum(_bytes(var.aval.shape, var.aval.dtype) for var in body.outvars if _is_array(var))
    largest = loaded = 0.0
    for eqn in body.eqns:
        made = sum(_bytes(var.aval.shape, var.aval.dtype) for var in eqn.outvars if _is_array(var))
        carries = any(var in body.outvars for var in eqn.outvars)
        largest = largest if carries else max(largest, made)
        loaded += made if primitive_name(eqn.primitive) in ("get", "masked_load", "load") else 0.0
    held.carried, held.made = max(held.carried, carried), max(held.made, largest)
    held.loaded = max(held.loaded, loaded)


def _is_array(var: Any) -> bool:
    aval = getattr(var, "aval", None)
    return bool(getattr(aval, "shape", ())) and not is_ref(aval) and hasattr(getattr(aval, "dtype", None), "itemsize")


def _view(aval: Any, tree: Any, leaves: Sequence[Any]) -> Any:
    """Returns the shape and type of a Ref with transforms, whose operands are the first of some leaves."""
    if tree is None or not (transforms := jax.tree.unflatten(tree, leaves[: tree.num_leaves])):
        return aval
    return jax_core.TransformedRef(aval, tuple(transforms))


def _bytes(shape: Sequence[Any], dtype: Any) -> float:
    return float(math.prod(x if isinstance(x, int) else 1 for x in shape) * dtype.itemsize)

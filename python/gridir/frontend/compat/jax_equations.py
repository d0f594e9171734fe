# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equations of every release of JAX in the form of the newest one, for which the rules are written.

`CHANGES` has the changes of each release to the parameters of primitives; `releases.PRIMITIVES` has the releases with a
primitive.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Collection, Mapping
from typing import Any

import jax
from jax._src.pallas.mosaic import sc_primitives as _sc_primitives

from gridir.frontend.compat.jax_core import Literal
from gridir.frontend.compat.releases import PRIMITIVES, Releases, Version

_SPARSE_CORE = {
    getattr(_sc_primitives, f"{name}_p"): f"sparse_core.{name}"
    for name in ("barrier", "bitcast", "gather", "load", "pack", "scan_count", "scatter", "swap", "unpack")
    if hasattr(_sc_primitives, f"{name}_p")
}
"""The primitives of SparseCore whose names mean other primitives elsewhere, or meant so in an earlier JAX."""


HAS_FUNCTIONAL_ALIASES = jax.__version_info__ < (0, 11)
"""True if an input of `input_output_aliases` keeps its value while programs write the output.

Since JAX 0.11 they are one memory, and programs run in the order of the grid."""


def is_of_this_jax(name: str) -> bool:
    """True if the installed JAX has the primitive of a rule, given by name."""
    return jax.__version_info__ in PRIMITIVES.get(name, Releases())


def primitive_name(primitive: Any) -> str:
    """The name by which a primitive has a rule."""
    # Some names ended as those of Python variables do, until JAX 0.12.
    return _SPARSE_CORE.get(primitive) or primitive.name.removesuffix("_p")


@dataclasses.dataclass(frozen=True)
class Change:
    """A change of the parameters of a primitive.

    Attributes:
      since: the first release with the newest form. Equations of earlier ones are converted.
      renames: the new name of each parameter that has another name.
      adds: the parameters that earlier releases lack, with the values that these releases imply.
      operand: the parameter that is the only operand in earlier releases, or None.
      convert: for other changes: the parameters of the newest form from those of an earlier one.
      converts: the parameters that `convert` reads and the newest release lacks.
    """

    since: Version
    renames: Mapping[str, str] = dataclasses.field(default_factory=dict)
    adds: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    operand: str | None = None
    convert: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    converts: Collection[str] = ()

    def __call__(self, equation: Any) -> Any:
        """The equation in the newest form."""
        params = dict(self.adds)
        params |= {self.renames.get(name, name): value for name, value in equation.params.items()}
        invars = equation.invars
        if self.operand is not None:
            # The rule reports an unknown count.
            (count,) = invars
            params[self.operand] = int(count.val) if isinstance(count, Literal) else None
            invars = []
        if self.convert is not None:
            params = self.convert(params)
        return equation.replace(params=params, invars=invars)


@dataclasses.dataclass(frozen=True)
class _Count:
    """Represents a tree with this number of leaves."""

    count: int

    def __len__(self) -> int:
        return self.count


@dataclasses.dataclass(frozen=True)
class _LoopTree:
    """Represents the tree of the operands of a `scan`, or of its results."""

    parts: tuple[_Count, ...]

    def unpack(self) -> tuple[_Count, ...]:
        """The constants, the carry and the slices of operands; the carry and the slices of results."""
        return self.parts


def _scan(params: Mapping[str, Any]) -> dict[str, Any]:
    """Trees say which operands of a loop are constants, and which are carried; until JAX 0.10, two numbers did."""
    others = {name: value for name, value in params.items() if name not in ("num_consts", "num_carry")}
    body = params["jaxpr"].jaxpr
    consts, carry = params["num_consts"], params["num_carry"]
    stacked = _Count(len(body.invars) - consts - carry), _Count(len(body.outvars) - carry)
    ft_in = _LoopTree((_Count(consts), _Count(carry), stacked[0]))
    return {**others, "ft_in": ft_in, "ft_out": _LoopTree((_Count(carry), stacked[1]))}


CHANGES: dict[str, Change] = {
    "async_load": Change((0, 11, 1), adds={"reduce": None}),
    "async_prefetch": Change((0, 11, 2), adds={"has_user_predicate": False}),
    "barrier_arrive": Change((0, 11, 2), adds={"has_user_predicate": False}),
    # Without a dimension, the last but one changes.
    "bitcast": Change((0, 12), adds={"dim": None}),
    "composite": Change((0, 11, 2), renames={"jaxpr": "call_jaxpr"}),
    # Until JAX 0.11, a copy whose predicate is false arrives at its barrier.
    "copy_gmem_to_smem": Change(
        (0, 12),
        adds={"has_barrier": True, "has_user_predicate": False, "arrives_always": True},
        # JAX 0.11.0 names the method; without a barrier, later releases imply that threads copy.
        convert=lambda params: {name: value for name, value in params.items() if (name, value) != ("impl", "tma")},
        converts=("impl",),
    ),
    "dma_wait": Change(
        (0, 12),
        convert=lambda params: {
            # JAX 0.11 has both.
            "is_wait_send": params.get("is_wait_send", params["insert_dummy_device"]),
            **{name: value for name, value in params.items() if name != "insert_dummy_device"},
        },
        converts=("insert_dummy_device",),
    ),
    "eval_jaxpr": Change((0, 11, 1), renames={"jaxpr": "call_jaxpr"}),
    "get_barrier_semaphore": Change((0, 11, 2), adds={"tag": None}),
    "pipeline_body": Change((0, 11), adds={"_explicit_indices": False}),
    "scan": Change((0, 11), convert=_scan, converts=("num_consts", "num_carry")),
    "set_max_registers": Change((0, 11, 2), operand="n"),
    "shard_map": Change((0, 11), renames={"manual_axes": "newly_manual_axes"}),
    "tcgen05_commit_arrive": Change((0, 12), adds={"has_user_predicate": False}),
    # Without axes, all warpgroups of all blocks of a cluster make one request.
    "try_cluster_cancel": Change((0, 11, 2), adds={"collective_axes": None}),
    "wait_smem_to_gmem": Change((0, 11, 2), operand="n"),
    "wgmma_wait": Change((0, 11, 2), operand="n"),
}
"""The last change of each primitive, by the name of its rule."""


def _with_pipeline(equation: Any) -> Any:
    """JAX itself writes the loop of a pipeline, from all parameters of its equation."""
    return equation.replace(params={"pipeline": equation.params})


@functools.cache
def _conversion(primitive: Any) -> Callable[[Any], Any] | None:
    """Returns the conversion of equations of the installed JAX to the newest form; None if they have it."""
    name = primitive_name(primitive)
    if name == "emit_pipeline":
        return _with_pipeline
    change = CHANGES.get(name)
    return None if change is None or jax.__version_info__ >= change.since else change


def canonical(equation: Any) -> Any:
    """An equation in the form of the newest JAX, which the rules read. It must not be bound again."""
    conversion = _conversion(equation.primitive)
    return equation if conversion is None else conversion(equation)


def canonical_parameters(primitive: Any, names: Collection[str]) -> set[str]:
    """The parameters that a rule is given, of those that an equation of the JAX that is installed has.

    A parameter that `Change.convert` makes is none of them.
    """
    conversion = _conversion(primitive)
    if conversion is None:
        return set(names)
    if not isinstance(conversion, Change):
        return {"pipeline"}
    return {conversion.renames.get(name, name) for name in names} - {*conversion.converts}


def with_scan_counts(params: dict[str, Any], num_consts: int) -> dict[str, Any]:
    """The parameters of a `scan` of this JAX with additional constants before the others."""
    if "ft_in" not in params:
        return {**params, "num_consts": params["num_consts"] + num_consts}
    flattree: Any = importlib.import_module("jax._src.flattree")
    consts, carry, stacked = params["ft_in"].unpack()
    wider = flattree.nones(len(consts) + num_consts)
    return {**params, "ft_in": flattree.pack((wider, carry, stacked))}

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What equations of every JAX say in one way, for which the rules are written: names and parameters of primitives."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import jax
from jax._src.pallas.mosaic import sc_primitives as _sc_primitives

_SPARSE_CORE = {
    getattr(_sc_primitives, f"{name}_p"): f"sparse_core.{name}"
    for name in ("barrier", "bitcast", "gather", "load", "pack", "scan_count", "scatter", "swap", "unpack")
    if hasattr(_sc_primitives, f"{name}_p")
}
"""The primitives of SparseCore whose names mean other primitives elsewhere, or meant so in an earlier JAX."""


RELEASES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "closed_call": ((), (0, 11)),
    "core_map": ((), (0, 11)),
    "sparse_core.bitcast": ((), (0, 12)),
    "log2": ((0, 11), ()),
    "one_minus_square": ((0, 11), ()),
    "mma": ((0, 11), ()),
    "polynomial": ((0, 12), ()),
    "store": ((0, 12), ()),
    "barrier_arrive_and_wait": ((0, 12), ()),
    **{f"mosaic_gpu_reduce_{name}": ((0, 12), ()) for name in ("max", "min", "prod", "sum")},
}
"""The primitives that some JAX has no more, or not yet: the first that has it, and the first that has it no more."""


def is_of_this_jax(name: str) -> bool:
    """Whether a primitive with a rule is one of the JAX that is installed."""
    first, end = RELEASES.get(name, ((), ()))
    return first <= jax.__version_info__ and not (end and end <= jax.__version_info__)


def primitive_name(primitive: Any) -> str:
    """The name by which a primitive has a rule."""
    # Some names ended as those of Python variables do, until JAX 0.12.
    return _SPARSE_CORE.get(primitive) or primitive.name.removesuffix("_p")


def _scan(params: Mapping[str, Any]) -> dict[str, Any]:
    """Since JAX 0.11, trees say which operands of a loop are constants, and which are carried."""
    if "ft_in" not in params:
        return dict(params)
    consts, carry, _ = params["ft_in"].unpack()
    others = {name: value for name, value in params.items() if name not in ("ft_in", "ft_out")}
    return {**others, "num_consts": len(consts), "num_carry": len(carry)}


def _dma_wait(params: Mapping[str, Any]) -> dict[str, Any]:
    """Until JAX 0.12, a wait until a copy was sent was one that asked for a dummy device."""
    if "insert_dummy_device" not in params:
        return dict(params)
    others = {name: value for name, value in params.items() if name != "insert_dummy_device"}
    return {"is_wait_send": params["insert_dummy_device"], **others}


def _called(params: Mapping[str, Any]) -> dict[str, Any]:
    """Since JAX 0.11, all calls name their jaxprs alike."""
    if "jaxpr" not in params:
        return dict(params)
    others = {name: value for name, value in params.items() if name != "jaxpr"}
    return {"call_jaxpr": params["jaxpr"], **others}


def _shard_map(params: Mapping[str, Any]) -> dict[str, Any]:
    """JAX 0.12 names the axes that a `shard_map` adds to those around it."""
    if "newly_manual_axes" not in params:
        return dict(params)
    others = {name: value for name, value in params.items() if name != "newly_manual_axes"}
    return {"manual_axes": params["newly_manual_axes"], **others}


def _emit_pipeline(params: Mapping[str, Any]) -> dict[str, Any]:
    """What a pipeline is made with, JAX itself reads."""
    return {"pipeline": params}


_PARAMS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "composite": _called,
    "dma_wait": _dma_wait,
    "emit_pipeline": _emit_pipeline,
    "eval_jaxpr": _called,
    "scan": _scan,
    "shard_map": _shard_map,
}


def is_translated(primitive: Any) -> bool:
    """Whether rules know the parameters of a primitive by others than it has."""
    return primitive.name in _PARAMS


def params_of(equation: Any) -> Mapping[str, Any]:
    """The parameters of an equation, as the rule of its primitive knows them."""
    translate = _PARAMS.get(equation.primitive.name)
    return equation.params if translate is None else translate(equation.params)


def with_scan_counts(params: dict[str, Any], num_consts: int) -> dict[str, Any]:
    """The parameters of a `scan` of JAX's that has so many more constants, before the others."""
    if "ft_in" not in params:
        return {**params, "num_consts": params["num_consts"] + num_consts}
    flattree: Any = importlib.import_module("jax._src.flattree")
    consts, carry, stacked = params["ft_in"].unpack()
    wider = flattree.nones(len(consts) + num_consts)
    return {**params, "ft_in": flattree.pack((wider, carry, stacked))}

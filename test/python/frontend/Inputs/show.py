# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the `grid` module of small kernels, each under a line that names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def show(kernel: Callable[..., None], *args: Any, locations: bool = False, **call: Any) -> None:
    """Prints the kernel that `pl.pallas_call(kernel, **call)` is for these arguments.

    The output is like the first argument unless `out_shape` says otherwise; `transform` is applied to the call.
    """
    out_shape = call.pop("out_shape", args[0] if args else None)
    transform = call.pop("transform", lambda f: f)
    lowered = gridir.lower(transform(pl.pallas_call(kernel, out_shape=out_shape, **call)), *args)
    print(f"// {kernel.__name__}")
    print(lowered.kernels[0].text("grid", locations=locations))


def show_value(name: str, function: Callable[..., Any], *args: Any) -> None:
    """Prints the kernel that reads its inputs whole, applies a function of values and writes the results whole."""
    results = jax.eval_shape(function, *args)
    flat, tree = jax.tree.flatten(results)

    def kernel(*refs: Any) -> None:
        values = function(*(ref[...] for ref in refs[: len(args)]))
        for ref, value in zip(refs[len(args) :], jax.tree.leaves(values), strict=True):
            ref[...] = value

    del tree
    kernel.__name__ = name
    show(kernel, *args, out_shape=flat)


def array(dtype: Any = jnp.float32, *shape: int) -> jax.ShapeDtypeStruct:
    """What `gridir.lower` takes for an array; 8 x 128 unless a shape is given."""
    return jax.ShapeDtypeStruct(shape or (8, 128), dtype)

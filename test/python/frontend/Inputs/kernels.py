# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the `pallas_call`s of a function and hands them over as the frontend gets them, without installing anything."""

import pathlib

import jax
from gridir.cli.example import load_example
from gridir.frontend.compat import jax_lowering
from jax.extend import core


def requests(function, *args):
    """The request of every `pallas_call` that `function` makes, in order."""
    closed = jax.make_jaxpr(function)(*args)
    return [
        jax_lowering.request_of_pallas_call([v.aval for v in eqn.invars], eqn.params)
        for eqn in _equations(closed.jaxpr)
        if eqn.primitive.name == "pallas_call"
    ]


def _equations(jaxpr):
    for eqn in jaxpr.eqns:
        yield eqn
        if eqn.primitive.name == "pallas_call":
            continue
        for param in eqn.params.values():
            for item in param if isinstance(param, tuple | list) else (param,):
                if isinstance(item, core.ClosedJaxpr):
                    yield from _equations(item.jaxpr)
                elif isinstance(item, core.Jaxpr):
                    yield from _equations(item)


def examples(repository):
    """Name, function and arguments of every example."""
    for path in sorted(pathlib.Path(repository, "examples").glob("*.py")):
        example = load_example(str(path), None)
        yield example.name, example.function, example.args


def mesh_requests(function, *args):
    """The request of every `mpmd_map` that `function` makes, which is what kernels over a mesh become."""
    closed = jax.make_jaxpr(function)(*args)
    return [
        jax_lowering.request_of_mpmd_map([v.aval for v in eqn.invars], eqn.params)
        for eqn in _equations(closed.jaxpr)
        if eqn.primitive.name == "mpmd_map"
    ]

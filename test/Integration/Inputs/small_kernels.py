# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small kernels by name, and what comes of them as kernels for a TPU."""

import contextlib

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.cpu import CpuOptions
from gridir.frontend.targets.tpu_report import compile_candidates, kernels_of
from gridir.testing import difference, interpreted, mosaic_interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

THROUGH_TPU = CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu", platform="tpu")
SMEM = pl.BlockSpec(memory_space=pltpu.SMEM)
cases = {}


def values(shape, dtype="float32"):
    numbers = np.random.default_rng(0).uniform(-3, 3, shape)
    if jnp.dtype(dtype) == jnp.bool_:
        return jnp.asarray(numbers > 0)
    if jnp.dtype(dtype).kind == "u":
        return jnp.asarray(np.abs(7 * numbers)).astype(dtype)
    return jnp.asarray(numbers if jnp.issubdtype(dtype, jnp.floating) else 7 * numbers).astype(dtype)


def add(name, kernel, args, out, **options):
    """A call that is made when it is traced, so that each run may choose who lowers it."""
    options |= {"out_shape": out, "name": "".join(filter(str.isalnum, name))}
    cases[name] = lambda *arrays: pl.pallas_call(kernel, **options)(*arrays), args


def case(name, function, *args):
    """A kernel that stores a function of what its operands hold."""
    out = jax.eval_shape(function, *args)

    def kernel(*refs):
        refs[-1][...] = function(*(ref[...] for ref in refs[:-1]))

    add(name, kernel, args, out)


def with_number(name, function, number, x):
    """A kernel with a number in SMEM beside an array."""

    def kernel(number_ref, x_ref, o_ref):
        o_ref[...] = function(number_ref[0], x_ref[...])

    out = jax.eval_shape(function, number, x)
    add(name, kernel, (jnp.asarray([number], jnp.int32), x), out, in_specs=[SMEM, pl.BlockSpec()])


def like(x, value):
    return jnp.broadcast_to(value, x.shape)


def check(otherwise_on_cpu=()):
    """Prints for which kernels libtpu refuses the module, or the module does not give what interpret mode gives.

    What the frontend takes apart in another way for a CPU is executed by the reference interpreter.
    """
    kernels, owners, problems = [], [], []
    with pl.enable_debug_checks() if hasattr(pl, "enable_debug_checks") else contextlib.nullcontext():
        for name, (function, args) in cases.items():
            for kernel in kernels_of(gridir.lower(function, *args, target="tpu")):
                kernels.append(kernel)
                owners.append(name)
            try:
                if name in otherwise_on_cpu:
                    with mosaic_interpreted():
                        got = jax.jit(function)(*args)
                else:
                    got = gridir.lower(function, *args, target="cpu", options=THROUGH_TPU).compile()(*args)
            except gridir.Error as error:
                problems.append(f"{name}: {error}")
                continue
            with interpreted():
                problem = difference(got, jax.jit(function)(*args))
            if problem:
                problems.append(f"{name}: {problem}")
    with gridir.tpu.Workers("v5e:2x2", timeout=90) as workers:
        reports = compile_candidates(kernels, workers).kernels
    problems += [f"{name}: {kernel.error}" for name, kernel in zip(owners, reports, strict=True) if not kernel.accepted]
    print("\n".join(problems))
    print(f"{len(kernels)} kernels, {len(problems)} problems")

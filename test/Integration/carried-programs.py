# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s --first 0 --count 24 | FileCheck %s
"""Random loops and branches that hand arrays on, as native code and in NumPy.

A program is a list of statements, plain data made from a seed, over three arrays and two Refs. Loops carry the arrays
and permute them, branches change some of them, and rows are read and replaced at positions that are data. A longer run
is `python test/Integration/carried-programs.py --first 0 --count 1000`, and `--target gpu:sm_90a` runs PTX.
"""

import argparse
import random
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ROWS, COLUMNS, PROGRAMS = 8, 32, 2
KINDS = ("combine", "combine", "swap", "roll", "row", "insert", "load", "store", "row of", "into", "loop", "loop")
NESTED = ("loop", "while", "branch")
# Bufferization rejected these programs.
KNOWN = (57, 151, 221, 243, 631, 772)
COMBINE = {
    "add": lambda m, a, b, s: a + b,
    "subtract": lambda m, a, b, s: a - b,
    "maximum": lambda m, a, b, s: m.maximum(a, b),
    "choose": lambda m, a, b, s: m.where(a > b, a, b - a),
    "flip": lambda m, a, b, s: a[::-1],
    "count": lambda m, a, b, s: (a + s).astype(a.dtype),
}


def make_statements(r: random.Random, depth: int, scalars: int) -> list[tuple]:
    """Statements in which the first `scalars` numbers are known."""
    found: list[tuple] = []
    for _ in range(r.randint(2, 4)):
        kind = r.choice((*KINDS, "branch", "while"))
        if kind in NESTED and depth == 3:
            continue
        d, a, b, s, ref = r.randrange(3), r.randrange(3), r.randrange(3), r.randrange(scalars), r.randrange(2)
        if kind == "branch":
            found.append((kind, s, *(make_statements(r, depth + 1, scalars) for _ in range(2))))
        elif kind in NESTED:
            order = r.sample(range(3), 3) if r.random() < 0.5 else [0, 1, 2]
            found.append((kind, s, r.choice((None, 2, 3)), make_statements(r, depth + 1, scalars + 1), order))
        else:
            found.append((kind, d, a, b, s, ref, r.choice(list(COMBINE)), r.randint(1, ROWS - 1)))
    return found


def run(m: Any, statements: list[tuple], arrays: tuple, refs: tuple, scalars: list) -> tuple:
    """What the statements make of the arrays, with `m` for NumPy or JAX."""
    is_numpy = m is np
    for kind, *rest in statements:
        if kind == "branch":
            s, yes, no = rest
            if is_numpy:
                arrays = run(m, yes if scalars[s] % 2 == 0 else no, arrays, refs, scalars)
            else:
                sides = [lambda *xs, side=side: run(m, side, xs, refs, scalars) for side in (yes, no)]
                arrays = lax.cond(scalars[s] % 2 == 0, *sides, *arrays)
            continue
        if kind in NESTED:
            s, fixed, body, order = rest
            trips = scalars[s] % 3 if fixed is None else fixed

            def step(i, xs, body=body, order=order):
                xs = run(m, body, xs, refs, [*scalars, i])
                return tuple(xs[k] for k in order)

            if is_numpy:
                for i in range(trips):
                    arrays = step(i, arrays)
            elif kind == "loop":
                arrays = lax.fori_loop(0, trips, step, arrays)
            else:
                # The last element of what is carried is the number of trips.
                carried = (jnp.int32(0), arrays, jnp.int32(trips))
                arrays = lax.while_loop(
                    lambda c: c[0] < c[2], lambda c, step=step: (c[0] + 1, step(c[0], c[1]), c[2]), carried
                )[1]
            continue
        d, a, b, s, ref, combine, shift = rest
        x, y, at = arrays[a], arrays[b], scalars[s] % ROWS
        new = None
        rows = slice(at, at + 1) if is_numpy else pl.ds(at, 1)
        if kind == "combine":
            new = COMBINE[combine](m, x, y, scalars[s])
        elif kind == "swap":
            new, arrays = x, tuple(arrays[d] if k == a else v for k, v in enumerate(arrays))
        elif kind == "roll":
            new = m.concatenate([x[shift:], y[:shift]], 0)
        elif kind == "row":
            new = m.broadcast_to(x[rows] if is_numpy else lax.dynamic_slice(x, (at, 0), (1, COLUMNS)), x.shape)
        elif kind == "insert":
            new = np.where(np.arange(ROWS)[:, None] == at, y[:1], x) if is_numpy else x.at[at].set(y[0])
        elif kind == "load":
            new = refs[ref][...].copy()
        elif kind == "row of":
            new = m.broadcast_to(refs[ref][rows].copy(), x.shape)
        elif kind == "store":
            refs[ref][...] = x
        else:
            refs[ref][rows] = x[1:2]
        if new is not None:
            arrays = tuple(new if k == d else v for k, v in enumerate(arrays))
    return arrays


def problem(seed: int) -> str | None:
    """What is wrong with the kernel of a seed; None if nothing is."""
    r = random.Random(seed)
    dtype = r.choice(("int32", "int32", "int16", "int8", "float32"))
    statements = make_statements(r, 0, 2)
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 7, PROGRAMS).astype(np.int32)
    inputs = [rng.integers(-4, 5, (PROGRAMS * ROWS, COLUMNS)).astype(dtype) for _ in range(2)]

    def kernel(numbers_ref, x_ref, y_ref, o_ref, t_ref):
        p = pl.program_id(0)
        x, y = x_ref[...], y_ref[...]
        o_ref[...], t_ref[...] = y, x
        x, y, z = run(jnp, statements, (x, y, x), (o_ref, t_ref), [p, numbers_ref[p]])
        o_ref[...] = o_ref[...] + x + y + z + t_ref[...]

    def expected(p: int) -> np.ndarray:
        x, y = (array[p * ROWS : (p + 1) * ROWS] for array in inputs)
        o, t = y.copy(), x.copy()
        a, b, c = run(np, statements, (x, y, x), (o, t), [p, int(numbers[p])])
        return o + a + b + c + t

    rows = pl.BlockSpec((ROWS, COLUMNS), lambda i, _: (i, 0))
    grid_spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(PROGRAMS,),
        in_specs=[rows, rows],
        out_specs=rows,
        scratch_shapes=[pltpu.VMEM((ROWS, COLUMNS), dtype)],
    )
    call = pl.pallas_call(kernel, grid_spec=grid_spec, out_shape=jax.typeof(inputs[0]))
    try:
        got = np.asarray(jax.jit(call)(numbers, *inputs))
    except (gridir.Error, jax.errors.JaxRuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    with np.errstate(over="ignore"):
        want = np.concatenate([expected(p) for p in range(PROGRAMS)])
    # Sums of small integers are exact in float32, unless a loop doubles them too often.
    if np.allclose(got, want, rtol=1e-5, equal_nan=True) if dtype == "float32" else np.array_equal(got, want):
        return None
    return f"{int((got != want).sum())} of {got.size} elements differ"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--target", default="cpu")
    options = parser.parse_args()
    failed = 0
    with gridir.installed(emulate=None if options.target == "cpu" else options.target):
        for seed in (*range(options.first, options.first + options.count), *KNOWN):
            if message := problem(seed):
                failed += 1
                print(f"seed {seed}: {message}", flush=True)
    print(f"{options.count + len(KNOWN)} programs, {failed} failed")


# CHECK: 30 programs, 0 failed
if __name__ == "__main__":
    main()

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s | FileCheck %s
"""Every kernel gives the same bits on any number of threads, and again and again; nothing in it races.

The kernels are the examples, those that JAX has for TPUs with their gradients, the random ones of `differential.py`
with all dimensions called parallel, and some whose claims are wrong. A process for each number of threads runs each
kernel some times. The one of one thread runs the kernels with right claims again under `checks=["races"]`, with a
schedule for each seed, and once under the other checks: no check may find what is not there. The full run is
`python test/Integration/orders.py --threads 1 2 8 --repetitions 50 --seeds 3`.
"""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.cli.example import load_example
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "Inputs")]

import differential
import jax_ops

# Calls with fewer bytes run on one thread.
BYTES_WORTH_THREADS = 8 << 10
RANDOM_SEEDS = 40


def example_calls() -> Iterator[jax_ops.Call]:
    for path in sorted((HERE.parents[1] / "examples").glob("*.py")):
        example = load_example(str(path), None)
        yield f"example, {path.stem}", example.function, example.args


def random_calls() -> Iterator[jax_ops.Call]:
    """The random kernels that are large enough, with claims that are right for some of their dimensions."""
    for seed in range(RANDOM_SEEDS):
        recipe = differential.make_recipe(seed)
        size = np.prod(recipe.shape) * jnp.dtype(recipe.dtype).itemsize * (recipe.num_inputs + 1)
        if size > BYTES_WORTH_THREADS:
            call, arrays = differential.build(recipe, semantics=("parallel",) * len(recipe.grid))
            yield f"random, {seed}", call, tuple(arrays)


# Claims that are wrong, or right for reasons that only the call knows -------------------------------------------

ROWS, LANES = 64, 128
X = np.random.RandomState(0).randn(ROWS, LANES).astype(np.float32)


def claimed(kernel: Callable[..., None], grid: tuple[int, ...], in_map: Any, out_map: Any, **options: Any) -> Any:
    """A call with blocks of 8 rows, all of whose dimensions are called parallel."""
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((ROWS, LANES), jnp.float32),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=options.pop("num_scalar_prefetch", 0),
            grid=grid,
            in_specs=[pl.BlockSpec((8, LANES), in_map)],
            out_specs=pl.BlockSpec((8, LANES), out_map),
            scratch_shapes=[pltpu.VMEM((8, LANES), jnp.float32)],
        ),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",) * len(grid)),
        **options,
    )


def work(x: Any) -> Any:
    """Something that takes a while, so that threads meet."""
    return jax.lax.fori_loop(0, 8, lambda _, y: jnp.sin(y) + 0.5, x)


def wrong_calls() -> Iterator[jax_ops.Call]:
    x = jnp.asarray(X)
    rows = jnp.asarray(np.random.RandomState(0).randint(0, 2, 32), jnp.int32)

    def scatter(rows_ref, x_ref, o_ref, _):
        o_ref[...] = work(x_ref[...])

    # All rows are written, each by one program or by two.
    permuted = jnp.asarray(np.random.RandomState(0).permutation(8), jnp.int32)
    colliding = jnp.concatenate([permuted, permuted[::-1]])

    def by_rows(rows_of_programs, aliases):
        return claimed(
            scatter,
            rows_of_programs.shape,
            lambda i, rows: (i % 8, 0),
            lambda i, rows: (rows[i], 0),
            num_scalar_prefetch=1,
            input_output_aliases=aliases,
        )

    yield "claim, rows instead of others", by_rows(rows, {1: 0}), (rows, x)
    yield "claim, rows that differ", by_rows(permuted, {}), (permuted, x)
    yield "claim, rows that collide", by_rows(colliding, {}), (colliding, x)

    for name, table in (("differ", permuted), ("collide", colliding)):
        in_place = claimed(
            scatter,
            table.shape,
            lambda i, rows: (rows[i], 0),
            lambda i, rows: (rows[i], 0),
            num_scalar_prefetch=1,
            input_output_aliases={1: 0},
        )
        yield f"claim, rows in place that {name}", in_place, (table, x)

    def add(rows_ref, x_ref, o_ref, t_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            t_ref[...] = jnp.zeros_like(t_ref)

        t_ref[...] += work(x_ref[...])
        o_ref[...] = t_ref[...]

    for name, table in (("differ", permuted), ("collide", colliding)):
        sums = pl.pallas_call(
            add,
            out_shape=jax.ShapeDtypeStruct((ROWS, LANES), jnp.float32),
            grid_spec=pltpu.PrefetchScalarGridSpec(
                num_scalar_prefetch=1,
                grid=(len(table), 3),
                in_specs=[pl.BlockSpec((8, LANES), lambda i, k, rows: ((i + k) % 8, 0))],
                out_specs=pl.BlockSpec((8, LANES), lambda i, k, rows: (rows[i], 0)),
                scratch_shapes=[pltpu.VMEM((8, LANES), jnp.float32)],
            ),
            compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary")),
        )
        yield f"claim, sums in rows that {name}", sums, (table, x)

    def accumulate(x_ref, o_ref, _):
        @pl.when(pl.program_id(1) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += work(x_ref[...])

    whole = claimed(accumulate, (8, 8), lambda i, k: (k, 0), lambda i, k: (i, 0))
    yield "claim, sum over a parallel dimension", whole, (x,)

    def carry(x_ref, o_ref, t_ref):
        @pl.when(jnp.sum(x_ref[...]) > -1e30)
        def _():
            o_ref[...] = t_ref[...]

        t_ref[...] = work(x_ref[...])

    yield "claim, carried scratch", carried_from_zero(carry), (x,)

    def shift(x_ref, o_ref, _):
        o_ref[...] = work(x_ref[...])

    moved = claimed(shift, (7,), lambda i: (i + 1, 0), lambda i: (i, 0), input_output_aliases={0: 0})
    yield "claim, shifted in place", moved, (x,)


def carried_from_zero(kernel: Callable[..., None]) -> Any:
    """The call of a kernel whose first program fills scratch before it looks at it."""

    def begun(x_ref, o_ref, t_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            t_ref[...] = jnp.zeros_like(t_ref)

        kernel(x_ref, o_ref, t_ref)

    return claimed(begun, (8,), lambda i: (i, 0), lambda i: (i, 0))


def window_calls() -> Iterator[jax_ops.Call]:
    """An output that is one window for all programs, as the running sums of splash attention are."""

    def kernel(x_ref, sum_ref, o_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            sum_ref[...] = jnp.zeros_like(sum_ref)

        sum_ref[...] += work(x_ref[...])
        o_ref[...] = sum_ref[...]

    call = pl.pallas_call(
        kernel,
        out_shape=[jax.ShapeDtypeStruct((8, LANES), jnp.float32), jax.ShapeDtypeStruct((ROWS, LANES), jnp.float32)],
        grid=(8, 8),
        in_specs=[pl.BlockSpec((8, LANES), lambda i, k: ((i + k) % 8, 0))],
        out_specs=[pl.BlockSpec((8, LANES), lambda i, k: (0, 0)), pl.BlockSpec((8, LANES), lambda i, k: (i, 0))],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary")),
    )
    yield "one window for all", call, (jnp.asarray(X),)

    # The last block begins earlier, in the columns of the block before; the sums are computed where they are stored.
    def sums(x_ref, o_ref):
        o_ref[...] = jnp.sum(x_ref[...], axis=0)

    columns = 1024 * 3 + 1
    call = pl.pallas_call(
        sums,
        out_shape=jax.ShapeDtypeStruct((columns,), jnp.float32),
        grid=(4,),
        in_specs=[pl.BlockSpec((ROWS, 1024), lambda i: (0, i))],
        out_specs=pl.BlockSpec((1024,), lambda i: (i,)),
    )
    yield "columns of two programs", call, (jax_ops.normal(0, ROWS, columns),)


# Processes -------------------------------------------------------------------------------------------------------


def digest(result: Any) -> str:
    found = hashlib.sha256()
    for leaf in jax.tree.leaves(result):
        found.update(np.asarray(leaf).tobytes())
    return found.hexdigest()


def right_calls() -> Iterator[jax_ops.Call]:
    yield from window_calls()
    yield from jax_ops.calls()
    yield from example_calls()


def outcomes(function: Callable[..., Any], args: tuple[Any, ...], repetitions: int) -> list[str]:
    """The different results of so many calls; an error is one, too."""
    try:
        compiled = jax.jit(function)
        return sorted({digest(compiled(*args)) for _ in range(repetitions)})
    except (gridir.Error, jax.errors.JaxRuntimeError) as error:
        return [f"error: {error}"]


def run(repetitions: int, seeds: int) -> Iterator[tuple[str, list[str]]]:
    """The name of each kernel, and what it gave on the threads of this process."""
    with gridir.installed():
        for name, function, args in (*right_calls(), *wrong_calls(), *random_calls()):
            yield name, outcomes(function, args, repetitions)
    for seed in range(seeds):
        with gridir.installed(checks=["races"], schedule_seed=seed):
            # Recording prevents the fusion of ops, so that bits may differ from those without checks.
            for name, function, args in right_calls():
                yield f"{name}, looking for races", outcomes(function, args, 1)
    if seeds:
        with gridir.installed(checks=["uninitialized", "semaphores"]):
            for name, function, args in right_calls():
                yield f"{name}, looking for what is not written", outcomes(function, args, 1)


def main() -> int:
    """Compares the results of one process for each number of threads."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 8], help="the numbers of threads")
    parser.add_argument("--repetitions", type=int, default=4, help="how often each process runs each kernel")
    parser.add_argument("--seeds", type=int, default=1, help="how many schedules to look for races in")
    parser.add_argument("--child", action="store_true", help="run the kernels in this process")
    options = parser.parse_args()
    if options.child:
        for name, found in run(options.repetitions, options.seeds):
            print(json.dumps([name, found]), flush=True)
        return 0

    results: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory() as cache:
        for threads in options.threads:
            seeds = options.seeds if threads == options.threads[0] else 0
            command = [sys.executable, __file__, "--child", "--seeds", str(seeds)]
            child = subprocess.run(
                [*command, "--repetitions", str(options.repetitions)],
                # XLA reads the number of threads from PJRT_NPROC.
                env={**os.environ, "PJRT_NPROC": str(threads), "GRIDIR_CACHE_DIR": cache},
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            for line in child.stdout.splitlines():
                name, digests = json.loads(line)
                results.setdefault(name, set()).update(digests)
    same = 0
    for name, digests in results.items():
        errors = [found for found in digests if found.startswith("error")]
        if len(digests) == 1 and not errors:
            same += 1
        else:
            print(f"{name}: {len(digests)} results", *errors)
    print(f"{same} of {len(results)} kernels give the same bits on {options.threads} threads")
    return 0 if same == len(results) else 1


# CHECK-NOT: results
# CHECK: kernels give the same bits on [1, 8] threads

if __name__ == "__main__":
    sys.exit(main())

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many configurations per second the estimate tier of `gridir tune` ranks, in CPU time of one process.

    python benchmarks/tuning_rates.py                  # every kernel
    python benchmarks/tuning_rates.py softmax --profile   # with the functions that take the most time

The kernels differ in kind: products with three and four parameters, a scan whose state stays in VMEM, rows without
products. A space is ranked once before it is timed, so that nothing is imported or allocated for the first time.
"""

from __future__ import annotations

import argparse
import cProfile
import dataclasses
import functools
import pstats
import sys
import time
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
from gridir.tuning import traced, tune
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


@dataclasses.dataclass(frozen=True)
class Case:
    """A function with a space.

    Attributes:
      function: the function.
      args: its arguments.
      space: the values of its parameters.
    """

    function: Callable[..., Any]
    args: tuple[jax.ShapeDtypeStruct, ...]
    space: dict[str, list[int]]


def _array(*shape: int, dtype: Any = jnp.bfloat16) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def _product_kernel(x_ref: Any, y_ref: Any, bias_ref: Any, o_ref: Any, acc_ref: Any) -> None:
    @pl.when(pl.program_id(2) == 0)
    def _() -> None:
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _() -> None:
        o_ref[...] = jnp.maximum(acc_ref[...] + bias_ref[...], 0).astype(o_ref.dtype)


def product(x: Any, y: Any, bias: Any, *, bm: int, bn: int, bk: int) -> Any:
    """A product with a bias."""
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        _product_kernel,
        grid=(pl.cdiv(m, bm), pl.cdiv(n, bn), pl.cdiv(k, bk)),
        in_specs=[
            pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)),
            pl.BlockSpec((bk, bn), lambda i, j, k: (k, j)),
            pl.BlockSpec((1, bn), lambda i, j, k: (0, j)),
        ],
        out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
    )(x, y, bias)


def _band_kernel(x_ref: Any, y_ref: Any, o_ref: Any, acc_ref: Any, *, bm: int, bk: int, width: int) -> None:
    i, k = pl.program_id(0), pl.program_id(2)

    @pl.when(k == 0)
    def _() -> None:
        acc_ref[...] = jnp.zeros_like(acc_ref)

    @pl.when((k * bk < (i + 1) * bm + width) & ((k + 1) * bk + width > i * bm))
    def _() -> None:
        acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    @pl.when(k == pl.num_programs(2) - 1)
    def _() -> None:
        o_ref[...] = acc_ref[...].astype(o_ref.dtype)


def banded(x: Any, y: Any, *, bm: int, bn: int, bk: int, width: int) -> Any:
    """A product of a matrix that is zero off a band around its diagonal."""
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        functools.partial(_band_kernel, bm=bm, bk=bk, width=width),
        grid=(pl.cdiv(m, bm), pl.cdiv(n, bn), pl.cdiv(k, bk)),
        in_specs=[pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)), pl.BlockSpec((bk, bn), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
    )(x, y)


def _scan_kernel(a_ref: Any, x_ref: Any, o_ref: Any, state_ref: Any, *, rows: int) -> None:
    @pl.when(pl.program_id(1) == 0)
    def _() -> None:
        state_ref[...] = jnp.zeros_like(state_ref)

    def body(t: Any, state: Any) -> Any:
        state = a_ref[pl.ds(t, 1), :] * state + x_ref[pl.ds(t, 1), :]
        o_ref[pl.ds(t, 1), :] = state
        return state

    state_ref[...] = jax.lax.fori_loop(0, rows, body, state_ref[...])


def scan(a: Any, x: Any, *, rows: int, columns: int) -> Any:
    """A linear recurrence over time, whose state stays in VMEM."""
    block = pl.BlockSpec((rows, columns), lambda j, i: (i, j))
    return pl.pallas_call(
        functools.partial(_scan_kernel, rows=rows),
        grid=(pl.cdiv(x.shape[1], columns), pl.cdiv(x.shape[0], rows)),
        in_specs=[block, block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        scratch_shapes=[pltpu.VMEM((1, columns), jnp.float32)],
    )(a, x)


def _softmax_kernel(x_ref: Any, o_ref: Any, *, inner: int) -> None:
    def body(i: Any, carry: Any) -> Any:
        rows = pl.ds(i * inner, inner)
        x = x_ref[rows, :].astype(jnp.float32)
        e = jnp.exp(x - x.max(axis=-1, keepdims=True))
        o_ref[rows, :] = (e / e.sum(axis=-1, keepdims=True)).astype(o_ref.dtype)
        return carry

    jax.lax.fori_loop(0, x_ref.shape[0] // inner, body, 0)


def softmax(x: Any, *, rows: int, inner: int) -> Any:
    """A softmax of rows, in parts of some rows."""
    if rows % inner:
        raise ValueError("parts do not divide a block")
    block = pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0))
    return pl.pallas_call(
        functools.partial(_softmax_kernel, inner=inner),
        grid=(pl.cdiv(x.shape[0], rows),),
        in_specs=[block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    )(x)


def _multiples(of: int, count: int) -> list[int]:
    return [of * i for i in range(1, count + 1)]


CASES = {
    "product": Case(
        product,
        (_array(4096, 4096), _array(4096, 4096), _array(1, 4096)),
        {"bm": _multiples(128, 20), "bn": _multiples(128, 20), "bk": _multiples(128, 20)},
    ),
    "large product": Case(
        product,
        (_array(4096, 4096), _array(4096, 4096), _array(1, 4096)),
        {"bm": _multiples(64, 40), "bn": _multiples(128, 32), "bk": _multiples(128, 32)},
    ),
    "banded": Case(
        banded,
        (_array(8192, 8192), _array(8192, 2048)),
        {"bm": _multiples(256, 16), "bn": _multiples(128, 16), "bk": _multiples(256, 16), "width": [0, 1024]},
    ),
    "scan": Case(
        scan,
        (_array(8192, 8192, dtype=jnp.float32),) * 2,
        {"rows": _multiples(8, 64), "columns": _multiples(128, 64)},
    ),
    "softmax": Case(softmax, (_array(16384, 2048),), {"rows": _multiples(16, 63), "inner": _multiples(16, 19)}),
}


def measure(case: Case) -> tuple[int, int, float, float]:
    """Returns the configurations, the traced ones, and CPU seconds of all and of the traces."""
    traces, spent = 0, 0.0
    inner, refuse = traced.trace, traced.refusals

    def timed(call: Callable[..., Any], counts: int) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            nonlocal traces, spent
            start = time.process_time()
            try:
                return call(*args)
            finally:
                spent += time.process_time() - start
                traces += counts

        return run

    tune.trace, tune.refusals = timed(inner, 1), timed(refuse, 0)
    start = time.process_time()
    try:
        result = rank(case)
    finally:
        tune.trace, tune.refusals = inner, refuse
    return len(result.ranking), traces, time.process_time() - start, spent


def rank(case: Case) -> gridir.TuningResult:
    """Ranks the configurations of a case."""
    return gridir.tune(case.function, *case.args, space=case.space, tier="estimate", check=False, cache=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="case", help=f"of {', '.join(CASES)}; all without it")
    parser.add_argument("--profile", action="store_true", help="print the functions that take the most time")
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"expected cases of {', '.join(CASES)}, got {', '.join(sorted(unknown))}")
    print("| kernel | configurations | traced | per second | without the time of traces |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in arguments.cases or CASES:
        case = CASES[name]
        rank(case)
        count, traces, total, tracing = measure(case)
        print(f"| {name} | {count} | {traces} | {count / total:,.0f} | {count / (total - tracing):,.0f} |", flush=True)
        if arguments.profile:
            with cProfile.Profile() as profile:
                rank(case)
            pstats.Stats(profile).sort_stats("cumulative").print_stats(45)
            pstats.Stats(profile).sort_stats("tottime").print_stats(45)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The best block sizes that `gridir tune` finds on the CPU, against an exhaustive search of the same space.

    python benchmarks/tuning_cpu.py                  # ten kernels
    python benchmarks/tuning_cpu.py softmax stencil  # two of them

All configurations of a space take turns in one run. `gridir tune` measures 16 of them, which the estimate tier chooses:
the best ones of each size of blocks. The best of these is compared with the best of all, by their medians.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
from gridir.runtime.chip_constants import load_chip
from gridir.tuning.cache import Cache
from gridir.tuning.cpu import CpuBackend
from jax.experimental import pallas as pl

_TOP = 16


def rowwise(body: Callable[[Any], Any], x: Any, *, rows: int, columns: int | None = None) -> Any:
    """Computes blocks of rows by themselves."""

    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = body(x_ref[...])

    block = pl.BlockSpec((rows, columns or x.shape[1]), lambda i, j: (i, j))
    grid = (pl.cdiv(x.shape[0], rows), pl.cdiv(x.shape[1], columns or x.shape[1]))
    return pl.pallas_call(kernel, grid=grid, in_specs=[block], out_specs=block, out_shape=x)(x)


def softmax(x: Any) -> Any:
    exponents = jnp.exp(x - x.max(1, keepdims=True))
    return exponents / exponents.sum(1, keepdims=True)


def normalized(x: Any) -> Any:
    return x * jax.lax.rsqrt(jnp.mean(x * x, 1, keepdims=True) + 1e-6)


def matmul(x: Any, y: Any, *, rows: int, columns: int, depth: int) -> Any:
    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        @pl.when(pl.program_id(2) == 0)
        def _() -> None:
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...] @ y_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // rows, y.shape[1] // columns, x.shape[1] // depth),
        in_specs=[
            pl.BlockSpec((rows, depth), lambda i, j, k: (i, k)),
            pl.BlockSpec((depth, columns), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((rows, columns), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype),
    )(x, y)


def stencil(x: Any, *, rows: int, columns: int) -> Any:
    def kernel(up_ref: Any, x_ref: Any, o_ref: Any) -> None:
        x = x_ref[...]
        o_ref[...] = 0.5 * x + 0.5 * jnp.concatenate([up_ref[-1:], x[:-1]])

    block = pl.BlockSpec((rows, columns), lambda i, j: (i, j))
    above = pl.BlockSpec((rows, columns), lambda i, j: (jnp.maximum(i - 1, 0), j))
    grid = (x.shape[0] // rows, x.shape[1] // columns)
    return pl.pallas_call(kernel, grid=grid, in_specs=[above, block], out_specs=block, out_shape=x)(x, x)


def total(x: Any, *, rows: int, columns: int) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        @pl.when(pl.program_id(1) == 0)
        def _() -> None:
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...].sum(0, keepdims=True)

    return pl.pallas_call(
        kernel,
        grid=(x.shape[1] // columns, x.shape[0] // rows),
        in_specs=[pl.BlockSpec((rows, columns), lambda j, i: (i, j))],
        out_specs=pl.BlockSpec((1, columns), lambda j, i: (0, j)),
        out_shape=jax.ShapeDtypeStruct((1, x.shape[1]), x.dtype),
    )(x)


def transposed(x: Any, *, rows: int, columns: int) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...].T

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // rows, x.shape[1] // columns),
        in_specs=[pl.BlockSpec((rows, columns), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((columns, rows), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct(x.shape[::-1], x.dtype),
    )(x)


_ROWS = [8, 16, 32, 64, 128, 256, 512, 1024]
_GRID = {"rows": [8, 32, 64, 128, 256, 512], "columns": [64, 128, 256, 512, 1024]}
_PRODUCT = {"rows": [32, 64, 128, 256], "columns": [64, 128, 256], "depth": [64, 128, 256]}
_MANY = {"rows": [*_ROWS, *(24, 48, 96, 192, 384, 768), *(4, 12, 20, 40, 80, 160, 320, 640)]}


def _x(rows: int = 1024, columns: int = 1024) -> Any:
    return jnp.ones((rows, columns), jnp.float32)


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, list[int]]]] = {
    "scale": (functools.partial(rowwise, lambda x: x * 2 + 1), (_x(),), _GRID),
    "gelu": (functools.partial(rowwise, jax.nn.gelu), (_x(),), _GRID),
    "exp": (functools.partial(rowwise, jnp.exp), (_x(),), _GRID),
    "softmax": (functools.partial(rowwise, softmax), (_x(),), _MANY),
    "normalized": (functools.partial(rowwise, normalized), (_x(),), _MANY),
    "matmul": (matmul, (_x(256, 256), _x(256, 256)), _PRODUCT),
    "tall matmul": (matmul, (_x(1024, 256), _x(256, 256)), _PRODUCT),
    "stencil": (stencil, (_x(),), _GRID),
    "total": (total, (_x(),), _GRID),
    "transposed": (transposed, (_x(),), _GRID),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="the kernels; all of them without it")
    arguments = parser.parse_args()
    backend = CpuBackend(load_chip("cpu"), Cache(None))
    print("| kernel | configurations | found us | best us | found / best | found | best |")
    print("| --- | ---: | ---: | ---: | ---: | --- | --- |")
    for name in arguments.names or CASES:
        function, args, space = CASES[name]
        options: dict[str, Any] = {"space": space, "target": "cpu", "check": False, "cache": False}
        result = gridir.tune(function, *args, top=10_000, tier="measure", **options)
        legal = [entry for entry in result.ranking if entry.seconds is not None and entry.tier == "measure"]
        estimated = sorted(legal, key=lambda entry: entry.outcomes["estimate"].seconds or 0.0)
        order = backend.measured_order([entry.outcomes["estimate"] for entry in estimated])
        first = [estimated[place] for place in order[:_TOP]]
        found, best = min(first, key=lambda entry: entry.seconds or 0.0), legal[0]
        ratio = (found.seconds or 0.0) / (best.seconds or 1.0)
        times = [f"{(entry.seconds or 0.0) * 1e6:.1f}" for entry in (found, best)]
        values = [",".join(map(str, entry.config.values())) for entry in (found, best)]
        print(f"| {' | '.join([name, str(len(legal)), *times, f'{ratio:.2f}', *values])} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

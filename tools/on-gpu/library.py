# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times JAX's library kernels on a GPU: by gridir, by JAX's own compiler for GPUs, and as XLA's own program.

    python tools/on-gpu/library.py --out library.json

Needs JAX for CUDA and gridir. The ways take turns, so that the temperature of the chip is the same for all; the figures
are medians, and the ratios medians of the ratios of a turn.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.frontend.capture.install import jax_alone
from jax.experimental import pallas as pl
from jax.experimental.pallas.ops.gpu import attention_mgpu, hopper_matmul_mgpu, ragged_dot_mgpu

D = hopper_matmul_mgpu.MatmulDimension


@dataclasses.dataclass(frozen=True)
class Case:
    """A kernel with operands.

    Attributes:
      name: the kernel and its sizes.
      function: calls the kernel.
      args: gives the operands.
      reference: XLA's program for the same result; None for none.
      work: floating-point operations of a call, or bytes that it reads and writes where `is_memory_bound`.
      is_memory_bound: true if the memory limits the kernel.
      tolerance: how far results may be from the reference's, relative to the largest.
    """

    name: str
    function: Callable[..., Any]
    args: Callable[[], tuple[Any, ...]]
    reference: Callable[..., Any] | None
    work: float
    is_memory_bound: bool = False
    tolerance: float = 1e-2


def _normal(shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    return (jax.random.normal(jax.random.key(seed), shape, jnp.float32) * 0.5).astype(dtype)


def _matmul(m: int, n: int, k: int, *, minor: Any = D.M, split: Any = D.M) -> Case:
    config = hopper_matmul_mgpu.TuningConfig(
        tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4, grid_tile_width=8, grid_minor_dim=minor,
        wg_dimension=split, cluster_dimension=None,
    )  # fmt: skip
    return Case(
        f"hopper_matmul {m}x{n}x{k} bf16",
        lambda a, b: hopper_matmul_mgpu.matmul(a, b, None, config),
        lambda: (_normal((m, k), jnp.bfloat16, 0), _normal((k, n), jnp.bfloat16, 1)),
        lambda a, b: a @ b,
        2.0 * m * n * k,
    )


def _attention(d: int, block_q: int, block_kv: int, *, causal: bool) -> Case:
    tokens, heads = 16384, {64: 32, 128: 16, 256: 8}[d]
    config = attention_mgpu.TuningConfig(block_q=block_q, block_kv=block_kv, max_concurrent_steps=2, causal=causal)
    return Case(
        f"attention {tokens} tokens d {d} {'causal' if causal else 'full'} f16",
        lambda q, k, v: attention_mgpu.attention(q, k, v, config),
        lambda: tuple(_normal((1, tokens, heads, d), jnp.float16, seed) for seed in range(3)),
        None,
        4.0 * heads * tokens * tokens * d / (2 if causal else 1),
    )


def _ragged(m: int, k: int, n: int, groups: int) -> Case:
    def sizes() -> Any:
        cuts = np.sort(np.random.default_rng(0).integers(0, m, groups - 1))
        return jnp.asarray(np.diff([0, *cuts, m]), jnp.int32)

    return Case(
        f"ragged_dot {m}x{k}x{n} {groups} groups f16",
        lambda a, b, s: ragged_dot_mgpu.ragged_dot(
            a, b, group_sizes=s, block_m=64, block_n=128, block_k=64, max_concurrent_steps=4, grid_block_n=2
        ),
        lambda: (_normal((m, k), jnp.float16, 0), _normal((groups, k, n), jnp.float16, 1), sizes()),
        lambda a, b, s: jax.lax.ragged_dot(a, b, s),
        2.0 * m * k * n,
    )


def _rows(name: str, body: Callable[[Any], Any], rows: int, columns: int) -> Case:
    def kernel(x_ref, o_ref):
        o_ref[...] = body(x_ref[...])

    spec = pl.BlockSpec((1, columns), lambda i: (i, 0))
    call = pl.pallas_call(
        kernel, grid=(rows,), in_specs=[spec], out_specs=spec,
        out_shape=jax.ShapeDtypeStruct((rows, columns), jnp.float32),
    )  # fmt: skip
    args = lambda: (_normal((rows, columns), jnp.float32, 0),)  # noqa: E731
    return Case(f"pallas_call {name} {rows}x{columns} f32", call, args, body, 8.0 * rows * columns, True, 1e-5)


def cases() -> list[Case]:
    """Returns all cases."""
    return [
        _matmul(8192, 8192, 8192),
        _matmul(4096, 8192, 4096, minor=D.N),
        *(_attention(d, q, kv, causal=causal) for d, q, kv in ((64, 64, 256), (128, 64, 128), (256, 64, 64))
          for causal in (False, True)),
        _ragged(16384, 4096, 4096, 8),
        _rows("softmax", lambda x: jax.nn.softmax(x, axis=-1), 8192, 4096),
        _rows("x * 2 + 1", lambda x: x * 2 + 1, 8192, 8192),
    ]  # fmt: skip


def _milliseconds(function: Callable[..., Any], args: tuple[Any, ...], calls: int) -> float:
    start = time.perf_counter()
    result = None
    for _ in range(calls):
        result = function(*args)
    jax.block_until_ready(result)
    return (time.perf_counter() - start) / calls * 1e3


def measure(case: Case, turns: int) -> dict[str, Any]:
    """Compiles a case in each way, compares the results, and times the ways in turns."""
    args = jax.block_until_ready(case.args())
    ways: dict[str, Callable[..., Any]] = {"gridir": jax.jit(lambda *x: case.function(*x))}
    row: dict[str, Any] = {"name": case.name}
    results = {"gridir": jax.block_until_ready(ways["gridir"](*args))}
    with jax_alone():
        theirs = jax.jit(lambda *x: case.function(*x))
        try:
            results["JAX"] = jax.block_until_ready(theirs(*args))
            ways["JAX"] = theirs.lower(*args).compile()
        except Exception as error:
            row["JAX"] = str(error).splitlines()[0][:120]
    if case.reference is not None:
        ways["XLA"] = jax.jit(case.reference)
        results["XLA"] = jax.block_until_ready(ways["XLA"](*args))
    wanted = np.asarray(results.get("XLA", results.get("JAX", results["gridir"]))).astype(np.float32)
    got = np.asarray(results["gridir"]).astype(np.float32)
    row["worst"] = float(np.max(np.abs(got - wanted)) / np.max(np.abs(wanted)))
    row["right"] = bool(row["worst"] <= case.tolerance)
    once = max(_milliseconds(way, args, 2) for way in ways.values())
    calls = int(max(2, min(50, 40 / once)))
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, way in ways.items():
            times[name].append(_milliseconds(way, args, calls))
    for name, found in times.items():
        middle = statistics.median(found)
        rate = case.work / middle * 1e3
        row[name] = {"ms": round(middle, 4), "rate": round(rate / (1e9 if case.is_memory_bound else 1e12), 1)}
        if name != "gridir":
            ratios = [theirs / ours for ours, theirs in zip(times["gridir"], found, strict=True)]
            row[name]["over gridir"] = round(statistics.median(ratios), 3)
    row["unit"] = "GB/s" if case.is_memory_bound else "TFLOP/s"
    return row


def main() -> None:
    """Measures all cases, and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--seconds", type=float, default=200, help="starts no case after so long")
    options = parser.parse_args()
    gridir.install(platforms=("cuda",))
    rows, start = [], time.monotonic()
    for case in cases():
        if options.only not in case.name or time.monotonic() - start > options.seconds:
            continue
        try:
            row = measure(case, options.turns)
        except Exception as error:
            row = {"name": case.name, "error": f"{type(error).__name__}: {str(error)[:300]}"}
        rows.append(row)
        print(json.dumps(row), flush=True)
        if options.out:
            options.out.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()

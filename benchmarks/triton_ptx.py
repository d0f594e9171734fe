# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels of Triton's on gridir's executor of PTX: others' compiler and host code, by which it is judged.

    pip install triton==3.9.0
    python benchmarks/triton_ptx.py --chips sm_80,sm_90a,sm_100a --checks races,uninitialized

Triton compiles and launches as it would for a GPU, on the stand-in for CUDA's driver; only its last step, from PTX to a
cubin, is left out. A C compiler builds its launcher. gridir does not depend on Triton, and no test does. Results are
compared with NumPy in float64; the exit status is 1 where one differs or a launch fails.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import triton
import triton.language as tl
from gridir.errors import Error
from gridir.runtime import ptx
from gridir.runtime.gpu.chips import capability_of
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    """One row a program."""
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + column, mask=column < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + column, powers / tl.sum(powers, axis=0), mask=column < columns)


@triton.jit
def layer_norm(out, x, weight, bias, columns, BLOCK: tl.constexpr):
    """One row a program, in steps of BLOCK columns."""
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + column, mask=column < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * columns + column, mask=column < columns, other=0.0)
        value = tl.where(column < columns, value - mean, 0.0)
        total += value * value
    scale = 1 / tl.sqrt(tl.sum(total, axis=0) / columns + 1e-5)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        mask = column < columns
        value = (tl.load(x + row * columns + column, mask=mask) - mean) * scale
        value = value * tl.load(weight + column, mask=mask) + tl.load(bias + column, mask=mask)
        tl.store(out + row * columns + column, value, mask=mask)


@triton.jit
def product(out, x, y, m, n, k, m_begin, n_begin, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One tile of x times y."""
    rows, columns, depth = m_begin + tl.arange(0, M), n_begin + tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for step in range(tl.cdiv(k, K)):
        inside = step * K + depth
        a = tl.load(x + rows[:, None] * k + inside, mask=(rows[:, None] < m) & (inside < k), other=0.0)
        b = tl.load(y + inside[:, None] * n + columns, mask=(inside[:, None] < k) & (columns < n), other=0.0)
        total = tl.dot(a, b, total)
    mask = (rows[:, None] < m) & (columns < n)
    tl.store(out + rows[:, None] * n + columns, total.to(tl.float16), mask=mask)


@triton.jit
def matmul(out, x, y, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One tile a program."""
    product(out, x, y, m, n, k, tl.program_id(0) * M, tl.program_id(1) * N, M, N, K)


@triton.jit
def grouped_matmul(addresses, sizes, groups, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Products of several pairs of matrices, whose tiles a few programs share."""
    tile, done = tl.program_id(0), 0
    for group in range(groups):
        m, n, k = tl.load(sizes + group * 3), tl.load(sizes + group * 3 + 1), tl.load(sizes + group * 3 + 2)
        across = tl.cdiv(n, N)
        tiles = tl.cdiv(m, M) * across
        x = tl.load(addresses + group * 3).to(tl.pointer_type(tl.float16))
        y = tl.load(addresses + group * 3 + 1).to(tl.pointer_type(tl.float16))
        out = tl.load(addresses + group * 3 + 2).to(tl.pointer_type(tl.float16))
        while tile < done + tiles:
            here = tile - done
            product(out, x, y, m, n, k, here // across * M, here % across * N, M, N, K)
            tile += tl.num_programs(0)
        done += tiles


@triton.jit
def descriptor_matmul(x, y, out, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, SPECIALIZE: tl.constexpr):
    """One tile a program, by tensor maps."""
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), tl.float32)
    for step in tl.range(0, tl.cdiv(k, K), warp_specialize=SPECIALIZE):
        total = tl.dot(x.load([row, step * K]), y.load([step * K, column]), total)
    out.store([row, column], total.to(tl.float16))


@triton.jit
def attention(out, q, k, v, scale, tokens, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr):
    """M queries of one head a program."""
    begin, head = tl.program_id(0) * M, tl.program_id(1) * tokens * D
    rows, depth, steps = begin + tl.arange(0, M), tl.arange(0, D), tl.arange(0, N)
    queries = tl.load(q + head + rows[:, None] * D + depth)
    largest, total = tl.full([M], -float("inf"), tl.float32), tl.zeros([M], tl.float32)
    result = tl.zeros([M, D], tl.float32)
    end = begin + M if CAUSAL else tokens
    for start in range(0, end, N):
        keys = tl.load(k + head + (start + steps)[None, :] * D + depth[:, None])
        scores = tl.dot(queries, keys) * (scale * 1.44269504)
        if CAUSAL:
            scores = tl.where(rows[:, None] >= (start + steps)[None, :], scores, -1e30)
        most = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - most[:, None])
        correction = tl.exp2(largest - most)
        total = total * correction + tl.sum(weights, 1)
        values = tl.load(v + head + (start + steps)[:, None] * D + depth)
        result = tl.dot(weights.to(tl.float16), values, result * correction[:, None])
        largest = most
    tl.store(out + head + rows[:, None] * D + depth, (result / total[:, None]).to(tl.float16))


_CHIPS = {"descriptor_matmul": "sm_90a,sm_100a", "specialized_matmul": "sm_100a"}
"""Where a kernel is not for all chips: an A100 has no tensor maps, and an H100 no specialised warps in Triton."""


@dataclasses.dataclass(frozen=True)
class Case:
    """A launch.

    Attributes:
      kernel: the function.
      arguments: by name.
      constants: the constant ones, by name.
      grid: programs along each dimension.
      results: gives the result, the one wanted, and how far off it may be.
      reached: arrays that the kernel finds by addresses in others.
    """

    kernel: Any
    arguments: dict[str, Any]
    constants: dict[str, Any]
    grid: tuple[int, ...]
    results: Callable[[], tuple[np.ndarray, np.ndarray, float]]
    reached: Sequence[np.ndarray] = ()


def aligned(array: np.ndarray) -> np.ndarray:
    """The array where a GPU would have allocated it."""
    space = np.empty(array.nbytes + 256, np.uint8)
    result = space[-space.ctypes.data % 256 :][: array.nbytes].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


def cases() -> dict[str, Callable[[], Case]]:
    """The kernels, by name."""
    random = np.random.default_rng(0)

    def normal(*shape: int, dtype: Any = np.float16) -> np.ndarray:
        return aligned((random.standard_normal(shape) * 0.5).astype(dtype))

    def make_softmax() -> Case:
        x, out = normal(6, 1000, dtype=np.float32), aligned(np.zeros((6, 1000), np.float32))
        powers = np.exp(x.astype(np.float64))
        want = powers / powers.sum(1, keepdims=True)
        return Case(softmax, {"out": out, "x": x, "columns": 1000}, {"BLOCK": 1024}, (6,), lambda: (out, want, 1e-6))

    def make_layer_norm() -> Case:
        x, weight, bias = (normal(*shape, dtype=np.float32) for shape in ((5, 700), (700,), (700,)))
        out, wide = aligned(np.zeros_like(x)), x.astype(np.float64)
        want = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * weight + bias
        arguments = {"out": out, "x": x, "weight": weight, "bias": bias, "columns": 700}
        return Case(layer_norm, arguments, {"BLOCK": 256}, (5,), lambda: (out, want, 1e-5))

    def make_matmul() -> Case:
        m, n, k = 200, 136, 320
        x, y, out = normal(m, k), normal(k, n), aligned(np.zeros((m, n), np.float16))
        want = x.astype(np.float64) @ y.astype(np.float64)
        arguments = {"out": out, "x": x, "y": y, "m": m, "n": n, "k": k}
        return Case(matmul, arguments, {"M": 128, "N": 64, "K": 64}, (2, 3), lambda: (out, want, 0.02))

    def make_grouped_matmul() -> Case:
        sizes = [(128, 64, 96), (64, 200, 320), (256, 128, 64)]
        groups = [(normal(m, k), normal(k, n), aligned(np.zeros((m, n), np.float16))) for m, n, k in sizes]
        addresses = aligned(np.array([[x.ctypes.data for x in group] for group in groups], np.uint64))

        def results() -> tuple[np.ndarray, np.ndarray, float]:
            want = [(x.astype(np.float64) @ y.astype(np.float64)).reshape(-1) for x, y, _ in groups]
            return np.concatenate([out.reshape(-1) for *_, out in groups]), np.concatenate(want), 0.02

        arguments = {"addresses": addresses, "sizes": aligned(np.array(sizes, np.int32)), "groups": 3}
        reached = [x for group in groups for x in group]
        return Case(grouped_matmul, arguments, {"M": 64, "N": 64, "K": 32}, (4,), results, reached)

    def make_descriptor_matmul(specialize: bool) -> Case:
        m, n, k = 256, 256, 448
        x, y, out = normal(m, k), normal(k, n), aligned(np.zeros((m, n), np.float16))
        want = x.astype(np.float64) @ y.astype(np.float64)
        constants = {"M": 128, "N": 128, "K": 64, "SPECIALIZE": specialize}
        return Case(
            descriptor_matmul, {"x": x, "y": y, "out": out, "k": k}, constants, (2, 2), lambda: (out, want, 0.02)
        )

    def make_attention(causal: bool) -> Case:
        heads, tokens, d = 2, 256, 64
        q, k, v = (normal(heads, tokens, d) for _ in range(3))
        out = aligned(np.zeros_like(q))
        scores = np.einsum("hid,hjd->hij", q.astype(np.float64), k.astype(np.float64)) * 0.3
        if causal:
            scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
        weights = np.exp(scores)
        want = np.einsum("hij,hjd->hid", weights / weights.sum(-1, keepdims=True), v.astype(np.float64))
        arguments = {"out": out, "q": q, "k": k, "v": v, "scale": np.float64(0.3), "tokens": tokens}
        constants = {"D": d, "M": 128, "N": 64, "CAUSAL": causal}
        return Case(attention, arguments, constants, (2, heads), lambda: (out, want, 0.005))

    return {
        "softmax": make_softmax,
        "layer_norm": make_layer_norm,
        "matmul": make_matmul,
        "grouped_matmul": make_grouped_matmul,
        "descriptor_matmul": lambda: make_descriptor_matmul(False),
        "specialized_matmul": lambda: make_descriptor_matmul(True),
        "attention": lambda: make_attention(False),
        "causal_attention": lambda: make_attention(True),
    }


class Array:
    """An array that a launcher accepts as an array on a device: NumPy's, by its address."""

    def __init__(self, array: np.ndarray):
        self.dtype, self.shape = array.dtype, array.shape
        self.data_ptr = lambda: array.ctypes.data
        self.element_size = lambda: array.itemsize


def to_ptx(backend: Any = None, stages: Any = None, *_: Any) -> tuple[str, str] | None:
    """Triton's hook on its stages: the image of a module is PTX, which a driver takes, too."""
    if stages is None:
        return "ptx", "ptx"
    stages["cubin"] = lambda text, metadata: text.encode()
    return None


def to_argument(value: Any, block: Sequence[int] | None) -> Any:
    """An array as Triton's launcher takes it, by a tensor map where it is read in blocks; other values as they are."""
    if not isinstance(value, np.ndarray):
        return value
    if block is None:
        return Array(value)
    strides = [stride // value.itemsize for stride in value.strides]
    return TensorDescriptor(Array(value), list(value.shape), strides, list(block))


def run_case(driver: ptx.Driver, make: Callable[[], Case], warps: int) -> str:
    """Compiles and launches one kernel; returns the text to print."""
    case = make()
    sides = {"x": ("M", "K"), "y": ("K", "N"), "out": ("M", "N")} if case.kernel is descriptor_matmul else {}
    blocks = {name: [case.constants[side] for side in sides[name]] for name in sides}
    values = {name: to_argument(value, blocks.get(name)) for name, value in case.arguments.items()}
    arrays = [value for value in case.arguments.values() if isinstance(value, np.ndarray)]
    # Triton would reuse code that it compiled for another chip.
    case.kernel.device_caches.clear()
    with driver.memory([*arrays, *case.reached]):
        case.kernel[case.grid](**values, **case.constants, num_warps=warps, num_stages=3)
        driver.synchronize()
    launch = driver.launches[-1]
    got, want, tolerance = case.results()
    error = float(np.abs(got.astype(np.float64) - want).max())
    verdict = "right" if error <= tolerance else "WRONG"
    milliseconds = f"{launch.prepare_seconds * 1e3:.0f} | {launch.seconds * 1e3:.0f}"
    return f"{verdict} | {error:.1e} of {np.abs(want).max():.1e} | {milliseconds}"


def main(words: Sequence[str] | None = None) -> int:
    """Prints a table; 1 where a kernel is wrong or fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="kernels; all when none is given")
    parser.add_argument("--chips", default="sm_80,sm_90a,sm_100a", help="what to compile for (default: %(default)s)")
    parser.add_argument("--warps", type=int, default=4, help="warps of a block (default: 4)")
    parser.add_argument("--checks", default="", help="what to check, as races,uninitialized")
    parser.add_argument("--schedule-seed", type=int, help="an order of threads and copies")
    arguments = parser.parse_args(words)
    driver = ptx.open_driver()
    os.environ["TRITON_LIBCUDA_PATH"] = str(driver.directory)
    triton.knobs.runtime.add_stages_inspection_hook = to_ptx
    driver.options = {
        "checks": [check for check in arguments.checks.split(",") if check],
        "schedule_seed": arguments.schedule_seed,
        "timeout": 300,
    }
    failed = 0
    print("| kernel | chip | result | error | translation ms | run ms |")
    print("| --- | --- | --- | --- | ---: | ---: |")
    for chip in arguments.chips.split(","):
        driver.pretend(*capability_of(chip)[0])
        for name, make in cases().items():
            if (arguments.names and name not in arguments.names) or chip not in _CHIPS.get(name, chip):
                continue
            try:
                told = run_case(driver, make, arguments.warps)
            except Error as error:
                # After the location comes the instruction, which may name 64 registers.
                lines = [frame.line for frame in error.frames]
                told = f"FAILED at {lines}: {error.message.split(', by ')[0]} | | |"
            failed += "right" not in told
            print(f"| {name} | {chip} | {told} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

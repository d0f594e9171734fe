"""How near the functions that are arithmetic on a GPU or TPU come to NumPy's in longer precision, for the tests beside.

They run on the CPU, whose arithmetic is the same, but for numbers so small that XLA flushes them to zero; the
instruction that gives powers of 2 is as good as the library's there.
"""

import math
import sys
from collections.abc import Callable
from typing import Any

import gridir
import jax
import numpy as np
from gridir.testing import difference
from jax import lax
from jax.experimental import pallas as pl

jax.config.update("jax_enable_x64", True)
Functions = dict[str, Callable[..., Any]]

# Zeros, infinities and NaN, signs and what has no value.
EDGES = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1e300, -1e300, math.inf, -math.inf, math.nan, -2.5])


AS_FOR_GPU = "grid-to-gpu{path=mapped stop-after=mapped},gpu-expand-math,gpu-unmap-loops,loops-to-cpu"
AS_FOR_TPU = "grid-to-tpu{stop-after=tpu},tpu-to-cpu"


def apply(functions: Functions, *args: np.ndarray, pipeline: str = AS_FOR_GPU) -> list[np.ndarray]:
    """Computes the functions of the arguments in one kernel, as it is lowered for a GPU or a TPU."""

    def kernel(*refs: Any) -> None:
        values = [ref[...] for ref in refs[: len(args)]]
        for function, ref in zip(functions.values(), refs[len(args) :], strict=True):
            ref[...] = function(*values)

    with gridir.installed(options=gridir.CpuOptions(pipeline=pipeline)):
        results = jax.jit(pl.pallas_call(kernel, out_shape=[args[0]] * len(functions)))(*args)
    return [np.asarray(result) for result in results]


def units(got: np.ndarray, want: np.ndarray) -> float:
    """How far `got` is from `want` at most, in units of the last place of its type."""
    rounded = want.astype(got.dtype)
    if any(not np.array_equal(kind(got), kind(rounded)) for kind in (np.isnan, np.isinf)):
        return math.inf
    measured = np.isfinite(got) & np.isfinite(rounded) & (np.abs(want) >= np.finfo(got.dtype).tiny)
    error = np.abs(got.astype(np.longdouble) - want)[measured]
    return float(np.max(error / np.spacing(np.abs(rounded))[measured].astype(np.longdouble)))


def sweep(dtype: Any, low: float, high: float, count: int = 4096) -> np.ndarray:
    """Numbers from `low` to `high`, evenly and by powers."""
    largest = float(np.finfo(dtype).max)
    low, high = max(low, -largest), min(high, largest)
    span = np.linspace(0, 1, count)
    powers = max(abs(low), abs(high)) * 2.0 ** (-span * 60)
    ends = [powers[(powers >= low) & (powers <= high)], -powers[(-powers >= low) & (-powers <= high)]]
    return np.concatenate([low * (1 - span) + high * span, *ends]).astype(dtype)


# The functions of JAX in NumPy, or in Python where NumPy has none.
NAMES = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "pow": "power",
    "atan2": "arctan2",
}


def in_longdouble(name: str) -> Callable[..., np.ndarray]:
    function = getattr(np, NAMES.get(name, name), None)
    return function or np.vectorize(getattr(math, name), otypes=[np.longdouble])


def report(name: str, dtype: Any, error: float, limit: float) -> None:
    """Prints that a function is off by more than `limit` allows; with `--all`, what any is off by."""
    if not error <= limit or "--all" in sys.argv:
        print(f"{name} of {np.dtype(dtype).name} is off by {error:.3f} ulp, expected {limit}")


def check(names: str, low: float, high: float, limits: tuple[float, float]) -> None:
    """Reports which functions are off by more than `limits` allows, in f32 and in f64."""
    functions = {name: getattr(lax, name) for name in names.split()}
    for dtype, limit in zip((np.float32, np.float64), limits, strict=True):
        x = sweep(dtype, low, high)
        for name, got in zip(functions, apply(functions, x), strict=True):
            with np.errstate(all="ignore"):
                error = units(got, in_longdouble(name)(x.astype(np.longdouble)))
            report(f"{name} up to {high:g}", dtype, error, limit)


def check_edges(names: str, *args: np.ndarray, pipeline: str = AS_FOR_GPU) -> None:
    """Prints which functions differ from NumPy's at arguments where a value or a sign is a matter of definition."""
    functions = {name: getattr(lax, name) for name in names.split()}
    with np.errstate(all="ignore"):
        for name, got in zip(functions, apply(functions, *args, pipeline=pipeline), strict=True):
            want = in_longdouble(name)(*(a.astype(np.longdouble) for a in args)).astype(got.dtype)
            if difference(got, want) or not np.array_equal(np.signbit(got)[got == 0], np.signbit(want)[got == 0]):
                print(f"{name} of edges is off by more than rounding: {got}, expected {want}")

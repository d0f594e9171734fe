# Math functions on a GPU without libdevice are as near as docs/gpu.md says, over sweeps against NumPy's in longer
# precision. They run on the CPU, whose arithmetic is the same, but for numbers so small that XLA flushes them to zero;
# the instruction that gives powers of 2 is as good as the library's there.
#
# RUN: %python %s | FileCheck %s

import math
import sys
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference
from jax import lax
from jax.experimental import pallas as pl

jax.config.update("jax_enable_x64", True)
Functions = dict[str, Callable[..., Any]]
EXPANDED = "gpu-expand-math"


def apply(functions: Functions, *args: np.ndarray, passes: str = EXPANDED) -> list[np.ndarray]:
    """Computes the functions of the arguments in one kernel, as it is mapped to a GPU."""

    def kernel(*refs: Any) -> None:
        values = [ref[...] for ref in refs[: len(args)]]
        for function, ref in zip(functions.values(), refs[len(args) :], strict=True):
            ref[...] = function(*values)

    pipeline = f"grid-to-gpu{{stop-after=mapped}},{passes},gpu-unmap-loops,loops-to-cpu"
    with gridir.installed(options=gridir.CpuOptions(pipeline=pipeline)):
        results = jax.jit(pl.pallas_call(kernel, out_shape=[args[0]] * len(functions)))(*args)
    return [np.asarray(result) for result in results]


def units(got: np.ndarray, want: np.ndarray) -> float:
    """How far `got` is from `want` at most, in units of the last place of its type."""
    rounded = want.astype(got.dtype)
    if not np.array_equal(np.isnan(got), np.isnan(rounded)):
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


# What JAX's functions are in NumPy, or in Python where NumPy has none.
NAMES = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}


def in_longdouble(name: str) -> Callable[[np.ndarray], np.ndarray]:
    function = getattr(np, NAMES.get(name, name), None)
    return function or np.vectorize(getattr(math, name), otypes=[np.longdouble])


def check(names: str, low: float, high: float, limits: tuple[float, float]) -> None:
    """Prints which functions are off by more than `limits` allows, in f32 and in f64."""
    functions = {name: getattr(lax, name) for name in names.split()}
    for dtype, limit in zip((np.float32, np.float64), limits, strict=True):
        x = sweep(dtype, low, high)
        for name, got in zip(functions, apply(functions, x), strict=True):
            with np.errstate(all="ignore"):
                error = units(got, in_longdouble(name)(x.astype(np.longdouble)))
            if not error <= limit or "--all" in sys.argv:
                print(f"{name} of {np.dtype(dtype).name} up to {high:g} is off by {error:.3f} ulp, expected {limit}")


# CHECK-NOT: is off by
check("sin cos tan", -20, 20, (0.51, 2.0))
check("sin cos tan", -math.inf, math.inf, (0.51, 2.0))
check("asin acos atan atanh", -1, 1, (0.51, 2.5))
check("acosh", 1, math.inf, (0.51, 2.0))
check("atan asinh cbrt", -math.inf, math.inf, (0.51, 2.5))
# What these are in f32 is upstream's polynomials, where there are any.
check("erf erfc", -30, 30, (4.0, 3.5))
check("sinh cosh tanh exp expm1 exp2", -720, 720, (4.0, 2.5))
check("log log1p", 0, math.inf, (2.0, 1.5))

# Functions of two numbers; the exponents of a power multiply what its logarithm is off by.
for dtype, limit in ((np.float32, 0.51), (np.float64, 2.0)):
    random = np.random.RandomState(0)
    y = random.randn(8192) * 2.0 ** random.randint(-20, 10, 8192)
    x = np.abs(random.randn(8192)) * 2.0 ** random.randint(-60, 60, 8192)
    x, y = x.astype(dtype), np.clip(y, -500, 500).astype(dtype)
    wide_x, wide_y = x.astype(np.longdouble), y.astype(np.longdouble)
    with np.errstate(all="ignore"):
        power, angle = apply({"pow": lax.pow, "atan2": lax.atan2}, x, y)
        # The power is as long double computes it where that is precise enough itself.
        near = np.abs(wide_y * np.log(wide_x)) < 700
        errors = units(power[near], (wide_x**wide_y)[near]), units(angle, np.arctan2(wide_x, wide_y))
    for name, error in zip(("pow", "atan2"), errors, strict=True):
        if not error <= limit or "--all" in sys.argv:
            print(f"{name} of {np.dtype(dtype).name} is off by {error:.3f} ulp, expected {limit}")

# Zeros, infinities and NaN, signs and what has no value.
EDGES = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1e300, -1e300, math.inf, -math.inf, math.nan, -2.5])
ONE = "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt exp exp2 expm1 log log1p"
with np.errstate(all="ignore"):
    for name, got in zip(ONE.split(), apply({n: getattr(lax, n) for n in ONE.split()}, EDGES), strict=True):
        want = in_longdouble(name)(EDGES.astype(np.longdouble)).astype(np.float64)
        if difference(got, want) or not np.array_equal(np.signbit(got)[got == 0], np.signbit(want)[got == 0]):
            print(f"{name} is off by more than rounding: {got}, expected {want}")
    x, y = (a.reshape(-1) for a in np.meshgrid(EDGES, EDGES))
    for name, got in zip(("pow", "atan2"), apply({"pow": lax.pow, "atan2": lax.atan2}, x, y), strict=True):
        want = np.power(x, y) if name == "pow" else np.arctan2(x, y)
        if difference(got, want) or not np.array_equal(np.signbit(got)[got == 0], np.signbit(want)[got == 0]):
            print(f"{name} of edges is off by more than rounding: {difference(got, want)}")

    # CHECK: remainders: True True True
    exact = []
    for dtype, scale in ((np.float64, 300), (np.float32, 36), (np.float16, 3)):
        random = np.random.RandomState(1)
        x = (random.randn(4096) * 10.0 ** random.randint(-scale, scale, 4096)).astype(dtype)
        y = (random.randn(4096) * 10.0 ** random.randint(-scale, scale, 4096)).astype(dtype)
        x[:256], y[:256] = np.tile(EDGES, 16).astype(dtype), np.repeat(EDGES, 16).astype(dtype)
        y[256:512] = x[256:512] / np.arange(1, 257).astype(dtype)
        small = np.finfo(dtype).tiny * np.arange(1, 257).astype(dtype) / 256
        x[512:768], y[512:768], y[768:1024] = small, np.roll(small, 100), small
        want = np.fmod(x, y)
        (got,) = apply({"rem": lax.rem}, x, y)
        same = (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want)
        exact.append(bool(np.all(same)))
    print("remainders:", *exact)

# What `approx_math` makes of exp and tanh.
APPROXIMATE = "gpu-approximate-math{approx=true}"
ULP = np.finfo(np.float32).eps
x = np.linspace(-80, 80, 4096, dtype=np.float32)
true = np.exp(x.astype(np.float64))
error = np.abs(apply({"exp": jnp.exp}, x, passes=APPROXIMATE)[0] - true) / true
# CHECK: exp: True
print("exp:", bool(np.all(error <= (np.abs(x) + 2) * ULP)))

x = np.linspace(-12, 12, 4096, dtype=np.float32)
error = np.abs(apply({"tanh": jnp.tanh}, x, passes=APPROXIMATE)[0] - np.tanh(x.astype(np.float64)))
# CHECK: tanh: True
print("tanh:", bool(error.max() <= 2.5e-7))

# Kernels of every kind that is written for GPUs: Triton's style of indices with masks, atomic updates, gathers and
# scatters, all dtypes, loops, sorting, dynamic grids. Mapped to CTAs and threads, with the last thread first, they give
# what interpret mode gives, and ptxas takes each without spills where it is found.
#
# RUN: %python %s %if ptxas %{ --assemble %} | FileCheck %s

import sys
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import differences, interpreted
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton

PIPELINE = "grid-to-gpu{path=mapped stop-after=mapped},gpu-unmap-loops{reverse=true},loops-to-cpu"
F32 = jnp.float32
Row = tuple[Callable[..., Any], tuple[Any, ...], Callable[..., Any] | None, str]
ROWS: dict[str, Row] = {}


def row(*args: Any, want: Callable[..., Any] | None = None, chip: str = "sm_80") -> Any:
    """Adds a function of arrays; `want` gives what it should where interpret mode does not know it."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        ROWS[function.__name__] = (function, args, want, chip)
        return function

    return register


def numbers(*shape: int, dtype: Any = F32, seed: int = 0) -> np.ndarray:
    return (np.random.RandomState(seed).randn(*shape) * 2).astype(dtype)


def bins(count: int, limit: int) -> np.ndarray:
    return np.random.RandomState(1).randint(0, limit, count).astype(np.int32)


def shape_of(*shape: int, dtype: Any = F32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


# Triton's style ----------------------------------------------------------------------------------------------------


@row(numbers(1000), numbers(1000, seed=1))
def masked_indices(x: Any, y: Any) -> Any:
    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        offsets = pl.program_id(0) * 256 + jnp.arange(256)
        inside = offsets < 1000
        a = triton.load(x_ref.at[offsets], mask=inside, other=0.0)
        b = triton.load(y_ref.at[offsets], mask=inside, other=0.0)
        triton.store(o_ref.at[offsets], a + b, mask=inside)

    params = triton.CompilerParams(num_warps=8, num_stages=3)
    return pl.pallas_call(kernel, grid=(4,), out_shape=shape_of(1000), compiler_params=params)(x, y)


@row(numbers(1000))
def masked_slices(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        start = pl.program_id(0) * 128
        window, inside = pl.ds(start, 128), start + jnp.arange(128) < 1000
        triton.store(o_ref.at[window], triton.load(x_ref.at[window], mask=inside, other=1.0) * 2, mask=inside)

    return pl.pallas_call(kernel, grid=(8,), out_shape=shape_of(1000))(x)


@row(numbers(50, 36), numbers(36, 40))
def masked_matmul(x: Any, y: Any) -> Any:
    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        rows = pl.program_id(0) * 32 + jnp.arange(32)
        columns = pl.program_id(1) * 32 + jnp.arange(32)

        def step(i: Any, total: Any) -> Any:
            depth = i * 16 + jnp.arange(16)
            inside = (rows < 50)[:, None] & (depth < 36)[None, :]
            a = triton.load(x_ref.at[rows[:, None], depth[None, :]], mask=inside, other=0.0)
            inside = (depth < 36)[:, None] & (columns < 40)[None, :]
            b = triton.load(y_ref.at[depth[:, None], columns[None, :]], mask=inside, other=0.0)
            return total + triton.dot(a, b)

        total = lax.fori_loop(0, 3, step, jnp.zeros((32, 32), F32))
        inside = (rows < 50)[:, None] & (columns < 40)[None, :]
        triton.store(o_ref.at[rows[:, None], columns[None, :]], total, mask=inside)

    return pl.pallas_call(kernel, grid=(2, 2), out_shape=shape_of(50, 40))(x, y)


@row(bins(256, 10), want=lambda x: np.bincount(x, minlength=10).astype(np.int32))
def atomic_histogram(x: Any) -> Any:
    def kernel(x_ref: Any, _: Any, o_ref: Any) -> None:
        @pl.loop(0, 64)
        def _(i: Any) -> None:
            triton.atomic_add(o_ref, (x_ref[i],), 1)

    whole = pl.BlockSpec((10,), lambda i: (0,))
    call = pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[pl.BlockSpec((64,), lambda i: (i,)), whole],
        out_specs=whole,
        out_shape=shape_of(10, dtype=jnp.int32),
        input_output_aliases={1: 0},
    )
    return call(x, jnp.zeros(10, jnp.int32))


@row(np.int32(0), want=lambda _: np.int32(8))
def atomic_count(x: Any) -> Any:
    def kernel(_: Any, o_ref: Any) -> None:
        old = o_ref[...]
        triton.atomic_cas(o_ref, old, old + 1)

    return pl.pallas_call(kernel, grid=(8,), out_shape=shape_of(dtype=jnp.int32), input_output_aliases={0: 0})(x)


@row(numbers(8, 16), want=np.tanh)
def barrier_and_assembly(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...]
        triton.debug_barrier()
        o_ref[...] = triton.approx_tanh(o_ref[...])

    return pl.pallas_call(kernel, out_shape=shape_of(8, 16))(x)


# Indices that arrays name --------------------------------------------------------------------------------------------


def scattered(x: np.ndarray, i: np.ndarray) -> np.ndarray:
    result = np.zeros(64, x.dtype)
    for index, value in zip(i, x, strict=True):
        result[index] = value
    return result


@row(numbers(256), bins(256, 64), want=scattered)
def scatter_elements(x: Any, i: Any) -> Any:
    def kernel(x_ref: Any, i_ref: Any, o_ref: Any) -> None:
        o_ref[...] = jnp.zeros_like(o_ref)
        o_ref[i_ref[...]] = x_ref[...]

    return pl.pallas_call(kernel, out_shape=shape_of(64))(x, i)


@row(numbers(8, 40), np.array([3, 0, 7, -1], np.int32))
def scatter_rows(x: Any, i: Any) -> Any:
    def kernel(x_ref: Any, i_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...]
        o_ref[i_ref[...]] = x_ref[:4] * 10

    return pl.pallas_call(kernel, out_shape=shape_of(8, 40))(x, i)


@row(numbers(64), bins(256, 64))
def gather_elements(x: Any, i: Any) -> Any:
    def kernel(x_ref: Any, i_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[i_ref[...]]

    return pl.pallas_call(kernel, out_shape=shape_of(256))(x, i)


# Dtypes ------------------------------------------------------------------------------------------------------------

CHIPS = {"float8_e4m3fn": "sm_89", "float8_e5m2": "sm_100a"}
for name in ("int8", "int16", "uint32", "float16", "bfloat16", "int4", *CHIPS):

    def typed(x: Any) -> Any:
        def kernel(x_ref: Any, o_ref: Any, sum_ref: Any) -> None:
            wide = x_ref[...].astype(F32)
            o_ref[...] = -x_ref[...] if x_ref.dtype.itemsize > 1 else (wide * 0.5).astype(x_ref.dtype)
            sum_ref[...] = jnp.sum(wide * wide, 1)

        block = pl.BlockSpec((8, 32), lambda i: (i, 0))
        sums = pl.BlockSpec((8,), lambda i: (i,))
        results = [shape_of(20, 32, dtype=x.dtype), shape_of(20)]
        return pl.pallas_call(kernel, grid=(3,), in_specs=[block], out_specs=[block, sums], out_shape=results)(x)

    typed.__name__ = f"typed_{name}"
    row(jnp.asarray(bins(640, 5).reshape(20, 32)).astype(name), chip=CHIPS.get(name, "sm_80"))(typed)


@row(numbers(32, 16) > 0, numbers(32, 16, seed=1) > 0.5)
def bools(x: Any, y: Any) -> Any:
    def kernel(x_ref: Any, y_ref: Any, o_ref: Any, any_ref: Any) -> None:
        o_ref[...] = x_ref[...] ^ y_ref[...]
        any_ref[...] = jnp.any(x_ref[...] & y_ref[...], 1)

    return pl.pallas_call(kernel, out_shape=[shape_of(32, 16, dtype=bool), shape_of(32, dtype=bool)])(x, y)


# Whole arrays --------------------------------------------------------------------------------------------------------


@row(numbers(16, 33))
def places_of_extremes(x: Any) -> Any:
    def kernel(x_ref: Any, a_ref: Any, b_ref: Any) -> None:
        a_ref[...] = jnp.argmax(x_ref[...], 1).astype(jnp.int32)
        b_ref[...] = jnp.argmin(x_ref[...], 0).astype(jnp.int32)

    return pl.pallas_call(kernel, out_shape=[shape_of(16, dtype=jnp.int32), shape_of(33, dtype=jnp.int32)])(x)


@row(numbers(4, 37))
def running_and_sorted(x: Any) -> Any:
    def kernel(x_ref: Any, a_ref: Any, b_ref: Any, c_ref: Any) -> None:
        a_ref[...] = jnp.cumsum(x_ref[...], 1)
        b_ref[...] = lax.cummax(x_ref[...], 0)
        c_ref[...] = jnp.sort(x_ref[...], 1)

    return pl.pallas_call(kernel, out_shape=[shape_of(4, 37)] * 3)(x)


@row(np.abs(numbers(64)) + 1)
def newton(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        a = x_ref[...]

        def more(carry: Any) -> Any:
            return jnp.any(jnp.abs(carry[0] * carry[0] - a) > 1e-3) & (carry[1] < 50)

        o_ref[...] = lax.while_loop(more, lambda c: (0.5 * (c[0] + a / c[0]), c[1] + 1), (a, 0))[0]

    return pl.pallas_call(kernel, out_shape=shape_of(64))(x)


@row(numbers(8, 16))
def switched(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        branches = [jnp.sin, jnp.cbrt, lambda v: v % 0.7, jnp.tanh]
        o_ref[...] = lax.switch(pl.program_id(0), branches, x_ref[...])

    block, blocks = pl.BlockSpec((8, 16), lambda i: (0, 0)), pl.BlockSpec((8, 16), lambda i: (i, 0))
    return pl.pallas_call(kernel, grid=(4,), in_specs=[block], out_specs=blocks, out_shape=shape_of(32, 16))(x)


@row(numbers(5), np.float32(3))
def scalars(x: Any, factor: Any) -> Any:
    def kernel(x_ref: Any, factor_ref: Any, sum_ref: Any, count_ref: Any) -> None:
        sum_ref[...] = jnp.sum(x_ref[...]) * factor_ref[...]
        positive = lax.fori_loop(0, 5, lambda i, n: n + (x_ref[i] > 0).astype(jnp.int32), 0)
        count_ref[0] = positive
        count_ref[1] = count_ref[0] * 2

    return pl.pallas_call(kernel, out_shape=[shape_of(), shape_of(2, dtype=jnp.int32)])(x, factor)


@row(numbers(3, 8, 4, 16))
def squeezed(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...].T

    return pl.pallas_call(
        kernel,
        grid=(3, 4),
        in_specs=[pl.BlockSpec((None, 8, None, 16), lambda i, j: (i, 0, j, 0))],
        out_specs=pl.BlockSpec((None, None, 16, 8), lambda i, j: (i, j, 0, 0)),
        out_shape=shape_of(3, 4, 16, 8),
    )(x)


# Grids -------------------------------------------------------------------------------------------------------------


@row(np.int32(3), numbers(64, 128))
def dynamic_grid(n: Any, x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...] + pl.program_id(0).astype(F32) + pl.num_programs(0)

    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    options = {"grid": (n,), "in_specs": [block], "out_specs": block, "input_output_aliases": {0: 0}}
    return pl.pallas_call(kernel, out_shape=shape_of(64, 128), **options)(x)


@row(np.array([3, 1, 2, 0], np.int32), numbers(32, 16))
def prefetched(i: Any, x: Any) -> Any:
    def kernel(i_ref: Any, x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...] * i_ref[pl.program_id(0)]

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(4,),
        in_specs=[pl.BlockSpec((8, 16), lambda p, i: (i[p], 0))],
        out_specs=pl.BlockSpec((8, 16), lambda p, i: (p, 0)),
    )
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=shape_of(32, 16))(i, x)


@row(numbers(70, 60), numbers(60, 50))
def carried_scratch(x: Any, y: Any) -> Any:
    """The last block of every dimension overhangs; what is there beyond the depth counts for nothing."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any, sum_ref: Any) -> None:
        depth = pl.program_id(2)

        @pl.when(depth == 0)
        def _() -> None:
            sum_ref[...] = jnp.zeros_like(sum_ref)

        inside = lax.broadcasted_iota(jnp.int32, (32, 16), 1) + depth * 16 < 60
        a = jnp.where(inside, x_ref[...], 0)
        sum_ref[...] += jnp.dot(a, jnp.where(inside[:1, :].T, y_ref[...], 0))

        @pl.when(depth == 3)
        def _() -> None:
            o_ref[...] = sum_ref[...]

    return pl.pallas_call(
        kernel,
        grid=(3, 2, 4),
        in_specs=[pl.BlockSpec((32, 16), lambda i, j, k: (i, k)), pl.BlockSpec((16, 32), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((32, 32), lambda i, j, k: (i, j)),
        out_shape=shape_of(70, 50),
        scratch_shapes=[pltpu.VMEM((32, 32), F32)],
    )(x, y)


@row(numbers(8), want=lambda x: ())
def writes_nothing(x: Any) -> Any:
    """A kernel without outputs, of which nothing is left to map."""
    return pl.pallas_call(lambda x_ref: None, out_shape=(), grid=(3,))(x)


def problems_of(function: Callable[..., Any], args: Any, reference: Callable[..., Any] | None) -> list[str]:
    if reference is not None:
        want = reference(*args)
    else:
        with interpreted():
            want = jax.jit(lambda *a: function(*a))(*args)
    with gridir.installed(options=gridir.CpuOptions(pipeline=PIPELINE)):
        got = jax.jit(lambda *a: function(*a))(*args)
    return differences(got, want, function, args)


def main() -> None:
    correct = compiled = 0
    for name, (function, args, reference, chip) in ROWS.items():
        problems = problems_of(function, args, reference)
        correct += not problems
        options = gridir.GpuOptions(chip=chip, libdevice=False)
        lowered = gridir.lower(function, *args, target=f"gpu:{chip}", options=options)
        if "--assemble" in sys.argv:
            reports = lowered.compile().kernels
            problems += [str(report) for report in reports if report.cubin.spill_bytes]
        else:
            problems += ["no entry" for kernel in lowered.kernels if ".entry" not in kernel.text("ptx")]
        # Since JAX 0.12 a call without results is removed before it is lowered.
        removed = not jax.tree.leaves(jax.eval_shape(function, *args))
        compiled += (bool(lowered.kernels) or removed) and not problems
        for problem in problems:
            print(f"{name}: {problem}")
    print(f"{correct} of {len(ROWS)} equal interpret mode, {compiled} become PTX")


# CHECK: 28 of 28 equal interpret mode, 28 become PTX
main()

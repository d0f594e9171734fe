# RUN: %python %s | FileCheck %s

# The estimate tier of a large space traces few configurations. The others have the estimates that tracing them gives.

import functools

import jax
import jax.numpy as jnp
import numpy as np
from gridir.runtime.chip_constants import load_chip
from gridir.tuning.backends import make_backend
from gridir.tuning.cache import Cache
from gridir.tuning.estimates import estimate_space
from gridir.tuning.kinds import estimate, sample_of
from gridir.tuning.space import Space
from gridir.tuning.traced import refusals, trace
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

bf16 = jnp.bfloat16


def compare(name, function, args, space, target="tpu:v5e", most=100):
    """Prints how many configurations of a space have other estimates than tracing gives."""
    backend = make_backend(load_chip(target), Cache(None), jobs=1, timeout=1, lowering="gridir")
    space = Space(space)
    configs = space.configs()
    sizes = [size for arg in args for size in arg.shape]

    asked = []

    def traced(number):
        asked.append(number)
        return trace(function, args, {}, space, configs[number])

    def refused(numbers):
        return refusals(function, args, {}, space, [configs[number] for number in numbers])

    def alone(number):
        sample = sample_of(traced(number), target.startswith("gpu"))
        return estimate(backend, sample, np.array([sample.numbers]), sample.arrays)[0]

    found = estimate_space(backend, configs, sizes, traced, refused, lambda *_: None)
    traces = len(asked)
    chosen = [int(n) for n in np.random.default_rng(1).permutation(len(configs))[:most]]
    wrong = 0
    for number in chosen:
        mine, theirs = found.found[number], alone(number)
        same = mine.outcome.reason == theirs.outcome.reason and mine.outside == theirs.outside
        if mine.outcome.seconds is not None and theirs.outcome.seconds is not None:
            same = same and np.isclose(mine.outcome.seconds, theirs.outcome.seconds, rtol=1e-9, atol=0)
            same = same and mine.outcome.memory_bytes == theirs.outcome.memory_bytes
            same = same and mine.outcome.notes == theirs.outcome.notes
        wrong += not same
    print(
        f"{name}: {len(configs)} configurations, {wrong} wrong, {'few' if traces < len(configs) / 4 else 'many'} traced"
    )


def product_kernel(x_ref, y_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = acc_ref[...].astype(o_ref.dtype)


def product(x, y, *, bm, bn, bk):
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        product_kernel,
        grid=(pl.cdiv(m, bm), pl.cdiv(n, bn), pl.cdiv(k, bk)),
        in_specs=[pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)), pl.BlockSpec((bk, bn), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
    )(x, y)


x = jax.ShapeDtypeStruct((2048, 1024), bf16)
y = jax.ShapeDtypeStruct((1024, 4096), bf16)
blocks = [128 * i for i in range(1, 9)]
# CHECK: product: 512 configurations, 0 wrong, few traced
compare("product", product, (x, y), {"bm": blocks, "bn": blocks, "bk": blocks})
# CHECK-NEXT: on a GPU: 512 configurations, 0 wrong, few traced
compare("on a GPU", product, (x, y), {"bm": blocks, "bn": blocks, "bk": blocks}, "gpu:sm_90a", 30)
# CHECK-NEXT: on the CPU: 512 configurations, 0 wrong, few traced
compare("on the CPU", product, (x, y), {"bm": blocks, "bn": blocks, "bk": blocks}, "cpu", 30)


# Most configurations are refused: the few that are not have to be found.
def divided(x, y, *, bm, bn, bk):
    if x.shape[0] % bm or y.shape[1] % bn or x.shape[1] % bk:
        raise ValueError(f"the blocks {bm}, {bn}, {bk} do not divide the arrays")
    return product(x, y, bm=bm, bn=bn, bk=bk)


# CHECK-NEXT: divided: 1728 configurations, 0 wrong, few traced
many = [128 * i for i in range(1, 13)]
compare("divided", divided, (x, y), {"bm": many, "bn": many, "bk": many}, most=400)


# Equal blocks are another kernel, and a value that is like no other one is another kernel, too.
def square_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.exp(jnp.dot(x_ref[...], y_ref[...])).astype(o_ref.dtype)


def special(x, y, *, bm, bn, bk):
    if bm == bn or bk == 384:
        return pl.pallas_call(
            square_kernel,
            grid=(pl.cdiv(x.shape[0], bm), pl.cdiv(y.shape[1], bn)),
            in_specs=[
                pl.BlockSpec((bm, x.shape[1]), lambda i, j: (i, 0)),
                pl.BlockSpec((x.shape[1], bn), lambda i, j: (0, j)),
            ],
            out_specs=pl.BlockSpec((bm, bn), lambda i, j: (i, j)),
            out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype),
        )(x, y)
    return product(x, y, bm=bm, bn=bn, bk=bk)


# CHECK-NEXT: special: 512 configurations, 0 wrong
compare("special", special, (x, y), {"bm": blocks, "bn": blocks, "bk": blocks}, most=200)


# Conditions of several dimensions of the grid, and index maps with constants of the configuration.
def band_kernel(x_ref, y_ref, o_ref, *, bi, bj, width):
    i, j = pl.program_id(0), pl.program_id(1)

    @pl.when((i * bi < (j + 1) * bj + width) & ((i + 1) * bi + width > j * bj))
    def _():
        o_ref[...] = jnp.dot(x_ref[...], y_ref[...].T)[:, :128]


def band(x, y, *, bi, bj, width):
    def near(i, j):
        return jnp.clip(j, (i * bi - width) // bj, pl.cdiv(i * bi + bi + width, bj)), 0

    return pl.pallas_call(
        functools.partial(band_kernel, bi=bi, bj=bj, width=width),
        grid=(pl.cdiv(x.shape[0], bi), pl.cdiv(y.shape[0], bj)),
        in_specs=[pl.BlockSpec((bi, 128), lambda i, j: (i, 0)), pl.BlockSpec((bj, 128), near)],
        out_specs=pl.BlockSpec((bi, 128), lambda i, j: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], 128), x.dtype),
    )(x, y)


# CHECK-NEXT: band: 432 configurations, 0 wrong, few traced
z = jax.ShapeDtypeStruct((2048, 128), bf16)
compare("band", band, (z, z), {"bi": many, "bj": many, "width": [0, 128, 512]})


# Prefetched operands that depend on a parameter. A kernel whose trip counts only a walk gives is traced.
def rows_kernel(order_ref, x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def ordered(x, *, rows, columns):
    count = x.shape[0] // rows
    order = np.arange(count, dtype=np.int32)[::-1] // 2
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(count, x.shape[1] // columns),
        in_specs=[pl.BlockSpec((rows, columns), lambda i, j, order_ref: (order_ref[i], j))],
        out_specs=pl.BlockSpec((rows, columns), lambda i, j, order_ref: (i, j)),
    )
    return pl.pallas_call(rows_kernel, grid_spec=spec, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(order, x)


# CHECK-NEXT: ordered: 72 configurations, 0 wrong, many traced
w = jax.ShapeDtypeStruct((2048, 8192), jnp.float32)
powers = [8, 16, 32, 64, 128, 256, 512, 1024, 2048]
compare("ordered", ordered, (w,), {"rows": powers, "columns": [128, 256, 512, 1024, 2048, 4096, 8192, 384]})


def loop_kernel(x_ref, o_ref):
    def body(state):
        i, total = state
        return i + 1, total + x_ref[...]

    start = pl.program_id(0) // 2
    o_ref[...] = jax.lax.while_loop(lambda state: state[0] < start, body, (jnp.int32(0), x_ref[...]))[1]


def looped(x, *, rows, columns):
    block = pl.BlockSpec((rows, columns), lambda i, j: (i, j))
    grid = (pl.cdiv(x.shape[0], rows), pl.cdiv(x.shape[1], columns))
    return pl.pallas_call(loop_kernel, grid=grid, in_specs=[block], out_specs=block, out_shape=x)(x)


# CHECK-NEXT: looped: 48 configurations, 0 wrong, many traced
compare("looped", looped, (w,), {"rows": powers[2:8], "columns": [128 * i for i in range(1, 9)]})

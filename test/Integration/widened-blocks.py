# Kernels with blocks of columns give the same values with blocks of rows. Three rows have no second part of whole rows.
#
# RUN: %python %s | FileCheck %s

import functools

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def broadcast_kernel(*refs):
    *ins, o = refs
    o[...] = functools.reduce(lambda a, b: 2 * a + b, (ref[...] for ref in ins), jnp.zeros(o.shape, o.dtype))


def chosen_kernel(x, m, o):
    value = jnp.where(m[...] > 0, x[...], -x[...])
    o[...] = value + jax.lax.broadcasted_iota(jnp.int32, value.shape, 0)


def summed_kernel(x, s, o):
    o[...] = jnp.sum(x[...], axis=0) * s[...]


def call(kernel, block, shape, *ins):
    """Operands have the last dimensions of the result; those of one element are read by all programs."""
    grid = tuple(-(-extent // size) for extent, size in zip(shape, block, strict=True))

    def spec(x):
        first = x.ndim - len(shape)
        padded = (1,) * -first + x.shape if first < 0 else x.shape[first:]
        sizes = [1 if extent == 1 else size for extent, size in zip(padded, block, strict=True)]
        index = [0 if extent == 1 else 1 for extent in padded]
        return pl.BlockSpec(
            (*x.shape[: max(first, 0)], *sizes[max(-first, 0) :]),
            lambda *ids: ((0,) * first + tuple(i * used for i, used in zip(ids, index, strict=True)))[-x.ndim :],
        )

    return pl.pallas_call(
        kernel,
        grid=grid,
        in_specs=[spec(x) for x in ins],
        out_specs=pl.BlockSpec(block, lambda *ids: ids),
        out_shape=jax.ShapeDtypeStruct(shape, ins[0].dtype),
    )(*ins)


def integers(*shape):
    return jnp.asarray(np.random.default_rng(len(shape)).integers(-9, 9, shape), jnp.int32)


ROW_IDS = jnp.arange(96)[:, None] % 32
CASES = {
    "outer": (broadcast_kernel, (32, 16), (96, 128), [integers(96, 1), integers(1, 128)], lambda x, y: 2 * x + y),
    "overhang": (broadcast_kernel, (32, 16), (96, 125), [integers(96, 125), integers(125)], lambda x, y: 2 * x + y),
    "rows overhang": (
        broadcast_kernel,
        (32, 16),
        (90, 128),
        [integers(90, 128), integers(128)],
        lambda x, y: 2 * x + y,
    ),
    "few rows": (broadcast_kernel, (3, 8), (12, 256), [integers(12, 256), integers(12, 1)], lambda x, y: 2 * x + y),
    "batch": (
        broadcast_kernel,
        (1, 16, 16),
        (3, 32, 128),
        [integers(3, 32, 128), integers(3, 1, 128), integers(1, 32, 1)],
        lambda x, y, z: 4 * x + 2 * y + z,
    ),
    "rows count": (
        chosen_kernel,
        (32, 16),
        (96, 128),
        [integers(96, 128), integers(1, 128)],
        lambda x, m: jnp.where(m > 0, x, -x) + ROW_IDS,
    ),
    "sums": (summed_kernel, (16, 8), (32, 64), [integers(5, 32, 64), integers(64)], lambda x, s: jnp.sum(x, 0) * s),
}

for name, (kernel, block, shape, ins, reference) in CASES.items():
    lowered = gridir.lower(functools.partial(call, kernel, block, shape), *ins, target="cpu")
    got = lowered.compile()(*ins)
    # Rows of blocks, as the loads have them.
    is_widened = f"x{shape[-1]}xi32>" in "".join(
        line for line in lowered.kernels[0].text("loops").splitlines() if "bufferization.to_tensor" in line
    )
    print(f"{name}: {np.array_equal(got, reference(*ins))}, {'wide' if is_widened else 'narrow'}")

# CHECK:      outer: True, wide
# CHECK-NEXT: overhang: True, wide
# CHECK-NEXT: rows overhang: True, narrow
# CHECK-NEXT: few rows: True, narrow
# CHECK-NEXT: batch: True, wide
# CHECK-NEXT: rows count: True, wide
# CHECK-NEXT: sums: True, wide

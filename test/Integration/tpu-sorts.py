# RUN: %python %s | FileCheck %s

# Sorting on a TPU is a network of exchanges: the module gives what interpret mode gives, in the interpreter of Mosaic's
# form and compiled for this machine. Equal numbers keep their order, every NaN is last, and zeros are equal.
import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.cpu import CpuOptions
from gridir.testing import difference, interpreted, mosaic_interpreted
from jax import lax
from jax.experimental import pallas as pl

THROUGH_TPU = CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu", platform="tpu")
SPECIAL = [np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-42]


def check(name, function, *operands):
    def call(*operands):
        def kernel(*refs):
            *xs, o_ref = refs
            o_ref[...] = function(*(x[...] for x in xs))

        return pl.pallas_call(kernel, out_shape=jax.eval_shape(function, *operands))(*operands)

    with interpreted():
        want = call(*operands)
    with mosaic_interpreted():
        executed = jax.jit(call)(*operands)
    with gridir.installed(options=THROUGH_TPU):
        compiled = jax.jit(call)(*operands)
    print(name, difference(executed, want), difference(compiled, want))


draws = np.random.default_rng(5)


def floats(*shape):
    x = draws.integers(-9, 9, shape).astype(np.float32) / 2
    x.reshape(-1)[:: x.size // 40] = np.resize(SPECIAL, x.reshape(-1)[:: x.size // 40].shape)
    return jnp.asarray(draws.permuted(x, axis=None).reshape(shape))


# A register of lanes, of rows, several of both, and what fills none.
# CHECK: lanes None None
# CHECK-NEXT: rows None None
# CHECK-NEXT: many lanes None None
# CHECK-NEXT: many rows None None
# CHECK-NEXT: some lanes None None
# CHECK-NEXT: some rows None None
# CHECK-NEXT: one dimension None None
check("lanes", lambda x: jnp.sort(x, 1), floats(8, 128))
check("rows", lambda x: jnp.sort(x, 0), floats(8, 128))
check("many lanes", lambda x: jnp.sort(x, 1), floats(8, 256))
check("many rows", lambda x: jnp.argsort(x, 0), floats(32, 128))
check("some lanes", lambda x: jnp.argsort(x, 1), floats(5, 100))
check("some rows", lambda x: jnp.argsort(x, 0), floats(6, 128))
check("one dimension", lambda x: jnp.argsort(x), floats(128))

# CHECK-NEXT: bfloat16 None None
# CHECK-NEXT: int32 None None
# CHECK-NEXT: uint32 None None
# CHECK-NEXT: int8 None None
# CHECK-NEXT: uint16 None None
check("bfloat16", lambda x: jnp.argsort(x, 1), floats(16, 128).astype(jnp.bfloat16))
for dtype in (np.int32, np.uint32, np.int8, np.uint16):
    ends = np.iinfo(dtype)
    x = draws.integers(ends.min, ends.max, (32, 128), np.int64, endpoint=True).astype(dtype)
    check(np.dtype(dtype).name, lambda x: jnp.sort(x, 0), jnp.asarray(x))

# Keys after keys, what goes with them, and the first of all.
# CHECK-NEXT: two keys None None
# CHECK-NEXT: integer keys alone None None
# CHECK-NEXT: top_k None None
few = jnp.asarray(draws.integers(-2, 2, (8, 128)).astype(np.int32))
others = jnp.asarray(draws.integers(0, 3, (8, 128)).astype(np.uint32))
check("two keys", lambda x, y: lax.sort((y, x, y + 1), num_keys=2, dimension=1)[2], floats(8, 128), few)
check("integer keys alone", lambda x, y: lax.sort((x, y), num_keys=2, dimension=1)[1], few, others)
check("top_k", lambda x: lax.top_k(x, 5)[1], floats(8, 128))

# Indices that are data are asserted by the kernel where Mosaic's checks of them are off: the module that libtpu
# gets reports the author's line, in the reference interpreter and as native code, and computes what it should where
# nothing is wrong. Nothing is asserted where the author has switched the checks off.
#
# RUN: %python %s %repository/examples | FileCheck %s

import re
import sys

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.cli.example import load_example
from gridir.testing import mosaic_interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ON_TPU = gridir.CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu", platform="tpu")


def gather_pages_kernel(pages_ref, x_ref, o_ref, sem):
    """Two pages at a time, and the one after the second of them."""
    i = pl.program_id(0)
    for k, page in enumerate((pages_ref[2 * i], pages_ref[2 * i + 1], pages_ref[2 * i + 1] + 1)):
        pltpu.async_copy(x_ref.at[page], o_ref.at[0, k], sem).wait()


def gather_pages(x, pages, **params):
    grid_spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(pages.shape[0] // 2,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec((1, 3, 8, 128), lambda i, pages: (i, 0, 0, 0)),
        scratch_shapes=[pltpu.SemaphoreType.DMA],
    )
    return pl.pallas_call(
        gather_pages_kernel,
        grid_spec=grid_spec,
        out_shape=jax.ShapeDtypeStruct((pages.shape[0] // 2, 3, 8, 128), x.dtype),
        compiler_params=gridir.tpu.CompilerParams(**params),
    )(pages, x)


def run(name, function, args, expected):
    for how, context in (("interpreted", mosaic_interpreted()), ("native", gridir.installed(options=ON_TPU))):
        jax.clear_caches()
        with context:
            try:
                result = jax.jit(function)(*args).block_until_ready()
                print(f"{name}, {how}: {np.array_equal(result, expected)}")
            except jax.errors.JaxRuntimeError as error:
                message = re.search(r"[\w\[\]]+: (an index is outside|the block lies)[^\n(]*[^\s(]", str(error))
                line = re.search(r"([\w-]+\.py):\d+:\d+", str(error)[message.start() :])
                print(f"{name}, {how}: {line[1]}, {message[0]}")


gather = load_example(f"{sys.argv[1]}/row_gather.py", None)
table, rows = gather.args
x = jnp.arange(16 * 8 * 128, dtype=jnp.float32).reshape(16, 8, 128)
pages = jnp.array([3, 7, 0, 14], jnp.int32)
picked = np.asarray(x)[np.array([[3, 7, 8], [0, 14, 15]])]

# CHECK: row_gather, interpreted: True
# CHECK-NEXT: row_gather, native: True
run("row_gather", gather.function, gather.args, table[rows])
# CHECK-NEXT: row 1000, interpreted: row_gather.py, table_ref: the block lies outside of dimension 0
# CHECK-NEXT: row 1000, native: row_gather.py, table_ref: the block lies outside of dimension 0
run("row 1000", gather.function, (table, rows.at[63].set(1000)), None)
# CHECK-NEXT: row -1, interpreted: row_gather.py, table_ref: the block lies outside of dimension 0
# CHECK-NEXT: row -1, native: row_gather.py, table_ref: the block lies outside of dimension 0
run("row -1", gather.function, (table, rows.at[0].set(-1)), None)
# CHECK-NEXT: pages, interpreted: True
# CHECK-NEXT: pages, native: True
run("pages", gather_pages, (x, pages), picked)
# CHECK-NEXT: page 15, interpreted: asserted-bounds.py, x_ref: an index is outside of dimension 0
# CHECK-NEXT: page 15, native: asserted-bounds.py, x_ref: an index is outside of dimension 0
run("page 15", gather_pages, (x, pages.at[3].set(15)), None)
# CHECK-NEXT: a page far away, interpreted: asserted-bounds.py, x_ref: an index is outside of dimension 0
# CHECK-NEXT: a page far away, native: asserted-bounds.py, x_ref: an index is outside of dimension 0
run("a page far away", gather_pages, (x, pages.at[1].set(2**31 - 1)), None)

for params in ({}, {"disable_bounds_checks": True}):
    (kernel,) = gridir.lower(lambda *xs, params=params: gather_pages(*xs, **params), x, pages, target="tpu").kernels
    mosaic = kernel.prepare()
    print(params, mosaic.body.count(b"cf.assert"), mosaic.needed_checks, len(mosaic.own_checks.get("bounds", ())))
# CHECK-NEXT: {} 1 {'bounds': '', 'semaphore': ''} 1
# CHECK-NEXT: {'disable_bounds_checks': True} 0 {'semaphore': ''} 0

# Operations of kernels on Refs, against JAX's interpret mode where it can, else against NumPy.
#
# RUN: %python %s | FileCheck %s

from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference, interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc
from jax.experimental.pallas import triton

X = np.arange(8 * 16, dtype=np.float32).reshape(8, 16)
INDICES = np.array([1, 0, 7, -1, -8, 2, 100, -100], np.int32)


def made(x_ref, _, o_ref):
    ref = jax.new_ref(x_ref[...] * 2)
    scratch = jax.empty_ref(jax.typeof(x_ref[...]))
    scratch[...] = x_ref[...]

    @pl.loop(0, 8)
    def _(i):
        ref[i] = ref[i] + scratch[7 - i]

    o_ref[...] = jax.ref.freeze(ref)


def gather(x_ref, i_ref, o_ref):
    o_ref[...] = x_ref[i_ref[...]]


def gather_columns(x_ref, i_ref, o_ref):
    o_ref[...] = x_ref[:, i_ref[...]]


def gather_pairs(x_ref, i_ref, o_ref):
    o_ref[...] = x_ref[i_ref[...], 3]


def scatter(x_ref, i_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[i_ref[:4]] = x_ref[:4]


def filled(x_ref, _, o_ref):
    o_ref[...] = triton.load(x_ref, mask=x_ref[...] > 50, other=1)


def repeated(x_ref, i_ref, o_ref):
    o_ref[:8] = x_ref[pl.ds(0, 8, 0)]
    o_ref[8:] = triton.load(x_ref.at[pl.ds(i_ref[2], 3, 0), :], mask=x_ref[:3] < 40, other=-1)


def atomics(x_ref, i_ref, o_ref):
    o_ref[...] = x_ref[...]
    old = triton.atomic_add(o_ref, (1, pl.ds(2, 4)), x_ref[3, :4])
    triton.atomic_max(o_ref, (0, pl.ds(0, 4)), old)
    triton.atomic_xchg(o_ref, (2,), x_ref[7], mask=x_ref[7] > 120)


def atomics_in_numpy(x: np.ndarray, _: np.ndarray) -> np.ndarray:
    result = x.copy()
    old = result[1, 2:6].copy()
    result[1, 2:6] += x[3, :4]
    result[0, :4] = np.maximum(result[0, :4], old)
    result[2] = np.where(x[7] > 120, x[7], result[2])
    return result


Reference = Callable[[np.ndarray, np.ndarray], np.ndarray]
# The kernel, the shape of its result, and what it computes where interpret mode cannot say.
ROWS: list[tuple[Callable[..., None], tuple[int, ...], Reference | None]] = [
    (made, (8, 16), None),
    (gather, (8, 16), None),
    (gather_columns, (8, 8), None),
    (gather_pairs, (8,), None),
    (scatter, (8, 16), None),
    (filled, (8, 16), None),
    (atomics, (8, 16), atomics_in_numpy),
    (repeated, (11, 16), lambda x, i: np.concatenate([x[[0] * 8], np.where(x[:3] < 40, x[[7] * 3], -1)])),
]


def run(kernel: Callable[..., None], shape: tuple[int, ...]) -> Any:
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(shape, jnp.float32))(X, INDICES)


# A Ref that a kernel closes over is an input and an output at once, and what is written to it is seen outside.
def stateful(refs):
    x_ref, y_ref = refs

    def body(sem):
        copy = pltpu.make_async_copy(x_ref, y_ref.at[pl.ds(0, 8)], sem)
        copy.start()
        copy.wait()
        y_ref[8:] = x_ref[...] + y_ref[8:]

    pl.pallas_call(lambda: pl.run_scoped(body, pltpu.SemaphoreType.DMA), out_shape=[])()


# CHECK-NOT: elements differ
# CHECK: 8 of 8 rows are equal
equal = 0
for kernel, shape, reference in ROWS:
    if reference is None:
        with interpreted():
            want = run(kernel, shape)
    else:
        want = reference(X, INDICES)
    with gridir.installed():
        problem = difference(run(kernel, shape), want)
    if problem:
        print(f"{kernel.__name__}: {problem}")
    equal += problem is None
print(f"{equal} of {len(ROWS)} rows are equal")

with gridir.installed():
    _, y = jax.jit(pl.run_state(stateful))((X, jnp.ones((16, 16))))
# CHECK-NEXT: closed over: None
print(f"closed over: {difference(y, np.concatenate([X, X + 1]))}")


# A block of random keys is never cut in the words of a key.
def words(key_ref, o_ref):
    o_ref[...] = jax.random.key_data(key_ref[0])


keys = jax.random.split(jax.random.key(7), 4)
with gridir.installed():
    got = pl.pallas_call(
        words,
        out_shape=jax.ShapeDtypeStruct((4, 2), jnp.uint32),
        grid=(4,),
        in_specs=[pl.BlockSpec((1,), lambda i: (3 - i,))],
        out_specs=pl.BlockSpec((None, 2), lambda i: (i, 0)),
    )(keys)
# CHECK-NEXT: keys: None
print(f"keys: {difference(got, jax.random.key_data(keys)[::-1])}")


# Masked elements may be outside of the Ref: the last window of three exceeds the end.
def tail(x_ref, y_ref, o_ref, p_ref):
    start = pl.program_id(0) * 6
    inside = start + jnp.arange(6) < 16
    o_ref[...] = triton.load(x_ref.at[2, pl.ds(start, 6)], mask=inside, other=-1)
    triton.store(p_ref.at[:, pl.ds(start, 6)], y_ref[:, :6], mask=jnp.broadcast_to(inside, (8, 6)))


with gridir.installed():
    windows, stored = pl.pallas_call(
        tail,
        out_shape=[jax.ShapeDtypeStruct((3, 6), jnp.float32), jax.ShapeDtypeStruct((8, 16), jnp.float32)],
        grid=(3,),
        out_specs=[pl.BlockSpec((None, 6), lambda i: (i, 0)), pl.BlockSpec((8, 16), lambda i: (0, 0))],
    )(X, X)
# CHECK-NEXT: tail: None None
columns = [*range(6), *range(6), *range(4)]
print(
    "tail:", difference(windows.reshape(-1), np.append(X[2], X.dtype.type([-1, -1]))), difference(stored, X[:, columns])
)


# A Ref that the body asks for itself is one for all programs: each waits for the one before it.
def chain(x_ref, o_ref):
    turn = pl.get_global(pltpu.SemaphoreType.REGULAR)

    @pl.when(pl.program_id(0) > 0)
    def _():
        pl.semaphore_wait(turn, 1)

    o_ref[...] = x_ref[...] * 2

    @pl.when(pl.program_id(0) < 3)
    def _():
        pl.semaphore_signal(turn, 1)


rows = pl.BlockSpec((2, 16), lambda i: (i, 0))
with gridir.installed():
    got = pl.pallas_call(chain, out_shape=jax.typeof(jnp.asarray(X)), grid=(4,), in_specs=[rows], out_specs=rows)(X)
# CHECK-NEXT: global: None
print(f"global: {difference(got, X * 2)}")


# Each index of an array is an update of its own, also where it comes twice.
def histogram(x_ref, i_ref, o_ref, n_ref, old_ref):
    o_ref[...] = x_ref[...]
    triton.atomic_add(o_ref, (i_ref[...] % 4,), x_ref[...])
    n_ref[...] = jnp.zeros_like(n_ref)
    old_ref[...] = triton.atomic_add(n_ref, (i_ref[...] % 4,), jnp.ones(8, jnp.int32), mask=i_ref[...] >= 0)


with gridir.installed():
    sums, counts, old = pl.pallas_call(
        histogram,
        out_shape=[
            jax.ShapeDtypeStruct((8, 16), jnp.float32),
            jax.ShapeDtypeStruct((4,), jnp.int32),
            jax.ShapeDtypeStruct((8,), jnp.int32),
        ],
    )(X, INDICES)
want_sums, want_counts, want_old = X.copy(), np.zeros(4, np.int32), []
for row, index in zip(X, INDICES % 4, strict=True):
    want_sums[index] += row
for index in INDICES[INDICES >= 0]:
    want_old.append(want_counts[index % 4])
    want_counts[index % 4] += 1
# CHECK-NEXT: histogram: None None None
shown = np.asarray(old)[INDICES >= 0]
print(
    "histogram:",
    difference(sums, want_sums),
    difference(counts, want_counts),
    difference(shown, np.array(want_old, np.int32)),
)


# A pipeline inside a kernel, as one primitive: its program ids and its sizes are its own.
def pipelined(x_ref, o_ref):
    def scale(a_ref, b_ref):
        b_ref[...] = a_ref[...] * (10 * pl.num_programs(0) + pl.program_id(0)).astype(jnp.float32)

    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    pltpu.emit_pipeline(scale, grid=(4,), in_specs=[rows], out_specs=[rows])(x_ref, o_ref)


wide = np.arange(32 * 128, dtype=np.float32).reshape(32, 128)
anywhere = pl.BlockSpec(memory_space=pl.ANY)
jax.config.update("jax_use_emit_pipeline_primitive", True)
with gridir.installed():
    got = pl.pallas_call(pipelined, out_shape=jax.typeof(jnp.asarray(wide)), in_specs=[anywhere], out_specs=anywhere)(
        wide
    )
# CHECK-NEXT: pipeline: None
print(f"pipeline: {difference(got, wide * np.repeat([40, 41, 42, 43], 8)[:, None].astype(np.float32))}")


# A copy of a size that the kernel computes; a size of nothing is no copy.
def some(n_ref, x_ref, o_ref, sem):
    for first, last in ((0, 1), (1, 2), (2, 3)):
        size = n_ref[last] - n_ref[first]
        rows = x_ref.at[pl.ds(n_ref[first], size)]
        copy = pltpu.make_async_copy(rows, o_ref.at[0, pl.ds(8 - n_ref[last], size)], sem)
        copy.start()
        copy.wait()


with gridir.installed():
    got = pl.pallas_call(
        some,
        out_shape=jax.ShapeDtypeStruct((1, 8, 16), jnp.float32),
        in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), anywhere],
        out_specs=anywhere,
        scratch_shapes=[pltpu.SemaphoreType.DMA],
    )(np.array([0, 3, 3, 8], np.int32), X)
# CHECK-NEXT: some: None
print(f"some: {difference(got[0], X[[3, 4, 5, 6, 7, 0, 1, 2]])}")


# Python functions that the kernel calls see the programs' values in the order of the programs, and prints in between.
def reports(x_ref, o_ref):
    jax.debug.callback(lambda i, row: print("row", i, float(row.sum())), pl.program_id(0), x_ref[0])
    pl.debug_print("printed {}", pl.program_id(0))
    o_ref[...] = x_ref[...]


half = pl.BlockSpec((4, 16), lambda i: (i, 0))
with gridir.installed():
    call = jax.jit(
        pl.pallas_call(reports, out_shape=jax.typeof(jnp.asarray(X)), grid=(2,), in_specs=[half], out_specs=half)
    )
    call(X).block_until_ready()
# CHECK-NEXT: row 0 120.0
# CHECK-NEXT: printed 0
# CHECK-NEXT: row 1 1144.0
# CHECK-NEXT: printed 1


# SparseCore's bitcast changes the last dimension, and is not the TensorCore's primitive of the same name.
def bits(dtype):
    def kernel(x_ref, o_ref):
        o_ref[...] = plsc.bitcast(x_ref[...], dtype)

    return kernel


for dtype in (np.int32, np.int16):
    expected = X.view(dtype)
    with gridir.installed():
        got = pl.pallas_call(bits(dtype), out_shape=jax.ShapeDtypeStruct(expected.shape, dtype))(X)
    # CHECK-NEXT: bits of int32: None
    # CHECK-NEXT: bits of int16: None
    print(f"bits of {np.dtype(dtype)}: {difference(got, expected)}")

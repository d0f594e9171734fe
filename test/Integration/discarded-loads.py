# A load may leave its Ref where nothing depends on what is outside: a choice, a mask, a branch, another term of a
# condition or a slice of the value stands before each use, or only the next step of a loop uses it. Elements outside
# are unspecified, those inside are right. With the check "bounds" each of them is an error, as is without it a load
# whose value is used.
#
# RUN: %python %s | FileCheck %s

import functools
import re
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.checks import check_kernel
from gridir.testing import difference
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton

X = np.arange(30 * 20, dtype=np.float32).reshape(30, 20) + 1
ON_GPU = gridir.CpuOptions(
    pipeline="grid-to-gpu{path=mapped stop-after=mapped},gpu-unmap-loops{reverse=false},loops-to-cpu"
)
NO_CHECKS = pltpu.CompilerParams(disable_bounds_checks=True)

# For rows and columns: start, size and stride of the window.
WINDOWS = {
    "past the last row": ((26, 8, 1), (4, 8, 1)),
    "past the last column": ((2, 8, 1), (15, 8, 1)),
    "past both": ((26, 8, 1), (15, 8, 1)),
    "before the first row": ((-3, 8, 1), (4, 8, 1)),
    "before the first column": ((2, 8, 1), (-5, 8, 1)),
    "before both": ((-3, 8, 1), (-5, 8, 1)),
    "strided past the end": ((20, 8, 3), (4, 8, 2)),
    "strided before": ((-4, 8, 3), (-1, 8, 2)),
    "wholly outside": ((40, 8, 1), (4, 8, 1)),
    "larger than the array": ((-1, 40, 1), (-2, 24, 1)),
    "inside": ((3, 8, 1), (5, 8, 1)),
}


def coordinates(window: tuple) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows and columns of a window, and which of its elements are inside."""
    rows, columns = np.meshgrid(*(start + stride * np.arange(size) for start, size, stride in window), indexing="ij")
    return rows, columns, (rows >= 0) & (rows < X.shape[0]) & (columns >= 0) & (columns < X.shape[1])


def part(starts: Any, window: tuple) -> tuple:
    return tuple(pl.ds(starts[i], size, stride) for i, (_, size, stride) in enumerate(window))


# How the window is loaded and what of it is used.
def masked_store(x_ref, starts, mask, o_ref, window):
    triton.store(o_ref, triton.load(x_ref.at[part(starts, window)]) * 2 + 0, mask=mask)


def chosen(x_ref, starts, mask, o_ref, window):
    o_ref[...] = jnp.where(mask, x_ref[part(starts, window)] * 2, o_ref[...])


def carried(x_ref, starts, mask, o_ref, window):
    def body(_, total):
        return total + x_ref[part(starts, window)]

    triton.store(o_ref, jax.lax.fori_loop(0, 2, body, jnp.zeros(mask.shape, X.dtype)), mask=mask)


def reshaped(x_ref, starts, mask, o_ref, window):
    value = x_ref.at[part(starts, window)].reshape(mask.size)[...].reshape(mask.shape)
    o_ref[...] = jnp.where(mask, 2 * value, o_ref[...])


def transposed(x_ref, starts, mask, o_ref, window):
    swapped = x_ref.at[part(starts, window)].transpose((1, 0))[...]
    o_ref[...] = jnp.where(mask, 2 * swapped.T, o_ref[...])


def of_transposed(x_ref, starts, mask, o_ref, window):
    rows, columns = part(starts, window)
    value = x_ref.transpose((1, 0)).at[columns, rows][...].T
    o_ref[...] = jnp.where(mask, 2 * value, o_ref[...])


def gathered(x_ref, starts, mask, o_ref, window):
    rows = starts[0] + window[0][2] * jnp.arange(window[0][1])
    # JAX takes the last row for one past the end, and counts negative rows from there.
    value = x_ref.at[:, part(starts, window)[1]][rows, :]
    o_ref[...] = jnp.where(mask, 2 * value, o_ref[...])


def product(x_ref, starts, mask, o_ref, window):
    rows, _ = part(starts, window)
    whole = jnp.dot(x_ref[rows, :], jnp.eye(X.shape[1], dtype=X.dtype) * 2)
    start, size, stride = window[1]
    for column in range(size):
        if 0 <= start + stride * column < X.shape[1]:
            triton.store(o_ref.at[:, column], whole[:, start + stride * column], mask=mask[:, column])


LOADS = (masked_store, chosen, carried, reshaped, transposed, of_transposed, gathered, product)


def run_window(load: Callable[..., None], window: tuple) -> Any:
    def kernel(starts_ref, mask_ref, x_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)
        load(x_ref, starts_ref, mask_ref[...], o_ref, window)

    _, _, inside = coordinates(window)
    starts = np.array([start for start, _, _ in window], np.int32)
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(inside.shape, X.dtype))(starts, inside, X)


def message(run: Callable[[], Any], **options: Any) -> str:
    """The error of a call, or what it gives."""
    try:
        with gridir.installed(**options):
            return f"no error: {np.asarray(run()).ravel()[:8]}"
    except jax.errors.JaxRuntimeError as error:
        found = re.search(r"(index -?\d+ is out of bounds.*) \(.*discarded-loads.py:\d+:\d+\)", str(error))
        return found[1] if found else f"unlocated: {error}"


# CHECK-NOT: differs
# CHECK: cpu: 83 are right
# CHECK-NEXT: gpu: 83 are right
# CHECK-NEXT: checked: 70 of 70 that leave the array are errors
for name, options in (("cpu", None), ("gpu", ON_GPU)):
    right = 0
    for title, window in WINDOWS.items():
        rows, columns, inside = coordinates(window)
        values = X[np.clip(rows, 0, X.shape[0] - 1), np.clip(columns, 0, X.shape[1] - 1)]
        for load in LOADS:
            if load is gathered and min(window[0][0], window[1][0]) < 0:
                continue
            with gridir.installed(options=options):
                problem = difference(run_window(load, window), np.where(inside, 2 * values, 0))
            right += problem is None
            if problem:
                print(f"{name}: {title}: {load.__name__} differs: {problem}")
    print(f"{name}: {right} are right")

errors = bad = 0
for title, window in WINDOWS.items():
    for load in LOADS:
        inside = coordinates(window)[2]
        stays = {product: inside.any(axis=1), gathered: inside.any(axis=0)}.get(load, inside).all()
        if stays or (load is gathered and (min(window[0][0], window[1][0]) < 0 or not inside.any())):
            continue
        bad += 1
        text = message(functools.partial(run_window, load, window), checks=["bounds"])
        errors += text.startswith("index")
        if not text.startswith("index"):
            print(f"{title}: {load.__name__} is unchecked: {text}")
print(f"checked: {errors} of {bad} that leave the array are errors")

SLOTS = np.array([1, -1, 0, 9], np.int32)
LENGTHS = np.array([5, 7], np.int32)


def scalars(body: Callable[..., None], params: Any = None) -> Callable[[], Any]:
    """A call of a kernel that loads a length for each slot; a slot outside means that there is none."""

    def kernel(slot_ref, length_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)
        for i in range(4):
            body(slot_ref[i], length_ref, o_ref, i)

    smem = pl.BlockSpec(memory_space=pltpu.SMEM)
    call = pl.pallas_call(
        kernel,
        in_specs=[smem, smem],
        out_specs=smem,
        out_shape=jax.ShapeDtypeStruct((4,), jnp.int32),
        compiler_params=params,
    )
    return lambda: call(SLOTS, LENGTHS)


def is_used(slot: Any) -> Any:
    return (slot >= 0) & (slot < 2)


def by_select(slot, length_ref, o_ref, i):
    o_ref[i] = jnp.where(is_used(slot), length_ref[slot] + 1, 0)


def by_branch(slot, length_ref, o_ref, i):
    length = length_ref[slot]

    @pl.when(is_used(slot))
    def _():
        o_ref[i] = length + 1


def by_cond(slot, length_ref, o_ref, i):
    length = length_ref[slot]
    o_ref[i] = jax.lax.cond(is_used(slot), lambda: length + 1, lambda: jnp.int32(0))


def not_at_all(slot, length_ref, o_ref, i):
    _ = length_ref[slot] + 1
    o_ref[i] = slot


def anyway(slot, length_ref, o_ref, i):
    o_ref[i] = length_ref[slot]


def as_index(slot, length_ref, o_ref, i):
    o_ref[i] = jnp.where(is_used(slot), length_ref[length_ref[slot] - 6], 0)


def by_term(slot, length_ref, o_ref, i):
    o_ref[i] = jnp.where(is_used(slot) & (length_ref[slot] > 5), 1, 0)


def for_next_step(_, length_ref, o_ref, i):
    def step(j, length):
        o_ref[j] = length + i
        return length_ref[j + 1]

    jax.lax.fori_loop(0, 2, step, length_ref[0])


def for_result(_, length_ref, o_ref, i):
    o_ref[i] = jax.lax.fori_loop(0, 3, lambda j, total: total + length_ref[j], 0)


def as_condition(slot, length_ref, o_ref, i):
    o_ref[i] = jnp.where(length_ref[slot] > 5, 1, 0)


# CHECK-NEXT: by_select: no error: [8 0 6 0]
# CHECK-NEXT: by_branch: no error: [8 0 6 0]
# CHECK-NEXT: by_cond: no error: [8 0 6 0]
# CHECK-NEXT: not_at_all: no error: [ 1 -1 0 9]
# CHECK-NEXT: by_term: no error: [1 0 0 0]
# CHECK-NEXT: for_next_step: no error: [ 8 10 0 0]
# CHECK-NEXT: for_result: index 2 is out of bounds [0, 2) in dimension 0 of length_ref
# CHECK-NEXT: anyway: index -1 is out of bounds [0, 2) in dimension 0 of length_ref
# CHECK-NEXT: as_index: index -1 is out of bounds [0, 2) in dimension 0 of length_ref
# CHECK-NEXT: as_condition: index -1 is out of bounds [0, 2) in dimension 0 of length_ref
for body in (
    by_select,
    by_branch,
    by_cond,
    not_at_all,
    by_term,
    for_next_step,
    for_result,
    anyway,
    as_index,
    as_condition,
):
    print(f"{body.__name__}:", re.sub(" +", " ", message(scalars(body))))
# CHECK-NEXT: by_select, checked: index -1 is out of bounds [0, 2) in dimension 0 of length_ref
# CHECK-NEXT: anyway, unchecked: no error
# CHECK-NEXT: anyway, unchecked but checked: index -1 is out of bounds
print("by_select, checked:", message(scalars(by_select), checks=["bounds"]))
print("anyway, unchecked:", message(scalars(anyway, NO_CHECKS)))
print("anyway, unchecked but checked:", message(scalars(anyway, NO_CHECKS), checks=["bounds"]))


def stored_past_the_end(start_ref, x_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[pl.ds(start_ref[0], 8), :] = x_ref[pl.ds(start_ref[0], 8), :]


def store_past_the_end(params: Any = None) -> Any:
    shape = jax.ShapeDtypeStruct(X.shape, X.dtype)
    return pl.pallas_call(stored_past_the_end, out_shape=shape, compiler_params=params)(np.int32([26]), X)


# Stores outside are omitted without a check.
# CHECK-NEXT: store: index 26 is out of bounds
# CHECK-NEXT: unchecked store: None
print("store:", message(store_past_the_end))
with gridir.installed():
    rest = np.where(np.arange(X.shape[0])[:, None] >= 26, X, 0)
    print("unchecked store:", difference(store_past_the_end(NO_CHECKS), rest))


# A product of groups of rows, as Triton kernels do it: a tile of rows may have those of the next group, or none.
def ragged_dot(x_ref, w_ref, lo_ref, hi_ref, o_ref):
    group, tile = pl.program_id(0), pl.program_id(1)
    start, end = lo_ref[group] + tile * 8, hi_ref[group]

    @pl.when(start < end)
    def _():
        rows = pl.ds(start, 8)

        def body(k, total):
            depth = pl.ds(k * 16, 16)
            a = triton.load(x_ref.at[rows, depth], mask=(k * 16 + jnp.arange(16) < X.shape[1])[None, :], other=0)
            b = triton.load(w_ref.at[group, depth, :])  # past the end in the last step, where a is 0
            return total + jnp.dot(a, b)

        total = jax.lax.fori_loop(0, pl.cdiv(X.shape[1], 16), body, jnp.zeros((8, 4), jnp.float32))
        triton.store(o_ref.at[rows, :], total, mask=(start + jnp.arange(8) < end)[:, None])


LO, HI = np.array([0, 5, 11], np.int32), np.array([5, 11, 30], np.int32)
W = np.random.default_rng(0).normal(size=(3, 20, 4)).astype(np.float32)


def run_ragged_dot() -> Any:
    call = pl.pallas_call(
        ragged_dot,
        grid=(3, 4),
        out_shape=jax.ShapeDtypeStruct((30, 4), jnp.float32),
        compiler_params=triton.CompilerParams(num_warps=4),
    )
    return call(X, W, LO, HI)


expected = np.concatenate([X[lo:hi] @ w for lo, hi, w in zip(LO, HI, W, strict=True)])
# CHECK-NEXT: ragged dot: None
with gridir.installed():
    print("ragged dot:", difference(run_ragged_dot(), expected, 1e-5))


# Proved without a run: the load may exceed the array, and no result may depend on that.
def halves(x_ref, o_ref):
    rows = pl.ds(pl.program_id(0) * 8, 8)
    value = triton.load(x_ref.at[rows, :])
    triton.store(o_ref.at[rows, :], value, mask=(pl.program_id(0) * 8 + jnp.arange(8) < X.shape[0])[:, None])


def run_halves(x: Any) -> Any:
    return pl.pallas_call(halves, grid=(4,), out_shape=jax.ShapeDtypeStruct(X.shape, X.dtype))(x)


# CHECK-NEXT: unknown in-bounds x_ref
# CHECK-NEXT: unknown in-bounds o_ref
[kernel] = gridir.lower(run_halves, X).kernels
for check in check_kernel(kernel, ["in-bounds"]).checks:
    print(check.verdict, check.check, check.subject)


def tail(x_ref, o_ref):
    """The last block is loaded whole, at a position that is known."""
    rows = pl.ds(pl.program_id(0) * 32, 32)
    inside = pl.program_id(0) * 32 + jnp.arange(32) < 100
    triton.store(o_ref.at[rows], triton.load(x_ref.at[rows]) * 2, mask=inside)


# CHECK: on a GPU: True
with gridir.installed(emulate="gpu:sm_90a"):
    call = pl.pallas_call(tail, grid=(4,), out_shape=jax.ShapeDtypeStruct((100,), X.dtype))
    print("on a GPU:", np.array_equal(call(X.ravel()[:100]), X.ravel()[:100] * 2))

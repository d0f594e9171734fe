# Masked elements are not accessed: a masked window may exceed its Ref there, at either end of each dimension, and an
# unmasked element outside is an error with its line. On the CPU, and as mapped to a GPU.
#
# RUN: %python %s | FileCheck %s

import itertools
import re
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton

ON_TPU = gridir.CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu", platform="tpu")
ON_GPU = gridir.CpuOptions(
    pipeline="grid-to-gpu{path=mapped stop-after=mapped},gpu-unmap-loops{reverse=false},loops-to-cpu"
)
X = np.arange(8 * 16, dtype=np.float32).reshape(8, 16)
OTHER = -7

# For rows and for columns: the start, which the kernel reads unless it is 0, the size and the stride; or the start
# alone of one row.
Part = tuple[int, int, int] | int
WINDOWS: dict[str, tuple[Part, Part]] = {
    "inside": ((1, 4, 1), (2, 8, 1)),
    "before the beginning": ((0, 8, 1), (-3, 6, 1)),
    "past the end": ((0, 8, 1), (13, 6, 1)),
    "past both": ((6, 6, 1), (13, 6, 1)),
    "before both": ((-2, 6, 1), (-3, 6, 1)),
    "strided past the end": ((0, 8, 1), (9, 4, 3)),
    "strided before": ((1, 3, 2), (-4, 6, 5)),
    "wholly past": ((0, 8, 1), (20, 4, 1)),
    "wholly before": ((-20, 4, 1), (0, 16, 1)),
    "larger": ((0, 8, 1), (-3, 24, 1)),
    "no such row": (20, (3, 4, 1)),
    "no row before": (-9, (3, 4, 1)),
    "no such row of a window that is known": (20, (0, 4, 1)),
    "a row, past the end": (2, (13, 6, 1)),
}


def positions(part: Part) -> np.ndarray:
    return np.array([part]) if isinstance(part, int) else part[0] + part[2] * np.arange(part[1])


def index(part: Part, start: Any) -> Any:
    return start if isinstance(part, int) else pl.ds(start if part[0] else 0, part[1], part[2])


def hidden(window: tuple[Part, Part]) -> np.ndarray:
    """A mask that hides what is outside, and some of what is inside."""
    rows, columns = np.meshgrid(*map(positions, window), indexing="ij")
    inside = (rows >= 0) & (rows < 8) & (columns >= 0) & (columns < 16)
    return (inside & ((rows + columns) % 5 != 0)).reshape([p[1] for p in window if not isinstance(p, int)])


def load(ref, mask, x_ref, o_ref):
    o_ref[...] = triton.load(ref(x_ref), mask=mask, other=OTHER)


def load_from_a_window(ref, mask, x_ref, o_ref):
    inner = tuple(pl.ds(1, size - 1) for size in mask.shape)
    o_ref[...] = jnp.full(o_ref.shape, OTHER, o_ref.dtype)
    within = tuple(slice(1, None) for _ in mask.shape)
    o_ref[within] = triton.load(ref(x_ref).at[inner], mask=mask[within], other=OTHER)


def load_rows(ref, mask, x_ref, o_ref):
    o_ref[...] = triton.load(ref(x_ref, rows_are_array=True), mask=mask, other=OTHER)


def store(ref, mask, x_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)
    triton.store(ref(o_ref), jnp.ones(mask.shape, o_ref.dtype), mask=mask)


def atomic(ref, mask, x_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)
    window = ref(o_ref)
    triton.atomic_add(window.ref, window.transforms[0].indices, jnp.ones(mask.shape, o_ref.dtype), mask=mask)


def loaded(window: tuple[Part, Part], mask: np.ndarray) -> np.ndarray:
    rows, columns = np.meshgrid(*map(positions, window), indexing="ij")
    values = X[np.clip(rows, 0, 7), np.clip(columns, 0, 15)].reshape(mask.shape)
    return np.where(mask, values, np.float32(OTHER))


def loaded_within(window: tuple[Part, Part], mask: np.ndarray) -> np.ndarray:
    result = np.full(mask.shape, OTHER, np.float32)
    within = tuple(slice(1, None) for _ in mask.shape)
    result[within] = loaded(window, mask)[within]
    return result


def stored(window: tuple[Part, Part], mask: np.ndarray) -> np.ndarray:
    rows, columns = np.meshgrid(*map(positions, window), indexing="ij")
    result, mask = np.zeros_like(X), mask.reshape(rows.shape)
    result[rows[mask], columns[mask]] = 1
    return result


Access = Callable[..., None]
Result = Callable[[tuple[Part, Part], np.ndarray], np.ndarray]
ACCESSES: list[tuple[Access, Result]] = [
    (load, loaded),
    (load_from_a_window, loaded_within),
    (load_rows, loaded),
    (store, stored),
    (atomic, stored),
]


def run(access: Access, window: tuple[Part, Part], mask: np.ndarray, shape: tuple[int, ...]) -> Any:
    def kernel(starts_ref, mask_ref, x_ref, o_ref):
        def ref(array, rows_are_array=False):
            indices = [index(part, starts_ref[i]) for i, part in enumerate(window)]
            if rows_are_array:
                indices[0] = starts_ref[0] + window[0][2] * jnp.arange(window[0][1])
            return array.at[tuple(indices)]

        access(ref, mask_ref[...], x_ref, o_ref)

    starts = np.array([part if isinstance(part, int) else part[0] for part in window], np.int32)
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(shape, X.dtype))(starts, mask, X)


# CHECK-NOT: differ
# CHECK: cpu: 60 are right, 46 of 46 that the mask does not hide are errors
# CHECK-NEXT: gpu: 60 are right, 46 of 46 that the mask does not hide are errors
for target, options in (("cpu", None), ("gpu", ON_GPU)):
    right = errors = bad = 0
    for (name, window), (access, result) in itertools.product(WINDOWS.items(), ACCESSES):
        if isinstance(window[0], int) and access in (load_from_a_window, load_rows):
            continue
        # An array counts rows that are negative from the end.
        if access is load_rows and window[0][0] < 0:
            continue
        mask = hidden(window)
        want = result(window, mask)
        with gridir.installed(options=options):
            problem = difference(run(access, window, mask, want.shape), want)
        right += problem is None
        if problem:
            print(f"{target}: {name}: {access.__name__}: {problem}")
        # The last element, where it is outside, is let through.
        outside = [p[-1] < 0 or p[-1] >= extent for p, extent in zip(map(positions, window), X.shape, strict=True)]
        if not any(outside):
            continue
        bad += 1
        mask.flat[-1] = True
        try:
            with gridir.installed(options=options):
                jax.block_until_ready(run(access, window, mask, want.shape))
            print(f"{target}: {name}: {access.__name__}: differs, as it is no error")
        except jax.errors.JaxRuntimeError as error:
            errors += bool(re.search(r"index -?\d+ is out of bounds \[0, \d+\).* \(.*masks.py:\d+:\d+\)", str(error)))
    print(f"{target}: {right} are right, {errors} of {bad} that the mask does not hide are errors")


# Windows that overlap are no race where the masks choose elements of each program's own.
def ragged(begin_ref, end_ref, x_ref, o_ref):
    begin, end = begin_ref[pl.program_id(0)], end_ref[pl.program_id(0)]
    window = pl.ds(begin, 8)
    mine = begin + jnp.arange(8) < end
    value = triton.load(x_ref.at[window], mask=mine, other=0)
    triton.store(o_ref.at[window], 2 * value, mask=mine)


def rows_of(begins: list[int], ends: list[int]) -> str | None:
    call = pl.pallas_call(
        ragged,
        out_shape=jax.ShapeDtypeStruct((16,), X.dtype),
        grid=(4,),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)),
    )
    try:
        with gridir.installed(checks=["races"]):
            return difference(call(np.int32(begins), np.int32(ends), X[0]), 2 * X[0])
    except jax.errors.JaxRuntimeError as error:
        return re.sub(r".*(race between \w+).*", r"\1", str(error))


# CHECK-NEXT: ragged: None
print("ragged:", rows_of([0, 3, 7, 12], [3, 7, 12, 16]))
# CHECK-NEXT: overlapping: race between write
print("overlapping:", rows_of([0, 3, 7, 12], [4, 7, 12, 16]))


# A TPU takes masked windows whose start is computed, too.
def tiles(start_ref, mask_ref, x_ref, o_ref):
    window = pl.ds(pl.multiple_of(start_ref[0], 8), 8)
    o_ref[...] = jnp.zeros_like(o_ref)
    mask = mask_ref[...] != 0
    triton.store(o_ref.at[window], triton.load(x_ref.at[window], mask=mask, other=OTHER), mask=mask)


rows = np.arange(32 * 128, dtype=np.float32).reshape(32, 128)
chosen = np.arange(8 * 128).reshape(8, 128) % 5 != 0
expected = np.zeros_like(rows)
expected[16:24] = np.where(chosen, rows[16:24], 0)
call = pl.pallas_call(
    tiles,
    out_shape=jax.typeof(jnp.asarray(rows)),
    grid_spec=pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(1,),
        in_specs=[pl.BlockSpec((8, 128), lambda i, _: (0, 0)), pl.BlockSpec((32, 128), lambda i, _: (0, 0))],
        out_specs=pl.BlockSpec((32, 128), lambda i, _: (0, 0)),
    ),
)
# CHECK-NEXT: tpu: None
with gridir.installed(options=ON_TPU):
    print("tpu:", difference(call(np.int32([16]), np.int32(chosen), rows), expected))

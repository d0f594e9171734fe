# Kernels at the edges of what passes decide: spans of strided accesses, limits of slices, permutations that are not
# their own inverse, atomics against NaN. Each against NumPy, on every stage that executes it.
#
# RUN: %python %s | FileCheck %s

import functools
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from gridir.testing import difference, mosaic_interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton

F32 = jnp.float32
ANYWHERE = pl.BlockSpec(memory_space=pl.ANY)
X = np.arange(8 * 128, dtype=np.float32).reshape(8, 128)
CUBE = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)


def through(pipeline: str, platform: str = "cpu") -> Callable[[], Any]:
    return lambda: gridir.installed(options=gridir.CpuOptions(pipeline=pipeline, platform=platform))


MAPPED = "grid-to-gpu{{path=mapped stop-after=mapped}},gpu-unmap-loops{{reverse={}}},loops-to-cpu"
STAGES = {
    "cpu": gridir.installed,
    "tpu": through("grid-to-tpu{stop-after=tpu},tpu-to-cpu", "tpu"),
    "mosaic": mosaic_interpreted,
    "gpu": through(MAPPED.format("false")),
    "gpu-reversed": through(MAPPED.format("true")),
    **{chip: functools.partial(gridir.installed, emulate=f"gpu:{chip}") for chip in ("sm_80", "sm_90a", "sm_100a")},
}
ROWS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], Any]] = {}


def row(want: Any, *args: Any, **options: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Adds a kernel whose outputs are like `want` and equal to it."""

    def register(kernel: Callable[..., None]) -> Callable[..., None]:
        out = jax.tree.map(lambda array: jax.ShapeDtypeStruct(array.shape, array.dtype), want)
        ROWS[kernel.__name__] = (pl.pallas_call(kernel, out_shape=out, **options), args, want)
        return kernel

    return register


# The stored rows lie between the rows that the load has read.
def strided_then_stored_want() -> np.ndarray:
    rows = X[1:7:2] * 2
    o = X.copy()
    o[2:5] = -1
    o[0:3] = rows
    return o


@row(strided_then_stored_want(), X)
def strided_then_stored(x_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...]
    rows = o_ref[pl.ds(1, 3, 2)]
    o_ref[2:5] = jnp.full((3, 128), -1, F32)
    o_ref[0:3] = rows * 2


# The last of three elements of stride 3 is the last of the Ref.
@row(np.concatenate([X[1:8:3], X[:5]]), X)
def strided_to_the_end(x_ref: Any, o_ref: Any) -> None:
    o_ref[:3] = x_ref[pl.ds(1, 3, 3)]
    o_ref[3:] = x_ref[:5]


# So are the last three rows from an offset, though three times three rows from there end after the Ref.
@row(X[1:8:3] + X[0:7:3], np.array([1], np.int32), X)
def strided_from_anywhere(i_ref: Any, x_ref: Any, o_ref: Any) -> None:
    first = i_ref[0]
    o_ref[...] = x_ref[pl.ds(first, 3, stride=3)] + x_ref[pl.ds(first - 1, 3, stride=3)]


# Slices of at most 4 rows: of rows 1 to 3, 3 to 7 and 7 to 8, only what is asked for is written.
BOUNDS = np.array([1, 3, 7, 8], np.int32)


@row(
    np.concatenate([np.zeros((1, 128), np.float32), X[1:3] + 1, X[3:7] + 2, X[7:8] + 3]),
    BOUNDS,
    X,
    np.zeros_like(X),
    grid_spec=pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(3,),
        in_specs=[
            pl.BlockSpec((pl.BoundedSlice(4), 128), lambda i, bounds: (pl.ds(bounds[i], bounds[i + 1] - bounds[i]), 0)),
            ANYWHERE,
        ],
        out_specs=pl.BlockSpec(
            (pl.BoundedSlice(4), 128), lambda i, bounds: (pl.ds(bounds[i], bounds[i + 1] - bounds[i]), 0)
        ),
    ),
    input_output_aliases={2: 0},
)
def bounded_slices(bounds_ref: Any, x_ref: Any, _: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...] + (pl.program_id(0) + 1).astype(F32)


# The block overhangs, and the first store is masked: what neither the mask nor the array lets through stays.
TALL = np.arange(12 * 128, dtype=np.float32).reshape(12, 128)


def masked_alias_want() -> np.ndarray:
    o = TALL.copy()
    o[:, ::2] = -TALL[:, ::2]
    return o


@row(
    masked_alias_want(),
    TALL,
    grid=(2,),
    in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
    input_output_aliases={0: 0},
)
def masked_overhanging_alias(x_ref: Any, o_ref: Any) -> None:
    even = jax.lax.broadcasted_iota(jnp.int32, (8, 128), 1) % 2 == 0
    pltpu.store(o_ref, -x_ref[...], mask=even)


# NaN is equal to nothing, so that no exchange takes place.
@row(
    (np.float32([np.nan, 5]), np.float32([np.nan, 2])),
    np.float32([np.nan, 2]),
    grid=(2,),
    in_specs=[pl.BlockSpec((None,), lambda i: (i,))],
    out_specs=[pl.BlockSpec((None,), lambda i: (i,))] * 2,
)
def compare_and_swap(x_ref: Any, o_ref: Any, old_ref: Any) -> None:
    o_ref[...] = x_ref[...]
    old_ref[...] = triton.atomic_cas(o_ref, x_ref[...], jnp.float32(5))


# One semaphore counts two copies of complex numbers, with a wait for each.
COMPLEX = (X[:, :4] + 1j * X[:, 4:8]).astype(np.complex64)


@row(
    COMPLEX[::-1].reshape(2, 4, 4)[:, ::-1].reshape(8, 4),
    COMPLEX,
    in_specs=[ANYWHERE],
    out_specs=ANYWHERE,
    scratch_shapes=[pltpu.SemaphoreType.DMA],
)
def complex_copies(x_ref: Any, o_ref: Any, sem: Any) -> None:
    halves = [
        pltpu.make_async_copy(x_ref.at[pl.ds(4 * (1 - half), 4)], o_ref.at[pl.ds(4 * half, 4)], sem) for half in (0, 1)
    ]
    for copy in halves:
        copy.start()
    for copy in halves:
        copy.wait()


# A permutation that is not its own inverse, through a Ref and of a value.
@row(np.transpose(CUBE, (1, 2, 0)) * 2, CUBE.transpose(1, 2, 0).copy())
def stored_transposed(x_ref: Any, o_ref: Any) -> None:
    pltpu.store(o_ref.transpose((2, 0, 1)), jnp.transpose(x_ref[...], (2, 0, 1)) * 2)


LEFT = np.arange(3 * 4 * 2, dtype=np.float32).reshape(3, 4, 2)
RIGHT = np.arange(2 * 4 * 5, dtype=np.float32).reshape(2, 4, 5)


@row(np.einsum("mkb,bkn->bmn", LEFT, RIGHT), LEFT, RIGHT)
def transposed_into_batched_dot(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
    left = jnp.transpose(x_ref[...], (2, 0, 1))
    o_ref[...] = jax.lax.dot_general(left, y_ref[...], (((2,), (1,)), ((0,), (0,))), preferred_element_type=F32)


# Offsets in both dimensions, one of them clamped.
def updated_want() -> np.ndarray:
    o = X[:, :16].copy()
    o[2:5, 11:16] = -1
    return o


@row(updated_want(), np.array([2, 14], np.int32), X[:, :16].copy())
def update_in_two_dimensions(i_ref: Any, x_ref: Any, o_ref: Any) -> None:
    patch = jnp.full((3, 5), -1, F32)
    o_ref[...] = jax.lax.dynamic_update_slice(x_ref[...], patch, (i_ref[0], i_ref[1]))


# A slice that lies across the seam of two different halves.
@row(np.concatenate([X[:, :8], -X[:, :8]])[5:11], np.array([5], np.int32), X[:, :8].copy())
def slice_of_concatenation(i_ref: Any, x_ref: Any, o_ref: Any) -> None:
    both = jnp.concatenate([x_ref[...], -x_ref[...]])
    o_ref[...] = jax.lax.dynamic_slice(both, (i_ref[0], 0), (6, 8))


# Numbers halfway between two powers of two, and beside them.
TIES = np.float32([1.5, 3, 6, 0.75, np.nextafter(np.float32(1.5), np.float32(0)), 1.5000001, 2.0**-127, 1, 2, 96])


@row(TIES.astype(ml_dtypes.float8_e8m0fnu).astype(np.float32), TIES)
def ties_of_e8m0(x_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...].astype(jnp.float8_e8m0fnu).astype(F32)


# A stage that refuses a kernel is not listed: it lacks the block, the type or the primitive; e8m0 begins with sm_89. An
# output that a mask leaves partly unwritten keeps the array's elements but for a TPU, where no window of an output is
# read from the array.
#
# CHECK:      strided_then_stored: cpu tpu mosaic gpu gpu-reversed sm_80 sm_90a sm_100a
# CHECK-NEXT: strided_to_the_end: cpu tpu mosaic gpu gpu-reversed sm_80 sm_90a sm_100a
# CHECK-NEXT: strided_from_anywhere: cpu tpu mosaic gpu gpu-reversed sm_80 sm_90a sm_100a
# CHECK-NEXT: bounded_slices: cpu gpu gpu-reversed sm_80 sm_90a sm_100a
# CHECK-NEXT: masked_overhanging_alias on mosaic: 768 of 1536 elements differ, at (0, 1) expected 1.0, got nan
# CHECK-NEXT: masked_overhanging_alias: cpu tpu gpu gpu-reversed sm_80 sm_90a sm_100a
# CHECK-NEXT: compare_and_swap: cpu gpu gpu-reversed sm_80 sm_90a sm_100a
# CHECK-NEXT: complex_copies: cpu
# CHECK-NEXT: stored_transposed: cpu tpu mosaic gpu gpu-reversed sm_80 sm_90a sm_100a
# CHECK-NEXT: transposed_into_batched_dot: cpu tpu mosaic gpu gpu-reversed sm_80 sm_90a sm_100a
# CHECK-NEXT: update_in_two_dimensions: cpu tpu mosaic gpu gpu-reversed sm_80 sm_90a sm_100a
# CHECK-NEXT: slice_of_concatenation: cpu tpu mosaic gpu gpu-reversed sm_80 sm_90a sm_100a
# CHECK-NEXT: ties_of_e8m0: cpu tpu mosaic gpu gpu-reversed sm_90a sm_100a
for name, (call, args, want) in ROWS.items():
    equal = []
    for stage, entered in STAGES.items():
        try:
            with entered():
                got = jax.jit(lambda *arrays, call=call: call(*arrays))(*args)
        except gridir.Error:
            continue
        problems = list(filter(None, map(difference, jax.tree.leaves(got), jax.tree.leaves(want))))
        for problem in problems:
            print(f"{name} on {stage}: {problem}")
        if not problems:
            equal.append(stage)
    print(f"{name}: {' '.join(equal)}")

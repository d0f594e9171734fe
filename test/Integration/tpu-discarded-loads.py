# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s | FileCheck %s

# The interpreter of Mosaic modules lets a load leave its memref where nothing need depend on what is outside, and with
# the author's `disable_bounds_checks` any load and store. Otherwise it is an error with the author's line.
import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import mosaic_interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

SMEM = pl.BlockSpec(memory_space=pltpu.SMEM)
SLOTS = jnp.array([0, -1, 1, 9], jnp.int32)
LENGTHS = jnp.array([5, 7], jnp.int32)
ROWS = jnp.arange(16 * 128, dtype=jnp.float32).reshape(16, 128)


def run(kernel, out, *args, unchecked=False):
    """What a kernel gives in the interpreter, or the first line of its error."""
    specs = [SMEM if x.size < 128 else pl.BlockSpec() for x in args]
    call = pl.pallas_call(
        kernel,
        in_specs=specs,
        out_specs=SMEM if out.size < 128 else pl.BlockSpec(),
        out_shape=jax.ShapeDtypeStruct(out.shape, out.dtype),
        compiler_params=pltpu.CompilerParams(disable_bounds_checks=unchecked),
    )
    try:
        with mosaic_interpreted(), gridir.tpu.chip("v6e"):
            return np.asarray(jax.jit(call)(*args))
    except Exception as error:
        return str(error)


def expect(name, got, want):
    right = want in got if isinstance(got, str) and isinstance(want, str) else np.array_equal(got, want)
    print(f"{name}: {'right' if right else got}")


def chosen(slot_ref, length_ref, o_ref):
    for i in range(4):
        s = slot_ref[i]
        o_ref[i] = jnp.where((s >= 0) & (s < 2), length_ref[s], 0)


def computed_with(slot_ref, length_ref, o_ref):
    for i in range(4):
        s = slot_ref[i]
        o_ref[i] = jnp.where((s >= 0) & (s < 2), (length_ref[s] + 1) * 2 - s, -1)


def carried(slot_ref, length_ref, o_ref):
    def body(i, total):
        s = slot_ref[i]
        return total + jnp.where((s >= 0) & (s < 2), length_ref[s], 0)

    o_ref[0] = jax.lax.fori_loop(0, 4, body, 0)


def branched(slot_ref, length_ref, o_ref):
    for i in range(4):
        s = slot_ref[i]
        length = length_ref[s]
        o_ref[i] = 0

        @pl.when((s >= 0) & (s < 2))
        def _(i=i, length=length):
            o_ref[i] = length


def used(slot_ref, length_ref, o_ref):
    for i in range(4):
        o_ref[i] = length_ref[slot_ref[i]]


def an_index(slot_ref, length_ref, o_ref):
    for i in range(4):
        o_ref[i] = slot_ref[length_ref[slot_ref[i]] - 5]


def stored(slot_ref, length_ref, o_ref):
    for i in range(4):
        o_ref[i] = 0
    for i in range(4):
        o_ref[slot_ref[i]] = length_ref[i % 2]


# CHECK: chosen: right
expect("chosen", run(chosen, SLOTS, SLOTS, LENGTHS), [5, 0, 7, 0])
# CHECK-NEXT: computed with: right
expect("computed with", run(computed_with, SLOTS, SLOTS, LENGTHS), [12, -1, 15, -1])
# CHECK-NEXT: carried: right
expect("carried", run(carried, SLOTS[:1], SLOTS, LENGTHS), [12])
# CHECK-NEXT: branched: right
expect("branched", run(branched, SLOTS, SLOTS, LENGTHS), [5, 0, 7, 0])
# CHECK-NEXT: used: right
expect("used", run(used, SLOTS, SLOTS, LENGTHS), "out of bounds of (2,)")
# CHECK-NEXT: an index: right
expect("an index", run(an_index, SLOTS, SLOTS, LENGTHS), "out of bounds of (2,)")
# CHECK-NEXT: stored: right
expect("stored", run(stored, SLOTS, SLOTS, LENGTHS), "out of bounds of (4,)")

# Without checks the elements inside are right.
# CHECK-NEXT: unchecked chosen: right
expect("unchecked chosen", run(chosen, SLOTS, SLOTS, LENGTHS, unchecked=True), [5, 0, 7, 0])
got = run(used, SLOTS, SLOTS, LENGTHS, unchecked=True)
# CHECK-NEXT: unchecked used: right
expect("unchecked used", got[[0, 2]], [5, 7])
# CHECK-NEXT: unchecked stored: right
expect("unchecked stored", run(stored, SLOTS, SLOTS, LENGTHS, unchecked=True), [5, 5, 0, 0])


# Rows past the end, and before the beginning.
def rows(first, masked):
    def kernel(start_ref, x_ref, o_ref):
        start = start_ref[0]
        values = x_ref[pl.ds(start, 8), :] * 2
        row = start + jax.lax.broadcasted_iota(jnp.int32, (8, 128), 0)
        inside = (row >= 0) & (row < 16)
        o_ref[...] = jnp.where(inside, values, -1) if masked else values

    index = np.arange(first, first + 8)
    want = np.where(((index >= 0) & (index < 16))[:, None], np.asarray(ROWS)[index.clip(0, 15)] * 2, -1)
    return kernel, want, jnp.array([first], jnp.int32)


for first in (12, -3, 40, 4):
    kernel, want, start = rows(first, True)
    # CHECK-COUNT-4: masked: right
    expect(f"rows from {first}, masked", run(kernel, want, start, ROWS), want)
kernel, want, start = rows(12, False)
# CHECK-NEXT: rows from 12: right
expect("rows from 12", run(kernel, want, start, ROWS), "out of bounds of (16, 128)")
# CHECK-NEXT: unchecked rows from 12: right
expect("unchecked rows from 12", run(kernel, want, start, ROWS, unchecked=True)[:4], want[:4])

# Windows at positions that are data, some of whose elements lie outside of their Ref and are discarded, beside products
# of matrices: on a GPU the products are those of warpgroups, and the elements inside of the Ref are right.
#
# RUN: %python %s | FileCheck %s

from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as pltriton

X = (np.arange(48 * 32) % 13).astype(np.float32).reshape(48, 32)
W = (np.arange(32 * 64) % 7).astype(np.float32).reshape(32, 64)
STARTS = (-20, -5, 0, 20, 32, 40, 60)


def dot(x: Any, w: Any) -> Any:
    return jnp.dot(x, w, preferred_element_type=jnp.float32)


def inside(start: Any, size: int = 16, extent: int = 48) -> Any:
    positions = start + jnp.arange(size)
    return (positions >= 0) & (positions < extent)


def selected(i_ref, x_ref, w_ref, o_ref):
    x = jnp.where(inside(i_ref[0])[:, None], x_ref[pl.ds(i_ref[0], 16), :], 0.0)
    o_ref[...] = dot(x, w_ref[...])


def of_columns(i_ref, x_ref, w_ref, o_ref):
    columns = jnp.where(inside(i_ref[0], 32, 32)[None, :], x_ref[:16, pl.ds(i_ref[0], 32)], 0.0)
    o_ref[...] = dot(columns, w_ref[...])


def strided(i_ref, x_ref, w_ref, o_ref):
    rows = i_ref[0] + 2 * jnp.arange(16)
    x = jnp.where(((rows >= 0) & (rows < 48))[:, None], x_ref[pl.ds(i_ref[0], 16, 2), :], 0.0)
    o_ref[...] = dot(x, w_ref[...])


def in_loop(i_ref, x_ref, w_ref, o_ref):
    def body(step, total):
        start = i_ref[0] + step * 16
        return total + dot(jnp.where(inside(start)[:, None], x_ref[pl.ds(start, 16), :], 0.0), w_ref[...])

    o_ref[...] = lax.fori_loop(0, 2, body, jnp.zeros((16, 64), jnp.float32))


def in_branch(i_ref, x_ref, w_ref, o_ref):
    x = x_ref[pl.ds(i_ref[0], 16), :]
    o_ref[...] = jnp.zeros_like(o_ref)

    @pl.when((i_ref[0] >= 0) & (i_ref[0] <= 32))
    def _():
        o_ref[...] = dot(x, w_ref[...])


def masked_store(i_ref, x_ref, w_ref, o_ref):
    y = dot(x_ref[pl.ds(i_ref[0], 16), :], w_ref[...])
    o_ref[...] = jnp.zeros_like(o_ref)
    pltriton.store(o_ref, y, mask=jnp.broadcast_to(inside(i_ref[0])[:, None], (16, 64)))


def expected(kernel: Callable[..., None], start: int) -> np.ndarray:
    padded = np.zeros((48 + 400, 32 + 400), np.float32)
    padded[200:248, 200:232] = X
    rows = padded[200 + start : 200 + start + 64, 200:232]
    if kernel is of_columns:
        return padded[200:216, 200 + start : 232 + start] @ W
    if kernel is strided:
        return rows[:32:2] @ W
    if kernel is in_loop:
        return (rows[:16] + rows[16:32]) @ W
    if kernel is in_branch and not 0 <= start <= 32:
        return np.zeros((16, 64), np.float32)
    return rows[:16] @ W


wrong = []
for kernel in (selected, of_columns, strided, in_loop, in_branch, masked_store):
    call = jax.jit(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((16, 64), jnp.float32)))
    for target, options in (("cpu", {}), ("gpu", {"emulate": "gpu:sm_90a"})):
        with gridir.installed(**options):
            for start in STARTS:
                got = np.asarray(call(np.array([start], np.int32), X, W))
                if not np.array_equal(got, expected(kernel, start)):
                    wrong.append((kernel.__name__, target, start))
    jax.clear_caches()
    [lowered] = gridir.lower(call, np.array([0], np.int32), X, W, target="gpu:sm_90a").kernels
    if "mma" not in lowered.text("program"):
        print(f"{kernel.__name__} is not a program of warpgroups")
# CHECK-NOT: is not a program
# CHECK: wrong: []
print("wrong:", wrong)

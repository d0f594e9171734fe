# The check `written` proves the common forms of stores that are masked, or that a pipeline makes; it proves none of
# their variants that leave elements out.
#
# RUN: %python %s | FileCheck %s

from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
from gridir.compiler.checks import check_kernel
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import triton as pltriton


def floats(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def look(name: str, function: Callable[..., Any], *args: Any) -> None:
    [kernel] = gridir.lower(function, *args).kernels
    [check] = check_kernel(kernel, ["written"]).checks
    print(f"{name}: {check.verdict}")


def whole(body: Callable[..., None], grid: tuple[int, ...], *shape: int) -> Callable[..., Any]:
    return pl.pallas_call(
        body, grid=grid, in_specs=[pl.no_block_spec], out_specs=pl.no_block_spec, out_shape=floats(*shape)
    )


# Blocks of 256 elements, as of kernels for Triton -----------------------------------------------------------------


def blocks(mask: Callable[[Any, Any], Any], step: int = 256, by_indices: bool = False) -> Callable[..., None]:
    def body(x_ref, o_ref):
        start = pl.program_id(0) * step
        indices = start + jnp.arange(256)
        part = indices if by_indices else pl.ds(start, 256)
        pltriton.store(o_ref.at[part], jnp.ones(256), mask=mask(indices, x_ref))

    return body


N = 1000
for name, mask in {
    "below": lambda i, _: i < N,
    "two bounds": lambda i, _: (i >= 0) & (i <= N - 1),
    "not above": lambda i, _: ~(i > N - 1),
    "either": lambda i, _: (i < 5) | (i < N + 7),
    "one less": lambda i, _: i < N - 1,
    "from one": lambda i, _: (i >= 1) & (i < N),
    "different": lambda i, _: (i < N) & (i != 7),
    "another number": lambda i, _: i + 1 < N,
    "wrapping": lambda i, _: i * 4000000 < 4000000 * 500,
    "of the block": lambda i, _: jnp.arange(256) < 200,
    "of data": lambda i, x: x[...][:256] > 0,
    "and data": lambda i, x: (i < N) & (x[0] > 0),
}.items():
    look(name, whole(blocks(mask), (4,), N), floats(N))
    look(f"{name}, by indices", whole(blocks(mask, by_indices=True), (4,), N), floats(N))
# CHECK: below: proved
# CHECK-NEXT: below, by indices: proved
# CHECK-NEXT: two bounds: proved
# CHECK-NEXT: two bounds, by indices: proved
# CHECK-NEXT: not above: proved
# CHECK-NEXT: not above, by indices: proved
# CHECK-NEXT: either: proved
# CHECK-NEXT: either, by indices: proved
# CHECK-NEXT: one less: unknown
# CHECK-NEXT: one less, by indices: unknown
# CHECK-NEXT: from one: unknown
# CHECK-NEXT: from one, by indices: unknown
# CHECK-NEXT: different: unknown
# CHECK-NEXT: different, by indices: unknown
# CHECK-NEXT: another number: unknown
# CHECK-NEXT: another number, by indices: unknown
# CHECK-NEXT: wrapping: unknown
# CHECK-NEXT: wrapping, by indices: unknown
# CHECK-NEXT: of the block: unknown
# CHECK-NEXT: of the block, by indices: unknown
# CHECK-NEXT: of data: unknown
# CHECK-NEXT: of data, by indices: unknown
# CHECK-NEXT: and data: unknown
# CHECK-NEXT: and data, by indices: unknown


def inside(i, _):
    return i < N


# A gap between blocks, and a grid that is too short, leave elements out whatever the mask is.
# CHECK: gap: refuted
look("gap", whole(blocks(inside, step=257), (4,), N), floats(N))
# CHECK: gap, by indices: refuted
look("gap, by indices", whole(blocks(inside, step=257, by_indices=True), (4,), N), floats(N))
# CHECK: short grid: refuted
look("short grid", whole(blocks(inside), (3,), N), floats(N))


def in_loop(steps: int) -> Callable[..., None]:
    def body(x_ref, o_ref):
        @pl.loop(0, steps)
        def _(step):
            mask = step * 256 + jnp.arange(256) < N
            part = pl.ds(step * 256, 256)
            pltriton.store(o_ref.at[part], pltriton.load(x_ref.at[part], mask=mask, other=0.0), mask=mask)

    return body


# CHECK: in a loop: proved
look("in a loop", whole(in_loop(4), (), N), floats(N))
# CHECK: in a short loop: refuted
look("in a short loop", whole(in_loop(3), (), N), floats(N))


def tiles(
    rows: int, columns: int, turned: bool = False, by_indices: bool = False, step: int = 1
) -> Callable[..., None]:
    """Square tiles of a matrix; the mask may be that of the other dimension."""

    def body(x_ref, o_ref):
        i, j = pl.program_id(0) * 64, pl.program_id(1) * 64
        row, column = i + jnp.arange(64) * step, j + jnp.arange(64)
        mask = (row[:, None] < rows) & (column[None, :] < columns)
        part = (row[:, None], column[None, :]) if by_indices else (pl.ds(i, 64), pl.ds(j, 64))
        pltriton.store(o_ref.at[part], jnp.ones((64, 64)), mask=mask.T if turned else mask)

    return body


# CHECK: tiles: proved
look("tiles", whole(tiles(100, 200), (2, 4), 100, 200), floats(100, 200))
# CHECK: tiles, by indices: proved
look("tiles, by indices", whole(tiles(100, 200, by_indices=True), (2, 4), 100, 200), floats(100, 200))
# CHECK: turned tiles: {{unknown|refuted}}
look("turned tiles", whole(tiles(100, 200, turned=True), (2, 4), 100, 200), floats(100, 200))
# CHECK: tiles, one row less: unknown
look("tiles, one row less", whole(tiles(99, 200), (2, 4), 100, 200), floats(100, 200))
# CHECK: tiles, every other row: {{unknown|refuted}}
look("tiles, every other row", whole(tiles(100, 200, by_indices=True, step=2), (2, 4), 100, 200), floats(100, 200))


# Pipelines of a GPU -----------------------------------------------------------------------------------------------


def add_one(_, x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


def pipeline(grid=(4, 4), block=(16, 32), place=lambda i, j: (i, j), steps=2) -> Callable[..., Any]:
    def kernel(x_ref, o_ref):
        specs = [plgpu.BlockSpec(block, place)]
        plgpu.emit_pipeline(add_one, grid=grid, in_specs=specs, out_specs=specs, max_concurrent_steps=steps)(
            x_ref, o_ref
        )

    return plgpu.kernel(kernel, out_type=floats(64, 128))


def pipelines(ctas: int, rows: int = 16) -> Callable[..., Any]:
    """Each CTA has rows of its own."""

    def kernel(x_ref, o_ref):
        part = pl.ds(lax.axis_index("cta") * rows, 16)
        specs = [plgpu.BlockSpec((16, 32), lambda j: (0, j))]
        pipe = plgpu.emit_pipeline(add_one, grid=(4,), in_specs=specs, out_specs=specs, max_concurrent_steps=2)
        pipe(x_ref.at[part], o_ref.at[part])

    return plgpu.kernel(kernel, out_type=floats(64, 128), grid=(ctas,), grid_names=("cta",))


def specialized(grid: tuple[int, int]) -> Callable[..., Any]:
    def kernel(x_ref, o_ref):
        specs = [plgpu.BlockSpec((16, 32), lambda i, j: (i, j))]
        plgpu.emit_pipeline_warp_specialized(
            add_one,
            grid=grid,
            in_specs=specs,
            out_specs=specs,
            max_concurrent_steps=2,
            num_compute_wgs=1,
            memory_registers=40,
            wg_axis="wg",
        )(x_ref, o_ref)

    return plgpu.kernel(kernel, out_type=floats(64, 128), num_threads=2, thread_name="wg")


def predicated(last: int) -> Callable[..., Any]:
    def kernel(o_ref, tile):
        tile[...] = jnp.ones((16, 128), jnp.float32)
        plgpu.commit_smem()
        i = lax.axis_index("cta")
        plgpu.copy_smem_to_gmem(tile, o_ref.at[pl.ds(i * 16, 16)], predicate=i <= last)
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        kernel,
        out_type=floats(64, 128),
        grid=(4,),
        grid_names=("cta",),
        scratch_types=[plgpu.SMEM((16, 128), jnp.float32)],
    )


ARRAY = floats(64, 128)
# CHECK: pipeline: proved
look("pipeline", pipeline(), ARRAY)
# CHECK: pipeline of three steps: proved
look("pipeline of three steps", pipeline(steps=3), ARRAY)
# CHECK: short pipeline: refuted
look("short pipeline", pipeline(grid=(3, 4)), ARRAY)
# CHECK: pipeline over one column: refuted
look("pipeline over one column", pipeline(place=lambda i, j: (i, 0)), ARRAY)
# CHECK: pipeline over even rows: refuted
look("pipeline over even rows", pipeline(place=lambda i, j: (i // 2 * 2, j)), ARRAY)
# CHECK: pipelines: proved
look("pipelines", pipelines(4), ARRAY)
# CHECK: pipelines of few rows: refuted
look("pipelines of few rows", pipelines(4, rows=8), ARRAY)
# CHECK: too few pipelines: refuted
look("too few pipelines", pipelines(3), ARRAY)
# CHECK: warp-specialized: proved
look("warp-specialized", specialized((4, 4)), ARRAY)
# CHECK: short, warp-specialized: refuted
look("short, warp-specialized", specialized((4, 3)), ARRAY)
# CHECK: predicate: proved
look("predicate", predicated(3))
# CHECK: predicate of some: unknown
look("predicate of some", predicated(2))

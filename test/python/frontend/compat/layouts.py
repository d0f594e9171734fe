# RUN: %python %s | FileCheck %s

# JAX's register layouts as attributes: what its own code makes of their tiles has the bases of the layouts that
# gridir knows by name.
import dataclasses

import jax.numpy as jnp
from gridir.frontend.compat.jax_gpu import register_spread
from gridir.mlir import ir
from gridir.mlir.dialects import warpgroup
from jax.experimental.pallas import mosaic_gpu as plgpu

layouts = plgpu.Layout


def look(layout, rank=None):
    spread = register_spread(layout)
    print(layout, "is", spread and warpgroup.layout_attr(**dataclasses.asdict(spread), rank=rank or len(spread.tile)))


with ir.Context():
    # CHECK: Layout.WGMMA is #warpgroup.layout<wgmma>
    # CHECK: Layout.WGMMA_8BIT is #warpgroup.layout<wgmma_8bit>
    # CHECK: Layout.WGMMA_UPCAST_2X is #warpgroup.layout<wgmma_upcast_2x>
    # CHECK: Layout.WGMMA_UPCAST_4X is #warpgroup.layout<wgmma_upcast_4x>
    # CHECK: Layout.WGMMA_TRANSPOSED is #warpgroup.layout<wgmma_transposed>
    # CHECK: Layout.TCGEN05 is #warpgroup.layout<tcgen05>
    # CHECK: Layout.TCGEN05_TRANSPOSED is #warpgroup.layout<tcgen05_transposed>
    # CHECK: Layout.TMA_INDICES is #warpgroup.layout<tma_indices>
    # CHECK: Layout.TMA_INDICES_4 is #warpgroup.layout<tma_indices_4>
    for name in (
        "WGMMA", "WGMMA_8BIT", "WGMMA_UPCAST_2X", "WGMMA_UPCAST_4X", "WGMMA_TRANSPOSED", "TCGEN05",
        "TCGEN05_TRANSPOSED", "TMA_INDICES", "TMA_INDICES_4",
    ):  # fmt: skip
        look(getattr(layouts, name))
    # CHECK: axes=(1,)) is #warpgroup.layout<wgmma_row>
    # CHECK: axes=(0,)) is #warpgroup.layout<wgmma_col>
    # CHECK: axes=(1,)) is #warpgroup.layout<tcgen05_row>
    look(layouts.WGMMA.reduce(1))
    look(layouts.WGMMA.reduce(0))
    look(layouts.TCGEN05.reduce(1))
    # CHECK: is #warpgroup.layout<tmem_native(2)>
    # CHECK: is #warpgroup.layout<tmem_native(8)>
    # CHECK: is #warpgroup.layout<tcgen05_m64_collective(64)>
    # CHECK: is #warpgroup.layout<tcgen05_m64_collective_native(64)>
    look(layouts.TCGEN05_TMEM_NATIVE)
    look(layouts.TCGEN05_TMEM_NATIVE(8))
    look(layouts.TCGEN05_M64_COLLECTIVE(64))
    look(layouts.TCGEN05_M64_COLLECTIVE_NATIVE(64))
    # CHECK: is #warpgroup.layout<splat>
    # CHECK: is #warpgroup.layout<strided(2)>
    # CHECK: is #warpgroup.layout<[32, 64], registers = {{\[\[}}0, 1], [0, 2], [0, 4], [4, 0]], lanes = {{\[\[}}0, 8],
    look(layouts.WG_SPLAT((64,)))
    look(layouts.WG_STRIDED((64, 64), vec_size=2))
    look(layouts.SMEM_GMEM_COPY((64, 64), jnp.float16, 128))
    # A tile may lack leading dimensions of the array.
    # CHECK: is #warpgroup.layout<[1, 64, 8], registers = {{\[\[}}0, 0, 1], [0, 8, 0]], lanes
    look(layouts.WGMMA, 3)
    # A layout with sizes other than powers of two is not linear in bits, and a layout without arguments is none.
    # CHECK: is None
    # CHECK: is None
    look(layouts.TCGEN05_M64_COLLECTIVE(96))
    look(layouts.WG_STRIDED)

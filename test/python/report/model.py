# RUN: %python %s | FileCheck %s

# The facts of a report about blocks: distinct, revisited, overhanging and overlapping blocks, and untouched elements.

import dataclasses

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.report.blocks import read_grid
from gridir.report.build import build_report
from gridir.report.chips import measured_cpu
from gridir.report.costs import count_costs
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def copy_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


def call(shape, block, index_map, grid):
    rows = pl.BlockSpec(block, index_map)
    out = jax.ShapeDtypeStruct(shape, jnp.float32)
    return pl.pallas_call(copy_kernel, out_shape=out, grid=grid, in_specs=[rows], out_specs=rows)


def show(title, *args):
    kernel = gridir.lower(call(*args), jax.ShapeDtypeStruct(args[0], jnp.float32)).kernels[0]
    grid = read_grid(kernel, None)
    print(f"{title}: {grid.programs} programs, {grid.operands[1].name} {grid.operands[1].statistics()}")
    return kernel, grid


# CHECK: exact: 4 programs, o_ref {'distinct': 4, 'fetches': 4, 'revisits': 0,
# CHECK-SAME: 'overhang': 0, 'shared': 0, 'untouched': 0}
show("exact", (512, 128), (128, 128), lambda i: (i, 0), (4,))
# CHECK: short: 3 programs, o_ref {'distinct': 3, {{.*}}'untouched': 16384}
show("short", (512, 128), (128, 128), lambda i: (i, 0), (3,))
# CHECK: overhanging: 5 programs, o_ref {'distinct': 5, {{.*}}'overhang': 3584, {{.*}}'untouched': 0}
show("overhanging", (612, 128), (128, 128), lambda i: (i, 0), (5,))
# The block of dimension 0 comes back for each step of dimension 1; one that stays is fetched once.
# CHECK: revisited: 8 programs, o_ref {'distinct': 4, 'fetches': 8, 'revisits': 4,
show("revisited", (512, 128), (128, 128), lambda j, i: (i, 0), (2, 4))
# CHECK: stays: 8 programs, o_ref {'distinct': 4, 'fetches': 4, 'revisits': 0,
show("stays", (512, 128), (128, 128), lambda i, j: (i, 0), (4, 2))
# CHECK: overlapping: 4 programs, o_ref {{.*}}'shared': 24576,
show("overlapping", (320, 128), (pl.Element(128), pl.Element(128)), lambda i: (i * 64, 0), (4,))

# Index maps count from the beginning of the padding.
# CHECK: halo: {{\[}}[-1, 0], [15, 0]] overhang 128
halo = pl.pallas_call(
    lambda x_ref, o_ref: copy_kernel(x_ref.at[:16], o_ref),
    grid=(2,),
    in_specs=[pl.BlockSpec((pl.Element(18, (1, 1)), pl.Element(128)), lambda i: (i * 16, 0))],
    out_specs=pl.BlockSpec((16, 128), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((32, 128), jnp.float32),
)
blocks = read_grid(gridir.lower(halo, jax.ShapeDtypeStruct((32, 128), jnp.float32)).kernels[0], None).operands[0]
print("halo:", blocks.starts.tolist(), "overhang", blocks.statistics()["overhang"])

# Every program adds 1 to each element of its block, and moves the block in and out.
# CHECK: flops 65536, functions 0, moved 524288, least 524288
kernel, grid = show("costs", (512, 128), (128, 128), lambda i: (i, 0), (4,))
costs = count_costs(kernel, grid)
print(f"flops {costs.flops}, functions {costs.functions}, moved {costs.bytes_moved}, least {costs.bytes_least}")

# An index map that reads prefetched scalars is not computed before there are any.
# CHECK: scalars: the index map reads prefetched scalars, and nothing has run
# CHECK: given: {{\[}}[256, 0], [0, 0], [256, 0]]
spec = pltpu.PrefetchScalarGridSpec(
    num_scalar_prefetch=1,
    grid=(3,),
    in_specs=[pl.BlockSpec((128, 128), lambda i, rows: (rows[i], 0))],
    out_specs=pl.BlockSpec((128, 128), lambda i, rows: (i, 0)),
)
gather = pl.pallas_call(
    lambda rows, x_ref, o_ref: copy_kernel(x_ref, o_ref),
    grid_spec=spec,
    out_shape=jax.ShapeDtypeStruct((384, 128), jnp.float32),
)
rows, x = jnp.array([2, 0, 2]), jnp.zeros((512, 128))
kernel = gridir.lower(gather, rows, x).kernels[0]
print("scalars:", read_grid(kernel, None).operands[0].unknown)
print("given:", read_grid(kernel, [np.asarray(rows)]).operands[0].starts.tolist())

# A run has them, and the time of a kernel that is alone.
# CHECK: in this run: rows [2, 0, 2], blocks {{\[}}[256, 0], [0, 0], [256, 0]], timed: True
ran = build_report(gather, (rows, x), name="gather", path=__file__, targets=["cpu"])
view = ran.kernels[0]
print(
    f"in this run: {view.prefetched[0].name} {list(view.prefetched[0].values)}, "
    f"blocks {view.grid.operands[0].starts.tolist()}, timed: {view.costs.rooflines[0].milliseconds > 0}"
)

# A run that fails is part of the report.
# CHECK: failed: {{.*}}block index 11 of dimension 0 of x_ref is outside the array
outside = build_report(gather, (rows + 9, x), name="gather", path=__file__, targets=["cpu"])
print("failed:", outside.run.error.replace("\n", " "))


# Kernels of one name are told apart on every target.
def twice(x, y):
    return [call(z.shape, z.shape, lambda: (0, 0), ())(z) for z in (x, y)]


# CHECK: copy_kernel (8, 128) gpu:sm_90a: inputs(%x_ref: f32 [8, 128]
# CHECK: copy_kernel (16, 128) gpu:sm_90a: inputs(%x_ref: f32 [16, 128]
arrays = (jnp.zeros((8, 128)), jnp.zeros((16, 128)))
for view in build_report(twice, arrays, name="twice", path=__file__, targets=["gpu"], run=False).kernels:
    line = next(line.strip() for line in view.targets[1].listings[0].lines if "inputs(" in line)
    print(view.name, view.grid.operands[0].shape, f"{view.targets[1].target}: {line}")

# No bound is given that the measured time refutes, and arrays that fit caches are copied as those are.
# CHECK: bounds: 2.0 memory, 2.0 memory, None
peak = measured_cpu(working_set=1 << 20)
ideal = dataclasses.replace(peak, flops=float("inf"), bandwidth=costs.bytes_least / 2.0)
rooflines = [costs.measured_roofline("cpu", ideal, ms) for ms in (None, 2500.0, 1500.0)]
print("bounds:", ", ".join(" ".join(filter(None, (str(r.seconds), r.bound))) for r in rooflines))

# Blocks that take the work of clusters which have not begun, on the CPU: each point of the grid is worked on once, by
# as many blocks as the device runs at a time; with a seed more may have begun before the first of them asks.
#
# RUN: %python %s | FileCheck %s

import os
import sys

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from cluster_launch import asking, kernel

SEEDED = {"schedule_seed": 1, "checks": ["races", "uninitialized", "semaphores"]}


def begin_at_once(blocks):
    """Kernels that are lowered from now on are for a device of so many cores."""
    type(jax.devices()[0]).core_count = blocks


def look(name, grid, make=kernel, **sizes):
    """Runs a kernel on devices of several sizes, and with checks; prints how many clusters began."""
    for blocks, options in ((2, {}), (4, {}), (4, SEEDED), (None, {})):
        begin_at_once(blocks)
        # A kernel that JAX has traced is not lowered again.
        call, expected = make(grid, **sizes)
        with gridir.installed(**options):
            done, first = jax.jit(call)()
        said = difference(done, expected) or "right"
        begun, points = len(np.unique(first)), len(np.unique(done))
        count = f"at least {min(begun, 4)}" if options else begun
        print(f"{name} {blocks}: {said}, {count} of {points}")


# CHECK: row 2: right, 2 of 9
# CHECK-NEXT: row 4: right, 4 of 9
# CHECK-NEXT: row 4: right, at least 4 of 9
# CHECK-NEXT: row None: right, 9 of 9
look("row", (9,))
# CHECK: matrix 2: right, 2 of 6
# CHECK-NEXT: matrix 4: right, 4 of 6
# CHECK-NEXT: matrix 4: right, at least 4 of 6
# CHECK-NEXT: matrix None: right, 6 of 6
look("matrix", (2, 3))
# CHECK: pairs 2: right, 1 of 9
# CHECK-NEXT: pairs 4: right, 2 of 9
# CHECK-NEXT: pairs 4: right, at least {{[234]}} of 9
# CHECK-NEXT: pairs None: right, 9 of 9
look("pairs", (9,), cluster=2)
# CHECK: warpgroups 2: right, 2 of 9
# CHECK-NEXT: warpgroups 4: right, 4 of 9
# CHECK-NEXT: warpgroups 4: right, at least 4 of 9
# CHECK-NEXT: warpgroups None: right, 9 of 9
look("warpgroups", (9,), threads=2)
# A warpgroup that asks alone does so for its block, or for itself.
# CHECK: one asks 2: right, 2 of 9
# CHECK-NEXT: one asks 4: right, 4 of 9
# CHECK-NEXT: one asks 4: right, at least {{[234]}} of 9
# CHECK-NEXT: one asks None: right, 9 of 9
look("one asks", 9, asking, each=False)
# CHECK: one of pairs asks 2: right, 1 of 9
# CHECK-NEXT: one of pairs asks 4: right, 2 of 9
# CHECK-NEXT: one of pairs asks 4: right, at least {{[234]}} of 9
# CHECK-NEXT: one of pairs asks None: right, 9 of 9
look("one of pairs asks", 9, asking, each=False, cluster=2)
# CHECK: each asks 2: right, 2 of 9
# CHECK-NEXT: each asks 4: right, 4 of 9
# CHECK-NEXT: each asks 4: right, at least {{[234]}} of 9
# CHECK-NEXT: each asks None: right, 9 of 9
look("each asks", 9, asking, each=True)
# By default, as many blocks begin as a B200 has multiprocessors.
# CHECK: many None: right, 148 of 160
begin_at_once(None)
with gridir.installed():
    call, expected = kernel((160,))
    done, first = jax.jit(call)()
print(f"many None: {difference(done, expected) or 'right'}, {len(np.unique(first))} of {len(np.unique(done))}")


def alone(o):
    """One block does all the work that has not begun, while the others wait for it."""
    block, all_done = jax.lax.axis_index("i"), pl.get_global(plgpu.SemaphoreType.REGULAR)

    @pl.when(block == 0)
    def _():
        o[0] = plgpu.dynamic_scheduling_loop(("i",), init_carry=jnp.int32(0))(lambda _, carry: carry + 1)
        pl.semaphore_signal(all_done, inc=4)

    pl.semaphore_wait(all_done)


# CHECK: alone: 7
begin_at_once(4)
with gridir.installed():
    call = plgpu.kernel(alone, out_type=jax.ShapeDtypeStruct((1,), jnp.int32), grid=(10,), grid_names=("i",))
    print("alone:", jax.jit(call)()[0])

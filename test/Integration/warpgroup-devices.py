# Kernels whose threads are warpgroups, of a mesh of devices that load from one another, store and copy to one another,
# to one or to all: in the order of the program, with a seed, and checked. JAX's own collectives are among them.
#
# RUN: %python %s | FileCheck %s

import functools
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import all_gather_mgpu, reduce_scatter_mgpu
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

RING = Mesh(np.array(jax.devices()), ("x",))
PLANE = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
SEMAPHORE = plgpu.SemaphoreType.REGULAR
X = np.random.default_rng(0).integers(-9, 9, (4 * 8, 128)).astype(np.float32)
of_block = functools.partial(plgpu.kernel, out_type=jax.ShapeDtypeStruct((8, 128), jnp.float32))


def look(name, call, expected, mesh=RING, spec=None, checks=("races", "uninitialized", "semaphores")):
    spec = P(mesh.axis_names, None) if spec is None else spec
    mapped = jax.shard_map(call, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
    for options in ({}, {"schedule_seed": 1}, {"checks": list(checks)}):
        try:
            with gridir.installed(**options):
                said = difference(jax.jit(mapped)(X), expected) or "right"
        except (gridir.Error, jax.errors.JaxRuntimeError) as error:
            said = str(error)
        print(f"{name}:", said, flush=True)


def signal_and_wait(semaphore, device):
    """Goes on when the device that is two steps of the ring away, or next to it, has come here, too."""
    pl.semaphore_signal(semaphore, device_id=device)
    pl.semaphore_wait(semaphore)


def exchange(x, o, ready, done):
    """Each device stores what it has to one neighbour, and a part of that by a load from the other one."""
    i = lax.axis_index("x")
    right, left = lax.rem(i + 1, 4), lax.rem(i + 3, 4)
    o[...] = jnp.zeros_like(o)
    signal_and_wait(ready, left)
    plgpu.remote_ref(o, right).at[pl.ds(0, 4)][...] = x[pl.ds(0, 4)] * 2
    signal_and_wait(done, right)
    o[pl.ds(4, 4)] = plgpu.remote_ref(x, left)[pl.ds(4, 4)]


# CHECK-COUNT-3: exchange: right
PARTS = X.reshape(4, 8, 128)
FROM_LEFT = np.roll(PARTS, 1, axis=0)
look(
    "exchange",
    of_block(exchange, scratch_types=[SEMAPHORE, SEMAPHORE]),
    np.concatenate([FROM_LEFT[:, :4] * 2, FROM_LEFT[:, 4:]], axis=1).reshape(32, 128),
)


def copies(x, o, tile, loaded, ready, done):
    """A copy of a tile to the device across, in a plane of them, where a number says so; the others copy to all."""
    i, j = lax.axis_index("x"), lax.axis_index("y")
    across = (1 - i, j)
    plgpu.copy_gmem_to_smem(x, tile, loaded)
    plgpu.barrier_wait(loaded)
    signal_and_wait(ready, across)
    there = plgpu.remote_ref(o, across)
    plgpu.copy_smem_to_gmem(tile, there, predicate=j == 1)
    plgpu.copy_smem_to_gmem(tile.at[pl.ds(0, 4)], there.at[pl.ds(4, 4)], predicate=j == 0)
    plgpu.copy_smem_to_gmem(tile.at[pl.ds(4, 4)], there.at[pl.ds(0, 4)], predicate=j == 0)
    plgpu.wait_smem_to_gmem(0)
    signal_and_wait(done, across)


# CHECK-COUNT-3: copies: right
ACROSS = X.reshape(2, 2, 8, 128)[::-1].copy()
ACROSS[:, 0] = np.roll(ACROSS[:, 0], 4, axis=1)
look(
    "copies",
    of_block(copies, scratch_types=[plgpu.SMEM((8, 128), jnp.float32), plgpu.Barrier(), SEMAPHORE, SEMAPHORE]),
    ACROSS.reshape(32, 128),
    PLANE,
)


def to_all(x, o, tile, ready, done):
    """Each device writes one row of all of them, when all have begun."""
    i = lax.axis_index("x")
    tile[...] = x[...]
    plgpu.commit_smem()
    plgpu.semaphore_signal_multicast(ready, collective_axes="x")
    pl.semaphore_wait(ready, 4)
    plgpu.copy_smem_to_gmem(tile.at[i], plgpu.multicast_ref(o, "x").at[i])
    plgpu.wait_smem_to_gmem(0)
    plgpu.semaphore_signal_multicast(done, collective_axes="x")
    pl.semaphore_wait(done, 4)


# CHECK-COUNT-3: to_all: right
look(
    "to_all",
    of_block(
        to_all,
        out_type=jax.ShapeDtypeStruct((4, 128), jnp.float32),
        scratch_types=[plgpu.SMEM((8, 128), jnp.float32), SEMAPHORE, SEMAPHORE],
    ),
    np.tile(PARTS[range(4), range(4)], (4, 1)),
)


def combines(x, o, tile, cleared, done):
    """Each device adds what it has to what the first one has, and to one number of the second one."""
    i = lax.axis_index("x")
    o[...] = jnp.zeros_like(o)
    tile[...] = x[...]
    plgpu.commit_smem()
    plgpu.semaphore_signal_multicast(cleared, collective_axes="x")
    pl.semaphore_wait(cleared, 4)
    plgpu.copy_smem_to_gmem(tile, plgpu.remote_ref(o, 0), reduction_op="add")
    plgpu.copy_smem_to_gmem(tile, plgpu.remote_ref(o, 1), reduction_op="max", predicate=i > 1)
    plgpu.wait_smem_to_gmem(0)
    plgpu.remote_ref(o, 2).at[i, 0][...] = x[i, 0]
    plgpu.semaphore_signal_multicast(done, collective_axes="x")
    pl.semaphore_wait(done, 4)


# CHECK-COUNT-3: combines: right
COMBINED = np.zeros_like(PARTS)
COMBINED[0], COMBINED[1] = PARTS.sum(0), np.maximum(PARTS[2:].max(0), 0)
COMBINED[2, range(4), 0] = PARTS[range(4), range(4), 0]
look(
    "combines",
    of_block(combines, scratch_types=[plgpu.SMEM((8, 128), jnp.float32), SEMAPHORE, SEMAPHORE]),
    COMBINED.reshape(32, 128),
)

# It writes where another device has not begun, which a check would fill then.
# CHECK-COUNT-3: all_gather: right
look(
    "all_gather",
    functools.partial(all_gather_mgpu.all_gather, axis_name="x", num_blocks=2),
    np.tile(X, (4, 1)),
    checks=["races"],
)

# CHECK-COUNT-3: reduce_scatter add: right
# CHECK-COUNT-3: reduce_scatter max: right
for kind, combined in (("add", PARTS.sum(0)), ("max", PARTS.max(0))):
    look(
        f"reduce_scatter {kind}",
        functools.partial(reduce_scatter_mgpu.reduce_scatter, axis_name="x", reduction=kind, num_blocks=2),
        combined,
        checks=["races", "uninitialized"],
    )


def beyond(x, o):
    o[...] = plgpu.remote_ref(x, 4)[...]


# CHECK-COUNT-3: beyond: {{.*}}device 4 is out of bounds [0, 4)
look("beyond", of_block(beyond), X)


def refused(name, kernel):
    mapped = jax.shard_map(of_block(kernel), mesh=RING, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    try:
        gridir.lower(mapped, X)
    except gridir.Error as error:
        print(f"{name}:", error.message)


def from_all(x, o):
    o[...] = plgpu.multicast_ref(x, "x")[...]


def combined_otherwise(x, o):
    o[...] = plgpu.multimem_load_reduce(x, collective_axes="x", reduction_op="mul")


# CHECK: from_all: {{.*}}expected one device to load from, got several
# CHECK: otherwise: {{.*}}expected a reduction among add, min, max, and, or, xor, got `mul`
refused("from_all", from_all)
refused("otherwise", combined_otherwise)

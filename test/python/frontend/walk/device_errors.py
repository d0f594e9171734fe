# RUN: %python %s | FileCheck %s
"""What is refused of kernels that name other cores and devices: each row is an error's words and what meets it."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from gridir.errors import UnsupportedError
from gridir.frontend.lower import lower
from gridir.frontend.request.kernel_request import DeviceMesh
from gridir.frontend.request.meshes import dim_kinds
from gridir.frontend.targets.cpu_call import CpuHooks
from gridir.testing.wide import run_wide
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc
from jax.sharding import AbstractDevice, AbstractMesh, Mesh, PartitionSpec
from kernels import requests
from refusals import report

X = jax.ShapeDtypeStruct((32, 128), jnp.float32)
MESH = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
with jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, platform="tpu"))):
    SCALAR = plsc.ScalarSubcoreMesh(axis_name="core", num_cores=2)
    VECTOR = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=2, num_subcores=3)


def signals(device_id, **how):
    """Lowers a kernel on each device of a mesh that signals to this one."""

    def kernel(x_ref, o_ref, semaphore):
        pl.semaphore_signal(semaphore, device_id=device_id, **how)
        o_ref[...] = x_ref[...]

    def call(x):
        return pl.pallas_call(kernel, out_shape=x, scratch_shapes=[pltpu.SemaphoreType.REGULAR])(x)

    rows = PartitionSpec("x", "y")
    return lambda: lower(jax.shard_map(call, mesh=MESH, in_specs=rows, out_specs=rows, check_vma=False), X)


def of_meshes(signal):
    """A call of a kernel of two meshes, of which the scalar one does this with a semaphore of the vector one."""

    def starts(x_ref, o_ref, ready):
        signal(ready)

    def continues(x_ref, o_ref, ready):
        pl.semaphore_wait(ready)

    scratch = [pltpu.SemaphoreType.REGULAR @ VECTOR]
    return pl.kernel([continues, starts], out_type=X, mesh=[VECTOR, SCALAR], scratch_types=scratch)


def on_several_processes():
    """Writes the call of a kernel that reaches other devices, where those belong to other processes."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    call = pl.pallas_call(kernel, out_shape=X)
    [lowered] = lower(call, X).kernels
    request = dataclasses.replace(requests(call, X)[0], devices=DeviceMesh(("x",), (2,), is_local=False))
    CpuHooks().emitter(dataclasses.replace(lowered, group_size=2), request)


# CHECK: UnsupportedError: 7 of 7 refused in these words
report(
    UnsupportedError,
    {
        "expected a coordinate for each of ('x', 'y'), got 1": signals((0,), device_id_type=pl.DeviceIdType.MESH),
        "expected axes of the call's mesh (x, y), got ('x', 'core')": signals({("x", "core"): 0}),
        "expected axes of the kernel's cores (none), got core": signals({"core": 0}),
        "expected a coordinate along each axis of the mesh of the receiver, got none for ['subcore']": lambda: lower(
            of_meshes(lambda ready: pl.semaphore_signal(ready, device_id={"core": 0})), X
        ),
        "expected devices of one process, got several for a kernel that accesses other devices": (on_several_processes),
        "expected a mesh of a kind that gridir knows, got": lambda: dim_kinds(MESH, 1),
        "expected a kernel of one mesh, got one of several, which interpret mode does not run": lambda: run_wide(
            of_meshes(lambda ready: pl.semaphore_signal(ready, device_id={"core": 0, "subcore": 0})),
            [jnp.zeros((32, 128))],
        ),
    },
)

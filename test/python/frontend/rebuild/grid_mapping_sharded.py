# RUN: %python %s emit %t.mlir && %python %s rebuild %t.mlir | FileCheck %s
"""Inside `shard_map` every array knows the mesh; `grid` holds that too, and it comes back in another process."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Inputs"))

import jax
import jax.numpy as jnp
import numpy as np
from gridir.frontend.header.grid_mapping import build_kernel
from gridir.frontend.rebuild.grid_mapping import differences, rebuild_grid_mapping
from gridir.mlir import ir
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import Mesh, PartitionSpec
from kernels import requests

mode, path = sys.argv[1:]
X = jax.ShapeDtypeStruct((32, 128), jnp.float32)
ROWS = jax.ShapeDtypeStruct((16,), jnp.int32)
MESH = Mesh(np.array(jax.devices()), ("devices",))


def gather_kernel(rows_ref, x_ref, o_ref):
    del rows_ref
    o_ref[...] = x_ref[...]


def gather(rows, x):
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(rows.shape[0],),
        in_specs=[pl.BlockSpec((1, 128), lambda i, rows: (rows[i], 0))],
        out_specs=pl.BlockSpec((1, 128), lambda i, rows: (i, 0)),
    )
    out = jax.ShapeDtypeStruct((rows.shape[0], 128), x.dtype)
    return pl.pallas_call(gather_kernel, out, grid_spec=spec)(rows, x)


devices = PartitionSpec("devices")
sharded = jax.shard_map(gather, mesh=MESH, in_specs=(devices, devices), out_specs=devices, check_vma=False)
[request] = requests(sharded, ROWS, X)

with ir.Context(), ir.Location.unknown():
    if mode == "emit":
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kernel = build_kernel(request)
        with ir.InsertionPoint(kernel.body):
            ir.Operation.create("grid.yield")
        pathlib.Path(path).write_text(str(module))
        sys.exit()
    # CHECK: meshes = [{axes = {{\[\[}}"devices", 4, "Manual"
    text = pathlib.Path(path).read_text()
    print(text)
    module = ir.Module.parse(text)
    # CHECK: differences: []
    print("differences:", differences(request.grid_mapping, rebuild_grid_mapping(module.body.operations[0])))

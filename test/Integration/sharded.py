# A kernel under `shard_map` gives on eight devices what it gives on one, and so it does in two processes.
#
# RUN: %python %s | FileCheck %s

import os
import socket
import subprocess
import sys

DEVICES = 8
process = int(sys.argv[1]) if len(sys.argv) > 1 else None
count = DEVICES if process is None else DEVICES // 2
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={count}"

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import Mesh, NamedSharding, PartitionSpec

if process is not None:
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(sys.argv[2], num_processes=2, process_id=process)
gridir.install()

X = np.arange(64 * 128, dtype=np.float32).reshape(64, 128) / 100
W = np.cos(np.arange(128 * 32, dtype=np.float32)).reshape(128, 32)


def scaled_matmul(x, w):
    def kernel(x_ref, w_ref, o_ref):
        o_ref[...] = jnp.tanh(x_ref[...] @ w_ref[...])

    rows, columns = x.shape[0], w.shape[1]
    return pl.pallas_call(
        kernel,
        grid=(rows // 4,),
        in_specs=[pl.BlockSpec((4, x.shape[1]), lambda i: (i, 0)), pl.BlockSpec(w.shape, lambda i: (0, 0))],
        out_specs=pl.BlockSpec((4, columns), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), x.dtype),
    )(x, w)


def with_sums(x, w):
    """Each device has its rows; the sum over all of them goes between the devices."""
    y = scaled_matmul(x, w)
    return y, jax.lax.psum(y.sum(0), "devices")


mesh = Mesh(np.array(jax.devices()), ("devices",))
rows, whole = PartitionSpec("devices", None), PartitionSpec()
sharded = jax.jit(jax.shard_map(with_sums, mesh=mesh, in_specs=(rows, whole), out_specs=(rows, whole), check_vma=False))
x = jax.make_array_from_callback(X.shape, NamedSharding(mesh, rows), lambda index: X[index])
w = jax.make_array_from_callback(W.shape, NamedSharding(mesh, whole), lambda index: W[index])
y, sums = sharded(x, w)

# On one device of this process, and the parts of the result that are here.
one = np.asarray(jax.jit(scaled_matmul)(X, W))
same = all(np.array_equal(np.asarray(shard.data), one[shard.index]) for shard in y.addressable_shards)
close = np.allclose(np.asarray(sums.addressable_shards[0].data), one.sum(0), rtol=1e-5, atol=1e-5)
print(f"process {process} of {jax.process_count()}, {len(jax.devices())} devices: {same} {close}", flush=True)
# CHECK: process None of 1, 8 devices: True True

if process is None:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        address = f"localhost:{probe.getsockname()[1]}"
    parts = [subprocess.Popen([sys.executable, __file__, str(i), address], stdout=subprocess.PIPE) for i in range(2)]
    for part in parts:
        print(part.communicate(timeout=200)[0].decode(), end="")
    # CHECK: process 0 of 2, 8 devices: True True
    # CHECK: process 1 of 2, 8 devices: True True

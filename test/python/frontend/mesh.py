# RUN: %python %s | FileCheck %s

# `pl.kernel` over a mesh is not a `pallas_call`: JAX makes an `mpmd_map` of it, which has a hook of its own.
import gridir
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu


def double(x_ref, o_ref):
    rows = pl.ds(jax.lax.axis_index("i") * 8, 8)
    o_ref[rows, :] = x_ref[rows, :] * 2


X = jnp.arange(32 * 128, dtype=jnp.float32).reshape(32, 128)
mesh = plgpu.Mesh(grid=(4,), grid_names=("i",))
f = pl.kernel(double, out_type=jax.ShapeDtypeStruct(X.shape, X.dtype), mesh=mesh, name="double")

try:
    f(X)
except ValueError as error:
    # CHECK: Only interpret mode is supported on CPU backend.
    print(error)
with gridir.installed():
    # CHECK: True
    print(bool((f(X) == 2 * X).all()))
# The grid is that of the mesh, with its names.
(kernel,) = gridir.lower(f, X).kernels
# CHECK: double (4,) ('i',)
print(kernel.name, kernel.grid_mapping.grid, kernel.grid_mapping.grid_names)


# On a mesh of one core the core that an axis names is the one that signals.
def signals(x_ref, o_ref):
    def body(semaphore):
        pl.semaphore_signal(semaphore, device_id={"core": jax.lax.axis_index("core")})
        pl.semaphore_wait(semaphore)
        o_ref[...] = x_ref[...] + 1

    pl.run_scoped(body, pltpu.SemaphoreType.REGULAR)


cores = pltpu.create_tensorcore_mesh("core", num_cores=1)
g = pl.kernel(signals, out_type=jax.ShapeDtypeStruct(X.shape, X.dtype), mesh=cores)
with gridir.installed():
    # CHECK: True
    print(bool((g(X) == X + 1).all()))

# RUN: %python %s | FileCheck %s

# `pl.kernel` over a mesh is not a `pallas_call`: JAX makes an `mpmd_map` of it, which has a hook of its own.
import gridir
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc


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


# With a body for each of several meshes, the cores of one mesh come after those of another. Every body knows the axes
# of its own mesh, and those of another where it names a core there.
chip = jax.sharding.AbstractDevice(device_kind="TPU7x", num_cores=1, platform="tpu")
with jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((), (), abstract_device=chip)):
    scalar = plsc.ScalarSubcoreMesh(axis_name="core", num_cores=2)
    vector = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=2, num_subcores=3)


def starts(x_ref, o_ref, ready, done):
    core = jax.lax.axis_index("core")
    pltpu.sync_copy(x_ref.at[pl.ds(core * 8, 8)], o_ref.at[pl.ds(core * 8, 8)])
    pl.semaphore_signal(ready, device_id={"core": core, "subcore": 1})
    pl.semaphore_wait(done, 3)


def continues(x_ref, o_ref, ready, done):
    core, subcore = jax.lax.axis_index("core"), jax.lax.axis_index("subcore")
    # The semaphore is one of the other mesh: the scalar core of this core is meant.
    pl.semaphore_signal(done)

    @pl.when(subcore == 1)
    def _():
        pl.semaphore_wait(ready)
        pltpu.sync_copy(o_ref.at[pl.ds(core * 8, 8)], o_ref.at[pl.ds((core + 2) * 8, 8)])


h = pl.kernel(
    [continues, starts],
    out_type=jax.ShapeDtypeStruct(X.shape, X.dtype),
    mesh=[vector, scalar],
    scratch_types=[pltpu.SemaphoreType.REGULAR @ vector, pltpu.SemaphoreType.REGULAR @ scalar],
)
with gridir.installed():
    # CHECK: [0.0, 8.0, 0.0, 8.0]
    print([float(row) for row in h(X)[::8, 0] / 128])
(kernel,) = gridir.lower(h, X).kernels
# CHECK: grid.kernel @continues grid(%{{.*}} = 8 core)
print(kernel.text())


# A kernel that is left to JAX is lowered by JAX's own rule.
def copies(x_ref, o_ref):
    pltpu.sync_copy(x_ref, o_ref)


alone = pltpu.create_tensorcore_mesh("core", num_cores=1)
with gridir.installed():
    left = jax.jit(pl.kernel(copies, out_type=jax.ShapeDtypeStruct(X.shape, X.dtype), mesh=alone, interpret=True))
    # CHECK: left to JAX: True gridir_cpu: False
    print(f"left to JAX: {bool((left(X) == X).all())} gridir_cpu: {'gridir_cpu' in left.lower(X).as_text()}")

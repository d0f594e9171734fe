# RUN: %python %s | FileCheck %s

# Kernels for SparseCores as they are captured: the mesh queries the chip, subcores synchronize at a semaphore, and a
# copy of the rows that an array of indices names is a copy of each row.
import gridir
import jax
import jax.numpy as jnp
from gridir.errors import OptionError
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

# CHECK: v5p: 4 cores of 16 subcores
# CHECK-NEXT: v6e: 2 cores of 16 subcores
for name in ("v5p", "v6e"):
    with gridir.tpu.chip(name):
        mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")
        print(f"{name}: {mesh.num_cores} cores of {mesh.num_subcores} subcores")
try:
    gridir.tpu.chip("v1")
except OptionError as error:
    # CHECK-NEXT: expected a TPU among v4, v5e, v5p, v6e, tpu7x, got 'v1'
    print(error)


def gathers(x_ref, i_ref, o_ref, shared, rows, indices):
    pltpu.sync_copy(i_ref, indices)
    pltpu.sync_copy(x_ref.at[plsc.Indices(indices, ignored_value=-1), pl.ds(0, 8)], rows)
    pltpu.sync_copy(rows, shared)
    plsc.subcore_barrier()
    pltpu.sync_copy(shared, o_ref.at[jax.lax.axis_index("core"), jax.lax.axis_index("subcore")])


X, ROWS = jnp.zeros((32, 16), jnp.int32), jnp.zeros((4,), jnp.int32)
f = pl.kernel(
    gathers,
    out_type=jax.ShapeDtypeStruct((2, 16, 4, 8), jnp.int32),
    mesh=mesh,
    scratch_types=[pltpu.VMEM_SHARED((4, 8), jnp.int32), pltpu.VMEM((4, 8), jnp.int32), pltpu.VMEM.like(ROWS)],
)
# CHECK:      grid.kernel @gathers grid(%i = 2 named "core" core, %j = 16 named "subcore" subcore)
# CHECK:          scratch(%shared: memref<4x8xi32, #tpu.memory_space<vmem_shared>>
# CHECK:        grid.scoped (%subcore_barrier: memref<!grid.semaphore<regular>
# The rows that are not ignored are copied, the others to themselves.
# CHECK:          scf.for %[[ROW:.*]] = %{{.*}} to %[[ROWS:.*]] step
# CHECK:            %[[INDEX:.*]] = tensor.extract
# CHECK:            %[[IGNORED:.*]] = arith.cmpi eq, %[[INDEX]],
# CHECK:            scf.if %[[IGNORED]] {
# CHECK:              grid.copy_start %[[OWN:.*]], %[[OWN]] sem
# CHECK:            } else {
# CHECK:              %[[FROM:.*]] = grid.slice_ref %x_ref[%[[INDEX]], 0] [1, 8] [1, 1]
# CHECK:              %[[TO:.*]] = grid.slice_ref %rows[%[[ROW]], 0] [1, 8] [1, 1]
# CHECK:              grid.copy_start %[[FROM]], %[[TO]] sem
# The wait is for all of them.
# CHECK:          grid.copy_wait %rows, %rows sem
# CHECK:          %[[SUBCORES:.*]] = arith.constant 16 : i32
# CHECK:          scf.for %[[OTHER:.*]] = %{{.*}} to %[[SUBCORES]]
# CHECK:            %[[CORE:.*]] = arith.addi %{{.*}}, %[[OTHER]]
# CHECK:            grid.semaphore_signal %subcore_barrier, %{{.*}} core %[[CORE]]
# CHECK:          grid.semaphore_wait %subcore_barrier, %[[SUBCORES]]
print(gridir.lower(f, X, ROWS).kernels[0].text())

# CHECK: grid.meshes = [array<i64: 2, 16>, array<i64: 2>]
with gridir.tpu.chip("v6e"):
    scalar = plsc.ScalarSubcoreMesh(axis_name="core")
    both = pl.kernel([lambda *_: None] * 2, out_type=jax.typeof(X), mesh=[mesh, scalar])
print(gridir.lower(both, X).kernels[0].text())


def adds(x_ref, o_ref, counts):
    counts[0] = 0
    plsc.fetch_and_add(counts.at[0], 1, subcore_id=0)


# Ops without a meaning here are rejected by name, with the author's line.
one = pl.kernel(adds, out_type=jax.typeof(X), mesh=mesh, scratch_types=[pltpu.SMEM((1,), jnp.int32)])
try:
    gridir.lower(one, X)
except gridir.Error as error:
    # CHECK: expected primitives that gridir can lower, got `sc_fetch_and_add`
    # CHECK: sparse_core.py:{{[0-9]+}}
    print(error)

# RUN: %python %s | FileCheck %s

# A kernel for a SparseCore, lowered for a TPU: the call is configured as JAX configures it, and what the core has ops
# for is said by these.
import gridir
import jax
import jax.numpy as jnp
from gridir.frontend.capture.install import jax_alone
from gridir.frontend.compat import jax_tpu
from gridir.runtime.tpu.programs import kernel_programs
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

X = jax.ShapeDtypeStruct((64, 8), jnp.int32)
LANES = pltpu.VMEM((8,), jnp.int32)


def programs(f, *args):
    with gridir.tpu.chip("v6e"):
        ours = kernel_programs(gridir.lower(f, *args, target="tpu").stablehlo())
        with jax_alone():
            theirs = kernel_programs(
                jax.jit(lambda *a: f(*a)).trace(*args).lower(lowering_platforms=("tpu",)).compiler_ir("stablehlo")
            )
    for program in (ours[0], theirs[0]):
        # JAX holds locations apart since 0.12: then both do.
        if program.config["custom_call_config"].pop("debug_locations", None):
            program.config["custom_call_config"]["has_locations"] = True
    return ours[0], theirs[0]


def copies(x_ref, o_ref, held):
    pltpu.sync_copy(x_ref.at[0], held)
    pltpu.sync_copy(held, o_ref.at[1])


with gridir.tpu.chip("v6e"):
    vector = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1)
    scalar = plsc.ScalarSubcoreMesh(axis_name="core")
# CHECK: vector: same configuration: True {{.*}}'tiling': 'TILING_COMPACT'} DEVICE_TYPE_SPARSECORE
# CHECK: untiled: same configuration: True {{.*}}'tiling': 'TILING_SPARSE_CORE'} DEVICE_TYPE_SPARSECORE
# CHECK: scalar: same configuration: True {{.*}}'tiling': 'TILING_COMPACT'} DEVICE_TYPE_SPARSECORE
# CHECK: level: same configuration: True
untiled = pltpu.CompilerParams(use_tc_tiling_on_sc=False, needs_layout_passes=False)
# Since JAX 0.11 there are levels of optimisation.
level = pltpu.CompilerParams(opt_level=jax_tpu.OptLevel.O1) if jax_tpu.OptLevel else untiled
for name, mesh, space, params in (
    ("vector", vector, LANES, None),
    ("untiled", vector, LANES, untiled),
    ("scalar", scalar, pltpu.SMEM((8,), jnp.int32), None),
    ("level", vector, LANES, level),
):
    f = pl.kernel(copies, out_type=X, mesh=mesh, scratch_types=[space], compiler_params=params)
    mine, other = programs(f, X)
    configs = mine.config, other.config
    print(
        f"{name}: same configuration:",
        configs[0] == configs[1] or configs,
        mine.config["sparse_core_config"],
        mine.config["device_type"],
    )


def everything(x_ref, i_ref, o_ref, indices, rows, lanes):
    pltpu.sync_copy(i_ref, indices)
    pltpu.sync_copy(x_ref.at[plsc.Indices(indices, ignored_value=3)], rows)
    plsc.subcore_barrier()
    i = indices[...]
    x = plsc.load_gather(rows, [i, i], mask=i > 2)
    keys, values = plsc.sort_key_val(x, i, descending=True)
    counts, _ = plsc.scan_count(values, i > 1)
    total = plsc.all_reduce_population_count(i > 0) + plsc.all_reduce_ffs(i > 0)
    largest = jnp.full((8,), jnp.max(plsc.cummax(plsc.cumsum(keys), mask=i > 4)))
    plsc.addupdate_scatter(lanes, [i], jnp.cumsum(counts) + total + largest)
    pltpu.sync_copy(rows, o_ref.at[indices[...]], add=True)


ROWS_AT = jax.ShapeDtypeStruct((8,), jnp.int32)
ROWS = pltpu.VMEM((8, 8), jnp.int32)
f = pl.kernel(everything, out_type=X, mesh=vector, scratch_types=[LANES, ROWS, LANES])
# CHECK: tpu.core_type = #tpu.core_type<sc_vector_subcore>
# CHECK: tpu.enqueue_indirect_dma {{.*}} offsets(%{{.*}} : memref<8xi32, #tpu.memory_space<vmem>>) {{.*}} filter(
# CHECK: tpu.wait_indirect_dma
# CHECK: tpu.barrier
# CHECK: tpu.vector_load_idx %{{.*}}[%{{.*}}, %{{.*}}] masked
# Mosaic compares without a sign.
# CHECK: %[[KEYS:.*]] = arith.xori
# CHECK: %{{.*}}, %[[SORTED:.*]], %{{.*}} = tpu.sort %[[KEYS]], %{{.*}} {descending = true}
# CHECK: arith.xori %[[SORTED]],
# CHECK: tpu.scan_count
# CHECK: tpu.all_reduce {{.*}} kind = #tpu.reduction_kind<sum>
# CHECK: tpu.all_reduce {{.*}} kind = #tpu.reduction_kind<find_first_set>
# CHECK: tpu.scan {{.*}} {kind = #tpu.reduction_kind<sum>}
# CHECK: tpu.scan {{.*}} {kind = #tpu.reduction_kind<max>}
# CHECK: tpu.scan {{.*}} {kind = #tpu.reduction_kind<max>}
# CHECK: vector.extract
# CHECK: tpu.vector_store_idx {{.*}} {add = true}
# CHECK: tpu.enqueue_indirect_dma {{.*}} offsets(%{{.*}} : vector<8xi32>) {{.*}} {add = true}
with gridir.tpu.chip("v6e"):
    print(gridir.lower(f, X, ROWS_AT, target="tpu").kernels[0].text("tpu"))


def refused(body, *scratch):
    f = pl.kernel(body, out_type=X, mesh=vector, scratch_types=[LANES, *scratch])
    try:
        with gridir.tpu.chip("v6e"):
            print(gridir.lower(f, X, ROWS_AT, target="tpu"))
    except gridir.Error as error:
        print(str(error).splitlines()[0])


# CHECK: load: expected a primitive that gridir writes for a SparseCore, got one that it runs on the CPU only
refused(lambda x, i, o, v: v.__setitem__(..., plsc.load_expanded(v.at[...], mask=v[...] > 0)))
# CHECK-NEXT: reduce_max: expected a reduction of one dimension on a SparseCore, got axes (0, 1)
refused(lambda x, i, o, v, r: v.__setitem__(..., jnp.full((8,), jnp.max(r[...]))), ROWS)
# CHECK-NEXT: cumsum: expected a sum of one dimension, from its first element on, on a SparseCore
refused(lambda x, i, o, v, r: r.__setitem__(..., jnp.cumsum(r[...], axis=1)), ROWS)
# CHECK-NEXT: sort: expected one key of one dimension on a SparseCore, got 2 along 0
refused(lambda x, i, o, v: v.__setitem__(..., jax.lax.sort((v[...], v[...]), num_keys=2)[0]))
# CHECK-NEXT: dma_start: expected rows at one end of a copy, on this device and without a priority
refused(lambda x, i, o, v: pltpu.sync_copy(x.at[v], o.at[v]))

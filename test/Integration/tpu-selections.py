# REQUIRES: libtpu
# RUN: %python %s | FileCheck %s

# Refs and semaphores that a number chooses: natively, in the module for libtpu, and compiled from that for this
# machine. A copy is one of each pair, from whatever views they are.
import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.cpu import CpuOptions
from gridir.testing import mosaic_interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

THROUGH_TPU = CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu", platform="tpu")
HBM = pl.BlockSpec(memory_space=pltpu.HBM)
SMEM = pl.BlockSpec(memory_space=pltpu.SMEM)
BLOCK = jax.ShapeDtypeStruct((8, 128), jnp.int32)


def report(name, call, *args, want):
    for how, context in (
        ("native", gridir.installed()),
        ("interpreted", mosaic_interpreted()),
        ("through tpu", gridir.installed(options=THROUGH_TPU)),
    ):
        with context:
            got = np.asarray(jax.jit(call)(*args))
        print(f"{name}, {how}: {'equal' if np.array_equal(got, want) else 'DIFFERENT'}")
    (kernel,) = gridir.tpu.aot(call, *args).kernels
    print(f"{name}, libtpu: {'accepted' if kernel.accepted else kernel.error}")


arrays = [jnp.arange(8 * 128, dtype=jnp.int32).reshape(8, 128) + 1000 * i for i in range(3)]


def gather_in_turn(order_ref, a_ref, b_ref, c_ref, o_ref, sems):
    @pl.loop(0, 4)
    def _(i):
        chosen = pl.select_ref(order_ref[i], a_ref, b_ref, c_ref)
        pltpu.async_copy(chosen, o_ref.at[pl.ds(8 * i, 8)], pl.select_ref(i % 2, sems.at[0], sems.at[1])).wait()


# CHECK: in turn, native: equal
# CHECK-NEXT: in turn, interpreted: equal
# CHECK-NEXT: in turn, through tpu: equal
# CHECK-NEXT: in turn, libtpu: accepted
in_turn = pl.pallas_call(
    gather_in_turn,
    in_specs=[SMEM, HBM, HBM, HBM],
    out_specs=HBM,
    scratch_shapes=[pltpu.SemaphoreType.DMA((2,))],
    out_shape=jax.ShapeDtypeStruct((32, 128), jnp.int32),
)
order = jnp.array([2, 0, 1, 2], jnp.int32)
report("in turn", in_turn, order, *arrays, want=np.concatenate([arrays[i] for i in order]))


def copy_nested(which_ref, a_ref, b_ref, c_ref, o_ref, sem):
    inner = pl.select_ref(which_ref[0], a_ref.at[0:4], b_ref.at[4:8])
    pltpu.async_copy(pl.select_ref(which_ref[1], inner, c_ref.at[2:6]), o_ref.at[4:8], sem).wait()
    upper = pl.select_ref(1 - which_ref[0], o_ref.at[2:4], o_ref.at[0:2])
    pltpu.async_copy(c_ref.at[0:2], upper, sem).wait()
    lower = pl.select_ref(which_ref[0], o_ref.at[2:4], o_ref.at[0:2])
    pltpu.async_copy(a_ref.at[0:2], lower, sem).wait()


# CHECK-NEXT: nested 0 0, native: equal
# CHECK-NEXT: nested 0 0, interpreted: equal
# CHECK-NEXT: nested 0 0, through tpu: equal
# CHECK-NEXT: nested 0 0, libtpu: accepted
# CHECK-NEXT: nested 1 0, native: equal
# CHECK-NEXT: nested 1 0, interpreted: equal
# CHECK-NEXT: nested 1 0, through tpu: equal
# CHECK-NEXT: nested 1 0, libtpu: accepted
# CHECK-NEXT: nested 0 1, native: equal
# CHECK-NEXT: nested 0 1, interpreted: equal
# CHECK-NEXT: nested 0 1, through tpu: equal
# CHECK-NEXT: nested 0 1, libtpu: accepted
nested = pl.pallas_call(
    copy_nested,
    in_specs=[SMEM, HBM, HBM, HBM],
    out_specs=HBM,
    scratch_shapes=[pltpu.SemaphoreType.DMA],
    out_shape=BLOCK,
)
a, b, c = map(np.asarray, arrays)
for first, second in ((0, 0), (1, 0), (0, 1)):
    last = c[2:6] if second else (b[4:8] if first else a[0:4])
    want = np.concatenate([a[0:2], c[0:2], last] if first else [c[0:2], a[0:2], last])
    report(f"nested {first} {second}", nested, jnp.array([first, second], jnp.int32), *arrays, want=want)

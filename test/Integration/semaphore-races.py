# A wait orders what the semaphore, barrier or group cannot do without. With the check "races", a read of anything else
# is an error.
#
# RUN: %python %s | FileCheck %s

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=3"

import re
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

X = np.arange(16 * 128, dtype=np.float32).reshape(16, 128)
DMA, REGULAR = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR
ANY = pl.BlockSpec(memory_space=pl.ANY)


def look(name: str, function: Callable[..., Any], x: Any = X, expected: Any = X) -> None:
    """Runs a function with several schedules; prints the Refs that races are about, or "no race" for a result."""
    outcomes = set()
    for seed in (None, 0, 1, 2, 3, 4):
        with gridir.installed(checks=["races"], schedule_seed=seed):
            try:
                result = np.asarray(jax.jit(function)(x))
                same = expected is None or np.array_equal(result, expected)
                outcomes.add("no race" if same else "WRONG RESULT")
            except jax.errors.JaxRuntimeError as error:
                found = re.search(r"race between (\S+ \S+ \S+) .* and (\S+ \S+ \S+) ", str(error))
                outcomes.add(" and ".join(sorted(found.groups())) if found else str(error))
    print(f"{name}:", "; ".join(sorted(outcomes)))


# Copies on one semaphore -----------------------------------------------------------------------------------------


def copies(kernel: Callable[..., None], semaphores: Any = DMA, **options: Any) -> Callable[..., Any]:
    return pl.pallas_call(
        kernel,
        out_shape=jax.typeof(jnp.asarray(X)),
        in_specs=[ANY],
        scratch_shapes=[pltpu.VMEM(X.shape, X.dtype), semaphores],
        **options,
    )


def pair(x_ref, t_ref, sem, rows=8):
    """Two copies in flight, of the first rows and of the others."""
    first = pltpu.async_copy(x_ref.at[:rows], t_ref.at[:rows], sem)
    return first, pltpu.async_copy(x_ref.at[rows:], t_ref.at[rows:], sem)


def one_wait(x_ref, o_ref, t_ref, sem):
    first, second = pair(x_ref, t_ref, sem)
    first.wait()
    o_ref[:8] = t_ref[:8]
    second.wait()
    o_ref[8:] = t_ref[8:]


def two_waits(x_ref, o_ref, t_ref, sem):
    first, second = pair(x_ref, t_ref, sem, rows=12)
    second.wait()
    first.wait()
    o_ref[...] = t_ref[...]


def larger_first(x_ref, o_ref, t_ref, sem):
    first, second = pair(x_ref, t_ref, sem, rows=12)
    first.wait()
    o_ref[:12] = t_ref[:12]
    second.wait()
    o_ref[12:] = t_ref[12:]


def in_turn(x_ref, o_ref, t_ref, sem):
    for start in (0, 8):
        pltpu.async_copy(x_ref.at[start : start + 8], t_ref.at[start : start + 8], sem).wait()
        o_ref[start : start + 8] = t_ref[start : start + 8]


def reused_source(x_ref, o_ref, t_ref, sem):
    t_ref[...] = jnp.ones_like(t_ref)
    first, second = pair(t_ref, o_ref, sem)
    first.wait()
    t_ref[:8] = jnp.zeros((8, 128), jnp.float32)
    second.wait()


def ring(slots: int) -> Callable[..., None]:
    """A copy is in flight while the one before is used; each slot has a semaphore."""

    def kernel(x_ref, o_ref, t_ref, sems):
        def copy(step):
            rows = pl.ds(step * 4, 4)
            return pltpu.make_async_copy(x_ref.at[rows], t_ref.at[rows], sems.at[lax.rem(step, slots)])

        copy(0).start()

        @pl.loop(0, 4)
        def _(step):
            @pl.when(step < 3)
            def _():
                copy(step + 1).start()

            copy(step).wait()
            o_ref[pl.ds(step * 4, 4)] = t_ref[pl.ds(step * 4, 4)]

    return kernel


# CHECK: one wait: copy to t_ref and read of t_ref{{$}}
look("one wait", copies(one_wait))
# CHECK: two waits: no race{{$}}
look("two waits", copies(two_waits))
# A part of the larger copy and all of the smaller one may have arrived.
# CHECK: larger first: copy to t_ref and read of t_ref{{$}}
look("larger first", copies(larger_first))
# CHECK: in turn: no race{{$}}
look("in turn", copies(in_turn))
# CHECK: reused source: copy from t_ref and write of t_ref{{$}}
look("reused source", copies(reused_source, out_specs=ANY))
# CHECK: one slot: copy to t_ref and read of t_ref{{$}}
look("one slot", copies(ring(1), DMA((1,))))
# CHECK: two slots: no race{{$}}
look("two slots", copies(ring(2), DMA((2,))))


# Other devices ---------------------------------------------------------------------------------------------------


mesh = Mesh(np.array(jax.devices()), ("x",))
Y = np.arange(3 * 8 * 128, dtype=np.float32).reshape(24, 128)


def mapped(kernel: Callable[..., None], *scratch: Any) -> Callable[..., Any]:
    call = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((16, 128), np.float32),
        in_specs=[ANY],
        out_specs=ANY,
        scratch_shapes=[pltpu.HBM((16, 128), np.float32), *scratch],
        compiler_params=pltpu.CompilerParams(collective_id=0),
    )
    return jax.shard_map(call, mesh=mesh, in_specs=P("x", None), out_specs=P("x", None), check_vma=False)


def gathered(waits: tuple[int, ...]) -> Callable[..., None]:
    """Two devices send to device 0, which reads after each of some waits for 8 rows."""

    def kernel(x_ref, o_ref, inbox, sent, arrived):
        me = lax.axis_index("x")

        @pl.when(me > 0)
        def _():
            part = inbox.at[pl.ds((me - 1) * 8, 8)]
            pltpu.async_remote_copy(x_ref, part, sent, arrived, device_id=(0,)).wait_send()

        @pl.when(me == 0)
        def _():
            for number in waits:
                for _ in range(number):
                    pltpu.make_async_copy(x_ref, inbox.at[:8], arrived).wait()
                pltpu.sync_copy(inbox.at[:8], o_ref.at[:8])

    return kernel


def announced(with_arrival: bool) -> Callable[..., None]:
    """Device 1 sends to device 0 and then signals it, which says that its own buffer is free and no more."""

    def kernel(x_ref, o_ref, inbox, sent, arrived, ready):
        me = lax.axis_index("x")

        @pl.when(me == 1)
        def _():
            pltpu.async_remote_copy(x_ref, inbox.at[:8], sent, arrived, device_id=(0,)).wait_send()
            pl.semaphore_signal(ready, 1, device_id=(0,))

        @pl.when(me == 0)
        def _():
            pl.semaphore_wait(ready, 1)
            if with_arrival:
                pltpu.make_async_copy(x_ref, inbox.at[:8], arrived).wait()
            pltpu.sync_copy(inbox.at[:8], o_ref.at[:8])
            if not with_arrival:
                pltpu.make_async_copy(x_ref, inbox.at[:8], arrived).wait()

    return kernel


def counted(amount: int) -> Callable[..., None]:
    """Two devices read device 0's array and say so; it changes the array after some of these signals."""

    def kernel(x_ref, o_ref, inbox, sent, arrived, ready):
        me = lax.axis_index("x")

        @pl.when(me > 0)
        def _():
            pltpu.async_remote_copy(x_ref, inbox.at[pl.ds((me - 1) * 8, 8)], sent, arrived, device_id=(0,)).wait_send()
            pl.semaphore_signal(ready, 1, device_id=(0,))

        @pl.when(me == 0)
        def _():
            for _ in range(2):
                pltpu.make_async_copy(x_ref, inbox.at[:8], arrived).wait()
            pl.semaphore_wait(ready, amount)
            pltpu.sync_copy(inbox, o_ref)
            if amount < 2:
                pl.semaphore_wait(ready, 2 - amount)

    return kernel


# CHECK: gathered, one: copy from inbox and copy to inbox{{$}}
look("gathered, one", mapped(gathered((1, 1)), DMA, DMA), Y, None)
# CHECK: gathered, both: no race{{$}}
look("gathered, both", mapped(gathered((2,)), DMA, DMA), Y, None)
# The sender's semaphore says that its source has been read, not that the copy has arrived.
# CHECK: announced: copy from inbox and copy to inbox{{$}}
look("announced", mapped(announced(with_arrival=False), DMA, DMA, REGULAR), Y, None)
# CHECK: announced and arrived: no race{{$}}
look("announced and arrived", mapped(announced(with_arrival=True), DMA, DMA, REGULAR), Y, None)
# CHECK: counted: no race{{$}}
look("counted", mapped(counted(1), DMA, DMA, REGULAR), Y, None)


# One signal of two: the buffers of both devices are free after both.
def freed(amount: int) -> Callable[..., None]:
    def kernel(x_ref, o_ref, inbox, sent, arrived, ready, own):
        me = lax.axis_index("x")
        part = inbox.at[:8]

        @pl.when(me > 0)
        def _():
            pltpu.async_copy(x_ref, part, own).wait()
            pl.semaphore_signal(ready, 1, device_id=(0,))
            pltpu.make_async_copy(x_ref, part, arrived).wait()

        @pl.when(me == 0)
        def _():
            for device, needed in ((1, amount), (2, 2 - amount)):
                if needed:
                    pl.semaphore_wait(ready, needed)
                pltpu.async_remote_copy(x_ref, part, sent, arrived, device_id=(device,)).wait_send()

    return kernel


# A schedule in which the second signal comes after the wait does not show it.
# CHECK: freed, one: copy to inbox and copy to inbox; no race{{$}}
look("freed, one", mapped(freed(1), DMA, DMA, REGULAR, DMA), Y, None)
# CHECK: freed, both: no race{{$}}
look("freed, both", mapped(freed(2), DMA, DMA, REGULAR, DMA), Y, None)


# Groups and phases of a GPU --------------------------------------------------------------------------------------


Z = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
TILES = plgpu.SMEM((2, 32, 128), jnp.float32)


def of(kernel: Callable[..., None], *scratch: Any) -> Callable[..., Any]:
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct(Z.shape, Z.dtype), scratch_types=[TILES, *scratch])


def stored(after: Callable[..., None]) -> Callable[..., Any]:
    """Copies two tiles to the result, each in a group, and goes on."""

    def kernel(x, o, tiles):
        tiles[0] = x[:32]
        tiles[1] = x[32:]
        plgpu.commit_smem()
        for slot in range(2):
            plgpu.copy_smem_to_gmem(tiles.at[slot], o.at[pl.ds(slot * 32, 32)])
        after(o, tiles)
        plgpu.wait_smem_to_gmem(0)

    return of(kernel)


def overwritten(slot: int) -> Callable[..., None]:
    def after(o, tiles):
        plgpu.wait_smem_to_gmem(1, wait_read_only=True)
        tiles[slot] = jnp.zeros((32, 128), jnp.float32)

    return after


def read_back(wait_read_only: bool) -> Callable[..., None]:
    def after(o, tiles):
        plgpu.wait_smem_to_gmem(0, wait_read_only=wait_read_only)
        o[:32] = o[:32] + 1

    return after


# CHECK: first group: no race{{$}}
look("first group", stored(overwritten(0)), Z, Z)
# CHECK: pending group: copy from tiles and write of tiles{{$}}
look("pending group", stored(overwritten(1)), Z, None)
# CHECK: read back: no race{{$}}
look("read back", stored(read_back(False)), Z, np.where(np.arange(64)[:, None] < 32, Z + 1, Z))
# CHECK: read back after reads: copy to o and read of o{{$}}
look("read back after reads", stored(read_back(True)), Z, None)

# Kernels of a mesh of devices that copy to each other, signal each other and wait for each other.
#
# RUN: %python %s | FileCheck %s

import os
from collections.abc import Callable
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

gridir.install()

DMA, REGULAR = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR
ANY = pl.BlockSpec(memory_space=pl.ANY)
X = np.arange(8 * 8 * 128, dtype=np.float32).reshape(64, 128)

ring = Mesh(np.array(jax.devices()), ("x",))
plane = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))


def call(body: Callable[..., None], rows: int, *scratch: Any, **params: Any) -> Callable[..., jax.Array]:
    return pl.pallas_call(
        body,
        out_shape=jax.ShapeDtypeStruct((rows, 128), np.float32),
        in_specs=[ANY],
        out_specs=ANY,
        scratch_shapes=scratch,
        compiler_params=pltpu.CompilerParams(**params),
    )


def mapped(f: Callable[..., Any], mesh: Mesh = ring, out: P | None = None) -> Callable[..., Any]:
    spec = P(mesh.axis_names, None)
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec if out is None else out, check_vma=False))


def report(name: str, y: Any, expected: Any) -> None:
    print(f"{name}: {'equal' if np.array_equal(np.asarray(y), expected) else 'DIFFERENT'}")


def shifted(rows: np.ndarray, by: int) -> np.ndarray:
    return np.roll(rows.reshape(8, -1, 128), by, axis=0).reshape(rows.shape)


# To the neighbour on the right, who is named in each way that there is.
def permute(name_of: Callable[[Any], Any], kind: Any) -> Callable[..., None]:
    def body(x_ref, o_ref, sent, arrived):
        to = lax.rem(lax.axis_index("x") + 1, 8)
        copy = pltpu.make_async_remote_copy(x_ref, o_ref, sent, arrived, device_id=name_of(to), device_id_type=kind)
        copy.start()
        copy.wait()

    return body


MESH, LOGICAL = pl.DeviceIdType.MESH, pl.DeviceIdType.LOGICAL
for name, name_of, kind in (
    ("coordinates", lambda i: (i,), MESH),
    ("axes", lambda i: {"x": i}, MESH),
    ("number", lambda i: i, LOGICAL),
):
    report(name, mapped(call(permute(name_of, kind), 8, DMA, DMA))(X), shifted(X, 1))
# CHECK: coordinates: equal
# CHECK: axes: equal
# CHECK: number: equal


# Along one axis of two, and between calls of one program, in a loop and side by side.
def along_y(x_ref, o_ref, sent, arrived):
    to = lax.rem(lax.axis_index("y") + 1, 4)
    pltpu.async_remote_copy(x_ref, o_ref, sent, arrived, device_id={"y": to}).wait()


by_column = X.reshape(2, 4, 8, 128)
step = call(along_y, 8, DMA, DMA)
report("one axis", mapped(step, plane)(X), np.roll(by_column, 1, axis=1).reshape(X.shape))
three_steps = mapped(lambda x: lax.fori_loop(0, 3, lambda _, y: step(y), x), plane)
report("in a loop", three_steps(X), np.roll(by_column, 3, axis=1).reshape(X.shape))
report(
    "two calls", mapped(lambda x: step(x) + step(x * 2), plane)(X), 3 * np.roll(by_column, 1, axis=1).reshape(X.shape)
)
# CHECK: one axis: equal
# CHECK: in a loop: equal
# CHECK: two calls: equal


# Every device gets the parts of all: each part goes round the ring, after a barrier of neighbours.
def all_gather(x_ref, o_ref, local, sent, arrived):
    number = lax.axis_index("x")
    left, right = lax.rem(number + 7, 8), lax.rem(number + 1, 8)
    barrier = pltpu.get_barrier_semaphore()
    for neighbour in (left, right):
        pl.semaphore_signal(barrier, 1, device_id=(neighbour,))
    pl.semaphore_wait(barrier, 2)
    pltpu.async_copy(x_ref, o_ref.at[pl.ds(number * 8, 8)], local).wait()

    @pl.loop(0, 7)
    def _(step):
        part = o_ref.at[pl.ds(lax.rem(number - step + 8, 8) * 8, 8)]
        pltpu.async_remote_copy(part, part, sent, arrived.at[step], device_id=(right,)).wait()


gathered = mapped(call(all_gather, 64, DMA, DMA, DMA((7,)), collective_id=0))(X)
report("all gather", gathered, np.tile(X, (8, 1)))
# CHECK: all gather: equal


# A sum over all devices in VMEM, of blocks that the grid brings.
def all_reduce(x_ref, o_ref, inbox, sent, arrived, free):
    step, number = pl.program_id(0), lax.axis_index("x")
    left, right = lax.rem(number + 7, 8), lax.rem(number + 1, 8)

    @pl.when(step == 0)
    def _():
        o_ref[...] = x_ref[...]
        inbox[0] = x_ref[...]

    @pl.when(step > 0)
    def _():
        # The right neighbour has room when it has read what came before.
        @pl.when(step > 1)
        def _():
            pl.semaphore_wait(free, 1)

        here, there = lax.rem(step - 1, 2), lax.rem(step, 2)
        copy = pltpu.make_async_remote_copy(inbox.at[here], inbox.at[there], sent, arrived, device_id=(right,))
        copy.start()
        copy.wait()
        o_ref[...] += inbox[there]

        @pl.when(step < 7)
        def _():
            pl.semaphore_signal(free, 1, device_id=(left,))


reduce = pl.pallas_call(
    all_reduce,
    grid=(8,),
    out_shape=jax.ShapeDtypeStruct((8, 128), np.float32),
    in_specs=[pl.BlockSpec((8, 128), lambda i: (0, 0))],
    out_specs=pl.BlockSpec((8, 128), lambda i: (0, 0)),
    scratch_shapes=[pltpu.VMEM((2, 8, 128), np.float32), DMA, DMA, REGULAR],
)
report("all reduce", mapped(reduce)(X), np.tile(X.reshape(8, 8, 128).sum(0), (8, 1)))
# CHECK: all reduce: equal


# Both neighbours send; one wait for a number that is computed, of a slice that no Ref has.
def from_both(x_ref, o_ref, sent, arrived):
    number = lax.axis_index("x")
    for step, rows in ((1, pl.ds(0, 4)), (7, pl.ds(4, 4))):
        to = lax.rem(number + step, 8)
        pltpu.async_remote_copy(x_ref.at[rows], o_ref.at[rows], sent, arrived, device_id=(to,)).wait_send()
    everything = pl.ds(0, jnp.where(number < 8, 2, 0))
    pltpu.make_async_copy(x_ref.at[pl.ds(0, 4)], o_ref.at[pl.ds(0, 4)], arrived).wait()
    pltpu.make_async_copy(x_ref.at[everything, 0:64], o_ref.at[everything, 0:64], arrived).wait()
    twelve = pl.ds(0, 12 // jnp.where(number < 8, 1, 2))
    pltpu.make_async_copy(x_ref.at[twelve, 0:32], o_ref.at[twelve, 0:32], arrived).wait()


halves = np.concatenate([shifted(X, 1).reshape(8, 8, 128)[:, :4], shifted(X, -1).reshape(8, 8, 128)[:, 4:]], axis=1)
report("from both", mapped(call(from_both, 8, DMA, DMA))(X), halves.reshape(X.shape))
# CHECK: from both: equal


# Each core of each device copies to its counterpart on the next device, when all cores of all devices are there.
def cores(x_ref, o_ref, sent, arrived):
    number, core = lax.axis_index("x"), lax.axis_index("core")
    barrier = pltpu.get_barrier_semaphore()
    for device in range(8):
        for other in range(2):
            pl.semaphore_signal(barrier, 1, device_id={"x": device, "core": other})
    pl.semaphore_wait(barrier, 16)
    half = pl.ds(core * 4, 4)
    to = {"x": lax.rem(number + 1, 8), "core": core}
    pltpu.async_remote_copy(x_ref.at[half], o_ref.at[half], sent, arrived, device_id=to).wait()


on_cores = pl.kernel(
    cores,
    out_type=jax.ShapeDtypeStruct((8, 128), np.float32),
    mesh=pltpu.create_tensorcore_mesh("core", num_cores=2),
    scratch_types=(DMA, DMA),
    compiler_params=pltpu.CompilerParams(collective_id=1),
)
report("cores of devices", mapped(on_cores)(X), shifted(X, 1))
# CHECK: cores of devices: equal


# One kernel starts the copy, with semaphores that it makes, and another one waits for it.
SEMAPHORE = pl.BlockSpec(memory_space=pltpu.SEMAPHORE)


def start(x_ref, o_ref, sent, arrived):
    to = lax.rem(lax.axis_index("x") + 1, 8)
    pltpu.make_async_remote_copy(x_ref, o_ref, sent, arrived, device_id=(to,)).start()


def finish(x_ref, y_ref, sent, arrived, o_ref):
    pltpu.make_async_remote_copy(x_ref, y_ref, sent, arrived, device_id=(0,)).wait()


def in_two_kernels(x):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    started = pl.pallas_call(
        start, out_shape=(shape, DMA(()), DMA(())), in_specs=[ANY], out_specs=(ANY, SEMAPHORE, SEMAPHORE)
    )
    waited = pl.pallas_call(
        finish,
        out_shape=shape,
        in_specs=[ANY, ANY, SEMAPHORE, SEMAPHORE],
        out_specs=ANY,
        input_output_aliases={1: 0},
    )
    return waited(x, *started(x))


report("two kernels", mapped(in_two_kernels)(X), shifted(X, 1))
# CHECK: two kernels: equal


# A kernel that only reads its position never waits: half of the devices call it.
def where(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 0 + lax.axis_index("x") * 10 + lax.axis_index("y")


whole = pl.pallas_call(where, out_shape=jax.ShapeDtypeStruct((8, 128), np.float32))
some = mapped(lambda x: lax.cond(lax.axis_index("y") < 2, whole, lambda x: x * 0 - 1, x), plane)
coordinates = np.array([[10 * x + y if y < 2 else -1 for y in range(4)] for x in range(2)]).reshape(8, 1, 1)
report("coordinates", some(X), np.broadcast_to(coordinates, (8, 8, 128)).reshape(X.shape))
# CHECK: coordinates: equal


def error_of(body: Callable[..., None], *scratch: Any) -> str:
    try:
        jax.block_until_ready(mapped(call(body, 8, *scratch))(X))
    except jax.errors.JaxRuntimeError as error:
        return str(error).splitlines()[0]
    return "no error"


def nobody_sends(x_ref, o_ref, arrived):
    to = lax.rem(lax.axis_index("x") + 1, 8)

    @pl.when(to != 3)
    def _():
        pl.semaphore_signal(arrived, 1, device_id=to, device_id_type=LOGICAL)

    pl.semaphore_wait(arrived, 1)


print(error_of(nobody_sends, REGULAR))
# CHECK: kernel `nobody_sends`: the kernel waits for 1 on a semaphore that holds 0, and nothing can signal it
# CHECK-SAME: 1 of 8 programs wait


def no_such_device(x_ref, o_ref, arrived):
    pl.semaphore_signal(arrived, 1, device_id=(lax.axis_index("x") + 1,))


print(error_of(no_such_device, REGULAR))
# CHECK: kernel `no_such_device`: device 8 is out of bounds [0, 8)


def alone(x_ref, o_ref, arrived):
    pl.semaphore_signal(arrived, 1, device_id=0, device_id_type=LOGICAL)


try:
    call(alone, 8, REGULAR)(X[:8])
except gridir.CompileError as error:
    print(str(error).splitlines()[0])
# CHECK: expected signals within one device, got a signal to another device or core

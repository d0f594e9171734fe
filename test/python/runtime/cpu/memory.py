# RUN: %python %s | FileCheck %s
# The thread sanitizer ends a process in which it finds no memory for itself.
# UNSUPPORTED: thread-sanitizer

# If the system has no memory left, the call fails with the required size; the process continues, and the next call
# works. The same holds for a call of devices if one of them cannot continue: all are notified.
import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Inputs"))
import re
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from address_space import limited
from gridir.runtime import cpu
from handwritten import OPTIONS, call, elementwise, encode, prepare
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

gridir.install()
MIB = 1 << 20


def outcome(function: Callable[..., Any], *args: Any) -> str:
    try:
        jax.block_until_ready(function(*args))
    except jax.errors.JaxRuntimeError as error:
        return re.sub(r"(; current|\n).*", "", str(error), flags=re.S)
    return "no error"


def attempt(name: str, room: int, function: Callable[..., Any], *args: Any, again: bool = True) -> None:
    """Calls a function where there is little memory, and `again` where there is enough."""
    compiled = jax.jit(function).lower(*args).compile()
    with limited(room):
        print(f"{name}: {outcome(compiled, *args)}")
    if again:
        print(f"    later: {outcome(compiled, *args)}")


# The scratch memory of a thread.
x = jnp.arange(8 * 128, dtype=jnp.float32).reshape(8, 128)


def large_scratch(x_ref, o_ref, scratch):
    scratch[0] = x_ref[...]
    o_ref[...] = scratch[0]


attempt(
    "thread",
    100 * MIB,
    pl.pallas_call(
        large_scratch, out_shape=jax.typeof(x), scratch_shapes=[pltpu.VMEM((1 << 16, 8, 128), jnp.float32)], name="k"
    ),
    x,
)
# CHECK: thread: {{.*}}kernel `k` needs 268435456 bytes for the scratch memory of a thread, and the system has no more
# CHECK-NEXT: later: no error


# The scratch memory of programs that wait for each other. The first names that of the second, which has none yet.
def on_cores(body: Callable[..., None], num_cores: int, *scratch: Any) -> Callable[..., Any]:
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=num_cores)
    return pl.kernel(body, out_type=jax.typeof(x), mesh=mesh, scratch_types=scratch, name="k")


def send(x_ref, o_ref, value, sent, arrived):
    core = lax.axis_index("core")
    to = {"core": lax.rem(core + 1, 2)}
    copy = pltpu.make_async_remote_copy(
        value.at[0], value.at[1], sent, arrived, device_id=to, device_id_type=pl.DeviceIdType.MESH
    )
    copy.start()
    copy.wait()

    @pl.when(core == 0)
    def _():
        pltpu.sync_copy(value.at[1, :8], o_ref)


DMA = pltpu.SemaphoreType.DMA
call_cores = on_cores(send, 2, pltpu.VMEM((2, 1 << 16, 128), jnp.float32), DMA, DMA)
# CHECK: no program: {{.*}}kernel `k` needs 6710{{[0-9]+}} bytes for the scratch memory of a program, and the system
# CHECK-NEXT: later: no error
attempt("no program", 40 * MIB, call_cores, x)
# CHECK: one program: {{.*}}kernel `k` needs 6710{{[0-9]+}} bytes for the scratch memory of a program, and the system
# CHECK-NEXT: later: no error
attempt("one program", 100 * MIB, call_cores, x)


# The stacks of programs that all wait for the last one, and what is known of programs that have not begun.
def wait_for_last(_, o_ref, arrived):
    num_cores = lax.axis_size("core")
    core = lax.axis_index("core")

    @pl.when(core < num_cores - 1)
    def _():
        pl.semaphore_wait(arrived, 1)

    @pl.when(core == num_cores - 1)
    def _():
        @pl.loop(0, num_cores - 1)
        def _(to):
            pl.semaphore_signal(arrived, 1, core_index=to)


REGULAR = pltpu.SemaphoreType.REGULAR
# CHECK: stacks: {{.*}}kernel `k` needs {{[0-9]+}} bytes for the stack of a program, beside {{[0-9]+}} that have started
# CHECK-NEXT: later: no error
attempt("stacks", 100 * MIB, on_cores(wait_for_last, 1000, REGULAR), x)
# CHECK: states: {{.*}}kernel `k` needs {{[0-9]+}} bytes for the state of 1048576 programs, and the system has no more
attempt("states", 30 * MIB, on_cores(wait_for_last, 1 << 20, REGULAR), x, again=False)


# Elements of four bits have a byte each while a kernel runs.
def copy_first(x_ref, o_ref):
    o_ref[...] = x_ref[0]


packed = jnp.zeros((1 << 18, 8, 128), jnp.int4)
# CHECK: packed: {{.*}}kernel `k` needs 268435456 bytes for the elements of a packed array, a byte for each
# CHECK-NEXT: later: no error
attempt(
    "packed",
    100 * MIB,
    pl.pallas_call(copy_first, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.int4), name="k"),
    packed,
)

# The stack of a program is as large as its frames: these four megabytes do not fit on one of a fixed size.
frame = elementwise("%w = arith.addf %v, %v : f32", abi="tasks = <>").replace(
    "%c0 =",
    """%bytes = llvm.mlir.constant(4194304 : i64) : i64
       %frame = llvm.alloca %bytes x i8 : (i64) -> !llvm.ptr
       llvm.store volatile %bytes, %frame : i64, !llvm.ptr
       %c0 =""",
    1,
)
# CHECK: frame: True
print("frame:", bool((call(frame, x, x) == 2 * x).all()))


# One device whose call cannot be made fails the calls of all, which would wait for it.
mesh = Mesh(np.array(jax.devices()), ("x",))
text = elementwise("%w = arith.addf %v, %v : f32", abi="tasks = <>", rows=2)


def on_devices(text: str, number: Callable[[Any], Any]) -> Callable[..., Any]:
    """A call of four devices, each with its part of the operands and the number that it gives for itself."""
    key, _ = prepare(text)
    attributes = encode(cpu.call_attributes("k", key, text.encode(), OPTIONS) | {"num_devices": 4, "channel": 1})

    def body(*operands):
        function = jax.ffi.ffi_call(cpu.COLLECTIVE_CALL_TARGET, jax.ShapeDtypeStruct((2, 128), jnp.float32))
        return function(*operands, number(lax.axis_index("x")), **attributes)

    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))


# CHECK: devices: no error
print("devices:", outcome(on_devices(text, lambda i: i), x))
# CHECK: too large: {{.*}}kernel `k` expected its devices to have the numbers from 0 to 3, got 0, 2, 3, 9
print("too large:", outcome(on_devices(text, lambda i: jnp.where(i == 1, 9, i)), x))
# CHECK: twice: {{.*}}kernel `k` expected its devices to have the numbers from 0 to 3, got 0, 0, 1, 1
print("twice:", outcome(on_devices(text, lambda i: i // 2), x))
# CHECK: no number: {{.*}}kernel `k` takes the number of its device as the last argument, an i32
print("no number:", outcome(on_devices(text, lambda i: i.astype(jnp.float32)), x))
# There is memory for the packed elements of two devices, and not of four.
text = text.replace("(%x: memref<2x128xf32>", "(%p: memref<67108864xi8>, %x: memref<2x128xf32>")
function = on_devices(text, lambda i: i)
operands = jax.device_put((jnp.zeros(1 << 28, jnp.int4), x), NamedSharding(mesh, P("x")))
# CHECK: all: no error
print("all:", outcome(function, *operands))
# CHECK: some: {{.*}}kernel `k` needs 67108864 bytes for the elements of a packed array, a byte for each
with limited(170 * MIB):
    print("some:", outcome(function, *operands))

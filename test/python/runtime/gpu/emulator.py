# RUN: %python %s | FileCheck %s
"""The executor as a driver: parameters beside operands, and operands whose elements share bytes."""

import dataclasses

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from gridir.compiler.targets import get_target
from gridir.errors import LaunchError
from gridir.frontend.execute import execute
from gridir.runtime.gpu.emulator import Emulator
from gridir.runtime.gpu.host_arrays import execute as launch_on
from gridir.runtime.gpu.launch import Launch, Operand, TensorMap
from gridir.runtime.gpu.packed import PackedOperand
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

# Bulk copies see several elements in each byte, the first one lowest, and threads see a byte for each element.
# CHECK: of 4 bits: [33 67 15]
# CHECK: stored: [2 3 3 4]
# CHECK: of 2 bits: [228 27 228]
halves = np.resize(np.array([1, 2, 3, 4, -1, 0], ml_dtypes.int4), 32)
packed = PackedOperand(halves, 2)
print("of 4 bits:", packed.words[:3])
# A copy has stored a byte, and a thread an element.
packed.words[0], halves[3] = 0x32, 4
packed.unpack()
print("stored:", halves[:4].astype(int))
quarters = np.resize(np.array([0, 1, 2, 3, 3, 2, 1, 0], ml_dtypes.uint2), 64)
print("of 2 bits:", str(PackedOperand(quarters, 4).words[:3]).replace("  ", " "))

# Panels of columns are a dimension of their own; elements of JAX's own types have no buffers of NumPy's.
# CHECK: panels: (2, 4, 32) shared True equal True
emulator = Emulator()
matrix = np.arange(256).astype(ml_dtypes.float8_e4m3fn).reshape(4, 64)
panels = TensorMap(0, "float8_e4m3fn", (2, 4, 32), (32, 64, 1), (2, 4, 32), 32)
memory = emulator.allocate(matrix.nbytes)
emulator.write(memory, matrix.tobytes())
given = emulator.encode_tensor_map(memory, panels)
equal = np.array_equal(given.array.view(np.uint8), matrix.view(np.uint8).reshape(4, 2, 32).swapaxes(0, 1))
print("panels:", given.array.shape, "shared", np.shares_memory(given.array, memory), "equal", equal)

# A kernel that updates parts of words accesses whole words; the operand gets only its own bytes back.
# CHECK: LaunchError: expected an access to memory of the launch, got 4 bytes at {{.*}}: it begins in the last of the 9
# CHECK: words: [ 1  2  3  4  5  6  7  8 13]
TEXT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 data) {
  .reg .b64 %p, %d;
  .reg .b32 %x<3>;
  ld.param.b64 %p, [data];
  ld.global.b32 %x0, [%p + 8];
  st.global.b32 [%p + 8], 0x0a0b0c0d;
  ret;
}
"""
octets = np.arange(1, 10, dtype=np.uint8)
try:
    launch_on(TEXT.encode(), Launch("add", 32, 1, (Operand(0),)), [octets], emulator)
except LaunchError as error:
    print(f"LaunchError: {error.message}")
launch_on(TEXT.encode(), Launch("add", 32, 1, (Operand(0),), updates_parts_of_words=True), [octets], emulator)
print("words:", octets)


def signals(x, o):
    semaphore = pl.get_global(plgpu.SemaphoreType.REGULAR)
    pl.semaphore_signal(semaphore, 1)
    pl.semaphore_wait(semaphore, 1)
    o[0] = x[0]


def copies(x, o, tile, barrier):
    plgpu.copy_gmem_to_smem(x, tile, barrier)
    plgpu.barrier_wait(barrier)
    plgpu.copy_smem_to_gmem(tile, o)
    plgpu.wait_smem_to_gmem(0)


def prepared(body, *scratch):
    call = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((256,), jnp.float32), scratch_types=scratch)
    target = get_target("gpu:sm_90a")
    (kernel,) = execute(call, [np.arange(256, dtype=np.float32)], target).kernels
    return kernel.prepare()


# Semaphores of the launch are memory after the operands; a kernel without them has none.
# CHECK: signals: operand 0, operand 1, zeroed 4
# CHECK: copies: operand 0, operand 1, tensor_map 0 float32 (256,) (4,) (256,) 0, tensor_map 1 float32
for kernel in (prepared(signals), prepared(copies, plgpu.SMEM((256,), jnp.float32), plgpu.Barrier())):
    shown = [" ".join(map(str, (x.kind, *dataclasses.astuple(x)))) for x in kernel.known_launch.parameters]
    print(f"{kernel.name}: {', '.join(shown)}")
    x, o = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    kernel.launch([x, o])
    assert o[0] == 0
    assert (o == (x if kernel.name == "copies" else 0)).all()

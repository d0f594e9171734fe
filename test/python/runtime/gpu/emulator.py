# RUN: %python %s | FileCheck %s
"""The executor as a driver: parameters beside operands, and operands whose elements share bytes."""

import dataclasses

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.runtime.gpu.emulator import EmulatedMemory
from gridir.runtime.gpu.launch import Launch, Operand, TensorMap
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

# Bulk copies see several elements in each byte, the first one lowest, and threads see a byte for each element.
# CHECK: of 4 bits: [33 67 15]
# CHECK: stored: [2 3 3 4]
# CHECK: of 2 bits: [228 27 228]
halves = np.resize(np.array([1, 2, 3, 4, -1, 0], ml_dtypes.int4), 32)
parameters = (Operand(0), TensorMap(0, "uint8", (16,), (1,), (16,), 0))
memory = EmulatedMemory(Launch("k", 32, 1, parameters, packed_operands=((0, 2),)), [halves])
packed = memory.tensor_map(halves, parameters[1]).array
print("of 4 bits:", packed[:3])
# A copy has stored a byte, and a thread an element.
packed[0], halves[3] = 0x32, 4
memory.write_back()
print("stored:", halves[:4].astype(int))
quarters = np.resize(np.array([0, 1, 2, 3, 3, 2, 1, 0], ml_dtypes.uint2), 64)
memory = EmulatedMemory(Launch("k", 32, 1, parameters, packed_operands=((0, 4),)), [quarters])
print("of 2 bits:", str(memory.tensor_map(quarters, parameters[1]).array[:3]).replace("  ", " "))

# Panels of columns are a dimension of their own; elements of JAX's own types have no buffers of NumPy's.
# CHECK: panels: (2, 4, 32) shared True equal True
matrix = np.arange(256).astype(ml_dtypes.float8_e4m3fn).reshape(4, 64)
panels = TensorMap(0, "float8_e4m3fn", (2, 4, 32), (32, 64, 1), (2, 4, 32), 32)
given = EmulatedMemory(Launch("k", 32, 1, (Operand(0), panels)), [matrix]).tensor_map(matrix, panels)
equal = np.array_equal(given.array.view(np.uint8), matrix.view(np.uint8).reshape(4, 2, 32).swapaxes(0, 1))
print("panels:", given.array.shape, "shared", np.shares_memory(given.array, matrix), "equal", equal)

# A kernel that updates parts of words accesses whole words; the operand gets only its own bytes back.
# CHECK: words: 8 bytes, written [1 2 3 4 9]
bytes_ = np.arange(1, 6, dtype=np.uint8)
memory = EmulatedMemory(Launch("k", 32, 1, (Operand(0),), updates_parts_of_words=True), [bytes_])
memory.operands[0][4:] = 9
memory.write_back()
print("words:", memory.operands[0].nbytes, "bytes, written", bytes_)


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

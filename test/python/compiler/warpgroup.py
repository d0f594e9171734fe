# RUN: %python %s | FileCheck %s
"""What a launch of a warpgroup program has beside its operands: tensor maps, and memory that is zero."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from gridir.compiler.targets import get_target
from gridir.compiler.warpgroup import PackedOperands, TensorMap
from gridir.frontend.execute import execute
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

# An array whose elements have a byte or more is given as it is.
plain = np.arange(128, dtype=np.int8)
given = TensorMap(1, (4, 32), (2, 32), 32).of(plain)
# CHECK: plain: (4, 32) (2, 32) 32 shared True
print("plain:", given.array.shape, given.box, given.swizzle, "shared", np.shares_memory(given.array, plain))

# Panels of columns are a dimension of their own; elements of JAX's own types have no buffers of NumPy's.
# CHECK: panels: (2, 4, 32) shared True equal True
matrix = np.arange(256).astype(ml_dtypes.float8_e4m3fn).reshape(4, 64)
given = TensorMap(0, (2, 4, 32), (2, 4, 32), 32, (32, 64, 1)).of(matrix)
equal = np.array_equal(given.array.view(np.uint8), matrix.view(np.uint8).reshape(4, 2, 32).swapaxes(0, 1))
print("panels:", given.array.shape, "shared", np.shares_memory(given.array, matrix), "equal", equal)

# Of smaller ones several are packed in a byte, the first lowest.
# CHECK: of 4 bits: (16,) [33 67 15]
# CHECK: stored: [2 3 3 4]
# CHECK: of 2 bits: (16,) [228 27 228]
halves = np.resize(np.array([1, 2, 3, 4, -1, 0], ml_dtypes.int4), 32)
operands = PackedOperands([halves])
packed = operands.of(TensorMap(0, (16,), (16,), 0))
print("of 4 bits:", packed.shape, packed[:3])
# A copy has stored a byte, and a thread an element.
packed[0], halves[3] = 0x32, 4
operands.unpack()
print("stored:", halves[:4].astype(int))
quarters = np.resize(np.array([0, 1, 2, 3, 3, 2, 1, 0], ml_dtypes.uint2), 64)
packed = PackedOperands([quarters]).of(TensorMap(0, (16,), (16,), 0))
print("of 2 bits:", packed.shape, str(packed[:3]).replace("  ", " "))


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


# Semaphores of the launch are memory that follows the operands; a kernel without has none.
# CHECK: signals: zeroed 4, maps []
# CHECK: copies: zeroed 0, maps [TensorMap(operand=0, shape=(256,), box=(256,), swizzle=0, strides=None), TensorMap(
for kernel in (prepared(signals), prepared(copies, plgpu.SMEM((256,), jnp.float32), plgpu.Barrier())):
    print(f"{kernel.name}: zeroed {kernel.zeroed_bytes}, maps {list(kernel.tensor_maps)}")
    x, o = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    kernel.launch([x, o])
    assert o[0] == 0
    assert (o == (x if kernel.name == "copies" else 0)).all()

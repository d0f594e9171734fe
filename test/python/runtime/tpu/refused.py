# REQUIRES: libtpu
# RUN: %python %s | FileCheck %s

# Rejections of Mosaic have the author's line where Mosaic has a location, with a cause, and with a change that works.
# Here it rejects modules of JAX's lowering, so that each kernel gets as far as Mosaic.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir import tpu
from gridir.frontend.targets.tpu_aot import jax_own
from gridir.frontend.targets.tpu_report import compile_candidates
from refused import KERNELS

kernels = [jax_own(function, *args)[0] for function, args in KERNELS.values()]
with tpu.Workers("v5e:2x2", timeout=90) as workers:
    for name, report in zip(KERNELS, compile_candidates(kernels, workers).jax, strict=True):
        print(f"== {name}")
        print(report)

# CHECK-LABEL: == reshape
# CHECK-NEXT:  reshapes (jax): not accepted
# CHECK-NEXT:  unsupported shape cast; the operation is tpu.reshape : (vector<7x130xf32>) -> vector<13x70xf32>
# CHECK-NEXT:  in kernel `reshapes`
# CHECK-NEXT:  at {{.*}}refused.py:29:18 (reshapes)
# CHECK-NEXT:  o_ref[...] = x_ref[...].reshape(13, 70)  # the line of the reshape
# CHECK:       cause: a reshape must leave the last dimension
# CHECK:       a change that works: reshape outside of the kernel

# CHECK-LABEL: == int8 sum
# CHECK:       (adds_int8)
# CHECK:       a change that works: widen to int32

# CHECK-LABEL: == float16
# CHECK:       cause: Mosaic has no float16

# CHECK-LABEL: == int16 matmul
# CHECK:       (multiplies_int16)
# CHECK:       a change that works: multiply bfloat16 or float32 into float32

# CHECK-LABEL: == gather
# CHECK:       cause: a gather reads within one vector register

# Since 0.0.48, libtpu rotates narrow numbers, takes small blocks of them, and reads float8 from bytecode.
# CHECK-LABEL: == rotate
# CHECK:       {{\(jax\): accepted|a change that works: widen to 32 bits, roll, and narrow}}

# CHECK-LABEL: == small block
# CHECK:       {{\(jax\): accepted|a change that works: make the block a multiple of \(32, 128\)}}

# CHECK-LABEL: == unaligned
# CHECK:       here 8 along dimension 0

# CHECK-LABEL: == too large
# CHECK-NEXT:  not accepted
# CHECK-NEXT:  Ran out of memory in memory space vmem
# CHECK:       cause: {{.*}} take 2.00M of VMEM, and the limit is 1.00M

# CHECK-LABEL: == scratch
# CHECK:       a change that works: set internal_scratch_in_bytes to at least 36864

# CHECK-LABEL: == flag
# CHECK:       cause: nope is not one of the flags

# CHECK-LABEL: == cores
# CHECK:       here 1

# CHECK-LABEL: == float8
# CHECK:       {{\(jax\): accepted|a change that works: compile the kernel with gridir}}

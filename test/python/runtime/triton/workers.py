# REQUIRES: jax-cuda-plugin, ptxas
# RUN: %python %s | FileCheck %s

# JAX's compiler of kernels for Triton in a process: what it does not compile, and the end of the process, are errors.

import gridir
from gridir.frontend.compat.jax_peer import lower_for_triton
from gridir.runtime.chip_constants import load_chip
from gridir.runtime.triton import TritonError, TritonKernel, Workers

chip = load_chip("gpu:sm_90a")


def show(workers, program):
    try:
        print(workers.compile(TritonKernel("kernel", program)))
    except TritonError as error:
        print(error.stage, error.message)


with Workers("sm_90a", chip.values, jobs=1) as workers:
    # CHECK: compile JAX's compiler does not accept the kernel: {{.+}}
    show(workers, b"no module")
    # A program without a kernel has no PTX.
    # CHECK-NEXT: compile {{.*}}: expected one kernel, got 0 launches and 0 texts of PTX
    show(workers, b"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }")
    # CHECK-NEXT: crash the compilation was interrupted
    workers.kill()
    show(workers, b"")
# CHECK-NEXT: expected a chip that is a product, for which JAX lowers kernels for Triton, got 'sm_86'
try:
    lower_for_triton(lambda x: x, (1.0,), "sm_86")
except gridir.Error as error:
    print(error)

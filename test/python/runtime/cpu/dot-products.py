# REQUIRES: x86_64
# Which instructions for sums of products code for a CPU has, whether this machine can run it or not.
#
# RUN: %python %s | FileCheck %s

import re

import gridir
import jax
import jax.numpy as jnp
from gridir.compiler.cpu import CpuOptions
from jax.experimental import pallas as pl

CPUS = {
    name: CpuOptions(cpu=name)
    for name in ("x86-64-v2", "x86-64-v3", "x86-64-v4", "alderlake", "cooperlake", "sapphirerapids", "znver5")
}
CPUS["sapphirerapids without tiles"] = CpuOptions(cpu="sapphirerapids", features="-amx-tile")
CPUS["sapphirerapids, not optimised"] = CpuOptions(cpu="sapphirerapids", codegen_level=0)


def product(dtype, accumulator):
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=accumulator)

    def call(x, y):
        return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((16, 64), accumulator))(x, y)

    return call, jnp.zeros((16, 32), dtype), jnp.zeros((32, 64), dtype)


for cpu, options in CPUS.items():
    for dtype, accumulator in ((jnp.bfloat16, jnp.float32), (jnp.int8, jnp.int32), (jnp.uint8, jnp.int32)):
        function, x, y = product(dtype, accumulator)
        kernel = gridir.lower(function, x, y, target="cpu", options=options).kernels[0]
        names = set(re.findall(r"call_intrinsic \"llvm.x86.(?!tile)([^\"]*)", kernel.text("llvm")))
        print(f"{cpu}, {jnp.dtype(dtype).name}: {', '.join(sorted(names)) or 'none'}")

# CHECK:      x86-64-v2, bfloat16: none
# CHECK-NEXT: x86-64-v2, int8: sse2.pmadd.wd
# CHECK-NEXT: x86-64-v2, uint8: sse2.pmadd.wd
# CHECK-NEXT: x86-64-v3, bfloat16: none
# CHECK-NEXT: x86-64-v3, int8: avx2.pmadd.wd
# CHECK-NEXT: x86-64-v3, uint8: avx2.pmadd.wd
# CHECK-NEXT: x86-64-v4, bfloat16: none
# CHECK-NEXT: x86-64-v4, int8: avx512.pmaddw.d.512
# CHECK-NEXT: x86-64-v4, uint8: avx512.pmaddw.d.512
# CHECK-NEXT: alderlake, bfloat16: none
# CHECK-NEXT: alderlake, int8: avx512.vpdpbusd.256
# CHECK-NEXT: alderlake, uint8: avx512.vpdpwssd.256
# CHECK-NEXT: cooperlake, bfloat16: avx512bf16.dpbf16ps.512
# CHECK-NEXT: cooperlake, int8: avx512.vpdpbusd.512
# CHECK-NEXT: cooperlake, uint8: avx512.vpdpwssd.512
# CHECK-NEXT: sapphirerapids, bfloat16: tdpbf16ps.internal
# CHECK-NEXT: sapphirerapids, int8: tdpbssd.internal
# CHECK-NEXT: sapphirerapids, uint8: tdpbuud.internal
# CHECK-NEXT: znver5, bfloat16: avx512bf16.dpbf16ps.512
# CHECK-NEXT: znver5, int8: avx512.vpdpbusd.512
# CHECK-NEXT: znver5, uint8: avx512.vpdpwssd.512
# CHECK-NEXT: sapphirerapids without tiles, bfloat16: avx512bf16.dpbf16ps.512
# CHECK-NEXT: sapphirerapids without tiles, int8: avx512.vpdpbusd.512
# CHECK-NEXT: sapphirerapids without tiles, uint8: avx512.vpdpwssd.512
# LLVM allocates tiles only where it optimises; a CPU with tiles has vdpbf16ps, and is twice as fast without it.
# CHECK-NEXT: sapphirerapids, not optimised, bfloat16: none
# CHECK-NEXT: sapphirerapids, not optimised, int8: avx512.vpdpbusd.512
# CHECK-NEXT: sapphirerapids, not optimised, uint8: avx512.vpdpwssd.512

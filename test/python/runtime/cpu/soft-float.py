# RUN: %python %s | FileCheck %s

# On a CPU without instructions for 16-bit floats generated code calls conversions of the runtime.
import dataclasses
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax.numpy as jnp
import numpy as np
from handwritten import OPTIONS, call, elementwise

# Spelled out, so that no pass expands the conversions before LLVM sees them.
PIPELINE = (
    "cpu-plan-arena,convert-scf-to-cf,convert-arith-to-llvm,finalize-memref-to-llvm,"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},convert-cf-to-llvm,reconcile-unrealized-casts"
)
options = dataclasses.replace(OPTIONS, cpu="x86-64", pipeline=PIPELINE)
# Every bit pattern that a 16-bit float can have, and what lies halfway to the next.
bits = np.arange(1 << 16, dtype=np.uint16)
for name, dtype in (("bf16", jnp.bfloat16), ("f16", jnp.float16)):
    exact = bits.view(dtype).astype(np.float32)
    with np.errstate(all="ignore"):
        values = np.concatenate([exact, exact + (np.nextafter(exact, np.float32(np.inf)) - exact) * 3])
        x = np.where(np.isnan(values), np.float32(1), values).reshape(-1, 128)
        expected = x.astype(dtype).astype(np.float32)
    body = f"%n = arith.truncf %v : f32 to {name}\n %w = arith.extf %n : {name} to f32"
    y = call(elementwise(body, rows=x.shape[0]), jnp.asarray(x), x, options=options)
    # CHECK: bf16 True
    # CHECK: f16 True
    print(name, np.array_equal(np.asarray(y), expected))

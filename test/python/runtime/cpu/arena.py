# RUN: %python %s | FileCheck %s

# Buffers of the body lie in an arena that each thread has for itself, aligned to 64 bytes.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax.numpy as jnp
from handwritten import call, elementwise, prepare

# Each row goes through a buffer of its size, and back.
rows = 256
ROW = "memref<128xf32, strided<[1], offset: ?>>"
COPY = (
    elementwise("%w = arith.addf %v, %v : f32", rows=rows)
    .replace("scf.for %i", "%row = memref.alloc() : memref<128xf32>\n scf.for %i")
    .replace("%w, %y[%i, %j] : memref<256x128xf32>", "%w, %row[%j] : memref<128xf32>")
    .replace(
        "      }\n    }\n    return",
        f"""}}
        %out = memref.subview %y[%i, 0] [1, 128] [1, 1] : memref<256x128xf32> to {ROW}
        linalg.copy ins(%row : memref<128xf32>) outs(%out : {ROW})
        }} return""",
    )
)
# CHECK: arena of 512 bytes
print("arena of", prepare(COPY)[1].arena_bytes, "bytes")
x = jnp.arange(rows * 128, dtype=jnp.float32).reshape(rows, 128)
# CHECK: True
print(all(bool((call(COPY, x, x + i) == 2 * (x + i)).all()) for i in range(20)))

# RUN: %python %s | FileCheck %s

# Work items are split over XLA's threads; kernels are compiled and called from many Python threads at once.
import concurrent.futures
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax
import jax.numpy as jnp
from handwritten import X, call, elementwise, prepare

# More work items than chunks, fewer, and none: each runs exactly once.
for rows in (1, 3, 8, 1000):
    text = elementwise("%w = arith.addf %v, %v : f32", rows=rows)
    x = jnp.arange(rows * 128, dtype=jnp.float32).reshape(rows, 128)
    assert (call(text, x, x) == 2 * x).all(), rows
empty = elementwise("%w = arith.addf %v, %v : f32").replace("constant 8 :", "constant 0 :")
call(empty, X, X).block_until_ready()

pool = concurrent.futures.ThreadPoolExecutor(8)
texts = [elementwise(f"%c = arith.constant {i}.0 : f32\n %w = arith.addf %v, %c : f32") for i in range(16)]
# Two threads ask for each kernel at the same time: one compiles it, the other finds it.
origins = sorted(prepared.origin for _, prepared in pool.map(prepare, texts + texts))
# CHECK: 16 compiled, 16 from memory
print(origins.count("compiled"), "compiled,", origins.count("memory"), "from memory")

functions = [jax.jit(lambda x, text=text: call(text, X, x)) for text in texts]


def use(i):
    return all(bool((functions[i % 16](X + k) == X + k + i % 16).all()) for k in range(20))


# CHECK: calls from threads: True
print("calls from threads:", all(pool.map(use, range(32))))

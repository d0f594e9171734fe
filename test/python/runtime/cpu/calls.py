# RUN: %python %s | FileCheck %s

# How a call hands over its buffers: all of them, in order, in place, whatever their number and rank.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax
import jax.numpy as jnp
from handwritten import X, call, elementwise

ADD_ONE = elementwise("%one = arith.constant 1.0 : f32\n %w = arith.addf %v, %one : f32")
y = call(ADD_ONE, X, X)
# CHECK: one operand: True
print("one operand:", bool((y == X + 1).all()))

# Thirty operands and a scalar result: more than registers hold.
count = 30
operands = ", ".join(f"%x{i}: memref<f32>" for i in range(count))
loads = "\n".join(f"%v{i} = memref.load %x{i}[] : memref<f32>" for i in range(count))
adds = "\n".join(f"%s{i + 1} = arith.addf %s{i}, %v{i} : f32" for i in range(count))
MANY = f"""
module {{
  kernel.abi @k
  func.func @k({operands}, %y: memref<f32>, %status: memref<4xi64>, %lo: index, %hi: index) {{
    %s0 = arith.constant 0.0 : f32
    {loads}
    {adds}
    memref.store %s{count}, %y[] : memref<f32>
    return
  }}
  func.func @k.range({operands}, %y: memref<f32>) -> index {{
    %c1 = arith.constant 1 : index
    return %c1 : index
  }}
}}
"""
# CHECK: thirty operands: 435.0
print("thirty operands:", call(MANY, jax.ShapeDtypeStruct((), jnp.float32), *(jnp.float32(i) for i in range(count))))

# An input that shares its memory with the output is one buffer, updated in place when it is donated.
update = jax.jit(lambda x: call(ADD_ONE, X, x, aliases={0: 0}), donate_argnums=0)
x = X + 0
address = x.unsafe_buffer_pointer()
y = update(x)
# CHECK: donated: True same memory: True argument deleted: True
print("donated:", bool((y == X + 1).all()), "same memory:", y.unsafe_buffer_pointer() == address, end=" ")
print("argument deleted:", x.is_deleted())

# Without a donation the caller keeps its array.
z = jax.jit(lambda x: call(ADD_ONE, X, x, aliases={0: 0}))(y)
# CHECK: kept: True True
print("kept:", bool((y == X + 1).all()), bool((z == X + 2).all()))

# A call with other buffers than the kernel has is refused.
try:
    jax.jit(lambda x: call(ADD_ONE, X, x, x))(X).block_until_ready()
except (ValueError, jax.errors.JaxRuntimeError) as error:
    # CHECK: INVALID_ARGUMENT: kernel `k` takes 2 buffers, got 3
    print(error)

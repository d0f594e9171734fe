# RUN: env PJRT_NPROC=1 %python %s | FileCheck %s --check-prefix=ONE
# RUN: env PJRT_NPROC=8 %python %s | FileCheck %s --check-prefix=MANY

# A call with threads asks the kernel for finer work items, which come after those that are there in every call. One
# thread does not ask.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax
import jax.numpy as jnp
from handwritten import call


def kernel(shares):
    """Two work items, and `shares` finer ones, each of which notes that it has run."""
    array = "memref<4096xi32>"
    return f"""
module {{
  kernel.abi @k shares
  func.func @k(%x: {array}, %y: {array}, %status: memref<4xi64>, %lo: index, %hi: index) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %ran = arith.constant 1 : i32
    %shares = arith.constant {shares} : i64
    %asks = arith.cmpi slt, %lo, %c0 : index
    scf.if %asks {{
      memref.store %shares, %status[%c3] : memref<4xi64>
    }}
    scf.for %i = %lo to %hi step %c1 {{
      memref.store %ran, %y[%i] : {array}
    }}
    return
  }}
  func.func @k.range(%x: {array}, %y: {array}) -> index {{
    %n = arith.constant 2 : index
    return %n : index
  }}
}}
"""


def items(shares):
    # The array is large enough for threads.
    none = jnp.zeros(4096, jnp.int32)
    ran = jax.jit(lambda x: call(kernel(shares), jax.ShapeDtypeStruct(x.shape, x.dtype), x, aliases={0: 0}))(none)
    return jnp.nonzero(ran)[0].tolist()


# ONE: 5 finer ones: [0, 1]
# MANY: 5 finer ones: [2, 3, 4, 5, 6]
print("5 finer ones:", items(5))
# There are none where two of them see the same block.
# ONE: 0 finer ones: [0, 1]
# MANY: 0 finer ones: [0, 1]
print("0 finer ones:", items(0))

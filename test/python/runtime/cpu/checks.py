# RUN: %python %s | FileCheck %s

# A run-time check that fails becomes an exception with its message, and the next call is fine.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax
from handwritten import X, call, elementwise

# The check fails where an element is negative; it reports the row and the number of rows.
CHECKED = elementwise(
    """
    %zero = arith.constant 0.0 : f32
    %c2 = arith.constant 2 : index
    %bad = arith.cmpf olt, %v, %zero : f32
    scf.if %bad {
      %old = memref.load %status[%c0] : memref<4xi64>
      %none = arith.constant 0 : i64
      %free = arith.cmpi eq, %old, %none : i64
      scf.if %free {
        %second = arith.constant 2 : i64
        %row = arith.index_cast %i : index to i64
        %bound = arith.constant 8 : i64
        memref.store %second, %status[%c0] : memref<4xi64>
        memref.store %row, %status[%c1] : memref<4xi64>
        memref.store %bound, %status[%c2] : memref<4xi64>
      }
    }
    %w = arith.addf %v, %v : f32""",
    abi='diagnostics = ["unused", "row {0} of {1} is negative (kernel.py:12:3)"]',
)
double = jax.jit(lambda x: call(CHECKED, X, x))
# CHECK: True
print(bool((double(X) == 2 * X).all()))

# Rows 3 and 6 fail on threads of their own; the message is always that of the first row.
messages = set()
for _ in range(20):
    try:
        double(X.at[3, 5].set(-1).at[6, 0].set(-1)).block_until_ready()
    except (ValueError, jax.errors.JaxRuntimeError) as error:
        messages.add(str(error))
# CHECK: 1 INVALID_ARGUMENT: kernel `k`: row 3 of 8 is negative (kernel.py:12:3)
print(len(messages), *messages)
# CHECK: True
print(bool((double(X) == 2 * X).all()))

# RUN: %python %s | FileCheck %s

import jax
import jax.numpy as jnp
from show import array, show


def helper(value):
    return jnp.sin(value)


# Every op has the line of the kernel's author, not one of JAX's.
# CHECK-LABEL: // located
# CHECK: math.sin {{.*}} loc(#[[SIN:.*]])
# CHECK: arith.mulf {{.*}} loc(#[[MUL:.*]])
# CHECK-DAG: #[[SIN_LINE:.*]] = loc("{{.*}}locations.py":9:
# CHECK-DAG: #[[SIN]] = loc("helper"(#[[SIN_LINE]]))
# CHECK-DAG: #[[MUL_LINE:.*]] = loc("{{.*}}locations.py":21:18)
# CHECK-DAG: #[[MUL]] = loc("located"(#[[MUL_LINE]]))
def located(x_ref, o_ref):
    o_ref[...] = helper(x_ref[...]) * 2.0


show(located, array(), locations=True)


# The ops of a decomposed primitive have its line, too.
# CHECK-LABEL: // decomposed
# CHECK: math.exp {{.*}} loc(#[[EXP:.*]])
# CHECK-DAG: #[[EXP_LINE:.*]] = loc("{{.*}}locations.py":33:18)
# CHECK-DAG: #[[EXP]] = loc("decomposed"(#[[EXP_LINE]]))
def decomposed(x_ref, o_ref):
    o_ref[...] = jax.lax.logistic(x_ref[...])


show(decomposed, array(), locations=True)

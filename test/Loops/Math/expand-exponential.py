# Exponentials, logarithms, powers and hyperbolic functions are as near as docs/gpu.md says, over sweeps.
#
# RUN: %python %s | FileCheck %s

import math
import os
import sys

import numpy as np
from jax import lax

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from accuracy import EDGES, apply, check, check_edges, report, units

# Some of these functions in f32 use upstream's polynomials.
# CHECK-NOT: is off by
check("sinh cosh tanh exp expm1 exp2", -720, 720, (4.0, 2.5))
check("log log1p", 0, math.inf, (2.0, 1.5))
check("atanh", -1, 1, (0.51, 2.5))
check("acosh", 1, math.inf, (0.51, 2.0))
check("asinh", -math.inf, math.inf, (0.51, 2.5))

# The exponents of a power multiply what its logarithm is off by.
for dtype, limit in ((np.float32, 0.51), (np.float64, 2.0)):
    random = np.random.RandomState(0)
    y = random.randn(8192) * 2.0 ** random.randint(-20, 10, 8192)
    x = (np.abs(random.randn(8192)) * 2.0 ** random.randint(-60, 60, 8192)).astype(dtype)
    y = np.clip(y, -500, 500).astype(dtype)
    wide_x, wide_y = x.astype(np.longdouble), y.astype(np.longdouble)
    with np.errstate(all="ignore"):
        (power,) = apply({"pow": lax.pow}, x, y)
        # It is as long double computes it where that is precise enough itself.
        near = np.abs(wide_y * np.log(wide_x)) < 700
        report("pow", dtype, units(power[near], (wide_x**wide_y)[near]), limit)

check_edges("exp exp2 expm1 log log1p sinh cosh tanh asinh acosh atanh", EDGES)
check_edges("pow", *(side.reshape(-1) for side in np.meshgrid(EDGES, EDGES)))

# CHECK: done
print("done")

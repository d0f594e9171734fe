# Circular functions and their inverses are as near as docs/gpu.md says, over sweeps: small angles, and large ones,
# which more bits of 2 / pi reduce.
#
# RUN: %python %s | FileCheck %s

import math
import os
import sys

import numpy as np
from jax import lax

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from accuracy import EDGES, apply, check, check_edges, report, units

# CHECK-NOT: is off by
check("sin cos tan", -20, 20, (0.51, 2.0))
check("sin cos tan", -math.inf, math.inf, (0.51, 2.0))
check("asin acos atan", -1, 1, (0.51, 2.5))
check("atan", -math.inf, math.inf, (0.51, 2.5))

for dtype, limit in ((np.float32, 0.51), (np.float64, 2.0)):
    random = np.random.RandomState(0)
    y = (random.randn(8192) * 2.0 ** random.randint(-20, 10, 8192)).astype(dtype)
    x = (np.abs(random.randn(8192)) * 2.0 ** random.randint(-60, 60, 8192)).astype(dtype)
    (angle,) = apply({"atan2": lax.atan2}, x, y)
    report("atan2", dtype, units(angle, np.arctan2(x.astype(np.longdouble), y.astype(np.longdouble))), limit)

check_edges("sin cos tan asin acos atan", EDGES)
check_edges("atan2", *(side.reshape(-1) for side in np.meshgrid(EDGES, EDGES)))

# CHECK: done
print("done")

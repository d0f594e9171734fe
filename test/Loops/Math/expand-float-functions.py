# Functions that Mosaic lacks are as near as docs/tpu.md says, over sweeps and beside the points where their formulas
# change.
#
# RUN: %python %s | FileCheck %s

import math
import os
import sys

import numpy as np
from jax import lax

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from accuracy import AS_FOR_TPU, EDGES, apply, check_edges, in_longdouble, report, sweep, units

SEAMS = np.ravel([center + np.linspace(-1e-3, 1e-3, 513) for center in (-1, -0.5, 0, 0.5, 1, 9, 4096)])

# CHECK-NOT: is off by
for names, low, high, limit in (
    ("sinh cosh", -89.4, 89.4, 3.0),
    ("asinh", -math.inf, math.inf, 3.0),
    ("acosh", 1, math.inf, 2.5),
    ("atanh", -1, 1, 3.0),
    ("asin acos", -1, 1, 2.5),
    ("atan cbrt", -math.inf, math.inf, 1.0),
    ("erfc", -10, 10, 4.5),
):
    functions = {name: getattr(lax, name) for name in names.split()}
    x = np.concatenate([sweep(np.float32, low, high), SEAMS.astype(np.float32)])
    x = x[(x >= low) & (x <= high)]
    for name, got in zip(functions, apply(functions, x, pipeline=AS_FOR_TPU), strict=True):
        with np.errstate(all="ignore"):
            report(name, np.float32, units(got, in_longdouble(name)(x.astype(np.longdouble))), limit)

edges = np.where(np.abs(EDGES) == 1e300, np.copysign(1e38, EDGES), EDGES).astype(np.float32)
check_edges("sinh cosh asinh acosh atanh asin acos atan cbrt erfc", edges, pipeline=AS_FOR_TPU)

# CHECK: done
print("done")

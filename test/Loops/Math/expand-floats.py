# Expansions in f32 are accurate over sweeps: powers of 2, and the polynomials that are upstream's.
#
# RUN: %python %s | FileCheck %s

import os
import sys

import numpy as np
from jax import lax

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from accuracy import apply, in_longdouble, report, sweep, units

# CHECK-NOT: is off by
for names, low, high, limit in (
    ("exp2", -125, 127, 1.5),
    ("exp expm1", -86, 88, 4.0),
    ("tanh", -10, 10, 4.0),
    ("erf", -10, 10, 2.5),
    ("atan", -3e38, 3e38, 1.5),
    ("sinh cosh", -88, 88, 6.0),
    ("asinh", -3e38, 3e38, 4.0),
    ("acosh", 1, 3e38, 4.0),
    ("atanh", -1, 1, 4.0),
    ("log log1p", 0, 3e38, 2.0),
):
    functions = {name: getattr(lax, name) for name in names.split()}
    x = sweep(np.float32, low, high)
    for name, got in zip(functions, apply(functions, x), strict=True):
        with np.errstate(all="ignore"):
            report(name, np.float32, units(got, in_longdouble(name)(x.astype(np.longdouble))), limit)

# A power that is too large or too small is infinite or zero, and one of NaN a NaN.
# CHECK: [inf inf 0. 0. nan]
with np.errstate(all="ignore"):
    print(apply({"exp2": lax.exp2}, np.array([500, np.inf, -500, -np.inf, np.nan], np.float32))[0])

# Signs of zeros, infinities and NaN.
# CHECK-NEXT: atan [-0.0, 1.5708, -1.5708, 0.7854, nan]
# CHECK-NEXT: sinh [-0.0, inf, -inf, 1.1752, nan]
# CHECK-NEXT: cosh [1.0, inf, inf, 1.54308, nan]
# CHECK-NEXT: asinh [-0.0, inf, -inf, 0.88137, nan]
# CHECK-NEXT: acosh [nan, inf, nan, 0.0, nan]
# CHECK-NEXT: atanh [-0.0, nan, nan, inf, nan]
special = np.array([-0.0, np.inf, -np.inf, 1, np.nan], np.float32)
for name in ("atan", "sinh", "cosh", "asinh", "acosh", "atanh"):
    print(name, [round(float(y), 5) for y in apply({name: getattr(lax, name)}, special)[0]])

# Roots and error functions are as near as docs/gpu.md says, over sweeps, and remainders are exact.
#
# RUN: %python %s | FileCheck %s

import math
import os
import sys

import numpy as np
from jax import lax

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from accuracy import EDGES, apply, check, check_edges

# CHECK-NOT: is off by
check("cbrt", -math.inf, math.inf, (0.51, 2.5))
# The erf of f32 uses upstream's polynomial.
check("erf erfc", -30, 30, (4.0, 3.5))
check_edges("cbrt", EDGES)

# CHECK: remainders: True True True
exact = []
with np.errstate(all="ignore"):
    for dtype, scale in ((np.float64, 300), (np.float32, 36), (np.float16, 3)):
        random = np.random.RandomState(1)
        x = (random.randn(4096) * 10.0 ** random.randint(-scale, scale, 4096)).astype(dtype)
        y = (random.randn(4096) * 10.0 ** random.randint(-scale, scale, 4096)).astype(dtype)
        x[:256], y[:256] = np.tile(EDGES, 16).astype(dtype), np.repeat(EDGES, 16).astype(dtype)
        y[256:512] = x[256:512] / np.arange(1, 257).astype(dtype)
        small = np.finfo(dtype).tiny * np.arange(1, 257).astype(dtype) / 256
        x[512:768], y[512:768], y[768:1024] = small, np.roll(small, 100), small
        want = np.fmod(x, y)
        (got,) = apply({"rem": lax.rem}, x, y)
        same = (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want)
        exact.append(bool(np.all(same)))
print("remainders:", *exact)

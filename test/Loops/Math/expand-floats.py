# What targets compute in f32 is near over sweeps: powers of 2, the polynomials that are upstream's, and what
# `approx_math` makes of exp and tanh on a GPU.
#
# RUN: %python %s | FileCheck %s

import os
import sys

import jax.numpy as jnp
import numpy as np
from jax import lax

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from accuracy import apply, in_longdouble, report, sweep, units

# CHECK-NOT: is off by
for names, low, high, limit in (
    ("exp2", -125, 127, 1.5),
    ("exp expm1", -86, 88, 4.0),
    ("tanh erf", -10, 10, 4.0),
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

APPROXIMATE = "gpu-approximate-math{approx=true}"
ULP = np.finfo(np.float32).eps
x = np.linspace(-80, 80, 4096, dtype=np.float32)
true = np.exp(x.astype(np.float64))
error = np.abs(apply({"exp": jnp.exp}, x, passes=APPROXIMATE)[0] - true) / true
# CHECK: exp: True
print("exp:", bool(np.all(error <= (np.abs(x) + 2) * ULP)))

x = np.linspace(-12, 12, 4096, dtype=np.float32)
error = np.abs(apply({"tanh": jnp.tanh}, x, passes=APPROXIMATE)[0] - np.tanh(x.astype(np.float64)))
# CHECK: tanh: True
print("tanh:", bool(error.max() <= 2.5e-7))

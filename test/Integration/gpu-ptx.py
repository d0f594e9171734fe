# The examples give what interpret mode gives when their PTX for two generations of chips is executed thread by thread.
# On one of them those that do little are run in another order, with checks that must find nothing.
#
# RUN: %python %s %repository/examples | FileCheck %s

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from gridir.cli.example import load_example
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.testing import difference, interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

CHECKED = ("add", "layer_norm", "overhang", "row_gather", "softmax", "stencil", "update_in_place")

# CHECK: 26 examples equal interpret mode
count = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    example = load_example(str(path), None)
    with interpreted():
        want = jax.jit(example.function)(*example.args)
    for chip in ("sm_80", "sm_90a"):
        how = {}
        if chip == "sm_90a" and path.stem in CHECKED:
            how = {"checks": ("races", "uninitialized"), "schedule_seed": 1}
        try:
            executable = execute(example.function, example.args, get_target(f"gpu:{chip}"), **how)
            problem = difference(executable.function(*example.args), want)
        except Exception as error:
            problem = str(error)
        if problem:
            print(f"{path.stem} on {chip}: {problem}")
        count += problem is None
print(f"{count} examples equal interpret mode")


def overhang(x, o):
    """Rows of which masks hide those behind the arrays."""
    begin = pl.program_id(0) * 64
    rows = pl.ds(begin, 64)
    mask = begin + jnp.arange(64) < x.shape[0]
    triton.store(o.at[rows], triton.load(x.at[rows], mask=mask, other=0.0) * 2, mask=mask)


def mixed(x, y, o):
    """Elements of 16 bits in sums of 32, which chips of the sm_100 family have instructions for."""
    total = jnp.dot(x[...], y[...], preferred_element_type=jnp.float32)
    o[...] = total + x[...].astype(jnp.float32) - jnp.sum(y[...].astype(jnp.float32))


# CHECK: overhang sm_80: right
# CHECK: overhang sm_100a: right
# CHECK: mixed sm_80: right
# CHECK: mixed sm_100a: right
X = np.arange(150, dtype=np.float32)
A, B = (np.random.default_rng(seed).integers(-4, 4, (32, 32)).astype(jnp.bfloat16) for seed in (0, 1))
PRODUCT = A.astype(np.float32) @ B.astype(np.float32) + A.astype(np.float32) - B.astype(np.float32).sum()
for name, call, args, want in (
    ("overhang", pl.pallas_call(overhang, out_shape=jax.typeof(jnp.asarray(X)), grid=(3,)), (X,), X * 2),
    ("mixed", pl.pallas_call(mixed, out_shape=jax.ShapeDtypeStruct((32, 32), jnp.float32)), (A, B), PRODUCT),
):
    for chip in ("sm_80", "sm_100a"):
        run = execute(call, args, get_target(f"gpu:{chip}"), checks=("races", "uninitialized"), schedule_seed=1)
        print(f"{name} {chip}:", difference(run.function(*args), want) or "right")

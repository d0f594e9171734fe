# RUN: %python %s %repository | FileCheck %s
"""What the table of fields says about the CPU is what happens: a kernel runs the same whatever is set, or is refused.

The rows are those of the test of the frontend, here run instead of printed.
"""

import sys

sys.path.insert(0, f"{sys.argv[1]}/test/python/frontend/Inputs")

import field_rows
import gridir
import jax
import numpy as np
from gridir.frontend import fields

OWNERS = (
    "pallas_call",
    "tpu.CompilerParams",
    "Buffered",
    "CostEstimate",
    "mosaic_gpu.BlockSpec",
    "mosaic_gpu.CompilerParams",
    "triton.CompilerParams",
    "mosaic_gpu.kernel",
)


def run(function, *args):
    """Runs a kernel that copies its last argument, instead of handing over its request."""
    arrays = [np.arange(int(np.prod(a.shape)), dtype=a.dtype).reshape(a.shape) for a in args]
    with gridir.installed(replace_interpret=True):
        result = jax.jit(function)(*arrays)
    leaves = jax.tree.leaves(result)
    return [(np.asarray(leaves[0]), arrays[-1])]


field_rows.requests = field_rows.mesh_requests = run

effects = {(field.owner, field.name): field.cpu for field in fields.TABLE}
count = 0
for owner, name, make, _ in field_rows.TABLE:
    if owner not in OWNERS:
        continue
    assert effects[owner, name] is not fields.Effect.ERROR, (owner, name)
    got, expected = make()
    np.testing.assert_array_equal(got, expected, err_msg=f"{owner}.{name}")
    count += 1
# CHECK: {{[1-9][0-9]*}} kernels copied what they were given
print(count, "kernels copied what they were given")

# A field that a target cannot honour is refused when the kernel is lowered, and not before.
# CHECK: UnsupportedError: transforms of args[0] is set, which the TPU target cannot honour
# CHECK: on the CPU: True
field_rows.requests = lambda function, *args: [function]
tiled = field_rows.tiled()
try:
    gridir.lower(tiled, field_rows.X, target="tpu")
except gridir.UnsupportedError as error:
    print(type(error).__name__, error.message, sep=": ")
with gridir.installed():
    print("on the CPU:", jax.jit(tiled)(np.zeros(field_rows.X.shape, np.float32)).shape == (32, 128))

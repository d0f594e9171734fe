# RUN: %python %s | FileCheck %s

# The first configurations of a ranking pass the checks of `gridir check`; one that is refuted makes room for the next.

import gridir
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.ones((1024, 128), jnp.float32)
SPACE = {"rows": [128, 256, 512], "whole": [True, False]}


def copy_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def copied(x, *, rows, whole):
    """A copy of all rows, or of half of them."""
    block = pl.BlockSpec((rows, 128), lambda i: (i, 0))
    grid = (x.shape[0] // rows // (1 if whole else 2),)
    out = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(copy_kernel, grid=grid, in_specs=[block], out_specs=block, out_shape=out)(x)


def tune(**options):
    result = gridir.tune(copied, x, space=SPACE, tier="estimate", cache=False, **options)
    for entry in result.ranking:
        print(*entry.config.values(), entry.checked, entry.reason)
    print([line for line in str(result).splitlines() if "check" in line and "not legal" not in line])
    return result


# Half of the work takes less time, but leaves elements unwritten.
# CHECK: {{[0-9]+}} True True
# CHECK-NEXT: {{[0-9]+}} True True
# CHECK-NEXT: {{[0-9]+}} True True
# CHECK-COUNT-3: {{[0-9]+}} False False check written of o_ref is refuted
# CHECK-NEXT: ['the first 3 pass the checks']
result = tune()
# CHECK-NEXT: True
print(gridir.TuningResult.loads(result.dumps()).ranking == result.ranking)

# Fewer are checked on request, or when the time is over. The best one is checked in any case.
# CHECK-NEXT: {{[0-9]+}} True True
# CHECK-NEXT: {{[0-9]+}} True False
# CHECK: ['the first passes the checks']
tune(proposals=1)
# CHECK: {{[0-9]+}} True True
# CHECK: ['the first passes the checks',
# CHECK-SAME: 'note: the checks took more than 0 s: 2 of the first 3 configurations are not checked']
tune(check_seconds=0)
# CHECK: []
tune(check=False)
# CHECK-NEXT: expected proposals to be a number from 1 on, got 0
try:
    tune(proposals=0)
except gridir.Error as error:
    print(error)


def summed(x, *, columns):
    """Sums of columns, of which a block that does not divide them leaves some out."""

    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...].sum(1, keepdims=True)

    block = pl.BlockSpec((512, columns), lambda i: (0, i))
    out = jax.ShapeDtypeStruct((512, 128), x.dtype)
    whole = pl.BlockSpec((512, 128), lambda i: (0, 0))
    return pl.pallas_call(
        kernel, grid=(x.shape[1] // columns,), in_specs=[block], out_specs=whole, out_shape=out, name="sum"
    )(x)


# A grid that is shorter than its input looks fast. No output shows it, but other configurations read more.
# CHECK-NEXT: {'columns': 512}
# CHECK-NEXT: ['columns=512 reads 67% of x_ref, and another configuration 100%: see whether its grid covers the array']
wide = jax.ShapeDtypeStruct((512, 768), jnp.float32)
result = gridir.tune(summed, wide, space={"columns": [128, 256, 512]}, tier="estimate", cache=False, proposals=1)
print(result.best)
print([note for note in result.problem.notes if "reads" in note])

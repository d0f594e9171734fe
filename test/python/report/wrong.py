# Where wrong elements are, and which of them nothing has written, in kernels whose blocks are mapped in other ways.
#
# RUN: %python %s | FileCheck %s

import jax
import jax.numpy as jnp
import numpy as np
from gridir.report.wrong import describe_wrong, find_unwritten
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

X = jax.random.normal(jax.random.key(0), (32, 128))
ROWS = pl.BlockSpec((8, 128), lambda i: (i, 0))


def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def call(x, programs, **options):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(
        double_kernel, grid=(programs,), in_specs=[ROWS], out_specs=ROWS, out_shape=shape, name="double", **options
    )(x)


def prefetched(x):
    def kernel(s_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...]

    rows = pl.BlockSpec((8, 128), lambda i, s: (s[i], 0))
    spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(4,), in_specs=[rows], out_specs=rows)
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=shape, name="chosen")(jnp.array([0, 2, 2, 3]), x)


def show(title, function):
    found = find_unwritten(function, (X,))
    print(f"== {title}")
    wrong = [np.ones(mask.shape, bool) for mask in found.masks]
    print(*found.lines, *describe_wrong(function, (X,), wrong, found.calls), sep="\n")


# CHECK-LABEL: == mapped
# CHECK-NEXT:  where the result is wrong: o_ref of kernel `double`, all of [0 to 1, 0 to 15, 0 to 127]
# CHECK-NEXT:  1024 elements in block (0, 0, 0) of program (0, 0)
show("mapped", lambda x: jax.vmap(lambda x: call(x, 2))(x.reshape(2, 16, 128)))
# CHECK-LABEL: == chosen by a prefetched operand
# CHECK-NEXT:  o_ref of kernel `chosen`: 1024 of 4096 elements never written, all of [8 to 15, 0 to 127]
# CHECK:       1024 elements in block (2, 0) of programs (1 to 2)
show("chosen by a prefetched operand", prefetched)
# Elements of an alias count as written.
# CHECK-LABEL: == an alias
# CHECK-NEXT:  where the result is wrong
# CHECK:       2048 elements in no block of any program, all of [16 to 31, 0 to 127]
show("an alias", lambda x: call(x, 2, input_output_aliases={0: 0}))
# A later kernel that reads what an earlier one left is not blamed.
# CHECK-LABEL: == two kernels
# CHECK-NEXT:  o_ref of kernel `double`: 1024 of 4096 elements never written
# CHECK-NOT:   computed from
# CHECK:       where the result is wrong
show("two kernels", lambda x: call(call(x, 3), 4))
# CHECK-LABEL: == in a loop
# CHECK-NEXT:  where the result is wrong: all of [0 to 31, 0 to 127]
show("in a loop", lambda x: jax.lax.fori_loop(0, 3, lambda i, x: call(x, 4), x))

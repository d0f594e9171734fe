# Equations that hold a function, a mesh or Refs are evaluated in float64, too: the values are those of float32, with
# more digits. Bools and integers keep their types, and their samples may move from one reference to another.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import WideRun, run_wide
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

x = jax.random.normal(jax.random.key(0), (64,))
i, u = jnp.array([3, 3, 5, 7]), jnp.array([0.1, 0.2, 0.3, 0.4])
matrix = jax.random.normal(jax.random.key(1), (8, 8)) + 8 * jnp.eye(8)


def triple_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 3


def triple(x):
    return pl.pallas_call(triple_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def greater(a, b):
    return jnp.maximum(a[0], b[0]), jnp.where(a[0] > b[0], a[1], b[1])


def sum_over(mesh):
    mapped = jax.shard_map(
        lambda x: lax.psum(triple(x).sum(), "d"), mesh=mesh, in_specs=P("d"), out_specs=P(), check_vma=False
    )
    is_explicit = mesh.axis_types[0] == AxisType.Explicit
    return lambda x: mapped(jax.sharding.reshard(x, NamedSharding(mesh, P("d"))) if is_explicit else x)


def recurrent(x):
    """Results of which each uses the one before, as a reference has them that loops in Python."""
    results = [x]
    for _ in range(64):
        results.append(jnp.cos(results[-1]) * 0.9 + x)
    return jnp.stack(results)


def doubled(x):
    def body(ref):
        ref[...] = ref[...] * 2

    return pl.run_state(body)(x)


def scoped(x_ref, o_ref):
    """Scopes with floats and integers, one in another and in a loop, and one that returns a number."""

    def outer(sum_ref, steps_ref):
        sum_ref[...] = jnp.zeros_like(sum_ref)
        steps_ref[0] = 0

        @pl.loop(0, 3)
        def _(step):
            def inner(term_ref):
                term_ref[...] = jnp.exp(x_ref[...] * 0.1) * step
                sum_ref[...] += term_ref[...]
                steps_ref[0] += 1

            pl.run_scoped(inner, pltpu.VMEM((64,), jnp.float32))

        return sum_ref[...].sum() / steps_ref[0].astype(jnp.float32)

    mean = pl.run_scoped(outer, pltpu.VMEM((64,), jnp.float32), pltpu.SMEM((1,), jnp.int32))

    # Nothing depends on memory that nothing writes.
    def unwritten(rest_ref):
        o_ref[...] = jnp.where(x_ref[...] < 1e9, x_ref[...] * mean, rest_ref[...])

    pl.run_scoped(unwritten, pltpu.VMEM((64,), jnp.float32))


def scoped_in_state(x):
    """A scope in a program without a kernel."""

    def body(x_ref):
        def inner(sum_ref):
            sum_ref[...] = x_ref[...] * 3
            x_ref[...] = sum_ref[...] + 1

        pl.run_scoped(inner, pltpu.VMEM((64,), jnp.float32))

    return pl.run_state(body)(x)


CASES = {
    "run_scoped": pl.pallas_call(scoped, out_shape=jax.ShapeDtypeStruct((64,), jnp.float32)),
    "run_scoped in run_state": scoped_in_state,
    "scatter": lambda x: x.at[i].set(u),
    "scatter-add": lambda x: x.at[i].add(u),
    "scatter-sub": lambda x: x.at[i].subtract(u),
    "scatter-mul": lambda x: x.at[i].mul(u),
    "scatter-min": lambda x: x.at[i].min(u),
    "scatter-max": lambda x: x.at[i].max(u),
    "scatter of a function": lambda x: x.at[i[1:]].apply(jnp.sin),
    "segment_sum": lambda x: jax.ops.segment_sum(x, jnp.arange(64) % 5, 5),
    "gradient of take": jax.grad(lambda x: (jnp.take(x, i) ** 2).sum()),
    "reduce": lambda x: lax.reduce(x, jnp.float32(0), lambda a, b: a + b * 1.0, (0,)),
    "reduce of pairs": lambda x: lax.reduce((x, jnp.arange(64)), (jnp.float32(-jnp.inf), jnp.int32(0)), greater, (0,)),
    "reduce_window": lambda x: lax.reduce_window(x, jnp.float32(0), lambda a, b: a + b * 1.0, (4,), (4,), "VALID"),
    "linear solve": lambda x: jnp.linalg.solve(matrix, x[:8]),
    "shard_map": sum_over(jax.make_mesh((1,), ("d",), axis_types=(AxisType.Auto,))),
    "shard_map of an explicit mesh": sum_over(jax.make_mesh((1,), ("d",), axis_types=(AxisType.Explicit,))),
    "run_state": doubled,
    "recurrence": recurrent,
    "histogram": lambda x: jnp.histogram(x, bins=4)[0],
    "bools": lambda x: x > 0,
}

for name, function in CASES.items():
    run = run_wide(function, (x,))
    with gridir.installed():
        results = [3 * x.sum()] if name.startswith("shard_map") else jax.tree.leaves(jax.jit(function)(x))
    for exact, result in zip(run.exact, map(np.asarray, results), strict=True):
        if not np.allclose(exact.astype(float), result.astype(float), rtol=1e-4, atol=1e-4):
            print(f"{name}: expected {result}, got {exact}")
# CHECK: 21 functions are computed in float64
print(f"{len(CASES)} functions are computed in float64")


# The roundings of one result around another.
def moved(samples, mine, theirs):
    (result,) = WideRun((np.array(mine),), (np.array(samples),)).around([np.array(theirs)]).samples
    return result.tolist()


# CHECK-NEXT: [True, False] [1.0, 2.0]
print([bool(value) for value in moved([[True, True], [True, False]], [True, False], [True, False])[1]], end=" ")
print(moved([[True, True]], [True, False], [True, True])[0])
# Unsigned integers do not wrap, and large ones that roundings do not change stay.
# CHECK-NEXT: [-1.0, 255.0]
print(moved(np.array([[4, 7]], np.uint8), np.array([5, 7], np.uint8), np.array([0, 255], np.uint8))[0])
# CHECK-NEXT: True
print(moved([[2**62 + 1]], [2**62 + 1], [2**53 + 1])[0] == [float(2**53 + 1)])

# Equations that hold a function, a mesh or Refs are evaluated in float64, too: the values are those of float32, with
# more digits. Bools and integers keep their types, and their samples may move from one reference to another.
#
# RUN: %python %s | FileCheck %s

import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import WideRun, run_wide
from jax import lax
from jax.experimental import pallas as pl
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


CASES = {
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
    results = [3 * x.sum()] if name.startswith("shard_map") else jax.tree.leaves(jax.jit(function)(x))
    for exact, result in zip(run.exact, map(np.asarray, results), strict=True):
        if not np.allclose(exact.astype(float), result.astype(float), rtol=1e-4, atol=1e-4):
            print(f"{name}: expected {result}, got {exact}")
# CHECK: 19 functions are computed in float64
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

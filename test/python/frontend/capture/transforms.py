# RUN: %python %s | FileCheck %s

# A compiled kernel composes with JAX's transformations.
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import Mesh, NamedSharding, PartitionSpec

gridir.install()
BLOCK = pl.BlockSpec((8, 128), lambda i: (i, 0))


def square_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * x_ref[...]


def square(x, **kwargs):
    grid = (x.shape[0] // 8,)
    return pl.pallas_call(square_kernel, grid=grid, in_specs=[BLOCK], out_specs=BLOCK, out_shape=x, **kwargs)(x)


X = jnp.linspace(-2, 2, 32 * 128).reshape(32, 128)


def check(name, value, expected):
    print(name, np.allclose(value, expected))


# CHECK: eager True
check("eager", square(X), X * X)
# CHECK: jit True
check("jit", jax.jit(lambda x: square(x) + 1)(X), X * X + 1)
# CHECK: vmap True
batch = jnp.stack([X, X + 1, X + 2])
check("vmap", jax.vmap(square)(batch), batch * batch)
# CHECK: two vmaps True
check("two vmaps", jax.vmap(jax.vmap(square))(batch[None]), (batch * batch)[None])


@jax.custom_vjp
def differentiable(x):
    return square(x)


differentiable.defvjp(lambda x: (square(x), x), lambda x, g: (2 * x * g,))
# CHECK: grad True
check("grad", jax.grad(lambda x: differentiable(x).sum())(X), 2 * X)
# CHECK: grad of vmap True
check("grad of vmap", jax.grad(lambda x: jax.vmap(differentiable)(x).sum())(batch), 2 * batch)
# CHECK: scan True
check("scan", jax.lax.scan(lambda c, _: (square(c), None), X, length=3)[0], X**8)
# CHECK: cond True
check("cond", jax.lax.cond(X[0, 0] < 0, square, lambda x: x, X), X * X)
# CHECK: checkpoint True
check("checkpoint", jax.grad(lambda x: jax.checkpoint(differentiable)(x).sum())(X), 2 * X)

mesh = Mesh(np.array(jax.devices()), ("d",))
spec = PartitionSpec("d")
sharded = jax.device_put(X, NamedSharding(mesh, spec))
mapped = jax.jit(jax.shard_map(square, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))
result = mapped(sharded)
# CHECK: shard_map True
check("shard_map", result, X * X)
# CHECK: devices 4
print("devices", len(result.sharding.device_set))
# CHECK: sharded without shard_map True
check("sharded without shard_map", jax.jit(square)(sharded), X * X)


# Without side effects an unused call goes away, and equal calls become one.
def calls(f):
    return jax.jit(f).lower(X).compile().as_text().count('custom_call_target="gridir_cpu"')


# CHECK: unused 0
print("unused", calls(lambda x: (square(x), x + 1)[1]))
# CHECK: twice 1
print("twice", calls(lambda x: square(x) + square(x)))

# An aliased operand is updated in place when it is donated, and kept when it is not.
update = lambda x: square(x, input_output_aliases={0: 0})  # noqa: E731
x = X + 0
address = x.unsafe_buffer_pointer()
y = jax.jit(update, donate_argnums=0)(x)
# CHECK: donated True
check("donated", y, X * X)
# CHECK: in place True
print("in place", y.unsafe_buffer_pointer() == address)
x = X + 0
# CHECK: not donated True
check("not donated", jax.jit(update)(x), X * X)
# CHECK: kept True
check("kept", x, X)

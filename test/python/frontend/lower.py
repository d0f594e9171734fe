# RUN: %python %s | FileCheck %s

# `gridir.lower` gives the distinct kernels of a function, at every stage, and the function compiled with them.
import gridir
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def negate_kernel(x_ref, o_ref):
    o_ref[...] = -x_ref[...]


def call(kernel, *args, **kwargs):
    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    grid = (args[0].shape[0] // 8,)
    return pl.pallas_call(
        kernel, grid=grid, in_specs=[block] * len(args), out_specs=block, out_shape=args[0], **kwargs
    )(*args)


def f(x, y):
    z = call(add_kernel, x, y)
    z = call(add_kernel, z, y)
    return call(negate_kernel, z, interpret=True, name="negate")


X = jnp.ones((32, 128))
shape = jax.ShapeDtypeStruct(X.shape, X.dtype)
lowered = gridir.lower(f, shape, shape)
# CHECK: add_kernel (4,)
# CHECK-NEXT: negate (4,)
for kernel in lowered.kernels:
    print(kernel.name, kernel.grid_mapping.grid)
add = lowered.kernels[0]
# CHECK: grid.kernel @add_kernel
print(add.text())
# CHECK: func.func @add_kernel
print(add.text("loops"))
# CHECK: llvm.func @add_kernel
print(add.text("llvm"))
# CHECK: module: builtin.module
print("module:", add.module("grid").operation.name)
# CHECK: lower.py
print(add.text("grid", locations=True))
# CHECK: result -3.0
print("result", lowered.compile()(X, X)[0, 0])
# CHECK: kernels left to JAX: 1
print("kernels left to JAX:", len(gridir.lower(f, X, X, replace_interpret=False).kernels))

# The same kernel is the same bytes, wherever it is called from, and its key is that of its content.
again = gridir.lower(lambda x: call(add_kernel, x, x), X).kernels[0]
# CHECK: same: True True
print("same:", again.bytecode == add.bytecode, again.key == add.key)
other = gridir.lower(f, X, X, options=gridir.CpuOptions(opt_level=2)).kernels[0]
# CHECK: other options: True False
print("other options:", other.bytecode == add.bytecode, other.key == add.key)

for bad in (
    lambda: gridir.lower(f, X, X, target="abacus"),
    lambda: add.text("nothing"),
    lambda: gridir.CpuOptions(opt_level=4),
):
    try:
        bad()
    except gridir.OptionError as error:
        # CHECK: expected a target (cpu, tpu, gpu), got 'abacus'
        # CHECK: expected a stage of target 'cpu' (grid, {{.*}}, llvm), got 'nothing'
        # CHECK: expected opt_level from 0 to 3, got 4
        print(error)

# Operands of kernels of Pallas' Mosaic GPU backend have the names that their author gave them.
#
# RUN: %python %s | FileCheck %s

import functools

import gridir
import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

X = jax.ShapeDtypeStruct((128,), jnp.float32)
SCRATCH = plgpu.SMEM((128,), jnp.float32)


def scratch(x_gmem, o_gmem, x_smem):
    x_smem[...] = x_gmem[...]
    o_gmem[...] = x_smem[...]


def plain(x_gmem, o_gmem):
    o_gmem[...] = x_gmem[...]


def bound(x_gmem, o_gmem, x_smem, *, factor):
    o_gmem[...] = x_gmem[...] * factor


def bound_first(factor, x_gmem, o_gmem):
    o_gmem[...] = x_gmem[...] * factor


def tree(xs, o_gmem):
    o_gmem[...] = xs[0][...] + xs[1][...]


def starred(*refs):
    refs[1][...] = refs[0][...]


@functools.partial(plgpu.kernel, out_type=X, scratch_types={"x_smem": SCRATCH})
def decorated(x_gmem, o_gmem, x_smem):
    o_gmem[...] = x_gmem[...]


def show(title, kernel, *args):
    (lowered,) = gridir.lower(kernel, *args).kernels
    lines = [
        line for line in lowered.text("grid").splitlines() if "inputs(" in line or "outputs(" in line or "%" in line
    ]
    names = [part.partition('"')[0] for line in lines[:4] for part in line.split('origin "')[1:]]
    print(f"{title}: {', '.join(names[: len(jax.tree.leaves(args)) + 1])}")


# CHECK: scratch: x_gmem, o_gmem
show("scratch", plgpu.kernel(scratch, out_type=X, scratch_types=[SCRATCH]), X)
# CHECK-NEXT: plain: x_gmem, o_gmem
show("plain", plgpu.kernel(plain, out_type=X), X)
# CHECK-NEXT: bound: x_gmem, o_gmem
show("bound", plgpu.kernel(functools.partial(bound, factor=2), out_type=X, scratch_types=[SCRATCH]), X)
# JAX 0.10 flattens arguments before it names them.
# CHECK-NEXT: tree: {{xs.0., xs.1., o_gmem|refs.0., refs.1., refs.2.}}
show("tree", plgpu.kernel(tree, out_type=X), (X, X))
# CHECK-NEXT: lambda: a, b
show("lambda", plgpu.kernel(lambda a, b: plain(a, b), out_type=X), X)
# CHECK-NEXT: decorated: x_gmem, o_gmem
show("decorated", decorated, X)
# JAX's own names stay where it is not known which parameter an operand is.
# CHECK-NEXT: starred: refs[0], refs[1]
show("starred", plgpu.kernel(starred, out_type=X), X)
# CHECK-NEXT: bound first: refs[0], refs[1]
show("bound first", plgpu.kernel(functools.partial(bound_first, 2), out_type=X), X)

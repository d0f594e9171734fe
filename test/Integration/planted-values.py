# Of a pass that is wrong the first value that differs is named, with its op, the author's line, and the program and the
# step that compute it, also where no module can be compiled without the pass.
#
# RUN: %python %s | FileCheck %s

import dataclasses

import jax
import jax.numpy as jnp
from gridir.bisection import find
from gridir.bisection.route import routes_of
from gridir.bisection.worker import Worker
from gridir.compiler.pass_list import name_of
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def decay_kernel(x_ref, o_ref, kept_ref):
    kept_ref[...] = jnp.zeros_like(kept_ref)
    is_second = pl.program_id(0) == 1

    def step(i, total):
        total = total * 0.5 + x_ref[i, :].astype(jnp.float32)

        @pl.when((i == 5) & is_second)
        def _():
            kept_ref[...] = jnp.exp(total)[None] - 1.0

        o_ref[i, :] = total
        return total

    jax.lax.fori_loop(0, x_ref.shape[0], step, jnp.zeros(x_ref.shape[1:], jnp.float32))
    o_ref[0, :] = kept_ref[0]


def decay(x):
    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return pl.pallas_call(
        decay_kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, jnp.float32),
        grid=(2,),
        in_specs=[block],
        out_specs=block,
        scratch_shapes=[pltpu.VMEM((1, 128), jnp.float32)],
    )(x)


def scale_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.maximum(x_ref[...], 0.0) - y_ref[...] * 3.0


def scale(x, y):
    return pl.pallas_call(scale_kernel, out_shape=x)(x, y)


ARGS = {
    decay: (jax.random.randint(jax.random.key(0), (16, 128), -9, 9, jnp.int32),),
    scale: tuple(jax.random.normal(jax.random.key(i), (32, 128)) for i in range(2)),
}


def bisect(worker, function, target, at, slip):
    """What `gridir.bisect` finds where a pass of the target's own pipeline is wrong, and nobody knows a right one."""

    def planted_routes(kernel, pipeline=None):
        for route in routes_of(kernel, pipeline):
            passes = [
                f'test-miscompile{{slip={slip} mutated="{text}"}}' if name_of(text) == at else text
                for text in route.passes
            ]
            yield dataclasses.replace(route, passes=tuple(passes))

    find.routes_of = lambda *arguments: list(planted_routes(*arguments))
    [found] = find.bisect(function, *ARGS[function], target=target, worker=worker, halve=True)
    value, wrong = found.value, found.wrong
    print(f"{function.__name__}, {at} for {target}:")
    if value is None:
        print(f"  {found.no_value}")
        return
    # The pass is among those that changed ops of that line.
    touching = [name_of(wrong.route.passes[number - 1]) for number in found.touching]
    code = value.frame.source().splitlines()[0].strip()
    print(f"  {value.primitive} {value.program} {value.steps} {value.op}")
    print(f"  {code}; {at in touching or 'test-miscompile' in touching}, named: {wrong.culprit is not None}")


with Worker(timeout=120) as worker:
    # CHECK-LABEL: scale, convert-grid-to-loops for cpu:
    # CHECK: sub () () %{{.*}} = arith.subf
    # CHECK: o_ref[...] = jnp.maximum(x_ref[...], 0.0) - y_ref[...] * 3.0; True, named: False
    bisect(worker, scale, "cpu", "convert-grid-to-loops", "exchanged-operands only=arith.subf")
    # CHECK-LABEL: scale, convert-to-llvm for cpu:
    # CHECK: sub () () %{{.*}} = arith.subf
    # CHECK: named: False
    bisect(worker, scale, "cpu", "convert-to-llvm", "exchanged-operands only=llvm.fsub")
    # CHECK-LABEL: scale, convert-grid-to-tpu for tpu:
    # CHECK: mul () () %{{.*}} = arith.mulf
    # CHECK: named: False
    bisect(worker, scale, "tpu", "convert-grid-to-tpu", "lost-factor only=arith.mulf")
    # CHECK-LABEL: scale, convert-grid-to-loops for gpu:
    # CHECK: sub () () %{{.*}} = arith.subf
    # CHECK: named: False
    bisect(worker, scale, "gpu", "convert-grid-to-loops", "exchanged-operands only=arith.subf")

    # The sum is right in the first step, where all that is lost is 0; the difference is taken in one step.
    # CHECK-LABEL: decay, convert-grid-to-tpu for tpu:
    # CHECK: add (0,) (1,) %{{.*}} = arith.addf
    # CHECK: total = total * 0.5 + x_ref[i, :].astype(jnp.float32)
    bisect(worker, decay, "tpu", "convert-grid-to-tpu", "lost-term only=arith.addf")
    # CHECK-LABEL: decay, convert-grid-to-loops for cpu:
    # CHECK: sub (1,) (5,) %{{.*}} = arith.subf
    # CHECK: kept_ref[...] = jnp.exp(total)[None] - 1.0
    bisect(worker, decay, "cpu", "convert-grid-to-loops", "exchanged-operands only=arith.subf")

    # A pass that can be left out is named; the op that it changed is looked for in the frame of the value.
    # CHECK-LABEL: decay, cse for tpu:
    # CHECK: sub (1,) (5,) %{{.*}} = arith.subf
    # CHECK: True, named: True
    bisect(worker, decay, "tpu", "cse", "exchanged-operands only=arith.subf")

    # Where it is stores that are lost, the values that are kept are lost, too, and say nothing.
    # CHECK-LABEL: scale, grid-plan-memory for tpu:
    # CHECK: the kernel's stores are lost, and the values with them
    bisect(worker, scale, "tpu", "grid-plan-memory", "lost-store")

"""Kernels of blocks, and runs of such kernels on the target gpu, which say which ones became warpgroup programs.

The PTX of each kernel runs in one order of its threads and copies, or in as many as GRIDIR_ORDERS says.
"""

import functools
import os

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.testing import compare, interpreted, run_wide
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

RANDOM = np.random.default_rng(0)
ORDERS = range(1, 1 + int(os.environ.get("GRIDIR_ORDERS", "1")))


def normal(*shape, dtype=jnp.float32):
    return jnp.asarray(RANDOM.standard_normal(shape), dtype)


def small(*shape, dtype=jnp.bfloat16):
    """Integers whose products and sums are exact, so that every order of a sum gives the same result."""
    return jnp.asarray(RANDOM.integers(-4, 5, shape), dtype)


def column_sums(x, block=64, blocks=None):
    """Sums of columns over a sequential dimension of all or of `blocks` blocks, in the output."""
    blocks = x.shape[0] // block if blocks is None else blocks

    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += jnp.sum(x_ref[...], axis=0, keepdims=True)

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(x.shape[1], 128), blocks),
        in_specs=[pl.BlockSpec((block, 128), lambda j, i: (i, j))],
        out_specs=pl.BlockSpec((1, 128), lambda j, i: (0, j)),
        out_shape=jax.ShapeDtypeStruct((1, x.shape[1]), x.dtype),
    )(x)


def matmul(x, y, *, m=128, n=128, k=64, lhs=1, rhs=0, out=None, scratch=True, activation=None, bias=None):
    """A product of blocks, whose accumulator is scratch memory or the output."""
    rows, columns, depth = x.shape[1 - lhs], y.shape[1 - rhs], x.shape[lhs]
    out = out or jnp.float32

    def kernel(x_ref, y_ref, *refs):
        bias_ref, o_ref, acc_ref = (None, *refs) if bias is None else refs
        acc_ref = o_ref if acc_ref is None else acc_ref

        @pl.when(pl.program_id(2) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        dims = (((lhs,), (rhs,)), ((), ()))
        acc_ref[...] += lax.dot_general(x_ref[...], y_ref[...], dims, preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            result = acc_ref[...]
            if bias_ref is not None:
                result = result + bias_ref[...]
            if activation is not None:
                result = activation(result)
            o_ref[...] = result.astype(o_ref.dtype)

    def without_scratch(*refs):
        kernel(*refs, None)

    specs = [
        pl.BlockSpec(
            (m, k) if lhs == 1 else (k, m),
            (lambda i, j, step: (i, step)) if lhs == 1 else (lambda i, j, step: (step, i)),
        ),
        pl.BlockSpec(
            (k, n) if rhs == 0 else (n, k),
            (lambda i, j, step: (step, j)) if rhs == 0 else (lambda i, j, step: (j, step)),
        ),
    ]
    if bias is not None:
        specs.append(pl.BlockSpec((1, n), lambda i, j, step: (0, j)))
    return pl.pallas_call(
        kernel if scratch else without_scratch,
        grid=(pl.cdiv(rows, m), pl.cdiv(columns, n), depth // k),
        in_specs=specs,
        out_specs=pl.BlockSpec((m, n), lambda i, j, step: (i, j)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), out),
        scratch_shapes=[pltpu.VMEM((m, n), jnp.float32)] if scratch else [],
    )(x, y, *([] if bias is None else [bias]))


def product(x, y, lhs=1, rhs=0, out=jnp.float32, **options):
    return lax.dot_general(x, y, (((lhs,), (rhs,)), ((), ())), preferred_element_type=out, **options)


def whole(body, *arrays, m=64, n=64, lhs=1, rhs=0, out=jnp.float32):
    """Calls a body on rows of the first array, columns of the second one, and whole other arrays."""
    x, y, *others = arrays
    rows, columns = x.shape[1 - lhs], y.shape[1 - rhs]

    def kernel(*refs):
        *inputs, o_ref = refs
        o_ref[...] = body(*(ref[...] for ref in inputs)).astype(o_ref.dtype)

    specs = [
        pl.BlockSpec((m, x.shape[1]), lambda i, j: (i, 0))
        if lhs == 1
        else pl.BlockSpec((x.shape[0], m), lambda i, j: (0, i)),
        pl.BlockSpec((y.shape[0], n), lambda i, j: (0, j))
        if rhs == 0
        else pl.BlockSpec((n, y.shape[1]), lambda i, j: (j, 0)),
        *(pl.BlockSpec(z.shape, lambda i, j, rank=z.ndim: (0,) * rank) for z in others),
    ]
    return pl.pallas_call(
        kernel,
        grid=(rows // m, columns // n),
        in_specs=specs,
        out_specs=pl.BlockSpec((m, n), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), out),
    )(*arrays)


def are_programs(function, args, chip="sm_90a"):
    """True if all kernels become warpgroup programs, False if none does."""
    kernels = gridir.lower(function, *args, target=f"gpu:{chip}").kernels
    [found] = {"warpgroup.mapped" not in kernel.text("program") for kernel in kernels}
    return found


def problem_of(function, args, chip="sm_90a"):
    """The difference from interpret mode: of tasks on the CPU, and of PTX with checks in several orders."""
    with interpreted():
        want = jax.jit(function)(*args)
    in_float64 = functools.cache(lambda: run_wide(function, args))
    runs = [{"stage": "program"}]
    runs += [{"checks": ("races", "uninitialized"), "schedule_seed": seed} for seed in ORDERS]
    for how in runs:
        try:
            executable = execute(function, args, get_target(f"gpu:{chip}"), **how)
            if found := [x.example for x in compare(executable.function(*args), want, in_float64) if x.wrong]:
                return f"{how}: {found[0]}"
        except Exception as error:
            return f"{how}: {type(error).__name__}: {error}"
    return None


def report(kind, cases, *, programs, **how):
    """Prints how many kernels are right and take the expected path, and the problems of the others."""
    right = 0
    for name, (function, *args) in cases.items():
        problem = problem_of(function, args, **how)
        if are_programs(function, args, how.get("chip", "sm_90a")) != programs:
            problem = f"is {'not ' if programs else ''}a warpgroup program"
        if problem:
            print(f"{name}: {problem}")
        right += not problem
    print(f"{right} of {len(cases)} {kind} are right")

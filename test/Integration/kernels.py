# Whole kernels against interpret mode: blocks, aliases, control flow around Refs, copies, prefetch, transformations.
#
# RUN: %python %s | FileCheck %s

import functools
import sys
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import differences, interpreted
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

F32 = jnp.float32
ANYWHERE = pl.BlockSpec(memory_space=pl.ANY)
Row = tuple[Callable[..., Any], tuple[Any, ...], Callable[..., Any] | None]
ROWS: dict[str, Row] = {}


def row(*args: Any, want: Callable[..., Any] | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds a function of arrays; `want` gives what it should where interpret mode does not know it."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        ROWS[function.__name__] = (function, args, want)
        return function

    return register


def numbers(*shape: int, dtype: Any = F32) -> np.ndarray:
    random = np.random.RandomState(sum(shape))
    return (random.randn(*shape) * 4).astype(dtype)


def row_numbers(*shape: int) -> np.ndarray:
    return np.random.RandomState(1).randint(0, 4, shape).astype(np.int32)


def shape_of(*shape: int, dtype: Any = F32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def rows_of(size: int, width: int = 16) -> pl.BlockSpec:
    return pl.BlockSpec((size, width), lambda i: (i, 0))


# Blocks ----------------------------------------------------------------------------------------------------------

for boundary_dtype in ("float32", "bfloat16", "float16", "int8", "uint8", "int16", "int32", "uint32", "bool", "int4"):

    def boundary(x: Any) -> Any:
        def kernel(x_ref: Any, o_ref: Any) -> None:
            x = x_ref[...]
            o_ref[...] = ~x if x.dtype == jnp.bool_ else x + x

        spec = pl.BlockSpec((8, 16), lambda i, j: (i, j))
        result = shape_of(*x.shape, dtype=x.dtype)
        return pl.pallas_call(kernel, grid=(2, 3), in_specs=[spec], out_specs=spec, out_shape=result)(x)

    boundary.__name__ = f"boundary_{boundary_dtype}"
    row(jnp.asarray(numbers(13, 37)).astype(jnp.int8).astype(boundary_dtype))(boundary)


@row(numbers(3, 8, 32), numbers(8, 3, 32))
def squeezed(x: Any, y: Any) -> Any:
    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...] + y_ref[...]

    first = pl.BlockSpec((None, 8, 16), lambda i, j: (i, 0, j))
    second = pl.BlockSpec((8, pl.Squeezed(), 16), lambda i, j: (0, i, j))
    call = pl.pallas_call(kernel, grid=(3, 2), in_specs=[first, second], out_specs=first, out_shape=shape_of(3, 8, 32))
    return call(x, y)


@row(numbers(32, 16))
def padded_elements(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        row_index = lax.broadcasted_iota(jnp.int32, (10, 16), 0) + pl.program_id(0) * 8 - 1
        o_ref[...] = jnp.where((row_index >= 0) & (row_index < 32), x_ref[...], 0)

    overlapping = pl.BlockSpec((pl.Element(10, (1, 1)), 16), lambda i: (i * 8, 0))
    whole = pl.BlockSpec((None, 10, 16), lambda i: (i, 0, 0))
    return pl.pallas_call(kernel, grid=(4,), in_specs=[overlapping], out_specs=whole, out_shape=shape_of(4, 10, 16))(x)


@row(numbers(32, 32))
def two_results(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any, sum_ref: Any) -> None:
        @pl.when(pl.program_id(0) == 0)
        def _() -> None:
            sum_ref[...] = jnp.zeros_like(sum_ref)

        o_ref[...] = x_ref[...] * 2
        sum_ref[...] += jnp.sum(x_ref[...], 0, keepdims=True)

    block = pl.BlockSpec((8, 16), lambda i, j: (i, j))
    total = pl.BlockSpec((1, 16), lambda i, j: (0, 0))
    results = [shape_of(32, 32), shape_of(1, 16)]
    return pl.pallas_call(kernel, grid=(4, 2), in_specs=[block], out_specs=[block, total], out_shape=results)(x)


def add_one(x_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...] + 1


for programs in (0, 1, 4):

    def dynamic_grid(n: Any, x: Any) -> Any:
        block = pl.BlockSpec((8, 16), lambda i, j: (i, j))
        call = pl.pallas_call(
            add_one,
            grid=(n, 2),
            in_specs=[block],
            out_specs=block,
            out_shape=shape_of(32, 32),
            input_output_aliases={0: 0},
        )
        return call(x)

    dynamic_grid.__name__ = f"dynamic_grid_{programs}"
    row(np.int32(programs), numbers(32, 32))(dynamic_grid)

# Aliases ---------------------------------------------------------------------------------------------------------

for meaning in ("parallel", "arbitrary"):

    def reversed_alias(x: Any, y: Any, meaning: str = meaning) -> Any:
        """Each program reads what another one writes, in the order of the grid since JAX 0.11."""

        def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
            o_ref[...] = x_ref[...] + y_ref[...]

        call = pl.pallas_call(
            kernel,
            grid=(64,),
            in_specs=[pl.BlockSpec((8, 256), lambda i: (63 - i, 0)), rows_of(8, 256)],
            out_specs=rows_of(8, 256),
            out_shape=shape_of(512, 256),
            input_output_aliases={0: 0},
            compiler_params=pltpu.CompilerParams(dimension_semantics=(meaning,)),
        )
        return call(x, y)

    reversed_alias.__name__ = f"reversed_alias_{meaning}"
    row(numbers(512, 256), numbers(512, 256))(reversed_alias)


@row(numbers(32, 16))
def partial_alias(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        @pl.when(pl.program_id(0) == 1)
        def _() -> None:
            o_ref[...] = x_ref[...] * 2

    spec = rows_of(8)
    return pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[spec],
        out_specs=spec,
        out_shape=shape_of(32, 16),
        input_output_aliases={0: 0},
    )(x)


@row(numbers(3, 32, 16))
def batched_alias(x: Any) -> Any:
    spec = rows_of(8)
    call = pl.pallas_call(
        add_one,
        grid=(4,),
        in_specs=[spec],
        out_specs=spec,
        out_shape=shape_of(32, 16),
        input_output_aliases={0: 0},
    )
    return jax.vmap(call)(x)


# Control flow around Refs ----------------------------------------------------------------------------------------


@row(numbers(32, 16))
def nested_conditions(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        i = pl.program_id(0)

        @pl.when(i % 2 == 0)
        def _() -> None:
            @pl.when(x_ref[0, 0] > 0)
            def _() -> None:
                o_ref[...] = x_ref[...] * 2

            @pl.when(x_ref[0, 0] <= 0)
            def _() -> None:
                o_ref[...] = x_ref[...] * 3

        @pl.when(i % 2 == 1)
        def _() -> None:
            o_ref[...] = -x_ref[...]

    spec = rows_of(8)
    return pl.pallas_call(kernel, grid=(4,), in_specs=[spec], out_specs=spec, out_shape=shape_of(32, 16))(x)


@row(numbers(8, 16))
def nested_loops(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any, sum_ref: Any) -> None:
        sum_ref[...] = jnp.zeros_like(sum_ref)

        def outer(i: Any, carry: Any) -> Any:
            def inner(j: Any, carry: Any) -> Any:
                sum_ref[i, :] += x_ref[j, :] * i
                return carry + sum_ref[i, 0]

            carry = lax.fori_loop(0, i + 1, inner, carry)

            @pl.when(carry > 0)
            def _() -> None:
                sum_ref[0, :] = sum_ref[0, :] + 1

            return carry

        total = lax.fori_loop(0, 8, outer, 0.0)
        o_ref[...] = sum_ref[...] + total

    return pl.pallas_call(kernel, out_shape=shape_of(8, 16), scratch_shapes=[pltpu.VMEM((8, 16), F32)])(x)


@row(numbers(8, 16))
def scan_over_rows(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        def step(carry: Any, i: Any) -> Any:
            o_ref[i, :] = x_ref[i, :] + carry
            return carry + x_ref[i, :], x_ref[i, 0]

        carry, firsts = lax.scan(step, jnp.zeros(16, F32), jnp.arange(8))
        o_ref[0, :] = o_ref[0, :] + carry + firsts.sum()

    return pl.pallas_call(kernel, out_shape=shape_of(8, 16))(x)


@row(np.abs(numbers(4, 4)))
def while_over_arrays(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        def more(carry: Any) -> Any:
            return jnp.sum(carry[0]) < 1000

        def step(carry: Any) -> Any:
            total, scaled, count = carry
            return total + jnp.abs(scaled), (scaled * 1.5).T, count + 1

        total, scaled, count = lax.while_loop(more, step, (x_ref[...], x_ref[...].T, 0))
        o_ref[...] = total + scaled.T + count

    return pl.pallas_call(kernel, out_shape=shape_of(4, 4))(x)


@row(np.abs(numbers(4, 4)))
def while_looks_at_a_ref(x: Any) -> Any:
    """The body writes what the condition reads, and reads nothing of it; nor the number before it."""

    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...]

        def step(carry: Any) -> Any:
            o_ref[...] += x_ref[carry[2] % 4]
            return carry[0] * 0.5, o_ref[...], carry[2] + 1

        def more(carry: Any) -> Any:
            return (jnp.sum(carry[1]) < 1000) & (carry[0] > 0)

        lax.while_loop(more, step, (1.0, o_ref[...], 0))

    return pl.pallas_call(kernel, out_shape=shape_of(4, 4))(x)


@row(numbers(4, 4), want=lambda x: x * 2 + x + (x * 2 + 1) + (x * 3 + 2) + 4 + 3)
def state_of_a_scope(x: Any) -> Any:
    """A scope gives the last contents of its own Refs, and writes to one of its caller's.

    The interpret mode of JAX 0.12 cannot run a loop over such Refs.
    """

    def kernel(x_ref: Any, o_ref: Any, count_ref: Any) -> None:
        count_ref[...] = jnp.zeros_like(count_ref)

        def scope(refs: Any) -> None:
            total, factor = refs

            def step(i: Any, _: None) -> None:
                total[...] += x_ref[...] * factor[0] + i
                factor[...] += 1
                count_ref[...] += 1

            lax.fori_loop(0, 3, step, None)

        total, factor = pl.run_state(scope)((x_ref[...] * 2, jnp.ones((2,))))
        o_ref[...] = total + factor[1] + count_ref[...]

    return pl.pallas_call(kernel, out_shape=shape_of(4, 4), scratch_shapes=[pltpu.VMEM((4, 4), jnp.float32)])(x)


@row(numbers(4, 4))
def carried_arrays(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        x = x_ref[...]
        a, b, c = lax.fori_loop(0, 5, lambda i, v: (v[1], v[0] * 2 + i, v[1] + v[2]), (x, x + 1, x))
        d = lax.fori_loop(0, 5, lambda i, v: lax.cond(i % 2 == 0, lambda w: w.T * 2, lambda w: w + 1, v), x)
        e = lax.fori_loop(0, 3, lambda i, v: lax.fori_loop(0, 2, lambda j, w: w @ w.T * 0.1 + i - j, v) + jnp.sum(v), x)
        o_ref[...] = a + b + c + d + e

    return pl.pallas_call(kernel, out_shape=shape_of(4, 4))(x)


# Copies and semaphores -------------------------------------------------------------------------------------------


@row(numbers(32, 16), want=lambda x: x.reshape(4, 8, 16)[::-1].reshape(32, 16))
def scoped_copies(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        def body(buffer: Any, done: Any) -> None:
            for i in range(4):
                copy_in = pltpu.make_async_copy(x_ref.at[pl.ds(i * 8, 8)], buffer.at[i % 2], done.at[i % 2])
                copy_in.start()
                copy_in.wait()
                target = o_ref.at[pl.ds((3 - i) * 8, 8)]
                copy_out = pltpu.make_async_copy(buffer.at[i % 2], target, done.at[0])
                copy_out.start()
                copy_out.wait()

        pl.run_scoped(body, pltpu.VMEM((2, 8, 16), F32), pltpu.SemaphoreType.DMA((2,)))

    return pl.pallas_call(kernel, in_specs=[ANYWHERE], out_specs=ANYWHERE, out_shape=shape_of(32, 16))(x)


@row(numbers(8, 16), want=lambda x: x + 1)
def counted_semaphore(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any, semaphore: Any) -> None:
        pl.semaphore_signal(semaphore, 3)
        pl.semaphore_wait(semaphore, 2)
        o_ref[...] = x_ref[...] + pl.semaphore_read(semaphore).astype(F32)

    return pl.pallas_call(kernel, out_shape=shape_of(8, 16), scratch_shapes=[pltpu.SemaphoreType.REGULAR])(x)


SEMAPHORES = pl.BlockSpec(memory_space=pltpu.SEMAPHORE)
for handed_name, handed_rows in (("small", 8), ("more_bytes_than_16_bits_count", 1024)):

    def handed_semaphore(x: Any) -> Any:
        def start(x_ref: Any, o_ref: Any, done: Any) -> None:
            pltpu.make_async_copy(x_ref, o_ref, done.at[1]).start()

        def finish(x_ref: Any, y_ref: Any, done: Any, o_ref: Any) -> None:
            pltpu.make_async_copy(x_ref, o_ref, done.at[1]).wait()

        y, done = pl.pallas_call(
            start,
            out_shape=(jax.typeof(x), pltpu.SemaphoreType.DMA((2,))),
            in_specs=[ANYWHERE],
            out_specs=(ANYWHERE, SEMAPHORES),
        )(x)
        return pl.pallas_call(
            finish,
            out_shape=jax.typeof(x),
            in_specs=[ANYWHERE, ANYWHERE, SEMAPHORES],
            out_specs=ANYWHERE,
            input_output_aliases={1: 0},
        )(x, y, done)

    handed_semaphore.__name__ = f"handed_semaphore_{handed_name}"
    row(numbers(handed_rows, 16), want=lambda x: x)(handed_semaphore)


# Prefetched scalars and transformations --------------------------------------------------------------------------


def gather_rows(i: Any, j: Any, x: Any, y: Any) -> Any:
    def kernel(i_ref: Any, j_ref: Any, x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        program = pl.program_id(0)
        o_ref[...] = x_ref[...] * j_ref[program] + y_ref[...] + i_ref[program]

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=2,
        grid=(4,),
        in_specs=[
            pl.BlockSpec((8, 16), lambda p, i, j: (i[p], 0)),
            pl.BlockSpec((8, 16), lambda p, i, j: (j[p], 0)),
        ],
        out_specs=pl.BlockSpec((8, 16), lambda p, i, j: (p, 0)),
    )
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=shape_of(32, 16))(i, j, x, y)


row(row_numbers(4), row_numbers(4), numbers(32, 16), numbers(32, 16))(gather_rows)


@row(row_numbers(3, 4), row_numbers(3, 4), numbers(3, 32, 16), numbers(3, 32, 16))
def gather_rows_batched(*args: Any) -> Any:
    return jax.vmap(gather_rows)(*args)


@row(row_numbers(3, 4), row_numbers(4), numbers(32, 16), numbers(32, 3, 16))
def gather_rows_mixed(*args: Any) -> Any:
    return jax.vmap(gather_rows, in_axes=(0, None, None, 1))(*args)


@jax.custom_vjp
def sine(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = jnp.sin(x_ref[...])

    return pl.pallas_call(kernel, out_shape=shape_of(*x.shape))(x)


def sine_backward(x: Any, g: Any) -> Any:
    def kernel(x_ref: Any, g_ref: Any, o_ref: Any) -> None:
        o_ref[...] = jnp.cos(x_ref[...]) * g_ref[...]

    return (pl.pallas_call(kernel, out_shape=shape_of(*x.shape))(x, g),)


sine.defvjp(lambda x: (sine(x), x), sine_backward)


@row(numbers(3, 8, 16))
def gradient(x: Any) -> Any:
    return jax.vmap(jax.grad(lambda v: jnp.sum(sine(v) ** 2)))(x)


@row(numbers(8, 16))
def tangent(x: Any) -> Any:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...] * x_ref[...]

    return jax.jvp(pl.pallas_call(kernel, out_shape=shape_of(8, 16)), (x,), (x,))


@row(np.asarray(jax.random.key_data(jax.random.key(7))))
def noise(key: Any) -> Any:
    """A program of twenty rounds of which every one reads the two before it twice: fusion must not double each."""

    def kernel(key_ref: Any, o_ref: Any) -> None:
        key = jax.random.fold_in(jax.random.wrap_key_data(key_ref[...]), pl.program_id(0))
        o_ref[...] = jax.random.normal(key, (8, 16))

    return pl.pallas_call(
        kernel,
        grid=(3,),
        in_specs=[pl.BlockSpec((2,), lambda i: (0,))],
        out_specs=pl.BlockSpec((None, 8, 16), lambda i: (i, 0, 0)),
        out_shape=shape_of(3, 8, 16),
    )(key)


def main() -> None:
    wanted = sys.argv[1:]
    failures = 0
    for name, (function, args, reference) in ROWS.items():
        if wanted and not any(w in name for w in wanted):
            continue
        if reference is not None:
            want = reference(*args)
        else:
            with interpreted():
                want = jax.jit(functools.partial(function))(*args)
        with gridir.installed():
            got = jax.jit(functools.partial(function))(*args)
        for problem in differences(got, want, function, args):
            print(f"{name}: {problem}")
            failures += 1
    print("every kernel equals interpret mode" if failures == 0 else f"{failures} results differ")
    sys.exit(failures > 0)


# CHECK: every kernel equals interpret mode
main()

# RUN: %python %s | FileCheck %s

# The work of kernels whose values are in registers of a GPU, as Triton compiles them, and the times that follow.

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from gridir.frontend.estimates.step_form import alone
from gridir.frontend.estimates.step_work import count_work
from gridir.runtime.chip_constants import load_chip
from gridir.runtime.ptxas import CodeCounts
from gridir.tuning.gpu_registers import finish_rate, guess_resources, predict_registers
from gridir.tuning.space import as_space
from gridir.tuning.traced import trace
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

M, N, K, GROUPS = 4096, 512, 1024, 8


def product(x, y, starts, ends, *, rows, depth):
    """A ragged product in tiles of `rows` x 128; each group of rows has a matrix of its own."""

    def kernel(x_ref, y_ref, start_ref, end_ref, out_ref):
        first = start_ref[...] + pl.program_id(0) * rows

        @pl.when(first < end_ref[...])
        def tile():
            def body(k, acc):
                left = x_ref[pl.ds(first, rows), pl.ds(k * depth, depth)]
                right = y_ref[pl.ds(k * depth, depth), :]
                return acc + jnp.dot(left, right, preferred_element_type=jnp.float32) * 1.0

            acc = jax.lax.fori_loop(0, K // depth, body, jnp.zeros((rows, 128), jnp.float32))
            out_ref[pl.ds(first, rows), :] = acc.astype(jnp.bfloat16)

    return pl.pallas_call(
        kernel,
        grid=(M // rows, N // 128, GROUPS),
        in_specs=[
            pl.BlockSpec(memory_space=pl.ANY),
            pl.BlockSpec((None, K, 128), lambda i, j, g: (g, 0, j)),
            pl.BlockSpec((None,), lambda i, j, g: (g,)),
            pl.BlockSpec((None,), lambda i, j, g: (g,)),
        ],
        out_specs=pl.BlockSpec((M, 128), lambda i, j, g: (0, j)),
        out_shape=jax.ShapeDtypeStruct((M, N), jnp.bfloat16),
        compiler_params=plgpu.CompilerParams(num_warps=4, num_stages=3),
    )(x, y, starts, ends)


arrays = jax.ShapeDtypeStruct((M, K), jnp.bfloat16), jax.ShapeDtypeStruct((GROUPS, K, N), jnp.bfloat16)
ends = np.arange(1, GROUPS + 1, dtype=np.int32) * (M // GROUPS)
space = as_space({"rows": [32, 128], "depth": [32, 64]})


def work_of(starts, ends, **config):
    traced = trace(product, (*arrays, starts, ends), {}, space, config)
    assert not isinstance(traced, str), traced
    (call,) = traced.calls.kernels
    return alone(count_work(call.request, call.sizes, call.scalars, call.inputs, on_gpu=True))


def total(work, kind):
    return work.total(work.amount(kind))[0]


# The arrays of indices say which programs have a tile: those of each group have its rows, and others have no work.
work = work_of(ends - M // GROUPS, ends, rows=128, depth=32)
# CHECK: 1024 1.0 ()
(flops,) = (work.total(amount)[0] for amount in work.products.values())
print(work.totals[0], flops / (2 * M * N * K), work.notes)
# Without their values all programs count.
unknown = jax.ShapeDtypeStruct((GROUPS,), jnp.int32)
every = work_of(unknown, unknown, rows=128, depth=32)
(flops,) = (every.total(amount)[0] for amount in every.products.values())
# CHECK-NEXT: 8.0 ('branches whose conditions depend on data count as taken',)
print(flops / (2 * M * N * K), every.notes)

# Bytes that are read and written, iterations, and elements: the sum of products and a factor of one are no operations.
# A value of 64 rows and more is the operand of a warpgroup.
tiles = (M // 128) * (N // 128)
# CHECK-NEXT: 16384.0 1.0 32.0 16384.0 0.0
loaded = total(work, "read") / tiles / 32
print(
    loaded,
    total(work, "written") / (2 * M * N),
    total(work, "iterations") / tiles,
    total(work, "elements") / tiles,
    total(work, "narrow"),
)
narrow = work_of(ends - M // GROUPS, ends, rows=32, depth=32)
# CHECK-NEXT: 1.0
print(total(narrow, "narrow") / (2 * M * N * K))
# The accumulator is carried, and nothing else is made; both operands are loaded, none comes from outside of the loop.
_, carried, _, _, made, summed, staged, kept = work.held[0]
# CHECK-NEXT: 65536 0 65536 16384 0
print(carried, made, summed, staged, kept)

chip = load_chip("gpu:sm_90a")


def seconds(work, *, warps=4, stages=3, chip=chip, code=None, **changes):
    guess = dataclasses.replace(guess_resources(work, warps, stages, chip), **changes)
    found = predict_registers(work, warps, stages, guess, chip, code)
    return float(found.seconds[0]), int(found.occupancy[0]), found.limits


# More stages hide the latency of memory, until their buffers leave too little for other CTAs.
times = {stages: seconds(work, stages=stages)[0] for stages in (1, 2, 3)}
# CHECK-NEXT: True
print(times[1] > times[2] >= times[3])
# CHECK-NEXT: True
print(seconds(work, stages=8)[1] < seconds(work, stages=3)[1])
# Products of single warps are slower, also where a CTA has no more; so are programs without work, and spills.
# CHECK-NEXT: True True True True
print(
    seconds(narrow)[0] > seconds(work)[0],
    seconds(work, warps=2)[0] > seconds(work)[0],
    seconds(every)[0] > seconds(work)[0],
    seconds(work, spill_bytes=np.array([256.0]))[0] > seconds(work)[0],
)
# With code, its instructions count, which may be products of single warps, or move data of shared memory.
flops = 2 * 128 * 128 * 32 / 4
lean = CodeCounts(60, 0, flops, 0, 0, 0, 200, 0, 0, 1)
# CHECK-NEXT: True True True
print(
    *(
        seconds(work, code=dataclasses.replace(lean, **change))[0] > seconds(work, code=lean)[0]
        for change in ({"loop_instructions": 6000}, {"loop_warp_flops": flops}, {"loop_shared_bytes": 1e6})
    )
)
# Accumulators may be in tensor memory; they need no registers then, but it limits the CTAs.
blackwell = load_chip("gpu:sm_100a")
guess = guess_resources(work, 4, 3, blackwell)
# CHECK-NEXT: 160 32 4
print(
    int(guess_resources(work, 4, 3, chip).registers[0]),
    int(guess.registers[0]),
    int(seconds(work, chip=blackwell)[2]["accumulators"][0]),
)

# An A100 has no products of warpgroups. Operands are in registers before the next ones arrive: a stage needs no buffer.
# Its schedulers issue as many instructions as those of other chips, although it has fewer units for floats.
ampere = load_chip("gpu:sm_80")
# CHECK-NEXT: 2 3 True
wide = dataclasses.replace(ampere, values={**ampere.values, "vector_ops": 128.0})
print(
    *(int(guess_resources(work, 4, 3, each).shared_bytes[0] // 16384) for each in (ampere, chip)),
    seconds(work, chip=ampere)[0] == seconds(work, chip=wide)[0],
)

# CTAs take turns at units. Alone, one finishes after its whole time. Two that use a single unit for all of their time
# finish one after the other; without turns, each is delayed by itself only.
turns = [np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0])]
delay = np.array([2.0, 0.0, 2.0])
# CHECK-NEXT: [0.5 1. 0.25]
# CHECK-NEXT: [1. 1. 0.44]
# CHECK-NEXT: [16. 1. 0.97]
for residents in (1, 2, 32):
    print(np.round(finish_rate(turns, delay, np.full(3, residents)), 2))

# Where accumulators do not fit into the registers, all of them are moved; an operand that is converted is in registers.
wide = guess_resources(work, 1, 3, chip)
# CHECK-NEXT: 255 3716.0
print(int(wide.registers[0]), wide.spill_bytes[0])


def attention(q, k, v, *, rows):
    """A product with the result of another one. Operands with a factor of one are operands as they are."""

    def kernel(q_ref, k_ref, v_ref, out_ref):
        scaled = q_ref[...] * jnp.bfloat16(0.5)

        def body(i, acc):
            keys = k_ref[pl.ds(i * 64, 64), :] * jnp.bfloat16(1)
            weights = jnp.exp(jnp.dot(scaled, keys.T, preferred_element_type=jnp.float32))
            values = v_ref[pl.ds(i * 64, 64), :] * jnp.bfloat16(1)
            return acc + jnp.dot(weights.astype(jnp.bfloat16), values, preferred_element_type=jnp.float32)

        acc = jax.lax.fori_loop(0, M // 64, body, jnp.zeros((rows, 128), jnp.float32))
        out_ref[...] = acc.astype(jnp.bfloat16)

    whole = pl.BlockSpec((M, 128), lambda i: (0, 0))
    block = pl.BlockSpec((rows, 128), lambda i: (i, 0))
    return pl.pallas_call(
        kernel,
        grid=(M // rows,),
        in_specs=[block, whole, whole],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct((M, 128), jnp.bfloat16),
    )(q, k, v)


def work_alone(function, operands, **config):
    (call,) = trace(function, operands, {}, as_space({name: [x] for name, x in config.items()}), config).calls.kernels
    return alone(count_work(call.request, on_gpu=True))


chained = work_alone(attention, (jax.ShapeDtypeStruct((M, 128), jnp.bfloat16),) * 3, rows=64)
guess = guess_resources(chained, 4, 3, chip)
# Three stages of keys and values, and the scaled queries. The registers are those of the accumulators, of the weights
# once and a half, of the queries, and others.
# CHECK-NEXT: 114688 True
blocks = 64 * 128
registers = (4 * blocks + 1.5 * 4 * 64 * 64 + 2 * blocks) / 4 / 128 + 32
print(int(guess.shared_bytes[0]), guess.registers[0] == registers)
# For an element of the weights: the function, its 8 instructions, and its conversion; no moves of operands.
# CHECK-NEXT: 9.0
print((total(chained, "elements") - (M // 64) * 2 * blocks) / M**2)
# 64 rows are those of four warps: the others repeat what is between the products, so that eight are no faster.
# CHECK-NEXT: True
print(seconds(chained, warps=8)[0] > seconds(chained)[0])

# Programs without work take the time that the chip has for them.
longer = dataclasses.replace(chip, values=chip.values | {"empty_seconds": 2 * chip["empty_seconds"]})
# CHECK-NEXT: True
added = seconds(work, chip=longer)[0] - seconds(work)[0]
print(abs(added / ((work.totals[0] - tiles) / 132 * chip["empty_seconds"] / seconds(work)[1]) - 1) < 1e-6)


def normalized(x, *, rows):
    """A kernel without loops, which holds values of its block."""

    def kernel(x_ref, out_ref):
        x = x_ref[...].astype(jnp.float32)
        out_ref[...] = (x * jax.lax.rsqrt(jnp.mean(x * x, axis=1, keepdims=True))).astype(jnp.bfloat16)

    block = pl.BlockSpec((rows, 128), lambda i: (i, 0))
    out = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, grid=(x.shape[0] // rows,), in_specs=[block], out_specs=block, out_shape=out)(x)


work = work_alone(normalized, (jax.ShapeDtypeStruct((M, 128), jnp.bfloat16),), rows=64)
guess = guess_resources(work, 4, None, chip)
# CHECK-NEXT: True 0
print(guess.registers[0] == 1.5 * 4 * blocks / 4 / 128 + 32, guess.shared_bytes[0])

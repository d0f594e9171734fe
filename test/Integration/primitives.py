# Every lowering rule against XLA, over dtypes and the values where rules go wrong.
#
# RUN: %python %s | FileCheck %s

import functools
import math
import sys
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference
from jax import lax
from jax._src.lax import lax as lax_internal
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

FLOATS = (jnp.float32, jnp.bfloat16, jnp.float16)
SIGNED = (jnp.int8, jnp.int16, jnp.int32)
UNSIGNED = (jnp.uint8, jnp.uint16, jnp.uint32)
INTEGERS = (*SIGNED, *UNSIGNED)
EVERY = (*FLOATS, *INTEGERS, jnp.bool_)

# A row is one result: (group, name, function, arguments). The rows of a group share a kernel and its arguments.
Row = tuple[str, str, Callable[..., Any], tuple[Any, ...]]
ROWS: list[Row] = []


def edges(dtype: Any) -> np.ndarray:
    """The numbers of a dtype where semantics differ between machines, 16 of them."""
    if dtype == jnp.bool_:
        return np.array([False, True] * 8)
    if jnp.issubdtype(dtype, jnp.floating):
        inf, nan, big = math.inf, math.nan, float(jnp.finfo(dtype).max)
        plain = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -100.25, 1e-3]
        return np.array([*plain, big, inf, -inf, nan], dtype)
    info = jnp.iinfo(dtype)
    bits, low, high = info.bits, int(info.min), int(info.max)
    if low == 0:
        numbers = [0, 1, 2, 3, 5, 7, bits - 1, bits, bits + 1, high // 2, high // 2 + 1, high - 1, high]
    else:
        small = [0, 1, -1, 2, -2, 3, -7, 7]
        numbers = [*small, bits - 1, bits, bits + 1, -bits, low, low + 1, high, high - 1]
    return np.resize(np.array(numbers), 16).astype(dtype)


def one(dtype: Any) -> np.ndarray:
    return np.tile(edges(dtype), (8, 8))


def pairs(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of edge values, as two arrays of 16 x 16."""
    left, right = np.meshgrid(edges(dtype), edges(dtype), indexing="ij")
    return left, right


def smooth(dtype: Any, low: float, high: float) -> np.ndarray:
    return np.linspace(low, high, 8 * 128).reshape(8, 128).astype(dtype)


def counting(dtype: Any, *shape: int) -> np.ndarray:
    return (np.arange(math.prod(shape)) % 97).reshape(shape).astype(dtype)


def add(group: str, args: tuple[Any, ...], **functions: Callable[..., Any]) -> None:
    ROWS.extend((group, name, function, args) for name, function in functions.items())


def name_of(dtype: Any) -> str:
    return np.dtype(dtype).name


def pick(names: str) -> dict[str, Callable[..., Any]]:
    return {name: getattr(lax, name) for name in names.split()}


ARITHMETIC = "add sub mul max min"
COMPARISONS = "eq ne lt le gt ge"
BITWISE = "bitwise_and bitwise_or bitwise_xor"

for t in FLOATS:
    add(f"float pairs {name_of(t)}", pairs(t), **pick(f"{ARITHMETIC} {COMPARISONS} div rem nextafter atan2"))
    add(
        f"float edges {name_of(t)}",
        (one(t),),
        **pick("abs neg sign floor ceil is_finite exp exp2 log sqrt rsqrt tanh logistic square erf"),
        round_away=lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
        round_even=lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
        as_half=lambda x: lax.reduce_precision(x, 5, 10),
        as_few_bits=lambda x: lax.reduce_precision(x, 4, 2),
        cube=lambda x: lax.integer_pow(x, 3),
        inverse_square=lambda x: lax.integer_pow(x, -2),
        clamp=lambda x: lax.clamp(jnp.asarray(-1, x.dtype), x, jnp.asarray(2, x.dtype)),
        negative=lambda x: jnp.where(x < 0, x, -x),
    )
    add(
        f"float range {name_of(t)}",
        (smooth(t, -3.0, 3.0),),
        **pick("sin cos tan sinh cosh tanh asinh atan erf erfc expm1 exp cbrt"),
        reciprocal=lambda x: pl.reciprocal(x + 4, approx=False),
        softmax=jax.nn.softmax,
    )
    add(f"float unit {name_of(t)}", (smooth(t, -0.96, 0.96),), **pick("asin acos atanh erf_inv log1p"))
    add(f"float positive {name_of(t)}", (smooth(t, 1.25, 20.0),), **pick("log log1p acosh lgamma digamma sqrt rsqrt"))

add(
    "powers",
    (smooth(jnp.float32, 0.1, 5.0), smooth(jnp.float32, -2.0, 2.0)),
    pow=lax.pow,
    igamma=lambda x, y: lax.igamma(x, jnp.abs(y) + 0.1),
)

for t in INTEGERS:
    add(f"integer pairs {name_of(t)}", pairs(t), **pick(f"{ARITHMETIC} {COMPARISONS} {BITWISE} div rem"))
    add(f"shifts {name_of(t)}", pairs(t), **pick("shift_left shift_right_logical shift_right_arithmetic"))
    add(
        f"integer edges {name_of(t)}",
        (one(t),),
        **pick("neg sign clz population_count bitwise_not"),
        absolute=jnp.abs,
        cube=lambda x: lax.integer_pow(x, 3),
        by_three=lambda x: x // jnp.asarray(3, x.dtype),
        modulo=lambda x: x % jnp.asarray(5, x.dtype),
    )
add("bool pairs", pairs(jnp.bool_), **pick(f"{BITWISE} eq ne max min"), negation=lambda x, _: ~x)

for source in EVERY:
    casts = {f"to {name_of(t)}": functools.partial(lax.convert_element_type, new_dtype=t) for t in EVERY}
    add(f"casts {name_of(source)}", (one(source),), **casts)
add(
    "bit casts",
    (smooth(jnp.float32, -3.0, 3.0),),
    same=lambda x: lax.bitcast_convert_type(x, jnp.uint32),
    narrower=lambda x: lax.bitcast_convert_type(x, jnp.int16).reshape(8, 256),
    wider=lambda x: lax.bitcast_convert_type(x.astype(jnp.bfloat16).reshape(8, 64, 2), jnp.int32),
    sublanes=lambda x: pltpu.bitcast(x, jnp.int16),
    sublanes_to_floats=lambda x: pltpu.bitcast(x, jnp.bfloat16),
    sublanes_wider=lambda x: pltpu.bitcast(x.astype(jnp.bfloat16), jnp.int32),
    sublanes_of_bytes=lambda x: pltpu.bitcast((x * 9).astype(jnp.int8), jnp.float32),
    sublanes_to_bytes=lambda x: pltpu.bitcast(x, jnp.uint8),
    reduce_precision=lambda x: lax.reduce_precision(x, 8, 7),
)

for t in (jnp.float32, jnp.bfloat16, jnp.int32, jnp.uint8):
    x = counting(t, 8, 128)
    add(
        f"shapes {name_of(t)}",
        (x,),
        broadcast=lambda x: jnp.broadcast_to(x[:, None, :], (8, 3, 128)),
        broadcast_unit=lambda x: x * x[:, :1],
        reshape=lambda x: x.reshape(16, 64),
        reshape_in_order=lambda x: lax.reshape(x, (64, 16), dimensions=(1, 0)),
        expand=lambda x: x.reshape(2, 1, 4, 128, 1),
        transpose=jnp.transpose,
        rev=lambda x: x[::-1, ::-1],
        slice=lambda x: x[1:7:2, 3::5],
        concatenate=lambda x: jnp.concatenate([x, x[:2], x], 0),
        pad=lambda x: lax.pad(x, jnp.asarray(9, x.dtype), [(1, 2, 1), (-3, 2, 0)]),
        pad_numpy=lambda x: jnp.pad(x, ((2, 3), (0, 1))),
        pad_away=lambda x: lax.pad(x, jnp.asarray(9, x.dtype), [(-2, -3, 2), (0, -125, 1)]),
        iota=lambda x: x + lax.broadcasted_iota(x.dtype, x.shape, 1),
        split=lambda x: jnp.concatenate(jnp.split(x, 4, 1)[::-1], 1),
        stack=lambda x: jnp.stack([x, x + x], 1),
        unstack=lambda x: jnp.unstack(x, axis=1)[5],
        tile=lambda x: jnp.tile(x, (2, 3)),
        repeat=lambda x: jnp.repeat(x, 2, 1),
        roll=lambda x: pltpu.roll(x, 5, 1),
        roll_strided=lambda x: pltpu.roll(x, 5, 1, stride=3, stride_axis=0),
        roll_strided_rows=lambda x: pltpu.roll(x, 5, 0, stride=3, stride_axis=1),
        roll_back=lambda x: pltpu.roll(x, -x[0, 7].astype(jnp.int32), 1),
        dynamic_slice=lambda x: lax.dynamic_slice(x, (x[0, 7].astype(jnp.int32), 100), (4, 64)),
        dynamic_update=lambda x: lax.dynamic_update_slice(x, x[:2] * 2, (x[0, 7].astype(jnp.int32), -3)),
        fold=lambda x: jnp.swapaxes(x.T.reshape(32, 4, 8), 0, 1),
        triangle=jnp.tril,
    )
    add(
        f"reductions {name_of(t)}",
        (counting(t, 8, 16),),
        sum=lambda x: lax.reduce_sum(x, (1,)),
        sum_columns=lambda x: lax.reduce_sum(x, (0,)),
        product=lambda x: lax.reduce_prod(x[:, :3], (1,)),
        maximum=lambda x: lax.reduce_max(x, (0,)),
        minimum_all=lambda x: lax.reduce_min(x, (0, 1)).reshape(1),
        argmax=lambda x: lax.argmax(x, 1, jnp.int32),
        argmin=lambda x: lax.argmin(x, 0, jnp.int32),
        cumsum=lambda x: lax.cumsum(x, 1),
        cumsum_reverse=lambda x: lax.cumsum(x, 0, reverse=True),
        cumprod=lambda x: lax.cumprod(x[:, :3], 1),
        cummax=lambda x: lax.cummax(x, 1),
        cummin=lambda x: lax.cummin(x, 1, reverse=True),
        custom=lambda x: lax.reduce(x, jnp.asarray(0, x.dtype), lambda a, b: a + b, (1,)),
    )
# Rows that no vector divides: read backwards, with gaps, and reduced in short rows.
for t in (jnp.float32, jnp.float16, jnp.bfloat16, jnp.int32, jnp.int16, jnp.int8, jnp.uint8, jnp.bool_):
    x = counting(t, 11, 131)
    add(
        f"rows {name_of(t)}",
        (x,),
        rows_backwards=lambda x: x[::-1],
        backwards=lambda x: x[:, ::-1],
        both_backwards=lambda x: x[::-1, ::-1],
        transposed_backwards=lambda x: x[:, ::-1].T,
        with_itself=lambda x: jnp.where(x > x[:, ::-1], x, x[::-1]),
        part_backwards=lambda x: x[2:9, 5:100][:, ::-1],
        gaps_of_one=lambda x: x[:, 1::2],
        gaps_of_two=lambda x: x[::2, ::3],
        gaps_of_three=lambda x: jnp.where(x[:, ::4] > x[:, 2::4], x[:, ::4], x[:, 2::4]),
        gaps_of_six=lambda x: x[:, ::7],
        some=lambda x: jnp.any(x > 3, 1),
        each=lambda x: jnp.all(x < 96, 1),
        some_of_columns=lambda x: jnp.any(x > 95, 0),
        squares=lambda x: jnp.max(x[:10, :130].reshape(5, 2, 65, 2), axis=(1, 3)),
        threes=lambda x: jnp.min(x[:9, :129].reshape(9, 43, 3), axis=2),
        short_rows=lambda x: jnp.max(x[:, :126].reshape(11, 9, 14), axis=1),
        interleaved=lambda x: jnp.stack([x, x[::-1]], 2).reshape(11, -1),
    )
add(
    "rows of numbers",
    (counting(jnp.float32, 11, 131), counting(jnp.int32, 11, 131)),
    sum_backwards=lambda x, n: jnp.sum(x * x[:, ::-1], axis=1),
    index_backwards=lambda x, n: jnp.argmax(x[:, ::-1], 1).astype(jnp.int32),
    sum_of_squares=lambda x, n: jnp.sum(x[:10, :130].reshape(5, 2, 65, 2), axis=(1, 3)),
    short_sums=lambda x, n: jnp.sum(x[:, :126].reshape(11, 9, 14), axis=1),
    take_backwards=lambda x, n: x[::-1] + n[:, ::-1].astype(jnp.float32),
)

add(
    "reductions of NaN",
    (edges(jnp.float32).reshape(2, 8),),
    maximum=lambda x: jnp.max(x, 1),
    minimum=lambda x: jnp.min(x, 0),
    argmax=lambda x: jnp.argmax(x, 1),
    argmin=lambda x: jnp.argmin(x, 0),
)
add(
    "reductions of bools",
    (counting(jnp.int32, 8, 16) % 3 == 0,),
    any=lambda x: jnp.any(x, 1),
    all=lambda x: jnp.all(x, 0),
    count=lambda x: jnp.sum(x, 1),
)

for t in (jnp.float32, jnp.bfloat16, jnp.float16):
    x = smooth(t, -1.0, 1.0)
    add(
        f"dot {name_of(t)}",
        (x, x[::-1].copy()),
        rows=lambda a, b: lax.dot_general(a, b, (((1,), (1,)), ((), ()))),
        columns=lambda a, b: lax.dot_general(a, b, (((0,), (0,)), ((), ())), preferred_element_type=jnp.float32),
        plain=lambda a, b: jnp.dot(a, b.T, preferred_element_type=jnp.float32),
        vector=lambda a, b: a @ b[0],
        precise=lambda a, b: jnp.dot(a, b.T, precision="highest"),
    )
add(
    "dot of integers",
    (counting(jnp.int8, 8, 128), counting(jnp.uint8, 128, 16)),
    wide=lambda a, b: lax.dot(a, b.astype(jnp.int8), preferred_element_type=jnp.int32),
    unsigned=lambda a, b: lax.dot(b.T, b, preferred_element_type=jnp.uint32),
)
NOTHING = (((), ()), ((), ()))
for t in (jnp.float32, jnp.bfloat16, jnp.int8):
    add(
        f"dot of scalars {name_of(t)}",
        (counting(t, 8, 128),),
        scalars=lambda x: lax.dot_general(x[1, 2], x[0, 4], NOTHING)[None],
        left=lambda x: lax.dot_general(x[1, 2], x, NOTHING, preferred_element_type=jnp.float32),
        right=lambda x: lax.dot_general(x, x[1, 2], NOTHING),
        outer=lambda x: lax.dot_general(x[1], x[2], NOTHING),
        all=lambda x: lax.dot_general(x, x, (((0, 1), (0, 1)), ((), ())), preferred_element_type=jnp.float32)[None],
    )

NAN_SIGNS = np.array([0.0, -0.0, 1.0, -1.0, math.nan, -math.nan, math.inf, -math.inf], np.float32)
add(
    "total order",
    tuple(np.meshgrid(NAN_SIGNS, NAN_SIGNS)),
    eq_to=lambda x, y: lax_internal.eq_to_p.bind(x, y),
    le_to=lambda x, y: lax_internal.le_to_p.bind(x, y),
    lt_to=lambda x, y: lax_internal.lt_to_p.bind(x, y),
)
add(
    "updates of values",
    (counting(jnp.float32, 8, 128), np.array([3], np.int32)),
    column=lambda x, i: x.at[:, 5].set(x[:, 0]),
    columns=lambda x, i: jnp.zeros_like(x).at[:, 0].set(x[:, 1]).at[:, 2:].set(x[:, 1:-1]).at[:, -1].add(x[:, 3]),
    row=lambda x, i: x.at[i[0]].multiply(2.0),
    row_outside=lambda x, i: x.at[i[0] + 100].set(7.0),
    row_from_end=lambda x, i: x.at[-1].set(7.0),
    row_clipped=lambda x, i: x.at[i[0] + 100].set(7.0, mode="clip"),
    element=lambda x, i: x.at[i[0], 9].max(500.0),
    applied=lambda x, i: x.at[i[0]].apply(lambda v: v * v + 1),
    applied_twice=lambda x, i: x.at[jnp.stack([i[0], i[0], i[0] + 2])].apply(lambda v: v * v + 1),
    applied_outside=lambda x, i: x.at[i[0] + 100].apply(lambda v: v * v + 1),
    named=lambda x, i: checkpoint_name(x + 1, "sum"),
    tied=lambda x, i: lax_internal.tie_p.bind(x + 1, x * 2),
)

BATCHES = {
    "first": ((2, 8, 16), (2, 16, 8), (((2,), (1,)), ((0,), (0,)))),
    "last": ((8, 16, 2), (16, 8, 2), (((1,), (0,)), ((2,), (2,)))),
    "mixed": ((8, 2, 16), (2, 16, 8), (((2,), (1,)), ((1,), (0,)))),
    "two": ((2, 3, 8, 16), (3, 2, 16, 8), (((3,), (2,)), ((0, 1), (1, 0)))),
    "two apart": ((2, 8, 3, 16), (16, 3, 2, 8), (((3,), (0,)), ((0, 2), (2, 1)))),
    "only": ((2, 4), (2, 4), (((), ()), ((0, 1), (0, 1)))),
    "outer": ((2, 4), (2, 5), (((), ()), ((0,), (0,)))),
    "rows": ((2, 8, 16), (2, 16), (((2,), (1,)), ((0,), (0,)))),
    "contracts two": ((4, 8, 16), (16, 8, 5), (((1, 2), (1, 0)), ((), ()))),
    "contracts all": ((4, 8), (4, 8), (((0, 1), (0, 1)), ((), ()))),
    "odd": ((3, 7, 13), (3, 13, 5), (((2,), (1,)), ((0,), (0,)))),
    "free": ((2, 3, 4, 16), (2, 5, 16, 2), (((3,), (2,)), ((0,), (0,)))),
}
DOT_TYPES = (
    (jnp.float32, jnp.float32, None),
    (jnp.bfloat16, jnp.bfloat16, jnp.float32),
    (jnp.bfloat16, jnp.float32, jnp.float32),
    (jnp.int8, jnp.int8, jnp.int32),
    (jnp.int8, jnp.uint8, jnp.int32),
    (jnp.int8, jnp.float32, jnp.float32),
    (jnp.int32, jnp.int32, jnp.float32),
    (jnp.uint8, jnp.uint8, jnp.uint8),
)
for lhs, rhs, preferred in DOT_TYPES:
    for batch, (left_shape, right_shape, numbers) in BATCHES.items():
        dot_general = functools.partial(lax.dot_general, dimension_numbers=numbers, preferred_element_type=preferred)
        operands = (counting(lhs, *left_shape), counting(rhs, *right_shape)[..., ::-1].copy())
        add(f"dot of {name_of(lhs)} and {name_of(rhs)}, {batch}", operands, dot=dot_general)
add(
    "dot algorithms",
    (smooth(jnp.float32, -1.0, 1.0),),
    rounded=lambda x: lax.dot_general(x, x, (((1,), (1,)), ((), ())), precision=lax.DotAlgorithmPreset.BF16_BF16_F32),
    whole=lambda x: lax.dot_general(x, x, (((1,), (1,)), ((), ())), precision=lax.DotAlgorithmPreset.F32_F32_F32),
)

for t in (jnp.float32, jnp.bfloat16, jnp.int32, jnp.uint8):
    add(
        f"sort {name_of(t)}",
        (np.random.RandomState(0).permutation(edges(t)).reshape(2, 8), counting(jnp.int32, 2, 8) % 3),
        rows=lambda x, k: jnp.sort(x, 1),
        columns=lambda x, k: jnp.sort(x, 0),
        indices=lambda x, k: jnp.argsort(x, 1),
        descending=lambda x, k: jnp.sort(x, 1, descending=True),
        by_key=lambda x, k: lax.sort((k, x), dimension=1, num_keys=1)[1],
        by_two_keys=lambda x, k: lax.sort((k, x, k), dimension=1, num_keys=2)[2],
        largest=lambda x, k: lax.top_k(x, 3)[1],
    )
    add(
        f"indexed {name_of(t)}",
        (counting(t, 8, 16), np.array([3, 1, 0, 1], np.int32), np.array([2, 99, -99], np.int32)),
        rows=lambda x, i, j: x[i],
        columns=lambda x, i, j: jnp.take(x, i, axis=1),
        clipped=lambda x, i, j: jnp.take(x, j, axis=1, mode="clip"),
        filled=lambda x, i, j: jnp.take(x, j, axis=0, mode="fill", fill_value=7),
        pairs=lambda x, i, j: x[i[:, None], i[None, :]],
        along=lambda x, i, j: jnp.take_along_axis(x, jnp.broadcast_to(i[:, None], (4, 16)), axis=0),
        set=lambda x, i, j: x.at[i[:3]].set(jnp.asarray(1, x.dtype)),
        add=lambda x, i, j: x.at[i].add(jnp.asarray(1, x.dtype)),
        add_columns=lambda x, i, j: x.at[:, i].add(jnp.asarray(2, x.dtype)),
        largest=lambda x, i, j: x.at[i, i].max(jnp.asarray(5, x.dtype)),
        dropped=lambda x, i, j: x.at[j].min(jnp.asarray(1, x.dtype), mode="drop"),
        twice=lambda x, i, j: x.at[i].add(x[:4]).at[:, i].multiply(x[:, :4]),
        in_loop=lambda x, i, j: lax.fori_loop(0, 4, lambda k, c: c.at[k].set(c[7 - k]).at[:, k].add(c[:, 0]), x),
        nonzero=lambda x, i, j: jnp.nonzero(i, size=4)[0],
    )
add(
    "random",
    (np.array([1, 2], np.uint32),),
    uniform=lambda k: jax.random.uniform(jax.random.wrap_key_data(k), (8, 16)),
    normal=lambda k: jax.random.normal(jax.random.fold_in(jax.random.wrap_key_data(k), 3), (8, 16)),
    integers=lambda k: jax.random.randint(jax.random.split(jax.random.wrap_key_data(k))[1], (8, 16), 0, 100),
)

add(
    "complex numbers",
    (smooth(jnp.float32, -1.0, 1.0), smooth(jnp.float32, 2.0, 3.0)),
    parts=lambda x, y: lax.complex(x, y * 2).real + lax.complex(x, y).imag,
    arithmetic=lambda x, y: jnp.abs(lax.complex(x, y) * lax.complex(y, x) - jnp.conj(lax.complex(x, y)) / y),
    from_real=lambda x, y: jnp.imag((x.astype(jnp.complex64) + 1j) * 2),
    exponential=lambda x, y: jnp.real(jnp.exp(lax.complex(x, y))),
)

COUNTS = np.array([3, 0, -1, 9], np.int32)
add(
    "control",
    (smooth(jnp.float32, -1.0, 1.0), COUNTS),
    cond=lambda x, n: lax.cond(n[0] > 2, jnp.sin, jnp.cos, x),
    switch=lambda x, n: lax.switch(n[1], [jnp.sin, jnp.cos, jnp.tanh], x),
    switch_below=lambda x, n: lax.switch(n[2], [jnp.sin, jnp.cos, jnp.tanh], x),
    switch_above=lambda x, n: lax.switch(n[3], [jnp.sin, jnp.cos, jnp.tanh], x),
    fori=lambda x, n: lax.fori_loop(0, n[0], lambda i, v: v * 2 + i, x),
    fori_empty=lambda x, n: lax.fori_loop(5, n[0], lambda i, v: v * 2 + i, x),
    fori_static=lambda x, n: lax.fori_loop(1, 6, lambda i, v: v * 0.5 + i, x),
    fori_counter=lambda x, n: x + lax.while_loop(lambda c: c < n[0], lambda c: c + 1, jnp.int32(1)),
    unrolled=lambda x, n: lax.fori_loop(0, 4, lambda i, v: v + i, x, unroll=True),
    while_tensor=lambda x, n: lax.while_loop(lambda v: jnp.max(v) > -8.0, lambda v: v - 1.0, x),
    while_=lambda x, n: lax.while_loop(lambda v: v[0, 0] > -8.0, lambda v: v - 1.0, x),
    scan=lambda x, n: lax.scan(lambda c, row: (c + row, c * row), x[0], x)[1],
    scan_reverse=lambda x, n: lax.scan(lambda c, row: (c + row, c * row), x[0], x, reverse=True)[1],
    map_=lambda x, n: lax.map(lambda row: row * 2 + 1, x),
    nested=lambda x, n: jax.jit(jax.checkpoint(lambda v: jnp.sin(v) * n[0]))(x),
    platform=lambda x, n: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos),
)


def make_call(rows: list[Row]) -> Callable[..., list[Any]]:
    """Returns a function of a group's arguments that calls one kernel of all its rows."""
    args = rows[0][3]
    shapes = [jax.eval_shape(function, *args) for _, _, function, _ in rows]

    def kernel(*refs: Any) -> None:
        values = [ref[...] for ref in refs[: len(args)]]
        for (_, _, function, _), ref in zip(rows, refs[len(args) :], strict=True):
            ref[...] = function(*values)

    return lambda *a: pl.pallas_call(kernel, out_shape=shapes)(*a)


def call(rows: list[Row]) -> list[np.ndarray]:
    """Runs the rows of a group in one kernel."""
    return [np.asarray(r) for r in jax.jit(make_call(rows))(*rows[0][3])]


def main() -> None:
    groups: dict[str, list[Row]] = {}
    for row in ROWS:
        groups.setdefault(row[0], []).append(row)
    wanted = sys.argv[1:]
    passed = 0
    for group, rows in groups.items():
        if wanted and not any(w in group for w in wanted):
            continue
        want = jax.jit(lambda *args, rows=rows: [function(*args) for _, _, function, _ in rows])(*rows[0][3])
        try:
            with gridir.installed():
                got = call(rows)
        except Exception as error:
            print(f"{group}: {error}")
            continue
        for (_, name, _, _), result, reference in zip(rows, got, want, strict=True):
            problem = difference(result, np.asarray(reference))
            if problem:
                print(f"{group}: {name}: {problem}")
            passed += problem is None
    print(f"{passed} of {len(ROWS)} rows equal XLA's")
    if passed != len(ROWS) and not wanted:
        sys.exit(1)


# CHECK: rows equal XLA's
if __name__ == "__main__":
    main()

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One small kernel for each operation that JAX has words for, with each dtype and a few shapes.

A kernel loads its blocks, applies a function and stores the result: what is measured is that function. The families are
products of operations, dtypes and shapes, and nothing is left out for being refused.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

Function = Callable[..., Any]

FLOATS = ("float32", "bfloat16")
INTEGERS = ("int32", "uint32", "int16", "uint16", "int8", "uint8")
WIDE = ("float32", "bfloat16", "int32", "int8")
CONVERTED = (*FLOATS, *INTEGERS, "float8_e4m3fn", "float8_e5m2", "int4", "uint4", "bool")


@dataclasses.dataclass(frozen=True)
class Operation:
    """One kernel.

    Attributes:
      family: the family of the operation: "unary", "conversion" and so on.
      name: the operation, its dtypes and shapes.
      body: a function of the arrays, or, where `out` is given, of a Ref and the Ref of the result.
      operands: shapes and dtypes.
      out: the result of a function of Refs.
      are_scalars: whether operands and result are arrays in SMEM, of whose only elements the body is a function.
    """

    family: str
    name: str
    body: Function
    operands: tuple[jax.ShapeDtypeStruct, ...]
    out: jax.ShapeDtypeStruct | None = None
    are_scalars: bool = False

    def make(self) -> tuple[Function, tuple[jax.ShapeDtypeStruct, ...]]:
        """Returns a call of the kernel and its arguments.

        Raises:
          TypeError, ValueError: JAX does not apply the operation to such operands, on whatever device.
        """
        at = 0 if self.are_scalars else ...

        def kernel(*refs: Any) -> None:
            *xs, o_ref = refs
            o_ref[at] = self.body(*(x[at] for x in xs))

        spec = pl.BlockSpec(memory_space=pltpu.SMEM if self.are_scalars else pltpu.VMEM)
        call = pl.pallas_call(
            kernel if self.out is None else self.body,
            in_specs=[spec] * len(self.operands),
            out_specs=spec,
            out_shape=self.out or jax.eval_shape(self.body, *self.operands),
        )
        return call, self.operands


def _array(shape: Sequence[int], dtype: str) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(tuple(shape), jnp.dtype(dtype))


def _of(family: str, bodies: dict[str, Function], dtypes: Sequence[str], *shapes: Sequence[int]) -> Iterator[Operation]:
    """Each function of arrays of one dtype, with each dtype."""
    for (name, body), dtype in itertools.product(bodies.items(), dtypes):
        operands = tuple(_array(shape, dtype) for shape in shapes)
        dims = ", ".join("x".join(map(str, shape)) for shape in shapes[:1])
        yield Operation(family, f"{name} {dtype} {dims}", body, operands)


# Element by element --------------------------------------------------------------------------------------------------

UNARY = {
    name: getattr(lax, name)
    for name in (
        *("neg", "abs", "sign", "floor", "ceil", "round", "exp", "exp2", "expm1", "log", "log1p", "sqrt", "rsqrt"),
        *("cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *("logistic", "erf", "erfc", "erf_inv", "lgamma", "digamma", "is_finite", "square", "reciprocal"),
    )
}
UNARY |= {
    "round to even": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
    "trunc": jnp.trunc,
    "isnan": jnp.isnan,
    "isinf": jnp.isinf,
    "signbit": jnp.signbit,
    "nan_to_num": jnp.nan_to_num,
    "power of 3": lambda x: lax.integer_pow(x, 3),
    "power of -2": lambda x: lax.integer_pow(x, -2),
    "power of 2.5": lambda x: x**2.5,
    "relu": jax.nn.relu,
    "gelu": jax.nn.gelu,
    "exact gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "silu": jax.nn.silu,
    "softplus": jax.nn.softplus,
    "elu": jax.nn.elu,
    "log_sigmoid": jax.nn.log_sigmoid,
    "hard_swish": jax.nn.hard_swish,
    "mish": jax.nn.mish,
    "approximate reciprocal": lambda x: pl.reciprocal(x, approx=True),
    "degrees": jnp.degrees,
    "sinc": jnp.sinc,
    "divided by 3": lambda x: x / 3,
    "modulo 1": lambda x: x % 1,
    "floor of a third": lambda x: x // 3,
    "clip": lambda x: jnp.clip(x, -1, 1),
}
UNARY_INTEGER = {
    "neg": lax.neg,
    "abs": lax.abs,
    "sign": lax.sign,
    "not": lax.bitwise_not,
    "population_count": lax.population_count,
    "clz": lax.clz,
    "power of 3": lambda x: lax.integer_pow(x, 3),
    "plus 1": lambda x: x + 1,
    "times 3": lambda x: x * 3,
    "clip": lambda x: jnp.clip(x, 2, 9),
    "is positive": lambda x: x > 0,
    "shifted by 1": lambda x: x << 1,
    "halved": lambda x: x >> 1,
    "div by 7": lambda x: lax.div(x, jnp.asarray(7, x.dtype)),
    "rem of 7": lambda x: lax.rem(x, jnp.asarray(7, x.dtype)),
    "floor of an eighth": lambda x: x // 8,
    "modulo 8": lambda x: x % 8,
    "modulo 7": lambda x: x % 7,
}
COMPARISONS = {name: getattr(lax, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
BINARY = {
    name: getattr(lax, name) for name in ("add", "sub", "mul", "div", "rem", "max", "min", "pow", "atan2", "nextafter")
}
BINARY |= COMPARISONS | {
    "floor_divide": jnp.floor_divide,
    "modulo": jnp.mod,
    "hypot": jnp.hypot,
    "logaddexp": jnp.logaddexp,
    "copysign": jnp.copysign,
    "where positive": lambda x, y: jnp.where(x > 0, x, y),
}
BINARY_INTEGER = {
    name: getattr(lax, name)
    for name in (
        *("add", "sub", "mul", "div", "rem", "max", "min", "bitwise_and", "bitwise_or", "bitwise_xor"),
        *("shift_left", "shift_right_logical", "shift_right_arithmetic"),
    )
}
BINARY_INTEGER |= COMPARISONS | {
    "floor_divide": jnp.floor_divide,
    "modulo": jnp.mod,
    "where positive": lambda x, y: jnp.where(x > 0, x, y),
}
BOOLEAN = {
    "not": lambda x, y: jnp.logical_not(x),
    "and": jnp.logical_and,
    "or": jnp.logical_or,
    "xor": jnp.logical_xor,
    "eq": lambda x, y: x == y,
    "select": lambda x, y: jnp.where(x, y, ~y),
}
SHAPE = (64, 256)


def _elementwise() -> Iterator[Operation]:
    yield from _of("unary", UNARY, FLOATS, SHAPE)
    yield from _of("unary of integers", UNARY_INTEGER, INTEGERS, SHAPE)
    yield from _of("binary", BINARY, FLOATS, SHAPE, SHAPE)
    yield from _of("binary of integers", BINARY_INTEGER, INTEGERS, SHAPE, SHAPE)
    yield from _of("of bools", BOOLEAN, ("bool",), SHAPE, SHAPE)


def _scalars() -> Iterator[Operation]:
    """The same on numbers in SMEM."""
    for family, bodies, dtypes, count in (
        ("unary", UNARY, ("float32",), 1),
        ("unary", UNARY_INTEGER, ("int32", "uint32"), 1),
        ("binary", BINARY, ("float32",), 2),
        ("binary", BINARY_INTEGER, ("int32", "uint32"), 2),
    ):
        for (name, body), dtype in itertools.product(bodies.items(), dtypes):
            operands = (_array((1,), dtype),) * count
            yield Operation(f"{family} of a scalar", f"scalar {name} {dtype}", body, operands, are_scalars=True)


def _conversions() -> Iterator[Operation]:
    for source, target in itertools.permutations(CONVERTED, 2):
        body = lambda x, target=target: x.astype(target)  # noqa: E731
        yield Operation("conversion", f"{source} to {target}", body, (_array(SHAPE, source),))


def _bitcasts() -> Iterator[Operation]:
    dtypes = (*FLOATS, *INTEGERS, "float8_e4m3fn")
    for source, target in itertools.permutations(dtypes, 2):
        body = lambda x, target=target: pltpu.bitcast(x, jnp.dtype(target))  # noqa: E731
        yield Operation("bitcast", f"pltpu.bitcast {source} to {target}", body, (_array(SHAPE, source),))
        if jnp.dtype(source).itemsize == jnp.dtype(target).itemsize:
            body = lambda x, target=target: lax.bitcast_convert_type(x, target)  # noqa: E731
            yield Operation("bitcast", f"bitcast_convert_type {source} to {target}", body, (_array(SHAPE, source),))


# Along dimensions ----------------------------------------------------------------------------------------------------


def _reductions() -> Iterator[Operation]:
    names = ("sum", "max", "min", "prod", "mean", "argmax", "argmin")
    for name, axis, dtype in itertools.product(names, (0, 1, None), (*FLOATS, *INTEGERS)):
        if (name.startswith("arg") and axis is None) or (name == "mean" and dtype not in FLOATS):
            continue
        function = getattr(jnp, name)

        def body(x: Any, function: Function = function, axis: Any = axis) -> Any:
            result = function(x, axis=axis, keepdims=True)
            return jnp.broadcast_to(result, x.shape)

        where = "everything" if axis is None else f"axis {axis}"
        yield Operation("reduction", f"{name} {dtype} {where}", body, (_array(SHAPE, dtype),))
    for name, axis in itertools.product(("any", "all"), (0, 1)):
        body = lambda x, name=name, axis=axis: jnp.broadcast_to(  # noqa: E731
            getattr(jnp, name)(x > 0, axis=axis, keepdims=True), x.shape
        )
        yield Operation("reduction", f"{name} axis {axis}", body, (_array(SHAPE, "float32"),))
    cumulative = {name: getattr(lax, name) for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")}
    for (name, function), axis in itertools.product(cumulative.items(), (0, 1)):
        body = lambda x, function=function, axis=axis: function(x, axis=axis)  # noqa: E731
        yield Operation("reduction", f"{name} float32 axis {axis}", body, (_array((8, 128), "float32"),))
    three = {f"sum of axis {axis} of three": lambda x, axis=axis: jnp.sum(x, axis) for axis in range(3)}
    three |= {f"max of axes {axes} of three": lambda x, axes=axes: jnp.max(x, axes) for axes in ((0, 1), (0, 2))}
    yield from _of("reduction", three, FLOATS, (8, 16, 128))
    yield from _of("reduction", {"softmax": jax.nn.softmax, "logsumexp": _logsumexp, "var": _variance}, FLOATS, SHAPE)


def _logsumexp(x: Any) -> Any:
    return jax.nn.logsumexp(x, axis=-1, keepdims=True) + x


def _variance(x: Any) -> Any:
    return jnp.var(x, axis=-1, keepdims=True) + x


# Movement ------------------------------------------------------------------------------------------------------------

MOVEMENTS: dict[str, Function] = {
    "transpose": lambda x: x.T,
    "transposed square": lambda x: x[:, :64].T,
    "reverse rows": lambda x: jnp.flip(x, 0),
    "reverse lanes": lambda x: jnp.flip(x, 1),
    "slice of rows": lambda x: x[8:24],
    "slice of odd rows": lambda x: x[3:13],
    "slice of lanes": lambda x: x[:, 128:],
    "slice of odd lanes": lambda x: x[:, 5:133],
    "every other row": lambda x: x[::2],
    "every other lane": lambda x: x[:, ::2],
    "concatenate rows": lambda x: jnp.concatenate([x, x], 0),
    "concatenate lanes": lambda x: jnp.concatenate([x, x], 1),
    "concatenate odd rows": lambda x: jnp.concatenate([x[:3], x[:5]], 0),
    "concatenate odd lanes": lambda x: jnp.concatenate([x[:, :100], x[:, :28]], 1),
    "stack": lambda x: jnp.stack([x, x]),
    "pad rows": lambda x: jnp.pad(x, ((8, 8), (0, 0))),
    "pad lanes": lambda x: jnp.pad(x, ((0, 0), (128, 0))),
    "pad by one": lambda x: jnp.pad(x, 1),
    "repeat rows": lambda x: jnp.repeat(x[:8], 2, 0),
    "repeat lanes": lambda x: jnp.repeat(x[:8, :128], 2, 1),
    "tile rows": lambda x: jnp.tile(x, (2, 1)),
    "tile lanes": lambda x: jnp.tile(x, (1, 2)),
    "broadcast a row": lambda x: jnp.broadcast_to(x[:1], x.shape),
    "broadcast a column": lambda x: jnp.broadcast_to(x[:, :1], x.shape),
    "broadcast to three dimensions": lambda x: jnp.broadcast_to(x[None], (4, *x.shape)),
    "roll rows": lambda x: jnp.roll(x, 3, 0),
    "roll lanes": lambda x: jnp.roll(x, 5, 1),
    "pltpu.roll rows": lambda x: pltpu.roll(x, 3, 0),
    "pltpu.roll lanes": lambda x: pltpu.roll(x, 5, 1),
    "strided roll of rows": lambda x: pltpu.roll(x, 1, 0, stride=1, stride_axis=1),
    "strided roll of lanes": lambda x: pltpu.roll(x, 1, 1, stride=1, stride_axis=0),
    "split rows": lambda x: x.reshape(8, 8, 256),
    "split lanes": lambda x: x.reshape(64, 2, 128),
    "merge rows": lambda x: x.reshape(8, 8, 256).reshape(64, 256),
    "merge lanes": lambda x: x.reshape(32, 512),
    "add a dimension in front": lambda x: x[None],
    "add a dimension behind": lambda x: x[:, :, None],
    "swap the first two of three": lambda x: x.reshape(8, 8, 256).swapaxes(0, 1),
    "swap the last two of three": lambda x: x.reshape(8, 8, 256).swapaxes(1, 2),
    "select rows below": lambda x: jnp.tril(x),
    "diagonal": lambda x: jnp.where(jnp.eye(64, 256, dtype=bool), x, jnp.zeros_like(x)),
    "take lanes": lambda x: jnp.take_along_axis(x[:8, :128], _numbers(8, 128), axis=1),
    "take rows": lambda x: jnp.take_along_axis(x[:8, :128], _numbers(8, 128) % 8, axis=0),
    "take rows by number": lambda x: jnp.take(x, lax.iota(jnp.int32, 8) * 3 % 8, axis=0),
    "dynamic_slice": lambda x: lax.dynamic_slice(x, (jnp.int32(x[0, 0]) & 7, 0), (8, 256)),
    "dynamic_update_slice": lambda x: lax.dynamic_update_slice(x, x[:8], (8, 0)),
    "row set": lambda x: x.at[3].set(x[4]),
    "rows added": lambda x: x.at[8:16].add(x[:8]),
    "sort rows": lambda x: jnp.sort(x[:8, :128], 0),
    "sort lanes": lambda x: jnp.sort(x[:8, :128], 1),
    "top_k": lambda x: lax.top_k(x[:8, :128], 2)[0],
    "iota of rows": lambda x: x + lax.broadcasted_iota(x.dtype, x.shape, 0),
    "iota of lanes": lambda x: x + lax.broadcasted_iota(x.dtype, x.shape, 1),
    "full": lambda x: jnp.full_like(x, 3),
}


def _numbers(*shape: int) -> Any:
    return lax.broadcasted_iota(jnp.int32, shape, len(shape) - 1)


def _copy(read: Function, write: Function) -> Function:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        write(o_ref, read(x_ref))

    return kernel


def _mask(dtype: Any = None) -> Any:
    return _numbers(8, 256) < 77


def _accesses() -> Iterator[Operation]:
    """Yields accesses to Refs."""

    def store(o_ref: Any, x: Any) -> None:
        o_ref[...] = x

    reads: dict[str, tuple[Function, tuple[int, ...]]] = {
        "read rows": (lambda r: r[8:16], (8, 256)),
        "read odd rows": (lambda r: r[3:11], (8, 256)),
        "read one row": (lambda r: r[5:6], (1, 256)),
        "read a row as a vector": (lambda r: r[5], (256,)),
        "read lanes": (lambda r: r[:, 128:], (64, 128)),
        "read odd lanes": (lambda r: r[:, 3:131], (64, 128)),
        "read every other row": (lambda r: r[pl.ds(0, 32, 2), :], (32, 256)),
        "read every fourth row": (lambda r: r[pl.ds(1, 16, 4), :], (16, 256)),
        "read through reshape": (lambda r: r.reshape(8, 8, 256)[2], (8, 256)),
        "read through at": (lambda r: r.at[16:32][8:16], (8, 256)),
        "masked load": (lambda r: pltpu.load(r.at[0:8], mask=_mask()), (8, 256)),
        "read rows by a loop's number": (_row_sums, (8, 256)),
    }
    writes: dict[str, Function] = {
        "write odd rows": lambda o, x: o.__setitem__(slice(3, 11), x[:8]),
        "write one row": lambda o, x: o.__setitem__(slice(5, 6), x[:1]),
        "write odd lanes": lambda o, x: o.__setitem__((slice(None), slice(3, 131)), x[:, :128]),
        "write every other row": lambda o, x: o.__setitem__((pl.ds(0, 32, 2), slice(None)), x[:32]),
        "masked store": lambda o, x: pltpu.store(o.at[0:8], x[:8], mask=_mask()),
        "add to rows": lambda o, x: o.at[8:16].__setitem__(..., o[8:16] + x[:8]),
        "swap": lambda o, x: o.__setitem__(..., pl.swap(o, ..., x) if hasattr(pl, "swap") else x),
        "write under a condition": lambda o, x: pl.when(x[0, 0] > 0)(lambda: o.__setitem__(..., x)),
        "write in a loop": _write_rows,
    }
    for (name, (read, shape)), dtype in itertools.product(reads.items(), WIDE):
        out = _array(shape, dtype)
        yield Operation("access", f"{name} {dtype}", _copy(read, store), (_array(SHAPE, dtype),), out=out)
    for (name, write), dtype in itertools.product(writes.items(), WIDE):
        body = _copy(lambda r: r[...], write)
        yield Operation("access", f"{name} {dtype}", body, (_array(SHAPE, dtype),), out=_array(SHAPE, dtype))


def _row_sums(ref: Any) -> Any:
    def add(i: Any, total: Any) -> Any:
        return total + ref[pl.ds(pl.multiple_of(i * 8, 8), 8), :]

    return lax.fori_loop(0, 8, add, jnp.zeros((8, 256), ref.dtype))


def _write_rows(ref: Any, x: Any) -> None:
    @pl.loop(0, 8)
    def _(i: Any) -> None:
        ref[pl.ds(pl.multiple_of(i * 8, 8), 8), :] = x[:8]


def _products() -> Iterator[Operation]:
    sums = {"float32": "float32", "bfloat16": "float32", "int8": "int32", "float8_e4m3fn": "float32"}
    numbers: dict[str, tuple[Any, tuple[int, ...], tuple[int, ...]]] = {
        "x y": ((((1,), (0,)), ((), ())), (64, 128), (128, 256)),
        "x y^T": ((((1,), (1,)), ((), ())), (64, 128), (256, 128)),
        "x^T y": ((((0,), (0,)), ((), ())), (128, 64), (128, 256)),
        "x y of odd sizes": ((((1,), (0,)), ((), ())), (40, 72), (72, 200)),
        "batch": ((((2,), (1,)), ((0,), (0,))), (4, 32, 128), (4, 128, 128)),
        "batch of x y^T": ((((2,), (2,)), ((0,), (0,))), (4, 32, 128), (4, 32, 128)),
        "row": ((((1,), (0,)), ((), ())), (1, 128), (128, 256)),
    }
    for (name, (dims, lhs, rhs)), dtype in itertools.product(numbers.items(), sums):
        body = lambda x, y, dims=dims, out=sums[dtype]: lax.dot_general(  # noqa: E731
            x, y, dims, preferred_element_type=jnp.dtype(out)
        )
        yield Operation("product", f"{name} {dtype}", body, (_array(lhs, dtype), _array(rhs, dtype)))
    for precision in ("highest", "high"):
        body = lambda x, y, precision=precision: jnp.dot(x, y, precision=precision)  # noqa: E731
        yield Operation("product", f"precision {precision}", body, (_array((128, 128), "float32"),) * 2)


def _control() -> Iterator[Operation]:
    bodies: dict[str, Function] = {
        "loop": lambda x: lax.fori_loop(0, 10, lambda i, y: y * 0.5 + x, x),
        "unrolled loop": lambda x: lax.fori_loop(0, 8, lambda i, y: y * 0.5 + x, x, unroll=True),
        "loop with the index": lambda x: lax.fori_loop(0, 10, lambda i, y: y + i.astype(x.dtype), x),
        "while": lambda x: lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * x), (jnp.int32(0), x))[1],
        "while on data": lambda x: lax.while_loop(lambda y: y[0, 0] < 5, lambda y: y + 1, x),
        "cond": lambda x: lax.cond(x[0, 0] > 0, lambda: x + 1, lambda: x * 2),
        "switch": lambda x: lax.switch(
            x[0, 0].astype(jnp.int32), [lambda: x + 1, lambda: x * 2, lambda: x - 3, lambda: x]
        ),
        "scan": lambda x: lax.scan(lambda c, _: (c * 0.5 + x, None), x, None, length=4)[0],
        "polynomial": lambda x: ((x + 2) * x + 3) * x + 4,
        "sum of a scalar": lambda x: x + jnp.sum(x[:8]),
        "scalar of a vector": lambda x: x * x[0, 3],
        "minimum of a row": lambda x: x - jnp.min(x, 1, keepdims=True),
    }
    for name, body in bodies.items():
        yield Operation("control", name, body, (_array((64, 256), "float32"),))
    random = {
        "random bits": lambda x: pltpu.prng_random_bits(x.shape),
        "uniform": lambda x: pltpu.stateful_uniform(shape=x.shape, dtype=jnp.float32),
        "normal": lambda x: pltpu.stateful_normal(shape=x.shape, dtype=jnp.float32),
    }
    for name, draw in random.items():

        def seeded(x: Any, draw: Function = draw) -> Any:
            pltpu.prng_seed(3)
            return draw(x)

        yield Operation("control", name, seeded, (_array((8, 128), "float32"),))


def _is_program(operation: Operation) -> bool:
    try:
        operation.make()
    except (TypeError, ValueError):
        return False
    return True


def operations() -> list[Operation]:
    """Returns all kernels, in the order of the table, without those that no device could run."""
    families = (_elementwise(), _scalars(), _conversions(), _bitcasts(), _reductions())
    movements = (_of("movement", MOVEMENTS, (*WIDE, "int16", "int4"), SHAPE), _accesses(), _products(), _control())
    found = [operation for operation in itertools.chain(*families, *movements) if _is_program(operation)]
    names = [operation.name for operation in found]
    assert len(set(names)) == len(names), "expected a name for each kernel"
    return found

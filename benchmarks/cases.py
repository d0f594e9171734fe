# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that are timed, each with its shapes, its blocks and the plain JAX program that computes the same.

Shapes and blocks are those that a kernel's author would write; they are fixed, and never chosen for a ratio.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import pathlib
from collections.abc import Callable
from typing import Any

import function_cases
import jax
import jax.numpy as jnp
import kernels
import layer_kernels as layers
import more_kernels as more

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
MASKED = "XLA computes the masked half too"
PADDED = "XLA pads inside its program, ours in one before the kernel"


@dataclasses.dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes:
      name: the row's name; that of the file for an example.
      kernel: a function that calls `pallas_call`.
      reference: the same mathematics in `jax.numpy`, as XLA compiles it.
      args: makes the arguments.
      tolerance: how far results may be apart, relative to the largest one.
      difference: how the work of the two programs differs; empty where they do equal work.
      donate: the argument whose memory the result may take, on both sides.
      is_example: whether it is one of `examples/`, at its own sizes.
    """

    name: str
    kernel: Callable[..., Any]
    reference: Callable[..., Any]
    args: Callable[[], tuple[Any, ...]]
    tolerance: float = 1e-5
    difference: str = ""
    donate: int | None = None
    is_example: bool = False


def _normal(*shape: int, dtype: Any = jnp.float32, seed: int = 0) -> jax.Array:
    return jax.random.normal(jax.random.key(seed), shape, dtype)


def _integers(*shape: int, seed: int = 0) -> jax.Array:
    return jax.random.randint(jax.random.key(seed), shape, -128, 128, jnp.int8)


def _softmax(x):
    return jax.nn.softmax(x, axis=-1)


def _layer_norm(x, scale, bias):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    centred = x - mean
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + 1e-6) * scale + bias


def _attention(q, k, v, causal):
    scores = jnp.einsum("...qd,...kd->...qk", q * q.shape[-1] ** -0.5, k)
    if causal:
        length = q.shape[-2]
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
    return jnp.einsum("...qk,...kd->...qd", jax.nn.softmax(scores, axis=-1), v)


_causal_attention = functools.partial(_attention, causal=True)


def _stencil(x):
    padded = jnp.pad(x, 1, mode="edge")
    return 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]


def _dot(x, y, accumulator=jnp.float32, result=None):
    return jnp.dot(x, y, preferred_element_type=accumulator).astype(result or x.dtype)


# The equivalent in `jax.numpy` of each example; a further entry is added to its row.
REFERENCES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "add": (jnp.add, {}),
    "batched_running_sum": (functools.partial(jnp.cumsum, axis=1), {}),
    "causal_attention": (_causal_attention, {"difference": MASKED, "tolerance": 1e-4}),
    "double_buffer": (lambda x: x * 3.0, {}),
    "flash_attention": (_causal_attention, {"difference": MASKED, "tolerance": 1e-4}),
    "layer_norm": (_layer_norm, {}),
    "matmul": (_dot, {"tolerance": 1e-4}),
    "matmul_bf16": (_dot, {"tolerance": 2e-2}),
    "overhang": (lambda x: x * 2.0, {}),
    "row_gather": (lambda table, rows: table[rows], {}),
    "softmax": (_softmax, {}),
    "stencil": (_stencil, {"difference": PADDED}),
    "update_in_place": (lambda rows, x: x.at[rows].add(1.0), {}),
}


def _example(name: str) -> Case:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"expected an example {name}.py in {EXAMPLES}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    reference, more = REFERENCES[name]
    return Case(name, getattr(module, name), reference, module.example_args, is_example=True, **more)


def examples() -> list[Case]:
    """Returns a row for every example, at its own sizes.

    Raises:
      KeyError: for an example that has no reference here.
    """
    return [_example(path.stem) for path in sorted(EXAMPLES.glob("*.py"))]


def larger(example: Callable[[str], Case] = _example) -> list[Case]:
    """Returns rows of larger arrays, where a call costs nothing, and of kernels that no example is."""

    def resized(name: str, row: str, args: Callable[[], tuple[Any, ...]], **changes: Any) -> Case:
        return dataclasses.replace(example(name), name=row, args=args, is_example=False, **changes)

    def square(dtype: Any = jnp.float32) -> tuple[jax.Array, jax.Array]:
        return _normal(1024, 1024, dtype=dtype), _normal(1024, 1024, dtype=dtype, seed=1)

    def tall() -> tuple[jax.Array]:
        return (_normal(4096, 2048),)

    def pair() -> tuple[jax.Array, jax.Array]:
        return _normal(4096, 2048), _normal(4096, 2048, seed=1)

    def heads() -> tuple[jax.Array, ...]:
        return tuple(_normal(1, 2048, 128, seed=i) for i in range(3))

    def some_rows() -> jax.Array:
        return jax.random.permutation(jax.random.key(1), 4096)[:1024].astype(jnp.int32)

    add_reference = lambda x, y: x * 2.0 + y  # noqa: E731
    return [
        Case("x*2+y, 8 rows", functools.partial(kernels.multiply_add, rows=8), add_reference, pair),
        Case("x*2+y, 256 rows", functools.partial(kernels.multiply_add, rows=256), add_reference, pair),
        Case("x*2+y, 8 by 128", functools.partial(kernels.multiply_add, rows=8, columns=128), add_reference, pair),
        Case("exp(x)+y", kernels.exp_add, lambda x, y: jnp.exp(x) + y, pair),
        resized("matmul", "matmul 1024", square),
        resized("matmul_bf16", "matmul bf16 1024", lambda: square(jnp.bfloat16)),
        Case(
            "matmul int8 1024",
            kernels.matmul_int8,
            functools.partial(_dot, accumulator=jnp.int32, result=jnp.int32),
            lambda: (_integers(1024, 1024), _integers(1024, 1024, seed=1)),
            0.0,
        ),
        resized("softmax", "softmax 4096x2048", tall),
        resized("layer_norm", "layer norm 4096x2048", lambda: (*tall(), _normal(2048, seed=1), _normal(2048, seed=2))),
        Case("attention 2048", kernels.attention, functools.partial(_attention, causal=False), heads, 1e-4),
        resized("causal_attention", "causal attention 2048", heads),
        resized(
            "row_gather",
            "row gather 4096x2048",
            lambda: (*tall(), jax.random.permutation(jax.random.key(1), 4096).astype(jnp.int32)),
        ),
        resized("update_in_place", "update 1024 rows, donated", lambda: (some_rows(), *tall()), donate=1),
        resized("stencil", "stencil 2^21", lambda: (_normal(1 << 21),)),
        resized("overhang", "overhang 4001x2003", lambda: (_normal(4001, 2003),)),
        Case("column sum", kernels.column_sum, lambda x: jnp.sum(x, axis=0, keepdims=True), tall, 1e-4),
        Case("row argmax", kernels.row_argmax, lambda x: jnp.argmax(x, axis=1), tall, 0.0),
        Case("transpose 2048", kernels.transpose, lambda x: x.T, lambda: (_normal(2048, 2048),)),
    ]


def further() -> list[Case]:
    """Returns rows of ten more kernels, of the kinds that models are made of."""

    def tall(dtype: Any = jnp.float32) -> jax.Array:
        return _normal(4096, 2048, dtype=dtype)

    def square() -> tuple[jax.Array, ...]:
        return _normal(1024, 1024), _normal(1024, 1024, seed=1), _normal(1024, seed=2)

    def pages() -> tuple[jax.Array, jax.Array]:
        return jax.random.permutation(jax.random.key(1), 1024)[:512].astype(jnp.int32), _normal(1024, 16, 128)

    return [
        Case("gelu", more.gelu, more.gelu_reference, lambda: (tall(),)),
        Case("row sum", more.row_sum, more.row_sum_reference, lambda: (tall(),)),
        Case("log softmax", more.log_softmax, more.log_softmax_reference, lambda: (tall(),)),
        Case(
            "RMS norm bf16",
            more.rms_norm,
            more.rms_norm_reference,
            lambda: (tall(jnp.bfloat16), _normal(2048, dtype=jnp.bfloat16, seed=1)),
            1e-2,
        ),
        Case(
            "dequantize int8",
            more.dequantize,
            more.dequantize_reference,
            lambda: (_integers(4096, 2048), _normal(2048, seed=1)),
        ),
        Case("swap heads", more.swap_heads, more.swap_heads_reference, lambda: (_normal(4096, 16, 128),), 0.0),
        Case("dense 1024", more.dense, more.dense_reference, square, 1e-4),
        Case("five points", more.five_points, more.five_points_reference, lambda: (_normal(2050, 2050),)),
        Case(
            "small grid",
            more.small_grid,
            more.small_grid_reference,
            lambda: (_normal(64, 128), _normal(64, 128, seed=1)),
            0.0,
        ),
        Case("gather pages", more.gather_pages, more.gather_pages_reference, pages, 0.0),
    ]


def small_layers() -> list[Case]:
    """Returns rows of small layers, whose kernels read each operand once."""

    def case(name: str, *args: Callable[[], jax.Array], tolerance: float = 1e-5) -> Case:
        base = name.replace(" ", "_")
        kernel, reference = getattr(layers, base), getattr(layers, f"{base}_reference")
        return Case(name, kernel, reference, lambda: tuple(arg() for arg in args), tolerance)

    def plane(seed: int = 0, dtype: Any = jnp.float32, width: int = 2048) -> Callable[[], jax.Array]:
        return lambda: _normal(4096, width, seed=seed, dtype=dtype)

    def vector(seed: int) -> Callable[[], jax.Array]:
        return lambda: _normal(2048, seed=seed)

    def words() -> jax.Array:
        return jax.random.randint(jax.random.key(0), (4096, 2048), -(1 << 15), 1 << 15, jnp.int32)

    def labels() -> jax.Array:
        return jax.random.randint(jax.random.key(3), (4096, 1), 0, 2048, jnp.int32)

    def angles(seed: int) -> Callable[[], jax.Array]:
        return lambda: _normal(4096, 64, seed=seed)

    return [
        case("add rms norm", plane(), plane(1), vector(2)),
        case("rotary", plane(width=128), angles(1), angles(2)),
        case("running sum", plane()),
        case("top one", plane(), tolerance=0.0),
        case("join", plane(width=1024), plane(1, width=1024), tolerance=0.0),
        dataclasses.replace(
            case("add", plane(0, jnp.bfloat16), plane(1, jnp.bfloat16), tolerance=0.0), name="add bf16"
        ),
        case("requantize", words, lambda: 1e-2 * _normal(2048), tolerance=0.0),
        case("masked relu", plane(), lambda: jax.random.randint(jax.random.key(1), (4096, 2048), 0, 2, jnp.int8)),
        case("batch norm", plane(), vector(1), lambda: jnp.square(_normal(2048, seed=2)), vector(3), vector(4)),
        case("outer", vector(0), vector(1)),
        case("mean pool", plane()),
        case("gated", plane(), plane(1)),
        case("log sum exp", plane()),
        case("narrow", plane(), tolerance=0.0),
        case("entropy", plane(), labels),
    ]


def cases() -> list[Case]:
    """Returns every row of the table, in order."""
    return [*examples(), *larger(), *further(), *small_layers()]


def functions() -> list[Case]:
    """Returns rows of functions that kernels apply to blocks."""
    return [
        Case(case.name, case.kernel, case.function, case.args, case.tolerance) for case in function_cases.functions()
    ]

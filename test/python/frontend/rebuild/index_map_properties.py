# RUN: %python %s | FileCheck %s
"""Index maps that nobody has thought of: what JAX computes is what their regions say, canonical or not.

A random map is written as a region, printed, parsed and traced again, once as it is and once after
`grid-canonicalize-index-maps`. For every program both have to give the numbers of JAX's own jaxpr.
"""

import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Inputs"))

import jax
import jax.numpy as jnp
import numpy as np
from gridir.frontend.compat import jax_core
from gridir.frontend.header.grid_mapping import build_kernel
from gridir.frontend.rebuild.grid_mapping import differences, rebuild_grid_mapping
from gridir.mlir import ir
from gridir.mlir.passmanager import PassManager
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from kernels import requests

X = jax.ShapeDtypeStruct((32, 256), jnp.float32)
GRID = (5, 3)
TABLE = np.array([3, 0, -1, 7, -8, 5, 2, 1], np.int32)
DTYPES = (jnp.int8, jnp.uint8, jnp.int16, jnp.uint32, jnp.int32)

BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "div": lax.div,
    "rem": lax.rem,
    "min": jnp.minimum,
    "max": jnp.maximum,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lax.shift_left,
    ">>": lax.shift_right_arithmetic,
    ">>>": lax.shift_right_logical,
}
COMPARE = {"==": lax.eq, "!=": lax.ne, "<": lax.lt, "<=": lax.le, ">": lax.gt, ">=": lax.ge}
UNARY = {
    "neg": lambda a: -a,
    "not": lambda a: ~a,
    "abs": abs,
    "sign": jnp.sign,
    "square": jnp.square,
    "clip": lambda a: jnp.clip(a, -2, 3),
    "jit": jax.jit(lambda a: (a + 1) // 2),
}

LEAVES = st.one_of(
    st.sampled_from([("id", 0), ("id", 1)]),
    st.tuples(st.just("constant"), st.one_of(st.integers(-9, 9), st.sampled_from([2**31 - 1, -(2**31), 1103515245]))),
)


def inner(children):
    dtypes = st.sampled_from(DTYPES)
    return st.one_of(
        st.tuples(st.just("binary"), st.sampled_from(sorted(BINARY)), dtypes, children, children),
        st.tuples(st.just("binary"), st.sampled_from(["//", "%", "+", "*", "div", "rem"]), dtypes, children, LEAVES),
        st.tuples(st.just("unary"), st.sampled_from(sorted(UNARY)), children),
        st.tuples(st.just("where"), st.sampled_from(sorted(COMPARE)), dtypes, *[children] * 4),
        st.tuples(st.just("cond"), st.sampled_from(sorted(COMPARE)), *[children] * 4),
        st.tuples(st.just("switch"), *[children] * 4),
        st.tuples(st.just("load"), children),
    )


TREES = st.recursive(LEAVES, inner, max_leaves=12)


def compute(tree, ids, table):
    """The number that a tree stands for, by JAX."""
    kind, *rest = tree
    number = lambda part: compute(part, ids, table)  # noqa: E731
    match kind:
        case "id":
            return ids[rest[0]]
        case "constant":
            return jnp.int32(rest[0])
        case "binary":
            name, dtype, left, right = rest
            return BINARY[name](number(left).astype(dtype), number(right).astype(dtype)).astype(jnp.int32)
        case "unary":
            return UNARY[rest[0]](number(rest[1]))
        case "where":
            name, dtype, left, right, yes, no = rest
            holds = COMPARE[name](number(left).astype(dtype), number(right).astype(dtype))
            return jnp.where(holds, number(yes), number(no))
        case "cond":
            name, left, right, yes, no = rest
            return lax.cond(COMPARE[name](number(left), number(right)), lambda: number(yes), lambda: number(no))
        case "switch":
            return lax.switch(number(rest[0]), [lambda part=part: number(part) for part in rest[1:]])
        case "load":
            return table[number(rest[0]) & 7]


def request_of(index_map):
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=GRID,
        in_specs=[pl.BlockSpec((8, 128), index_map)],
        out_specs=pl.BlockSpec((8, 128), lambda i, j, *_: (i, j)),
    )
    [request] = requests(pl.pallas_call(lambda *_: None, X, grid_spec=spec), TABLE, X)
    return request


def rebuilt(request, pipeline=None):
    """The mapping of a request after its way through text, and the text."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kernel = build_kernel(request)
        with ir.InsertionPoint(kernel.body):
            ir.Operation.create("grid.yield")
        assert module.operation.verify()
        parsed = ir.Module.parse(str(module))
        if pipeline:
            PassManager.parse(pipeline).run(parsed.operation)
        return rebuild_grid_mapping(parsed.body.operations[0]), str(parsed)


def values(mapping):
    """The indices for every program."""
    jaxpr = mapping.block_mappings[0].index_map_jaxpr
    points = itertools.product(*(map(np.int32, range(size)) for size in GRID))
    with jax.disable_jit():
        return [list(map(int, jax_core.evaluate_index_map(jaxpr, point, [TABLE]))) for point in points]


@settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(TREES, TREES)
def keeps_its_meaning(row, column):
    request = request_of(lambda i, j, table: (compute(row, (i, j), table), compute(column, (i, j), table)))
    mapping, text = rebuilt(request)
    note(text)
    assert not differences(request.grid_mapping, mapping)
    expected = values(request.grid_mapping)
    assert values(mapping) == expected
    mapping, text = rebuilt(request, "builtin.module(grid.kernel(grid-canonicalize-index-maps))")
    note(text)
    assert values(mapping) == expected


keeps_its_meaning()
# CHECK: the same numbers
print("the same numbers")

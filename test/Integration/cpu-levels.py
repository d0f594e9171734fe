# REQUIRES: x86_64
# The levels of x86-64: what this machine can run gives the same results on each, and what it cannot is compiled.
#
# RUN: %python %s %repository/examples | FileCheck %s

import functools
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
import primitives
from gridir.cli.example import load_example
from gridir.compiler.cpu import CpuOptions
from gridir.runtime.cpu import kernels
from gridir.testing import difference, interpreted

# No level has the instructions for sums of products, which CPUs have beside the last. Tiles add bf16 in an order of
# their own, and so nothing is compared with them.
WITH_TILES = "x86-64-v4 with tiles"
LEVELS = {
    WITH_TILES: CpuOptions(cpu="x86-64-v4", features="+amx-bf16,+amx-int8"),
    "x86-64-v2": CpuOptions(cpu="x86-64-v2"),
    "x86-64-v3": CpuOptions(cpu="x86-64-v3"),
    "x86-64-v4": CpuOptions(cpu="x86-64-v4"),
    "x86-64-v4 with sums of products": CpuOptions(cpu="x86-64-v4", features="+avx512bf16,+avx512vnni"),
}
REFUSED = "expected code that this machine can run, got code for"
# A level without FMA rounds the products of a contraction before it adds them.
WITHOUT_FMA = "x86-64-v2"
# Numbers that are flushed to zero on their way: sums depend on their order more than on anything else.
SMALL = "small bf16"
CONTRACTIONS = ("dot", "sums of products", "matmul", "causal_attention", "flash_attention")

Function = Callable[[], list[Any]]


def long_rows(dtype: Any) -> list[primitives.Row]:
    """Sums over more elements than there are accumulators, and over numbers of them that nothing divides."""
    generator = np.random.RandomState(0)
    arrays = tuple(jnp.asarray(generator.randn(*shape), dtype) for shape in ((4, 1000), (3, 37), (5, 8, 128)))
    functions = {
        "sum": lambda a, b, c: jnp.sum(a, 1),
        "sum_odd": lambda a, b, c: jnp.sum(b, 1),
        "sum_all": lambda a, b, c: jnp.sum(c).reshape(1),
        "product": lambda a, b, c: jnp.prod(1 + b / 8, 1),
        "softmax": lambda a, b, c: jax.nn.softmax(a),
        "few_columns": lambda a, b, c: jnp.dot(b, b.T, preferred_element_type=jnp.float32),
        "variance": lambda a, b, c: jnp.var(c, 2),
    }
    return [("dot and long rows", name, function, arrays) for name, function in functions.items()]


def narrow_products() -> dict[str, list[primitives.Row]]:
    """Contractions that instructions for sums of products do; products and sums of some floats are denormal."""
    generator = np.random.RandomState(0)

    def floats(exponents: list[int], *shape: int) -> jax.Array:
        return jnp.asarray(np.ldexp(generator.randn(*shape), generator.choice(exponents, shape)), jnp.bfloat16)

    def integers(dtype: Any, *shape: int) -> jax.Array:
        limits = jnp.iinfo(dtype)
        return jnp.asarray(generator.randint(limits.min, limits.max + 1, shape), dtype)

    int8, uint8, int16 = (functools.partial(integers, dtype) for dtype in (jnp.int8, jnp.uint8, jnp.int16))
    normal, small = functools.partial(floats, [-1, 0, 1]), functools.partial(floats, [-70, -66, -64, -63])
    operands = {
        "bf16": (normal, normal, jnp.float32),
        SMALL: (small, small, jnp.float32),
        "s8 and s8": (int8, int8, jnp.int32),
        "u8 and s8": (uint8, int8, jnp.int32),
        "s8 and u8": (int8, uint8, jnp.int32),
        "s16 and s8": (int16, int8, jnp.int32),
    }
    groups: dict[str, list[primitives.Row]] = {}
    for kind, (lhs, rhs, accumulator) in operands.items():
        dot = functools.partial(jnp.dot, preferred_element_type=accumulator)
        functions = {
            "plain": lambda a, b, c, d, dot=dot: dot(a, b),
            "rows": lambda a, b, c, d, dot=dot: dot(a, c.T),
            "columns": lambda a, b, c, d, dot=dot: dot(d.T, b),
        }
        for m, k, n in ((12, 300, 64), (7, 36, 19), (1, 30, 130), (5, 7, 33)):
            arrays = (lhs(m, k), rhs(k, n), rhs(n, k), lhs(k, m))
            group = f"sums of products, {kind}, {m}x{k}x{n}"
            groups[group] = [(group, name, function, arrays) for name, function in functions.items()]
    return groups


def programs() -> dict[str, Function]:
    """Returns what is run: the rows of primitives.py that convert, reduce or contract, and the examples."""
    groups: dict[str, list[primitives.Row]] = {}
    for row in primitives.ROWS:
        if row[0].startswith(("casts", "reductions", "float edges", "dot f", "dot b", "dot of integers")):
            groups.setdefault(row[0], []).append(row)
    for dtype in (jnp.float32, jnp.bfloat16, jnp.float16):
        groups[f"dot and long rows {primitives.name_of(dtype)}"] = long_rows(dtype)
    groups |= narrow_products()
    result: dict[str, Function] = {name: lambda rows=rows: primitives.call(rows) for name, rows in groups.items()}
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
        example = load_example(str(path), None)
        result[path.stem] = lambda e=example: jax.tree.leaves(jax.jit(e.function)(*e.args))
    return result


def compare(name: str, level: str, got: list[Any], reference: list[Any], want: list[Any]) -> str | None:
    """Returns how results differ from interpret mode's, or in any bit from those of another level."""
    rounds = level in (WITHOUT_FMA, WITH_TILES) and name.startswith(CONTRACTIONS)
    for mine, other, right in zip(got, reference, want, strict=True):
        problem = difference(mine, right)
        if problem and SMALL not in name:
            return problem
        if not rounds and np.asarray(mine).tobytes() != np.asarray(other).tobytes():
            return f"bits differ: {difference(mine, other, 0.0)}"
    return None


def main() -> None:
    missing = {level: kernels.missing_features(options) for level, options in LEVELS.items()}
    runs = [level for level in LEVELS if not missing[level]]
    lacks = "".join(f"; {level} needs {', '.join(names)}" for level, names in missing.items() if names)
    print(f"this machine, {kernels.host_cpu()}, runs {', '.join(runs)}{lacks}")
    counts = dict.fromkeys(LEVELS, 0)
    functions = programs()
    for name, function in functions.items():
        with interpreted():
            want = function()
        reference = None
        # The widest level that runs is what the others are compared with.
        for level in reversed(LEVELS):
            jax.clear_caches()
            try:
                with gridir.installed(options=LEVELS[level]):
                    got = function()
            except gridir.Error as error:
                problem = None if missing[level] and REFUSED in str(error) else str(error)
            else:
                reference = got if reference is None else reference
                problem = compare(name, level, got, reference, want)
            if problem:
                print(f"{name} for {level}: {problem}")
            counts[level] += not problem
    for level in LEVELS:
        print(f"{level}: {counts[level]} of {len(functions)} {'compiled' if missing[level] else 'equal'}")


# CHECK:      this machine, {{.*}}, runs
# CHECK-NEXT: x86-64-v4 with tiles: [[ALL:[0-9]+]] of [[ALL]]
# CHECK-NEXT: x86-64-v2: [[ALL]] of [[ALL]]
# CHECK-NEXT: x86-64-v3: [[ALL]] of [[ALL]]
# CHECK-NEXT: x86-64-v4: [[ALL]] of [[ALL]]
# CHECK-NEXT: x86-64-v4 with sums of products: [[ALL]] of [[ALL]]
main()

# REQUIRES: x86_64
# The levels of x86-64: what this machine can run gives the same results on each, and what it cannot is compiled.
#
# RUN: %python %s %repository/examples | FileCheck %s

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
from gridir.compiler.options import CpuOptions
from gridir.runtime.cpu import kernels
from gridir.testing import difference, interpreted

LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
REFUSED = "expected code that this machine can run, got code for"
# A level without FMA rounds the products of a contraction before it adds them.
WITHOUT_FMA = "x86-64-v2"
CONTRACTIONS = ("dot", "matmul", "causal_attention", "flash_attention")

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


def programs() -> dict[str, Function]:
    """Returns what is run: the rows of primitives.py that convert, reduce or contract, and the examples."""
    groups: dict[str, list[primitives.Row]] = {}
    for row in primitives.ROWS:
        if row[0].startswith(("casts", "reductions", "float edges", "dot f", "dot b", "dot of integers")):
            groups.setdefault(row[0], []).append(row)
    for dtype in (jnp.float32, jnp.bfloat16, jnp.float16):
        groups[f"dot and long rows {primitives.name_of(dtype)}"] = long_rows(dtype)
    result: dict[str, Function] = {name: lambda rows=rows: primitives.call(rows) for name, rows in groups.items()}
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
        example = load_example(str(path), None)
        result[path.stem] = lambda e=example: jax.tree.leaves(jax.jit(e.function)(*e.args))
    return result


def compare(name: str, level: str, got: list[Any], reference: list[Any], want: list[Any]) -> str | None:
    """Returns how results differ from interpret mode's, or in any bit from those of another level."""
    rounds = level == WITHOUT_FMA and name.startswith(CONTRACTIONS)
    for mine, other, right in zip(got, reference, want, strict=True):
        problem = difference(mine, right)
        if problem:
            return problem
        if not rounds and np.asarray(mine).tobytes() != np.asarray(other).tobytes():
            return f"bits differ: {difference(mine, other, 0.0)}"
    return None


def main() -> None:
    missing = {level: kernels.missing_features(CpuOptions(cpu=level)) for level in LEVELS}
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
                with gridir.installed(options=CpuOptions(cpu=level)):
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
# CHECK-NEXT: x86-64-v2: [[ALL:[0-9]+]] of
# CHECK-NEXT: x86-64-v3: [[ALL]] of [[ALL]]
# CHECK-NEXT: x86-64-v4: [[ALL]] of [[ALL]]
main()

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps of adding an op, which CONTRIBUTING.md lists, and those that an op lacks."""

import functools
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from repository import ROOT, Finding, dialect_files, files, line_of, records


class Step(NamedTuple):
    """A place that names an op.

    Attributes:
      what: the content of the place.
      where: a pattern for the paths of its files.
      needs: the word in the op's definition without which the step does not apply.
    """

    what: str
    where: str
    needs: str = ""


def _ir(dialect: str) -> list[Step]:
    return [
        Step("custom and generic form", f"test/{dialect}/IR/*"),
        Step("a test of its diagnostics", f"test/{dialect}/IR/*invalid*", "hasVerifier"),
        Step("a test of its folds", f"test/{dialect}/IR/canonicalize*", "hasFolder"),
    ]


def _conversion(name: str) -> list[Step]:
    return [Step("a lowering", f"dialects/Conversion/{name}/*"), Step("a test", f"test/Conversion/{name}/*")]


_LAYOUTS = [
    Step("a model of its layouts", "dialects/Warpgroup/Inference/*", "Tensor"),
    Step("a test of its layouts", "test/Warpgroup/Transforms/*", "Tensor"),
]
_RULE = [Step("a rule", "python/gridir/frontend/rules/*"), Step("a test of the rule", "test/python/frontend/*")]
STEPS = {
    "grid": [
        *_ir("Grid"),
        *_conversion("GridToLoops"),
        *_conversion("GridToTPU"),
        Step("a raising", "dialects/Conversion/TPUToGrid/*"),
        *_LAYOUTS,
        *_conversion("WarpgroupToNVVM"),
        *_RULE,
    ],
    "warpgroup": [
        *_ir("Warpgroup"),
        *_LAYOUTS,
        *_conversion("WarpgroupTo[GL]*"),
        *_conversion("WarpgroupToNVVM"),
        *_RULE,
    ],
    "tpu": [*_ir("TPU"), *_conversion("GridToTPU"), *_conversion("TPUToGrid")],
}
"""For each dialect, the places that name an op."""


@functools.cache
def _names(where: str) -> frozenset[str]:
    """The classes and the assembly of ops in the files of a place."""
    paths = [path for path in files(".cpp", ".py", ".mlir") if fnmatch(str(path.relative_to(ROOT)), where)]
    return frozenset(name for path in paths for name in re.findall(r"\b\w+Op\b|\b[a-z]+\.[a-z]\w*\b", path.read_text()))


def _applies(step: Step, op: dict[str, Any]) -> bool:
    """True if the definition of an op asks for a step."""
    return not step.needs or bool(op.get(step.needs)) or step.needs in f"{op['arguments']} {op['results']}"


def lacking(op: dict[str, Any]) -> list[Step]:
    """The steps that an op lacks: files name it by its class or its assembly."""
    dialect = op["opDialect"]["def"].removesuffix("_Dialect").lower()
    own = {f"{dialect}.{op['opName']}", op["name"].partition("_")[2]}
    return [step for step in STEPS.get(dialect, []) if _applies(step, op) and own.isdisjoint(_names(step.where))]


def _ops() -> Iterator[tuple[Path, dict[str, Any]]]:
    return ((path, op) for path in dialect_files() for op in records(path, "Op"))


def describe(name: str) -> Iterator[str]:
    """The steps that the op of a name lacks, or each op for the name `all`. A target may need none of its steps.

    Raises:
      SystemExit: if no op has that name.
    """
    names = {f"{op['opDialect']['def'].removesuffix('_Dialect').lower()}.{op['opName']}": op for _, op in _ops()}
    if name not in {*names, "all"}:
        raise SystemExit(f"expected an op of gridir, got {name}")
    for known, op in names.items():
        if name in (known, "all"):
            yield from (f"{known} lacks {step.what} in {step.where}" for step in lacking(op))


def check_forms() -> Iterator[Finding]:
    """A test of its dialect shows every op."""
    for path, op in _ops():
        for step in lacking(op):
            if step.what == "custom and generic form":
                where = next(p for p in path.parent.glob("*.td") if f"def {op['name']} " in p.read_text())
                line = line_of(where, f"def {op['name']} ")
                yield Finding(where, line, f"expected {step.what} of {op['name']} in {step.where}, got none")


CHECKS = [check_forms]

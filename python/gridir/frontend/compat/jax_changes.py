# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the names that gridir uses and the installed JAX lacks, and those of the installed JAX that no rule knows.

`python -m gridir.frontend.compat.jax_changes` prints it. A JAX newer than the tested releases causes one warning
that names it. This module imports neither private modules of JAX nor the rules, so that it works where those cannot
be imported.
"""

from __future__ import annotations

import ast
import functools
import gc
import importlib
import re
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
from jax.extend.core import Primitive

from gridir.errors import JaxVersionError, JaxVersionWarning
from gridir.frontend.compat.releases import NAMES, NEWEST, OLDEST, Releases, Version, text

_PRIVATE = ("jax._src", "jaxlib")
PACKAGE = Path(__file__).parents[2]


# ----------------------------------------------------------------------------------------------------------------------
# Names
# ----------------------------------------------------------------------------------------------------------------------


def find(module: str, name: str) -> Any:
    """Returns the object that a module has under a name, which may be a module; None if there is none."""
    try:
        found = getattr(importlib.import_module(module), name, None)
        return importlib.import_module(f"{module}.{name}") if found is None else found
    except ImportError:
        return None


def private_names(path: Path) -> dict[str, tuple[str, str]]:
    """For each name that a file imports from a private module of JAX: the module, and the name there."""
    source = path.read_text()
    if not any(private in source for private in _PRIVATE):
        return {}
    return {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PRIVATE)
        for alias in node.names
    }


def used_names(path: Path) -> Iterator[tuple[str, str, str | None]]:
    """The private names that a file uses: the module, the name there, and an attribute of that or None."""
    found = private_names(path)
    if not found:
        return
    for module, name in found.values():
        yield module, name, None
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in found:
            yield *found[node.value.id], node.attr


def is_there(module: str, name: str, attribute: str | None = None) -> bool:
    """True if the installed JAX has a name of `used_names`."""
    found = find(module, name)
    # A name that is bound to None is as good as none: a decorator that returns nothing leaves that.
    return found is not None and (attribute is None or getattr(found, attribute, None) is not None)


def moved_names(files: Sequence[Path] | None = None) -> list[str]:
    """The private names of JAX that gridir's files use, and that the installed JAX should have and does not.

    Args:
      files: the files to read; all of gridir's by default.
    """
    uses = {use for path in (PACKAGE.rglob("*.py") if files is None else files) for use in used_names(path)}
    # If a module lacks a name, it also lacks the name's attributes.
    moved = [use for use in uses if not is_there(*use) and (use[2] is None or is_there(*use[:2]))]
    names = {".".join(filter(None, use)) for use in moved}
    return sorted({name for name in names if jax.__version_info__ in NAMES.get(name, Releases())})


# ----------------------------------------------------------------------------------------------------------------------
# Primitives and their parameters
# ----------------------------------------------------------------------------------------------------------------------

_BOUND_ONLY = {"subfuns"}
"""Keywords that are functions, which become jaxprs, and no parameters."""

_BIND = re.compile(r"\b(\w+)\.bind\(")
_DEFINITION = re.compile(r"^def (\w+)\(([^)]*)", re.MULTILINE)
_PARENTHESIS = re.compile(r"[()]")
_LONGEST_CALL = 4000


def _call(source: str, start: int) -> ast.Call | None:
    """The call that begins at a position of a text; None for one that is only a part of a comment."""
    ends, depth = [], 0
    for match in _PARENTHESIS.finditer(source, start, start + _LONGEST_CALL):
        depth += 1 if match[0] == "(" else -1
        if match[0] == ")":
            ends.append((depth != 0, match.end()))
        if depth == 0:
            break
    # A parenthesis in a string belongs to no pair: then the call ends where the text is an expression.
    for _, end in sorted(ends):
        try:
            expression = ast.parse(f"({source[start:end]})", mode="eval").body
        except SyntaxError:
            continue
        return expression if isinstance(expression, ast.Call) else None
    return None


def bound_parameters(root: Path) -> dict[tuple[str, str], set[str]]:
    """The keywords that sources bind each primitive with, by the module and the name of the variable that has it.

    Args:
      root: the directory of the package `jax`.
    """
    bound: dict[tuple[str, str], set[str]] = {}
    for path in (root / "_src").rglob("*.py"):
        source = path.read_text()
        module = ".".join(("jax", *path.relative_to(root).with_suffix("").parts))
        for match in _BIND.finditer(source):
            call = _call(source, match.start())
            if call is not None:
                keywords = {keyword.arg for keyword in call.keywords if keyword.arg}
                for name in (match[1], *_arguments(source, match.start(), match[1])):
                    bound.setdefault((module, name), set()).update(keywords)
    return bound


def _arguments(source: str, position: int, name: str) -> list[str]:
    """The variables with which a text calls the function at a position, if a name is its first parameter there.

    Such a function binds the primitive that it is given: `sum = functools.partial(_reduce, reduce_sum_p)`.
    """
    *_, function = [None, *_DEFINITION.finditer(source, 0, position)]
    if function is None or not re.match(rf"\s*{name}\b", function[2]):
        return []
    return re.findall(rf"\b{function[1]}\s*[(,]\s*(\w+_p)\b", source)


def _primitives() -> list[Any]:
    """All primitives of the installed JAX."""
    for name in ("fuser", "mosaic_gpu", "triton"):
        importlib.import_module(f"jax.experimental.pallas.{name}")  # Makes its primitives.
    return [found for found in gc.get_objects() if isinstance(found, Primitive)]


def _variables() -> dict[int, list[tuple[str, str]]]:
    """The variables of JAX's modules that have each primitive, by its identity."""
    names: dict[int, list[tuple[str, str]]] = {}
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType) and module.__name__.startswith("jax._src"):
            for name, value in list(vars(module).items()):
                if isinstance(value, Primitive):
                    names.setdefault(id(value), []).append((module.__name__, name))
    return names


def primitive_names() -> set[str]:
    """The primitives of the installed JAX, by the names by which they have rules."""
    _, equations = _rules_and_equations()
    return {equations.primitive_name(primitive) for primitive in _primitives()}


def moved_primitives() -> list[str]:
    """The primitives that have a rule, should be in the installed JAX, and are not."""
    levels, equations = _rules_and_equations()
    expected = {name for level in levels for name in level.supported() if equations.is_of_this_jax(name)}
    return sorted(expected - primitive_names())


def unknown_parameters() -> tuple[list[str], int]:
    """The parameters that JAX's sources bind primitives with and their rules do not know; how many have a rule."""
    levels, equations = _rules_and_equations()
    bound = bound_parameters(Path(jax.__path__[0]))
    # Some modules are imported for their primitives, and have variables only then.
    primitives = _primitives()
    variables, unknown, count = _variables(), set(), 0
    for primitive in primitives:
        given: set[str] = set().union(*(bound.get(where, ()) for where in variables.get(id(primitive), ())))
        given = equations.canonical_parameters(primitive, given - _BOUND_ONLY)
        name = equations.primitive_name(primitive)
        rules = [rule for level in levels if (rule := level.find(name))]
        count += bool(given and rules)
        unknown |= {f"{name}: {parameter}" for rule in rules for parameter in given - rule.known}
    return sorted(unknown), count


def _rules_and_equations() -> tuple[Sequence[Any], Any]:
    """The levels of rules, and the module that knows the equations of each JAX."""
    importlib.import_module("gridir.frontend.rules")  # Registers the rules.
    levels = importlib.import_module("gridir.frontend.walk.levels").LEVELS
    return levels, importlib.import_module("gridir.frontend.compat.jax_equations")


# ----------------------------------------------------------------------------------------------------------------------
# The warning
# ----------------------------------------------------------------------------------------------------------------------


def check_version(version: Version) -> bool:
    """True if a release of JAX is one of the tested ones; a newer one is not.

    Raises:
      JaxVersionError: for one that is older than all of them.
    """
    if version < OLDEST:
        raise JaxVersionError(
            f"expected JAX {text(OLDEST)} or later, got {text(version)}",
            notes=["gridir uses parts of JAX that change between releases"],
        )
    return version[: len(NEWEST) - 1] <= NEWEST[: len(NEWEST) - 1]


def _warn(moved: Sequence[str]) -> None:
    what = f"these parts of JAX moved: {', '.join(moved)}" if moved else "no part of JAX that gridir knows moved"
    warnings.warn(
        f"gridir is tested with JAX {text(OLDEST)} to {text(NEWEST)}, and this is JAX {jax.__version__}: {what}",
        JaxVersionWarning,
        stacklevel=2,
    )


@functools.cache
def _warn_once(of_names: bool) -> bool:
    """Warns, if that is due; returns whether it has."""
    if of_names:
        moved = moved_names()
        if moved:
            _warn(moved)
        return bool(moved)
    unknown, _ = unknown_parameters()
    _warn([*(f"primitive {name}" for name in moved_primitives()), *unknown])
    return True


def check_names() -> None:
    """Warns of private names that a JAX newer than the tested ones has moved, before gridir imports them."""
    if not check_version(jax.__version_info__):
        _warn_once(True)


def check_rules() -> None:
    """Warns of a JAX newer than the tested ones, with its names that no rule knows, when all rules are there."""
    if not check_version(jax.__version_info__) and not _warn_once(True):
        _warn_once(False)


def main(write: Callable[[str], Any] = print) -> int:
    """Prints the names that moved; returns 1 if there are any, else 0."""
    moved = moved_names()
    unknown, count = ([], 0) if moved else unknown_parameters()
    moved += [] if moved else [f"primitive {name}" for name in moved_primitives()]
    write(f"moved: {moved}")
    write(f"unknown: {unknown}")
    write(f"parameters of {count} primitives")
    return int(bool(moved or unknown))


if __name__ == "__main__":
    sys.exit(main())

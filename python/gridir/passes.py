# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes in Python: a function or a set of rewrite patterns that any textual pipeline can name.

Registered passes have the features of passes in C++: options, statistics, diagnostics with locations, timing and the
printing of IR. An exception of a pass is an error of the pipeline that names the pass; the exception is its cause.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from gridir.errors import OptionError
from gridir.mlir import ir, rewrite
from gridir.mlir._mlir_libs import _gridirDialects as native

__all__ = ["PassRun", "Patterns", "load", "register", "register_patterns"]

F = TypeVar("F", bound=Callable[..., Any])

# The versions of passes in this process, by name; registering a pass again changes its version.
_versions: dict[str, str] = {}
_loaded: list[str] = []
# Exceptions of passes, by their context, until `take_exception` removes them.
_raised: dict[int, BaseException] = {}


class PassRun:
    """One run of a pass on one op: its statistics and diagnostics.

    Attributes:
      name: the pass, as pipelines name it.
      failed: whether it has failed. Set by `error`; a pass may set it itself.
      counts: the counts, by the names of the statistics.
    """

    def __init__(self, name: str, statistics: Sequence[str]):
        self.name = name
        self.failed = False
        self.counts = dict.fromkeys(statistics, 0)

    def count(self, statistic: str, number: int = 1) -> None:
        """Adds to a statistic; raises KeyError for one that the pass was not registered with."""
        self.counts[statistic] += number

    def error(self, where: Any, message: str, *notes: tuple[Any, str]) -> None:
        """Reports an error and fails the pass, which may go on to find others.

        Args:
          where: an op, a value or an `ir.Location`.
          message: in lower case and without a full stop, as "expected X, got Y". *notes: other locations, each with its
          message.
        """
        self.failed = True
        self._emit("error", where, message, notes)

    def warning(self, where: Any, message: str, *notes: tuple[Any, str]) -> None:
        """Reports a warning; arguments see `error`."""
        self._emit("warning", where, message, notes)

    def remark(self, where: Any, message: str, *notes: tuple[Any, str]) -> None:
        """Reports a remark: a decision of the pass and its reason; arguments as for `error`."""
        self._emit("remark", where, message, notes)

    def _emit(self, severity: str, where: Any, message: str, notes: Sequence[tuple[Any, str]]) -> None:
        native.emit(_location(where), severity, message, [(_location(other), text) for other, text in notes])


def _location(where: Any) -> ir.Location:
    return where if isinstance(where, ir.Location) else where.location


class Patterns:
    """The rewrite patterns of one run of a pass."""

    def __init__(self) -> None:
        self._patterns = rewrite.RewritePatternSet()
        self.raised: tuple[BaseException, ir.Location] | None = None

    def add(self, root: type | str, rewrite_op: Callable[[Any, Any], str | None], benefit: int = 1) -> None:
        """Adds a pattern.

        Args:
          root: the op that it matches: a class, as `arith.MulFOp`, or a name.
          rewrite_op: gets the op and a `rewrite.PatternRewriter`, whose `ip` is where to build ops, and which replaces
            and erases them. Returns None where it changed the op, and else why it does not match, as "expected a
            constant factor".
          benefit: patterns of a higher one are tried first.
        """

        def guarded(op: Any, rewriter: Any) -> Any:
            # MLIR would not survive an exception.
            if self.raised:
                return True
            location = op.location
            try:
                with location:
                    return bool(rewrite_op(op, rewriter))
            except BaseException as error:
                self.raised = error, location
                return True

        self._patterns.add(root, guarded, benefit)

    def apply(self, op: ir.Operation) -> None:
        """Applies the patterns to the ops in `op` until none matches, and raises the exception of a pattern."""
        try:
            rewrite.apply_patterns_and_fold_greedily(op, self._patterns.freeze())
        finally:
            if self.raised:
                raise self.raised[0]


def register(name: str, *, op: str = "", statistics: Mapping[str, str] | None = None) -> Callable[[F], F]:
    """Registers a function as a pass.

    The function gets the op and a `PassRun`. Its parameters after `*` are the options of the pass; the type of each
    default, bool, int, float, str or a tuple of these, is the type of the option. The first line of its docstring is
    the summary, and the section `Args:` has the help of options.

    Args:
      name: the name in pipelines, as "fold-scales"; `_` in the name of a parameter is `-` in that of the option.
      op: the op that it runs on, as "func.func", which a pipeline then nests in; any op without it.
      statistics: its statistics, each with a description.

    Raises:
      OptionError: when the name or a parameter cannot stand in a pipeline, or is one in C++. A pass in Python replaces
        one that was registered before, as a cell of a notebook that is run again makes it.

    Example:
      >>> @gridir.passes.register("count-loads", statistics={"num-loads": "Loads in the module"})
      ... def count_loads(op, run):
      ...     "Counts loads."
      ...     for kernel in op.regions[0].blocks[0]:
      ...         run.count("num-loads")
    """

    def decorate(function: F) -> F:
        _register(name, op, dict(statistics or {}), function, function)
        return function

    return decorate


def register_patterns(name: str, *, op: str = "", statistics: Mapping[str, str] | None = None) -> Callable[[F], F]:
    """Registers a set of rewrite patterns, applied greedily, as a pass.

    The function adds the patterns to the `Patterns` that it gets, before each run; beside them it gets a `PassRun`, and
    its parameters after `*` are options, see `register`.

    Args and raises: as `register`.

    Example:
      >>> @gridir.passes.register_patterns("twice-is-sum")
      ... def twice_is_sum(patterns, run):
      ...     "Adds a value to itself instead of multiplying it by two."
      ...     patterns.add(arith.MulFOp, to_sum)
    """

    def decorate(function: F) -> F:
        def apply(target: ir.Operation, run: PassRun, **options: Any) -> None:
            patterns = Patterns()
            function(patterns, run, **options)
            try:
                patterns.apply(target)
            except BaseException as error:
                location = patterns.raised[1] if patterns.raised else target.location
                raise _Located(error, location) from error

        _register(name, op, dict(statistics or {}), function, apply)
        return function

    return decorate


def load(name: str) -> None:
    """Imports a file or module that registers passes: a Python file, or a module that can be imported.

    Raises:
      OptionError: when there is no such file or module.
    """
    if name.endswith(".py"):
        _load_file(name)
    elif importlib.util.find_spec(name.partition(".")[0]) is None:
        raise OptionError(f"expected a Python file or module with passes, got {name!r}")
    else:
        importlib.import_module(name)
    if name not in _loaded:
        _loaded.append(name)


def loaded() -> tuple[str, ...]:
    """Returns the files and modules that `load` was given, as another process is to load them."""
    return tuple(_loaded)


def _load_file(name: str) -> None:
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(name))[0], name)
    if spec is None or spec.loader is None or not os.path.isfile(name):
        raise OptionError(f"expected a Python file or module with passes, got {name!r}")
    module = importlib.util.module_from_spec(spec)
    # Imports of its neighbours work as they do for `python FILE`.
    sys.path.insert(0, os.path.dirname(os.path.abspath(name)))
    spec.loader.exec_module(module)


def versions(pipeline: str) -> tuple[str, ...]:
    """Returns a key that distinguishes equal pipelines whose passes in Python differ; () without such passes."""
    names = dict.fromkeys(re.findall(r"[\w-]+", pipeline)) if _versions else ()
    return tuple(_versions[name] for name in names if name in _versions)


def take_exception(context: ir.Context) -> BaseException | None:
    """Returns the exception of the last pass in Python in a context, once."""
    return _raised.pop(id(context), None)


class _Located(Exception):
    """An exception at an op that is not the one that the pass runs on; its cause is the original exception."""

    def __init__(self, error: BaseException, location: ir.Location):
        super().__init__(str(error))
        self.location = location


def _register(
    name: str, anchor: str, statistics: dict[str, str], function: Callable[..., Any], work: Callable[..., Any]
) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise OptionError(f"expected the name of a pass, as fold-scales, got {name!r}")
    if not callable(function):
        raise OptionError(f"expected a function for the pass {name!r}, got {type(function).__name__}")
    defaults = _options(name, function)
    documentation = inspect.getdoc(function) or ""
    summary = documentation.partition("\n")[0].rstrip(".") or f"Run {getattr(function, '__name__', name)}"

    def check(texts: Sequence[str]) -> str:
        try:
            _parse_all(name, defaults, texts)
        except ValueError as error:
            return str(error)
        return ""

    def run(op: ir.Operation, texts: Sequence[str]) -> tuple[bool, list[int]]:
        this = PassRun(name, list(statistics))
        try:
            with op.context, op.location:
                work(op.opview, this, **_parse_all(name, defaults, texts))
        except BaseException as error:
            _report(this, op, function, error)
        return not this.failed, list(this.counts.values())

    options = [(_dashed(key), _help(documentation, key), _to_text(value)) for key, value in defaults.items()]
    try:
        native.register_pass(
            getattr(function, "__name__", name), name, summary, anchor, options, list(statistics.items()), check, run
        )
    except ValueError as error:
        raise OptionError(str(error)) from None
    _versions[name] = uuid.uuid4().hex


def _report(run: PassRun, op: ir.Operation, function: Callable[..., Any], error: BaseException) -> None:
    """Converts the exception of a pass to an error, with the line of the pass as a note."""
    location = op.location
    if isinstance(error, _Located) and error.__cause__ is not None:
        error, location = error.__cause__, error.location
    _raised[id(op.context)] = error
    file = inspect.getsourcefile(inspect.unwrap(function))
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == file] or frames
    notes = []
    if own:
        where = ir.Location.file(own[-1].filename, own[-1].lineno or 0, (own[-1].colno or 0) + 1, op.context)
        notes.append((ir.Location.name(own[-1].name, where, op.context), "raised here"))
    summary = traceback.format_exception_only(error)[-1].strip()
    run.error(location, f"pass '{run.name}' raised {summary}", *notes)


def _options(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    """The defaults of a function's keyword parameters."""
    defaults = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        element = parameter.default
        if isinstance(element, tuple):
            element = element[0] if element else ""
        if not isinstance(element, bool | int | float | str):
            raise OptionError(
                f"expected a default of type bool, int, float, str or tuple of these for {parameter.name!r} of the "
                f"pass {name!r}, got {parameter.default!r}"
            )
        defaults[parameter.name] = parameter.default
    return defaults


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _help(documentation: str, name: str) -> str:
    found = re.search(rf"^\s+{re.escape(name)}: (.+)", documentation, re.MULTILINE)
    return found[1].rstrip(".") if found else ""


def _to_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_to_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse_all(name: str, defaults: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    options = {}
    for (key, default), text in zip(defaults.items(), texts, strict=True):
        try:
            options[key] = _parse(default, text)
        except ValueError:
            kind = "true or false" if isinstance(default, bool) else f"a value like {_to_text(default) or 'a,b'}"
            raise ValueError(f"expected {kind} for the option {_dashed(key)!r} of {name!r}, got {text!r}") from None
    return options


def _parse(default: Any, text: str) -> Any:
    if isinstance(default, tuple):
        element = default[0] if default else ""
        return tuple(_parse(element, part) for part in text.split(",") if part)
    if isinstance(default, bool):
        if text not in ("true", "false", "1", "0"):
            raise ValueError(text)
        return text in ("true", "1")
    return type(default)(text)

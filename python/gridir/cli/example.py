# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A file that the command line works on: plain JAX, with a function and an `example_args()`."""

from __future__ import annotations

import dataclasses
import importlib.util
import linecache
import os
import sys
import tokenize
import types
from collections.abc import Callable, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from gridir.cli.chip import choose_chip
from gridir.cli.errors import Reported

STDIN = "-"
"""The file that is standard input."""


@dataclasses.dataclass(frozen=True)
class Example:
    """The function, arguments and reference of an example file.

    Attributes:
      name: the name of the function.
      function: the function to lower or run.
      args: its arguments.
      reference: a function of the same arguments that computes the same without the kernel; None if there is none.
      tuning_space: gives the values over which the function is tuned; None if there is none.
    """

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    reference: Callable[..., Any] | None = None
    tuning_space: Callable[[], Any] | None = None

    def check_kernels(self, kernels: Sequence[Any]) -> Sequence[Any]:
        """Returns the kernels that were found in the function.

        Raises:
          click.ClickException: when there are none.
        """
        if not kernels:
            raise Reported(f"{self.name} calls no Pallas kernel", 2)
        return kernels


class ExampleParameter(click.ParamType):
    """FILE or FILE:FUNCTION, without loading it: a file may raise, and that is reported as the command's own errors."""

    name = metavar = "FILE[:FUNCTION]"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Returns how help shows the argument."""
        return self.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str | None]:
        """Returns path and function of a command-line argument."""
        path, colon, function = value.rpartition(":")
        if not colon or not path.endswith((".py", ".mlir", ".mlirbc")):
            path, function = value, ""
        if path != STDIN and not os.path.isfile(path):
            self.fail(f"expected a file, got {path!r}", param, ctx)
        return path, function or None

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Lets a shell complete names of files."""
        return [CompletionItem(incomplete, type="file")]


def load_example(path: str, name_of_function: str | None, chip: str | None = None) -> Example:
    """Imports a file and calls its `example_args()`.

    Args:
      path: the file; "-" for standard input.
      name_of_function: the function's name; without one, that of the file, or of the last function of standard input.
      chip: the TPU that the program sees; by default that of the file.

    Raises:
      OptionError: for an unknown chip.
      click.UsageError: when the file lacks the function or `example_args`.
    """
    name = os.path.splitext(os.path.basename(path))[0]
    source = sys.stdin.read() if path == STDIN else _read_source(path)
    choose_chip(chip, source)
    module = _run_source(source) if path == STDIN else _import_module(name, path)
    public = [key for key, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    if path == STDIN:
        name = next((key for key in reversed(public) if key not in ("example_args", "reference", "tuning_space")), name)
    wanted = name_of_function or name
    function = getattr(module, wanted, None)
    if not callable(function):
        raise click.UsageError(f"expected a function {wanted!r} in {path}; it has {', '.join(public) or 'none'}")
    if not callable(getattr(module, "example_args", None)):
        raise click.UsageError(f"expected a function 'example_args' in {path}, which gives the arguments of {wanted!r}")
    args = module.example_args()
    reference = getattr(module, "reference", None)
    space = getattr(module, "tuning_space", None)
    return Example(wanted, function, args if isinstance(args, tuple) else (args,), reference, space)


def _import_module(name: str, path: str) -> types.ModuleType:
    # By its one name, as everything else of a report has it.
    spec = importlib.util.spec_from_file_location(name, os.path.abspath(path))
    if spec is None or spec.loader is None:
        hint = "; gridir opt, run, check and bisect take a module" if path.endswith((".mlir", ".mlirbc")) else ""
        raise click.UsageError(f"expected a Python file, got {path}{hint}")
    module = importlib.util.module_from_spec(spec)
    # Imports of its neighbours work as they do for `python FILE`.
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec.loader.exec_module(module)
    return module


def _read_source(path: str) -> str:
    with tokenize.open(path) as file:
        return file.read()


def _run_source(source: str) -> types.ModuleType:
    file = "<stdin>"
    # For the lines that errors show.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = types.ModuleType("stdin")
    exec(compile(source, file, "exec"), module.__dict__)
    return module

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a command reports errors: in a few lines, with the line of the kernel; completely on request."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import click

from gridir.cli.chip import chip_notes
from gridir.cli.output import json_text
from gridir.errors import Error, Frame, NoKernelError, OptionError, places_in, reported_by_kernel
from gridir.host import EXTRAS


class Commands(click.Group):
    """A group of commands whose errors are JSON with `--json`, including errors of the command line itself."""

    def main(self, args: Any = None, *rest: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """See `click.Group`."""
        arguments = list(sys.argv[1:] if args is None else args)
        if not standalone_mode or "--json" not in arguments:
            return super().main(args, *rest, standalone_mode=standalone_mode, **extra)
        try:
            status = super().main(args, *rest, standalone_mode=False, **extra)
        except click.ClickException as error:
            record = error.record if isinstance(error, Reported) else {}
            record = record or {"type": type(error).__name__, "message": error.format_message()}
            click.echo(json_text({"error": record}))
            sys.exit(error.exit_code)
        sys.exit(status if isinstance(status, int) else 0)


class Reported(click.ClickException):
    """An error whose text is ready to be shown.

    Attributes:
      record: the same as data; {} if there is only the text.
    """

    def __init__(self, message: str, exit_code: int = 1, record: dict[str, Any] | None = None):
        super().__init__(message)
        self.exit_code = exit_code
        self.record = record or {}

    def show(self, file: Any = None) -> None:
        """Writes the error to stderr."""
        click.secho("error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(self.message, err=True)


@contextlib.contextmanager
def short_errors(debug: bool, path: str) -> Iterator[None]:
    """Turns exceptions into short errors with exit status 1, or 2 for an invalid request.

    Args:
      debug: also show the traceback, and details for compiler developers.
      path: the author's file; an exception that is not gridir's is located at its innermost line there.
    """
    try:
        yield
    except click.ClickException:
        raise
    except Exception as error:
        if debug:
            traceback.print_exc()
            if isinstance(error, Error) and error.details:
                click.echo(error.details, err=True)
        status = 2 if isinstance(error, (NoKernelError, OptionError)) else 1
        raise Reported(_describe(error, path), status, _to_json(error, path)) from None


def describe(error: Exception) -> str:
    """Returns the class and the first line of an exception that is not gridir's; without text, the line that failed."""
    own = reported_by_kernel(error)
    if own is not None:
        return f"kernel `{own.kernel}`: {own.message}".partition("\n")[0]
    summary = str(error).strip().partition("\n")[0]
    return ": ".join(filter(None, (type(error).__name__, summary or _failed_line(error))))


def _failed_line(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or not frames[-1].line:
        return ""
    last = frames[-1]
    return f"{last.line} ({last.filename.rpartition('site-packages/')[2]}:{last.lineno})"


def _is_assertion_of_jax(error: Exception) -> bool:
    """True if an assertion failed in JAX, in code that no part of gridir called."""
    files = [frame.filename for frame in reversed(traceback.extract_tb(error.__traceback__))]
    callers = list(itertools.dropwhile(lambda file: "/jax/" in file, files))
    return isinstance(error, AssertionError) and 0 < len(callers) < len(files) and "/gridir/" not in callers[0]


def to_json(error: Exception, path: str = "") -> dict[str, Any]:
    """Returns an exception for a program, with the kernel and the author's lines.

    Args:
      error: any exception.
      path: the author's file, in which an exception of another package is located.
    """
    if isinstance(error, Error):
        if not error.frames:
            error.frames = tuple(places_in(error.message))
        return error.to_json()
    if (reported := reported_by_kernel(error)) is not None:
        return reported.to_json() | {"type": type(error).__name__}
    location = _location(error, path) if path else None
    described = Error(str(error).strip(), frames=[location] if location else [])
    record = described.to_json() | {"type": type(error).__name__}
    return record | {"notes": [note.strip().removeprefix("note: ") for note in _own_notes(error)]}


def _describe(error: Exception, path: str) -> str:
    return "\n".join([_describe_error(error, path), *(f"  note: {note}" for note in chip_notes())])


def _describe_error(error: Exception, path: str) -> str:
    if isinstance(error, Error):
        if not error.frames:
            error.frames = tuple(places_in(error.message))
        return str(error)
    lines = [describe(error), *str(error).strip().splitlines()[1:]]
    if (reported := reported_by_kernel(error)) is not None:
        for frame in reported.frames:
            lines += [f"  at {frame}", *(f"    {line}" for line in frame.source().splitlines())]
        return "\n".join(lines)
    lines += _own_notes(error)
    if _is_assertion_of_jax(error):
        lines.append("  note: an assertion of JAX failed before gridir compiled the kernel; gridir has no part in it")
    location = _location(error, path)
    if location:
        lines += [f"  at {location}", *(f"    {line}" for line in location.source().splitlines())]
    return "\n".join(lines)


def _to_json(error: Exception, path: str) -> dict[str, Any]:
    record = to_json(error, path)
    return record | {"notes": record["notes"] + chip_notes()}


def _own_notes(error: Exception) -> list[str]:
    """The notes of an exception that `gridir.errors.within_kernel` has added; JAX adds some about its traceback.

    The extra depends on the missing module.
    """
    missing = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    install = [f"  note: pip install 'gridir[{EXTRAS[missing]}]'"] if missing in EXTRAS else []
    return install + [note for note in getattr(error, "__notes__", []) if note.startswith("  in kernel `")]


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and its causes. One of JAX's has the source line that was being transformed."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _location(error: Exception, path: str) -> Frame | None:
    """The innermost line of the author's file that an exception passed."""
    file = "<stdin>" if path == "-" else os.path.abspath(path)
    frames = [frame for cause in _causes(error) for frame in reversed(traceback.extract_tb(cause.__traceback__))]
    for frame in frames:
        if file in (frame.filename, os.path.abspath(frame.filename)):
            shown = file if path == "-" else path
            return Frame(shown, frame.lineno or 0, (frame.colno or 0) + 1, frame.name)
    return None

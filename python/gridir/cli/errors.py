# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a command reports what went wrong: in a few lines, with the line of the kernel; all of it on request."""

from __future__ import annotations

import contextlib
import os
import re
import traceback
from collections.abc import Iterator
from typing import Any

import click

from gridir.errors import Error, Frame, OptionError


class Reported(click.ClickException):
    """An error whose text is ready to be shown."""

    def __init__(self, message: str, exit_code: int = 1):
        super().__init__(message)
        self.exit_code = exit_code

    def show(self, file: Any = None) -> None:
        """Writes the error to stderr."""
        click.secho("error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(self.message, err=True)


@contextlib.contextmanager
def short_errors(debug: bool, path: str) -> Iterator[None]:
    """Turns exceptions into short errors with exit status 1, or 2 where the command was asked for what there is not.

    Args:
      debug: also show the traceback, and what a compiler developer wants to see.
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
        raise Reported(_describe(error, path), 2 if isinstance(error, OptionError) else 1) from None


def describe(error: Exception) -> str:
    """Returns the class and the first line of an exception that is not gridir's."""
    # What a kernel of gridir's reports comes through XLA, which puts a status before it.
    own = re.match(r"[A-Z_]+: (kernel `.*)", str(error))
    if own:
        return own[1]
    summary = str(error).strip().partition("\n")[0]
    return ": ".join(filter(None, (type(error).__name__, summary)))


def _describe(error: Exception, path: str) -> str:
    if isinstance(error, Error):
        return str(error)
    lines = [describe(error), *str(error).strip().splitlines()[1:]]
    here = os.path.abspath(path)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if os.path.abspath(frame.filename) == here:
            location = Frame(path, frame.lineno or 0, (frame.colno or 0) + 1, frame.name)
            lines += [f"  at {location}", *(f"    {line}" for line in location.source().splitlines())]
            break
    return "\n".join(lines)

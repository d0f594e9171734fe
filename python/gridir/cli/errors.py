# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a command reports what went wrong: in a few lines, with the line of the kernel; all of it on request."""

from __future__ import annotations

import contextlib
import os
import traceback
from collections.abc import Iterator
from typing import Any

import click

from gridir.errors import Error, Frame


class Reported(click.ClickException):
    """An error whose text is ready to be shown."""

    def show(self, file: Any = None) -> None:
        """Writes the error to stderr."""
        click.secho("error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(self.message, err=True)


@contextlib.contextmanager
def short_errors(debug: bool, path: str) -> Iterator[None]:
    """Turns exceptions into short errors with exit status 1.

    Args:
      debug: also show the traceback, and what a compiler developer wants to see.
      path: the author's file; an exception that is not gridir's is placed at its innermost line there.
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
        raise Reported(_describe(error, path)) from None


def _describe(error: Exception, path: str) -> str:
    if isinstance(error, Error):
        return str(error)
    lines = [f"{type(error).__name__}: {error}"]
    here = os.path.abspath(path)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if os.path.abspath(frame.filename) == here:
            place = Frame(path, frame.lineno or 0, (frame.colno or 0) + 1, frame.name)
            lines += [f"  at {place}", *(f"    {line}" for line in place.source().splitlines())]
            break
    return "\n".join(lines)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every exception that gridir raises.

This file imports neither JAX nor MLIR, so that any layer can raise its errors.
"""

from __future__ import annotations

import contextlib
import dataclasses
import linecache
import re
from collections.abc import Iterator, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Frame:
    """A source location in a Python file.

    Attributes:
      file: the path as Python reports it.
      line: counted from 1; 0 if it is unknown.
      column: counted from 1; 0 if it is unknown.
      function: the function that the line is in, or None.
    """

    file: str
    line: int
    column: int = 0
    function: str | None = None

    def __str__(self) -> str:
        location = f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")
        return f"{location} ({self.function})" if self.function else location

    def source(self) -> str:
        """Returns the line's text with a caret under its column, or "" when the file cannot be read."""
        text = linecache.getline(self.file, self.line).rstrip("\n")
        if not text.strip():
            return ""
        stripped = text.lstrip()
        caret = self.column - 1 - (len(text) - len(stripped))
        return stripped + (f"\n{' ' * caret}^" if 0 <= caret < len(stripped) else "")


class Error(Exception):
    """The base of every exception that gridir raises.

    Attributes:
      message: the fault, the requirement and the reason, without a location.
      kernel: the name of the kernel, or None when there is none yet.
      source: the function that the kernel was traced from, as "double at file.py:3"; None if not known.
      frames: where in the author's code, innermost first; empty if it is unknown.
      notes: further lines: other locations, or a change that would work.
      details: text for compiler developers; `gridir --debug` prints it.
    """

    def __init__(
        self,
        message: str,
        *,
        kernel: str | None = None,
        frames: Sequence[Frame] = (),
        notes: Sequence[str] = (),
        details: str = "",
    ):
        super().__init__(message)
        self.message = message
        self.kernel = kernel
        self.source: str | None = None
        self.frames = tuple(frames)
        self.notes = tuple(notes)
        self.details = details

    def __str__(self) -> str:
        lines = [self.message]
        if self.kernel:
            source = f" for kernel function {self.source}" if self.source else ""
            lines.append(f"  in kernel `{self.kernel}`{source}")
        if self.frames:
            lines.append(f"  at {self.frames[0]}")
            lines += [f"    {line}" for line in self.frames[0].source().splitlines()]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Returns the error for a program: its class, and the attributes but for `details`."""
        return {
            "type": type(self).__name__,
            "message": self.message,
            "kernel": self.kernel,
            "source": self.source,
            "frames": [dataclasses.asdict(frame) for frame in self.frames],
            "notes": list(self.notes),
        }


# XLA prepends a status to errors that native code reports.
_REPORT = re.compile(r"[A-Z_]+: kernel `(?P<kernel>[^`]*)`: (?P<message>.*)", re.DOTALL)
_PLACE = re.compile(r"\((?P<file>[^()\n]+):(?P<line>\d+):(?P<column>\d+)\)")


def reported_by_kernel(error: Exception) -> Error | None:
    """Returns the error of a compiled kernel that XLA raises, with kernel and lines; None for another exception."""
    own = _REPORT.match(str(error))
    if own is None:
        return None
    message = own["message"].strip()
    return Error(message, kernel=own["kernel"], frames=places_in(message))


def places_in(message: str) -> list[Frame]:
    """Returns the places that a message names in parentheses, each once."""
    places = [(m["file"], int(m["line"]), int(m["column"])) for m in _PLACE.finditer(message)]
    return [Frame(*place) for place in dict.fromkeys(places)]


@contextlib.contextmanager
def within_kernel(name: str, source: str | None) -> Iterator[None]:
    """Adds the kernel's name and source to errors raised inside, unless they have them.

    To an exception of another package they are added as a note.
    """
    try:
        yield
    except Error as error:
        error.kernel = error.kernel or name
        error.source = error.source or source
        raise
    except Exception as error:
        error.add_note(f"  in kernel `{name}`" + (f" for kernel function {source}" if source else ""))
        raise


class UnsupportedError(Error, NotImplementedError):
    """A kernel uses something that gridir, or the target, cannot compile."""


class KernelError(Error, ValueError):
    """A kernel requires something that no backend can do: its author's mistake."""


class NoKernelError(KernelError):
    """A function was asked for its kernels and calls none."""


class OptionError(Error, ValueError):
    """A target, stage or option was named that does not exist or cannot be combined."""


class JaxVersionError(Error, ImportError):
    """The installed JAX is older than every release that gridir supports."""


class JaxVersionWarning(UserWarning):
    """The installed JAX is newer than every release that gridir was tested with; the message names the moved names."""


class CompileError(Error):
    """A pass, LLVM or the linker refused a kernel.

    Attributes:
      stage: which step refused it: parse, pipeline, passes, translate, codegen or link.
    """

    def __init__(self, message: str, *, stage: str = "passes", **kwargs):
        super().__init__(message, **kwargs)
        self.stage = stage


class LaunchError(Error):
    """A launch of a GPU kernel does not fit the kernel, or a thread or a check of the kernel failed."""


class InternalError(Error):
    """The compiler crashed: an assertion, a signal or the end of the stack in a pass or in LLVM. A defect of gridir.

    The process continues, less the memory that the crash leaked.

    Attributes:
      stage: where it crashed, see `CompileError`.
      reproducer: the path of a file with the module, the pipeline and the versions, which `gridir-opt --run-reproducer`
        runs again; "" where it could not be written.
    """

    def __init__(self, message: str, *, stage: str = "passes", reproducer: str = "", **kwargs):
        super().__init__(message, **kwargs)
        self.stage = stage
        self.reproducer = reproducer

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The settings of a thread for compiling the kernels that JAX lowers."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import jax

from gridir.compiler.kernel import Kernel
from gridir.compiler.options import Options
from gridir.compiler.target import Target
from gridir.frontend.recording.recorder import Recorder


class Captured(list[Kernel]):
    """The kernels that one `gridir.lower` has found; two lists are never equal, whatever they contain."""

    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


@dataclasses.dataclass(frozen=True)
class Installation:
    """The arguments of `install`. They are part of JAX's trace key, so a change of them makes JAX lower again.

    Attributes:
      platforms: the JAX platforms on which gridir takes the kernels.
      replace_interpret: whether it takes those that ask for interpret mode too.
      options: how kernels are compiled for the target that they are of; other targets take their defaults.
      captured: where `gridir.lower` collects kernels; None outside of it.
      target: the target of these kernels, of several for one platform; None for the one that JAX calls.
      jax_alone: whether JAX lowers every kernel itself, also those with parameters of gridir's own.
      emulated: the target whose code is executed on the CPU instead of the CPU's own; None for none.
      recorder: receives each call of a kernel of the program; None for no recorder.
    """

    platforms: tuple[str, ...]
    replace_interpret: bool = False
    options: Options | None = None
    captured: Captured | None = None
    target: Target | None = None
    jax_alone: bool = False
    emulated: Target | None = None
    recorder: Recorder | None = None


# The value is None where gridir is not installed.
_context: Any = jax.make_user_context(None)


def current() -> Installation | None:
    """Returns the installation of this thread, or None."""
    return _context.value


def set_global(installation: Installation) -> None:
    """Activates an installation on every thread without a separate one."""
    _context.set_global(installation)


def in_force(installation: Installation | None) -> contextlib.AbstractContextManager[Any]:
    """Activates an installation on this thread while the context is entered; None hides the current one."""
    return _context(installation)

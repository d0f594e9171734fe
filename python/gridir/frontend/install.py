# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether, and how, gridir compiles the kernels that JAX lowers."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from gridir.compiler.kernel import Kernel
from gridir.compiler.options import Options, with_checks
from gridir.compiler.targets import TARGETS
from gridir.errors import OptionError
from gridir.frontend import capture


class Captured(list[Kernel]):
    """The kernels that one `gridir.lower` has met; two lists are never the same, whatever they hold."""

    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


@dataclasses.dataclass(frozen=True)
class Installation:
    """What `install` was asked for. It is part of JAX's trace key, so a change of it makes JAX lower again.

    Attributes:
      platforms: the JAX platforms on which gridir takes the kernels.
      replace_interpret: whether it takes those that ask for interpret mode too.
      options: how kernels are compiled for the target that they are of; other targets take their defaults.
      captured: where `gridir.lower` collects kernels; None outside of it.
      jax_alone: whether JAX lowers every kernel itself, also those with parameters of gridir's own.
      interpret_mosaic: whether kernels on the CPU are lowered for a TPU, and the reference interpreter runs them.
    """

    platforms: tuple[str, ...]
    replace_interpret: bool = False
    options: Options | None = None
    captured: Captured | None = None
    jax_alone: bool = False
    interpret_mosaic: bool = False


# The value is None where gridir is not installed.
_context: Any = jax.make_user_context(None)
_register_once = threading.Lock()
_registered: set[str] = set()


def current() -> Installation | None:
    """Returns what is in force on this thread, or None."""
    return _context.value


def _make(platforms: tuple[str, ...], replace_interpret: bool, options: Options | None) -> Installation:
    """What runs kernels on these platforms."""
    targets = {target.platform: target for target in TARGETS.values()}
    runs = ", ".join(sorted(platform for platform, target in targets.items() if target.runs))
    for platform in platforms:
        if platform not in targets:
            raise OptionError(f"expected platforms among {runs}, got {platform!r}")
        if not targets[platform].runs:
            raise OptionError(
                f"expected platforms among {runs}, got {platform!r}, on which nothing launches gridir's kernels yet",
                notes=[f"gridir.lower(f, ..., target={targets[platform].name!r}) shows and assembles them"],
            )
        register(platform)
    return Installation(tuple(platforms), replace_interpret, options)


def register(platform: str) -> None:
    """Hooks JAX's lowering on a platform, once. Without an installation the hook hands everything to JAX."""
    with _register_once:
        if platform not in _registered:
            capture.register(platform, current)
            _registered.add(platform)


def install(
    *,
    platforms: tuple[str, ...] = ("cpu",),
    replace_interpret: bool = False,
    options: Options | None = None,
    checks: Sequence[str] = (),
    schedule_seed: int | None = None,
) -> None:
    """Makes JAX compile Pallas kernels with gridir, in every thread, from here on.

    Functions that JAX has compiled before are lowered again when they are next called. Inside `installed()` that
    takes precedence, on its thread.

    Args:
      platforms: the JAX platforms on which kernels are compiled with gridir.
      replace_interpret: also compile kernels that ask for `interpret=True`.
      options: how kernels are compiled.
      checks: what kernels on the CPU check while they run. "uninitialized" makes memory NaN, or the highest integer,
        until something is written to it; "races" makes an error of two accesses to one element, one of them a write,
        that nothing brings into an order.
      schedule_seed: runs parallel programs and copies on the CPU in an order that this number chooses, and copies as
        late as a wait for them allows; None for program order.

    Raises:
      OptionError: for a platform that gridir has no target for or launches no kernels on, and for a check that there
        is not.

    Example:
      >>> import gridir
      >>> gridir.install()
      >>> pl.pallas_call(kernel, out_shape=x)(x)  # native code
    """
    _context.set_global(_make(platforms, replace_interpret, with_checks(options, checks, schedule_seed)))


@contextlib.contextmanager
def installed(
    *,
    platforms: tuple[str, ...] = ("cpu",),
    replace_interpret: bool = False,
    options: Options | None = None,
    checks: Sequence[str] = (),
    schedule_seed: int | None = None,
) -> Iterator[None]:
    """As `install`, on this thread and while the context is entered. The innermost context is in force.

    Example:
      >>> with gridir.installed(replace_interpret=True):
      ...     y = f(x)
    """
    with _context(_make(platforms, replace_interpret, with_checks(options, checks, schedule_seed))):
        yield


@contextlib.contextmanager
def capturing(platform: str, replace_interpret: bool, options: Options) -> Iterator[Captured]:
    """Collects the kernels that JAX lowers on this thread while the context is entered."""
    captured = Captured()
    register(platform)
    with _context(Installation((platform,), replace_interpret, options, captured)):
        yield captured


@contextlib.contextmanager
def jax_alone() -> Iterator[None]:
    """Leaves every kernel that JAX lowers on this thread to JAX, for a comparison."""
    with _context(Installation((), jax_alone=True)):
        yield


@contextlib.contextmanager
def interpreting_mosaic() -> Iterator[None]:
    """Lowers every kernel of this thread for a TPU, and runs it on the CPU by the reference interpreter."""
    installation = _make(("cpu",), True, None)
    with _context(dataclasses.replace(installation, interpret_mosaic=True)):
        yield

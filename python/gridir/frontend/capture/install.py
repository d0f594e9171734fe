# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making gridir compile the kernels that JAX lowers, everywhere or within a context."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import functools
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from gridir.compiler.options import Options
from gridir.compiler.target import Target
from gridir.compiler.targets import CPU, TARGETS, TPU, all_targets, get_target, target_of_platform
from gridir.errors import OptionError
from gridir.frontend.capture import emitter
from gridir.frontend.capture.chips import choose_default
from gridir.frontend.capture.installation import Captured, Installation, in_force, set_global
from gridir.frontend.recording.recorder import Recorder
from gridir.frontend.recording.replay import FileRecorder
from gridir.frontend.targets.emulation import raising_own_errors

_register_once = threading.Lock()
_registered: set[str] = set()


def _make(
    platforms: tuple[str, ...],
    replace_interpret: bool,
    options: Options | None = None,
    checks: Sequence[str] = (),
    schedule_seed: int | None = None,
    emulate: str | None = None,
) -> Installation:
    """Returns the installation for these platforms."""
    choose_default()
    emulated = None if emulate is None else get_target(emulate)
    if emulated is not None:
        if tuple(platforms) != (CPU.platform,):
            raise OptionError(f"expected platforms=({CPU.platform!r},) with emulate={emulate!r}, got {platforms!r}")
        options = emulated.check_options(options)
    if checks or schedule_seed is not None:
        if CPU.platform not in platforms:
            raise OptionError(
                f"expected checks and schedule_seed with the platform {CPU.platform!r}, got platforms={platforms!r}",
                notes=["emulate= executes the code of another target on the CPU, with its checks"],
            )
        options = (options or CPU.options()).with_checks(checks, schedule_seed)
    for platform in platforms:
        if target_of_platform(platform) is None:
            known = sorted(target.platform for target in TARGETS.values())
            raise OptionError(f"expected platforms among {', '.join(known)}, got {platform!r}")
        register(platform)
    return Installation(tuple(platforms), replace_interpret, options, emulated=emulated, recorder=_recorder_asked_for())


def _recorder_asked_for() -> Recorder | None:
    """Returns the recorder for the directory in GRIDIR_RECORD; None if it is not set."""
    directory = os.environ.get("GRIDIR_RECORD")
    return _record_to(directory) if directory else None


@functools.cache
def _record_to(directory: str) -> Recorder:
    recorder = FileRecorder(Path(directory), program=os.path.basename(sys.argv[0]))
    # A call that fails ends the program, as a rule.
    atexit.register(recorder.keep_failed, "the call has not ended")
    return recorder


def register(platform: str) -> None:
    """Hooks JAX's lowering on a platform, once. Without an installation, the hook forwards everything to JAX."""
    with _register_once:
        if platform not in _registered:
            emitter.register(platform)
            _registered.add(platform)


def install(
    *,
    platforms: tuple[str, ...] = ("cpu",),
    replace_interpret: bool = False,
    options: Options | None = None,
    checks: Sequence[str] = (),
    schedule_seed: int | None = None,
    emulate: str | None = None,
) -> None:
    """Makes JAX compile Pallas kernels with gridir, in all threads.

    Functions that JAX has compiled before are lowered again when they are next called. Inside `installed()` that
    takes precedence, on its thread.

    Args:
      platforms: the JAX platforms on which kernels are compiled with gridir.
      replace_interpret: also compile kernels that ask for `interpret=True`.
      options: how kernels are compiled.
      checks: the checks of running kernels on the CPU. "uninitialized" reports reads of uninitialized memory, and
        outputs with elements that are not written; "races" reports two accesses to one element, one of them a write,
        that are unordered; "semaphores" reports semaphores that are not zero at the end of the kernel.
      schedule_seed: runs parallel programs and copies on the CPU in an order that this number chooses, and copies as
        late as a wait for them allows; None for program order.
      emulate: a target, as "gpu:sm_90a" or "tpu", whose code is executed on the CPU instead of native code: PTX by the
        executor of PTX, a Mosaic module by its interpreter. `options`, `checks` and `schedule_seed` are that target's.

    Raises:
      OptionError: for a platform that gridir has no target for, for an unknown check or on another platform
        than the CPU, and for `emulate` with an unknown target or on another platform than the CPU.

    Example:
      >>> import gridir
      >>> gridir.install()
      >>> pl.pallas_call(kernel, out_shape=x)(x)  # native code
    """
    set_global(_make(platforms, replace_interpret, options, checks, schedule_seed, emulate))


@contextlib.contextmanager
def installed(
    *,
    platforms: tuple[str, ...] = ("cpu",),
    replace_interpret: bool = False,
    options: Options | None = None,
    checks: Sequence[str] = (),
    schedule_seed: int | None = None,
    emulate: str | None = None,
) -> Iterator[None]:
    """Like `install`, for this thread while the context is entered. The innermost context is in force.

    Example:
      >>> with gridir.installed(replace_interpret=True):
      ...     y = f(x)
    """
    with in_force(_make(platforms, replace_interpret, options, checks, schedule_seed, emulate)):
        yield


@contextlib.contextmanager
def recording(
    recorder: Recorder, target: Target = CPU, options: Options | None = None, *, interpret: bool = False
) -> Iterator[None]:
    """Passes every call of a kernel that this thread lowers inside to a recorder.

    Args:
      recorder: is given the calls.
      target: the target whose code is executed on the CPU, and whose kernels the calls have.
      options: how kernels are compiled for it; None for its defaults.
      interpret: runs each kernel as JAX's interpret mode does, instead of compiling it. One that it cannot run is
        native code of the CPU.

    Raises: as `emulating`.
    """
    recorder.interprets = interpret
    installation = _make(("cpu",), True)
    options = target.check_options(options)
    with (
        raising_own_errors(),
        in_force(dataclasses.replace(installation, emulated=target, options=options, recorder=recorder)),
    ):
        yield


@contextlib.contextmanager
def capturing(target: Target, replace_interpret: bool, options: Options) -> Iterator[Captured]:
    """Collects the kernels that JAX lowers for a target on this thread while the context is entered."""
    captured = Captured()
    register(target.platform)
    # The options name the chip.
    target = all_targets()[target.name]
    with in_force(Installation((target.platform,), replace_interpret, options, captured, target)):
        yield captured


@contextlib.contextmanager
def jax_alone() -> Iterator[None]:
    """Leaves every kernel that JAX lowers on this thread to JAX, for a comparison."""
    with in_force(Installation((), jax_alone=True)):
        yield


@contextlib.contextmanager
def interpreting_mosaic() -> Iterator[None]:
    """Lowers every kernel of this thread for a TPU, and runs it on the CPU by the reference interpreter.

    Raises:
      ExecutionError: when a kernel fails whose results the code inside waits for.
    """
    with emulating(TPU):
        yield


@contextlib.contextmanager
def emulating(target: Target, options: Options | None = None) -> Iterator[None]:
    """Lowers every kernel of this thread for a target, and executes the target's code on the CPU.

    Args:
      target: the target.
      options: how kernels are compiled for it, and checked; None for its defaults.

    Raises:
      ExecutionError: when a Mosaic kernel fails whose results the code inside waits for.
      LaunchError: the same for a kernel of a GPU.
    """
    installation = _make(("cpu",), True)
    with raising_own_errors(), in_force(dataclasses.replace(installation, emulated=target, options=options)):
        yield

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's questions to a target: how calls of its kernels are traced, written, emulated and compiled."""

from __future__ import annotations

import abc
import contextlib
from typing import TYPE_CHECKING, Any

from gridir.compiler.target import Target, load_part

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel
    from gridir.frontend.compat.jax_calls import Emitter
    from gridir.frontend.lower import Lowered
    from gridir.frontend.request.kernel_request import KernelRequest
    from gridir.frontend.targets.emulation import Execute


class TargetHooks(abc.ABC):
    """The frontend's part of a target, which `Target.frontend` names.

    Attributes:
      takes_unions: whether one kernel is made of several meshes; else JAX's own compilers of each have them.
    """

    takes_unions = False

    def register(self, platform: str) -> None:  # noqa: B027  (XLA may know the call)
        """Registers the calls that `emitter` creates with XLA."""

    def tracing(self) -> contextlib.AbstractContextManager[Any]:
        """Returns the context in which JAX traces and lowers for the target, which may not be present."""
        return contextlib.nullcontext()

    def request_for(self, request: KernelRequest) -> KernelRequest:
        """Returns the request that is lowered for a kernel: the same one, or an equivalent one.

        Raises:
          UnsupportedError: when the kernel can only be lowered as another one, and that cannot be made.
        """
        return request

    def default_options(self, target: Target) -> Any:
        """Returns the default options for the devices of this process."""
        return target.options()

    def options_for(self, options: Any, request: KernelRequest) -> Any:
        """Returns the options of one kernel: those of the installation, and those of the call itself."""
        return options

    @abc.abstractmethod
    def emitter(self, kernel: Kernel, request: KernelRequest) -> Emitter:
        """Returns the emitter of the call of a kernel in JAX's module.

        Raises:
          OptionError: when a field of the author's record cannot be honoured.
          UnsupportedError: when the call cannot be made.
        """

    @abc.abstractmethod
    def executor(self, kernel: Kernel) -> Execute:
        """Returns the function that executes the target's code of a kernel on the CPU, on arrays of NumPy.

        Raises:
          CompileError: when a pass refuses the kernel.
        """

    @abc.abstractmethod
    def emulator(self, kernel: Kernel, request: KernelRequest) -> Emitter:
        """Returns the emitter of a call that executes the target's code on the CPU, instead of a kernel.

        Raises:
          CompileError: when a pass refuses the kernel.
        """

    @abc.abstractmethod
    def compile(self, lowered: Lowered, **options: Any) -> Any:
        """Compiles a lowered function and its kernels, as `Lowered.compile` says; other targets' options do nothing."""


def hooks_of(target: Target) -> TargetHooks:
    """Returns the frontend's part of a target."""
    hooks: TargetHooks = load_part(target.frontend)
    return hooks

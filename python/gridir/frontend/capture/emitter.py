# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a kernel that JAX is lowering to a call of the compiled kernel in JAX's module."""

from __future__ import annotations

import dataclasses
import logging
import threading
import weakref
from collections.abc import Hashable
from typing import Any

import jax

from gridir.compiler.kernel import Kernel, forget_progress, make_kernel
from gridir.compiler.passes import shared_context
from gridir.compiler.target import Target
from gridir.compiler.targets import CPU, target_of_platform
from gridir.errors import within_kernel
from gridir.frontend.capture.installation import Installation, current, in_force
from gridir.frontend.compat import jax_calls, jax_core, jax_interpret, jax_lowering
from gridir.frontend.lower_kernel import lower_kernel
from gridir.frontend.recording.recorder import Recorder
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.targets.hooks import hooks_of

_log = logging.getLogger("gridir")

# For each kernel jaxpr that is alive, the kernels made of it: kernels that are equal for JAX are lowered once.
_kernels: weakref.WeakKeyDictionary[Any, dict[Hashable, Kernel]] = weakref.WeakKeyDictionary()
_kernels_lock = threading.Lock()


def register(platform: str) -> None:
    """Hooks the kernel primitives of a platform, and the custom call where it is gridir's own."""
    target = target_of_platform(platform)
    assert target is not None, f"nothing was installed for {platform!r}"
    hooks = hooks_of(target)
    hooks.register(platform)

    def handle(request: KernelRequest, platform: str) -> jax_calls.Emitter | None:
        installation = current()
        is_ours = (
            installation is not None
            and platform in installation.platforms
            and (installation.replace_interpret or not request.interpret)
        )
        if installation is None or installation.captured is None:
            by = "gridir" if is_ours else "JAX's interpreter" if request.interpret else "JAX"
            _log.info("kernel %s for %s: compiled by %s", request.source or request.kernel_name, platform, by)
        if installation is None or not is_ours:
            return None
        recorder = installation.recorder
        if (emulated := installation.emulated) is not None:
            options = emulated.check_options(installation.options)
            kernel = get_kernel(request, emulated, hooks_of(emulated).options_for(options, request))
            if recorder is not None and recorder.interprets:
                emitter = _oracle(request, recorder)
            else:
                emitter = hooks_of(kernel.target).emulator(kernel, request)
        else:
            kernel, emitter = _kernel_and_emitter(request, installation.target or target, installation)
        return emitter if recorder is None else recorder.watch(emitter, kernel, request)

    jax_lowering.register_kernel_rules(platform, handle, takes_unions=hooks.takes_unions)


def _oracle(request: KernelRequest, recorder: Recorder) -> jax_calls.Emitter:
    """Returns the emitter of the reference results: interpret mode or, if that cannot run the kernel, the CPU."""
    try:
        function = jax_interpret.interpretation(request)
        # JAX raises the error about a missing rule when it lowers the function.
        jax.jit(function).lower(*(jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in request.in_avals))
    except Exception as error:
        # JAX raises errors of any class for programs that it cannot run.
        summary = str(error).strip().partition("\n")[0]
        recorder.not_interpreted[request.kernel_name] = f"{type(error).__name__}: {summary}"
        return _kernel_and_emitter(request, CPU, None)[1]
    return jax_calls.emit_function(function)


def emitter_of(request: KernelRequest, target: Target, installation: Installation | None) -> jax_calls.Emitter:
    """Returns the emitter of calls of a compiled kernel.

    Raises:
      UnsupportedError: when the kernel uses something that gridir cannot lower.
      CompileError: when it cannot be compiled, unless it is only being captured.
    """
    return _kernel_and_emitter(request, target, installation)[1]


def _kernel_and_emitter(
    request: KernelRequest, target: Target, installation: Installation | None
) -> tuple[Kernel, jax_calls.Emitter]:
    options = installation.options if installation is not None else None
    if not isinstance(options, target.options):
        options = hooks_of(target).default_options(target)
    kernel = get_kernel(request, target, hooks_of(target).options_for(options, request))
    if installation is None or installation.captured is None:
        # Compiled here, so that an error has the kernel's location and is not wrapped by XLA.
        kernel.prepare()
    elif kernel not in installation.captured:
        installation.captured.append(kernel)
        # Its stages will be looked at, after the call, whose text may be made of the last one.
        kernel.keep_stages()
    return kernel, hooks_of(kernel.target).emitter(kernel, request)


def get_kernel(request: KernelRequest, target: Target, options: Any) -> Kernel:
    """Returns the kernel of a request, from an earlier equal request if there was one.

    Raises:
      UnsupportedError: when the kernel uses something that gridir cannot lower.
    """
    # Rules see only these fields of the installation, so that kernels do not depend on others.
    with in_force(None):
        key = request_key(request, target, options)
        if key is not None:
            with _kernels_lock:
                kernel = _kernels.get(request.jaxpr, {}).get(key)
            if kernel is not None:
                return kernel
        with within_kernel(request.kernel_name, request.source):
            lowered = hooks_of(target).request_for(request)
            module = lower_kernel(lowered, shared_context(), platform=target.lowering_platform(options))
    kernel = make_kernel(module, target, options, grid_mapping=request.grid_mapping, source=request.source)
    if key is not None:
        with _kernels_lock:
            kernel = _kernels.setdefault(request.jaxpr, {}).setdefault(key, kernel)
    return kernel


def forget_kernels() -> None:
    """Forgets the lowered kernels and their results, so that everything is done again; for measurements."""
    with _kernels_lock:
        _kernels.clear()
    forget_progress()


def request_key(request: KernelRequest, target: Target, options: Any) -> Hashable | None:
    """All inputs of the lowering of a request except its jaxpr; None if a part cannot be compared."""
    fields = (getattr(request, field.name) for field in dataclasses.fields(request) if field.name != "jaxpr")
    # In metadata, 1 and True compare equal, but are different.
    key = (target, options, *fields, repr(request.metadata), jax_core.tracing_state())
    try:
        hash(key)
    except TypeError:
        # A record of the author's may hold a dict or an array; such a kernel is lowered each time.
        return None
    return key

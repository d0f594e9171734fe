# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the code of a target on the CPU, as a callback of the JAX program instead of each kernel."""

from __future__ import annotations

import collections
import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from gridir.errors import Error, UnsupportedError, within_kernel
from gridir.frontend.compat import jax_calls, jax_interpret
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.walk.types import is_semaphore

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel

Execute = Callable[[Sequence[np.ndarray], Sequence[jax.ShapeDtypeStruct], dict[int, int]], Sequence[np.ndarray]]
"""Returns the results of a kernel for its operands, the types of the results, and the aliases."""

# Recent errors, since XLA passes on only the text of an error in a callback.
_failures: collections.deque[Error] = collections.deque(maxlen=16)


def _is_of_jax(record: logging.LogRecord) -> bool:
    return record.exc_info is None or record.exc_info[1] not in _failures


# JAX writes the traceback of every error in a callback; these are raised, with the author's line.
jax_interpret.filter_callback_log(_is_of_jax)


def emitter(kernel: Kernel, request: KernelRequest, execute: Execute) -> jax_calls.Emitter:
    """Returns the emitter of a call of an emulator instead of a kernel."""
    if any(is_semaphore(aval.dtype) for aval in request.out_avals):
        raise UnsupportedError(
            "expected a kernel with semaphores of its own, got one that shares semaphores with another kernel",
            kernel=kernel.name,
        )
    results = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in request.out_avals]
    aliases = request.operand_aliases

    def run(*operands: Any) -> Sequence[np.ndarray]:
        try:
            with within_kernel(kernel.name, kernel.source):
                return execute([np.asarray(x) for x in operands], results, aliases)
        except Error as error:
            # For the consumer of the results.
            _failures.append(error)
            raise

    def call(*operands: Any) -> Sequence[Any]:
        return jax.pure_callback(run, results, *operands)

    return jax_calls.emit_function(call)


@contextlib.contextmanager
def raising_own_errors() -> Iterator[None]:
    """Raises an error of an emulator as itself, instead of XLA's version of it.

    Raises:
      Error: when a kernel that was called inside failed.
    """
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        for failure in reversed(_failures):
            if failure.message in str(error):
                raise failure from None
        raise

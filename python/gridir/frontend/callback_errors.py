# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of what executes kernels in callbacks of JAX programs, raised as themselves."""

from __future__ import annotations

import collections
import contextlib
import logging
from collections.abc import Iterator

import jax

from gridir.errors import Error
from gridir.frontend import jax_compat_interpret

# What has been raised of late: of an error in a callback XLA hands on the text only.
_failures: collections.deque[Error] = collections.deque(maxlen=16)


def _is_of_jax(record: logging.LogRecord) -> bool:
    return record.exc_info is None or record.exc_info[1] not in _failures


# JAX writes the traceback of every error in a callback; these are raised, with the author's line.
jax_compat_interpret.filter_callback_log(_is_of_jax)


@contextlib.contextmanager
def remembering_errors() -> Iterator[None]:
    """Keeps an error that is raised inside, in a callback, for who waits for the results."""
    try:
        yield
    except Error as error:
        _failures.append(error)
        raise


@contextlib.contextmanager
def raising_own_errors() -> Iterator[None]:
    """Raises an error of an emulator as itself, where XLA raises what it has made of it.

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

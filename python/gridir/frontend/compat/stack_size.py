# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Room for the frames of Python functions.

CPython keeps frames in chunks of 16 KiB, and frees a chunk as soon as its first frame returns. If a chunk ends just
below a function that is called repeatedly, each call maps and unmaps memory: lowering took up to 1.4 times as long. The
depth of the stack at that point depends on the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

# In words. CPython makes a chunk of the next power of two, in which as much again is free for the frames of what is
# called, more than loops nested twenty deep need; the words themselves are never touched.
_FRAME_SIZE = 8000


def with_room(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Returns the result of a function whose frames, and those of its callees, are in a separate chunk."""
    return function(*args, **kwargs)


# A frame that is too large for an existing chunk.
with_room.__code__ = with_room.__code__.replace(co_stacksize=_FRAME_SIZE)

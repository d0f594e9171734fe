# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The end of the help of every command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

USAGE = "the request is invalid"
"""The meaning of exit status 2."""


def manual(statuses: Mapping[int, str], examples: Sequence[str]) -> str:
    """Returns the end of a command's help: the meanings of its exit statuses, and examples.

    Args:
      statuses: the meaning of each exit status.
      examples: command lines.
    """
    lines = ["\b", "Exit status:", *(f"  {status}  {meaning}" for status, meaning in statuses.items())]
    return "\n".join([*lines, "", "\b", "Examples:", *(f"  {example}" for example in examples)])

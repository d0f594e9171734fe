# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file that a command writes, which is checked before the command does its work."""

from __future__ import annotations

import os
from typing import Any

import click


class OutputFile(click.Path):
    """A file in a directory that exists and can be written; the file itself need not exist."""

    def __init__(self, **options: Any):
        super().__init__(dir_okay=False, writable=True, **options)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `click.ParamType`."""
        directory = os.path.dirname(os.fspath(value)) or "."
        if not os.access(directory, os.W_OK):
            got = os.fspath(value)
            self.fail(f"expected a file in a directory that exists and can be written, got {got!r}", param, ctx)
        return super().convert(value, param, ctx)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output of a command: the file that it writes, which is checked before it does its work, and JSON."""

from __future__ import annotations

import json
import math
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


def json_text(record: Any) -> str:
    """Returns a record as one line of JSON. Infinity and NaN, which JSON does not have, are null."""
    return json.dumps(_finite(record), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(of_key) for key, of_key in value.items()}
    return [_finite(element) for element in value] if isinstance(value, list | tuple) else value

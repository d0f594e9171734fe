# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of the commands that run passes."""

from __future__ import annotations

from collections.abc import Sequence

import click

load_option = click.option(
    "--load",
    multiple=True,
    metavar="FILE|MODULE",
    help="Import a Python file or module that registers passes (gridir.passes); may be repeated.",
)


def load_passes(names: Sequence[str]) -> None:
    """Loads the arguments of `--load`, as `gridir.passes.load` does."""
    from gridir.passes import load

    for name in names:
        load(name)

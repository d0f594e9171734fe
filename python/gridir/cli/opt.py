# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir opt`: the same program as `gridir-opt`, and passes in Python."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence

import click

from gridir.cli.errors import short_errors
from gridir.cli.manual import manual
from gridir.cli.passes import load_option, load_passes


@click.command(
    epilog=manual(
        {
            0: "the passes ran",
            1: "a pass failed, or the command line is wrong",
            2: "the argument of --load is not a file",
        },
        [
            "gridir opt kernel.mlir --load my_passes.py --my-pass=factor=3",
            "gridir opt kernel.mlir --pass-pipeline='builtin.module(grid-to-cpu)' --mlir-pass-statistics",
        ],
    ),
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
    add_help_option=False,
)
@load_option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def opt(load: tuple[str, ...], arguments: tuple[str, ...]) -> None:
    """Runs passes on MLIR files: gridir-opt, with passes in Python.

    All arguments except --load are those of gridir-opt, which `gridir opt --help` lists.
    """
    from gridir.mlir._mlir_libs import _gridirDialects

    with short_errors(False, load[0] if load else ""):
        load_passes(load)
    reproducer = _reproducer(arguments)
    before = _changed_at(reproducer)
    status = _gridirDialects.opt_main(["gridir-opt", *arguments])
    if status != 0 and reproducer and _changed_at(reproducer) != before:
        command = ["gridir", "opt", *(part for name in load for part in ("--load", name))]
        click.echo(f"run again with: {shlex.join([*command, '--run-reproducer', reproducer])}", err=True)
    sys.exit(status)


def _reproducer(arguments: Sequence[str]) -> str:
    'The file for a failed pass; "" for none.'
    option = "mlir-pass-pipeline-crash-reproducer"
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        name, equals, path = argument.lstrip("-").partition("=")
        if argument.startswith("-") and name == option:
            return path if equals else following
    return ""


def _changed_at(path: str) -> int | None:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return None

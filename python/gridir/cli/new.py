# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir new`: a project of one's own with a pass."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

import gridir
from gridir.cli.manual import manual


@click.command(
    epilog=manual(
        {0: "the directory was written", 2: "there is one already"},
        ["gridir new my-passes", "gridir new --language cpp my-opt && cmake -S my-opt -B my-opt/build"],
    )
)
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--language",
    type=click.Choice(["python", "cpp"]),
    default="python",
    show_default=True,
    help="What the pass is written in.",
)
def new(directory: Path, language: str) -> None:
    """Writes a project that has a pass and its test, to be changed into one's own.

    In Python the pass is a function or a set of rewrite patterns, which --load makes known to the other commands. In
    C++ the project builds a gridir-opt with its pass, on the headers and archives of the installed package; MLIR is
    found among the Python packages beside gridir.
    """
    if directory.exists():
        raise click.UsageError(f"expected a directory that is not there yet, got {str(directory)!r}")
    template = Path(*gridir.__path__) / "templates" / language
    shutil.copytree(template, directory, ignore=shutil.ignore_patterns("__pycache__"))
    click.echo(f"wrote {directory}; its README.md says how to build and test it")

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir new`: a project of one's own with a pass or a dialect."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

import gridir
from gridir.cli.manual import manual


@click.command(
    epilog=manual(
        {0: "the directory was written", 2: "the directory already exists"},
        [
            "gridir new my-passes",
            "gridir new --language cpp my-opt && cmake -S my-opt -B my-opt/build",
            "gridir new --dialect my-dialect",
        ],
    )
)
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--language",
    type=click.Choice(["python", "cpp"]),
    help="The language of the pass; python by default.",
)
@click.option("--dialect", is_flag=True, help="Write a project with a dialect instead of a pass, in C++.")
def new(directory: Path, language: str | None, dialect: bool) -> None:
    """Writes a project with a pass, or a dialect, and its test, as a template.

    In Python the pass is a function or a set of rewrite patterns that --load registers for the other commands. In C++
    the project builds a gridir-opt with its pass, on the headers and archives of the installed package; MLIR is found
    among the Python packages beside gridir. The dialect has an op on values and one on Refs. gridir's analyses support
    both, and both run on the CPU.
    """
    if dialect and language == "python":
        raise click.UsageError("expected a dialect in C++, got --language python")
    if directory.exists():
        raise click.UsageError(f"expected a directory that is not there yet, got {str(directory)!r}")
    template = Path(*gridir.__path__) / "templates" / ("dialect" if dialect else language or "python")
    shutil.copytree(template, directory, ignore=shutil.ignore_patterns("__pycache__"))
    click.echo(f"wrote {directory}; its README.md says how to build and test it")

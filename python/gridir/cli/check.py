# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir check`: proofs about a function's kernels, without running them."""

from __future__ import annotations

import click

from gridir.cli.chip import chip_option
from gridir.cli.errors import Reported, short_errors
from gridir.cli.example import ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.module_file import is_module, read_module
from gridir.cli.output import json_text
from gridir.cli.progress import progress


@click.command(
    epilog=manual(
        {0: "no check is refuted", 1: "a check is refuted, or a kernel cannot be lowered", 2: USAGE},
        [
            "gridir check matmul.py",
            "gridir check --check written --json kernels.py:scale",
        ],
    )
)
@click.argument("file", type=ExampleParameter())
@click.option("--check", "checks", multiple=True, help="Run only this check; may be repeated.")
@chip_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def check(file: tuple[str, str | None], checks: tuple[str, ...], chip: str | None, as_json: bool, debug: bool) -> None:
    """Proves that a function's kernels stay in bounds and write all their outputs, without running them.

    Each check is proved, refuted with a program or an element as witness, or unknown, which does not mean correct.

    FILE is plain JAX. It defines FUNCTION, by default the function with the name of the file, and example_args(),
    which returns its arguments. FILE.mlir is a module of the stage grid, and
    FILE.mlir:KERNEL one of its kernels.
    """
    with short_errors(debug, file[0]), progress() as tell:
        import gridir
        from gridir.compiler.checks import CHECKS, check_kernel
        from gridir.frontend.recording.module_records import kernels_of

        unknown = [name for name in checks if name not in CHECKS]
        if unknown:
            raise Reported(f"expected a check, {', '.join(CHECKS)}, got {unknown[0]}", 2)
        tell(f"proving what can be proved of {file[0]}")
        if is_module(file[0]):
            kernels = kernels_of(read_module(*file))
        else:
            example = load_example(*file, chip)
            kernels = example.check_kernels(gridir.lower(example.function, *example.args).kernels)
        reports = [check_kernel(kernel, checks) for kernel in kernels]
    if as_json:
        click.echo(json_text([report.to_json() for report in reports]))
    else:
        click.echo("\n\n".join(map(str, reports)))
    if any(report.refuted for report in reports):
        raise click.exceptions.Exit(1)

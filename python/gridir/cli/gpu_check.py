# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir gpu-check`: what NVIDIA's assembler makes of a function's kernels, with no GPU."""

from __future__ import annotations

import json

import click

from gridir.cli.errors import short_errors
from gridir.cli.example import ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.progress import progress


@click.command(
    "gpu-check",
    epilog=manual(
        {0: "ptxas accepts every kernel, and none spills registers", 1: "one spills; or does not compile", 2: USAGE},
        [
            "gridir gpu-check matmul.py",
            "gridir gpu-check --chip sm_80 --json kernels.py:scale",
        ],
    ),
)
@click.argument("file", type=ExampleParameter())
@click.option("--chip", default="sm_90a", show_default=True, help="The chip to compile for.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show all of an error.")
def gpu_check(file: tuple[str, str | None], chip: str, as_json: bool, debug: bool) -> None:
    """Compiles the kernels of a function to PTX, assembles them with ptxas, and reports on each.

    FILE is plain JAX. It holds FUNCTION, which is named like the file unless you say otherwise, and example_args(),
    which gives its arguments.
    """
    with short_errors(debug, file[0]), progress() as tell:
        import gridir

        example = load_example(*file)
        tell(f"compiling {example.name} for {chip}")
        report = gridir.lower(example.function, *example.args, target=f"gpu:{chip}").compile()
    click.echo(json.dumps(report.to_json()) if as_json else str(report))
    if any(kernel.cubin.spill_bytes for kernel in report.kernels):
        raise click.exceptions.Exit(1)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir targets`: which targets and chips accept a function's kernels, who refuses them, and why."""

from __future__ import annotations

import click

from gridir.cli.chip import chip_option
from gridir.cli.errors import short_errors
from gridir.cli.example import ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.output import json_text
from gridir.cli.progress import progress


@click.command(
    epilog=manual(
        {
            0: "every requested target accepts every kernel, or the result is unknown",
            1: "a target rejects a kernel",
            2: USAGE,
        },
        [
            "gridir targets matmul.py",
            "gridir targets --target tpu:v6e --target gpu:sm_80 --json kernels.py:scale",
        ],
    )
)
@click.argument("file", type=ExampleParameter())
@click.option(
    "--target",
    "targets",
    multiple=True,
    help="Check only this target, for example cpu, tpu:v6e or gpu:sm_80; may be repeated.",
)
@click.option("--jobs", default=2, show_default=True, help="Run this many processes of libtpu at the same time.")
@click.option("--timeout", default=300.0, show_default=True, help="Stop libtpu after this many seconds.")
@chip_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def targets(
    file: tuple[str, str | None],
    targets: tuple[str, ...],
    jobs: int,
    timeout: float,
    chip: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Lists the targets and chips that accept the kernels of a function, and the reasons of the others.

    No kernel is executed, and neither a TPU nor a GPU is needed. gridir compiles a kernel for each target; libtpu then
    compiles it for every generation of TPUs, and ptxas assembles it for GPUs. One row of the table is one kernel for
    one chip: accepted or rejected, by gridir, libtpu or ptxas, and its resources there. A rejection is followed by the
    reason, the source line, and the nearest change that would be accepted, if it is known. The result is unknown if
    libtpu or ptxas is not installed.

    FILE is plain JAX. It defines FUNCTION, by default the function with the name of the file, and example_args(),
    which returns its arguments.
    """
    with short_errors(debug, file[0]), progress() as show:
        import gridir

        example = load_example(*file, chip)
        explanation = gridir.explain(
            example.function, *example.args, targets=targets, jobs=jobs, timeout=timeout, progress=show
        )
        example.check_kernels(explanation.verdicts)
    click.echo(json_text(explanation.to_json()) if as_json else str(explanation))
    if explanation.refused:
        raise click.exceptions.Exit(1)

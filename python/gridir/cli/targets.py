# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir targets`: which targets and chips accept a function's kernels, who refuses them, and why."""

from __future__ import annotations

import json

import click

from gridir.cli.chip import chip_option
from gridir.cli.errors import short_errors
from gridir.cli.example import ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.progress import progress


@click.command(
    epilog=manual(
        {
            0: "every target that was asked accepts every kernel, or nobody could decide",
            1: "a target refuses a kernel",
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
    help="Ask only for this one, as cpu, tpu:v6e or gpu:sm_80; may be given several times.",
)
@click.option("--jobs", default=2, show_default=True, help="Let this many processes of libtpu run at once.")
@click.option("--timeout", default=300.0, show_default=True, help="Give libtpu up after this many seconds.")
@chip_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show all of an error.")
def targets(
    file: tuple[str, str | None],
    targets: tuple[str, ...],
    jobs: int,
    timeout: float,
    chip: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Says which targets and chips accept the kernels of a function, who refuses them, and why.

    Nothing is executed, and neither a TPU nor a GPU is needed. A kernel is compiled by gridir for each target; libtpu
    then compiles it for every generation of TPUs, and ptxas assembles it for GPUs. One row of the table is one kernel
    for one chip: whether it is accepted; by whom, gridir, libtpu or ptxas; and what it takes there. Below a row that
    is refused are the reason, the author's line, and the nearest change that would be accepted, where that is known.
    A verdict is unknown where libtpu or ptxas is not installed.

    FILE is plain JAX. It holds FUNCTION, which is named like the file unless you say otherwise, and example_args(),
    which gives its arguments.
    """
    with short_errors(debug, file[0]), progress() as show:
        import gridir

        example = load_example(*file, chip)
        explanation = gridir.explain(
            example.function, *example.args, targets=targets, jobs=jobs, timeout=timeout, progress=show
        )
        example.check_kernels(explanation.verdicts)
    click.echo(json.dumps(explanation.to_json()) if as_json else str(explanation))
    if explanation.refused:
        raise click.exceptions.Exit(1)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir tpu-check`: a function's kernels as the Mosaic compiler compiles them, without a TPU."""

from __future__ import annotations

import textwrap

import click

from gridir.cli.errors import short_errors
from gridir.cli.example import ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.output import json_text
from gridir.cli.progress import progress


@click.command(
    "tpu-check",
    epilog=manual(
        {0: "libtpu accepts every kernel", 1: "a kernel is not accepted", 2: USAGE},
        [
            "gridir tpu-check --compare matmul.py",
            "gridir tpu-check --lines attention.py",
            "gridir tpu-check --topology v6e:2x2 --keep files kernels.py:scale",
        ],
    ),
)
@click.argument("file", type=ExampleParameter())
@click.option("--topology", default="v5e:2x2", show_default=True, help="The chips to compile for, with libtpu's names.")
@click.option("--compare", is_flag=True, help="Also compile the kernels from JAX's own lowering.")
@click.option(
    "--lines",
    is_flag=True,
    help="Also print cycles by source line, by loop and by functional unit, and spills.",
)
@click.option("--jobs", default=2, show_default=True, help="Compile this many kernels at the same time.")
@click.option("--timeout", default=300.0, show_default=True, help="Stop a compilation after this many seconds.")
@click.option(
    "--keep", type=click.Path(file_okay=False), help="Keep libtpu's files about each kernel in this directory."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def tpu_check(
    file: tuple[str, str | None],
    topology: str,
    compare: bool,
    lines: bool,
    jobs: int,
    timeout: float,
    keep: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Compiles the kernels of a function with libtpu, which needs no TPU, and reports on each.

    A bundle is a VLIW instruction, and counts as one cycle each time that it runs. A branch counts at the steps of
    the grid at which its condition holds; where the condition depends on data, it counts at every step. Waits for
    copies do not count. The predicted time also has the copies of blocks. With --lines, lines whose operations are
    in one bundle share its cycles equally; bundles of loops, copies and waits belong to no line.

    FILE is plain JAX. It defines FUNCTION, by default the function with the name of the file, and example_args(),
    which returns its arguments.
    """
    with short_errors(debug, file[0]), progress() as tell:
        from gridir import tpu
        from gridir.frontend.capture.chips import chip_of_topology

        example = load_example(*file, chip_of_topology(topology))
        tell(f"waiting for libtpu, which compiles {example.name}")
        report = tpu.aot(
            example.function,
            *example.args,
            topology=topology,
            compare=compare,
            jobs=jobs,
            timeout=timeout,
            keep=keep,
        )
    if as_json:
        click.echo(json_text(report.to_json(profile=lines)))
    else:
        click.echo(str(report))
        for kernel in (*report.kernels, *report.jax) if lines else ():
            if kernel.accepted and kernel.steps is not None:
                click.echo(
                    f"\n{kernel.name} ({kernel.lowering}), by grid step\n{textwrap.indent(str(kernel.steps), '  ')}"
                )
            if kernel.accepted:
                click.echo(
                    f"\n{kernel.name} ({kernel.lowering}), by line\n{textwrap.indent(str(kernel.profile()), '  ')}"
                )
    if debug:
        for kernel in (*report.kernels, *report.jax):
            if kernel.error is not None and kernel.error.details:
                click.echo(kernel.error.details, err=True)
    if not report.accepted:
        raise click.exceptions.Exit(1)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir report`: a function's kernels as one HTML file."""

from __future__ import annotations

import os

import click

from gridir.cli.chip import chip_option
from gridir.cli.errors import short_errors
from gridir.cli.example import ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.output import OutputFile, json_text
from gridir.cli.progress import progress


@click.command(
    epilog=manual(
        {
            0: "the report was written",
            1: "the report was written, and a check is refuted; or no kernel could be lowered",
            2: USAGE,
        },
        [
            "gridir report matmul.py",
            "gridir report --target tpu:v6e -o scale.html kernels.py:scale",
        ],
    )
)
@click.argument("file", type=ExampleParameter())
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    help="The file to write; by default FUNCTION.html, and - for stdout.",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    help="Show this target, for example tpu:v6e or gpu:sm_80; may be repeated. By default cpu, tpu:v5e, gpu:sm_90a.",
)
@click.option("--run/--no-run", default=True, show_default=True, help="Run the function on this machine's CPU.")
@click.option("--timeout", default=300.0, show_default=True, help="Stop libtpu after this many seconds.")
@chip_option
@click.option("--json", "as_json", is_flag=True, help="Print the data of the report as one JSON record instead.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def report(
    file: tuple[str, str | None],
    output: str | None,
    targets: tuple[str, ...],
    run: bool,
    timeout: float,
    chip: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Writes one HTML file that shows the kernels of a function, on every target.

    The file needs no other files and no network. For each kernel it has

    \b
      - the grid, program by program, and the block of each operand that a program reads or writes: overlapping,
      overhanging and revisited blocks, and those that a prefetched index selected in this run
      - the results of `gridir check`, with the program or element that is the witness
      - the source beside every stage of every target, PTX, SASS and the bundles of a TPU: selecting a line highlights
      the code that was generated from it, and vice versa
      - the memory of each argument, with its padding
      - operations, bytes and the bounds that they set on each chip; the time on this CPU, bundles, registers, spills
      - rejections, with the reason and the source line

    The command needs neither a TPU nor a GPU, but the packages of the extra report: pip install 'gridir[report]'.
    Results of libtpu, ptxas and nvdisasm are left out if these are not installed.

    FILE is plain JAX. It defines FUNCTION, by default the function with the name of the file, and example_args(),
    which returns its arguments.
    """
    with short_errors(debug, file[0]), progress() as show:
        from gridir.report.build import build_report
        from gridir.report.render import render

        example = load_example(*file, chip)
        data = build_report(
            example.function,
            example.args,
            name=example.name,
            path=os.path.abspath(file[0]),
            targets=targets,
            run=run,
            timeout=timeout,
            progress=show,
        )
        example.check_kernels(data.kernels)
        text = json_text(data.to_json()) if as_json else render(data)
    if as_json:
        click.echo(text)
    else:
        path = output or f"{example.name}.html"
        with click.open_file(path, "w", encoding="utf-8") as opened:
            opened.write(text)
        if path != "-":
            number = len(data.kernels)
            click.echo(f"wrote {path}: {number} kernel{'' if number == 1 else 's'}, {len(text) / 1e6:.1f} MB")
    if any(kernel.checks.refuted for kernel in data.kernels):
        raise click.exceptions.Exit(1)

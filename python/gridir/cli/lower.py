# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir lower`: shows a function's kernels at a stage."""

from __future__ import annotations

import os

import click

from gridir.cli.chip import chip_option
from gridir.cli.errors import short_errors
from gridir.cli.example import ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.output import json_text
from gridir.cli.passes import load_option, load_passes


@click.command(
    epilog=manual(
        {0: "the kernels were lowered", 1: "a kernel does not reach the stage, or a pass fails", 2: USAGE},
        [
            "gridir lower matmul.py --stage loops",
            "gridir lower kernels.py:scale --target tpu --stage tpu --locations",
            "gridir lower matmul.py --stage loops --load my_passes.py --pipeline my-pass --statistics",
            "gridir lower matmul.py --save-stages stages",
        ],
    )
)
@click.argument("file", type=ExampleParameter())
@click.option(
    "--target", default="cpu", show_default=True, help="The target: cpu, tpu, gpu, or a chip such as gpu:sm_80."
)
@click.option("--stage", default=None, help="The stage to print; by default the first. See --list-stages.")
@click.option("--list-stages", is_flag=True, help="List the stages of the target and stop.")
@click.option(
    "--pipeline", default="", help="Run these passes on the kernels at that stage, for example canonicalize,cse."
)
@load_option
@click.option("--print-ir-after-all", is_flag=True, help="Print the IR after each pass to stderr.")
@click.option("--timing", is_flag=True, help="Print the time of each pass to stderr.")
@click.option("--statistics", is_flag=True, help="Print the statistics of each pass to stderr.")
@click.option("--save-stages", type=click.Path(file_okay=False), help="Write every stage to a file in this directory.")
@click.option("--locations", is_flag=True, help="Print the location of each op in the kernel.")
@chip_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def lower(
    file: tuple[str, str | None],
    target: str,
    stage: str | None,
    list_stages: bool,
    pipeline: str,
    load: tuple[str, ...],
    print_ir_after_all: bool,
    timing: bool,
    statistics: bool,
    save_stages: str | None,
    locations: bool,
    chip: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Lowers the kernels of a function and prints them as MLIR.

    FILE is plain JAX. It defines FUNCTION, by default the function with the name of the file, and example_args(),
    which returns its arguments. - is standard input; its FUNCTION is the last one besides example_args().
    """
    with short_errors(debug, file[0]):
        import gridir
        from gridir.compiler.targets import get_target

        chosen = get_target(target)
        if list_stages:
            click.echo(json_text(chosen.stages) if as_json else "\n".join(chosen.stages))
            return
        load_passes(load)
        example = load_example(*file, chip)
        lowered = gridir.lower(example.function, *example.args, target=target)
        told = {"print_after_all": print_ir_after_all, "timing": timing, "statistics": statistics}
        records = []
        for kernel in example.check_kernels(lowered.kernels):
            if save_stages is not None:
                _save_stages(kernel, save_stages, locations)
            # Kernels of one target may have different stages.
            at = stage or kernel.stages[0]
            text = kernel.text(at, pipeline=pipeline, locations=locations, **told)
            records.append({"name": kernel.name, "target": target, "stage": at, "text": text})
            if not as_json:
                click.echo(text)
    if as_json:
        click.echo(json_text(records))


def _save_stages(kernel, directory: str, locations: bool) -> None:
    os.makedirs(directory, exist_ok=True)
    for number, stage in enumerate(kernel.stages):
        path = os.path.join(directory, f"{kernel.name}.{number}-{stage}.{kernel.target.suffix(stage)}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(kernel.text(stage, locations=locations))

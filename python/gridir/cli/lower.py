# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir lower`: shows a function's kernels at a stage."""

from __future__ import annotations

import os

import click

from gridir.cli.errors import short_errors
from gridir.cli.example import ExampleParameter, load_example


@click.command()
@click.argument("file", type=ExampleParameter())
@click.option("--target", default="cpu", show_default=True, help="What to compile for: cpu, tpu, gpu, gpu:sm_80.")
@click.option("--stage", default=None, help="The stage to show; the first, if none is named. See --list-stages.")
@click.option("--list-stages", is_flag=True, help="List the stages of the target and stop.")
@click.option("--print-ir-after-all", is_flag=True, help="Write the IR after each pass on the way to stderr.")
@click.option("--save-stages", type=click.Path(file_okay=False), help="Write every stage to files in this directory.")
@click.option("--locations", is_flag=True, help="Show where in the kernel each op comes from.")
@click.option("--debug", is_flag=True, help="Show all of an error.")
def lower(
    file: tuple[str, str | None],
    target: str,
    stage: str | None,
    list_stages: bool,
    print_ir_after_all: bool,
    save_stages: str | None,
    locations: bool,
    debug: bool,
) -> None:
    """Lowers the kernels of a function and prints them as MLIR.

    FILE is plain JAX. It holds FUNCTION, which is named like the file unless you say otherwise, and example_args(),
    which gives its arguments.
    """
    with short_errors(debug, file[0]):
        import gridir
        from gridir.compiler.targets import get_target

        chosen = get_target(target)
        if list_stages:
            click.echo("\n".join(chosen.stages))
            return
        stage = chosen.check_stage(stage or chosen.stages[0])
        example = load_example(*file)
        lowered = gridir.lower(example.function, *example.args, target=target)
        for kernel in example.check_kernels(lowered.kernels):
            if save_stages is not None:
                _save_stages(kernel, save_stages, locations)
            click.echo(kernel.text(stage, locations=locations, print_after_all=print_ir_after_all))


def _save_stages(kernel, directory: str, locations: bool) -> None:
    os.makedirs(directory, exist_ok=True)
    for number, stage in enumerate(kernel.stages):
        path = os.path.join(directory, f"{kernel.name}.{number}-{stage}.{kernel.target.suffix(stage)}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(kernel.text(stage, locations=locations))

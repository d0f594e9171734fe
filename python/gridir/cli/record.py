# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir record`: keeps each call of a kernel that a function makes in a file."""

from __future__ import annotations

from pathlib import Path

import click

from gridir.cli.chip import chip_option
from gridir.cli.errors import Reported, describe, short_errors
from gridir.cli.example import ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.output import json_text
from gridir.cli.progress import progress


@click.command(
    epilog=manual(
        {0: "the calls were recorded", 1: "a kernel does not compile, or fails", 2: USAGE},
        [
            "gridir record kernel.py -o calls",
            "GRIDIR_RECORD=calls python train.py       # any program that calls gridir.install()",
            "gridir replay calls/*.gridir --target gpu",
        ],
    )
)
@click.argument("file", type=ExampleParameter())
@click.option(
    "--target",
    default="cpu",
    show_default=True,
    help="The target: cpu, tpu, gpu, or a chip such as gpu:sm_80.",
    metavar="NAME",
)
@click.option(
    "-o",
    "--output",
    default="records",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The directory of the recordings, which is created. Existing files are not overwritten.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Record this seed instead of the float operands, which it determines, and the results for "
    "these operands. Integers and bools, which may be indices and masks, are recorded.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), help="Record at most this number of calls of a kernel; by default all."
)
@chip_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def record(
    file: tuple[str, str | None],
    target: str,
    output: Path,
    seed: int | None,
    limit: int | None,
    chip: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Runs a function on its example arguments, and records each call of a kernel in a file.

    A file contains everything that gridir replay needs to run the kernel again, on any machine and for any target,
    without the program: the module, the target and its options, the operands, the results, the time, and the versions
    of all components. It is an archive of JSON, MLIR and arrays. Only the kernel in it is executed. It contains the
    data of the kernel, unless --seed is given.

    FILE is plain JAX, or FILE:FUNCTION. It defines the function, by default the one with the name of the file, and
    example_args(), which returns its arguments.
    """
    with short_errors(debug, file[0]):
        import jax

        from gridir.compiler.targets import get_target
        from gridir.frontend.capture.install import recording
        from gridir.frontend.recording.replay import FileRecorder

        chosen = get_target(target)
        example = load_example(*file, chip)
        recorder = FileRecorder(output, program=f"{file[0]}:{example.name}", seed=seed, limit=limit)
        with progress() as tell:
            tell(f"running {example.name}")
            try:
                with recording(recorder, chosen):
                    jax.block_until_ready(jax.jit(example.function)(*example.args))
            except Exception as error:
                # XLA may raise an exception of any class for an error of the kernel.
                recorder.keep_failed(describe(error))
                for path in recorder.paths:
                    click.echo(str(path), err=as_json)
                raise
            tell("running the kernels on operands that are drawn")
            recorder.close()
        if not recorder.paths and not recorder.skipped:
            raise Reported(f"{example.name} calls no Pallas kernel", 2)
    if as_json:
        click.echo(json_text({"files": list(map(str, recorder.paths)), "skipped": recorder.skipped}))
    else:
        for path in recorder.paths:
            click.echo(str(path))
        for name, reason in recorder.skipped.items():
            click.echo(f"{name} is not kept: {reason}", err=True)

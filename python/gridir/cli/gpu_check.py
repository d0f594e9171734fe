# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir gpu-check`: a function's kernels as NVIDIA's assembler compiles them, without a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gridir.cli.errors import short_errors
from gridir.cli.example import ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.output import json_text
from gridir.cli.progress import progress

if TYPE_CHECKING:
    from gridir.cli.example import Example
    from gridir.runtime.ptxas import Code, Report
    from gridir.runtime.ptxas.peer import Pipeline


@click.command(
    "gpu-check",
    epilog=manual(
        {
            0: "ptxas accepts every kernel, and none spills registers",
            1: "a kernel spills, or does not compile",
            2: USAGE,
        },
        [
            "gridir gpu-check matmul.py",
            "gridir gpu-check --chip sm_80 --json kernels.py:scale",
            "gridir gpu-check --compare attention.py",
        ],
    ),
)
@click.argument("file", type=ExampleParameter())
@click.option("--chip", default="sm_90a", show_default=True, help="The chip to compile for.")
@click.option("--compare", is_flag=True, help="Also compile with JAX's own pipeline for Mosaic GPU, and compare.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def gpu_check(file: tuple[str, str | None], chip: str, compare: bool, as_json: bool, debug: bool) -> None:
    """Compiles the kernels of a function to PTX, assembles them with ptxas, and reports on each.

    FILE is plain JAX. It defines FUNCTION, by default the function with the name of the file, and example_args(),
    which returns its arguments. --compare needs gridir[peer,report].
    """
    with short_errors(debug, file[0]), progress() as tell:
        pipeline = _open_pipeline() if compare else None
        import gridir

        example = load_example(*file)
        tell(f"compiling {example.name} for {chip}")
        report = gridir.lower(example.function, *example.args, target=f"gpu:{chip}").compile()
        record = report.to_json()
        text = str(report)
        if pipeline is not None:
            tell(f"compiling {example.name} by JAX's pipeline")
            tables = _compare(report, example, chip, pipeline)
            for kernel, codes in zip(record["kernels"], tables, strict=True):
                kernel["codes"] = {name: code.to_json() for name, code in codes.items()}
            text = _show(report, tables)
    click.echo(json_text(record) if as_json else text)
    if any(kernel.cubin.spill_bytes for kernel in report.kernels):
        raise click.exceptions.Exit(1)


def _open_pipeline() -> Pipeline:
    # Before JAX is imported.
    from gridir.runtime.ptxas.peer import Pipeline

    return Pipeline()


def _compare(report: Report, example: Example, chip: str, pipeline: Pipeline) -> list[dict[str, Code]]:
    """The machine code of each kernel, by the name of its compiler."""
    from gridir.errors import UnsupportedError
    from gridir.frontend.compat.jax_peer import lower_to_mosaic
    from gridir.runtime.gpu.chips import capability_of
    from gridir.runtime.ptxas import Code, assemble

    capability, _ = capability_of(chip)
    pipeline.driver.pretend(*capability)
    modules = lower_to_mosaic(example.function, example.args, chip)
    if len(modules) != len(report.kernels):
        raise UnsupportedError(
            f"expected as many kernels of Mosaic GPU from JAX as from gridir, {len(report.kernels)}, got {len(modules)}"
        )
    tables = []
    for kernel, module in zip(report.kernels, modules, strict=True):
        peer = pipeline.compile(module)
        cubin = assemble(peer.ptx, chip, kernel=kernel.name)
        tables.append(
            {
                "gridir": Code.of(kernel.cubin, kernel.shared_bytes),
                "JAX": Code.of(cubin, peer.dynamic_shared_bytes),
            }
        )
    return tables


def _show(report: Report, tables: list[dict[str, Any]]) -> str:
    from gridir.runtime.ptxas import compare

    parts = [f"ptxas for {report.chip}"]
    for kernel, codes in zip(report.kernels, tables, strict=True):
        parts += [kernel.name, compare(codes)]
    return "\n".join(parts)

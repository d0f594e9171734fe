# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir build`: compiles a function's kernels for a GPU into one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gridir.cli.chip import chip_option
from gridir.cli.errors import short_errors
from gridir.cli.example import ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.output import OutputFile, json_text
from gridir.cli.progress import progress

if TYPE_CHECKING:
    from gridir.runtime.gpu import Bundle


@click.command(
    "build",
    epilog=manual(
        {0: "the file was written", 1: "a kernel does not compile, or cannot be bundled", 2: USAGE},
        [
            "gridir build add.py -o add.gridir",
            "gridir build kernels.py:scale --target gpu:sm_80 -o scale.gridir",
            "gridir build attention.py --ptx-only -o attention.gridir",
        ],
    ),
)
@click.argument("file", type=ExampleParameter())
@click.option("-o", "--output", required=True, type=OutputFile(), help="The file to write.")
@click.option("--target", default="gpu:sm_90a", show_default=True, help="The GPU to compile for.")
@click.option(
    "--cubin",
    "cubins",
    multiple=True,
    metavar="CHIP",
    help="Assemble machine code for this chip; may be repeated. The target's chip, if none is named.",
)
@click.option("--ptx-only", is_flag=True, help="Assemble no machine code; the driver compiles the PTX.")
@chip_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def build(
    file: tuple[str, str | None],
    output: str,
    target: str,
    cubins: tuple[str, ...],
    ptx_only: bool,
    chip: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Compiles the kernels of a function for a GPU, and writes them to one file with all that a launch needs.

    FILE is plain JAX. It defines FUNCTION, by default the function with the name of the file, and example_args(),
    which returns its arguments. gridir.runtime.gpu.load() launches the kernels of the file, and needs no compiler.
    """
    if ptx_only and cubins:
        raise click.UsageError("expected --cubin or --ptx-only, got both")
    with short_errors(debug, file[0]), progress() as tell:
        import gridir
        from gridir.compiler.bundle import bundle_of
        from gridir.compiler.gpu import GpuTarget
        from gridir.compiler.targets import get_target
        from gridir.errors import OptionError
        from gridir.runtime.gpu import write_bundle

        chosen = get_target(target)
        if not isinstance(chosen, GpuTarget):
            raise OptionError(f"expected a GPU as the target, as gpu:sm_90a, got {target!r}")
        example = load_example(*file, chip)
        tell(f"compiling {example.name} for {target}")
        kernels = gridir.lower(example.function, *example.args, target=target).kernels
        chips = () if ptx_only else cubins or (chosen.check_options(None).chip,)
        bundle = bundle_of(example.check_kernels(kernels), chips)
        write_bundle(bundle, output)
    click.echo(json_text(_record(bundle, output)) if as_json else _format(bundle, output))


def _record(bundle: Bundle, output: str) -> dict[str, Any]:
    return {
        "file": output,
        "versions": bundle.versions,
        "kernels": [
            {"name": kernel.name, "chip": kernel.chip, "cubins": list(kernel.cubins), "launch": kernel.launch.to_json()}
            for kernel in bundle.kernels
        ],
    }


def _format(bundle: Bundle, output: str) -> str:
    lines = [f"{output}: {len(bundle.kernels)} kernel{'s' if len(bundle.kernels) != 1 else ''}"]
    for kernel in bundle.kernels:
        launch = kernel.launch
        ctas = "a dynamic number of" if launch.ctas is None else launch.ctas
        images = ", ".join(["PTX", *(f"cubin {chip}" for chip in kernel.cubins)])
        lines.append(f"  {kernel.name} for {kernel.chip}: {images}; {ctas} CTAs of {launch.threads} threads")
        lines += [
            f"    {'output' if x.is_output else 'input'} {x.name}: {x}"
            + ("" if x.alias is None else f", in the memory of {kernel.operands[x.alias].name}")
            for x in kernel.operands
        ]
    return "\n".join(lines)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir tune`: the best block sizes of a function for a chip, without the chip."""

from __future__ import annotations

from typing import Any

import click

from gridir.cli.errors import Reported, short_errors
from gridir.cli.example import Example, ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.output import OutputFile, json_text
from gridir.cli.progress import progress

_INTERRUPTED = 130


@click.command(
    epilog=manual(
        {
            0: "a configuration is legal",
            1: "none is legal, or the function fails",
            2: USAGE,
            _INTERRUPTED: "interrupted; the same command continues",
        },
        [
            "gridir tune --target tpu:v5e --space block=128,256,512 matmul.py",
            "gridir tune --target cpu --json kernels.py:scale",
            "gridir tune --tier estimate --constants chips.toml -o best.json attention.py",
        ],
    )
)
@click.argument("file", type=ExampleParameter())
@click.option("--target", default="tpu:v5e", show_default=True, help="The chip: cpu, or as tpu:v6e or gpu:sm_90a.")
@click.option(
    "--space",
    "space",
    multiple=True,
    metavar="NAME=VALUE,VALUE",
    help="The values of a keyword argument; may be repeated. By default those that the file's tuning_space() returns.",
)
@click.option(
    "--tier",
    type=click.Choice(["estimate", "compile", "measure"]),
    help="The last tier. By default a TPU or GPU compiles, and the CPU measures.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=16,
    show_default=True,
    help="The number of configurations that go to the next tier.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Compile in this many processes at the same time.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=120.0,
    show_default=True,
    help="Stop a compilation after this many seconds.",
)
@click.option(
    "--lowering",
    default="gridir",
    show_default=True,
    type=click.Choice(["gridir", "jax"]),
    help="The lowering of the kernels that are compiled. JAX's, on a GPU, is Triton, and needs gridir[peer].",
)
@click.option(
    "--check/--no-check", default=True, show_default=True, help="Run the checks of `gridir check` on the proposals."
)
@click.option(
    "--proposals",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="The number of the first configurations that are checked.",
)
@click.option(
    "--check-seconds",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    help="Check no further proposal after this many seconds.",
)
@click.option("--races", is_flag=True, help="Also run the proposals on the CPU with the check for races.")
@click.option(
    "--cache/--no-cache",
    default=True,
    show_default=True,
    help="Cache the results in files, from which a run can continue.",
)
@click.option("--cache-dir", type=click.Path(file_okay=False), help="The directory of these files.")
@click.option(
    "--constants", type=click.Path(dir_okay=False), help="A file with constants of chips that replace gridir's."
)
@click.option("--rows", type=click.IntRange(0), default=20, show_default=True, help="Show this many configurations.")
@click.option("-o", "--output", type=OutputFile(), help="Also write the result to this file, as JSON.")
@click.option("--html", type=OutputFile(), help="Also write a page with the table, and time against memory.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def tune(
    file: tuple[str, str | None],
    target: str,
    space: tuple[str, ...],
    output: str | None,
    html: str | None,
    rows: int,
    as_json: bool,
    debug: bool,
    cache: bool,
    cache_dir: str | None,
    **options: Any,
) -> None:
    """Finds the best values of a function's keyword arguments, such as block sizes, for a chip that need not be there.

    All configurations are ranked by a closed form. The best of them are compiled with libtpu or ptxas, which predicts
    their times, or are measured on the CPU. Configurations within 5 % of the best are tied, and marked with =. A
    configuration that is not legal is listed with the reason.

    FILE is plain JAX. It defines FUNCTION, by default the function with the name of the file; example_args(), which
    returns its arguments; and, unless --space is given, tuning_space(), which returns the values of each keyword
    argument that is tuned.
    """
    with short_errors(debug, file[0]), progress() as tell:
        try:
            from gridir.frontend.capture.chips import KINDS
            from gridir.tuning.results import table
            from gridir.tuning.tune import tune as run

            chip = target.partition(":")[2]
            example = load_example(*file, chip if chip in KINDS else None)
            result = run(
                example.function,
                *example.args,
                space=_space(example, space),
                target=target,
                cache=(cache_dir or True) if cache else False,
                progress=tell,
                **options,
            )
        except KeyboardInterrupt:
            raise Reported("interrupted; the same command continues from the cache", _INTERRUPTED) from None
    if output is not None:
        with click.open_file(output, "w", encoding="utf-8") as opened:
            opened.write(result.dumps() + "\n")
    if html is not None:
        with short_errors(debug, file[0]):
            from gridir.tuning.page import render

            text = render(result)
        with click.open_file(html, "w", encoding="utf-8") as opened:
            opened.write(text)
    click.echo(json_text(result.to_json()) if as_json else table(result.problem, rows))
    if not result.problem.legal:
        raise click.exceptions.Exit(1)


def _space(example: Example, texts: tuple[str, ...]) -> Any:
    from gridir.tuning.space import parse_choices

    if texts:
        return parse_choices(texts)
    if example.tuning_space is None:
        raise click.UsageError(
            f"expected --space NAME=VALUE,VALUE, or a function 'tuning_space' in the file of {example.name!r}"
        )
    return example.tuning_space()

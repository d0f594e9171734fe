# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir ptx-run`: executes a PTX file on this machine's CPU."""

from __future__ import annotations

import dataclasses
import os
import re
import time
from typing import TYPE_CHECKING, Any

import click

from gridir.cli.errors import short_errors
from gridir.cli.manual import USAGE, manual
from gridir.cli.output import json_text
from gridir.cli.progress import progress

if TYPE_CHECKING:
    import numpy as np

_SCALARS = {"s": "int", "u": "uint", "f": "float"}


class SizesParameter(click.ParamType):
    """Up to three sizes, as 4,2,1."""

    name = "X[,Y[,Z]]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Returns the sizes of a command-line argument."""
        if isinstance(value, tuple):
            return value
        try:
            sizes = tuple(int(size) for size in value.split(","))
        except ValueError:
            sizes = ()
        if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
            self.fail(f"expected one to three sizes of at least 1, as 4,2,1, got {value!r}", param, ctx)
        return sizes


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument of the entry.

    Attributes:
      value: an array or a scalar.
      path: the file of the array; "" for a scalar.
      is_new: whether the file is to be made.
    """

    value: np.ndarray | np.generic
    path: str = ""
    is_new: bool = False


class ArgumentParameter(click.ParamType):
    """A .npy file, NAME.npy=zeros:DTYPE[SHAPE] for a new one, or a scalar as u64:4."""

    name = "ARG"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Argument:
        """Returns the value of a command-line argument."""
        import numpy as np

        if scalar := re.fullmatch(r"([suf])(8|16|32|64):(.+)", value):
            kind, bits, number = scalar.groups()
            try:
                dtype = np.dtype(f"{_SCALARS[kind]}{bits}")
                return Argument(dtype.type(float(number) if kind == "f" else int(number, 0)))
            except (ValueError, TypeError, OverflowError):
                self.fail(f"expected a number of the type {kind}{bits}, got {number!r}", param, ctx)
        if new := re.fullmatch(r"(.+\.npy)=zeros:(\w+)\[([\d,]*)\]", value):
            path, name, shape = new.groups()
            try:
                return Argument(np.zeros([int(size) for size in shape.split(",") if size], name), path, is_new=True)
            except TypeError:
                self.fail(f"expected a dtype of NumPy's, got {name!r}", param, ctx)
        try:
            return Argument(np.load(value), value)
        except (OSError, ValueError, EOFError) as error:
            self.fail(f"expected an .npy file, zeros or a scalar, got {value!r}: {error}", param, ctx)


@click.command(
    "ptx-run",
    epilog=manual(
        {0: "the entry ran", 1: "it cannot be read or run, or a check has a finding", 2: USAGE},
        [
            "gridir ptx-run scale.ptx x.npy y.npy=zeros:f4[64] u64:64 --entry scale --grid 2 --block 32",
            "gridir ptx-run scale.ptx x.npy y.npy u64:64 --checks races,uninitialized --out results",
            "gridir ptx-run scale.ptx x.npy y.npy u64:64 --grid 2 --block 32 --profile --json",
            "gridir-opt kernel.mlir --grid-to-gpu -o kernel.ptx.mlir && gridir ptx-run kernel.ptx.mlir x.npy y.npy",
        ],
    ),
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1, type=ArgumentParameter())
@click.option("--entry", help="The entry to run; required if there are several.")
@click.option("--grid", type=SizesParameter(), default="1", show_default=True, help="CTAs along each dimension.")
@click.option("--block", type=SizesParameter(), default="1", show_default=True, help="Threads of a CTA.")
@click.option("--cluster", type=SizesParameter(), help="CTAs of a cluster; by default the file's number, or 1.")
@click.option("--shared-bytes", type=click.IntRange(0), default=0, help="Bytes of shared arrays without a size.")
@click.option("--timeout", type=click.FloatRange(0), default=600.0, show_default=True, help="Seconds; 0 for no limit.")
@click.option("--checks", default="", help="The checks of the launch: races,uninitialized.")
@click.option("--schedule-seed", type=int, help="The seed of the order in which threads and copies run.")
@click.option(
    "--cores",
    type=click.IntRange(1),
    help="Threads of this process that run independent CTAs; by default all processors.",
)
@click.option("--profile", is_flag=True, help="Count instructions, bank conflicts, sectors and waits, by line.")
@click.option("--out", type=click.Path(file_okay=False), help="Write the arrays to this directory instead.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def ptx_run(
    file: str,
    arguments: tuple[Argument, ...],
    entry: str | None,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    cluster: tuple[int, ...] | None,
    shared_bytes: int,
    timeout: float,
    checks: str,
    schedule_seed: int | None,
    cores: int | None,
    profile: bool,
    out: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Executes an entry of a PTX FILE on this machine's CPU; no GPU is needed.

    ARGUMENTS are the parameters in order: an .npy file, which passes the address of its array; NAME.npy=zeros:f4[8]
    for an array of zeros; or a scalar with its type, such as u64:4 or f32:0.5. Arrays of zeros are written to their
    files after the launch; with --out, all arrays are written there.

    FILE.mlir is a module of the stage ptx, as gridir-opt --grid-to-gpu writes it. Its kernel.abi describes the launch,
    so ARGUMENTS are only the arrays of the kernel: its inputs, then its outputs.
    """
    if file.endswith(".mlir"):
        given = [
            name for name, value in (("entry", entry), ("cluster", cluster), ("cores", cores)) if value is not None
        ]
        given += [name for name, value in (("grid", grid), ("block", block)) if value != (1,)]
        if given or shared_bytes or profile:
            raise click.UsageError(f"expected the launch of kernel.abi, got --{(given or ['shared-bytes'])[0]}")
        with short_errors(debug, file):
            record = _launch_module(file, arguments, checks, schedule_seed)
            record["files"] = _write(arguments, out)
        click.echo(json_text(record) if as_json else "{entry}: ran {milliseconds:.1f} ms".format(**record))
        return
    with short_errors(debug, file), progress() as tell:
        from gridir.runtime import ptx

        with open(file, encoding="utf-8") as text:
            function = ptx.load(text.read(), path=file).function(entry)
        start = time.perf_counter()
        asked = [check for check in checks.split(",") if check]
        function.prepare(checks=asked, profiled=profile)
        prepared = time.perf_counter()
        tell(f"running {function.name}")
        counts = function.launch(
            [argument.value for argument in arguments],
            grid=grid,
            block=block,
            cluster=cluster,
            shared_bytes=shared_bytes,
            timeout=timeout,
            checks=asked,
            schedule_seed=schedule_seed,
            profile=profile,
            cores=cores,
        )
        done = time.perf_counter()
        files = _write(arguments, out)
    record = {
        "entry": function.name,
        "translate_milliseconds": (prepared - start) * 1e3,
        "milliseconds": (done - prepared) * 1e3,
        "files": files,
    }
    if counts is not None:
        record["profile"] = counts.to_json()
    if as_json:
        click.echo(json_text(record))
    else:
        click.echo("{entry}: translated in {translate_milliseconds:.1f} ms, ran {milliseconds:.1f} ms".format(**record))
        if counts is not None:
            click.echo(f"\n{counts.to_text()}")


def _launch_module(
    file: str, arguments: tuple[Argument, ...], checks: str, schedule_seed: int | None
) -> dict[str, Any]:
    """Launches the kernel of a module at stage `ptx` according to its `kernel.abi`."""
    from gridir.compiler.gpu import ptx_kernel_of
    from gridir.compiler.passes import parse_module
    from gridir.errors import KernelError, OptionError

    with open(file, "rb") as text:
        module = parse_module(text.read(), file=file)
    try:
        kernel = ptx_kernel_of(module)
    except ValueError as error:
        raise KernelError(f"{error}, as gridir-opt --grid-to-gpu gives it") from None
    numbers = [getattr(parameter, "operand", -1) for parameter in kernel.known_launch.parameters]
    if len(arguments) <= max(numbers, default=-1):
        raise OptionError(f"expected {max(numbers) + 1} arrays, the inputs and then the outputs, got {len(arguments)}")
    if scalars := [str(argument.value) for argument in arguments if not argument.path]:
        raise OptionError(f"expected arrays, since kernel.abi has the other arguments, got the number {scalars[0]}")
    asked = tuple(check for check in checks.split(",") if check)
    kernel = dataclasses.replace(kernel, checks=asked, schedule_seed=schedule_seed)
    start = time.perf_counter()
    values: list[Any] = [argument.value for argument in arguments]
    kernel.launch(values)
    return {"entry": kernel.name, "milliseconds": (time.perf_counter() - start) * 1e3}


def _write(arguments: tuple[Argument, ...], directory: str | None) -> list[str]:
    """Writes arrays, and returns their files."""
    import numpy as np

    files = []
    if directory is not None:
        os.makedirs(directory, exist_ok=True)
    for argument in arguments:
        if argument.path and (argument.is_new or directory is not None):
            path = argument.path if directory is None else os.path.join(directory, os.path.basename(argument.path))
            np.save(path, argument.value)
            files.append(path)
    return files

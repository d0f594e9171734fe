# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir replay`: runs calls of kernels that were kept, and compares their results."""

from __future__ import annotations

import dataclasses
import io
import json
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gridir.cli.errors import describe, short_errors, to_json
from gridir.cli.manual import manual
from gridir.cli.on import CHIP, choose_device, on_option
from gridir.cli.output import OutputFile, json_text
from gridir.cli.passes import load_option, load_passes
from gridir.cli.progress import progress
from gridir.errors import Error

if TYPE_CHECKING:
    from gridir.recording.record import Record


@click.command(
    epilog=manual(
        {
            0: "all results are equal to the recorded ones",
            1: "a result differs, or a kernel does not compile or fails",
            2: "a file is not a recording, or the request is invalid",
        },
        [
            "gridir replay records/*.gridir",
            "gridir replay --target gpu:sm_80 records/add-1.gridir",
            "ssh elsewhere cat add-1.gridir | gridir replay -",
        ],
    )
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, allow_dash=True))
@click.option("--target", metavar="NAME", help="The target, instead of the recorded one.")
@load_option
@click.option("--checks", default="", help="The checks of running kernels: races,uninitialized, and on cpu semaphores.")
@click.option("--schedule-seed", type=int, help="The seed of the order in which concurrent work runs.")
@on_option
@click.option(
    "--image",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="PATH",
    help="Launch this cubin or PTX on a GPU instead of the code that the kernel is compiled to, as gridir bisect "
    "writes it.",
)
@click.option("--show", is_flag=True, help="Print the contents of the files, and run nothing.")
@click.option("--repeat", default=1, show_default=True, help="Time this many runs and report the fastest.")
@click.option(
    "--reduce",
    "reduced",
    type=OutputFile(path_type=Path),
    metavar="PATH",
    help="Shrink the module of the only FILE, as long as its results differ from those of the "
    "correct passes, or with --target from those of its own target, and write it to PATH as a "
    "recording.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record for each file, one on each line.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def replay(
    files: tuple[str, ...],
    target: str | None,
    load: tuple[str, ...],
    checks: str,
    schedule_seed: int | None,
    on: str | None,
    image: Path | None,
    show: bool,
    repeat: int,
    reduced: Path | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Runs the kernels of recordings on the recorded operands, and compares the results.

    A FILE is a recording of gridir record, GRIDIR_RECORD or gridir bisect; - is standard input. Floats are compared as
    by gridir run if the recording has a run in float64, and otherwise with a tolerance of their type.
    """
    if reduced is not None and len(files) != 1:
        raise click.UsageError(f"expected one FILE with --reduce, got {len(files)}")
    if image is not None and len(files) != 1:
        raise click.UsageError(f"expected one FILE with --image, got {len(files)}")
    on = CHIP if image is not None and on is None else on
    with short_errors(debug, load[0] if load else ""):
        load_passes(load)
    status = 0
    for name in files:
        found: dict[str, Any] = {"file": name}
        with progress() as tell:
            tell(name)
            again = {"repeat": repeat, "checks": list(filter(None, checks.split(","))), "schedule_seed": schedule_seed}
            again["image"] = None if image is None else image.read_bytes()
            code = _replay(found, name, target, show, again, on, reduced, debug)
        if as_json:
            click.echo(json_text(found))
        elif "error" in found:
            click.echo(f"{name}: {found['error']['text']}", err=True)
        else:
            click.echo(_format(found))
        status = max(status, code)
    if status:
        raise click.exceptions.Exit(status)


def _replay(
    found: dict[str, Any],
    name: str,
    target: str | None,
    show: bool,
    again: dict[str, Any],
    on: str | None,
    reduced: Path | None,
    debug: bool,
) -> int:
    """Adds the lines about a file; returns its exit status."""
    from gridir.errors import OptionError
    from gridir.recording.archive import RecordError, load

    try:
        record = load(io.BytesIO(sys.stdin.buffer.read()) if name == "-" else name)
        found |= _show(record)
        if show:
            return 0
        found |= _run(record, target, again, on)
        if reduced is not None:
            found |= _reduce(record, target, reduced)
    except (Error, OSError, RuntimeError) as error:
        # XLA raises a subclass of RuntimeError for errors of native code.
        if debug:
            traceback.print_exc()
        # An error of a record names the file itself.
        text = str(error).removeprefix(f"{name}: ") if isinstance(error, Error) else describe(error)
        found["error"] = to_json(error) | {"text": text}
        return 2 if isinstance(error, (RecordError, OptionError, OSError)) else 1
    return 1 if found["differences"] else 0


def _show(record: Record) -> dict[str, Any]:
    from gridir.compiler.passes import parse_module, shared_context
    from gridir.frontend.rebuild.params import metadata_of

    described = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    described |= {name: [f"{x.dtype}{list(x.shape)}" for x in described[name]] for name in ("operands", "results")}
    found = {name: value for name, value in described.items() if name not in ("module", "wide", "error")}
    found["error_recorded"] = record.error
    return found | {"metadata": metadata_of(parse_module(record.module, kernel=record.name, context=shared_context()))}


def _run(record: Record, target: str | None, again: dict[str, Any], on: str | None) -> dict[str, Any]:
    from gridir.cli.advice import advice
    from gridir.errors import OptionError
    from gridir.frontend.recording.replay import run
    from gridir.testing import WideRun, compare

    kernel = record.kernel(target)
    needs_executor = (
        bool(again["checks"] or getattr(kernel.options, "checks", ())) or again["schedule_seed"] is not None
    )
    device = choose_device(kernel.target, on, needs_executor=needs_executor)
    replayed_on = target or record.target
    if device is None and again["image"] is not None:
        raise OptionError("expected --on chip with --image, got --on executor")
    usual = kernel.target.executions[0]
    if device is not None:
        again["device"] = device.number
        replayed_on += f" (the GPU {device.number}, {device.name})"
    elif usual.cpu_options is None:
        replayed_on += f" ({usual.how})"
    results, seconds = run(record, target, **again)
    checks = (*again["checks"], *getattr(kernel.options, "checks", ()))
    notes = {"advice": advice([kernel], kernel.target.name, checks, "replay")}
    if record.error:
        # There is nothing to compare with; a replay shows whether it fails again.
        return {"replayed_on": replayed_on, "replayed_seconds": seconds, "differences": []} | notes
    # A run in float64 measures the effect of rounding.
    wide = None
    if record.wide is not None:
        exact, samples = zip(*record.wide, strict=True)
        wide = WideRun(exact, samples)
    comparisons = compare(list(results), list(record.results), None if wide is None else lambda: wide)
    return {
        "replayed_on": replayed_on,
        "replayed_seconds": seconds,
        "differences": [line for c in comparisons if c.wrong for line in c.describe(record.oracle)[:1]],
    } | notes


def _reduce(record: Record, target: str | None, path: Path) -> dict[str, Any]:
    from gridir.bisection.reduce import reduce_record
    from gridir.recording.archive import save

    smaller, ops = reduce_record(record, target)
    save(smaller, path)
    return {"reduced": str(path), "ops": ops}


def _format(found: dict[str, Any]) -> str:
    lines = [f"{found['file']}: {found['name']}, {', '.join(found['operands'])} -> {', '.join(found['results'])}"]
    if found["source"]:
        lines.append(f"  kernel function {found['source']}")
    made = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    if found["metadata"]:
        lines.append(f"  metadata {json.dumps(found['metadata'])}")
    lines.append(f"  recorded on {found['target']} in {found['seconds'] * 1e3:.3f} ms, results of {found['oracle']}")
    if found["error_recorded"]:
        lines.append(f"  the call failed: {found['error_recorded']}")
    lines.append(f"  made by {found['program'] or 'a program'} with {made}")
    if "replayed_on" not in found:
        return "\n".join(lines)
    lines.append(f"  replayed on {found['replayed_on']} in {found['replayed_seconds'] * 1e3:.3f} ms")
    if found["error_recorded"]:
        lines.append("  results: compared with nothing, as the recorded call has failed")
    else:
        lines.append(f"  results: {'different' if found['differences'] else 'equal'}")
    lines += [f"    {line}" for line in found["differences"]]
    lines += [f"  note: {text}" for text in found["advice"]]
    if "reduced" in found:
        before, after = found["ops"]
        lines.append(f"  reduced from {before} to {after} ops: {found['reduced']}")
    return "\n".join(lines)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir bisect`: names the pass after which a kernel computes something else."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gridir.cli.chip import chip_option
from gridir.cli.errors import short_errors
from gridir.cli.example import Example, ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.module_file import is_module, read_module
from gridir.cli.on import choose_device, on_option
from gridir.cli.output import json_text
from gridir.cli.passes import load_option, load_passes
from gridir.cli.progress import progress

if TYPE_CHECKING:
    from gridir.bisection.changes import Op
    from gridir.bisection.find import Found
    from gridir.bisection.reproducer import MachineCodeReproducer, Reproducer
    from gridir.bisection.search import Verdict
    from gridir.bisection.triage import Triage
    from gridir.bisection.worker import Worker


@click.command(
    epilog=manual(
        {
            0: "all stages that can run are correct",
            1: "a stage or machine code is wrong, or the kernel does not compile",
            2: USAGE,
        },
        [
            "gridir bisect kernel.py",
            "gridir bisect --target gpu:sm_90a kernel.py:forward",
            "gridir bisect --list-passes kernel.py > passes.txt    # change them, and",
            "gridir bisect --pipeline @passes.txt kernel.py",
        ],
    )
)
@click.argument("file", type=ExampleParameter())
@click.option(
    "--target",
    default="cpu",
    show_default=True,
    help="The target: cpu, tpu, gpu, or a chip such as gpu:sm_90a.",
    metavar="NAME",
)
@click.option(
    "--pipeline",
    metavar="PASSES",
    help="Search these passes, from the frontend's module to the target's last stage, instead of the "
    "target's own, which then complete the compilation. @PATH reads them from a file, one on "
    "each line or with commas.",
)
@click.option(
    "--trusted",
    metavar="PASSES",
    help="Trusted passes that complete the compilation, instead of the target's own.",
)
@click.option(
    "--list-passes", is_flag=True, help="Print the target's passes for the kernels, one on each line, and stop."
)
@click.option(
    "--halve/--every-pass",
    default=False,
    help="Bisect the passes instead of running the module after every pass. This is faster. If "
    "several passes are wrong, it finds one of them, which need not be the first.",
)
@click.option("--checks", default="", help="The checks of running kernels: races,uninitialized.")
@click.option("--schedule-seed", type=int, help="The seed of the order in which concurrent work runs.")
@load_option
@click.option(
    "-o",
    "--output",
    default="bisection",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The directory of reproducers: for each wrong kernel the module before the pass, and a "
    "recording for gridir replay.",
)
@click.option("--write/--no-write", default=True, show_default=True, help="Write reproducers.")
@click.option(
    "--reduce/--no-reduce",
    default=True,
    show_default=True,
    help="Shrink the modules of reproducers with gridir-reduce, as long as the results differ.",
)
@on_option
@click.option("--timeout", default=60.0, show_default=True, help="Seconds after which a run counts as wrong.")
@chip_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def bisect(
    file: tuple[str, str | None],
    target: str,
    pipeline: str | None,
    trusted: str | None,
    list_passes: bool,
    halve: bool,
    checks: str,
    schedule_seed: int | None,
    load: tuple[str, ...],
    output: Path,
    write: bool,
    reduce: bool,
    on: str | None,
    timeout: float,
    chip: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Names the first pass after which a kernel's results differ from those of JAX's interpret mode.

    Each kernel that the function calls runs alone, on the arrays that the function passes to it, at each stage of the
    target that can run on this machine. From the first wrong stage, the module runs after each pass. Results are
    compared as by gridir run. The command shows the first op that the named pass has changed, and writes a reproducer.
    It also shows the first value of the kernel that differs, with the source line, even if no pass can be named. Code
    runs in a separate process, so a kernel that crashes or hangs is just another wrong kernel.

    On a machine with a GPU for the target's chip, the command also launches the machine code of ptxas, with and without
    optimization, and that of the driver. It decides whether the PTX or the machine code is wrong.

    FILE is plain JAX, or FILE:FUNCTION. It defines the function, by default the one with the name of the file, and
    example_args(), which returns its arguments. FILE.mlir is a module of the stage grid; its kernels, or that of
    FILE.mlir:KERNEL, run on random operands and are compared with the CPU's own pipeline.
    """
    with short_errors(debug, file[0]):
        from gridir.bisection.find import bisect as find
        from gridir.bisection.find import bisect_module
        from gridir.bisection.search import RIGHT, UNKNOWN
        from gridir.bisection.worker import Worker
        from gridir.cli.advice import advice
        from gridir.compiler.targets import get_target
        from gridir.frontend.recording.module_records import kernels_of

        load_passes(load)
        if is_module(file[0]):
            module = read_module(*file)
            search, lower = functools.partial(bisect_module, module), functools.partial(kernels_of, module)
        else:
            example = load_example(*file, chip)
            search = functools.partial(find, example.function, *example.args, reference=example.reference)
            lower = functools.partial(_kernels, example)
        chosen = list(filter(None, checks.split(",")))
        if list_passes:
            click.echo("\n".join(_passes(lower(target), chosen, schedule_seed)))
            return
        device = choose_device(get_target(target), on, needs_executor=bool(checks) or schedule_seed is not None)
        with progress() as tell, Worker(timeout) as worker:
            found = search(
                target=target,
                pipeline=_read(pipeline),
                trusted=_read(trusted),
                checks=chosen,
                schedule_seed=schedule_seed,
                halve=halve,
                timeout=timeout,
                device=None if device is None else device.number,
                worker=worker,
                progress=tell,
            )
            tell(f"writing {output}")
            written = [(one, *_write(one, output, worker, reduce)) if write else (one, None, None) for one in found]
    notes = advice([one.expected.kernel for one in found if not one.is_wrong], target, chosen)
    if as_json:
        click.echo(json_text([_to_json(*one) | ({"advice": notes} if notes else {}) for one in written]))
    else:
        lines = [line for one in written for line in _describe(*one)]
        click.echo("\n".join(lines + [f"  note: {text}" for text in notes]))
    unfit = (verdict.outcome.verdict not in (RIGHT, UNKNOWN) for one in found for verdict in one.verdicts)
    if any(one.is_wrong for one in found) or any(unfit):
        raise click.exceptions.Exit(1)


def _write(found: Found, output: Path, worker: Worker, reduce: bool) -> tuple[Any, Any]:
    """Writes a reproducer if a pass is named, and the machine code if that is wrong, and returns both or None."""
    from gridir.bisection.reproducer import write_machine_code, write_reproducer
    from gridir.bisection.triage import NOTHING

    named = found.wrong is not None and found.wrong.culprit is not None
    faulty = found.triage is not None and found.triage.fault != NOTHING
    return (
        write_reproducer(found, output, worker=worker, reduce=reduce) if named else None,
        write_machine_code(found, output) if faulty else None,
    )


def _kernels(example: Example, target: str) -> Sequence[Any]:
    import gridir

    return example.check_kernels(gridir.lower(example.function, *example.args, target=target).kernels)


def _passes(kernels: Sequence[Any], checks: Sequence[str], schedule_seed: int | None) -> list[str]:
    from gridir.compiler.pass_list import passes_of

    checked = [(kernel, kernel.options.with_checks(checks, schedule_seed)) for kernel in kernels]
    texts = [kernel.target.pipeline(options, kernel.stages[-1]) for kernel, options in checked]
    return [line for text in dict.fromkeys(texts) for line in passes_of(text)]


def _read(pipeline: str | None) -> str | None:
    """The passes of an option, which may be in a file."""
    if pipeline is None or not pipeline.startswith("@"):
        return pipeline
    try:
        with click.open_file(pipeline[1:], encoding="utf-8") as file:
            lines = [line.strip() for line in file]
    except OSError as error:
        raise click.UsageError(f"expected a file of passes, got {pipeline[1:]!r}: {error.strerror}") from None
    return ",".join(line.rstrip(",") for line in lines if line and not line.startswith("#"))


def _describe(found: Found, written: Reproducer | None, images: MachineCodeReproducer | None) -> list[str]:
    from gridir.compiler.gpu import GpuTarget

    kernel = found.expected.kernel
    lines = [f"{kernel.name}: compared with {found.expected.oracle}"]
    if found.expected.note:
        lines.append(f"  interpret mode cannot run it: {found.expected.note}")
    for verdict in found.verdicts:
        lines.append(f"  stage {verdict.route.stage}, {verdict.route.how}: {verdict.outcome.verdict}")
        if verdict.outcome.reason:
            lines.append(f"    {verdict.outcome.reason}")
    if found.wrong is not None:
        lines += _describe_search(found, found.wrong)
    if written is not None:
        before, after = written.ops
        lines.append(f"  reproducer, of {after} ops instead of {before}: {written.module}")
        lines.append(f"    {written.command}")
    if found.triage is not None:
        lines += _describe_triage(found.triage)
    elif isinstance(found.expected.kernel.target, GpuTarget):
        lines.append("  machine code: not judged, as no GPU ran it")
    if images is not None:
        lines.append(f"  reproducer of the machine code: {images.ptx}")
        lines += [f"    {images.command(compiler)}" for compiler in images.images]
    return lines


def _describe_triage(triage: Triage) -> list[str]:
    lines = [f"  machine code on {triage.device}:"]
    for code in triage.codes:
        lines.append(f"    {code.compiler}: {code.outcome.verdict}")
        if code.outcome.reason:
            lines.append(f"      {code.outcome.reason.splitlines()[0]}")
    return [*lines, f"  fault: {triage.fault}", f"    {triage.reason}"]


def _describe_search(found: Found, wrong: Verdict) -> list[str]:
    from gridir.bisection.route import stages_around
    from gridir.compiler.pass_list import name_of

    passes = wrong.route.passes
    if wrong.culprit is None:
        others = f"; stage {wrong.cleared} shows that it is none before" if wrong.cleared else ", or the frontend"
        itself = "the kernel itself, or " if wrong.outcome.is_report else ""
        lines = [f"  no pass can be named: {wrong.doubt}", f"  it is {itself}one of these passes{others}:"]
        for number in wrong.suspects:
            stages = stages_around(wrong.route, number)
            between = f", from stage {stages[0]} to {stages[1]}" if stages else ""
            touches = " (changes ops of the value below)" if number in found.touching else ""
            lines += [f"    {number} of {len(passes)}{between}: {passes[number - 1]}{touches}"]
        lines += [f"  compared with other targets: {text}" for text in wrong.compared]
        return lines + _describe_value(found)
    (number,) = wrong.suspects
    lines = [f"  first wrong after pass {number} of {len(passes)}: {name_of(wrong.culprit)}", f"    {wrong.culprit}"]
    if wrong.steps:
        lines.append(f"    {wrong.steps[-1].outcome.reason}")
    change = found.change
    if change is not None:
        lines += [f"    before: {_text(change.before)}", f"    after:  {_text(change.after)}"]
        for frame in change.frames[:1]:
            lines += [f"    at {frame}", *(f"      {line}" for line in frame.source().splitlines())]
    return lines + _describe_value(found)


def _describe_value(found: Found) -> list[str]:
    value = found.value
    if value is None:
        return [f"  no value can be named: {found.no_value}"]
    lines = [f"  first value that differs: {value}"]
    if value.op:
        lines.append(f"    {value.op}")
    if value.frame is not None:
        lines += [f"    at {value.frame}", *(f"      {line}" for line in value.frame.source().splitlines())]
    return lines


def _text(op: Op | None) -> str:
    return op.text if op is not None else "nothing"


def _to_json(found: Found, written: Reproducer | None, images: MachineCodeReproducer | None) -> dict[str, Any]:
    wrong, change = found.wrong, found.change
    record: dict[str, Any] = {
        "kernel": found.expected.kernel.name,
        "target": found.expected.kernel.target.name,
        "oracle": found.expected.oracle,
        "stages": [
            {"stage": v.route.stage, "executed": v.route.how, "verdict": v.outcome.verdict, "reason": v.outcome.reason}
            for v in found.verdicts
        ],
        "pass": None,
    }
    if found.triage is not None:
        record["machine_code"] = {
            "device": found.triage.device,
            "fault": found.triage.fault,
            "reason": found.triage.reason,
            "codes": [
                {"compiler": code.compiler, "verdict": code.outcome.verdict, "reason": code.outcome.reason}
                for code in found.triage.codes
            ],
            "reproducer": images and {name: str(path) for name, path in images.images.items()},
        }
    if wrong is None:
        return record
    record |= {
        "pass": wrong.culprit,
        "number": wrong.suspects[0] if wrong.culprit else None,
        "suspects": [wrong.route.passes[number - 1] for number in wrong.suspects],
        "doubt": wrong.doubt,
        "cleared": wrong.cleared,
        "compared": wrong.compared,
        "passes": [
            {
                "number": step.number,
                "pass": step.text,
                "changes": step.changes,
                "verdict": step.outcome.verdict,
                "reason": step.outcome.reason,
            }
            for step in wrong.steps
        ],
    }
    if change is not None:
        record["before"] = change.before and change.before.text
        record["after"] = change.after and change.after.text
        record["locations"] = [str(frame) for frame in change.frames]
    record["value"], value = None, found.value
    if value is None:
        record["no_value"] = found.no_value
    else:
        record["value"] = {
            "primitive": value.primitive,
            "program": value.program,
            "steps": value.steps,
            "index": value.index,
            "expected": str(value.expected),
            "got": str(value.got),
            "wrong": value.wrong,
            "elements": value.elements,
            "op": value.op,
            "location": str(value.frame) if value.frame is not None else None,
        }
        record["touching"] = [wrong.route.passes[number - 1] for number in found.touching]
    if written is not None:
        record["reproducer"] = {"record": str(written.record), "module": str(written.module), "ops": written.ops}
    return record

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir run`: compiles a function's kernels, runs it, and compares it with a reference."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from gridir.cli.chip import chip_notes, chip_option
from gridir.cli.errors import describe, short_errors
from gridir.cli.example import Example, ExampleParameter, load_example
from gridir.cli.manual import USAGE, manual
from gridir.cli.module_file import format_run, is_module, refuse_options, run_module
from gridir.cli.on import choose_device, on_option
from gridir.cli.output import json_text
from gridir.cli.passes import load_option, load_passes
from gridir.cli.progress import progress
from gridir.errors import UnsupportedError

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel
    from gridir.frontend.recording.recorder import Call
    from gridir.testing import Comparison, WideRun

INTERPRET, REFERENCE = "interpret", "reference"
_ORACLES = {INTERPRET: "interpret mode", REFERENCE: "reference()"}


@click.command(
    epilog=manual(
        {
            0: "the results are equal",
            1: "the results differ, or are NaN on both sides though no argument has a NaN; or a kernel does not run",
            2: USAGE,
        },
        [
            "gridir run matmul.py",
            "gridir run --target gpu:sm_80 kernels.py:scale",
            "gridir run --checks races,uninitialized --schedule-seed 7 matmul.py",
        ],
    )
)
@click.argument("file", type=ExampleParameter())
@click.option(
    "--target", default="cpu", show_default=True, help="The target: cpu, tpu, gpu, or a chip such as gpu:sm_80."
)
@click.option("--stage", help="The stage to run, if several of the target can run: ptx or mapped for gpu.")
@click.option(
    "--pipeline", help="Compile with this pass pipeline from the stage grid to the last, instead of the target's."
)
@load_option
@click.option("--check/--no-check", default=True, show_default=True, help="Compare the results.")
@click.option(
    "--against",
    type=click.Choice([REFERENCE, INTERPRET]),
    help="Compare with the file's reference(), the default if there is one, or with JAX's interpret mode.",
)
@click.option(
    "--checks",
    default="",
    help="The checks of running kernels: races,uninitialized, and on cpu semaphores.",
)
@click.option(
    "--schedule-seed", type=int, help="The seed of the order in which parallel programs, threads and copies run."
)
@click.option("--repeat", default=5, show_default=True, help="Time this many calls and report the fastest.")
@click.option("--profile", is_flag=True, help="Profile the PTX of one call; for targets that run PTX.")
@on_option
@chip_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show the complete error.")
def run(
    file: tuple[str, str | None],
    target: str,
    stage: str | None,
    pipeline: str | None,
    load: tuple[str, ...],
    check: bool,
    against: str | None,
    checks: str,
    schedule_seed: int | None,
    repeat: int,
    profile: bool,
    on: str | None,
    chip: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Compiles the kernels of a function, runs it on its example arguments on this CPU, and compares the results.

    For the target tpu, a reference interpreter executes the modules that libtpu would receive. For gpu, the PTX runs
    on a GPU of this machine if there is one for the chip, and otherwise thread by thread on the CPU; with --stage
    mapped the kernels run as they are mapped to CTAs and threads. The line "executed" says which.

    FILE is plain JAX. It defines FUNCTION, by default the function with the name of the file; example_args(), which
    returns its arguments; and optionally reference(), which computes the expected results from the same arguments.
    FILE.mlir is a module of the stage grid, whose kernels, or that of FILE.mlir:KERNEL, run on random operands; with
    another target or pipeline the results are compared with those of the CPU's own pipeline.
    """
    if is_module(file[0]):
        refuse_options(file[0], profile=profile, against=against, chip=chip)
        with short_errors(debug, file[0]):
            load_passes(load)
            record = run_module(file, target, stage, pipeline, check, checks, schedule_seed, repeat, on)
        click.echo(json_text(record) if as_json else format_run(record))
        if record["differences"]:
            raise click.exceptions.Exit(1)
        return
    with short_errors(debug, file[0]), progress() as tell:
        load_passes(load)
        example = load_example(*file, chip)
        chosen = list(filter(None, checks.split(",")))
        tell(f"compiling and running {example.name} for {target}")
        record, results, profiles, kernels = _execute(
            example, target, stage, pipeline, chosen, schedule_seed, repeat, profile, on
        )
        if check:
            tell(f"running {example.name} again, to compare the results")
            oracle = against or (REFERENCE if example.reference else INTERPRET)
            record |= _check(example, results, oracle, functools.partial(_faults, kernels, target))
    if record.get("differences"):
        from gridir.cli.advice import advice_on_difference

        record["faults"] = [*record.get("faults", ()), *_doubts(kernels)]
        if notes := advice_on_difference(kernels, target, chosen):
            record["advice"] = [*record.get("advice", ()), *notes]
    if told := chip_notes():
        record["notes"] = told
    click.echo(json_text(record) if as_json else "\n\n".join([_format(record), *profiles]))
    if record.get("differences") or record.get("unwritten") or record.get("nan_on_both"):
        raise click.exceptions.Exit(1)


def _execute(
    example: Example,
    name: str,
    stage: str | None,
    pipeline: str | None,
    checks: list[str],
    schedule_seed: int | None,
    repeat: int,
    profile: bool,
    on: str | None,
) -> tuple[dict[str, Any], Any, list[str], Sequence[Kernel]]:
    import jax

    from gridir.cli.advice import advice
    from gridir.compiler.targets import get_target
    from gridir.frontend.execute import execute
    from gridir.runtime.ptx import profiling

    target = get_target(name)
    execution = target.execution(stage)
    needs_executor = bool(checks or profile) or schedule_seed is not None or execution.cpu_options is not None
    device = choose_device(target, on, needs_executor=needs_executor)
    executable = execute(
        example.function,
        example.args,
        target,
        stage=stage,
        pipeline=pipeline,
        checks=checks,
        schedule_seed=schedule_seed,
        device=None if device is None else device.number,
    )
    kernels: list[dict[str, Any]] = [{"name": kernel.name} for kernel in example.check_kernels(executable.kernels)]
    for kernel, prepared in zip(kernels, executable.prepared, strict=False):
        kernel |= {"origin": prepared.origin, "compile_milliseconds": prepared.seconds * 1e3}
    with profiling() if profile else contextlib.nullcontext([]) as launches:
        results = jax.block_until_ready(executable.function(*example.args))
    if profile and not launches:
        raise click.UsageError(f"expected a target and a stage that execute PTX for --profile, got {name}")
    record = {
        "function": example.name,
        "results": [str(jax.typeof(x)) for x in jax.tree.leaves(results)],
        "stage": execution.stage,
        "executed": execution.how if device is None else f"on the GPU {device.number}, {device.name}",
        "kernels": kernels,
        "milliseconds": _time(lambda: executable.function(*example.args), repeat if executable.prepared else 1),
    }
    if notes := advice(executable.kernels, target.name, checks):
        record["advice"] = notes
    if profile:
        record["profiles"] = [{"entry": entry, **counts.to_json()} for entry, counts in launches]
    return record, results, [f"{entry}: {counts.to_text()}" for entry, counts in launches], executable.kernels


def _time(call: Any, repeat: int) -> float:
    import jax

    best = float("inf")
    for _ in range(max(repeat, 1)):
        start = time.perf_counter()
        jax.block_until_ready(call())
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def _faults(kernels: Sequence[Kernel], target: str) -> list[str]:
    """The faults of the kernels that explain results which differ."""
    from gridir.compiler.checks import faults_of

    name = target.partition(":")[0]
    return [f"kernel `{kernel.name}`: {fault}" for kernel in kernels for fault in faults_of(kernel, name)]


def _doubts(kernels: Sequence[Kernel]) -> list[str]:
    """Returns checks that may explain wrong results of kernels that are defined."""
    from gridir.compiler.checks import doubts_of

    return [f"kernel `{kernel.name}`: {doubt}" for kernel in kernels for doubt in doubts_of(kernel)]


def _check(example: Example, results: Any, against: str, faults: Callable[[], list[str]]) -> dict[str, Any]:
    """The part of the record that says how the results compare with the oracle's."""
    from gridir.testing import compare, prepare_reference

    if against == REFERENCE:
        if example.reference is None:
            raise click.UsageError(f"expected a function 'reference' beside {example.name!r}, got a file without one")
        call = prepare_reference(example.reference, example.args)
        expected, milliseconds = call(), _time(call, 1)
    else:
        try:
            expected, milliseconds = _interpret(example)
        except Exception as error:  # Whatever JAX raises: the same program has just run without it.
            return {"interpret_error": describe(error), "values": _show(results)}

    def compared(got: Any) -> list[Comparison]:
        return compare(got, expected, lambda: _run_wide(example, against))

    comparisons = compared(results)
    oracle = _ORACLES[against]
    # A reference that returns NaN intends it; interpret mode returns it for uninitialized memory.
    counts_nan = against == INTERPRET and not _has_nan(example.args)
    nan = sum(comparison.nan_on_both for comparison in comparisons) if counts_nan else 0
    found = _diagnose(example, results, expected, comparisons) if nan or any(c.wrong for c in comparisons) else None
    if found is not None and found.unwritten:
        comparisons = compared(found.written)
    record: dict[str, Any] = {
        "oracle": oracle,
        "oracle_milliseconds": milliseconds,
        "comparisons": [comparison.summary() for comparison in comparisons],
        "differences": [line for c in comparisons if c.wrong for line in c.describe(oracle)],
        "remarks": [line for c in comparisons if not c.wrong for line in c.describe(oracle)],
        "nan_on_both": nan,
    }
    if record["differences"]:
        record["faults"] = faults()
    if record["differences"] and against == REFERENCE:
        masks = found.masks if found is not None else ()
        record["differences"] += _whose_difference(example, results, masks, record["faults"])
    if found is not None:
        record["unwritten"], record["where"] = found.unwritten, found.where([c.wrong_elements for c in comparisons])
        if record["differences"] and not found.unwritten and against == REFERENCE:
            record["where"] += _suspects(example, results, found, milliseconds)
    return record


# A search of an input runs the reference tens of times.
_SLOW_MILLISECONDS = 200


def _suspects(example: Example, results: Any, found: _Diagnosis, milliseconds: float) -> list[str]:
    """The inputs whose use explains that results differ."""
    from gridir.report.suspects import find_suspects

    if milliseconds > _SLOW_MILLISECONDS or example.reference is None:
        return []
    return find_suspects(example.function, example.reference, example.args, results, found.calls)


@dataclasses.dataclass(frozen=True)
class _Diagnosis:
    """The facts about elements that differ.

    Attributes:
      unwritten: says which depend on memory that nothing has written; empty where none does.
      written: the results with those of the oracle in place of these.
      masks: for each result the elements that do.
      where: says of the wrong elements of each result where they are.
      calls: the calls of kernels.
    """

    unwritten: list[str]
    written: Any
    masks: tuple[Any, ...]
    where: Callable[[Sequence[Any]], list[str]]
    calls: Sequence[Call]


def _diagnose(example: Example, results: Any, expected: Any, comparisons: Sequence[Comparison]) -> _Diagnosis | None:
    import jax
    import numpy as np

    from gridir.report.wrong import as_array, describe_wrong, find_unwritten

    found = find_unwritten(example.function, example.args)
    if found is None:
        return None
    leaves, tree = jax.tree.flatten(results)
    wanted = [as_array(x) for x in jax.tree.leaves(expected)]
    got = list(map(as_array, leaves))
    wanted = [want.astype(x.dtype) for x, want in zip(got, wanted, strict=True)]
    written = [np.where(mask, want, x) for mask, x, want in zip(found.masks, got, wanted, strict=True)]
    counted = [int(mask.sum()) for mask in found.masks]
    keys = [jax.tree_util.keystr(path) for path, _ in jax.tree.leaves_with_path(results)]
    lines = [
        f"result{key}: {number} of {mask.size} elements depend on memory that nothing has written"
        for key, number, mask in zip(keys, counted, found.masks, strict=True)
        if number
    ]
    return _Diagnosis(
        [*lines, *(f"  {line}" for line in found.lines)] if lines else [],
        jax.tree.unflatten(tree, written),
        found.masks,
        lambda wrong: describe_wrong(example.function, example.args, wrong, found.calls, (got, wanted)),
        found.calls,
    )


def _call(function: Any, args: tuple[Any, ...]) -> tuple[Any, float]:
    import jax

    jitted = jax.jit(function)
    results = jax.block_until_ready(jitted(*args))
    return results, _time(lambda: jitted(*args), 1)


def _interpret(example: Example) -> tuple[Any, float]:
    from gridir.testing import interpreted

    with interpreted():
        return _call(example.function, example.args)


def _run_wide(example: Example, against: str) -> WideRun:
    """The oracle in float64, with the roundings of the kernel, whose algorithm the results come from."""
    from gridir.testing import run_wide

    if against == INTERPRET or example.reference is None:
        return run_wide(example.function, example.args)
    try:
        kernel = run_wide(example.function, example.args)
    except UnsupportedError as error:
        # A kernel of warpgroups, or one that reaches other devices: the reference has roundings of its own.
        return dataclasses.replace(run_wide(example.reference, example.args), substitute_for=error.message)
    return kernel.around(run_wide(example.reference, example.args).exact)


def _whose_difference(example: Example, results: Any, masks: Sequence[Any], faults: Sequence[str]) -> list[str]:
    """Reports if a kernel that differs from its reference is at least computed as it is written.

    Elements of the masks depend on memory that nothing has written, and are the same on no machine. Nothing is reported
    if a fault of the kernel explains that its results differ from interpret mode's.
    """
    import jax
    import numpy as np

    from gridir.report.wrong import as_array
    from gridir.testing import compare, run_wide

    try:
        expected, _ = _interpret(example)
    except Exception as error:  # As above.
        return [f"JAX's interpret mode cannot run this program: {describe(error)}"]
    leaves, tree = jax.tree.flatten(results)
    if masks:
        pairs = zip(masks, map(as_array, leaves), map(as_array, jax.tree.leaves(expected)), strict=True)
        results = jax.tree.unflatten(tree, [np.where(mask, want.astype(got.dtype), got) for mask, got, want in pairs])
    comparisons: list[Comparison] = compare(results, expected, lambda: run_wide(example.function, example.args))
    if any(comparison.wrong for comparison in comparisons):
        return [] if faults else ["the results differ from interpret mode's, too"]
    return ["the results equal interpret mode's: the kernel as written differs from reference()"]


def _has_nan(args: tuple[Any, ...]) -> bool:
    import jax
    import jax.numpy as jnp

    leaves = [jnp.asarray(x) for x in jax.tree.leaves(args)]
    return any(bool(jnp.isnan(x).any()) for x in leaves if jnp.issubdtype(x.dtype, jnp.inexact))


def _show(results: Any) -> list[str]:
    import jax
    import numpy as np

    def text(x: Any) -> str:
        return np.array2string(np.asarray(x), threshold=64, edgeitems=2, prefix="    ")

    return [f"result{jax.tree_util.keystr(path)}: {text(x)}" for path, x in jax.tree.leaves_with_path(results)]


_ORIGINS = {"compiled": "compiled", "disk": "loaded from the cache", "memory": "found compiled"}


def _format(record: dict[str, Any]) -> str:
    lines = [f"{record['function']}: {', '.join(record['results'])}"]
    lines.append(f"  executed: stage {record['stage']}, {record['executed']}")
    for kernel in record["kernels"]:
        how = f": {_ORIGINS[kernel['origin']]} in {kernel['compile_milliseconds']:.1f} ms" if "origin" in kernel else ""
        lines.append(f"  kernel {kernel['name']}{how}")
    lines += [f"  {note}" for note in record.get("notes", ())]
    lines.append(f"  one call: {record['milliseconds']:.3f} ms")
    if "interpret_error" in record:
        lines.append(f"  JAX's interpret mode cannot run this program: {record['interpret_error']}")
        lines.append("  results: compared with nothing")
        lines += [f"    {text}" for text in record["values"]]
    if "oracle" in record:
        oracle = record["oracle"]
        title = "JAX's interpret mode" if oracle == _ORACLES[INTERPRET] else oracle
        lines.append(f"  {title}: {record['oracle_milliseconds']:.3f} ms")
        unwritten = record.get("unwritten", [])
        verdict = "different from" if record["differences"] or unwritten else "equal to"
        nan = ", NaN on both sides, though no argument has a NaN" if record["nan_on_both"] and not unwritten else ""
        lines.append(f"  results: {verdict} {oracle}'s{nan}")
        lines += [
            f"    {text}" for text in unwritten + record["differences"] + record.get("where", []) + record["remarks"]
        ]
        lines += [f"  gridir check: {text}" for text in record.get("faults", [])]
    lines += [f"  note: {text}" for text in record.get("advice", [])]
    return "\n".join(lines)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir run`: compiles a function's kernels, runs it, and compares it with JAX."""

from __future__ import annotations

import json
import time
from typing import Any

import click

from gridir.cli.errors import short_errors
from gridir.cli.example import Example, ExampleParameter, load_example


@click.command()
@click.argument("file", type=ExampleParameter())
@click.option("--target", default="cpu", show_default=True, help="cpu; or tpu, by an interpreter of Mosaic modules.")
@click.option("--check/--no-check", default=True, show_default=True, help="Compare with JAX's interpret mode.")
@click.option("--repeat", default=5, show_default=True, help="Time this many calls and report the fastest.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record instead of text.")
@click.option("--debug", is_flag=True, help="Show all of an error.")
def run(file: tuple[str, str | None], target: str, check: bool, repeat: int, as_json: bool, debug: bool) -> None:
    """Compiles the kernels of a function and runs it on its example arguments.

    For the target tpu, the modules that libtpu would be given are run on the CPU by a reference interpreter.

    FILE is plain JAX. It holds FUNCTION, which is named like the file unless you say otherwise, and example_args(),
    which gives its arguments. The exit status is 1 when the results differ from those of JAX's interpret mode.
    """
    with short_errors(debug, file[0]):
        example = load_example(*file)
        record = _interpret(example, target) if target != "cpu" else _compile_and_time(example, repeat)
        if check:
            record |= _check(example, record.pop("values"))
        record.pop("values", None)
    click.echo(json.dumps(record) if as_json else _format(record))
    if record.get("differences"):
        raise click.exceptions.Exit(1)


def _compile_and_time(example: Example, repeat: int) -> dict[str, Any]:
    import jax

    import gridir

    lowered = gridir.lower(example.function, *example.args)
    kernels = [{"name": kernel.name, **_prepare(kernel)} for kernel in lowered.kernels]
    compiled = lowered.compile()
    results = jax.block_until_ready(compiled(*example.args))
    milliseconds = _time(lambda: compiled(*example.args), repeat)
    return {"function": example.name, **_describe(results), "kernels": kernels, "milliseconds": milliseconds}


def _interpret(example: Example, target: str) -> dict[str, Any]:
    import jax

    from gridir.compiler.targets import get_target
    from gridir.testing import mosaic_interpreted

    get_target(target)
    start = time.perf_counter()
    with mosaic_interpreted():
        results = jax.block_until_ready(jax.jit(example.function)(*example.args))
    milliseconds = 1e3 * (time.perf_counter() - start)
    return {"function": example.name, **_describe(results), "kernels": [], "milliseconds": milliseconds}


def _describe(results: Any) -> dict[str, Any]:
    import jax

    return {"results": [str(jax.typeof(x)) for x in jax.tree.leaves(results)], "values": results}


def _check(example: Example, results: Any) -> dict[str, Any]:
    import jax

    from gridir.testing import interpreted

    with interpreted():
        reference = jax.jit(example.function)
        expected = jax.block_until_ready(reference(*example.args))
        milliseconds = _time(lambda: reference(*example.args), 1)
    return {"interpret_milliseconds": milliseconds, "differences": _compare(results, expected)}


def _prepare(kernel: Any) -> dict[str, Any]:
    prepared = kernel.prepare()
    return {"origin": prepared.origin, "compile_milliseconds": prepared.seconds * 1e3}


def _time(call: Any, repeat: int) -> float:
    import jax

    best = float("inf")
    for _ in range(max(repeat, 1)):
        start = time.perf_counter()
        jax.block_until_ready(call())
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def _compare(results: Any, expected: Any) -> list[str]:
    """Says what differs, one line for each result that does."""
    import jax

    from gridir.testing import difference

    leaves = zip(jax.tree.leaves_with_path(results), jax.tree.leaves(expected), strict=True)
    found = [(path, difference(x, y)) for (path, x), y in leaves]
    return [f"result{jax.tree_util.keystr(path)}: {text}" for path, text in found if text is not None]


def _format(record: dict[str, Any]) -> str:
    lines = [f"{record['function']}: {', '.join(record['results'])}"]
    for kernel in record["kernels"]:
        how = {"compiled": "compiled", "disk": "loaded from the cache", "memory": "found compiled"}[kernel["origin"]]
        lines.append(f"  kernel {kernel['name']}: {how} in {kernel['compile_milliseconds']:.1f} ms")
    lines.append(f"  one call: {record['milliseconds']:.3f} ms")
    if "differences" in record:
        lines.append(f"  JAX's interpret mode: {record['interpret_milliseconds']:.3f} ms")
        verdict = "different from" if record["differences"] else "equal to"
        lines.append(f"  results: {verdict} interpret mode's")
        lines += [f"    {text}" for text in record["differences"]]
    return "\n".join(lines)

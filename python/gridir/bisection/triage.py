# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison of a kernel's PTX with its machine code on a GPU.

The executor of PTX runs the text on the CPU. On the GPU, the text runs as machine code of `ptxas` with and without
optimization, of each other `ptxas` of the machine, and of the driver. The code that is wrong tells the fault: the text,
or a compiler of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from gridir.bisection.oracle import Expected
from gridir.bisection.route import Route
from gridir.bisection.search import FAILS, RIGHT, WRONG, Outcome, Progress, Verdict
from gridir.bisection.worker import Worker
from gridir.errors import Error
from gridir.runtime.gpu import open_cuda, open_device
from gridir.runtime.ptxas import PtxasError, assemble, find_all_ptxas, ptxas_version

NOTHING, PTX, MACHINE_CODE, UNDECIDED = "nothing", "ptx", "machine code", "undecided"

_LAUNCHES = 3
"""Launches of each code, as one may be right by chance."""


@dataclasses.dataclass(frozen=True)
class MachineCode:
    """The result of the machine code of one compiler.

    Attributes:
      compiler: the compiler and its level, as "ptxas 13.5.37 -O3".
      outcome: the result of its launches on the GPU.
      image: the cubin; None for code of the driver, and where the compiler refuses the text.
      by_driver: True for the driver's own compiler, which only compiles text that is loaded without a cubin.
    """

    compiler: str
    outcome: Outcome
    image: bytes | None = dataclasses.field(repr=False, default=None)
    by_driver: bool = False


@dataclasses.dataclass(frozen=True)
class Triage:
    """The verdict about the PTX and the machine code of a kernel.

    Attributes:
      device: the name of the GPU.
      fault: the part that is wrong: "nothing", "ptx", "machine code", or "undecided".
      reason: the observation that decides it.
      codes: the machine code of each compiler.
      route: the passes that gave the text.
      ptx: the text.
    """

    device: str
    fault: str
    reason: str
    codes: tuple[MachineCode, ...]
    route: Route = dataclasses.field(repr=False)
    ptx: str = dataclasses.field(repr=False, default="")


def triage(worker: Worker, expected: Expected, verdict: Verdict, device: int, progress: Progress) -> Triage:
    """Compares the results of a kernel's PTX and of its machine code.

    Args:
      worker: has the operands of the call; it runs the code.
      expected: the call of the kernel.
      verdict: the result of the executor of PTX.
      device: the number of a GPU that runs code for the kernel's chip.
      progress: is called with a description of the current work.
    """
    route, module = verdict.route, expected.kernel.bytecode
    name = open_device(device).name
    reply = worker.ptx(module, route.passes, route.target, route.options)
    if "ptx" not in reply:
        return Triage(name, UNDECIDED, f"the passes give no PTX: {reply['error']}", (), route)
    text, codes = reply["ptx"], []
    for compiler, image in _images(text, route.options.chip, reply["register_products"]):
        progress(f"{name}: code of {compiler}")
        if isinstance(image, str):
            codes.append(MachineCode(compiler, Outcome(FAILS, image)))
            continue
        code = text.encode() if image is None else image
        launched = worker.launch(module, route.passes, route.target, route.options, code, device, _LAUNCHES)
        codes.append(MachineCode(compiler, _judge(expected, launched), image, by_driver=image is None))
    race = ""
    if any(code.outcome.is_wrong for code in codes) and not verdict.outcome.is_wrong:
        progress(f"{route.stage}: races of the PTX")
        options = dataclasses.replace(route.options, checks=("races", "uninitialized"))
        race = worker.run(module, route.passes, route.target, options).get("error", "")
    return Triage(name, *conclude(verdict.outcome, codes, race), tuple(codes), route, text)


def _images(text: str, chip: str, register_products: bool) -> Iterator[tuple[str, bytes | str | None]]:
    """Yields compilers with their cubin, the reason why there is none, or None for the driver's own compiler."""
    seen: set[str] = set()
    for ptxas in find_all_ptxas():
        try:
            version = ".".join(map(str, ptxas_version(ptxas)))
        except PtxasError as error:
            yield ptxas, error.message
            continue
        # One compiler without optimization says whether optimization is at fault.
        levels = () if version in seen else (3,) if seen else (3, 0)
        seen.add(version)
        for level in levels:
            try:
                made = assemble(text, chip, ptxas=ptxas, level=level, register_products=register_products)
                yield f"ptxas {version} -O{level}", made.code
            except PtxasError as error:
                yield f"ptxas {version} -O{level}", error.message
    yield f"the driver (CUDA {'.'.join(map(str, open_cuda().version))})", None


def _judge(expected: Expected, reply: dict[str, object]) -> Outcome:
    launches = reply.get("results")
    if not isinstance(launches, list):
        return Outcome(FAILS if reply.get("refused") else WRONG, str(reply["error"]))
    try:
        faults = [fault for results in launches if (fault := expected.judge(results))]
    except Error as error:
        return Outcome(FAILS, error.message)
    if not faults:
        return Outcome(RIGHT)
    return Outcome(WRONG, f"{faults[0]}, in {len(faults)} of {len(launches)} launches")


def conclude(executor: Outcome, codes: Sequence[MachineCode], race: str) -> tuple[str, str]:
    """Returns the fault and the reason.

    Args:
      executor: the result of the executor of PTX.
      codes: the machine code of each compiler.
      race: a fault of the text that the executor's checks find; "" for none.
    """
    wrong = [code.compiler for code in codes if code.outcome.is_wrong]
    right = [code.compiler for code in codes if code.outcome.verdict == RIGHT]
    if not wrong and not right:
        return UNDECIDED, "no machine code of the PTX was launched"
    if executor.is_wrong and wrong and not right:
        return PTX, "the executor and all machine code are wrong"
    if executor.is_wrong and not wrong:
        return UNDECIDED, f"the executor is wrong, and all machine code is right ({', '.join(right)})"
    if executor.is_wrong:
        return PTX, f"the executor and the code of {', '.join(wrong)} are wrong; that of {', '.join(right)} is right"
    if not wrong:
        return _conclude_right(codes)
    if race:
        return PTX, f"the PTX is right only in some orders of its accesses: {race}"
    if not right:
        return UNDECIDED, "all machine code is wrong, with any level of optimization, and the executor is not"
    return MACHINE_CODE, f"the code of {', '.join(wrong)} is wrong; that of {', '.join(right)} is right"


def _conclude_right(codes: Sequence[MachineCode]) -> tuple[str, str]:
    """Returns the fault and the reason where no code is wrong, and some is right; other code may not have run."""
    of_ptxas = [code for code in codes if not code.by_driver]
    if not of_ptxas:
        return NOTHING, "the code of the driver is right; that of ptxas was not judged, as no ptxas is installed"
    failed = [
        f"{code.compiler} ({_first_line(code.outcome.reason)})" for code in codes if code.outcome.verdict != RIGHT
    ]
    if not failed:
        return NOTHING, "all machine code is right"
    right = ", ".join(code.compiler for code in codes if code.outcome.verdict == RIGHT)
    reason = f"the code of {right} is right; not judged, as it did not run, is that of {', '.join(failed)}"
    if any(code.outcome.verdict == RIGHT for code in of_ptxas):
        return NOTHING, reason
    return UNDECIDED, reason


def _first_line(text: str) -> str:
    return text.partition("\n")[0]

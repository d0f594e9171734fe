# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The routes from a frontend's module to something that runs on this machine."""

from __future__ import annotations

import dataclasses
import difflib
from typing import Any

from gridir.compiler.kernel import Kernel
from gridir.compiler.pass_list import passes_of
from gridir.compiler.target import Target
from gridir.compiler.targets import CPU


@dataclasses.dataclass(frozen=True)
class Route:
    """Passes, and the executor of their result.

    Attributes:
      stage: the stage of the kernel's target whose program runs.
      how: the executor, in words that follow the stage's name.
      passes: all passes from the frontend's module on.
      target: the target whose code it is that runs.
      options: its options.
    """

    stage: str
    how: str
    passes: tuple[str, ...] = dataclasses.field(repr=False)
    target: Target
    options: Any = dataclasses.field(repr=False)


def routes_of(kernel: Kernel, pipeline: str | None = None) -> list[Route]:
    """Returns a kernel's routes to stages that can run here, the earliest stage first.

    Args:
      kernel: a kernel.
      pipeline: passes instead of the target's own, which end at its last stage.

    Raises:
      CompileError: if a pipeline names an unknown pass or option.
    """
    target, last, options = kernel.target, kernel.stages[-1], kernel.options
    found = []
    for execution in target.executions:
        if execution.cpu_options is None or target.name == CPU.name:
            text = target.pipeline(options, last) if pipeline is None else pipeline
            route = Route(execution.stage, execution.how, passes_of(text), target, options)
        elif pipeline is not None:
            # The position of that stage in a custom pipeline is not known.
            continue
        elif not execution.takes(kernel):
            continue
        else:
            on_cpu: Any = execution.cpu_options(options)
            text = CPU.pipeline(on_cpu, CPU.stages[-1])
            route = Route(execution.stage, execution.how, passes_of(text), CPU, CPU.options())
        found.append(route)
    return sorted(found, key=lambda route: target.stages.index(route.stage))


def stages_around(route: Route, number: int) -> tuple[str, str] | None:
    """Returns the stages of a route's target between which a pass lies; None for passes that are not the target's.

    Args:
      route: a route.
      number: which of its passes, from 1.
    """
    stages = route.target.stages
    ends = [len(passes_of(route.target.pipeline(route.options, stage))) for stage in stages[1:]]
    if ends[-1] != len(route.passes):
        return None
    end = next(i for i, count in enumerate(ends) if number <= count)
    return stages[end], stages[end + 1]


def align(passes: tuple[str, ...], trusted: tuple[str, ...]) -> list[int]:
    """Returns for each number of passes that have run how many of the trusted ones these stand for.

    Equal passes are matched in order. Between two matches, the first remaining pass replaces the first remaining
    trusted one, and so on; surplus passes replace none.
    """
    matcher = difflib.SequenceMatcher(a=passes, b=trusted, autojunk=False)
    positions = [0] * (len(passes) + 1)
    for _, a, a_end, b, b_end in matcher.get_opcodes():
        for number in range(a, a_end):
            done = number + 1 == a_end
            positions[number + 1] = b_end if done else min(b + number + 1 - a, b_end)
    return positions

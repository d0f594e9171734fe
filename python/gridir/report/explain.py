# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir.explain`: compiles the kernels of a function with gridir, libtpu and ptxas for every chip."""

from __future__ import annotations

import concurrent.futures
import functools
from collections.abc import Callable, Sequence
from typing import Any

from gridir.frontend.lower import Lowered, lower
from gridir.report.judges import check_target, default_targets, judge_of
from gridir.report.verdicts import Explanation, Verdict

Progress = Callable[[str], None]
"""Receives a description of the next step."""


def explain(
    f: Callable[..., Any],
    *args: Any,
    targets: Sequence[str] = (),
    jobs: int = 2,
    timeout: float = 300,
    progress: Progress = lambda _: None,
    **kwargs: Any,
) -> Explanation:
    """Returns the targets and chips that accept the kernels of a function, and the reasons of rejections.

    Nothing is executed. The kernels are lowered by gridir for each target; for a TPU libtpu compiles them, for a GPU
    ptxas assembles them, where these are installed.

    Args:
      f: a function that JAX can trace.
      *args: arrays or `jax.ShapeDtypeStruct`s.
      targets: some of "cpu", "tpu:v5e", "gpu:sm_90a" and the like; all that gridir knows without it.
      jobs: how many processes of libtpu may run at once.
      timeout: seconds after which libtpu is given up for a kernel.
      progress: is called with a line of text before each step.
      **kwargs: keyword arguments of `f`.

    Raises:
      OptionError: for an unknown target.

    Example:
      >>> print(gridir.explain(f, x, y))
      >>> gridir.explain(f, x, y, targets=["tpu:v5e"]).refused
    """
    wanted = [check_target(name) for name in targets or default_targets()]
    name = _name_of(f)
    lowered: dict[str, Lowered | Exception] = {}
    prepared: dict[str, Sequence[Any]] = {}

    def ask(target: str) -> Sequence[Verdict]:
        judge = judge_of(target)
        form = judge.form(target)
        if isinstance(error := lowered[form], Exception):
            return [Verdict.of_error(target, name, "gridir", error)]
        if judge.asks:
            progress(f"{judge.asks.format(name)} for {target}")
        return judge.verdicts(target, prepared[form], timeout)

    found: dict[str, Sequence[Verdict]] = {}
    for target in wanted:
        judge = judge_of(target)
        form = judge.form(target)
        if form not in lowered:
            progress(f"lowering {name} for {form}")
            result = lowered[form] = lower_or_error(f, args, kwargs, form)
            if isinstance(result, Lowered):
                prepared[form] = judge.prepare(result)
        if not judge.is_remote:
            found[target] = ask(target)
    remote = [target for target in wanted if judge_of(target).is_remote]
    with concurrent.futures.ThreadPoolExecutor(max(jobs, 1)) as threads:
        found |= dict(zip(remote, threads.map(ask, remote), strict=True))
    return Explanation(name, tuple(verdict for target in wanted for verdict in found[target]))


def _name_of(f: Any) -> str:
    return getattr(f, "__name__", "") or (_name_of(f.func) if isinstance(f, functools.partial) else "function")


def lower_or_error(f: Callable[..., Any], args: Any, kwargs: Any, target: str) -> Lowered | Exception:
    """Returns a function lowered for a target, or the error that says why it is not."""
    try:
        return lower(f, *args, target=target, **kwargs)
    except Exception as error:
        # JAX raises errors of any class while it traces.
        return error

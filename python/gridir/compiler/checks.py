# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of `grid-check` for a kernel, as records."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import run_pipeline
from gridir.errors import Frame, within_kernel
from gridir.locations import frames_of
from gridir.mlir import ir

CHECKS = (
    "in-bounds",
    "written",
    "no-revisit",
    "disjoint",
    "aliases",
    "initialized",
    "balanced",
    "padding",
    "overflow",
)
"""The names of the checks, as `docs/checks.md` explains them."""


@dataclasses.dataclass(frozen=True)
class Check:
    """The verdict of one check about one subject.

    Attributes:
      check: one of `CHECKS`.
      subject: the operand, scratch Ref or grid dimension that it is about.
      verdict: proved, refuted or unknown.
      reason: the reason why it is not proved; or additional facts about a proof. May be empty.
      program: the program that refutes it, where one does.
      element: the element of the subject that refutes it, where one does.
      frames: the location in the author's code, innermost first.
      written_at: the location of the write that a refuting read observes, if there is one.
      targets: the targets for which it is proved, where that is not all of them.
    """

    check: str
    subject: str
    verdict: str
    reason: str = ""
    program: tuple[int, ...] = ()
    element: tuple[int, ...] = ()
    frames: tuple[Frame, ...] = ()
    written_at: tuple[Frame, ...] = ()
    targets: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The property, the subject, the reason and the line, as one line."""
        place = f", at {self.frames[0]}" if self.frames else ""
        return f"`{self.check}` of {self.subject} is {self.verdict}: {self.reason}{place}"

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        location = self.frames[0] if self.frames else None
        return {
            "check": self.check,
            "subject": self.subject,
            "verdict": self.verdict,
            "reason": self.reason,
            "program": list(self.program),
            "element": list(self.element),
            "file": location and location.file,
            "line": location and location.line,
            "column": location and location.column,
            "written_at": str(self.written_at[0]) if self.written_at else None,
            "targets": list(self.targets),
        }


@dataclasses.dataclass(frozen=True)
class KernelChecks:
    """All verdicts about one kernel.

    Attributes:
      kernel: the kernel's name.
      checks: the verdicts, in the order of the operands.
    """

    kernel: str
    checks: tuple[Check, ...]

    @property
    def refuted(self) -> tuple[Check, ...]:
        """The refuted checks."""
        return tuple(check for check in self.checks if check.verdict == "refuted")

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        return {"kernel": self.kernel, "checks": [check.to_json() for check in self.checks]}

    def __str__(self) -> str:
        counts = Counter(check.verdict for check in self.checks)
        summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("proved", "refuted", "unknown"))
        lines = [f"{self.kernel}: {summary}"]
        for check in self.checks:
            reason = f": {check.reason}" if check.reason else ""
            lines.append(f"  {check.verdict:8}  {check.check:11}  {check.subject}{reason}")
            if check.targets:
                lines.append(f"    proved for {' and '.join(check.targets)}")
            if check.verdict == "proved" or not check.frames:
                continue
            lines += _describe("at", check.frames[0])
            if check.written_at:
                lines += _describe("written at", check.written_at[0])
        return "\n".join(lines)


def _describe(what: str, frame: Frame) -> list[str]:
    return [f"    {what} {frame}", *(f"      {line}" for line in frame.source().splitlines())]


def check_kernel(kernel: Kernel, checks: Sequence[str] = ()) -> KernelChecks:
    """Proves properties of a kernel for all of its programs, without executing it.

    Args:
      kernel: a kernel of `gridir.lower`.
      checks: some of `CHECKS`; all without it.

    Raises:
      CompileError: when there is no such check.

    Example:
      >>> for kernel in gridir.lower(function, *args).kernels:
      ...     print(check_kernel(kernel))
    """
    options = "record-locations=true" + (f" checks={','.join(checks)}" if checks else "")
    module = kernel.module()
    with within_kernel(kernel.name, kernel.source):
        run_pipeline(module, f"grid.kernel(grid-canonicalize-index-maps,grid-check{{{options}}})", kernel=kernel.name)
    with module.context:
        (op,) = [op for op in module.body.operations if op.operation.name == "grid.kernel"]
        entries = ir.ArrayAttr(op.operation.attributes["grid.checks"])
        return KernelChecks(kernel.name, tuple(_read(ir.DictAttr(entry)) for entry in entries))


def faults_of(kernel: Kernel, target: str) -> tuple[Check, ...]:
    """Returns the checks that show that the results of a kernel are undefined on a target.

    Args:
      kernel: a kernel of `gridir.lower`, for any target.
      target: the name of the target, as "tpu".

    Raises:
      CompileError: when the kernel cannot be checked.
    """
    names = ["written", "disjoint", "aliases", "initialized", *(["no-revisit"] if target == "tpu" else ())]
    checks = check_kernel(kernel, names).checks
    # Elements that no program writes are no fault of those that are written.
    refuted = [check for check in checks if check.verdict == "refuted" and check.check != "written"]
    return (*refuted, *(check for check in checks if check.verdict == "unknown" and _is_refuted_for(check, target)))


def doubts_of(kernel: Kernel) -> tuple[Check, ...]:
    """Returns the checks that may explain results which are defined, but not what the author expects.

    Args:
      kernel: a kernel of `gridir.lower`, for any target.

    Raises:
      CompileError: when the kernel cannot be checked.
    """
    checks = check_kernel(kernel, ["padding", "overflow"]).checks
    return tuple(check for check in checks if check.verdict == "unknown")


def _is_refuted_for(check: Check, target: str) -> bool:
    return bool(check.targets and (check.program or check.element)) and target not in check.targets


def _read(entry: ir.DictAttr) -> Check:
    values = {
        name: ir.StringAttr(entry[name]).value for name in ("check", "subject", "verdict", "reason") if name in entry
    }
    points = [tuple(ir.DenseI64ArrayAttr(entry[name])) if name in entry else () for name in ("program", "element")]
    locations = {name: frames_of(ir.Location.from_attr(entry[name])) for name in ("loc", "written_at") if name in entry}
    targets: tuple[str, ...] = ()
    if "targets" in entry:
        targets = tuple(ir.StringAttr(name).value for name in ir.ArrayAttr(entry["targets"]))
    return Check(
        **values,
        program=points[0],
        element=points[1],
        frames=locations["loc"],
        written_at=locations.get("written_at", ()),
        targets=targets,
    )

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of libtpu for kernels, as records that print and convert to JSON."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

from gridir.errors import Error
from gridir.runtime.tpu.dumps import Loop, Utilization
from gridir.runtime.tpu.profile import Profile, read_profile
from gridir.runtime.tpu.steps import Prediction, Steps, duration


@dataclasses.dataclass(frozen=True)
class KernelReport:
    """The result of libtpu for one kernel.

    Attributes:
      name: the kernel's name.
      lowering: who lowered it: "gridir" or "jax".
      error: why it was not accepted; None when it was. A `MosaicError` when libtpu refused it.
      bundles: VLIW instructions of the final schedule.
      cycles: bundles as often as they run; an estimate in which no copy is waited for. A branch counts at the steps of
        the grid at which its condition holds, and at every step if that depends on data.
      loops: the loops of the schedule.
      vmem: bytes of VMEM by purpose: windows, scratch, internal, spills.
      planned: bytes of VMEM as gridir plans it, by operand, and "scratch"; Mosaic's own memory is not in it.
      utilization: the use of each functional unit by each bundle; None if libtpu does not report it.
      needed_checks: of the run-time checks "bounds" and "semaphore" why the kernel needs Mosaic's; "" where gridir has
        switched them off, since nothing can fail them or `own_checks` are made instead. Empty for JAX's lowering.
      own_checks: of the same checks, the messages of the assertions that gridir has added.
      seconds: how long libtpu took.
      schedule: the text of the final schedule, with the author's lines; "" if there is none.
      steps: the steps of the grid by their cycles and bytes; None where these are not known.
      prediction: the time that the constants of the chip give for these steps; None likewise.
      times: for each bundle how often it runs; None where only trip counts are known.
    """

    name: str
    lowering: str = "gridir"
    error: Error | None = None
    bundles: int | None = None
    cycles: int | None = None
    loops: tuple[Loop, ...] = ()
    vmem: dict[str, int] = dataclasses.field(default_factory=dict)
    planned: dict[str, int] = dataclasses.field(default_factory=dict)
    utilization: Utilization | None = dataclasses.field(default=None, repr=False)
    needed_checks: dict[str, str] = dataclasses.field(default_factory=dict)
    own_checks: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    seconds: float = 0.0
    schedule: str = dataclasses.field(default="", repr=False)
    steps: Steps | None = dataclasses.field(default=None, repr=False)
    prediction: Prediction | None = None
    times: Any = dataclasses.field(default=None, repr=False, compare=False)

    @property
    def accepted(self) -> bool:
        """True if libtpu compiled the kernel."""
        return self.error is None

    @property
    def vmem_bytes(self) -> int:
        """All VMEM that the kernel takes."""
        return sum(self.vmem.values())

    def profile(self) -> Profile:
        """Returns its cycles by line, by loop and unit, and its spills."""
        return read_profile(self.schedule, self.utilization, self.times)

    def _prediction(self) -> str:
        if self.prediction is None:
            return ""
        return f"  predicted time: {duration(self.prediction.seconds)} ({self.prediction})\n"

    def _became_of(self, check: str) -> str:
        if self.needed_checks[check]:
            return f"kept, {self.needed_checks[check]}"
        if check not in self.own_checks:
            return "off, proved to hold"
        messages = collections.Counter(self.own_checks[check])
        listed = "".join(
            f"\n    {message}{f' ({count} times)' if count > 1 else ''}" for message, count in messages.items()
        )
        return f"off, replaced by assertions{listed}"

    def to_json(self, *, profile: bool = False) -> dict[str, Any]:
        """Returns the report in its JSON form; `profile` adds the cycles by line."""
        record: dict[str, Any] = {"name": self.name, "lowering": self.lowering, "accepted": self.accepted}
        if self.error is not None:
            return record | {"error": _error_to_json(self.error)}
        return record | {
            "bundles": self.bundles,
            "cycles": self.cycles,
            "loops": [dataclasses.asdict(loop) for loop in self.loops],
            "vmem_bytes": self.vmem_bytes,
            "vmem": self.vmem,
            "vmem_planned": self.planned,
            "units": self.utilization.totals() if self.utilization else {},
            "needed_checks": self.needed_checks,
            "own_checks": {check: list(messages) for check, messages in self.own_checks.items()},
            "steps": self.steps.to_json() if self.steps else None,
            "predicted": dataclasses.asdict(self.prediction) if self.prediction else None,
            "compile_seconds": round(self.seconds, 3),
            **({"profile": self.profile().to_json()} if profile else {}),
        }

    def __str__(self) -> str:
        if self.error is not None:
            return f"{self.name} ({self.lowering}): not accepted\n" + "\n".join(
                f"  {line}" for line in str(self.error).splitlines()
            )
        # The steps of the grid give the trip count of the loop over it.
        unknown = 0 if self.steps else sum(loop.trips is None for loop in self.loops)
        approximate = f" (trip counts of {unknown} loops unknown)" if unknown else ""
        planned = f"  planned: {sum(self.planned.values()):,} bytes ({_parts(self.planned)})\n" if self.planned else ""
        checks = "".join(f"  {check} checks: {self._became_of(check)}\n" for check in self.needed_checks)
        # libtpu writes no schedule for a SparseCore.
        schedule = (
            f"  bundles: {self.bundles}\n"
            f"  estimated cycles: {self.cycles:,}{approximate}\n"
            f"{self._prediction()}"
            f"  VMEM: {self.vmem_bytes:,} bytes ({_parts(self.vmem)})\n"
            if self.bundles is not None
            else "  bundles: not known\n"
        )
        return f"{self.name} ({self.lowering}): accepted\n{schedule}{planned}{checks}  compiled in {self.seconds:.2f} s"


@dataclasses.dataclass(frozen=True)
class Report:
    """The results of libtpu for the kernels of a function.

    Attributes:
      topology: its topology.
      device_kind: the chip, as JAX names it; "" when no kernel got as far as libtpu.
      kernels: a report for each kernel as gridir lowers it.
      jax: a report for each kernel as JAX itself lowers it, when a comparison was asked for.
    """

    topology: str
    device_kind: str
    kernels: tuple[KernelReport, ...]
    jax: tuple[KernelReport, ...] = ()

    @property
    def accepted(self) -> bool:
        """True if libtpu compiled every kernel."""
        return all(kernel.accepted for kernel in self.kernels)

    def to_json(self, *, profile: bool = False) -> dict[str, Any]:
        """Returns the report in its JSON form; `profile` adds the cycles of each kernel by line."""
        record: dict[str, Any] = {
            "topology": self.topology,
            "device_kind": self.device_kind,
            "accepted": self.accepted,
            "kernels": [kernel.to_json(profile=profile) for kernel in self.kernels],
        }
        return record | ({"jax": [kernel.to_json(profile=profile) for kernel in self.jax]} if self.jax else {})

    def __str__(self) -> str:
        title = f"{self.topology} ({self.device_kind})" if self.device_kind else self.topology
        return "\n".join([f"libtpu for {title}", *map(str, self.kernels), *map(str, self.jax)])


def _parts(sizes: dict[str, int]) -> str:
    """Sizes by name, the largest first."""
    ordered = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {size:,}" for name, size in ordered) or "none"


def _error_to_json(error: Error) -> dict[str, Any]:
    frame = error.frames[0] if error.frames else None
    return {
        "type": type(error).__name__,
        "stage": getattr(error, "stage", "lowering"),
        "message": error.message,
        "file": frame and frame.file,
        "line": frame and frame.line,
        "column": frame and frame.column,
        "operand": getattr(error, "operand", None),
        "cause": getattr(error, "cause", None),
        "change": getattr(error, "change", None),
        "notes": list(error.notes),
        "libtpu": error.details if getattr(error, "cause", None) is not None else None,
    }

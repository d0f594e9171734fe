# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The outcome of a tier for one configuration, and the interface of targets."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gridir.frontend.estimates.kernel_calls import KernelCall
from gridir.frontend.estimates.step_form import WorkBatch
from gridir.reading import check_fields, check_items, check_value
from gridir.runtime.chip_constants import Chip
from gridir.tuning.traced import Traced

TIERS = ("estimate", "compile", "measure")
"""The tiers, from the fastest to the most accurate."""

_FIELDS = {
    "seconds": (int, float, type(None)), "reason": str, "bound": str, "memory_bytes": int, "figures": dict,
    "notes": list,
}  # fmt: skip
"""The types of an outcome in its JSON form."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcome of a tier for one configuration.

    Attributes:
      seconds: the predicted or measured time of the kernels; None for a configuration that is not legal.
      reason: why it is not legal; "" for one that is.
      bound: the part that takes most of the time, as "compute", "memory" or "steps"; "" if it is unknown.
      memory_bytes: the memory of a core that it takes: VMEM, shared memory of a CTA, or blocks of a step on a CPU.
      figures: further numbers by name, as bundles, spills or registers.
      notes: how exact that is.
    """

    seconds: float | None
    reason: str = ""
    bound: str = ""
    memory_bytes: int = 0
    figures: dict[str, float] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Returns the outcome in its JSON form."""
        return dataclasses.asdict(self) | {"notes": list(self.notes)}

    @staticmethod
    def from_json(record: dict[str, Any]) -> Outcome:
        """Returns the outcome that `to_json` gave.

        Raises:
          ValueError: for a field that is missing, unknown or of another type.
        """
        check_fields(record, _FIELDS)
        for name, figure in record["figures"].items():
            check_value(name, figure, (int, float))
        check_items("notes", record["notes"], str)
        return Outcome(**{**record, "notes": tuple(record["notes"])})

    @staticmethod
    def illegal(reason: str) -> Outcome:
        """Returns the outcome of a configuration that the chip cannot run."""
        return Outcome(None, reason)


_SUMS = frozenset(("steps", "bytes", "bundles"))
"""The figures of kernels that add up; of the others the largest counts."""

Finished = Iterator[tuple[int, Outcome]]
"""Numbers of configurations with their outcomes, as they become known."""


class Backend(abc.ABC):
    """A kind of chip that functions are tuned for.

    Attributes:
      chip: the chip.
      tiers: the tiers that the machine at hand has for it.
    """

    chip: Chip
    tiers: Sequence[str] = ("estimate",)

    @abc.abstractmethod
    def estimate(self, call: KernelCall, work: WorkBatch) -> list[Outcome]:
        """Returns the estimate of the closed form for kernels of one structure.

        Args:
          call: one of them.
          work: the work of all of them.
        """

    def measured_order(self, outcomes: Sequence[Outcome]) -> list[int]:
        """Returns the order in which legal configurations are measured, which have these outcomes, the best first."""
        return list(range(len(outcomes)))

    def compile(self, traced: dict[int, Traced]) -> Finished:
        """Compiles configurations and predicts their times from the code. Backends without this tier lack it."""
        raise NotImplementedError

    @abc.abstractmethod
    def measure(self, traced: dict[int, Traced], tell: Callable[[str], None]) -> Finished:
        """Runs configurations and measures their times; see `tiers`."""


def combine(outcomes: Sequence[tuple[Outcome, int]]) -> Outcome:
    """Returns the outcome of a function from those of its kernels, and how often it calls each."""
    if len(outcomes) == 1 and outcomes[0][1] == 1:
        return outcomes[0][0]
    refused = next((outcome for outcome, _ in outcomes if outcome.seconds is None), None)
    if refused is not None:
        return refused
    longest = max(outcomes, key=lambda item: (item[0].seconds or 0.0) * item[1])[0]
    figures: dict[str, float] = {}
    for outcome, times in outcomes:
        for name, value in outcome.figures.items():
            known = figures.get(name, 0.0)
            figures[name] = known + value * times if name in _SUMS else max(known, value)
    return Outcome(
        sum((outcome.seconds or 0.0) * times for outcome, times in outcomes),
        bound=longest.bound,
        memory_bytes=max(outcome.memory_bytes for outcome, _ in outcomes),
        figures=figures,
        notes=tuple(dict.fromkeys(note for outcome, _ in outcomes for note in outcome.notes)),
    )

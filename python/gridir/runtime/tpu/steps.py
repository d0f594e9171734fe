# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The costs of the steps of a kernel's grid, and the predicted time."""

from __future__ import annotations

import dataclasses
from typing import Any

from gridir.reading import check_fields, check_items


@dataclasses.dataclass(frozen=True)
class Steps:
    """Steps of a grid that are alike, and how often each kind occurs.

    Attributes:
      count: how many steps are of each kind.
      cycles: bundles of the schedule that such a step runs.
      products: instructions among them that feed a matrix unit.
      bytes: bytes that it moves between HBM and VMEM.
      before: bundles outside of the loop over the grid.
      exposed: bytes that are moved before the first step and after the last one.
      notes: how exact the cycles are.
    """

    count: tuple[float, ...]
    cycles: tuple[float, ...]
    products: tuple[float, ...]
    bytes: tuple[float, ...]
    before: float
    exposed: float
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Returns the steps as JSON data."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        rows = sorted(zip(self.count, self.cycles, self.bytes, strict=True), key=lambda row: -row[0] * row[1])
        lines = [f"{count:,.0f} steps of {cycles:,.0f} cycles, {moved:,.0f} bytes" for count, cycles, moved in rows[:8]]
        return "\n".join([*lines, f"{len(rows) - 8} more kinds of steps"] if len(rows) > 8 else lines)

    @staticmethod
    def from_json(record: dict[str, Any]) -> Steps:
        """Returns the steps that `to_json` gave.

        Raises:
          ValueError: for a field that is missing, unknown or of another type.
        """
        number, rows = (int, float), ("count", "cycles", "products", "bytes")
        sequence = (list, tuple)
        kinds = {**dict.fromkeys(rows, sequence), "before": number, "exposed": number, "notes": sequence}
        check_fields(record, kinds)
        for name in rows:
            check_items(name, record[name], number)
        if len({len(record[name]) for name in rows}) > 1:
            raise ValueError("expected as many values of each kind of step, got others")
        check_items("notes", record["notes"], str)
        values: dict[str, Any] = {name: tuple(x) if isinstance(x, list) else x for name, x in record.items()}
        return Steps(**values)


@dataclasses.dataclass(frozen=True)
class Prediction:
    """The predicted time of a kernel.

    Attributes:
      seconds: the time.
      bound: the larger part of it: "compute", "memory" or "steps", for the constant cost of steps.
      steps: how many steps the grid has on one core.
      bytes_moved: bytes between HBM and VMEM.
    """

    seconds: float
    bound: str
    steps: float
    bytes_moved: float

    def __str__(self) -> str:
        moved = f"{self.bytes_moved / 1e6:,.2f} MB"
        return f"{self.steps:,.0f} steps, {moved} moved; most of it is {self.bound}"


def duration(seconds: float) -> str:
    """Returns a time for people."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3f} {unit}"
    return f"{seconds * 1e6:.2f} us"

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The regions of a schedule that do not run at every step of the grid: branches that are skipped, and loops."""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Mapping, Sequence

import numpy as np

from gridir.runtime.tpu.dumps import positions_of, read_schedule, split_bundles, strip_locations

_BRANCH = re.compile(r"sbr\.rel \(!?%\w+\)\s+target = \$region(\d+)")
_EMPTY_REGION = re.compile(r"Start/End empty region (\d+)")
_START_OF_REGION = re.compile(r"Start region (\d+)")
_PRODUCT = re.compile(r"\bvmatmul")
_DELAY_SLOTS = 4

Position = tuple[str, int]


@dataclasses.dataclass
class Region:
    """Consecutive bundles of a schedule.

    Attributes:
      first: the number of the first bundle.
      last: the number of the last one.
      is_loop: whether it is repeated; else a branch skips it.
      trips: of a loop, how often it is repeated; None where that is not a constant.
      lines: how many operations it has of each line of the author's, with those of the regions in it.
      inner: the regions in it, in order.
    """

    first: int
    last: int
    is_loop: bool
    trips: int | None = None
    lines: collections.Counter[Position] = dataclasses.field(default_factory=collections.Counter)
    inner: list[Region] = dataclasses.field(default_factory=list)

    def walk(self) -> list[Region]:
        """Returns the regions in it, each before those inside of it."""
        return [region for inner in self.inner for region in (inner, *inner.walk())]


@dataclasses.dataclass(frozen=True)
class KernelPart:
    """A branch or a loop of a kernel, as its author wrote it.

    Attributes:
      is_loop: whether it is a loop.
      lines: of its equations.
      times: how often it runs at each step; None if that depends on data.
    """

    is_loop: bool
    lines: frozenset[Position]
    times: np.ndarray | None


@dataclasses.dataclass(frozen=True)
class StepCycles:
    """The cycles of a schedule at each step of the grid.

    Attributes:
      bundles: the bundles that run at each step.
      products: instructions among them that feed a matrix unit.
      before: bundles outside of the loop over the grid, which run once.
      matched: how many branches and loops of the schedule are known to be which of the kernel.
      unmatched: how many are not; these count as taken, and once where the trip count is not a constant.
      times: for each bundle how often it runs in all steps together.
    """

    bundles: np.ndarray
    products: np.ndarray
    before: int
    matched: int
    unmatched: int
    times: np.ndarray = dataclasses.field(repr=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """Returns how exact the cycles are."""
        if not self.unmatched:
            return ()
        return (f"branches or loops of the schedule that are not known and count once at every step: {self.unmatched}",)


def read_regions(schedule: str) -> tuple[Region, list[int]]:
    """Reads the file `final_bundles`: the regions in all of it, and the products of each bundle."""
    bodies = split_bundles(schedule)
    plain = [strip_locations(body) for body in bodies]
    starts: dict[str, int] = {}
    for number, body in enumerate(plain):
        for region in _EMPTY_REGION.findall(body):
            starts.setdefault(region, number)
        for region in _START_OF_REGION.findall(body):
            starts.setdefault(region, number + 1)
    found = [Region(loop.first, loop.last, True, loop.trips) for loop in read_schedule(schedule).loops]
    for number, body in enumerate(plain):
        for region in _BRANCH.findall(body):
            target = starts.get(region, -1)
            first = number + 1 + _DELAY_SLOTS
            if target > first:
                found.append(Region(first, target - 1, False))
    root = Region(0, len(bodies) - 1, False)
    for region in sorted(found, key=lambda r: (r.first, -r.last, not r.is_loop)):
        _insert(root, region)
    positions = [collections.Counter(positions_of(body)) for body in bodies]
    for region in root.walk():
        for number in range(region.first, region.last + 1):
            region.lines.update(positions[number])
    return root, [len(_PRODUCT.findall(body)) for body in plain]


def _insert(parent: Region, region: Region) -> None:
    for inner in parent.inner:
        if inner.first <= region.first and region.last <= inner.last:
            _insert(inner, region)
            return
    parent.inner.append(region)


def grid_loop(root: Region, steps: int) -> Region | None:
    """Returns the loop over the grid: the widest one that can be it; None where the grid has a single step."""
    if steps == 1:
        return None
    loops = [region for region in root.walk() if region.is_loop]
    loops = [loop for loop in loops if loop.trips is None or loop.trips > 1]
    return max(loops, key=lambda loop: loop.last - loop.first, default=None)


def match(regions: Sequence[Region], parts: Sequence[KernelPart]) -> dict[int, KernelPart]:
    """Matches each region of the schedule to a branch or loop of the kernel, by its number.

    Selects the assignment with the most common source lines. If both branches of a condition have the same lines, their
    order decides, which libtpu mostly keeps.
    """
    likeness = np.array([[_likeness(region, part) for part in parts] for region in regions], float)
    if not likeness.size:
        return {}
    from scipy.optimize import linear_sum_assignment  # Slow to import, and every lowering imports this module.

    places = np.linspace(0, 1, len(regions))[:, None] - np.linspace(0, 1, len(parts))[None, :]
    rows, columns = linear_sum_assignment(likeness - _ORDER * places**2, maximize=True)
    return {int(i): parts[j] for i, j in zip(rows, columns, strict=True) if likeness[i, j] > 0}


_ORDER = 0.05
"""The weight of the order, relative to the similarity of lines, which is at most 1."""


def _likeness(region: Region, part: KernelPart) -> float:
    if region.is_loop != part.is_loop or not region.lines or not part.lines:
        return 0.0
    inside = sum(count for line, count in region.lines.items() if line in part.lines) / region.lines.total()
    covered = sum(line in region.lines for line in part.lines) / len(part.lines)
    # A region that has more of other lines than of the part's is another one.
    return inside * inside * covered if inside > 0.5 else 0.0


def count_cycles(schedule: str, parts: Sequence[KernelPart], steps: int) -> StepCycles:
    """Counts the bundles that run at each step.

    Args:
      schedule: the file `final_bundles`.
      parts: the branches and loops of the kernel, in its order.
      steps: how many steps of the grid the parts have values for.
    """
    root, products = read_regions(schedule)
    loop = grid_loop(root, steps)
    body = loop or root
    regions = body.walk()
    matched = match(regions, parts)
    by_region = {id(regions[number]): part for number, part in matched.items()}
    counter = _Counter(by_region, np.array(products), steps)
    counter.add(body, np.ones(1))
    outside = root.last + 1 - (body.last + 1 - body.first)
    counter.times[: body.first] = counter.times[body.last + 1 :] = 1
    return StepCycles(
        np.broadcast_to(counter.bundles, (steps,)),
        np.broadcast_to(counter.products, (steps,)),
        outside,
        len(matched),
        counter.unmatched,
        counter.times,
    )


class _Counter:
    def __init__(self, parts: Mapping[int, KernelPart], products: np.ndarray, steps: int):
        self._parts, self._of_bundle, self._steps = parts, products, steps
        self.bundles = self.products = np.zeros(1)
        self.unmatched = 0
        self.times = np.zeros(len(products))

    def add(self, region: Region, times: np.ndarray) -> None:
        """Adds the bundles of a region that runs so often at each step."""
        own = np.ones(region.last + 1 - region.first, bool)
        for inner in region.inner:
            own[inner.first - region.first : inner.last + 1 - region.first] = False
            self.add(inner, self._times(inner, times))
        here = self._of_bundle[region.first : region.last + 1]
        self.bundles = self.bundles + times * own.sum()
        self.products = self.products + times * here[own].sum()
        total = float(np.broadcast_to(times, (self._steps,)).sum())
        self.times[region.first : region.last + 1][own] = total

    def _times(self, region: Region, around: np.ndarray) -> np.ndarray:
        part = self._parts.get(id(region))
        if region.is_loop and region.trips is not None:
            return around * region.trips
        if part is not None and part.times is not None:
            return part.times
        # Code that the pipeline puts around the whole body runs at every step.
        if region.is_loop or (region.lines and not any(id(inner) in self._parts for inner in region.walk())):
            self.unmatched += 1
        return around

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data of a report, independent of its appearance: records that convert to JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

from gridir.compiler.checks import KernelChecks
from gridir.report.barriers import Barrier
from gridir.report.blocks import Grid
from gridir.report.costs import Costs
from gridir.report.listing import Listing, Origin
from gridir.report.memory import Ledger
from gridir.report.remarks import Remark
from gridir.report.sources import Source
from gridir.report.verdicts import Verdict


@dataclasses.dataclass(frozen=True)
class TargetView:
    """A kernel on one target.

    Attributes:
      target: the target and chip, as "tpu:v5e".
      verdict: who accepts it, or refuses it and why.
      listings: its text at each stage that it has reached, in order.
      ledger: its memory by memory space; None if it is rejected before that is planned.
      remarks: the remarks of the passes.
    """

    target: str
    verdict: Verdict
    listings: tuple[Listing, ...] = ()
    ledger: Ledger | None = None
    remarks: tuple[Remark, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        return {
            "target": self.target,
            "verdict": self.verdict.to_json(),
            "listings": [listing.to_json() for listing in self.listings],
            "ledger": self.ledger and self.ledger.to_json(),
            "remarks": [dataclasses.asdict(remark) for remark in self.remarks],
        }


@dataclasses.dataclass(frozen=True)
class Scalars:
    """A prefetched operand in this run.

    Attributes:
      name: the Ref's name.
      shape: its shape.
      values: its first values, flattened.
    """

    name: str
    shape: tuple[int, ...]
    values: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many values there are."""
        return math.prod(self.shape)


@dataclasses.dataclass(frozen=True)
class KernelView:
    """One kernel of a function.

    Attributes:
      name: the kernel's name.
      source: the kernel function and its line; None if it is unknown.
      grid: its grid, and the blocks of its operands.
      prefetched: the prefetched operands of this run.
      checks: the results of the proofs.
      targets: the results for each target.
      costs: its operations and bytes; None if they cannot be counted.
      barriers: those of a kernel whose threads are warpgroups.
    """

    name: str
    source: str | None
    grid: Grid
    prefetched: tuple[Scalars, ...]
    checks: KernelChecks
    targets: tuple[TargetView, ...]
    costs: Costs | None
    barriers: tuple[Barrier, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        return {
            "name": self.name,
            "source": self.source,
            "grid": self.grid.to_json(),
            "prefetched": [dataclasses.asdict(scalars) for scalars in self.prefetched],
            "checks": self.checks.to_json()["checks"],
            "targets": [target.to_json() for target in self.targets],
            "costs": self.costs and self.costs.to_json(),
            "barriers": [barrier.to_json() for barrier in self.barriers],
        }

    def origins(self) -> Iterator[Origin]:
        """The lines that its ops come from, and those that diagnostics name."""
        for target in self.targets:
            for listing in target.listings:
                for origins in listing.origins:
                    yield from origins


@dataclasses.dataclass(frozen=True)
class Run:
    """The function, run once on this machine's CPU.

    Attributes:
      milliseconds: the fastest of some calls; None where it failed.
      calls: how many.
      cpu: the CPU, as LLVM names it.
      error: why it failed; empty where it did not.
    """

    milliseconds: float | None
    calls: int
    cpu: str
    error: str = ""


@dataclasses.dataclass(frozen=True)
class Report:
    """The contents of a report.

    Attributes:
      function: the function's name.
      path: the file that it is in.
      versions: of gridir, JAX and, where they are installed, libtpu and ptxas.
      verdicts: refusals of the whole function, for which there is no kernel.
      kernels: its kernels.
      run: how it ran; None where it was not asked for.
      sources: the author's files.
    """

    function: str
    path: str
    versions: dict[str, str]
    verdicts: Sequence[Verdict]
    kernels: Sequence[KernelView]
    run: Run | None
    sources: Sequence[Source]

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        return {
            "function": self.function,
            "path": self.path,
            "versions": self.versions,
            "verdicts": [verdict.to_json() for verdict in self.verdicts],
            "kernels": [kernel.to_json() for kernel in self.kernels],
            "run": self.run and dataclasses.asdict(self.run),
            "sources": [source.to_json() for source in self.sources],
        }

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of `ptxas` for kernels, as records that print and convert to JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

from gridir.runtime.ptxas.cubin import Cubin


@dataclasses.dataclass(frozen=True)
class KernelReport:
    """The resources of one kernel on a GPU.

    Attributes:
      name: the kernel's name. cubin: its code, with registers and spills. ctas: the number of CTAs of a launch; None if
      the grid is dynamic.
      threads: threads of each CTA.
      shared_bytes: shared memory of each CTA.
      workspace_bytes: global memory for temporaries of each CTA.
    """

    name: str
    cubin: Cubin
    ctas: int | None
    threads: int
    shared_bytes: int
    workspace_bytes: int

    def to_json(self) -> dict[str, Any]:
        """Returns the report in its JSON form."""
        return {
            "name": self.name,
            "registers": self.cubin.registers,
            "spill_bytes": self.cubin.spill_bytes,
            "stack_bytes": self.cubin.stack_bytes,
            "ctas": self.ctas,
            "threads": self.threads,
            "shared_bytes": self.shared_bytes + self.cubin.static_shared_bytes,
            "workspace_bytes": self.workspace_bytes,
            "cubin_bytes": len(self.cubin.code),
            "remarks": list(self.cubin.remarks),
        }

    def __str__(self) -> str:
        ctas = "a dynamic number of" if self.ctas is None else str(self.ctas)
        shared = self.shared_bytes + self.cubin.static_shared_bytes
        lines = [
            f"{self.name}: {ctas} CTAs of {self.threads} threads",
            f"  registers: {self.cubin.registers}, spills: {self.cubin.spill_bytes} bytes",
            f"  shared memory: {shared:,} bytes, workspace: {self.workspace_bytes:,} bytes for each CTA",
        ]
        return "\n".join([*lines, *(f"  {remark}" for remark in self.cubin.remarks)])


@dataclasses.dataclass(frozen=True)
class Report:
    """The resources of a function's kernels on a GPU.

    Attributes:
      chip: the chip of the code.
      kernels: a report for each.
    """

    chip: str
    kernels: tuple[KernelReport, ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the report in its JSON form."""
        return {"chip": self.chip, "kernels": [kernel.to_json() for kernel in self.kernels]}

    def __str__(self) -> str:
        return "\n".join([f"ptxas for {self.chip}", *map(str, self.kernels)])

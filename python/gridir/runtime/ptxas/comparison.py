# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine code of one kernel by several compilers, side by side; one `ptxas` assembles all of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from gridir.runtime.ptxas.cubin import Cubin, disassemble
from gridir.runtime.ptxas.sass import Loop, read_sass


@dataclasses.dataclass(frozen=True)
class Code:
    """The code of a kernel for a chip.

    Attributes:
      registers: registers of each thread.
      spill_bytes: bytes that each thread stores and loads for want of registers.
      shared_bytes: shared memory of each CTA.
      instructions: how many there are, without NOPs.
      loop: the loop in which it multiplies matrices; None if there is none.
      remarks: remarks of `ptxas` about code that differs from the kernel's request.
    """

    registers: int
    spill_bytes: int
    shared_bytes: int
    instructions: int
    loop: Loop | None
    remarks: tuple[str, ...]

    @classmethod
    def of(cls, cubin: Cubin, dynamic_shared_bytes: int) -> Code:
        """Reads the code of a cubin.

        Raises:
          PtxasError: when `nvdisasm` is not found.
        """
        listing = read_sass(disassemble(cubin.code))
        return cls(
            registers=cubin.registers,
            spill_bytes=cubin.spill_bytes,
            shared_bytes=dynamic_shared_bytes + cubin.static_shared_bytes,
            instructions=len(listing.instructions),
            loop=listing.steady_loop(),
            remarks=cubin.remarks,
        )

    def to_json(self) -> dict[str, Any]:
        """Returns its JSON form."""
        record = dataclasses.asdict(self)
        record["remarks"] = list(self.remarks)
        record["loop"] = self.loop and {
            "instructions": self.loop.instructions,
            "units": self.loop.units,
            "names": dict(self.loop.names.most_common()),
        }
        return record


def compare(codes: Mapping[str, Code]) -> str:
    """Returns a table with a column for each compiler, and a row for each kind of instruction of the steady loop."""
    rows: list[tuple[str, list[str]]] = []

    def add(name: str, *values: object) -> None:
        rows.append((name, [f"{value:,}" if isinstance(value, int) else str(value) for value in values]))

    each = codes.values()
    add("", *codes)
    add("registers", *(code.registers for code in each))
    add("spilled bytes", *(code.spill_bytes for code in each))
    add("shared memory", *(code.shared_bytes for code in each))
    add("remarks of ptxas", *(len(code.remarks) for code in each))
    add("instructions", *(code.instructions for code in each))
    loops = [code.loop for code in each]
    if any(loops):
        add("steady loop", *(loop.instructions if loop else "-" for loop in loops))
        names = sum((loop.names for loop in loops if loop), start=type(next(filter(None, loops)).names)())
        for name, _ in names.most_common():
            add(f"  {name}", *(loop.names[name] if loop else "-" for loop in loops))
    width = max(len(name) for name, _ in rows)
    widths = [max(len(values[i]) for _, values in rows) for i in range(len(codes))]
    return "\n".join(
        name.ljust(width) + "".join(f"  {value.rjust(size)}" for value, size in zip(values, widths, strict=True))
        for name, values in rows
    )

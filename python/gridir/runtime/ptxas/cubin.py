# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembling PTX with NVIDIA's `ptxas`, and disassembling the result."""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import subprocess
import tempfile
from typing import Any

from gridir.errors import Error
from gridir.runtime.ptxas.toolkit import find_nvdisasm, find_ptxas

_FIRST_FOR_REGISTER_PRODUCTS = (13, 3)
_INSTALL = "pip install 'gridir[gpu]', or set GRIDIR_PTXAS"
# Remarks that the code differs from the kernel's request: setmaxnreg is ignored, wgmma is serialized.
_CHANGED = re.compile(r"C75(08|1[0-9])")


class PtxasError(Error):
    """`ptxas` is not installed, or does not accept a kernel.

    Attributes:
      stage: "compile", or "crash" or "timeout" where `ptxas` gave no answer, and may give one in another run.
    """

    def __init__(self, message: str, *, stage: str = "compile", **kwargs: Any):
        super().__init__(message, **kwargs)
        self.stage = stage


@dataclasses.dataclass(frozen=True)
class Cubin:
    """A kernel in the code of one chip.

    Attributes:
      code: the ELF file that the driver loads.
      chip: the chip that it is for.
      registers: registers of each thread.
      spill_bytes: bytes that each thread stores to and loads from memory for want of registers.
      stack_bytes: bytes of each thread's stack.
      static_shared_bytes: shared memory that the code itself reserves, besides that of a launch.
      remarks: remarks of `ptxas` about code that differs from the kernel's request, such as serialized MMAs.
    """

    code: bytes = dataclasses.field(repr=False)
    chip: str
    registers: int
    spill_bytes: int
    stack_bytes: int
    static_shared_bytes: int
    remarks: tuple[str, ...] = ()


def assemble(
    ptx: str,
    chip: str,
    *,
    kernel: str | None = None,
    timeout: float = 120,
    line_info: bool = False,
    register_products: bool = False,
    ptxas: str | None = None,
    level: int | None = None,
) -> Cubin:
    """Assembles a module of PTX that holds one kernel.

    Args:
      ptx: the text.
      chip: the chip, as "sm_90a".
      kernel: the kernel's name, for messages.
      timeout: seconds after which `ptxas` is given up.
      register_products: the text has `wgmma` instructions that read an operand from registers. `ptxas` before 13.3 may
        reuse these registers too early.
      line_info: keeps the lines that the directives of the text name; the instructions are the same.
      ptxas: the path of `ptxas`; None for the one that `find_ptxas` returns.
      level: the level of optimization, from 0 to 3; None for the default, which is 3.

    Raises:
      PtxasError: when `ptxas` is not found, is too old for the text, or refuses it.
    """
    ptxas = ptxas or find_ptxas()
    if ptxas is None:
        raise PtxasError("expected ptxas, got none", kernel=kernel, notes=[_INSTALL])
    if register_products and (version := ptxas_version(ptxas)) < _FIRST_FOR_REGISTER_PRODUCTS:
        raise PtxasError(
            "expected ptxas 13.3 or newer for a wgmma with an operand in registers, "
            f"got {'.'.join(map(str, version))}, which may overwrite the operand too early",
            kernel=kernel,
            notes=[_INSTALL],
        )
    with tempfile.TemporaryDirectory(prefix="gridir-ptxas-") as directory:
        source, target = os.path.join(directory, "kernel.ptx"), os.path.join(directory, "kernel.cubin")
        with open(source, "w", encoding="utf-8") as file:
            file.write(ptx)
        command = [ptxas, "--verbose", f"--gpu-name={chip}", source, f"--output-file={target}"]
        command += ["--generate-line-info"] if line_info else []
        command += [] if level is None else [f"--opt-level={level}"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            raise PtxasError(f"ptxas did not finish in {timeout:g} s", stage="timeout", kernel=kernel) from None
        messages = [line.replace(source, "kernel.ptx") for line in (run.stdout + run.stderr).splitlines()]
        if run.returncode < 0:
            raise PtxasError(f"ptxas was ended by signal {-run.returncode}", stage="crash", kernel=kernel)
        if run.returncode != 0:
            raise PtxasError(
                f"ptxas does not accept the kernel for {chip}", kernel=kernel, notes=messages[:8], details=ptx
            )
        with open(target, "rb") as file:
            code = file.read()
    text = "\n".join(messages)
    return Cubin(
        code,
        chip,
        registers=_number(r"Used (\d+) registers", text),
        spill_bytes=_number(r"(\d+) bytes spill stores", text) + _number(r"(\d+) bytes spill loads", text),
        stack_bytes=_number(r"(\d+) bytes stack frame", text),
        static_shared_bytes=_number(r"(\d+) bytes smem", text),
        remarks=tuple(line for line in messages if _CHANGED.search(line)),
    )


def ptxas_version(ptxas: str | None = None) -> tuple[int, ...]:
    """Returns the version of `ptxas`, as (13, 5, 37).

    Args:
      ptxas: its path; None for the one that `find_ptxas` returns.

    Raises:
      PtxasError: when `ptxas` is not found, or does not say its version.
    """
    ptxas = ptxas or find_ptxas()
    if ptxas is None:
        raise PtxasError("expected ptxas, got none", notes=[_INSTALL])
    return _version_of(ptxas)


@functools.cache
def _version_of(ptxas: str) -> tuple[int, ...]:
    run = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"V(\d+(?:\.\d+)+)", run.stdout)
    if found is None:
        raise PtxasError("expected the version of ptxas, got " + repr(run.stdout[-200:]))
    return tuple(map(int, found[1].split(".")))


def disassemble(code: bytes, *, kernel: str | None = None, timeout: float = 120) -> str:
    """Returns the instructions of a cubin as NVIDIA's `nvdisasm` writes them, with the lines that it knows of.

    Args:
      code: the cubin.
      kernel: the kernel's name, for messages.
      timeout: seconds after which `nvdisasm` is given up.

    Raises:
      PtxasError: when `nvdisasm` is not found or refuses the cubin.
    """
    nvdisasm = find_nvdisasm()
    if nvdisasm is None:
        notes = ["pip install 'gridir[report]', or set GRIDIR_NVDISASM"]
        raise PtxasError("expected nvdisasm, got none", kernel=kernel, notes=notes)
    with tempfile.NamedTemporaryFile(prefix="gridir-", suffix=".cubin") as file:
        file.write(code)
        file.flush()
        command = [nvdisasm, "--print-code", "--print-line-info", file.name]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            raise PtxasError(f"nvdisasm did not finish in {timeout:g} s", stage="timeout", kernel=kernel) from None
    if run.returncode != 0:
        raise PtxasError("nvdisasm does not accept the cubin", kernel=kernel, notes=run.stderr.splitlines()[:8])
    return run.stdout


def _number(pattern: str, text: str) -> int:
    return max((int(number) for number in re.findall(pattern, text)), default=0)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's assembler `ptxas`, libdevice, and reading the machine code that they give; needs no GPU."""

from gridir.runtime.ptxas.comparison import Code, compare
from gridir.runtime.ptxas.cubin import Cubin, PtxasError, assemble, disassemble, ptxas_version
from gridir.runtime.ptxas.report import KernelReport, Report
from gridir.runtime.ptxas.sass import CodeCounts, Loop, read_sass
from gridir.runtime.ptxas.toolkit import find_all_ptxas, find_libdevice_toolkit, find_nvdisasm, find_ptxas

__all__ = [
    "Code",
    "CodeCounts",
    "Cubin",
    "KernelReport",
    "Loop",
    "PtxasError",
    "Report",
    "assemble",
    "compare",
    "disassemble",
    "find_all_ptxas",
    "find_libdevice_toolkit",
    "find_nvdisasm",
    "find_ptxas",
    "ptxas_version",
    "read_sass",
]

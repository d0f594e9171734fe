# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is needed of a CUDA toolkit, and what it makes of kernels; no GPU is needed."""

from gridir.runtime.gpu.comparison import Code, compare
from gridir.runtime.gpu.ptxas import Cubin, PtxasError, assemble, disassemble
from gridir.runtime.gpu.report import KernelReport, Report
from gridir.runtime.gpu.sass import Loop, read_sass
from gridir.runtime.gpu.toolkit import find_libdevice_toolkit, find_nvdisasm, find_ptxas

__all__ = [
    "Code",
    "Cubin",
    "KernelReport",
    "Loop",
    "PtxasError",
    "Report",
    "assemble",
    "compare",
    "disassemble",
    "find_libdevice_toolkit",
    "find_nvdisasm",
    "find_ptxas",
    "read_sass",
]

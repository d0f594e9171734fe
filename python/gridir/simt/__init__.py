# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts inline code of single threads to ops on whole arrays.

Such code is MLIR for the registers of one thread of a warpgroup. It is executed for all threads at once. Values that
follow from the thread number are constants, and elements of arrays are symbolic. The stores and results of all threads
are then arrays whose elements are expressions of elements of others. If these are the same expression everywhere, they
become an op on arrays.
"""

from gridir.simt import (  # noqa: F401  (register what they do)
    addresses,
    assembly,
    control,
    copies,
    lanes,
    matrices,
    threads,
)
from gridir.simt.code import Block, Code, Held, Op
from gridir.simt.execution import Execution, Operand
from gridir.simt.values import Refusal

__all__ = ["Block", "Code", "Execution", "Held", "Op", "Operand", "Refusal"]

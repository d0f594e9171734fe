# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of single threads, which an author writes by hand, as code of whole arrays.

Such code is MLIR that says what one thread of a warpgroup does with its registers. It is executed by all threads at
once, with numbers that are known where they follow from the number of a thread, and with the elements of arrays where
they do not. What all threads store, or hold in the end, is then an array of which each element is known as an
expression of elements of others; where these are the same expression everywhere, they are an op on arrays.
"""

from gridir.frontend.by_thread import (  # noqa: F401  (register what they do)
    addresses,
    assembly,
    control,
    copies,
    lanes,
    matrices,
    threads,
)
from gridir.frontend.by_thread.code import Block, Code, Held, Op
from gridir.frontend.by_thread.execution import Execution, Operand
from gridir.frontend.by_thread.values import Refusal

__all__ = ["Block", "Code", "Execution", "Held", "Op", "Operand", "Refusal"]

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores of matrices of 8 rows of 16 bytes by the lanes of a warp together: `ldmatrix` and `stmatrix`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gridir.simt.code import Op
from gridir.simt.handlers import Anything, Struct, handles
from gridir.simt.memory import Operand, Pointer
from gridir.simt.values import Index, Packed, Refusal

if TYPE_CHECKING:
    from gridir.simt.execution import Execution

ROWS = 8
"""The rows of a matrix, each at the address that one lane gives."""
WORD_BITS = 32
"""The elements of a matrix that each lane holds."""
HALF_BITS = 16
"""The lanes that a transposed matrix exchanges."""


def _matrices(run: Execution, op: Op, count: int) -> tuple[Operand, list[Index]]:
    """The Ref, and for each matrix the addresses of the elements that the lanes hold.

    The rows of matrix `j` are at the addresses of lanes `8 j` to `8 j + 7`. Lane `l` holds a word of row `l / 4`. Where
    the matrix is transposed, its word has the halves of two rows, from column `l / 4`.
    """
    pointer = run.values[op.operands[0]]
    if not isinstance(pointer, Pointer) or not pointer.window.operand.is_shared:
        raise Refusal("expected an address in shared memory")
    if not run.active.all():
        raise Refusal("expected all threads, got some of them")
    bits = pointer.window.operand.bits
    if op.attributes["eltType"] != "#nvvm.ld_st_matrix_elt_type<b16>" or WORD_BITS % bits:
        raise Refusal("expected matrices of 8 rows of 16 bytes")
    is_transposed = op.attributes["layout"] != "#nvvm.mma_layout<row>"
    if is_transposed and HALF_BITS % bits:
        raise Refusal(f"expected elements of at most {HALF_BITS} bits in a matrix that is transposed, got {bits}")
    threads = run.threads
    rows = np.broadcast_to(pointer.bits, (threads.warpgroups, threads.count, 1))[..., 0]
    lanes = threads.lanes()[0, :, 0][:, None]
    first = np.arange(threads.count)[:, None] - lanes
    at = np.arange(0, WORD_BITS, bits)
    if is_transposed:
        row, column = lanes % 4 * 2 + at // HALF_BITS, lanes // 4 * HALF_BITS + at % HALF_BITS
    else:
        row, column = lanes // 4, lanes % 4 * WORD_BITS + at
    addresses = [rows[:, first + ROWS * j + row] + column for j in range(count)]
    return pointer.window.operand, addresses


@handles("nvvm.ldmatrix")
def _load_matrices(run: Execution, op: Op) -> list[Anything]:
    count = int(op.attributes["num"].split()[0])
    operand, addresses = _matrices(run, op, count)
    words = tuple(
        Packed(run.accesses.read(operand, each), each.shape[2], "i32")
        if each.shape[2] > 1
        else run.words.lanes(run.accesses.read(operand, each), "i32")
        for each in addresses
    )
    return [Struct(words)] if count > 1 else list(words)


@handles("nvvm.stmatrix")
def _store_matrices(run: Execution, op: Op) -> None:
    words = [run.value(number) for number in op.operands[1:]]
    operand, addresses = _matrices(run, op, len(words))
    element = str(operand.ref.type.element_type)
    for word, each in zip(words, addresses, strict=True):
        run.accesses.write(operand, each, run.words.lanes(word, element))

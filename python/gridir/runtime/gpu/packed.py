# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands whose elements share bytes for bulk copies, in NumPy's memory, where each element has a byte."""

from __future__ import annotations

import dataclasses

import numpy as np

from gridir.runtime.gpu.launch import Launch, TensorMap


class PackedOperand:
    """An operand whose elements share bytes for bulk copies; in NumPy's memory each element has a byte.

    The first element of a byte has its lowest bits.

    Attributes:
      words: the bytes that bulk copies access.
    """

    def __init__(self, operand: np.ndarray, count: int):
        self._operand = operand
        self._shifts = np.arange(count, dtype=np.uint8) * np.uint8(8 // count)
        self._mask = np.uint8(0xFF >> int(self._shifts[-1]))
        parts = operand.view(np.uint8).reshape(-1, count) & self._mask
        self.words = np.bitwise_or.reduce(parts << self._shifts, axis=1)
        self._before = self.words.copy()

    def merged(self, operand: bytes, words: bytes) -> bytes:
        """Returns the bytes of the operand, with those that copies have stored to the words.

        Args:
          operand: the bytes of the operand after a launch, which threads may have stored.
          words: the bytes of the words after a launch.
        """
        self._operand.reshape(-1).view(np.uint8)[...] = np.frombuffer(operand, np.uint8)
        self.words[...] = np.frombuffer(words, np.uint8)
        self.unpack()
        return self._operand.tobytes()

    def unpack(self) -> None:
        """Stores the changes of copies to the operand; threads store to the operand directly."""
        parts, old = (words.reshape(-1, 1) >> self._shifts & self._mask for words in (self.words, self._before))
        changed = (parts != old).reshape(self._operand.shape)
        self._operand[changed] = parts.view(self._operand.dtype).reshape(self._operand.shape)[changed]


def with_packed(launch: Launch, num_operands: int) -> Launch:
    """Returns the launch on a GPU of operands that have a byte for each element.

    Each packed operand has one more operand after the others: bulk copies access that one, and threads the other.

    Args:
      launch: the launch, whose `packed_operands` name the operands.
      num_operands: the number of its operands.
    """
    places = {number: num_operands + i for i, (number, _) in enumerate(launch.packed_operands)}
    parameters = tuple(
        dataclasses.replace(x, operand=places.get(x.operand, x.operand)) if isinstance(x, TensorMap) else x
        for x in launch.parameters
    )
    return dataclasses.replace(launch, parameters=parameters, packed_operands=())

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes code of single threads for all threads of a warpgroup, or of a warp, at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from gridir import emit
from gridir.mlir import ir
from gridir.simt import integers
from gridir.simt.accesses import Accesses, one_warpgroup
from gridir.simt.arrays import Piece, Raiser
from gridir.simt.code import Block, Code, Held, Op
from gridir.simt.handlers import HANDLERS, LANES, Anything, Struct
from gridir.simt.memory import Operand, Pointer, Window
from gridir.simt.values import (
    Computed,
    Elements,
    Index,
    Known,
    Refusal,
    Source,
    Uniform,
    Value,
    choose,
    indices_of,
    lanes_and_element,
)
from gridir.simt.words import BITWISE, Words, is_packed


class Kernel(Protocol):
    """The interface of the surrounding kernel to inline code."""

    def index(self, of: str, dimension: str) -> ir.Value | int:
        """A number of `gpu`: the result of an op of that name for a dimension, "x", "y" or "z"."""

    def part(self, ref: ir.Value, offsets: Sequence[Any], sizes: Sequence[int], dropped: Sequence[int]) -> ir.Value:
        """A window of a Ref, without the dimensions that are dropped."""

    def fence(self, text: str) -> None:
        """A fence, as the text of PTX."""

    def named_barrier(self, number: ir.Value | int, threads: int, waits: bool) -> None:
        """Synchronizes this many threads of the CTA at the barrier of that number; a thread that does not wait only
        arrives.
        """

    def store_tile(self, source: Window, dest: Window) -> None:
        """An asynchronous copy from shared to global memory, in a group of its own."""

    def wait_for_copies(self, groups: int, reads: bool) -> None:
        """Waits until at most this many groups of copies are pending."""


@dataclasses.dataclass(frozen=True)
class _Threads:
    """The threads that execute code.

    Attributes:
      warpgroups: how many warpgroups a block has.
      count: how many threads execute it together: those of a warpgroup or of a warp.
    """

    warpgroups: int
    count: int

    def numbers(self) -> Index | None:
        """Their numbers in the block; None for single-warp code."""
        if self.count == LANES:
            return None
        return np.arange(self.warpgroups * self.count).reshape(self.warpgroups, self.count, 1)

    def lanes(self) -> Index:
        """Their numbers in their warps."""
        return np.broadcast_to(np.arange(self.count) % LANES, (self.warpgroups, self.count))[..., None]


class Execution:
    """Executes code.

    Args:
      kernel: the kernel that it is in.
      warpgroups: how many warpgroups a block has.
      threads: how many threads execute it together: 128, or 32 in code of single warps.
    """

    def __init__(self, kernel: Kernel, warpgroups: int, threads: int):
        self.kernel, self.threads = kernel, _Threads(warpgroups, threads)
        self.values: dict[int, Anything] = {}
        self.accesses = Accesses(kernel.part)
        self.active: Index = np.ones((warpgroups, threads, 1), bool)
        self.uniform: dict[Any, Uniform] = {}
        self.words = Words(self)

    def bind_array(self, held: Held, array: ir.Value) -> None:
        """Passes an array to the code."""
        element = str(emit.element_of(array))
        if not held.spread.tile:
            at = [emit.index(0)] * len(emit.shape_of(array))
            scalar = emit.extract(array, at) if at else array
            self.values[held.registers[0]] = Uniform(scalar, element)
            return
        indices = indices_of(held.spread, held.tiled, self.threads.count)
        source = Source(held.shape, array)
        for register, of_register in zip(held.registers, self._by_register(held, indices), strict=True):
            self.values[register] = Elements(source, of_register, element)

    def bind_ref(self, number: int, operand: Operand) -> None:
        """Passes a Ref to the code."""
        self.values[number] = Window.whole(operand)

    def run(self, code: Code) -> list[ir.Value]:
        """Executes code whose arguments are bound; its results.

        Raises:
          Refusal: the code has an op without a meaning for arrays, or one that gridir does not know.
        """
        self.block(code.block)
        results = [self._result(held) for held in code.results]
        self.accesses.finish()
        return results

    def _by_register(self, held: Held, indices: Index) -> list[Index]:
        """The indices of the elements of each register, of the shape of values."""
        count = len(held.registers)
        # JAX has made the registers of the same layout.
        assert len(indices) % max(count, 1) == 0
        by_register = indices.reshape(count, -1, indices.shape[-1]).transpose(0, 2, 1)
        shape = (self.threads.warpgroups, *by_register.shape[1:])
        return [np.broadcast_to(of_register, shape) for of_register in by_register]

    def _result(self, held: Held) -> ir.Value:
        values = [self.value(number) for number in held.registers]
        if not held.spread.tile:
            (value,) = values
            whole = np.zeros((self.threads.warpgroups, self.threads.count, 1), np.int64)
            scalar = self._raised([Piece(value, whole)], ())
            return emit.splat(scalar, held.shape)
        indices = indices_of(held.spread, held.tiled, self.threads.count)
        pieces = [Piece(v, at) for v, at in zip(values, self._by_register(held, indices), strict=True)]
        return self._raised(_once(pieces), held.shape)

    def _raised(self, pieces: Sequence[Piece], shape: Sequence[int]) -> ir.Value:
        self.accesses.load()
        return Raiser([one_warpgroup(piece) for piece in pieces], shape).array()

    # Ops ---------------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> list[Anything]:
        """Executes a block; returns the operands of its terminator."""
        for op in block.ops:
            if op.name == "scf.yield":
                return [self.values[number] for number in op.operands]
            try:
                self._op(op)
            except Refusal as refusal:
                refusal.op = refusal.op or op.text
                raise
        return []

    def _op(self, op: Op) -> None:
        handler = HANDLERS.get(op.name)
        if handler is None:
            name = integers.in_arith(op.name)
            if name.partition(".")[0] not in ("arith", "math") or len(op.results) != 1 or op.regions:
                raise Refusal("expected an op that gridir knows")
            self.values[op.results[0]] = self.elementwise(name, op)
            return
        results = handler(self, op)
        for number, value in zip(op.results, results or (), strict=True):
            self.values[number] = value

    def value(self, number: int) -> Value:
        """An operand that is no address."""
        value = self.values[number]
        if isinstance(value, (Window, Pointer, Struct)):
            raise Refusal("expected a number, got an address")
        return value

    def operands(self, op: Op) -> list[Value]:
        """The operands of an op that takes no addresses."""
        return [self.value(number) for number in op.operands]

    def elementwise(self, name: str, op: Op) -> Value:
        """Evaluates an elementwise op of `arith` or `math`."""
        lanes, element = lanes_and_element(op.result_types[0])
        operands = self.operands(op)
        for type_ in op.operand_types:
            lanes_and_element(type_)
        known = [x for x in operands if isinstance(x, Known)]
        if len(known) == len(operands):
            predicate = op.attributes.get("predicate")
            number = int(predicate.split()[0]) if predicate and predicate.split()[0].isdigit() else None
            folded = integers.fold(name, known, element, number)
            if folded is not None:
                return folded
        if name in BITWISE and any(map(is_packed, operands)):
            return self.words.apply(name, operands, element)
        if name == "arith.select" and isinstance(operands[0], Known):
            return self.chosen(operands[0], operands[1], operands[2], lanes)
        # Other attributes of `llvm` ops are overflow flags, which are not needed here.
        known_here = op.attributes if name == op.name else {"predicate": op.attributes.get("predicate", "")}
        return self.applied(name, operands, element, tuple(sorted((k, text) for k, text in known_here.items() if text)))

    def applied(
        self, name: str, operands: Sequence[Value], element: str, attributes: tuple[tuple[str, str], ...] = ()
    ) -> Value:
        """Evaluates an elementwise op on numbers, if some are not constant."""
        if all(isinstance(x, Uniform) or (isinstance(x, Known) and x.same is not None) for x in operands):
            return self.computed_once(name, attributes, operands, element)
        return Computed(name, attributes, tuple(operands), element)

    def chosen(self, condition: Known, yes: Value, no: Value, lanes: int) -> Value:
        """Evaluates a select with constant conditions."""
        if condition.same is not None:
            return yes if condition.same else no
        shape = (self.threads.warpgroups, self.threads.count, lanes)
        return choose(condition.numbers != 0, yes, no, shape)

    def computed_once(
        self, name: str, attributes: tuple[tuple[str, str], ...], operands: Sequence[Value], element: str
    ) -> Uniform:
        """Evaluates an op whose operands are the same in all threads, as one op on scalars."""
        scalars = [self.scalar(x) for x in operands]
        key = (name, attributes, tuple(scalars), element)
        if key not in self.uniform:
            parsed = {each: ir.Attribute.parse(text) for each, text in attributes}
            made = emit.op(name, scalars, [ir.Type.parse(element)], parsed).result
            self.uniform[key] = Uniform(made, element)
        return self.uniform[key]

    def scalar(self, value: Value) -> ir.Value:
        """A number that is the same everywhere, as a value of the kernel."""
        if isinstance(value, Uniform):
            return value.value
        if isinstance(value, Known) and value.same is not None:
            # Created once, so that equal computations on it are recognized.
            key = (value.type, repr(value.same))
            if key not in self.uniform:
                self.uniform[key] = Uniform(emit.constant(value.same, ir.Type.parse(value.type)), value.type)
            return self.uniform[key].value
        raise Refusal("expected a number that is the same in all threads, got others")

    def known_int(self, number: int) -> int:
        """An operand that is one known number."""
        value = self.values[number]
        if not isinstance(value, Known) or value.same is None:
            raise Refusal("expected a constant, got a computed number")
        return int(value.same)

    def numbers(self, number: int) -> Index:
        """An operand that is known in each thread."""
        value = self.values[number]
        if not isinstance(value, Known):
            raise Refusal("expected addresses that depend only on the thread's number, got others")
        return value.numbers


def _once(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces without the copies of elements that others hold: JAX's arrays have the same number in all of them."""
    seen: set[int] = set()
    kept = []
    for piece in pieces:
        flat = piece.indices[0].reshape(-1)
        _, first = np.unique(flat, return_index=True)
        is_new = np.zeros(flat.size, bool)
        is_new[[i for i in first if int(flat[i]) not in seen]] = True
        seen.update(map(int, flat))
        kept.append(Piece(piece.value, np.where(is_new.reshape(piece.indices.shape[1:]), piece.indices, -1)))
    return [piece for piece in kept if (piece.indices >= 0).any()]

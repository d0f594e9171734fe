# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX in inline code: fences, barriers, and the arithmetic and conversions of JAX's arrays."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gridir.simt import words
from gridir.simt.code import Op
from gridir.simt.handlers import Anything, Struct, handles, known_number
from gridir.simt.lanes import permuted
from gridir.simt.threads import meet
from gridir.simt.values import Packed, Refusal, Value, bits_of, lanes_and_element

if TYPE_CHECKING:
    from gridir.simt.execution import Execution

_MATH = {
    "abs.f32": "math.absf",
    "cos.approx.f32": "math.cos",
    "ex2.approx.f32": "math.exp2",
    "ex2.approx.ftz.f32": "math.exp2",
    "lg2.approx.f32": "math.log2",
    "lg2.approx.ftz.f32": "math.log2",
    "max.NaN.f32": "arith.maximumf",
    "max.f32": "arith.maxnumf",
    "min.NaN.f32": "arith.minimumf",
    "min.f32": "arith.minnumf",
    "rsqrt.approx.f32": "math.rsqrt",
    "rsqrt.approx.ftz.f32": "math.rsqrt",
    "sin.approx.f32": "math.sin",
    "tanh.approx.f32": "math.tanh",
}
"""The PTX instructions for arithmetic of JAX's arrays, as ops. Approximate instructions are exact here."""


_NAMED_BARRIER = re.compile(r"bar(rier)?\.(?P<kind>sync|arrive) (\$0|(?P<number>\d+)), (?P<threads>\d+)")


_BITWISE = {"and": "arith.andi", "or": "arith.ori", "xor": "arith.xori", "shl": "arith.shli", "shr": "arith.shrui"}
_OF_FLOATS = {"add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf"}
"""The instructions on bits, and those on two floats that share a word."""

_NARROW = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "e2m1": "f4E2M1FN"}
"""The floats that are widened in pairs."""


@handles("llvm.inline_asm")
def _assembly(run: Execution, op: Op) -> list[Anything]:
    text = (
        op.attributes["asm_string"].strip('"').replace("\\0A", "\n").replace("\\09", "\t").strip().rstrip(";").strip()
    )
    instruction, _, operands = text.partition(" ")
    if instruction in _MATH and operands.split(", ") == [f"${i}" for i in range(len(op.operands) + 1)]:
        return [run.applied(_MATH[instruction], run.operands(op), op.result_types[0])]
    barrier = _NAMED_BARRIER.fullmatch(text)
    if text == "bar.sync $0, 128" and run.threads.count == 128:
        meet(run, op)
    elif barrier:
        if not run.active.all():
            raise Refusal("expected all threads, got some of them")
        run.accesses.finish()
        number = run.scalar(run.value(op.operands[0])) if op.operands else int(barrier["number"])
        run.kernel.named_barrier(number, int(barrier["threads"]), barrier["kind"] == "sync")
    elif op.operands and op.results and op.result_types != ("!llvm.void",):
        return _Words(run, op).results(text)
    elif op.operands or (op.results and op.result_types != ("!llvm.void",)):
        raise Refusal("expected a fence")
    else:
        run.accesses.finish()
        run.kernel.fence(text)
    return [known_number(0, op, "i32")] * len(op.results)


class _Words:
    """Assembly that computes on words.

    Args:
      run: the execution.
      op: the op with the assembly.
    """

    def __init__(self, run: Execution, op: Op):
        self._run = run
        self._count = op.attributes.get("constraints", "").count("=")
        self._is_struct = op.result_types[0].startswith("!llvm.struct")
        given = map(_as_word, run.operands(op), op.operand_types)
        self._values: dict[str, Value] = {f"${self._count + i}": x for i, x in enumerate(given)}

    def results(self, text: str) -> list[Anything]:
        """Executes it.

        Raises:
          Refusal: for an instruction that is not known.
        """
        text = re.sub(r"//[^\n]*", "", text).strip()
        # A brace of the text is two for LLVM; the outermost ones are a scope.
        text = re.sub(r"^\{+|\}+$", "", text)
        for statement in filter(None, map(str.strip, text.split(";"))):
            if not statement.startswith(".reg"):
                self._execute(statement)
        values = tuple(self._read(f"${i}") for i in range(self._count))
        return [Struct(values)] if self._is_struct else list(values)

    def _execute(self, statement: str) -> None:
        instruction, _, rest = statement.partition(" ")
        if "{" in rest:
            raise self._unknown(statement)
        dest, *sources = (x.strip() for x in rest.split(","))
        name, _, type_ = instruction.partition(".")
        given = [self._read(x) for x in sources]
        bits = self._run.words
        match (name, type_, len(given)):
            case ("mov", "b32" | "u32" | "s32", 1):
                result = given[0]
            case ("and" | "or" | "xor" | "shl", "b32", 2) | ("shr", "b32" | "u32", 2):
                result = bits.apply(_BITWISE[name], given, "i32")
            case ("not", "b32", 1):
                result = bits.apply("arith.xori", [given[0], words.known(-1, 32)], "i32")
            case ("prmt", "b32", 3):
                result = permuted(self._run, given[0], given[1], given[2])
            case ("lop3", "b32", 4):
                result = bits.looked_up(given[:3], self._constant(sources[3]) or 0)
            case ("add" | "sub" | "mul", "bf16x2" | "f16x2", 2):
                float_ = type_.removesuffix("x2")
                lanes = [bits.lanes(x, float_) for x in given]
                result = Packed(self._run.applied(_OF_FLOATS[name], lanes, float_), 2, "i32")
            case ("cvt", _, 1) if (pair := re.fullmatch(r"rn\.(b?f16)x2\.(\w+)x2", type_)) and pair[2] in _NARROW:
                lanes = bits.lanes(given[0], _NARROW[pair[2]])
                result = Packed(self._run.applied("arith.extf", [lanes], pair[1]), 2, "i32")
            case _:
                raise self._unknown(statement)
        self._values[dest] = result

    @staticmethod
    def _unknown(statement: str) -> Refusal:
        return Refusal(f"expected a fence, or assembly that gridir knows, got `{statement}`")

    def _read(self, name: str) -> Value:
        if name in self._values:
            return self._values[name]
        number = self._constant(name)
        if number is None:
            raise Refusal(f"expected a register that has been written, got `{name}`")
        return words.known(number, 32)

    @staticmethod
    def _constant(text: str) -> int | None:
        """The number of an expression of numbers; None for a register."""
        if not re.fullmatch(r"[\dxXa-fA-F\s()&|^~-]+", text):
            return None
        try:
            return _evaluated(ast.parse(text, mode="eval").body)
        except SyntaxError:
            return None


def _as_word(value: Value, type_: str) -> Value:
    """An operand of assembly; of a vector all lanes are one number."""
    lanes, element = lanes_and_element(type_)
    return value if lanes == 1 else Packed(value, lanes, f"i{lanes * bits_of(element)}")


def _evaluated(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.UnaryOp(op=ast.Invert(), operand=operand) if (x := _evaluated(operand)) is not None:
            return ~x
        case ast.UnaryOp(op=ast.USub(), operand=operand) if (x := _evaluated(operand)) is not None:
            return -x
        case ast.BinOp(left=left, op=op, right=right):
            pair: Sequence[int | None] = [_evaluated(left), _evaluated(right)]
            combine = {ast.BitAnd: "__and__", ast.BitOr: "__or__", ast.BitXor: "__xor__"}.get(type(op))
            if combine is not None and None not in pair:
                return int(getattr(pair[0], combine)(pair[1]))
    return None

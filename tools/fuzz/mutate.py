# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of MLIR text that often leave it readable: other numbers, types, names and attributes."""

import random
import re
from collections.abc import Callable, Sequence

TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<dimension>(?:\d+|\?)(?=x[\w!?(]))
      | (?P<by>(?<=[\d?])x)
      | (?P<number>-?\d+(?:\.\d*(?:[eE][-+]?\d+)?)?)
      | (?P<type>\b(?:[su]?i\d+|b?f\d+\w*|index)\b)
      | (?P<name>[%@^\#!][\w$.-]+(?:\#\d+|:\d+(?=\s*=))?)
      | (?P<word>[A-Za-z_][\w$.]*)
      | (?P<mark>->|::|.)""",
    re.VERBOSE,
)

NUMBERS = (0, 1, 2, 3, 7, 8, 31, 32, 33, 64, 127, 128, 129, 255, 256, 1024, 65536, 10**6, 10**12, 10**18)
NUMBERS += (-1, -2, -128, *(sign * 2**bits + more for sign in (1, -1) for bits in (31, 32, 62, 63) for more in (-1, 0)))
TYPES = ("f32", "f16", "bf16", "f64", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f80", "f128", "tf32", "index", "none")
TYPES += tuple(f"{sign}i{bits}" for sign in ("", "s", "u") for bits in (1, 2, 4, 7, 8, 16, 32, 64, 65, 128))
TYPES += ("complex<f32>", "complex<f64>", "tensor<4xf32>", "tensor<f32>", "tensor<?x8xi32>", "tensor<0xf32>")
TYPES += ("memref<4xf32>", "memref<f32>", "memref<?x8xi32>", "vector<4xf32>", "vector<f32>", "vector<[4]xf32>")
TYPES += ("tensor<*xf32>", "tuple<>", "()", "(f32) -> f32", "!grid.semaphore<dma>", "!grid.key", "!llvm.ptr")

Token = tuple[str, str]
"""The kind of a token, a name of a group of `TOKEN`, and its text."""


def tokenize(text: str) -> list[Token]:
    """Returns the tokens of MLIR text; together they are the text again."""
    return [(match.lastgroup or "", match[0]) for match in TOKEN.finditer(text)]


class Mutator:
    """Makes one text from another.

    Args:
      seed: the same seed and texts give the same changes.
      words: replacements of a word; frequent ones are repeated.
    """

    def __init__(self, seed: int, words: Sequence[str]):
        self._random = random.Random(seed)
        self._words = words
        self._kinds: dict[Callable[[list[Token]], None], int] = {
            self._change_number: 6,
            self._change_number_everywhere: 8,
            self._change_type: 4,
            self._change_type_everywhere: 8,
            self._change_name: 3,
            self._change_word: 3,
            self._delete_token: 2,
            self._repeat_token: 1,
            self._exchange_tokens: 1,
            self._delete_attribute: 3,
            self._delete_group: 2,
            self._delete_line: 2,
            self._repeat_line: 1,
        }

    def mutate(self, text: str) -> str:
        """Returns the text with one to three changes."""
        tokens = tokenize(text)
        kinds, weights = list(self._kinds), list(self._kinds.values())
        for change in self._random.choices(kinds, weights, k=self._random.choice((1, 1, 1, 2, 3))):
            change(tokens)
        return "".join(text for _, text in tokens)

    def _pick(self, tokens: list[Token], *kinds: str) -> int | None:
        positions = [position for position, (kind, _) in enumerate(tokens) if kind in kinds]
        return self._random.choice(positions) if positions else None

    def _other_number(self, kind: str, text: str) -> str:
        near = [int(text) + step for step in (-1, 1)] + [int(text) * 2] if text.lstrip("-").isdigit() else []
        number = self._random.choice([*near, *near, *NUMBERS])
        return "?" if kind == "dimension" and number < 0 else str(number)

    def _change_number(self, tokens: list[Token]) -> None:
        position = self._pick(tokens, "number", "dimension")
        if position is not None:
            kind, text = tokens[position]
            tokens[position] = kind, self._other_number(kind, text)

    def _change_everywhere(self, tokens: list[Token], old: Token, new: str) -> None:
        tokens[:] = [(kind, new) if text == old[1] else (kind, text) for kind, text in tokens]

    def _change_number_everywhere(self, tokens: list[Token]) -> None:
        position = self._pick(tokens, "number", "dimension")
        if position is not None:
            self._change_everywhere(tokens, tokens[position], self._other_number(*tokens[position]))

    def _change_type(self, tokens: list[Token]) -> None:
        position = self._pick(tokens, "type")
        if position is not None:
            tokens[position] = "type", self._random.choice(TYPES)

    def _change_type_everywhere(self, tokens: list[Token]) -> None:
        position = self._pick(tokens, "type")
        if position is not None:
            self._change_everywhere(tokens, tokens[position], self._random.choice(TYPES))

    def _change_name(self, tokens: list[Token]) -> None:
        position = self._pick(tokens, "name")
        if position is not None:
            sigil = tokens[position][1][0]
            others = [text for kind, text in tokens if kind == "name" and text[0] == sigil]
            tokens[position] = "name", self._random.choice(others)

    def _change_word(self, tokens: list[Token]) -> None:
        position = self._pick(tokens, "word")
        if position is not None:
            tokens[position] = "word", self._random.choice(self._words)

    def _delete_token(self, tokens: list[Token]) -> None:
        if tokens:
            del tokens[self._random.randrange(len(tokens))]

    def _repeat_token(self, tokens: list[Token]) -> None:
        position = self._pick(tokens, "string", "dimension", "number", "type", "name", "word", "mark")
        if position is not None:
            tokens[position:position] = [tokens[position], ("space", " ")]

    def _exchange_tokens(self, tokens: list[Token]) -> None:
        first = self._pick(tokens, "string", "dimension", "number", "type", "name", "word")
        if first is not None:
            second = self._pick(tokens, tokens[first][0])
            assert second is not None
            tokens[first], tokens[second] = tokens[second], tokens[first]

    def _delete_attribute(self, tokens: list[Token]) -> None:
        """Deletes `name = value` to the next comma or bracket of the same depth."""
        signs = [position for position, token in enumerate(tokens) if token == ("mark", "=")]
        named = [
            position for position in signs if any(kind == "word" for kind, _ in tokens[max(0, position - 2) : position])
        ]
        if not named:
            return
        sign = self._random.choice(named)
        start = max(position for position in range(sign) if tokens[position][0] == "word")
        end, depth = sign + 1, 0
        while end < len(tokens) and not (depth == 0 and tokens[end][1] in ",)]}>"):
            depth += (tokens[end][1] in "([{<") - (tokens[end][1] in ")]}>")
            end += 1
        if end < len(tokens) and tokens[end][1] == ",":
            end += 1
        del tokens[start:end]

    def _delete_group(self, tokens: list[Token]) -> None:
        """Deletes the text between a bracket and the one that closes it."""
        opening = [position for position, (kind, text) in enumerate(tokens) if kind == "mark" and text in "([{<"]
        if not opening:
            return
        start = end = self._random.choice(opening)
        depth = 1
        while depth and end + 1 < len(tokens):
            end += 1
            depth += (tokens[end][1] in "([{<") - (tokens[end][1] in ")]}>")
        with_brackets = self._random.random() < 0.5
        del tokens[start + (not with_brackets) : end + with_brackets]

    def _line(self, tokens: list[Token]) -> tuple[int, int]:
        """Returns the bounds of a line."""
        ends = [position + 1 for position, (_, text) in enumerate(tokens) if "\n" in text]
        bounds = list(zip([0, *ends], [*ends, len(tokens)], strict=True))
        return self._random.choice(bounds)

    def _delete_line(self, tokens: list[Token]) -> None:
        start, end = self._line(tokens)
        del tokens[start:end]

    def _repeat_line(self, tokens: list[Token]) -> None:
        start, end = self._line(tokens)
        tokens[start:start] = tokens[start:end]

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every message of the dialects and of the package is covered by a test.

A message is text for authors: the text of an error, a reason in a report or for a rewrite that did not match, or in
Python the text of an exception. Its form identifies it: words, the first in lower case. Each literal of a message,
between the inserted values, must occur somewhere in test/. A reason that no output shows is in the comment of the chunk
that proves it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from repository import Finding, files

# Calls whose string arguments are not messages: claims about the code, or help.
NOT_MESSAGES = {"assert", "static_assert", "llvm_unreachable", "clEnumValN", "AssertionError"}

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | "(?P<text>(?:[^"\\\n]|\\.)*)"
      | R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"
      | '(?:[^'\\\n]|\\.)+'
      | (?P<name>[A-Za-z_]\w*)
      | (?P<other>[^\s])""",
    re.VERBOSE | re.DOTALL,
)
# Messages that no input reaches, and the reason why they stay.
UNMET = {
    "clean-up after a failed pass": "the stage of a crash while a failed pass's IR is freed; no known input has one",
    "to be a number or a symbol, got": "neither text nor Python makes such a dimension; who calls the C API may",
}
PLACEHOLDER = re.compile(r"\{\d*\}|\\n")


def literals(source: str) -> Iterator[tuple[int, str]]:
    """Where each literal of a C++ source begins, and its text: literals side by side are one."""
    calls: list[str] = []
    callee, start, text = "", 0, ""
    for token in TOKEN.finditer(source):
        kind = token.lastgroup
        if kind == "comment":
            continue
        if kind in ("text", "raw"):
            if not NOT_MESSAGES.intersection(calls):
                start = start if text else token.start()
                text += token[kind]
            continue
        if text:
            yield start, text
            text = ""
        if token[0] == "(":
            calls.append(callee)
        elif token[0] == ")" and calls:
            calls.pop()
        callee = token["name"] or ""
    if text:
        yield start, text


def texts(source: str) -> Iterator[tuple[int, str]]:
    """The line and the text of each literal of a C++ source."""
    for start, text in literals(source):
        yield source.count("\n", 0, start) + 1, text.replace('\\"', '"')


def raised_texts(source: str) -> Iterator[tuple[int, str]]:
    """The line and the text of each literal in the exceptions of a Python source, with {} for inserted values."""

    def inside(node: ast.AST) -> Iterator[tuple[int, str]]:
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in NOT_MESSAGES:
                return
            case ast.Constant(value=str(text)):
                yield node.lineno, text
            case ast.JoinedStr(values=values):
                pieces = (value.value if isinstance(value, ast.Constant) else "{}" for value in values)
                yield node.lineno, "".join(map(str, pieces))
            case _:
                for child in ast.iter_child_nodes(node):
                    yield from inside(child)

    raised = [node.exc for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Raise) and node.exc is not None]
    for error in sorted(raised, key=lambda node: node.lineno):
        yield from inside(error)


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the text of each part of a message in a source, between the values that are filled in."""
    for line, text in (raised_texts if path.suffix == ".py" else texts)(path.read_text()):
        for part in PLACEHOLDER.split(text):
            words = re.sub(r"\s+", " ", part).strip(" ,;:.()[]{}'\"")
            if re.match(r"[a-z]", words) and len(re.findall(r"[a-z]{2,}", words)) > 1 and " " in words:
                yield line, words


def joined(text: str, suffix: str) -> str:
    """A test with one space between words; literals of Python that stand side by side are one."""
    if suffix == ".py":
        return re.sub(r"\s+", " ", re.sub(r"\"\s+[a-z]?\"", "", text))
    return re.sub(r"\s+(?://\s+)?", " ", text)


def tested_text() -> str:
    """All that stands in tests but in those of this check."""
    paths = files(".mlir", ".py", ".test", under="test")
    return "\n".join(joined(path.read_text(), path.suffix) for path in paths if "lint" not in path.parts)


def check_messages() -> Iterator[Finding]:
    """Every message except listed ones; a listed one must exist and have no test."""
    tested = tested_text()
    listed = set(UNMET)
    for path in (*files(".cpp", ".h", under="dialects"), *files(".py", under="python")):
        for line, words in messages(path):
            if words in tested:
                continue
            if words not in UNMET:
                yield Finding(path, line, f"expected a test that contains '{words}', got none")
            listed.discard(words)
    for words in sorted(listed):
        yield Finding(Path(__file__), 1, f"expected a message that no test contains, got '{words}'")


CHECKS = [check_messages]

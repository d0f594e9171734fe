# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which diagnostics, and reasons why a pattern leaves an op alone, no test sees."""

import re
from collections.abc import Iterator

from repository import Finding, files

REPORT = re.compile(r"\b(?:emit(?:Op)?Error|emitRemark|emitWarning|attachNote|notifyMatchFailure|fail)\(")
# A string, or the end of the statement: what comes first counts, so that a semicolon in a string ends nothing.
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|(;)|(\S)')


def literals(text: str, start: int) -> list[str]:
    """The strings of the statement at `start`, those that the compiler joins as one."""
    found: list[str] = []
    joins = False
    for token in TOKEN.finditer(text, start):
        if token[2]:
            break
        if token[3]:
            joins = False
        elif joins:
            found[-1] += token[1]
        else:
            found.append(token[1])
            joins = True
    return [literal.replace('\\"', '"') for literal in found]


def messages(text: str) -> Iterator[tuple[int, str]]:
    """The place of each report in a source, and the longest piece of its text: the one that names it best."""
    for report in REPORT.finditer(text):
        pieces = [piece.strip() for piece in literals(text, report.end())]
        if any(pieces):
            yield report.start(), max(pieces, key=len)


def find_unseen() -> Iterator[Finding]:
    """The reports of dialects/ that no test has; a pattern's reason stands in the comment of what it leaves alone."""
    paths = files(".mlir", ".py", ".test", under="test")
    tests = " ".join(" ".join(path.read_text().split()) for path in paths)
    for path in files(".cpp", ".h", under="dialects"):
        text = path.read_text()
        for place, message in messages(text):
            if message not in tests:
                yield Finding(path, text.count("\n", 0, place) + 1, f"expected a test that sees '{message}', got none")

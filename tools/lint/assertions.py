# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms that end the process on IR that verifies; a fuzzer finds them seldom."""

import re
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT, Finding, files

FORMS = (
    (r"\bisa<[^<>]*Dialect>\([^;]*?getDialect\(\)", "expected isa_and_nonnull, since an op may have no dialect"),
    (r"\bgetDialect\(\)->", "expected a test whether the op has a dialect"),
    (r"\barith::getNeutralElement\(", "expected gridir::getNeutralElement, which takes any type"),
    (r"\bgetAttrOfType<IntegerAttr>\([^)]*\)\.", "expected a test whether the op has the attribute"),
    (r"\.getAs<IntegerAttr>\([^)]*\)\.", "expected a test whether the dictionary has the attribute"),
)
"""Patterns to search for, and their replacements."""

WRAPPERS = {Path("dialects/Support/NeutralElement.cpp")}
"""Where such a form is made safe for all others."""


def find_forms(text: str) -> Iterator[tuple[int, str]]:
    """The line of each form in a source, and the expected replacement."""
    for pattern, expected in FORMS:
        for match in re.finditer(pattern, text):
            yield text.count("\n", 0, match.start()) + 1, expected


def check_forms() -> Iterator[Finding]:
    """No source of the dialects has one."""
    for path in files(".h", ".cpp", under="dialects"):
        if path.relative_to(ROOT) not in WRAPPERS:
            for line, expected in find_forms(path.read_text()):
                yield Finding(path, line, expected)


CHECKS = [check_forms]

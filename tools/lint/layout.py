# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names and shapes of files: banner, include guard, length."""

import re
from collections.abc import Iterator

from repository import ROOT, Finding, files

MAXIMUM_LINES = 800
LICENSE_LINE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"


def check_banner() -> Iterator[Finding]:
    """Every source says its license."""
    for path in files(".h", ".cpp", ".c", ".td", ".cmake"):
        if LICENSE_LINE not in "\n".join(path.read_text().splitlines()[:12]):
            yield Finding(path, 1, "expected the banner of gridir's sources, with its SPDX line")
    for path in files(".py", under="python"):
        if LICENSE_LINE not in "\n".join(path.read_text().splitlines()[:12]):
            yield Finding(path, 1, "expected the license comment of gridir's Python sources")


def check_first_line() -> Iterator[Finding]:
    """The first line of a C++ or TableGen source names the file."""
    for path in files(".h", ".cpp", ".td"):
        first = path.read_text().split("\n", 1)[0]
        if not re.match(rf"(//|/\*)===-+ {re.escape(path.name)} - .*===(//|\*\\)$", first):
            yield Finding(path, 1, f"expected '//===- {path.name} - ... -===//', got '{first}'")


def check_guard() -> Iterator[Finding]:
    """An include guard is the path of its file, except in templates of other projects."""
    for path in files(".h", ".td"):
        text = path.read_text()
        relative = path.relative_to(ROOT)
        if "templates" in relative.parts:
            continue
        expected = "GRIDIR_" + re.sub(r"\W", "_", str(relative)).upper()
        guard = re.search(r"^#ifndef (\S+)\n#define \1$", text, re.MULTILINE)
        if guard and guard[1] != expected:
            yield Finding(path, text[: guard.start()].count("\n") + 1, f"expected guard {expected}, got {guard[1]}")
        elif not guard and path.suffix == ".h":
            yield Finding(path, 1, f"expected guard {expected}, got none")


def check_length() -> Iterator[Finding]:
    """A file that is too long holds more than one subject."""
    for path in files(".h", ".cpp", ".td", ".py"):
        lines = path.read_text().count("\n")
        if lines > MAXIMUM_LINES:
            yield Finding(path, 1, f"expected at most {MAXIMUM_LINES} lines, got {lines}; split it by subject")


CHECKS = [check_banner, check_first_line, check_guard, check_length]

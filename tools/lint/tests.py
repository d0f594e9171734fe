# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A test tests something: its CHECK lines are read, and by FileCheck."""

import re
from collections.abc import Iterator

from repository import ROOT, Finding, files

DIRECTIVE = re.compile(
    r"^\s*(?://|#)?\s*([A-Z][A-Z0-9_-]*?)(?:-NEXT|-SAME|-NOT|-DAG|-LABEL|-EMPTY|-COUNT-\d+)?:", re.MULTILINE
)
NOT_CHECKS = {"RUN", "REQUIRES", "UNSUPPORTED", "XFAIL", "NOTE", "END", "DEFINE", "REDEFINE"}


def check_tests() -> Iterator[Finding]:
    """Every file that lit runs."""
    for path in files(".mlir", ".py", ".test", under="test"):
        if "Inputs" in path.parts or path.name == "lit.cfg.py":
            continue
        text = path.read_text()
        runs = re.findall(r"\bRUN: (.*)", text)
        if not runs:
            yield Finding(path, 1, "expected a RUN line, got none")
            continue
        commands = "\n".join(runs).replace("\\\n", " ")
        reads_itself = "%s" in commands
        prefixes = set(re.findall(r"--?check-prefix(?:es)?[= ]([\w,-]+)", commands))
        prefixes = {name for group in prefixes for name in group.split(",")} or {"CHECK"}
        if re.search(r"FileCheck(?![^|\n]*--?check-prefix)", commands):
            prefixes.add("CHECK")
        used = {match[1] for match in DIRECTIVE.finditer(text) if match[1] not in NOT_CHECKS}
        if used and not reads_itself:
            yield Finding(path, 1, "expected a RUN line that reads %s, got none")
        checks = {name for name in used if name.startswith("CHECK") or name in prefixes}
        if checks and "FileCheck" not in commands:
            yield Finding(path, 1, "expected FileCheck in a RUN line, since there are CHECK lines")
        for name in sorted(checks - prefixes):
            yield Finding(path, 1, f"expected a RUN line with --check-prefix={name}, got none: its lines are not read")
        if "FileCheck" in commands:
            for name in sorted(prefixes - used):
                yield Finding(path, 1, f"expected lines with {name}:, got none")


def check_mirror() -> Iterator[Finding]:
    """A directory of test/ is one of dialects/, of python/gridir, or of the few that stand alone."""
    alone = {"Integration", "Documentation", "OutOfTree", "tools"}
    for path in files(".mlir", ".py", ".test", under="test"):
        relative = path.relative_to(ROOT / "test").parent
        if relative.parts[:1] == ("python",):
            relative = relative.relative_to("python")
        if not relative.parts or relative.parts[0] in alone or "Inputs" in relative.parts:
            continue
        if not any((ROOT / base / relative).is_dir() for base in ("dialects", "python/gridir", ".")):
            yield Finding(path, 1, f"expected a directory of the same name below dialects or python/gridir: {relative}")


CHECKS = [check_tests, check_mirror]

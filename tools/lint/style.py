# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools of the field: clang-format, ruff, pyright."""

import subprocess
import sys
from pathlib import Path

from repository import ROOT, files

BIN = Path(sys.executable).parent


def run(*command: str | Path) -> bool:
    """Runs a tool of the virtual environment at the root; whether it was content."""
    name, *arguments = map(str, command)
    return subprocess.run([str(BIN / name), *arguments], cwd=ROOT, check=False).returncode == 0


def check(fix: bool) -> bool:
    """Returns True if no tool has a finding; with `fix`, after the tools repaired the sources."""
    sources = list(files(".h", ".cpp", ".c"))
    if fix:
        run("clang-format", "-i", *sources)
        run("ruff", "check", "--quiet", "--fix", ".")
        run("ruff", "format", "--quiet", ".")
    results = [
        run("clang-format", "--dry-run", "-Werror", *sources),
        run("ruff", "check", "--quiet", "."),
        run("ruff", "format", "--quiet", "--check", "."),
        run("pyright", "--warnings"),
    ]
    return all(results)

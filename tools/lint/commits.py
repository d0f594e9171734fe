# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commit subjects: an area in brackets, a capital letter, at most 72 characters, no full stop."""

import re
import subprocess
from collections.abc import Iterator

from repository import ROOT, Finding

MAXIMUM = 72
# The last commit before this rule.
SINCE = "da9ea4efbff29ce584d1c55819b0ce3150082099"


def problem(subject: str) -> str | None:
    """Returns the rule that a subject violates, or None."""
    if len(subject) > MAXIMUM:
        return f"expected a commit subject of at most {MAXIMUM} characters, got {len(subject)}: '{subject}'"
    if not re.match(r"\[[\w/ -]+\] [A-Z`]", subject):
        return f"expected a commit subject '[Area] Verb ...', got '{subject}'"
    if subject.endswith("."):
        return f"expected a commit subject without a full stop, got '{subject}'"
    return None


def subjects() -> list[str]:
    """Returns the subjects since the rule, without merges: of the last commit only, where a clone is shallow."""
    known = subprocess.run(["git", "cat-file", "-e", SINCE], cwd=ROOT, capture_output=True).returncode == 0
    commits = f"{SINCE}..HEAD" if known else "HEAD^!"
    command = ["git", "log", "--no-merges", "--format=%s", commits]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True).stdout.splitlines()


def check_subjects() -> Iterator[Finding]:
    """Reports each subject that violates a rule."""
    for subject in subjects():
        found = problem(subject)
        if found:
            yield Finding(ROOT / "CONTRIBUTING.md", 1, found)


CHECKS = [check_subjects]

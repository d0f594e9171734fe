# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks format, style, types, names and documentation; `--fix` repairs findings that can be repaired.

The checks of gridir's own are one function each, in a module by subject; each finding is one line.
"""

import argparse
import sys

import assertions
import commits
import documentation
import generate
import layout
import messages
import passes
import prose
import steps
import style
import tests
import tidy


def main() -> int:
    """Runs every check; the exit status is 1 where one found something."""
    parser = argparse.ArgumentParser(prog="tools/lint", description=__doc__)
    parser.add_argument("--fix", action="store_true", help="repair what can be repaired")
    parser.add_argument("--unseen", action="store_true", help="only list the diagnostics that no test sees")
    parser.add_argument("--steps", metavar="OP", help="only list the steps that an op lacks, or `all` ops")
    parser.add_argument(
        "--tidy",
        nargs="?",
        const="HEAD",
        metavar="REVISION",
        help="only run clang-tidy, on the sources that differ from a revision (HEAD); needs build/dev",
    )
    arguments = parser.parse_args()

    if arguments.unseen:
        print(*sorted(messages.check_messages()), sep="\n")
        return 0
    if arguments.steps:
        print(*steps.describe(arguments.steps), sep="\n")
        return 0
    if arguments.tidy:
        return 0 if tidy.check(arguments.tidy) else 1
    if arguments.fix:
        generate.write_documents()
    content = style.check(arguments.fix)
    findings = sorted(
        finding
        for module in (layout, passes, documentation, tests, messages, assertions, prose, steps, commits)
        for check in module.CHECKS
        for finding in check()
    )
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings" + ("" if content else "; clang-format, ruff or pyright found more"))
    return 0 if content and not findings else 1


if __name__ == "__main__":
    sys.exit(main())

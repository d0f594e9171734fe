# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `Before` and `After` of every pass description are what the pass does.

Both are read from the pass's ODS entry; the pass turns one into the other.
"""

# RUN: %python %s %repository/dialects/Grid/Transforms gridir-opt | FileCheck %s

import re
import subprocess
import sys
from pathlib import Path

# CHECK: grid-complete-copies: as described
# CHECK: grid-drop-masks: as described
# CHECK: grid-flatten-blocks: as described
# CHECK: grid-hoist-scopes: as described
# CHECK: grid-squeeze-blocks: as described
# CHECK: grid-check: as described
# CHECK: grid-limit-discarded-loads: as described
# CHECK: grid-poison-memory: as described
# CHECK: grid-record-accesses: as described
# CHECK: grid-canonicalize-index-maps: as described
# CHECK: grid-expand-selections: as described
# CHECK: grid-infer-dimension-semantics: as described
# CHECK: grid-legalize-blocks: as described
# CHECK: grid-plan-memory: as described
# CHECK: grid-privatize-windows: as described
# CHECK: grid-specialize: as described
# CHECK: grid-gathers-to-windows: as described
# CHECK: grid-slices-to-windows: as described


def run(tool: list[str], source: str, *options: str) -> str:
    """What the tool prints for an MLIR module."""
    result = subprocess.run([*tool, *options], input=source, capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit(f"{' '.join(options)} failed:\n{result.stderr}")
    return result.stdout


def main() -> None:
    directory, *tool = sys.argv[1:]
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(directory).glob("*Passes.td")))
    for entry in text.split("\ndef ")[1:]:
        flag = re.search(r'Pass<"([^"]+)"', entry)
        examples = re.findall(r"(Before|After):\s*```mlir\n(.*?)```", entry, re.DOTALL)
        if flag is None or [title for title, _ in examples] != ["Before", "After"]:
            raise SystemExit(f"expected a pass with one example before and one after, got {entry[:60]}")
        (_, before), (_, after) = examples
        found, described = run(tool, before, f"--{flag[1]}"), run(tool, after)
        if found != described:
            raise SystemExit(f"{flag[1]} gives\n{found}\nits description says\n{described}")
        print(f"{flag[1]}: as described")


main()

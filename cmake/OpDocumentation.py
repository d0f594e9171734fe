# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a table in C++ of what TableGen's pages of ops say of each op: `OpDocumentation.py PAGE.md... TABLE.inc`.

A row is the name of an op, and its summary with its description as Markdown.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# What TableGen writes behind the description, and the grammar before it, which an editor shows by example.
_BEHIND = re.compile(r"^(Traits: |Interfaces: |Effects: |#### (Attributes|Operands|Results|Successors):)", re.MULTILINE)
_SYNTAX = re.compile(r"^Syntax:\n\n```\n.*?^```\n", re.MULTILINE | re.DOTALL)


def rows(page: str) -> Iterator[tuple[str, str]]:
    """Each op of a page with what is said of it."""
    parts = re.split(r"^### `([\w.$]+)` \(.*\)$", page, flags=re.MULTILINE)
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        described = _SYNTAX.sub("", _BEHIND.split(text)[0], count=1)
        yield name, re.sub(r"\n{3,}", "\n\n", described).strip()


def main() -> None:
    """Writes the table, sorted by name."""
    *pages, output = map(Path, sys.argv[1:])
    table = dict(row for page in pages for row in rows(page.read_text()))
    lines = [f'{{"{name}", R"___({text})___"}},\n' for name, text in sorted(table.items()) if text]
    output.write_text("".join(lines))


if __name__ == "__main__":
    main()

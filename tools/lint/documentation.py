# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation, type and attribute has a description, and the generated documentation is up to date."""

from collections.abc import Iterator

from generate import stale_documents
from repository import Finding, dialect_files, line_of, records

KINDS = {"Op": "operation", "TypeDef": "type", "AttrDef": "attribute"}


def check_descriptions() -> Iterator[Finding]:
    """Summary and description of everything; an example of every operation."""
    for path in dialect_files():
        for superclass, kind in KINDS.items():
            for record in records(path, superclass):
                # A location names the file that holds the definition.
                where = next((p for p in path.parent.glob("*.td") if f"def {record['name']} " in p.read_text()), path)
                line = line_of(where, f"def {record['name']} ")
                for field in ("summary", "description"):
                    if not (record.get(field) or "").strip():
                        yield Finding(where, line, f"expected a {field} of {kind} {record['name']}, got none")
                if kind == "operation" and "```mlir" not in (record.get("description") or ""):
                    yield Finding(where, line, f"expected an example of {kind} {record['name']}, got none")


def check_stale() -> Iterator[Finding]:
    """Files of docs/ are as TableGen writes them now."""
    for path in stale_documents():
        yield Finding(path, 1, "expected what 'make docs' generates, got something older")


CHECKS = [check_descriptions, check_stale]

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One name everywhere: a pass, its class, its file, its flag and its test."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from repository import ROOT, Finding, line_of, option_records, pass_files, records


def kebab(name: str) -> str:
    """`CPUPlanArena` as `cpu-plan-arena`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def source_name(path: Path, name: str) -> str:
    """The stem of the file that holds a pass: its name without the part that its directory implies."""
    if name.startswith("Convert"):
        return name.removeprefix("Convert")
    dialect = path.parent.parent.name
    return name.removeprefix(dialect)


def shows_ir(description: str) -> bool:
    """True if a description of a pass has IR before and after it; for a pass that only checks, one module is enough."""
    words = [] if "The module is not changed" in description else ["Before", "After"]
    return "```mlir" in description and all(re.search(rf"^ *{word}\b", description, re.MULTILINE) for word in words)


def check_pass(path: Path, record: dict[str, Any]) -> Iterator[Finding]:
    """One definition of a pass."""
    line = line_of(path, f"def {record['name']} ")
    flag = record["argument"]
    if not record["name"].endswith("Pass"):
        yield Finding(path, line, f"expected a name that ends in 'Pass', got {record['name']}")
    name = record["name"].removesuffix("Pass")
    if kebab(name) != flag:
        yield Finding(path, line, f"expected flag {kebab(name)} for {record['name']}, got {flag}")
    file = f"{source_name(path, name)}.cpp"
    source = next(path.parent.rglob(file), None)
    if source is None:
        yield Finding(path, line, f"expected pass {flag} in a file {file} here or below, got none")
    home = (source or path).parent.relative_to(ROOT / "dialects")
    test = ROOT / "test" / home / f"{flag}.mlir"
    if not test.exists():
        yield Finding(path, line, f"expected a test {test.relative_to(ROOT)}, got none")
    elif not re.search(rf"// RUN:.*{re.escape(flag)}\b", test.read_text()):
        yield Finding(test, 1, f"expected a RUN line with {flag}, got none")
    # The other tests of a conversion, which has its own directory, are named by their topics.
    for other in test.parent.glob(f"{flag}-*.mlir") if name.startswith("Convert") else ():
        yield Finding(other, 1, f"expected {other.name.removeprefix(f'{flag}-')} as the name of this test")
    summary = record["summary"]
    if not re.match(r"[A-Z].*[^.]$", summary):
        yield Finding(path, line, f"expected a summary in the imperative with no full stop, got '{summary}'")
    if not shows_ir(record["description"]):
        yield Finding(path, line, f"expected a description of {flag} with IR before and after, got none")
    for option in option_records(path, record):
        if not option.get("description"):
            yield Finding(path, line, f"expected a description of option {option['argument']} of {flag}, got none")


def check_passes() -> Iterator[Finding]:
    """Every pass of every Passes.td."""
    for path in pass_files():
        for record in records(path, "PassBase"):
            yield from check_pass(path, record)


CHECKS = [check_passes]

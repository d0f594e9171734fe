# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by all checks: the files of the repository, TableGen's records, and the form of a finding."""

import functools
import importlib.util
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, order=True)
class Finding:
    """One thing that is wrong, with its location."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.message}"


@functools.cache
def tracked_files() -> tuple[Path, ...]:
    """Every file that git tracks, or would track."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return tuple(path for path in (ROOT / name for name in sorted(names)) if path.is_file())


def files(*suffixes: str, under: str = "") -> Iterator[Path]:
    """The files with one of these suffixes, below a directory of the repository."""
    return (path for path in tracked_files() if path.suffix in suffixes and path.is_relative_to(ROOT / under))


def line_of(path: Path, text: str) -> int:
    """The number of the first line that holds `text`, or 1."""
    lines = path.read_text().splitlines()
    return next((number for number, line in enumerate(lines, 1) if text in line), 1)


def prefix(package: str) -> Path:
    """Where `mlir` or `llvm` of the build requirements is installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"expected {package} of the build requirements beside this Python; run through make")
    return Path(spec.submodule_search_locations[0])


def tblgen(path: Path, *arguments: str) -> str:
    """Returns TableGen's output for a file: LLVM's for records, MLIR's for documentation."""
    tool = "llvm" if "-dump-json" in arguments else "mlir"
    program = prefix(tool) / "bin" / f"{tool}-tblgen"
    command = [program, *arguments, f"-I{ROOT}", f"-I{prefix('mlir') / 'include'}", path]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def option_records(path: Path, record: dict[str, Any]) -> list[dict[str, Any]]:
    """The options of a pass."""
    return [_dump(path)[option["def"]] for option in record["options"]]


@functools.cache
def _dump(path: Path) -> dict[str, Any]:
    return json.loads(tblgen(path, "-dump-json"))


def records(path: Path, superclass: str) -> list[dict[str, Any]]:
    """The definitions of gridir in a TableGen file that derive from a class."""
    found = []
    for name, record in _dump(path).items():
        if isinstance(record, dict) and superclass in record.get("!superclasses", []):
            where = record["!locs"][0].split(":")[0] if record.get("!locs") else ""
            if not where or Path(where).resolve().is_relative_to(ROOT):
                found.append({**record, "name": name})
    return found


def pass_files() -> list[Path]:
    """Every TableGen file that defines passes."""
    return [path for path in files(".td", under="dialects") if path.name == "Passes.td"]


def dialect_files() -> list[Path]:
    """The TableGen file of every dialect: it includes all the others of its directory."""
    return [
        path
        for path in files(".td", under="dialects")
        if path.name.endswith("Ops.td") and path.parent.name == "IR" and path.stem == f"{path.parent.parent.name}Ops"
    ]

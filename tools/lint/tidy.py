# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang-tidy, on the sources that changed: all of them would take half an hour of one core."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from repository import ROOT
from style import BIN

BUILD = ROOT / "build" / "dev"

# Flags that GCC knows and Clang does not. Without the precompiled header a source also shows which includes it lacks.
GCC_ONLY = {"-fpch-preprocess", "-Winvalid-pch", "-Wno-dangling-reference", "-Wno-maybe-uninitialized"}


def changed_sources(revision: str) -> list[Path]:
    """The sources that differ from a revision, those that git does not track yet among them.

    Raises:
      subprocess.CalledProcessError: where git knows no such revision.
    """
    commands = [
        ["diff", "--name-only", "--diff-filter=d", "-z", revision, "--"],
        ["ls-files", "--others", "--exclude-standard", "-z", "--"],
    ]
    names = ""
    for command in commands:
        done = subprocess.run(["git", *command, "*.cpp"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        names += done.stdout
    return [ROOT / name for name in names.split("\0") if name]


def arguments_for_clang(command: str) -> list[str]:
    """The compiler's arguments without the precompiled header and those that only GCC takes."""
    arguments = [argument for argument in shlex.split(command) if argument not in GCC_ONLY]
    for i in range(len(arguments) - 1, 0, -1):
        if arguments[i - 1] == "-include" and "cmake_pch" in arguments[i]:
            del arguments[i - 1 : i + 1]
    return arguments


def check(revision: str) -> bool:
    """Returns True if clang-tidy has no finding in the sources that differ from a revision; prints its findings."""
    database = BUILD / "compile_commands.json"
    if not database.exists():
        sys.exit("expected build/dev, which says how sources are compiled; cmake --preset dev makes it")
    sources = set(changed_sources(revision))
    entries = [
        {"directory": entry["directory"], "file": entry["file"], "arguments": arguments_for_clang(entry["command"])}
        for entry in json.loads(database.read_text())
        if Path(entry["file"]) in sources
    ]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        Path(folder, "compile_commands.json").write_text(json.dumps(entries))

        def run(entry: dict[str, str]) -> bool:
            command = [str(BIN / "clang-tidy"), "-p", folder, "--quiet", "--warnings-as-errors=*", entry["file"]]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
            print(done.stdout, end="")
            return done.returncode == 0

        results = list(pool.map(run, entries))
    print(f"clang-tidy: {len(entries)} sources, {results.count(False)} with findings")
    return all(results)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests that look at a mutant, and their results."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutant import Mutant

OWN, UNIT, INTEGRATION = "own", "unit", "integration"
LEVELS = (OWN, UNIT, INTEGRATION)

LIT = (sys.executable, "-c", "from lit.main import main; main()")


def all_tests(tree: Path) -> list[str]:
    """The tests of the suite, as `Grid/IR/ops.mlir`."""
    command = [*LIT, "--show-tests", str(tree / "test")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.findall(r":: (\S+)", shown)


def home_of(file: str) -> str:
    """The directory of tests that mirrors a source's."""
    directory = Path(file).parent
    for root, home in (("dialects", "."), ("python/gridir", "python")):
        if directory.is_relative_to(root):
            return str(Path(home) / directory.relative_to(root))
    return str(directory)


def own_tests(repository: Path, file: str, tests: Sequence[str]) -> list[str]:
    """The tests of a source: those of its name or its pass's, else all of the directory that mirrors its own.

    Where there is no such directory, the next one above it counts.
    """

    def plain(name: str) -> str:
        return re.sub("[-_]", "", name).upper()

    stem = plain(Path(file).stem)
    passes = {name.removesuffix("PASS") for name in re.findall(r"GEN_PASS_DEF_(\w+)", (repository / file).read_text())}

    def is_named(test: str) -> bool:
        name = plain(Path(test).stem)
        return name == stem or any(name.startswith(flag) for flag in passes)

    # Tests of the same name in a directory beside are those of another source.
    homes = [Path(home_of(file)), *Path(home_of(file)).parents[:-1]]
    named = ([test for test in tests if Path(test).parent == home and is_named(test)] for home in homes)
    near = ([test for test in tests if Path(test).is_relative_to(home)] for home in homes)
    return next((some for some in (*named, *near) if some), [])


class Suite:
    """Runs tests of a tree, with one mutant or with none."""

    def __init__(self, tree: Path, least_seconds: float):
        self._tree, self._least = tree, least_seconds
        self._seconds: dict[str, float] = {}

    def _passes(self, test: str, timeout: float, **switch: str) -> bool:
        """True if a test passes in a directory of its own, since another run of it may be in progress."""
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": str(self._tree / "python/gridir/mlir/_mlir_libs"),
            "PYTHONPATH": str(self._tree / "python"),
            **switch,
        }
        with tempfile.TemporaryDirectory() as scratch:
            environment["GRIDIR_MUTANT_SCRATCH"] = scratch
            process = subprocess.Popen(
                [*LIT, "-q", str(self._tree / "test" / test)],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                return process.wait(timeout) == 0
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return False

    def reach(self, tests: Sequence[str], jobs: int) -> dict[str, set[int]]:
        """For each test that passes without a mutant, the mutants that it executes."""

        def run(test: str) -> set[int] | None:
            start = time.monotonic()
            with tempfile.TemporaryDirectory() as log:
                passed = self._passes(test, 900, GRIDIR_MUTANT_LOG=log)
                self._seconds[test] = time.monotonic() - start
                lines = (line for file in Path(log).iterdir() for line in file.read_text().split())
                return set(map(int, lines)) if passed else None

        with ThreadPoolExecutor(jobs) as pool:
            reached = dict(zip(tests, pool.map(run, tests), strict=True))
        for test, numbers in reached.items():
            if numbers is None:
                print(f"left out, it fails without a mutant: {test}", file=sys.stderr)
        return {test: numbers for test, numbers in reached.items() if numbers is not None}

    def killer(self, mutant: Mutant, tests: Iterable[str]) -> str | None:
        """The first test that fails with the mutant, the fastest first."""
        for test in sorted(tests, key=lambda test: self._seconds[test]):
            timeout = max(self._least, 8 * self._seconds[test])
            if not self._passes(test, timeout, GRIDIR_MUTANT=str(mutant.number)):
                return test
        return None

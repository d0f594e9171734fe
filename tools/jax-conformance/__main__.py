# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs JAX's own Pallas tests with JAX's interpreter and with gridir's native code, and compares.

    python tools/jax-conformance JAX_CHECKOUT pallas_test indexing_test --tests '*matmul*' --jobs 2
    python tools/jax-conformance JAX_CHECKOUT mosaic_gpu_test --device gpu --every 10
    python tools/jax-conformance JAX_CHECKOUT mosaic_gpu_test --device gpu --every 10 --through ptx
    python tools/jax-conformance JAX_CHECKOUT mosaic_gpu_test --peer-ptx --every 10
    python tools/jax-conformance JAX_CHECKOUT mosaic_gpu_test --device gpu --every 10 --through ptx --assemble
    python tools/jax-conformance JAX_CHECKOUT tpu_pallas_test --device tpu --through mosaic --sample 200 --resume
    python tools/jax-conformance DIRECTORY library/kernel_test --device tpu7x

JAX_CHECKOUT is a checkout of JAX at the tag of the installed version. A FILE with a slash is a path in it; an
installed library of kernels is a checkout with such paths. Modules that only tests need, and that the installed JAX
lacks, come from the checkout. With gridir the interpreters of JAX raise: there is no fallback. Tests that JAX runs
only on a GPU (`--device gpu`) use the expected values in the tests, except for those that `left_out.py` names. The
results are one JSON line for each test and mode; a table, the kernels that took longest to compile and the causes of
failures go to stdout, progress to stderr.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import random
import sys
from pathlib import Path
from typing import Any, TextIO

from codes import code_report
from gridir.runtime.ptxas.peer import PeerError, check_installed
from left_out import reason_to_leave_out
from report import LONE_DEVICES, LONE_MODES, MODES, expected, failures, left_out, passes, slowest, table
from schedule import run_file


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tools/jax-conformance", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("checkout", type=Path, metavar="JAX_CHECKOUT", help="a checkout of JAX")
    parser.add_argument("files", nargs="*", metavar="FILE", help="test files, as `pallas_test`; all when none is given")
    parser.add_argument("--tests", action="append", metavar="GLOB", help="only tests `Class.method` like this")
    parser.add_argument("--jobs", type=int, default=1, help="how many tests run at a time")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds that one test may take")
    parser.add_argument(
        "--device",
        choices=("cpu", "gpu", "tpu", "sparsecore", "tpu7x"),
        default="cpu",
        help="the backend that the tests see",
    )
    parser.add_argument(
        "--through",
        choices=("cpu", "ptx", "mosaic"),
        default="cpu",
        help="native code; PTX, or a Mosaic module, that the CPU executes",
    )
    parser.add_argument(
        "--peer-ptx", action="store_true", help="the PTX of JAX's own pipeline for GPUs, executed by gridir on the CPU"
    )
    parser.add_argument(
        "--record",
        type=Path,
        metavar="DIR",
        help="with --peer-ptx: keep each launch of a test that passes, for replay.py; with --through ptx: keep each "
        "launch, for tools/on-gpu",
    )
    parser.add_argument(
        "--assemble", action="store_true", help="with --through ptx or --peer-ptx: have ptxas assemble each kernel"
    )
    parser.add_argument(
        "--beside", type=Path, metavar="FILE", help="results of a run with --assemble to compare the code with"
    )
    parser.add_argument("--every", type=int, default=1, metavar="K", help="only each K-th of the tests")
    parser.add_argument("--sample", type=int, metavar="N", help="only N tests of each file, chosen at random")
    parser.add_argument("--seed", type=int, default=0, help="chooses the sample, and the order in which it runs")
    parser.add_argument("--resume", action="store_true", help="run only what --results lacks, and add it there")
    parser.add_argument(
        "--test-argument", action="append", default=[], metavar="ARG", help="an argument of test files, in sys.argv"
    )
    parser.add_argument(
        "--checks", default="", help="the checks of kernels at run time, for example `races,uninitialized`"
    )
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="results of an earlier run, for the column of JAX"
    )
    parser.add_argument("--results", type=Path, default=Path("jax-conformance.jsonl"), help="where JSON lines go")
    parser.add_argument("--examples", type=int, default=3, metavar="N", help="how many tests to name for each cause")
    arguments = parser.parse_args()
    if arguments.record:
        if not arguments.peer_ptx and arguments.through != "ptx":
            parser.error("expected --peer-ptx or --through ptx beside --record")
        arguments.record.mkdir(parents=True, exist_ok=True)
    if arguments.peer_ptx:
        arguments.device, arguments.through = "gpu", "peer"
        try:
            check_installed()
        except PeerError as error:
            raise SystemExit(str(error)) from None
    return arguments


def test_files(checkout: Path, names: list[str]) -> list[str]:
    """The paths of the test files in the checkout; a name with a slash is such a path.

    Raises:
      SystemExit: when there is no such file.
    """
    directory = checkout / "tests" / "pallas"
    paths = [(checkout if "/" in name else directory) / f"{name.removesuffix('.py')}.py" for name in names] or sorted(
        directory.glob("*_test.py")
    )
    missing = [str(path) for path in paths if not path.is_file()]
    if missing or not paths:
        raise SystemExit(f"expected test files in {directory}, got none for {', '.join(missing) or 'all'}")
    return [str(path.relative_to(checkout)) for path in paths]


def read_records(path: Path | None) -> list[dict[str, Any]]:
    """The records of JSON lines."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path else []


class Comparison:
    """The records of a run, and how one file is added to them."""

    def __init__(self, arguments: argparse.Namespace, results: TextIO):
        self._arguments, self._results = arguments, results
        self._globs = arguments.tests or ["*"]
        self._checkout = arguments.checkout.resolve()
        self._baseline = [record for record in read_records(arguments.baseline) if record["mode"] == "jax"]
        self.records = read_records(arguments.results) if arguments.resume and arguments.results.is_file() else []

    def add_file(self, file: str) -> None:
        """Runs the tests of a file with JAX, unless the baseline has them, and what passes with gridir.

        Tests that the results have already are not run again.
        """
        known = [record for record in self._baseline if record["file"] == file and self._is_wanted(record["test"])]
        have = {record["test"] for record in self.records if record["file"] == file and record["mode"] == "jax"}
        for record in known:
            if record["test"] not in have:
                self._keep(record)
        modes = LONE_MODES if self._arguments.device in LONE_DEVICES else MODES
        for mode in ("gridir",) if known else modes:
            try:
                self._run(file, mode)
            except ValueError as error:
                print(f"{file}: left out, it cannot be imported: {error}", file=sys.stderr)
                return

    def is_good(self) -> bool:
        """True if all tests that are expected to pass do so with gridir."""
        return expected(self.records) <= passes(self.records, "gridir")

    def _run(self, file: str, mode: str) -> None:
        done = failed = 0

        def wanted(tests: list[str]) -> list[str]:
            chosen = self._choose([test for test in tests if self._is_wanted(test)])
            have = {record["test"] for record in self.records if (record["file"], record["mode"]) == (file, mode)}
            left_out = {r["test"] for r in self.records if (r["file"], r["mode"]) == (file, "left out")}
            chosen = [test for test in chosen if test not in have | left_out]
            if self._arguments.peer_ptx:
                return chosen
            if self._arguments.device in LONE_DEVICES:
                return [test for test in chosen if not self._leave_out(file, test)]
            known = passes(self.records, "jax")
            return chosen if mode == "jax" else [test for test in chosen if (file, test) in known]

        def report(test: str, record: dict[str, Any]) -> None:
            nonlocal done, failed
            self._keep({"file": file, "test": test, "mode": mode, **record})
            done += 1
            failed += record["status"] not in ("passed", "skipped")
            if sys.stderr.isatty():
                print(f"\r{file} {mode}: {done} done, {failed} failed", end="", file=sys.stderr, flush=True)

        worker = [str(self._checkout), file, "--mode", mode, "--device", self._arguments.device]
        worker += ["--through", self._arguments.through, "--checks", self._arguments.checks]
        worker += [f"--test-argument={argument}" for argument in self._arguments.test_argument]
        if self._arguments.assemble:
            worker.append("--assemble")
        if self._arguments.record:
            worker += ["--record", str(self._arguments.record.resolve())]
        run_file(worker, wanted, self._arguments.jobs, self._arguments.timeout, report)
        print(f"\r{file} {mode}: {done} done, {failed} failed", file=sys.stderr)

    def _choose(self, tests: list[str]) -> list[str]:
        """Takes the tests to run from all of a file.

        A sample is the first tests of a random order, so that a larger one of the same seed has all of a smaller one.
        """
        tests = tests[:: self._arguments.every]
        if self._arguments.sample is None:
            return tests
        return random.Random(self._arguments.seed).sample(tests, len(tests))[: self._arguments.sample]

    def _is_wanted(self, test: str) -> bool:
        return any(fnmatch.fnmatchcase(test, glob) for glob in self._globs)

    def _leave_out(self, file: str, test: str) -> bool:
        """True if a test does not depend on the results of a kernel; records the reason."""
        reason = reason_to_leave_out(Path(file).stem, test)
        if reason is not None:
            self._keep({"file": file, "test": test, "mode": "left out", "status": "left out", "reason": reason})
        return reason is not None

    def _keep(self, record: dict[str, Any]) -> None:
        self.records.append(record)
        self._results.write(json.dumps(record) + "\n")
        self._results.flush()


def main() -> int:
    """Runs; the exit status is 1 when a test that is expected to pass fails with gridir."""
    arguments = parse()
    with arguments.results.open("a" if arguments.resume else "w") as results:
        comparison = Comparison(arguments, results)
        for file in test_files(arguments.checkout.resolve(), arguments.files):
            comparison.add_file(file)
    print(table(comparison.records))
    print()
    print(slowest(comparison.records))
    print()
    print(failures(comparison.records, arguments.examples))
    if arguments.device in LONE_DEVICES:
        print()
        print(left_out(comparison.records))
    if arguments.assemble:
        print()
        print(code_report(comparison.records, read_records(arguments.beside)))
    return 0 if comparison.is_good() else 1


if __name__ == "__main__":
    sys.exit(main())

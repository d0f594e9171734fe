# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants mutants in passes, analyses and rules, and tells which of them no test sees.

    python tools/mutate grid-plan-memory                       # one pass, by its flag
    python tools/mutate dialects/Grid/Analysis --sample 10     # ten mutants of each file there
    python tools/mutate --table                                # what has been found so far, as Markdown

All mutants of a run are in one build, beside build/dev and made from it (`cmake --preset dev`), and the environment
variable GRIDIR_MUTANT chooses one. A test is run with those mutants only that it reaches: first the tests of the same
name, then the other unit tests, then Integration. Each mutant's fate is a JSON line; a mutant that has one is not run
again, so that a run which was stopped goes on.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import random
import re
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import cpp
import py
from mutant import Mutant
from rich.progress import Progress
from suite import INTEGRATION, LEVELS, OWN, UNIT, Suite, all_tests, own_tests
from tree import Tree

REPOSITORY = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
FINDERS = {".cpp": cpp.find, ".py": py.find}


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tools/mutate", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="the flag of a pass, a source or a directory")
    parser.add_argument("--sample", type=int, metavar="N", help="at most so many mutants of a file")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--jobs", type=int, default=2, help="how many compile or run at a time")
    parser.add_argument("--levels", default=",".join(LEVELS), help="which tests are run: %(default)s")
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build/dev", help="the developer build")
    parser.add_argument("--tree", type=Path, default=REPOSITORY / "build/mutate", help="where mutants are built")
    parser.add_argument("--results", type=Path, default=REPOSITORY / "build/mutants.jsonl", help="where fates are kept")
    parser.add_argument("--least-seconds", type=float, default=20, help="what a test may take at least")
    parser.add_argument("--table", action="store_true", help="print the table of the results, and run nothing")
    return parser.parse_args()


def sources(target: str) -> Iterator[str]:
    """The sources that a target names.

    Raises:
      SystemExit: when it names none.
    """
    path = REPOSITORY / target
    if path.is_file():
        found = [path]
    elif path.is_dir():
        found = sorted(file for suffix in FINDERS for file in path.rglob(f"*{suffix}"))
    else:
        name = target.replace("-", "").upper()
        pattern = re.compile(rf"GEN_PASS_DEF_{re.escape(name)}PASS\b")
        found = [file for file in sorted((REPOSITORY / "dialects").rglob("*.cpp")) if pattern.search(file.read_text())]
    if not found:
        raise SystemExit(f"expected the flag of a pass, a source or a directory, got {target}")
    for file in found:
        yield str(file.relative_to(REPOSITORY))


def choose(arguments: argparse.Namespace, known: dict[str, Any]) -> list[Mutant]:
    """The mutants to run, numbered from 1."""
    chosen = []
    for file in dict.fromkeys(file for target in arguments.targets for file in sources(target)):
        found = list({m.key: m for m in FINDERS[Path(file).suffix](file, (REPOSITORY / file).read_bytes())}.values())
        if arguments.sample is not None and len(found) > arguments.sample:
            found = random.Random(f"{arguments.seed} {file}").sample(found, arguments.sample)
        chosen += [mutant for mutant in found if mutant.key not in known]
    return [dataclasses.replace(mutant, number=number) for number, mutant in enumerate(chosen, 1)]


def run(arguments: argparse.Namespace, mutants: list[Mutant]) -> None:
    """Builds the mutants, runs the tests that reach them, and keeps what was seen."""
    print(f"building {len(mutants)} mutants", file=sys.stderr)
    tree = Tree(REPOSITORY, arguments.build.resolve(), arguments.tree.resolve())
    accepted = tree.make(mutants, arguments.jobs)
    print(f"{len(accepted)} compile; running the tests without a mutant", file=sys.stderr)
    levels = arguments.levels.split(",")
    tests = all_tests(tree.root)
    own = {file: own_tests(REPOSITORY, file, tests) for file in {mutant.file for mutant in accepted}}
    wanted = {test for some in own.values() for test in some} if OWN in levels else set()
    wanted |= {test for test in tests if (INTEGRATION if test.startswith("Integration") else UNIT) in levels}
    suite = Suite(tree.root, arguments.least_seconds)
    reach = suite.reach(sorted(wanted), arguments.jobs)

    def judge(mutant: Mutant) -> dict[str, Any]:
        reaching = {test for test, numbers in reach.items() if mutant.number in numbers}
        ours = reaching.intersection(own[mutant.file])
        integration = {test for test in reaching if test.startswith("Integration")}
        record = {**dataclasses.asdict(mutant), "key": mutant.key, "fate": "survived" if reaching else "unreached"}
        for level, some in ((OWN, ours), (UNIT, reaching - ours - integration), (INTEGRATION, integration - ours)):
            killer = suite.killer(mutant, some) if level in levels else None
            if killer:
                return {**record, "fate": "killed", "level": level, "test": killer}
        return record

    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    with (
        arguments.results.open("a") as results,
        ThreadPoolExecutor(arguments.jobs) as pool,
        Progress(transient=True) as progress,
    ):
        bar = progress.add_task("mutants", total=len(accepted))
        for future in as_completed([pool.submit(judge, mutant) for mutant in accepted]):
            results.write(json.dumps(future.result()) + "\n")
            results.flush()
            progress.advance(bar)


def table(records: dict[str, Any], files: set[str] | None) -> str:
    """The results as Markdown, a line for each directory, and the mutants that no test kills."""
    equivalent = tomllib.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else {}
    rows: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    alive = []
    for key, record in records.items():
        if files is not None and record["file"] not in files:
            continue
        kind = record.get("level") or ("equivalent" if key in equivalent else "alive")
        for row in (str(Path(record["file"]).parent), "together"):
            rows[row][kind] += 1
        if kind == "alive":
            names = {field.name for field in dataclasses.fields(Mutant)}
            mutant = Mutant(**{name: value for name, value in record.items() if name in names})
            alive.append(f"- {key} {mutant} ({record['fate']})")
    lines = [
        "| sources | mutants | equivalent | killed by tests of the same name | by unit tests | by all tests |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in [*sorted(set(rows) - {"together"}), *({"together"} & set(rows))]:
        counts = rows[row]
        judged = max(1, counts.total() - counts["equivalent"])
        killed = [sum(counts[level] for level in LEVELS[: i + 1]) for i in range(3)]
        shares = " | ".join(f"{number} ({100 * number // judged} %)" for number in killed)
        lines.append(f"| {row} | {counts.total()} | {counts['equivalent']} | {shares} |")
    return "\n".join([*lines, "", f"{len(alive)} mutants live:", "", *sorted(alive)])


def main() -> None:
    """Runs what is asked for and prints the table."""
    arguments = parse()

    def read() -> dict[str, Any]:
        lines = arguments.results.read_text().splitlines() if arguments.results.exists() else []
        return {record["key"]: record for record in map(json.loads, lines)}

    if not arguments.table:
        if not arguments.targets:
            raise SystemExit("expected the flag of a pass, a source or a directory; --help tells more")
        mutants = choose(arguments, read())
        if mutants:
            run(arguments, mutants)
    files = {file for target in arguments.targets for file in sources(target)} or None
    print(table(read(), files))


if __name__ == "__main__":
    main()

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants mutants in passes, analyses and rules, and tells which of them no test sees.

    python tools/mutate grid-plan-memory                       # one pass, by its flag
    python tools/mutate dialects/Grid/Analysis --sample 10     # ten mutants of each file there
    python tools/mutate dialects --again                       # mutants that survived, after tests were written
    python tools/mutate --table                                # all results so far, as Markdown

All mutants of a run are in one build, beside build/dev and made from it (`cmake --preset dev`), and the environment
variable GRIDIR_MUTANT selects one. All mutants run with the tests of the same name, survivors with the other unit
tests, and then with Integration; a test runs only with the mutants that it reaches. The fate of a mutant is a JSON line
with its levels: a run that was stopped, or that requests more levels, continues with the survivors.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import cpp
import py
from fates import Fate, Row, count, living, read, read_table, table
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
    parser.add_argument("--sample", type=int, metavar="N", help="the maximum number of mutants of a file")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="the number of parallel compilations or test runs")
    parser.add_argument("--levels", default=",".join(LEVELS), help="the levels of tests that run: %(default)s")
    parser.add_argument(
        "--tests", metavar="REGEX", help="run only these tests; survivors do not count as tested at their level"
    )
    parser.add_argument("--again", action="store_true", help="run known mutants that these levels did not kill")
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build/dev", help="the developer build")
    parser.add_argument("--tree", type=Path, default=REPOSITORY / "build/mutate", help="where mutants are built")
    parser.add_argument("--results", type=Path, default=REPOSITORY / "build/mutants.jsonl", help="the file of results")
    parser.add_argument("--least-seconds", type=float, default=20, help="the minimum timeout of a test")
    parser.add_argument("--table", action="store_true", help="print the table of the results, and run nothing")
    parser.add_argument("--page", type=Path, help="also put the rows into the table of this page")
    arguments = parser.parse_args()
    levels = arguments.levels.split(",")
    if unknown := set(levels).difference(LEVELS):
        parser.error(f"expected levels out of {', '.join(LEVELS)}, got {', '.join(sorted(unknown))}")
    arguments.levels = [level for level in LEVELS if level in levels]
    return arguments


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


def named_files(arguments: argparse.Namespace) -> list[str]:
    """The sources that the command line names, each once."""
    return list(dict.fromkeys(file for target in arguments.targets for file in sources(target)))


def found_in(file: str) -> dict[str, Mutant]:
    """All mutants of a source, by their keys."""
    return {mutant.key: mutant for mutant in FINDERS[Path(file).suffix](file, (REPOSITORY / file).read_bytes())}


def choose(arguments: argparse.Namespace, known: Mapping[str, Fate]) -> list[tuple[Mutant, list[str]]]:
    """The mutants to run, numbered from 1, each with its remaining levels."""
    chosen = []
    for file in named_files(arguments):
        found = list(found_in(file).values())
        if arguments.again:
            found = [mutant for mutant in found if mutant.key in known]
        elif arguments.sample is not None and len(found) > arguments.sample:
            found = random.Random(f"{arguments.seed} {file}").sample(found, arguments.sample)
        for mutant in found:
            fate = known.get(mutant.key, Fate(mutant.key, file))
            if levels := fate.unmet(arguments.levels, arguments.again):
                chosen.append((dataclasses.replace(mutant, number=len(chosen) + 1), levels))
    return chosen


def run(arguments: argparse.Namespace, chosen: list[tuple[Mutant, list[str]]], known: Mapping[str, Fate]) -> None:
    """Builds the mutants, runs the tests that reach them, and stores the results."""
    print(f"building {len(chosen)} mutants", file=sys.stderr)
    tree = Tree(REPOSITORY, arguments.build.resolve(), arguments.tree.resolve())
    accepted = tree.make([mutant for mutant, _ in chosen], arguments.jobs)
    to_meet = {mutant.key: levels for mutant, levels in chosen}
    every = all_tests(tree.root)
    allowed = {test for test in every if re.search(arguments.tests or "", test)}
    own = {file: allowed.intersection(own_tests(REPOSITORY, file, every)) for file in {m.file for m in accepted}}
    integration = {test for test in allowed if test.startswith("Integration")}
    tests_of = {OWN: set().union(*own.values()), UNIT: allowed - integration, INTEGRATION: integration}
    fates = {mutant.key: known.get(mutant.key, Fate(mutant.key, mutant.file)) for mutant in accepted}
    suite = Suite(tree.root, arguments.least_seconds)
    living = accepted
    for level in arguments.levels:
        wave = [mutant for mutant in living if level in to_meet[mutant.key]]
        if not wave:
            continue
        print(f"{len(wave)} mutants meet level {level}: its tests without a mutant", file=sys.stderr)
        reach = suite.reach(sorted(tests_of[level]), arguments.jobs)

        def judge(mutant: Mutant, level: str = level, reach: Mapping[str, set[int]] = reach) -> Fate:
            ours = own[mutant.file]
            meant = reach.keys() & ours if level == OWN else reach.keys() - ours
            reaching = {test for test in meant if mutant.number in reach[test]}
            killer = suite.killer(mutant, reaching)
            if killer is not None:
                return fates[mutant.key].after([], True, level, killer)
            # Some tests of a level are not the level.
            return fates[mutant.key].after([level] if arguments.tests is None else [], bool(reaching))

        for fate in judged(arguments, level, judge, wave):
            fates[fate.key] = fate
        living = [mutant for mutant in living if fates[mutant.key].level != level]


def judged(
    arguments: argparse.Namespace, level: str, judge: Callable[[Mutant], Fate], wave: Sequence[Mutant]
) -> Iterator[Fate]:
    """The fates of mutants after a level, in any order; each is kept as soon as it is known."""
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    with (
        arguments.results.open("a") as results,
        ThreadPoolExecutor(arguments.jobs) as pool,
        Progress(transient=True) as progress,
    ):
        for future in progress.track(as_completed([pool.submit(judge, m) for m in wave]), len(wave), description=level):
            fate = future.result()
            results.write(json.dumps(dataclasses.asdict(fate)) + "\n")
            results.flush()
            yield fate


def write_table(page: Path, rows: Mapping[str, Row]) -> None:
    """Puts the rows into the table between the two marks of a page; those of other directories stay.

    Raises:
      SystemExit: when the page has no marks.
    """
    begin, end = "<!-- Written by tools/mutate. -->\n", "<!-- End. -->"
    before, mark, rest = page.read_text().partition(begin)
    old, close, after = rest.partition(end)
    if not mark or not close:
        raise SystemExit(f"expected the marks {begin.strip()} and {end} in {page}")
    page.write_text(f"{before}{begin}\n{table({**read_table(old), **rows})}\n\n{end}{after}")


def main() -> None:
    """Runs the requested mutants, and prints the table and the survivors."""
    arguments = parse()
    if not arguments.table:
        if not arguments.targets:
            raise SystemExit("expected the flag of a pass, a source or a directory; --help tells more")
        known = read(arguments.results)
        chosen = choose(arguments, known)
        if chosen:
            run(arguments, chosen, known)
    fates = read(arguments.results)
    # Without a target, all known ones; mutants of removed code are not counted.
    files = named_files(arguments) if arguments.targets else sorted({fate.file for fate in fates.values()})
    mutants = {key: mutant for file in files if (REPOSITORY / file).exists() for key, mutant in found_in(file).items()}
    fates = {key: fate for key, fate in fates.items() if key in mutants}
    equivalent = tomllib.loads(EQUIVALENT.read_text())
    if arguments.page:
        write_table(arguments.page, count(fates, equivalent))
    print(table(count(fates, equivalent)), living(fates, mutants, equivalent), sep="\n\n")


if __name__ == "__main__":
    main()

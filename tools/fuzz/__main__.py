# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs gridir-opt on mutated tests, and reports aborts, crashes, hangs and excessive memory.

    python tools/fuzz --inputs 10000 --seed 1 --crashes /tmp/crashes

Every chunk of every lit file goes through the passes of its RUN lines, and every kernel among them through the
pipelines of the three targets: with other numbers, types, names and attributes. Whatever the text,
gridir-opt must end by itself, with IR or with an error. Each text where it does not is written to a file whose first
line is the command; the exit status is 1 when there is one.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from collections import defaultdict
from pathlib import Path

from corpus import Input, read_corpus
from mutate import Mutator, tokenize
from process import Crash, Limits, find_crashes

ROOT = Path(__file__).resolve().parent.parent.parent


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tools/fuzz", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--corpus", type=Path, default=ROOT / "test", help="a directory of lit files")
    parser.add_argument("--inputs", type=int, default=1000, help="how many mutated texts to run")
    parser.add_argument("--originals", action="store_true", help="run every text as it is, too")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same texts")
    parser.add_argument(
        "--exchanged",
        type=float,
        default=0.25,
        metavar="SHARE",
        help="of the texts that the passes of another test run on",
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only inputs whose options have this in them")
    parser.add_argument("--batch", type=int, default=50, help="how many texts one process reads")
    parser.add_argument("--seconds", type=int, default=10, help="CPU time that one text may take")
    parser.add_argument(
        "--megabytes",
        type=int,
        default=4096,
        help="address space that a process may take; 0 is no limit, as address sanitizer needs it",
    )
    parser.add_argument("--crashes", type=Path, default=Path("fuzz-crashes"), help="where to write what crashes")
    parser.add_argument("--tool", default="gridir-opt", help="the program to run")
    return parser.parse_args()


def choose(corpus: list[Input], arguments: argparse.Namespace) -> dict[tuple[str, ...], list[str]]:
    """Returns the texts to run, by the options that they are read with."""
    words = [text for entry in corpus for kind, text in tokenize(entry.text) if kind == "word"]
    mutator = Mutator(arguments.seed, words)
    texts: dict[tuple[str, ...], list[str]] = defaultdict(list)
    if arguments.originals:
        for entry in corpus:
            texts[entry.options].append(entry.text)
    chance = random.Random(arguments.seed)
    for entry in chance.choices(corpus, k=arguments.inputs):
        # A pass takes any IR, not only the IR of its own test.
        options = chance.choice(corpus).options if chance.random() < arguments.exchanged else entry.options
        texts[options].append(mutator.mutate(entry.text))
    return texts


def write(directory: Path, number: int, crash: Crash) -> Path:
    """Writes the text of a crash, below the command that shows it."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{'upstream' if crash.upstream else 'crash'}-{number}.mlir"
    command = f"// RUN: gridir-opt %s {' '.join(crash.options)}"
    path.write_text(f"{command}\n// {crash.reason}\n{crash.text}")
    return path


def main() -> int:
    """Runs; the exit status is 1 when something crashed."""
    arguments = parse()
    tool = shutil.which(arguments.tool)
    if tool is None:
        raise SystemExit(f"expected a program, got {arguments.tool!r}")
    corpus = [entry for entry in read_corpus(arguments.corpus) if arguments.only in " ".join(entry.options)]
    if not corpus:
        raise SystemExit(f"expected lit files with {arguments.only!r} in a RUN line below {arguments.corpus}, got none")
    limits = Limits(arguments.seconds, arguments.megabytes)
    done, reasons, upstream = 0, defaultdict[str, list[Path]](list), list[Path]()
    for options, texts in choose(corpus, arguments).items():
        for start in range(0, len(texts), arguments.batch):
            batch = texts[start : start + arguments.batch]
            for crash in find_crashes(tool, options, batch, limits):
                if crash.upstream:
                    upstream.append(write(arguments.crashes, len(upstream), crash))
                    continue
                path = write(arguments.crashes, sum(map(len, reasons.values())), crash)
                if crash.reason not in reasons:
                    print(f"{path}: {crash.reason}", flush=True)
                reasons[crash.reason].append(path)
            done += len(batch)
    for reason, paths in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(paths)} times: {reason}, as {paths[0]}")
    if upstream:
        print(f"{len(upstream)} times: MLIR's own parser or verifier, before gridir read the text, as {upstream[0]}")
    print(f"{done} texts, {sum(map(len, reasons.values()))} crashes of {len(reasons)} kinds")
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())

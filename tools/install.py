# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds gridir and installs it into .venv at the repository root; does nothing where that is up to date.

    python3 tools/install.py [--extra test] [--extra lint]

Needs Python 3.11 to 3.13, a C++17 compiler and a package index, and nothing else: MLIR, LLVM, CMake and ninja come
from the index. They are installed beside gridir, so that the next build is incremental; gridir itself needs none of
them to run. The build's output is kept in build/install.log.
"""

import sys

if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.exit("[gridir] expected Python 3.11 to 3.13, got " + sys.version.split()[0] + "; try make PYTHON=python3.12")

import argparse
import hashlib
import json
import os
import re
import subprocess
import time
import tomllib
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
VENV = REPOSITORY / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "gridir-install.json"
LOG = REPOSITORY / "build" / "install.log"

# What the installed package is made from.
SOURCES = ["CMakeLists.txt", "pyproject.toml", "cmake", "dialects", "python", "tools"]
IGNORED = {"__pycache__", "lint"}


def fingerprint(paths: list[str]) -> str:
    """A hash of the content of files and directories."""
    digest = hashlib.sha256(sys.version.encode())
    for path in paths:
        root = REPOSITORY / path
        files = [root] if root.is_file() else sorted(p for p in root.rglob("*") if p.is_file())
        for file in files:
            if not IGNORED.intersection(file.parts):
                digest.update(str(file.relative_to(REPOSITORY)).encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()


def say(text: str) -> None:
    """Prints a line of progress."""
    print(f"[gridir] {text}", flush=True)


class Progress:
    """Shows how far a build is: one line that is rewritten on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        self.shown = -1
        self.start = time.monotonic()

    def update(self, done: int, total: int, step: str) -> None:
        """Shows that `done` of `total` steps are behind us."""
        seconds = int(time.monotonic() - self.start)
        line = f"[gridir] building {done}/{total} ({seconds} s)"
        if sys.stdout.isatty():
            print(f"\r{line} {Path(step).name[:60]:<60}", end="\n" if done == total else "", flush=True)
        elif done * 10 // total != self.shown:
            self.shown = done * 10 // total
            print(line, flush=True)


def run(command: list[str], what: str, progress: Progress | None = None) -> None:
    """Runs a command with its output in the log; stops with the end of the log where it fails."""
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("a") as log:
        log.write(f"\n$ {' '.join(command)}\n")
        log.flush()
        process = subprocess.Popen(
            command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            log.flush()
            step = re.match(r"\s*\[(\d+)/(\d+)\] (?:Building|Linking|Copying)(.*)", line)
            if progress and step:
                progress.update(int(step[1]), int(step[2]), step[3].strip())
        status = process.wait()
    if status != 0:
        tail = LOG.read_text().splitlines()[-40:]
        print("\n".join(["", *tail, "", f"[gridir] {what} failed; the whole output is in {LOG}"]), file=sys.stderr)
        sys.exit(1)


def main() -> None:
    """Brings .venv up to date."""
    parser = argparse.ArgumentParser(description="Build gridir and install it into .venv.")
    parser.add_argument("--extra", action="append", default=[], help="also install the requirements of an extra")
    arguments = parser.parse_args()

    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    stamp = json.loads(STAMP.read_text()) if STAMP.exists() else {}
    LOG.unlink(missing_ok=True)
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install"]

    if not PYTHON.exists():
        say("creating .venv")
        venv.create(VENV, with_pip=True)
    requirements = project["build-system"]["requires"] + project["project"]["dependencies"]
    for extra in sorted({*arguments.extra, *stamp.get("extras", [])}):
        requirements += project["project"]["optional-dependencies"][extra]
    if stamp.get("requirements") != requirements:
        say("installing MLIR, LLVM, JAX and the tools of the build (about 1 GB the first time)")
        run([*pip, *requirements], "installing the requirements")
        stamp = {**stamp, "requirements": requirements, "extras": sorted({*arguments.extra, *stamp.get("extras", [])})}
        STAMP.write_text(json.dumps(stamp))

    sources = fingerprint(SOURCES)
    if stamp.get("sources") != sources:
        say("building gridir (some minutes the first time)")
        os.environ["PATH"] = f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"
        run([*pip, "-v", "--no-build-isolation", "--no-deps", "--force-reinstall", "."], "the build", Progress())
        STAMP.write_text(json.dumps({**stamp, "sources": sources}))
        say("installed into .venv")


if __name__ == "__main__":
    main()

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds gridir and installs it into .venv at the repository root; does nothing if that is up to date.

    python3 tools/install.py [--extra test] [--extra lint]
    python3.12 tools/install.py --jax 0.11 --venv build/jax-0.11

Needs Python 3.11 to 3.13, a C++17 compiler and a package index. MLIR, LLVM, CMake and ninja come from the index. They
are installed beside gridir, so that the next build is incremental; gridir does not need them to run. The output of the
build is in build/install.log.

The line of JAX is the newest one that this Python supports, or the one that `--jax` names. All lines share one build
tree: only MLIR's Python bindings are compiled again for another Python.
"""

import sys

if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.exit("[gridir] expected Python 3.11 to 3.13, got " + sys.version.split()[0] + "; try make PYTHON=python3.12")

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import time
import tomllib
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
LOG = REPOSITORY / "build" / "install.log"
# XLA's FFI headers, of the version of jaxlib that the build requires, whichever JAX is installed.
XLA_FFI = REPOSITORY / "build" / "xla-ffi"
# The environment whose MLIR, LLVM and nanobind every build uses, so that another Python recompiles only the bindings.
MAIN = REPOSITORY / ".venv"

# The sources of the installed package.
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
    """Shows how far a build is: one line that is rewritten on a terminal, a new line for each tenth elsewhere."""

    def __init__(self) -> None:
        self.shown = -1
        self.start = time.monotonic()

    def update(self, done: int, total: int, step: str) -> None:
        """Shows that `done` of `total` steps are finished."""
        seconds = int(time.monotonic() - self.start)
        line = f"[gridir] building {done}/{total} ({seconds} s)"
        if sys.stdout.isatty():
            print(f"\r{line} {Path(step).name[:60]:<60}", end="\n" if done == total else "", flush=True)
        elif done * 10 // total != self.shown:
            self.shown = done * 10 // total
            print(line, flush=True)


def run(command: list[str], what: str, progress: Progress | None = None) -> None:
    """Runs a command with its output in the log; exits with the end of the log if the command fails."""
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


def find_line(project: dict, name: str | None) -> dict:
    """Returns the line of JAX with this name, or the newest one for the Python that runs."""
    python = "{}.{}".format(*sys.version_info[:2])
    lines = project["tool"]["gridir"]["jax-lines"]
    for line in lines:
        if python in line["python"] and name in (None, line["name"]):
            return line
    known = "; ".join(f"{line['name']} with Python {' or '.join(line['python'])}" for line in lines)
    sys.exit(f"[gridir] expected a line of JAX for Python {python}, got {name}; the lines are {known}")


def expand(project: dict, extra: str) -> list[str]:
    """Returns the requirements of an extra, with those of the extras of gridir that it names."""
    requirements = []
    for requirement in project["project"]["optional-dependencies"][extra]:
        inner = re.fullmatch(r"gridir\[([\w,-]+)\]", requirement)
        requirements += [r for name in inner[1].split(",") for r in expand(project, name)] if inner else [requirement]
    return requirements


def packages_of(environment: Path) -> Path:
    """Returns the directory of the packages of an environment."""
    (packages,) = environment.glob("lib/python*/site-packages")
    return packages


def build_options(environment: Path) -> list[str]:
    """Returns pip's options for the build, with the paths of MLIR, LLVM, nanobind and XLA's headers."""
    packages = packages_of(MAIN if MAIN.exists() else environment)
    paths = {
        "MLIR_DIR": packages / "mlir/lib/cmake/mlir",
        "LLVM_DIR": packages / "llvm/lib/cmake/llvm",
        "nanobind_DIR": packages / "nanobind/cmake",
        "GRIDIR_XLA_FFI_INCLUDE_DIR": XLA_FFI / "jaxlib/include",
    }
    # The short form -C is newer than the pip of Python 3.11 in Debian.
    defines = [f"--config-settings=cmake.define.{name}={path}" for name, path in paths.items()]
    return ["-v", "--no-build-isolation", "--no-deps", *defines]


def fetch_headers(pip: list[str], requirement: str) -> None:
    """Installs the jaxlib with XLA's FFI headers where only the build looks for it."""
    if not (XLA_FFI / (requirement.replace("==", "-") + ".dist-info")).exists():
        shutil.rmtree(XLA_FFI, ignore_errors=True)
        run([*pip, "--no-deps", "--target", str(XLA_FFI), requirement], "installing XLA's FFI headers")


def main() -> None:
    """Brings the environment up to date."""
    parser = argparse.ArgumentParser(description="Build gridir and install it into an environment.")
    parser.add_argument("--extra", action="append", default=[], help="also install the requirements of an extra")
    parser.add_argument("--jax", metavar="LINE", help="the line of JAX, as 0.11 (default: the newest for this Python)")
    parser.add_argument("--venv", type=Path, default=MAIN, help="the environment (default: .venv)")
    arguments = parser.parse_args()

    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    environment = arguments.venv.absolute()
    python = environment / "bin" / "python"
    stamp_file = environment / "gridir-install.json"
    stamp = json.loads(stamp_file.read_text()) if stamp_file.exists() else {}
    line = find_line(project, arguments.jax or stamp.get("jax"))
    LOG.unlink(missing_ok=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install"]

    if not python.exists():
        say(f"creating {environment.name} with Python {sys.version.split()[0]}")
        venv.create(environment, with_pip=True)
    extras = sorted({*arguments.extra, *stamp.get("extras", [])})
    (ffi,) = (r for r in project["build-system"]["requires"] if r.startswith("jaxlib"))
    installed = (ffi, "xtc-") if environment != MAIN and MAIN.exists() else (ffi,)
    requirements = [r for r in project["build-system"]["requires"] if not r.startswith(installed)]
    requirements += project["project"]["dependencies"]
    for extra in extras:
        requirements += expand(project, extra)
    wanted = {"jax": line["name"], "constraints": line["requirements"], "extras": extras, "requirements": requirements}
    if {key: stamp.get(key) for key in wanted} != wanted:
        say(f"installing MLIR, LLVM, JAX {line['name']} and the tools of the build (about 1 GB the first time)")
        constraints = environment / "constraints.txt"
        constraints.write_text("\n".join([*line["requirements"], ""]))
        run([*pip, "-c", str(constraints), *requirements], "installing the requirements")
        stamp = {**stamp, **wanted}
        stamp_file.write_text(json.dumps(stamp))

    sources = fingerprint(SOURCES)
    if stamp.get("sources") != sources:
        say("building gridir (some minutes the first time)")
        fetch_headers(pip, ffi)
        os.environ["PATH"] = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
        run([*pip, "--force-reinstall", *build_options(environment), "."], "the build", Progress())
        stamp_file.write_text(json.dumps({**stamp, "sources": sources}))
        say(f"installed into {os.path.relpath(environment)}")


if __name__ == "__main__":
    main()

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds and tests gridir on the lines of JAX that .venv does not have.

    .venv/bin/python tools/jax_lines.py [--dist] [LINE...]

Each line has an environment of its own, build/jax-LINE, into which a wheel is installed. There the tests run that read
JAX's sources (names and parameters), those of the frontend and of launches on GPUs, and the examples; on the oldest
line also those of all primitives. With `--dist`, `tools/dist.py` also runs the commands of the README. The whole suite
runs on the line of .venv only. Exits with 1 if a line fails, or if there is no Python for it.
"""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ("python/frontend", "python/import", "python/recording", "python/runtime/gpu", "Integration/examples.py")
TESTS_OF_OLDEST = ("Integration/primitives.py",)


def find_python(versions: list[str]) -> str | None:
    """Returns a Python of one of these versions, the first that runs, or None."""
    pyenv = os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv"))
    for version in versions:
        for candidate in (f"python{version}", *glob.glob(f"{pyenv}/versions/{version}.*/bin/python")):
            # Shims of pyenv exist without an interpreter.
            if shutil.which(candidate) and subprocess.run([candidate, "-c", ""], capture_output=True).returncode == 0:
                return candidate
    return None


def check(line: dict, tests: tuple[str, ...], dist: bool) -> bool:
    """Builds for a line, and returns whether these tests pass, and with `dist` the commands of the README."""
    # MLIR's bindings of the Python that runs are built.
    running = "{}.{}".format(*sys.version_info[:2])
    python = find_python(sorted(line["python"], key=lambda version: version != running))
    if python is None:
        print(f"JAX {line['name']}: expected Python {' or '.join(line['python'])}, found none", flush=True)
        return False
    environment = ROOT / "build" / f"jax-{line['name']}"
    install = [python, "tools/install.py", "--jax", line["name"], "--venv", environment, "--extra", "test-line"]
    commands = [
        [*install, "--extra", "gpu", "--extra", "tpu"],
        [environment / "bin" / "lit", "-sv", "--filter", "|".join(tests), "test"],
        *([[environment / "bin" / "python", "tools/dist.py"]] if dist else []),
    ]
    for command in commands:
        print(f"JAX {line['name']}:", *(str(word).removeprefix(f"{ROOT}/") for word in command), flush=True)
        if subprocess.run([str(word) for word in command], cwd=ROOT).returncode != 0:
            return False
    return True


def main() -> None:
    """Checks each line."""
    parser = argparse.ArgumentParser(description="Build and test gridir on the lines of JAX that .venv does not have.")
    parser.add_argument("lines", nargs="*", metavar="LINE", help="as 0.11 (default: all but that of .venv)")
    parser.add_argument("--dist", action="store_true", help="also run the commands of the README, with the wheel alone")
    arguments = parser.parse_args()
    lines = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["gridir"]["jax-lines"]
    names = [line["name"] for line in lines]
    for name in arguments.lines:
        if name not in names:
            parser.error(f"expected a line of JAX ({', '.join(names)}), got {name!r}")
    installed = json.loads((Path(sys.prefix) / "gridir-install.json").read_text())["jax"]
    wanted = arguments.lines or [name for name in names if name != installed]
    # A list, since every line is checked even if one fails.
    results = [
        check(line, TESTS + (TESTS_OF_OLDEST if line is lines[-1] else ()), arguments.dist)
        for line in lines
        if line["name"] in wanted
    ]
    sys.exit(not all(results))


if __name__ == "__main__":
    main()

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a wheel into dist/, and proves in a virtual environment of its own that it is complete.

    .venv/bin/python tools/dist.py

The environment has JAX and no MLIR, no LLVM and no compiler's package. There the commands of the README run, the tools
start, and another project finds the headers, the archives and GridirConfig.cmake. The wheel is for the Python, and the
environment for the line of JAX, of the environment that runs this.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import install

ROOT = Path(__file__).resolve().parent.parent
# Limits for the size of the download, and of the unpacked package.
MAXIMUM_WHEEL_BYTES = 60e6
MAXIMUM_BYTES = 190e6


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Runs a command, and returns its output; exits if it fails."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    result = subprocess.run([str(word) for word in command], cwd=cwd, env=environment, text=True, capture_output=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed\n{result.stdout[-4000:]}\n{result.stderr[-4000:]}")
    return result.stdout


def expect(claim: str, holds: bool) -> None:
    """Prints a claim that holds; exits at one that does not."""
    print(f"{'ok' if holds else 'FAILED'}: {claim}", flush=True)
    if not holds:
        sys.exit(1)


def build() -> Path:
    """Builds the wheel, and returns its path."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    options = install.build_options(Path(sys.prefix))
    run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", "dist", ".")
    (wheel,) = (ROOT / "dist").glob("gridir-*.whl")
    return wheel


def readme_commands() -> list[list[str]]:
    """Returns the arguments of each `gridir` command in the README."""
    lines = re.findall(r"^\.venv/bin/gridir (.*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    commands = [shlex.split(line, comments=True) for line in lines]
    return [[str(ROOT / word) if word.startswith("examples/") else word for word in words] for words in commands]


def main() -> None:
    """Builds and proves."""
    wheel = build()
    size = wheel.stat().st_size
    expect(f"the wheel has {size / 1e6:.0f} MB, under {MAXIMUM_WHEEL_BYTES / 1e6:.0f}", size < MAXIMUM_WHEEL_BYTES)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        venv.create(directory / "venv", with_pip=True)
        binaries = directory / "venv" / "bin"
        constraints = Path(sys.prefix) / "constraints.txt"
        run(binaries / "pip", "install", "-c", constraints, f"{wheel}[gpu,report,tpu]", cwd=directory)
        package = Path(run(binaries / "python", "-c", "import gridir; print(*gridir.__path__)", cwd=directory).strip())

        # Bytecode is not part of the wheel; its size depends on the Python.
        files = [path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"]
        size = sum(path.stat().st_size for path in files)
        expect(f"the installed package has {size / 1e6:.0f} MB, under {MAXIMUM_BYTES / 1e6:.0f}", size < MAXIMUM_BYTES)
        others = run(binaries / "pip", "list", "--format=freeze")
        print("beside", *re.findall("^(?:jax|jaxlib|libtpu)==.*$", others, re.MULTILINE))
        expect("no package of MLIR or LLVM is installed", "mlir" not in others and "llvm" not in others)
        needed = run("ldd", package / "mlir" / "_mlir_libs" / "libGridir.so")
        expect("the native library needs no MLIR and no LLVM", "MLIR" not in needed and "LLVM" not in needed)
        for path in (
            "lib/cmake/gridir/GridirConfig.cmake",
            "include/dialects/Grid/IR/Grid.h",
            "lib/libGridirRegister.a",
            "templates/cpp/CMakeLists.txt",
        ):
            expect(f"{path} is in the package", (package / path).exists())
        licenses = [path.name for path in package.parent.glob("gridir-*.dist-info/licenses/*")]
        expect("LICENSE and NOTICE are in the package", {"LICENSE", "NOTICE"} <= set(licenses))
        for tool in ("gridir-opt", "gridir-lsp-server", "gridir-reduce"):
            expect(f"{tool} starts", "USAGE" in run(binaries / tool, "--help", cwd=directory))
        for words in readme_commands():
            run(binaries / "gridir", *words, cwd=directory)
            expect(f"gridir {words[0]} of the README runs", True)


if __name__ == "__main__":
    main()

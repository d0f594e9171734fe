# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main job, shown: a Pallas kernel as a `grid` module, then compiled, run, checked and timed on the CPU."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "examples/matmul.py"
STEPS = [
    ("The kernel, as its author wrote it for JAX's Pallas", ["sed", "-n", "/^def matmul_kernel/,/^def example_args/{/^def example_args/!p}"]),
    ("The same kernel in the grid dialect", ["gridir", "lower", "--stage", "grid"]),
    ("Compiled to native code, run, and checked against JAX's interpret mode", ["gridir", "run"]),
]


def main() -> int:
    """Runs the steps; the exit status is that of the first one that fails."""
    for title, command in STEPS:
        print(f"\n== {title}\n", flush=True)
        program = Path(sys.executable).parent / command[0]
        words = [str(program) if program.exists() else command[0], *command[1:], EXAMPLE]
        print("$ " + " ".join([command[0], *("'" + w + "'" if "{" in w else w for w in command[1:]), EXAMPLE]) + "\n", flush=True)
        status = subprocess.run(words, cwd=ROOT, check=False).returncode
        if status != 0:
            return status
    print("\nMore: gridir lower --help, gridir run --help, gridir-opt --help, README.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())

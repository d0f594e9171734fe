# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main job, shown: a Pallas kernel as a `grid` module, then compiled, run, checked and timed on the CPU."""

import inspect
import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "examples/matmul.py"
COMMANDS = {
    "The same kernel in the grid dialect": ["gridir", "lower", "--stage", "grid", EXAMPLE],
    "Compiled to native code, run, and checked against JAX's interpret mode": ["gridir", "run", EXAMPLE],
}


def main() -> int:
    """Shows the kernel and runs the commands; the exit status is that of the first one that fails."""
    print("\n== The kernel, as its author wrote it for JAX's Pallas\n", flush=True)
    print(inspect.getsource(runpy.run_path(str(ROOT / EXAMPLE))["matmul_kernel"]).rstrip())
    for title, command in COMMANDS.items():
        print(f"\n== {title}\n\n$ {' '.join(command)}\n", flush=True)
        program = Path(sys.executable).parent / command[0]
        status = subprocess.run([str(program), *command[1:]], cwd=ROOT, check=False).returncode
        if status != 0:
            return status
    print("\nMore: gridir lower --help, gridir run --help, gridir-opt --help, README.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())

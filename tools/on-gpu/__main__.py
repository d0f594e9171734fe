# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs kernels with operands and expected results, for a machine that has a GPU and neither gridir nor JAX.

    python tools/on-gpu PACK                        # the examples of the repository
    python tools/on-gpu PACK --files a.py b.py:f    # files as gridir run takes them
    python tools/on-gpu PACK --peer                 # with the PTX of JAX's own pipeline (pip install 'gridir[peer]')
    python tools/on-gpu PACK --cubins               # with machine code by ptxas

JAX's tests make a pack of their own, to which the second command adds the runner:

    python tools/jax-conformance CHECKOUT mosaic_gpu_test --device gpu --through ptx --record TESTS/cases --every 10
    python tools/on-gpu TESTS --files

On the machine with the GPU, `python PACK/run.py PACK` launches them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

import gridir
import numpy as np
from capture import Capture, capturing
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute

ROOT = Path(__file__).parents[2]
EXAMPLES = (ROOT / "examples", ROOT / "examples" / "mosaic_gpu")


LARGEST_PACK = 60_000_000
"""Bytes that a pack may have."""
LARGEST_LAUNCH = 8 << 20
"""Bytes of operands up to which a launch of a file is packed: all examples of the repository together fit."""


def pack_files(files: list[str], chip: str, capture: Capture) -> dict[str, list[str | None]]:
    """Runs functions of files in the executor of PTX, and returns the launches of each."""
    from gridir.cli.example import load_example

    launches: dict[str, list[str | None]] = {}
    for file in files:
        first = len(capture.calls)
        path, _, name = file.partition(":")
        try:
            example = load_example(path, name or None, None)
            import jax

            jax.block_until_ready(
                execute(example.function, example.args, get_target(f"gpu:{chip}")).function(*example.args)
            )
            launches[file] = [None if path is None else str(path) for path in capture.calls[first:]]
            print(f"{file}: packed", flush=True)
        except (gridir.Error, NotImplementedError) as error:
            print(f"{file}: left out: {str(error).splitlines()[0]}", flush=True)
    return launches


def add_cubins(pack: Path) -> None:
    """Adds machine code of `ptxas` to the launches of a pack."""
    from gridir.runtime.ptxas import PtxasError, assemble

    for path in sorted((pack / "cases").glob("*.npz")):
        with np.load(path) as case:
            arrays = {name: case[name] for name in case.files}
        head = json.loads(arrays["head"].tobytes())
        try:
            products = head["launch"]["register_products"]
            made = assemble(arrays["ptx"].tobytes().decode(), head["chip"], register_products=products)
        except PtxasError as error:
            print(f"  {path.stem}: no cubin: {error.message}")
            continue
        np.savez_compressed(path, allow_pickle=False, **arrays, cubin=np.frombuffer(made.code, np.uint8))


def add_peers(launches: dict[str, list[str | None]], chip: str) -> None:
    """Adds the code of JAX's pipeline, which takes over a process, to the launches of files."""
    script = Path(__file__).with_name("peers.py")
    subprocess.run([sys.executable, script, chip], input=json.dumps(launches), text=True, check=False)


def copy_library(pack: Path) -> None:
    """Copies the runner, and the part of gridir that it imports."""
    source = Path(gridir.__file__).parent
    library = pack / "lib" / "gridir"
    for name in ("__init__.py", "errors.py", "host.py", "reading.py", "runtime/__init__.py"):
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, library / name)
    shutil.copytree(source / "runtime" / "gpu", library / "runtime" / "gpu", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__", "native"))  # fmt: skip
    shutil.copy(Path(__file__).with_name("run.py"), pack / "run.py")


def report(capture: Capture, pack: Path) -> None:
    """Prints the contents of the pack."""
    size = sum(path.stat().st_size for path in pack.rglob("*") if path.is_file())
    print(f"{pack}: {capture.kept} launches, {size / 1e6:.1f} MB")
    if size > LARGEST_PACK:
        raise SystemExit(f"expected a pack of at most {LARGEST_PACK / 1e6:.0f} MB, got {size / 1e6:.1f}")
    for name, count in capture.left_out.items():
        print(f"  {name}: {count} launches left out, whose operands are too large")


def main() -> None:
    """Packs the kernels that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--files", nargs="*", help="files as gridir run takes them; the examples by default")
    parser.add_argument("--chip", nargs="*", default=["sm_90a"])
    parser.add_argument("--peer", action="store_true", help="pack the PTX of JAX's pipeline of kernels that it has")
    parser.add_argument("--cubins", action="store_true", help="pack machine code by ptxas")
    args = parser.parse_args()
    examples = [str(x) for folder in EXAMPLES for x in sorted(folder.glob("*.py"))]
    files = examples if args.files is None else args.files
    with capturing(args.pack / "cases", LARGEST_LAUNCH) as capture:
        for chip in args.chip:
            launches = pack_files(files, chip, capture)
            if args.peer:
                add_peers(launches, chip)
    if args.cubins:
        add_cubins(args.pack)
    copy_library(args.pack)
    report(capture, args.pack)


if __name__ == "__main__":
    main()

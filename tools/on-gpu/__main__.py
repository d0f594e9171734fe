# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs kernels with operands and expected results, for a machine that has a GPU and neither gridir nor JAX.

    python tools/on-gpu PACK                        # the examples of the repository
    python tools/on-gpu PACK --files a.py b.py:f    # files as gridir run takes them
    python tools/jax-conformance CHECKOUT mosaic_gpu_test --device gpu --through ptx --record PACK/cases --every 10

There, `python PACK/run.py PACK` launches them.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import gridir
from capture import Capture, capturing
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute

ROOT = Path(__file__).parents[2]
EXAMPLES = (ROOT / "examples", ROOT / "examples" / "mosaic_gpu")


def pack_files(files: list[str], chip: str) -> None:
    """Runs functions of files in the executor of PTX."""
    from gridir.cli.example import load_example

    for file in files:
        path, _, name = file.partition(":")
        try:
            example = load_example(path, name or None, None)
            import jax

            jax.block_until_ready(
                execute(example.function, example.args, get_target(f"gpu:{chip}")).function(*example.args)
            )
            print(f"{file}: packed", flush=True)
        except (gridir.Error, NotImplementedError) as error:
            print(f"{file}: left out: {str(error).splitlines()[0]}", flush=True)


def copy_library(pack: Path) -> None:
    """Copies the runner, and the part of gridir that it imports."""
    source = Path(gridir.__file__).parent
    library = pack / "lib" / "gridir"
    for name in ("__init__.py", "errors.py", "host.py", "runtime/__init__.py"):
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, library / name)
    shutil.copytree(source / "runtime" / "gpu", library / "runtime" / "gpu", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__", "native"))  # fmt: skip
    shutil.copy(Path(__file__).with_name("run.py"), pack / "run.py")


def report(capture: Capture, pack: Path) -> None:
    """Prints what the pack holds."""
    size = sum(path.stat().st_size for path in pack.rglob("*") if path.is_file())
    print(f"{pack}: {capture.kept} launches, {size / 1e6:.1f} MB")
    for name, count in capture.left_out.items():
        print(f"  {name}: {count} launches left out, whose operands are too large")


def main() -> None:
    """Packs what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--files", nargs="*", default=[])
    parser.add_argument("--chip", nargs="*", default=["sm_90a"])
    args = parser.parse_args()
    files = args.files or [str(x) for folder in EXAMPLES for x in sorted(folder.glob("*.py"))]
    with capturing(args.pack / "cases") as capture:
        for chip in args.chip:
            pack_files(files, chip)
    copy_library(args.pack)
    report(capture, args.pack)


if __name__ == "__main__":
    main()

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repeats recorded launches, and compares every byte with their results when JAX's test passed.

    python tools/jax-conformance JAX_CHECKOUT mosaic_gpu_test --peer-ptx --every 10 --record corpus
    python tools/jax-conformance/replay.py corpus --checks races,uninitialized --schedule-seed 1

Neither JAX nor its tests are needed for the second. The exit status is 1 when a launch fails or writes something else.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from gridir.errors import Error
from gridir.runtime.ptx import read_recording


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="tools/jax-conformance/replay.py", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("corpus", type=Path, help="the directory of the recordings")
    parser.add_argument("--checks", default="", help="the checks of launches, for example `races,uninitialized`")
    parser.add_argument("--schedule-seed", type=int, help="the seed of the order of threads and copies")
    parser.add_argument("--timeout", type=float, default=120.0, help="time limit of one launch, in seconds")
    return parser.parse_args()


def replay(path: Path, options: dict[str, Any]) -> list[str]:
    """Returns the faults of a launch; none if it writes the recorded bytes."""
    try:
        return read_recording(path).replay(**options)
    except Error as error:
        return [str(error)]


def main() -> int:
    """Replays all."""
    arguments = parse()
    paths = sorted(arguments.corpus.glob("*.npz"))
    if not paths:
        raise SystemExit(f"expected recordings (*.npz) in {arguments.corpus}, got none")
    options: dict[str, Any] = {"timeout": arguments.timeout, "schedule_seed": arguments.schedule_seed}
    options["checks"] = [check for check in arguments.checks.split(",") if check]
    start, failed = time.perf_counter(), 0
    for path in paths:
        if wrong := replay(path, options):
            failed += 1
            print(f"{path.name}: {'; '.join(wrong)}", flush=True)
    print(f"{len(paths) - failed} of {len(paths)} launches write what they wrote; {time.perf_counter() - start:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())

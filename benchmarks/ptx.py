# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the executor of PTX on examples: without checks, with each, and with a seed.

One process, one run: the ways of a kernel take turns, and the table has the least CPU time of each, and its ratio to
the one without checks; also how many instructions of threads a second of CPU time executes without them. The last
column has how much longer a launch takes by the clock on one core than on all.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import time
from statistics import geometric_mean
from typing import Any

import jax
import numpy as np
from gridir import GpuOptions, lower
from gridir.cli.example import load_example
from gridir.runtime.ptx import profiling

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
EXAMPLES_TIMED = [
    "softmax",
    "layer_norm",
    "matmul_bf16",
    "mosaic_gpu/tma_add",
    "mosaic_gpu/wgmma_matmul",
    "mosaic_gpu/warp_specialized_attention",
    "mosaic_gpu/tcgen05_matmul:sm_100a",
]
WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "races": {"checks": ("races",)},
    "both checks": {"checks": ("races", "uninitialized")},
    "seed": {"schedule_seed": 1},
}


def time_example(name: str, chip: str, repetitions: int) -> tuple[dict[str, float], dict[int, float], int]:
    """Times the launch of an example.

    Returns:
      The least milliseconds in each way, those by the clock on each number of cores, and the number of instructions
      that its threads execute.
    """
    example = load_example(str(EXAMPLES / f"{name}.py"), None)
    outputs = jax.tree.leaves(jax.eval_shape(example.function, *example.args))
    inputs = [np.array(x) for x in jax.tree.leaves(example.args)]
    best = dict.fromkeys(WAYS, float("inf"))
    processors = os.sched_getaffinity(0)
    clock = {1: float("inf"), len(processors): float("inf")}
    kernels = {}
    for way, options in WAYS.items():
        lowered = lower(example.function, *example.args, options=GpuOptions(chip=chip, **options), target="gpu")
        kernels[way] = lowered.kernels[0].prepare()
    with profiling() as launches:
        kernels["plain"].launch([*inputs, *(np.zeros(x.shape, x.dtype) for x in outputs)])
    executed = sum(profile.total.threads for _, profile in launches)
    for _ in range(repetitions):
        for way, kernel in kernels.items():
            buffers = [*inputs, *(np.zeros(x.shape, x.dtype) for x in outputs)]
            start = time.process_time()
            kernel.launch(buffers)
            best[way] = min(best[way], (time.process_time() - start) * 1e3)
        for cores in clock:
            os.sched_setaffinity(0, sorted(processors)[:cores])
            start = time.perf_counter()
            kernels["plain"].launch(buffers)
            clock[cores] = min(clock[cores], (time.perf_counter() - start) * 1e3)
    return best, clock, executed


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=EXAMPLES_TIMED, help="examples, or NAME:CHIP for another chip")
    parser.add_argument("--chip", default="sm_90a", help="what the kernels are compiled for (default: sm_90a)")
    parser.add_argument("--repetitions", type=int, default=5, help="how often each is timed (default: 5)")
    arguments = parser.parse_args()
    others = [way for way in WAYS if way != "plain"]
    print(
        f"| kernel | plain ms | G instructions/s | {' | '.join(f'{way} / plain' for way in others)} | one core / all |"
    )
    print("| --- |" + " ---: |" * (len(WAYS) + 2))
    rows = []
    for name in arguments.names:
        name, _, chip = name.partition(":")
        best, clock, executed = time_example(name, chip or arguments.chip, arguments.repetitions)
        rows.append([*(best[way] / best["plain"] for way in others), clock[1] / clock[max(clock)]])
        cells = [f"{best['plain']:.1f}", f"{executed / best['plain'] / 1e6:.2f}", *(f"{x:.1f}" for x in rows[-1])]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"| geometric mean | | | {' | '.join(f'{geometric_mean(x):.1f}' for x in zip(*rows, strict=True))} |")


if __name__ == "__main__":
    main()

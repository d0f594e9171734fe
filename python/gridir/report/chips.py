# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peak rates of a roofline: manufacturers' figures of chips, and measured rates of this CPU."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import os
import time
from collections.abc import Callable

import jax
import numpy as np

from gridir.runtime.chips import find_facts


@dataclasses.dataclass(frozen=True)
class Peak:
    """The peak rates of a chip.

    Attributes:
      name: the chip as people know it.
      flops: floating-point operations in a second.
      bandwidth: bytes between its memory and its cores in a second.
      of: the kind of operations, and the source of the numbers.
    """

    name: str
    flops: float
    bandwidth: float
    of: str


_KINDS = {
    "tpu": "dense products of bf16, as Google states them",
    "gpu": "dense products of f16 on tensor cores, as NVIDIA states them",
}


def peak_of(target: str) -> Peak | None:
    """Returns the peak of a chip, such as "gpu:sm_90a"; None if its figures are unknown."""
    facts = find_facts(target)
    if "product" not in facts:
        return None
    return Peak(facts["product"], float(facts["flops"]), float(facts["bandwidth"]), _KINDS[target.partition(":")[0]])


def measured_cpu(size: int = 1024, working_set: int = 128 << 20) -> Peak:
    """Measures this machine: a product of f32 matrices by XLA, and a copy by NumPy on all processors.

    Args:
      size: of the matrices.
      working_set: the bytes of both arrays of the copy: data in caches is copied faster than other data. It is
        taken for a power of two, of 64 KiB to 128 MiB.
    """
    rounded = 1 << max(working_set - 1, 0).bit_length()
    return _measured_cpu(size, min(max(rounded, 64 << 10), 128 << 20))


@functools.lru_cache
def _measured_cpu(size: int, working_set: int) -> Peak:
    matrix = jax.numpy.ones((size, size), jax.numpy.float32)
    product = jax.jit(lambda x: x @ x).lower(matrix).compile()
    product_seconds = min(_seconds(lambda: product(matrix).block_until_ready()) for _ in range(10))
    # Each processor copies a separate part, with enough repetitions that the overhead of a call is negligible.
    workers = len(os.sched_getaffinity(0))
    parts = [np.ones((2, working_set // 8 // workers), np.float32) for _ in range(workers)]
    repeats = max((32 << 20) // working_set, 1)

    def copy(part: np.ndarray) -> None:
        for _ in range(repeats):
            np.copyto(part[1], part[0])

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        copy_seconds = min(_seconds(lambda: list(pool.map(copy, parts))) for _ in range(5)) / repeats
    moved = sum(part.nbytes for part in parts)
    of = (
        f"measured: XLA's product of {size}x{size} f32 matrices, and NumPy's copy within {working_set >> 10} KiB on "
        f"{workers} processors"
    )
    return Peak("this CPU", 2 * size**3 / product_seconds, moved / copy_seconds, of)


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start

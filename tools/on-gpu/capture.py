# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps launches of the executor of PTX: the kernel, the operands before, and the operands after."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gridir.runtime.gpu.host_arrays import observing
from gridir.runtime.gpu.launch import Launch


class Capture:
    """Writes launches to a directory, each text with each operands once.

    Args:
      directory: is made if it is not there.
      largest: bytes of operands up to which a launch is kept.

    Attributes:
      kept: how many launches are there.
      left_out: how many were too large, by the names of the kernels.
      calls: the file of each launch in order; None for one that was left out or is there already.
    """

    def __init__(self, directory: Path, largest: int):
        directory.mkdir(parents=True, exist_ok=True)
        self._directory, self._largest = directory, largest
        self._known: set[str] = set()
        self.kept = 0
        self.left_out: dict[str, int] = {}
        self.calls: list[Path | None] = []

    def keep(self, image: bytes, launch: Launch, before: Sequence[np.ndarray], after: Sequence[np.ndarray]) -> None:
        """Writes a launch, unless an equal one is there."""
        self.calls.append(None)
        if sum(x.nbytes for x in before) > self._largest:
            self.left_out[launch.entry] = self.left_out.get(launch.entry, 0) + 1
            return
        digest = hashlib.sha256(image)
        for array in before:
            digest.update(array.tobytes())
        key = digest.hexdigest()[:16]
        if key in self._known:
            return
        self._known.add(key)
        path = self._directory / f"{launch.entry[:48]}-{key}.npz"
        write_case(path, image, launch, before, after)
        self.calls[-1] = path
        self.kept += 1


def write_case(
    path: Path, image: bytes, launch: Launch, before: Sequence[np.ndarray], after: Sequence[np.ndarray]
) -> None:
    """Writes a launch as the runner reads it: arrays of bytes, and their types as JSON."""
    first = {id(array): number for number, array in reversed(list(enumerate(after)))}
    found = re.search(rb"\.target (\w+)", image)
    head: dict[str, Any] = {
        "launch": launch.to_json(),
        "chip": found[1].decode() if found else "",
        # An operand in the memory of an earlier one has its number.
        "operands": [
            {"dtype": x.dtype.name, "shape": list(x.shape), "memory": first[id(y)]}
            for x, y in zip(before, after, strict=True)
        ],
    }
    arrays = {"head": _to_bytes(json.dumps(head).encode()), "ptx": _to_bytes(image)}
    for number, (x, y) in enumerate(zip(before, after, strict=True)):
        arrays[f"before{number}"] = _to_bytes(x.tobytes())
        if x.tobytes() != y.tobytes():
            arrays[f"after{number}"] = _to_bytes(y.tobytes())
    np.savez_compressed(path, allow_pickle=False, **arrays)


def _to_bytes(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)


@contextlib.contextmanager
def capturing(directory: Path, largest: int) -> Iterator[Capture]:
    """Keeps the launches of this process while the context is entered; see `Capture`."""
    capture = Capture(directory, largest)
    with observing(capture.keep):
        yield capture

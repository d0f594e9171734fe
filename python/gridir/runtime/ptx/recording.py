# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that are kept in files, and made again in another process.

Memory is at other addresses there. A word of 8 bytes of an argument, of a tensor map or of the memory itself that is an
address of one of the arrays is one of the new array when the launch is made again.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gridir.errors import Error
from gridir.reading import check_fields, check_items, reading
from gridir.runtime.ptx.module import load

_ALIGNMENT = 256
"""Of allocations of a GPU, in bytes."""
_WORD = 8
_LAUNCH = {
    "grid": list, "block": list, "cluster": (list, type(None)), "shared_bytes": int, "blocks_at_once": int,
}  # fmt: skip
"""The options of a launch, and their types in JSON."""


class RecordingError(Error):
    """A file holds no launch."""


@dataclasses.dataclass(frozen=True)
class Recording:
    """A launch, with all that it read and wrote.

    Attributes:
      function: the name of the entry.
      text: the PTX.
      launch: keyword arguments of `Function.launch`: the grid, the block, the cluster, shared memory, blocks at once.
      bases: the address of each array of memory.
      arguments: the bytes of each.
      memory: the arrays before the launch, as bytes.
      after: the arrays after it.
    """

    function: str
    text: str = dataclasses.field(repr=False)
    launch: dict[str, Any]
    bases: tuple[int, ...]
    arguments: tuple[np.ndarray, ...] = dataclasses.field(repr=False)
    memory: tuple[np.ndarray, ...] = dataclasses.field(repr=False)
    after: tuple[np.ndarray, ...] = dataclasses.field(repr=False)

    def save(self, path: str | pathlib.Path) -> None:
        """Writes an .npz file; of arrays that the launch has left as they were there is one."""
        arrays: dict[str, Any] = {f"argument_{i}": x for i, x in enumerate(self.arguments)}
        arrays |= {f"memory_{i}": x for i, x in enumerate(self.memory)}
        pairs = zip(self.memory, self.after, strict=True)
        arrays |= {f"after_{i}": y for i, (x, y) in enumerate(pairs) if not np.array_equal(x, y)}
        known = {"function": self.function, "text": self.text, "launch": self.launch, "bases": self.bases}
        np.savez_compressed(path, about=np.array(json.dumps(known)), **arrays)

    def replay(self, **options: Any) -> list[str]:
        """Repeats the launch.

        Args:
          **options: further ones of `Function.launch`, as `checks`; they replace those of the recording.

        Returns:
          The differences from the recorded output, one array for each array; none where all bytes are the same.

        Raises:
          PtxError: for features that the executor does not support.
          LaunchError: as `Function.launch`.
        """
        memory = [_align(x) for x in self.memory]
        expected = [x.copy() for x in self.after]
        arguments = [x.copy() for x in self.arguments]
        for data in (*memory, *expected, *arguments):
            self._move_addresses(data, memory)
        function = load(self.text).function(self.function)
        function.launch([x.tobytes() for x in arguments], **{**self.launch, "memory": memory, **options})
        return list(_describe_differences(memory, expected))

    def _move_addresses(self, data: np.ndarray, memory: Sequence[np.ndarray]) -> None:
        """Replaces the addresses in some bytes by those of other arrays."""
        words = data[: data.size // _WORD * _WORD].view(np.uint64)
        found = words.copy()
        for base, array in zip(self.bases, memory, strict=True):
            inside = words - np.uint64(base) < np.uint64(array.size)
            found[inside] = words[inside] - np.uint64(base) + np.uint64(array.ctypes.data)
        words[:] = found


def read_recording(path: str | pathlib.Path) -> Recording:
    """Reads a file that `Recording.save` wrote.

    Raises:
      RecordingError: when it is none.
    """
    with reading(RecordingError, f"expected a recorded launch, got {path}"), np.load(path) as file:
        known = json.loads(str(file["about"]))
        check_fields(known, {"function": str, "text": str, "launch": dict, "bases": list})
        check_fields(known["launch"], _LAUNCH)
        check_items("bases", known["bases"], int)
        for name in ("grid", "block", "cluster"):
            check_items(name, known["launch"][name] or [], int)
        count = len(known["bases"])
        memory = tuple(_bytes(file, f"memory_{i}") for i in range(count))
        after = tuple(_bytes(file, f"after_{i}") if f"after_{i}" in file else memory[i] for i in range(count))
        if [x.size for x in memory] != [x.size for x in after]:
            raise RecordingError(f"expected memory of the same sizes after the launch, got {path}")
        arguments = tuple(_bytes(file, f"argument_{i}") for i in range(sum(x.startswith("argument_") for x in file)))
        launch = {name: tuple(value) if isinstance(value, list) else value for name, value in known["launch"].items()}
        return Recording(known["function"], known["text"], launch, tuple(known["bases"]), arguments, memory, after)


def _bytes(file: Any, name: str) -> np.ndarray:
    array = file[name]
    if array.dtype != np.uint8 or array.ndim != 1:
        raise RecordingError(f"expected bytes as {name}, got {array.dtype}{list(array.shape)}")
    return array


def leave_out_parts(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The arrays that are not in the memory of another one, as an input is that is an output, too."""
    kept: list[np.ndarray] = []
    for array in sorted(arrays, key=lambda x: (x.ctypes.data, -x.nbytes)):
        if not kept or array.ctypes.data + array.nbytes > kept[-1].ctypes.data + kept[-1].nbytes:
            kept.append(array)
    return kept


def _align(data: np.ndarray) -> np.ndarray:
    """A copy that is aligned as allocations of a GPU are."""
    space = np.empty(data.size + _ALIGNMENT, np.uint8)
    result = space[-space.ctypes.data % _ALIGNMENT :][: data.size]
    result[:] = data
    return result


def _describe_differences(memory: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> Iterator[str]:
    for i, (have, want) in enumerate(zip(memory, expected, strict=True)):
        if different := np.flatnonzero(have != want).tolist():
            yield f"memory {i}: {len(different)} of {have.size} bytes differ, the first one is {different[0]}"

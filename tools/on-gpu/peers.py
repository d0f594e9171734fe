# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds the code of JAX's own pipeline for GPUs to launches of a pack.

    python tools/on-gpu/peers.py CHIP < launches.json

The input has the cases of each file, in the order of its launches. The functions of the files run in JAX's pipeline,
whose host code launches on the stand-in driver. A launch there becomes a description like gridir's own.
"""

from __future__ import annotations

import json
import math
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
_MAP = struct.Struct("<4IQ10I4QI")
"""A tensor map of the stand-in driver (TensorMap.h): magic, bytes of an element, rank, swizzle, address, sizes, box,
strides, and the kind of element."""
_MAP_MAGIC, _MAP_BYTES = 0x50414D54, 128
_MAP_TYPES = {
    (1, 2): "uint8", (2, 2): "uint16", (4, 2): "uint32", (4, 3): "int32", (8, 2): "uint64", (8, 3): "int64",
    (2, 4): "float16", (4, 4): "float32", (8, 4): "float64", (2, 5): "bfloat16",
}  # fmt: skip


def map_of(data: bytes, operands: Sequence[int]) -> dict[str, Any]:
    """Returns the fields of a tensor map of the stand-in driver.

    Raises:
      ValueError: for other data, and for a map that does not begin where an operand does.
    """
    magic, item, rank, swizzle, address, *rest = _MAP.unpack(data[: _MAP.size])
    if magic != _MAP_MAGIC:
        raise ValueError(f"an argument of {len(data)} bytes that is no tensor map")
    if address not in operands:
        raise ValueError("a tensor map of a part of an operand")
    sizes, box, strides, kind = rest[:rank], rest[5 : 5 + rank], rest[10 : 10 + rank - 1], rest[14]
    return {
        "operand": list(operands).index(address),
        "dtype": _MAP_TYPES[item, kind],
        "shape": sizes[::-1],
        "strides": [*strides[::-1], item],
        "box": box[::-1],
        "swizzle": swizzle,
    }


def parameter_of(data: bytes, operands: Sequence[int], memory: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Returns the parameter of a launch that an argument is: maps, an operand, or a number.

    Args:
      data: the argument.
      operands: the address of each operand.
      memory: begin and end of each allocation.

    Raises:
      ValueError: for an address that is not that of an operand.
    """
    if data and len(data) % _MAP_BYTES == 0:
        parts = [data[begin : begin + _MAP_BYTES] for begin in range(0, len(data), _MAP_BYTES)]
        return {"maps": [map_of(part, operands) for part in parts]}
    if len(data) > 8:
        raise ValueError(f"an argument of {len(data)} bytes")
    value = int.from_bytes(data, "little")
    if len(data) == 8 and value in operands:
        return {"operand": list(operands).index(value)}
    if len(data) == 8 and any(begin <= value < end for begin, end in memory):
        raise ValueError("an address of memory that is not an operand")
    return {"value": value}


def describe(recording: Any, operands: Sequence[int]) -> dict[str, Any]:
    """Returns the launch of a recording as the runner of a pack makes it.

    Raises:
      ValueError: for arguments that are not operands, tensor maps or numbers.
    """
    spans = [(base, base + x.size) for base, x in zip(recording.bases, recording.memory, strict=True)]
    sizes = {name: [*recording.launch[name]] for name in ("grid", "block")}
    sizes["cluster"] = [*(recording.launch["cluster"] or (1, 1, 1))]
    launch = {
        "entry": recording.function,
        "threads": math.prod(sizes["block"]),
        "ctas": math.prod(sizes["grid"]),
        "dynamic_ctas": None,
        "parameters": [],
        "cluster_ctas": math.prod(sizes["cluster"]),
        "shared_bytes": recording.launch["shared_bytes"],
        "cancels_clusters": False,
        "packed_operands": [],
        "updates_parts_of_words": False,
        "register_products": False,
        "diagnostics": [],
    }
    parameters = [parameter_of(x.tobytes(), operands, spans) for x in recording.arguments]
    return {"launch": launch, "parameters": parameters, **sizes}


def add_peer(path: Path, text: str, peer: dict[str, Any]) -> None:
    """Writes the code of another compiler to a case."""
    with np.load(path) as case:
        arrays = {name: case[name] for name in case.files}
    head = json.loads(arrays["head"].tobytes()) | {"peer": peer}
    arrays |= {"head": np.frombuffer(json.dumps(head).encode(), np.uint8)}
    arrays |= {"peer_ptx": np.frombuffer(text.encode(), np.uint8)}
    np.savez_compressed(path, allow_pickle=False, **arrays)


def observe(driver: Any, made: list[tuple[str, dict[str, Any] | str]]) -> None:
    """Keeps the text and the description of each launch of the stand-in driver, or the reason why there is none."""

    def record(recording: Any) -> None:
        operands = [array.ctypes.data for array in driver.named]
        try:
            made.append((recording.text, describe(recording, operands)))
        except (ValueError, KeyError) as error:
            made.append((recording.text, str(error)))

    driver.recorder = record


def main() -> None:
    """Runs the files of standard input in JAX's pipeline."""
    launches, chip = json.load(sys.stdin), sys.argv[1]
    sys.path.insert(0, str(ROOT / "tools" / "jax-conformance"))
    import peer
    from gridir.runtime.ptxas.peer import PeerError

    try:
        pipeline = peer.Pipeline()
    except PeerError as error:
        print(f"no code of JAX's pipeline: {error.message}")
        return
    from gridir.cli.example import load_example
    from gridir.runtime.gpu.chips import capability_of

    pipeline.driver.pretend(*capability_of(chip)[0])
    peer.replace_lowering(pipeline)
    import jax

    made: list[tuple[str, dict[str, Any] | str]] = []
    observe(pipeline.driver, made)
    for file, cases in launches.items():
        del made[:]
        path, _, name = file.partition(":")
        try:
            example = load_example(path, name or None, None)
            jax.block_until_ready(jax.jit(example.function)(*example.args))
        except Exception as error:
            print(f"{file}: no code of JAX's pipeline: {str(error).splitlines()[0]}", flush=True)
            continue
        if len(made) != len(cases):
            print(f"{file}: expected {len(cases)} launches by JAX's pipeline, got {len(made)}", flush=True)
            continue
        for case, (text, launch) in zip(cases, made, strict=True):
            if isinstance(launch, str):
                print(f"{file}: no code of JAX's pipeline: {launch}", flush=True)
            elif case is not None:
                add_peer(Path(case), text, launch)
                print(f"{Path(case).stem}: with JAX's code", flush=True)


if __name__ == "__main__":
    main()

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file of a record: a zip archive of JSON, MLIR bytecode and NumPy's arrays. Reading it executes no code from it.

`record.json` has the format and its version, the scalars and strings of the record, and a list of the arrays. A reader
rejects an unknown version, field or member, so that it never runs anything but the recorded call.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import math
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import ml_dtypes
import numpy as np

from gridir.errors import Error
from gridir.reading import reading
from gridir.recording.record import Record, draw, is_drawn

FORMAT, VERSION = "gridir-record", 1
SUFFIX = ".gridir"

# The largest size of an unpacked archive, so that a small file cannot exhaust memory.
_LIMIT = 2 << 30

_DESCRIPTION, _MODULE = "record.json", "module.mlirbc"
_FIELDS = {
    "name": str,
    "target": str,
    "options": dict,
    "oracle": str,
    "aliases": list,
    "passes": (str, type(None)),
    "right_passes": (str, type(None)),
    "seed": (int, type(None)),
    "seconds": (int, float),
    "source": (str, type(None)),
    "program": str,
    "versions": dict,
}
# Fields that few records have, and that older releases do not know.
_OPTIONAL = {"error": str}
# Fields of older releases, which have no meaning now.
_FORMER = ("has_warpgroups",)
_ARRAYS = ("operands", "results", "exact", "samples")


class RecordError(Error, ValueError):
    """A file is no record, is broken, or is of a version that this release does not know."""


def save(record: Record, file: str | os.PathLike[str] | BinaryIO) -> None:
    """Writes a record to a file, which is there whole or not at all."""
    if not isinstance(file, (str, os.PathLike)):
        _write(record, file)
        return
    path = Path(file)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "wb") as stream:
            _write(record, stream)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _write(record: Record, stream: BinaryIO) -> None:
    # Operands that the seed reproduces are not written, but their types are.
    drawn = {i for i, x in enumerate(record.operands) if record.seed is not None and is_drawn(x)}
    arrays: dict[str, Sequence[np.ndarray]] = {"operands": record.operands, "results": record.results}
    if record.wide is not None:
        arrays["exact"], arrays["samples"] = zip(*record.wide, strict=True) if record.wide else ((), ())
    description: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    description |= {name: getattr(record, name) for name in _FIELDS}
    description |= {name: value for name in _OPTIONAL if (value := getattr(record, name))}
    description["aliases"] = sorted(record.aliases.items())
    description["arrays"] = {
        group: [{"dtype": x.dtype.name, "shape": list(x.shape)} for x in members] for group, members in arrays.items()
    }
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(_DESCRIPTION, json.dumps(description, indent=1))
        archive.writestr(_MODULE, record.module)
        for group, members in arrays.items():
            for number, array in enumerate(members):
                if group != "operands" or number not in drawn:
                    archive.writestr(f"{group}/{number}.npy", _to_npy(array))


def _to_npy(array: np.ndarray) -> bytes:
    # Types that NumPy does not know itself are written as their bytes; the description has the type.
    stored = np.ascontiguousarray(array)
    if not _is_numpys(array.dtype):
        stored = stored.reshape(array.shape).view(np.dtype(f"u{array.dtype.itemsize}"))
    buffer = io.BytesIO()
    np.save(buffer, stored.reshape(array.shape), allow_pickle=False)
    return buffer.getvalue()


def _is_numpys(dtype: np.dtype) -> bool:
    return dtype.kind in "biufc" and dtype.name in np.sctypeDict


def load(file: str | os.PathLike[str] | BinaryIO) -> Record:
    """Reads a record.

    Args:
      file: a path, or a binary stream.

    Raises:
      RecordError: when the file is no record, is broken, or is of a version that this release does not know.
      OSError: when it cannot be opened.
    """
    name = getattr(file, "name", "the stream") if not isinstance(file, (str, os.PathLike)) else os.fspath(file)
    try:
        # A file that cannot be opened is no record error, but OSError of a broken archive is.
        with contextlib.ExitStack() as stack:
            stream = stack.enter_context(open(file, "rb")) if isinstance(file, (str, os.PathLike)) else file
            with reading(RecordError, "expected a record of a kernel"), zipfile.ZipFile(stream) as archive:
                return _read(archive)
    except RecordError as error:
        raise RecordError(f"{name}: {error.message}", notes=error.notes) from None


def _read(archive: zipfile.ZipFile) -> Record:
    sizes = {info.filename: info.file_size for info in archive.infolist()}
    if sum(sizes.values()) > _LIMIT:
        raise RecordError(f"expected a record of at most {_LIMIT} bytes, got {sum(sizes.values())}")
    if len(sizes) != len(archive.infolist()):
        raise RecordError("expected members with names of their own, got one twice")
    if _DESCRIPTION not in sizes:
        raise RecordError(f"expected a record of a kernel, got an archive without {_DESCRIPTION}")
    description = json.loads(archive.read(_DESCRIPTION).decode())
    _check(description)
    arrays = {group: tuple(_entry(entry) for entry in entries) for group, entries in description.pop("arrays").items()}
    values = {key: description[key] for key in (*_FIELDS, *_OPTIONAL) if key in description}
    values["aliases"] = _aliases(values["aliases"], arrays)
    known, found = {_DESCRIPTION, _MODULE}, {}
    for group, types in arrays.items():
        members = []
        for number, (dtype, shape) in enumerate(types):
            member = f"{group}/{number}.npy"
            known.add(member)
            if member in sizes:
                members.append(_from_npy(archive.read(member), member, dtype, shape))
            elif group == "operands" and values["seed"] is not None:
                members.append(np.zeros(shape, dtype))
            else:
                raise RecordError(f"expected a member {member}, got none")
        found[group] = tuple(members)
    if unknown := sorted(set(sizes) - known):
        raise RecordError(f"expected members that version {VERSION} has, got {unknown[0]!r}")
    wide = None
    if "exact" in found:
        wide = tuple(zip(found.pop("exact"), found.pop("samples"), strict=True))
    record = Record(module=archive.read(_MODULE), wide=wide, **found, **values)
    return record if record.seed is None else dataclasses.replace(record, operands=draw(record.operands, record.seed))


def _check(description: Any) -> None:
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise RecordError(f"expected format {FORMAT!r}, got another file")
    version = description.get("version")
    if version != VERSION:
        raise RecordError(f"expected a record of version {VERSION}, got version {version!r}")
    fields = {"format", "version", "arrays", *_FIELDS}
    for name in sorted((set(description) - {*_OPTIONAL, *_FORMER}) ^ fields):
        state = "without" if name in fields else "with"
        raise RecordError(f"expected the fields of version {VERSION}, got a record {state} {name!r}")
    for name, kind in (_FIELDS | {name: kind for name, kind in _OPTIONAL.items() if name in description}).items():
        if not isinstance(description[name], kind) or (isinstance(description[name], bool) and kind is not bool):
            raise RecordError(f"expected a field {name!r} of another type, got {description[name]!r}")
    arrays = description["arrays"]
    if not isinstance(arrays, dict) or not {"operands", "results"} <= set(arrays) <= set(_ARRAYS):
        raise RecordError(f"expected arrays among {', '.join(_ARRAYS)}, got {arrays!r:.80}")
    if ("exact" in arrays) != ("samples" in arrays):
        raise RecordError("expected exact results with their samples, got one of the two")


def _entry(entry: Any) -> tuple[np.dtype, tuple[int, ...]]:
    """The type of an array that the description has."""
    try:
        name, shape = entry["dtype"], tuple(entry["shape"])
        dtype = np.dtype(getattr(ml_dtypes, name, name))
    except (TypeError, KeyError, AttributeError):
        raise RecordError(f"expected a dtype and a shape, got {entry!r:.80}") from None
    if dtype.hasobject or dtype.kind not in "biufcV" or dtype.fields or not all(isinstance(n, int) for n in shape):
        raise RecordError(f"expected a dtype and a shape, got {entry!r:.80}")
    if any(n < 0 for n in shape) or math.prod(shape) * dtype.itemsize > _LIMIT:
        raise RecordError(f"expected sizes that memory can hold, got {list(shape)}")
    return dtype, shape


def _aliases(pairs: list[Any], arrays: dict[str, Any]) -> dict[int, int]:
    limits = len(arrays["operands"]), len(arrays["results"])
    for pair in pairs:
        is_pair = isinstance(pair, list) and len(pair) == 2 and all(isinstance(n, int) for n in pair)
        if not is_pair or not all(0 <= n < limit for n, limit in zip(pair, limits, strict=True)):
            raise RecordError(f"expected pairs of an operand and a result, got {pair!r:.80}")
    return dict(pairs)


def _from_npy(content: bytes, member: str, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    array = np.load(io.BytesIO(content), allow_pickle=False)
    stored = dtype if _is_numpys(dtype) else np.dtype(f"u{dtype.itemsize}")
    if array.dtype != stored or array.shape != shape:
        raise RecordError(f"expected {stored}{list(shape)} in {member}, got {array.dtype}{list(array.shape)}")
    return array.view(dtype)

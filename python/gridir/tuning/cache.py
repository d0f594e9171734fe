# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cache of outcomes in files, which several processes may share."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

_FORMAT = 2
"""Changes where the records, or the way in which they are made, change."""


def default_directory() -> Path:
    """Returns the directory of the cache: GRIDIR_TUNING_CACHE, or one in the user's cache directory."""
    if chosen := os.environ.get("GRIDIR_TUNING_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "gridir" / "tuning"


class Cache:
    """Records by key, one file for each.

    A file is written under another name and then renamed, so that another process never sees a partial file.
    """

    def __init__(self, directory: str | os.PathLike[str] | None):
        """Opens a cache; without a directory it is empty and stays so."""
        self._directory = None if directory is None else Path(directory) / f"v{_FORMAT}"

    def get(self, key: str, read: Callable[[Any], T]) -> T | None:
        """Returns the record of a key; None if there is none, or its file is damaged.

        Args:
          key: the key.
          read: makes the record of its JSON form, and raises ValueError for another form.
        """
        if self._directory is None:
            return None
        try:
            return read(json.loads(self._path(key).read_text(encoding="utf-8")))
        except (OSError, ValueError, RecursionError):
            return None

    def put(self, key: str, record: dict[str, Any]) -> None:
        """Stores the record of a key. If the disk is full or read-only, the cache does not change."""
        self._write(key, record, os.replace)

    def agree(self, key: str, record: dict[str, Any], read: Callable[[Any], T]) -> T:
        """Stores the record of a key unless there is one; returns the one that is stored, for all processes the same.

        Args:
          key: the key.
          record: the JSON form of the record.
          read: see `get`.
        """
        self._write(key, record, os.link)
        found = self.get(key, read)
        if found is None:
            # The file is damaged, or cannot be written.
            self.put(key, record)
        return read(record) if found is None else found

    def _write(self, key: str, record: dict[str, Any], move: Callable[[str, Path], None]) -> None:
        if self._directory is None:
            return
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(record, file)
                move(name, path)
            finally:
                # An interrupted process leaves no file either.
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name)

    def _path(self, key: str) -> Path:
        assert self._directory is not None
        return self._directory / key[:2] / f"{key}.json"

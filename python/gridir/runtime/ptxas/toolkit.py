# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The location of a CUDA toolkit: named by the environment, installed from PyPI, on PATH, or in the usual directory."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


def find_ptxas() -> str | None:
    """Returns the path of `ptxas`, or None. `pip install 'gridir[gpu]'` brings one; GRIDIR_PTXAS names another."""
    return _find_program("ptxas")


def find_all_ptxas() -> list[str]:
    """Returns the paths of all `ptxas` of this machine, first the one of `find_ptxas`."""
    first = find_ptxas()
    others = [shutil.which("ptxas", path=str(root / "bin")) for root in _toolkits()]
    paths = [path for path in (first, *others, shutil.which("ptxas")) if path is not None]
    return list({os.path.realpath(path): path for path in reversed(paths)}.values())[::-1]


def find_nvdisasm() -> str | None:
    """Returns the path of `nvdisasm`, or None. `gridir[report]` brings one; GRIDIR_NVDISASM names another."""
    return _find_program("nvdisasm")


def _find_program(name: str) -> str | None:
    if named := os.environ.get(f"GRIDIR_{name.upper()}"):
        return shutil.which(named)
    for root in _toolkits():
        if path := shutil.which(name, path=str(root / "bin")):
            return path
    return shutil.which(name)


def find_libdevice_toolkit() -> str | None:
    """Returns the directory of a toolkit that holds libdevice, or None."""
    for root in _toolkits():
        if any((root / "nvvm" / "libdevice").glob("libdevice.*.bc")):
            return str(root)
    return None


def _toolkits() -> Iterator[Path]:
    for variable in ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"):
        if value := os.environ.get(variable):
            yield Path(value)
    # NVIDIA's packages on PyPI share the namespace `nvidia`, and a directory for each major version.
    spec = importlib.util.find_spec("nvidia")
    for root in (spec.submodule_search_locations or []) if spec else []:
        yield from sorted(Path(root).glob("cu[0-9]*"), reverse=True)
        yield Path(root) / "cuda_nvcc"
    yield Path("/usr/local/cuda")

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's own pipeline from Mosaic GPU to PTX: gridir is compared with it, and its executor runs its PTX.

The pipeline is in the wheels of JAX's CUDA plugin (`pip install 'gridir[peer]'`) and needs no GPU. It passes its PTX to
`ptxas` and the result to the driver: a stand-in for the one passes the text on, a stand-in for the other keeps or runs
it.
"""

from __future__ import annotations

import ctypes
import dataclasses
import hashlib
import importlib.util
import mmap
import os
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gridir.errors import Error
from gridir.runtime.ptxas.toolkit import find_libdevice_toolkit, find_ptxas

PLUGIN = "jax_plugins.xla_cuda13"
"""The package of JAX's CUDA plugin."""
PTX_DIRECTORY = "GRIDIR_PTX_DIRECTORY"
"""The variable of the environment that names a directory, to which the stand-in of `ptxas` copies its texts."""
_RUNTIME = "jax_cuda13_plugin"

# The ELF records of a section and of a symbol.
_SECTION = np.dtype(
    [
        ("name", "<u4"),
        ("type", "<u4"),
        ("flags", "<u8"),
        ("address", "<u8"),
        ("begin", "<u8"),
        ("bytes", "<u8"),
        ("link", "<u4"),
        ("info", "<u4"),
        ("alignment", "<u8"),
        ("entry", "<u8"),
    ]
)
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("bytes", "<u8")]
)
# The table of all symbols, which a file may have been stripped of, and the table of exported symbols.
_SYMBOL_TABLES = (2, 11)

# Requests of JAX's pipeline to a ptxas: its version, an assembly of text for the error that names the versions of PTX,
# and an assembly of a file, whose text is the answer here.
_STAND_IN_PTXAS = """#!/bin/sh
case "$1" in
  --version | -V | --input-as-string) exec {ptxas} "$@" ;;
esac
source= result=
while [ $# -gt 0 ]; do
  case "$1" in
    -o | --output-file) result=$2; shift ;;
    -*) ;;
    *) source=$1 ;;
  esac
  shift
done
if [ -n "${{{directory}}}" ]; then cp "$source" "${{{directory}}}/$$.ptx"; fi
{{ cat "$source"; printf '\\0'; }} > "$result"
"""


class PeerError(Error):
    """JAX's pipeline is not here, or does not compile a kernel."""


@dataclasses.dataclass(frozen=True)
class PeerKernel:
    """A kernel of JAX's pipeline.

    Attributes:
      handles: the kernel, the host function that launches it, and their owner.
      ptx: its text.
      dynamic_shared_bytes: shared memory that a launch asks for.
    """

    handles: Any = dataclasses.field(repr=False)
    ptx: str = dataclasses.field(repr=False)
    dynamic_shared_bytes: int


def package_directory(name: str) -> Path:
    """Returns the directory of a package that is not imported.

    Raises:
      PeerError: when it is not installed.
    """
    parent, _, _ = name.rpartition(".")
    spec = importlib.util.find_spec(name) if not parent or importlib.util.find_spec(parent) else None
    if spec is None or not spec.submodule_search_locations:
        raise PeerError(f"expected the package {name} of JAX's CUDA plugin: pip install 'gridir[peer]'")
    return Path(next(iter(spec.submodule_search_locations)))


def find_symbols(library: Path, names: Sequence[str]) -> dict[str, int]:
    """Where symbols of an ELF file of 64 bits are, those that are not exported, too.

    Args:
      library: the file.
      names: the symbols, as they are written in the file.
    """
    found: dict[str, int] = {}
    with open(library, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        begin = np.frombuffer(data[40:48], "<u8")[0]
        count = np.frombuffer(data[60:62], "<u2")[0]
        sections = np.frombuffer(data[begin : begin + count * _SECTION.itemsize], _SECTION)
        for section in sections[np.isin(sections["type"], _SYMBOL_TABLES)]:
            names_of = sections[section["link"]]
            strings = data[names_of["begin"] : names_of["begin"] + names_of["bytes"]]
            table = np.frombuffer(data[section["begin"] : section["begin"] + section["bytes"]], _SYMBOL)
            table = table[table["section"] != 0]  # Undefined symbols are in another library.
            for name in names:
                at = strings.find(b"\0" + name.encode() + b"\0") + 1
                found.update((name, int(entry["value"])) for entry in table[table["name"] == at] if at)
    missing = [name for name in names if name not in found]
    if missing:
        raise PeerError(f"expected {', '.join(missing)} in {library.name}")
    return found


def check_installed() -> None:
    """Locates the parts of the pipeline without loading them.

    Raises:
      PeerError: when something is not there.
    """
    for package in PLUGIN, _RUNTIME:
        package_directory(package)
    if find_libdevice_toolkit() is None or find_ptxas() is None:
        raise PeerError("expected ptxas and libdevice: pip install 'gridir[peer]'")


def make_toolkit(root: Path) -> str:
    """Makes a directory like that of a CUDA toolkit, whose `ptxas` gives back the text that it shall assemble.

    Args:
      root: the directory, which may exist.

    Returns:
      The path of the `ptxas` that it stands for.
    """
    toolkit, ptxas = find_libdevice_toolkit() or "", find_ptxas() or ""
    (root / "bin").mkdir(parents=True)
    (root / "nvvm").symlink_to(Path(toolkit) / "nvvm")
    for program in (Path(toolkit) / "bin").iterdir():
        if program.name != "ptxas":
            (root / "bin" / program.name).symlink_to(program)
    stand_in = root / "bin" / "ptxas"
    stand_in.write_text(_STAND_IN_PTXAS.format(ptxas=shlex.quote(ptxas), directory=PTX_DIRECTORY))
    stand_in.chmod(0o755)
    return ptxas


class Pipeline:
    """JAX's pipeline in this process; to be made before JAX is imported, as it reads the environment.

    Attributes:
      driver: the stand-in driver.

    Raises:
      PeerError: when something that it is made of is not there.
    """

    def __init__(self) -> None:
        from gridir.runtime.ptx import open_driver

        check_installed()
        plugin, runtime = package_directory(PLUGIN), package_directory(_RUNTIME)
        self._root = tempfile.TemporaryDirectory()
        root = Path(self._root.name)
        ptxas = make_toolkit(root)
        os.environ["MOSAIC_GPU_CUDA_ROOT"] = str(root)
        os.environ["MOSAIC_GPU_RUNTIME_LIB_PATH"] = str(runtime / "libmosaic_gpu_runtime.so")
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_gpu_cuda_data_dir={root}"
        os.environ["PATH"] = f"{root / 'bin'}:{os.environ['PATH']}"
        os.environ["GRIDIR_PTXAS"] = ptxas
        self.driver = open_driver()
        self._library = self._open(plugin / "xla_cuda_plugin.so")
        self._compiled: dict[bytes, PeerKernel] = {}

    @staticmethod
    def _open(path: Path) -> ctypes.CDLL:
        """Loads the pipeline, and has it register its code generator, which it does not do before it looks for it."""
        library = ctypes.CDLL(str(path))
        known, wanted = "GetPjrtApi", "_ZN6mosaic3gpu33EnsureLLVMNVPTXTargetIsRegisteredEv"
        symbols = find_symbols(path, [known, wanted])
        base = ctypes.cast(library.GetPjrtApi, ctypes.c_void_p).value or 0
        ctypes.CFUNCTYPE(None)(base - symbols[known] + symbols[wanted])()
        library.MosaicGpuCompile.restype = ctypes.POINTER(ctypes.c_void_p)
        return library

    def compile(self, module: bytes) -> PeerKernel:
        """Compiles a kernel; the driver has the PTX then.

        Args:
          module: bytecode of the dialects of Mosaic GPU.

        Raises:
          PeerError: when the pipeline does not compile it.
        """
        key = hashlib.sha256(module).digest()
        if key not in self._compiled:
            self.driver.loaded = None
            compiled = self._library.MosaicGpuCompile(ctypes.c_char_p(module), ctypes.c_int(len(module)))
            self.driver.synchronize()
            if not compiled or self.driver.loaded is None:
                raise PeerError("JAX's pipeline does not compile the kernel; its message is above")
            self._compiled[key] = PeerKernel(compiled, self.driver.loaded, self.driver.dynamic_shared_bytes)
        return self._compiled[key]

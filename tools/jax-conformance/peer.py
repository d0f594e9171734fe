# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's own pipeline for GPUs, whose PTX gridir's executor runs: others' code, by which the executor is judged.

The pipeline is in the wheels of JAX's CUDA plugin (`pip install 'gridir[peer]'`). It hands its PTX to `ptxas` and the
result to the driver: a stand-in for the one passes the text on, a stand-in for the other runs it. The host code, which
makes tensor maps and launches, is JAX's.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import io
import mmap
import os
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

_PLUGIN, _RUNTIME = "jax_plugins.xla_cuda13", "jax_cuda13_plugin"
_PACKED_BITS = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2, "float4_e2m1fn": 4}
"""Elements that lie close together in the memory of a GPU, and a byte each in that of NumPy."""
_ALIGNMENT = 256

# What ELF says of a section, and of a symbol.
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
# The table of all symbols, which a file may have been stripped of, and that of what is exported.
_SYMBOL_TABLES = (2, 11)

# What JAX's pipeline asks a ptxas: its version, an assembly of text for the error that names the versions of PTX, and
# an assembly of a file, whose text is the answer here.
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
{{ cat "$source"; printf '\\0'; }} > "$result"
"""


class PeerError(Exception):
    """JAX's pipeline is not here, or does not compile a kernel."""


def _package(name: str) -> Path:
    """The directory of a package that is not imported."""
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
            table = table[table["section"] != 0]  # What is only asked for is elsewhere.
            for name in names:
                at = strings.find(b"\0" + name.encode() + b"\0") + 1
                found.update((name, int(entry["value"])) for entry in table[table["name"] == at] if at)
    missing = [name for name in names if name not in found]
    if missing:
        raise PeerError(f"expected {', '.join(missing)} in {library.name}")
    return found


def check_installed() -> None:
    """Looks for what the pipeline is made of, and loads none of it.

    Raises:
      PeerError: when something is not there.
    """
    from gridir.runtime.gpu.toolkit import find_libdevice_toolkit, find_ptxas

    for package in _PLUGIN, _RUNTIME:
        _package(package)
    if find_libdevice_toolkit() is None or find_ptxas() is None:
        raise PeerError("expected ptxas and libdevice: pip install 'gridir[peer]'")


class Pipeline:
    """JAX's pipeline in this process; to be made before JAX is imported, as it reads the environment.

    Attributes:
      driver: the stand-in driver.
    """

    def __init__(self) -> None:
        from gridir.runtime.gpu.toolkit import find_libdevice_toolkit, find_ptxas
        from gridir.runtime.ptx import open_driver

        check_installed()
        plugin, runtime = _package(_PLUGIN), _package(_RUNTIME)
        toolkit, ptxas = find_libdevice_toolkit() or "", find_ptxas() or ""
        self._root = tempfile.TemporaryDirectory()
        root = Path(self._root.name)
        (root / "bin").mkdir()
        (root / "nvvm").symlink_to(Path(toolkit) / "nvvm")
        for program in (Path(toolkit) / "bin").iterdir():
            if program.name != "ptxas":
                (root / "bin" / program.name).symlink_to(program)
        stand_in = root / "bin" / "ptxas"
        stand_in.write_text(_STAND_IN_PTXAS.format(ptxas=shlex.quote(ptxas)))
        stand_in.chmod(0o755)
        os.environ["MOSAIC_GPU_CUDA_ROOT"] = str(root)
        os.environ["MOSAIC_GPU_RUNTIME_LIB_PATH"] = str(runtime / "libmosaic_gpu_runtime.so")
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_gpu_cuda_data_dir={root}"
        os.environ["PATH"] = f"{root / 'bin'}:{os.environ['PATH']}"
        self.driver = open_driver()
        self._library = self._open(plugin / "xla_cuda_plugin.so")
        self._compiled: dict[bytes, Any] = {}

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

    def compile(self, module: bytes) -> Any:
        """The kernel, the host function and their owner; the driver has the PTX then.

        Args:
          module: bytecode of the dialects of Mosaic GPU.
        """
        key = hashlib.sha256(module).digest()
        if key not in self._compiled:
            compiled = self._library.MosaicGpuCompile(ctypes.c_char_p(module), ctypes.c_int(len(module)))
            self.driver.synchronize()
            if not compiled:
                raise PeerError("JAX's pipeline does not compile the kernel; what it says is above")
            self._compiled[key] = compiled
        return self._compiled[key]

    def run(self, module: bytes, inputs: Sequence[Any], outputs: Sequence[Any], aliases: dict[int, int]) -> list[Any]:
        """Runs a kernel by JAX's host code.

        Args:
          module: as of `compile`.
          inputs: arrays.
          outputs: what has a shape and a dtype, for each.
          aliases: inputs that are outputs, too, by the number of the output.
        """
        kernel, host, _ = self.compile(module)[:3]
        arrays = [to_device(np.asarray(x)) for x in inputs]
        results = [
            arrays[aliases[i]] if i in aliases else to_device(np.zeros(x.shape, x.dtype), fill=0xFF)
            for i, x in enumerate(outputs)
        ]
        pointers = [x.ctypes.data for x in (*arrays, *results)]
        buffers = (ctypes.c_void_p * len(pointers))(*pointers)
        launch = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(host)
        with self.driver.memory([*arrays, *results]):
            launch(kernel, None, ctypes.cast(buffers, ctypes.c_void_p))
        self.driver.synchronize()
        return [from_device(array, x.shape, np.dtype(x.dtype)) for array, x in zip(results, outputs, strict=True)]


def to_device(array: np.ndarray, fill: int | None = None) -> np.ndarray:
    """The bytes of an array as a GPU has them, aligned as its allocations are.

    Args:
      array: the array.
      fill: a byte to have instead of every byte of the array.
    """
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    if bits := _PACKED_BITS.get(array.dtype.name):
        parts = data.reshape(-1, 8 // bits) & (2**bits - 1)
        data = np.bitwise_or.reduce(parts << (bits * np.arange(8 // bits, dtype=np.uint8)), axis=1, dtype=np.uint8)
    space = np.empty(data.size + _ALIGNMENT, np.uint8)
    result = space[-space.ctypes.data % _ALIGNMENT :][: data.size]
    result[:] = data if fill is None else fill
    return result


def from_device(data: np.ndarray, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """The array whose bytes a GPU has."""
    if bits := _PACKED_BITS.get(dtype.name):
        data = (data[:, None] >> (bits * np.arange(8 // bits, dtype=np.uint8))).reshape(-1) & np.uint8(2**bits - 1)
        if dtype.name.startswith("int"):
            data = np.where(data >> (bits - 1), data | np.uint8(0xFF << bits & 0xFF), data).astype(np.uint8)
    return data.view(dtype).reshape(shape)


def replace_lowering(pipeline: Pipeline) -> None:
    """Has JAX lower kernels for GPUs by its own rules wherever they run, and call the pipeline with what it gets."""
    import jax
    from jax._src.interpreters import mlir
    from jax._src.pallas import mpmd
    from jax.experimental.mosaic.gpu import core

    core._infer_arch = lambda: pipeline.driver.capability

    def call(ctx: Any, *args: Any, module: Any, inout_types: Any, input_output_aliases: Any = (), **_: Any) -> Any:
        aliases = {result: operand for operand, result in input_output_aliases}
        for i in range(len(inout_types)):
            aliases[len(ctx.avals_out) - 1 - i] = len(ctx.avals_in) - 1 - i
        text = io.BytesIO()
        core._run_serde_pass(module, serialize=True, ir_version=None).operation.write_bytecode(text, desired_version=0)
        outputs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in ctx.avals_out]

        def run(*inputs: Any) -> Any:
            return pipeline.run(text.getvalue(), inputs, outputs, aliases)

        lowered = mlir.lower_fun(lambda *xs: jax.pure_callback(run, outputs, *xs), multiple_results=True)
        return lowered(ctx.replace(platforms=("cpu",)), *args)

    def lower(ctx: Any, *args: Any, **parameters: Any) -> Any:
        with contextlib.ExitStack() as stack:
            stack.callback(setattr, core, "_mosaic_gpu_lowering_rule", core._mosaic_gpu_lowering_rule)
            core._mosaic_gpu_lowering_rule = call
            parameters["interpret"] = None
            return mpmd._mpmd_map_fallback_lowering(ctx.replace(platforms=("cuda",)), *args, **parameters)

    for platform in (None, "cpu"):
        mlir.register_lowering(mpmd.mpmd_map_p, lower, platform=platform)

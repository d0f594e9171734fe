# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of a worker process: compiles kernels for Triton with the XLA of JAX's CUDA plugin, without a GPU.

It imports jaxlib but not JAX. Triton and LLVM may abort or hang; therefore it is a process of its own.
"""

from __future__ import annotations

import re
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

_THUNK = re.compile(
    r"kCustomKernel .*?grid: \[(?P<grid>[\d, ]+)\] threads: \[(?P<threads>[\d, ]+)\]\s+shared_memory: (?P<shared>\d+)"
)


class Compiler:
    """XLA's compiler for one chip."""

    def __init__(self, library: str, description: str, directory: Path):
        """Loads the plugin.

        Args:
          library: the path of the plugin.
          description: the chip, as XLA's `GpuTargetConfigProto` in text.
          directory: where XLA and the stand-in of `ptxas` were told to write files.
        """
        import numpy as np
        from jaxlib import xla_client
        from jaxlib.mlir import ir
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext, _mlirHlo, _stablehlo

        plugin = xla_client.load_pjrt_plugin_dynamically("cuda", library)
        xla_client.initialize_pjrt_plugin("cuda")
        topology = xla_client.make_c_api_device_topology(plugin, topology="1x1x1", target_config=description)
        device = topology._make_compile_only_devices()[0]
        self._client = device.client
        self._devices = xla_client.DeviceList((device,))
        self._options = xla_client.CompileOptions()
        self._options.num_replicas = self._options.num_partitions = 1
        self._options.device_assignment = xla_client.DeviceAssignment.create(np.array([[device.id]]))
        self._ir, self._context, self._directory = ir, ir.Context(), directory
        registry = ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        self._context.append_dialect_registry(registry)
        _mlirHlo.register_mhlo_dialect(self._context)
        _stablehlo.register_dialect(self._context)
        self._context.load_all_available_dialects()
        self.device = {"device_kind": device.device_kind}

    def compile(self, program: bytes) -> dict[str, Any]:
        """Compiles one program; the reply has an `error`, or the PTX of the kernel in it, and its launch."""
        start = time.perf_counter()
        try:
            with self._context:
                module = self._ir.Module.parse(program)
            self._client.compile(module, self._devices, self._options)
            reply = self._read()
        except Exception as error:
            # Every way of saying no is an answer: XLA's errors have several types, none of them public.
            reply = {"error": str(error)}
        for path in self._directory.iterdir():
            path.unlink()
        return reply | {"seconds": time.perf_counter() - start}

    def _read(self) -> dict[str, Any]:
        texts = [path.read_text(encoding="utf-8") for path in self._directory.glob("*.thunk_sequence.txt")]
        launches = [found for text in texts for found in _THUNK.finditer(text)]
        sources = [path.read_text(encoding="utf-8") for path in self._directory.glob("*.ptx")]
        if len(launches) != 1 or len(sources) != 1:
            return {"error": f"expected one kernel, got {len(launches)} launches and {len(sources)} texts of PTX"}
        return {
            "ptx": sources[0],
            "grid": [int(size) for size in launches[0]["grid"].split(",")],
            "threads": int(launches[0]["threads"].split(",")[0]),
            "shared_bytes": int(launches[0]["shared"]),
        }


def serve(connection: Connection, library: str, description: str, directory: str) -> None:
    """Replies to requests until the other end closes."""
    try:
        compiler = Compiler(library, description, Path(directory))
    except Exception as error:
        connection.send({"error": f"{type(error).__name__}: {error}"})
        return
    connection.send(compiler.device)
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        connection.send(compiler.compile(**request))


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])), *sys.argv[2:])

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

from gridir.runtime.xla_compiler import XlaCompiler, serve

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
        from jaxlib import xla_client

        plugin = xla_client.load_pjrt_plugin_dynamically("cuda", library)
        xla_client.initialize_pjrt_plugin("cuda")
        topology = xla_client.make_c_api_device_topology(plugin, topology="1x1x1", target_config=description)
        self._compiler, self._directory = XlaCompiler(topology), directory
        self.device = {"device_kind": self._compiler.device.device_kind}

    def compile(self, program: bytes) -> dict[str, Any]:
        """Compiles one program; the reply has an `error`, or the PTX of the kernel in it, and its launch."""
        start = time.perf_counter()
        try:
            self._compiler.compile(program)
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


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])), lambda: Compiler(sys.argv[2], sys.argv[3], Path(sys.argv[4])))

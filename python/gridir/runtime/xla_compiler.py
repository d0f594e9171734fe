# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XLA's compiler for a device that is not there, as a worker process uses it: with jaxlib, and without JAX."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Protocol


class XlaCompiler:
    """The compiler of a plugin for one device.

    Attributes:
      device: the first device of the topology: a kernel is the program of one.
      client: its client.
    """

    def __init__(self, topology: Any):
        """Prepares to compile; `topology` is the one that the plugin made."""
        import numpy as np
        from jaxlib import xla_client
        from jaxlib.mlir import ir
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext, _mlirHlo, _stablehlo

        self.device = topology._make_compile_only_devices()[0]
        self.client = self.device.client
        self._devices = xla_client.DeviceList((self.device,))
        self._options = xla_client.CompileOptions()
        self._options.num_replicas = self._options.num_partitions = 1
        self._options.device_assignment = xla_client.DeviceAssignment.create(np.array([[self.device.id]]))
        self._ir, self._context = ir, ir.Context()
        registry = ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        self._context.append_dialect_registry(registry)
        _mlirHlo.register_mhlo_dialect(self._context)
        _stablehlo.register_dialect(self._context)
        self._context.load_all_available_dialects()

    def compile(self, program: bytes) -> Any:
        """Returns the executable of a StableHLO module; errors are XLA's, of several types, none of them public."""
        with self._context:
            module = self._ir.Module.parse(program)
        return self.client.compile(module, self._devices, self._options)


class Served(Protocol):
    """A compiler that replies to requests.

    Attributes:
      device: the first message of the process.
    """

    device: dict[str, Any]

    def compile(self, program: bytes) -> dict[str, Any]:
        """Returns the reply to a request, whose other fields are further arguments."""
        ...


def serve(connection: Connection, create: Callable[[], Served]) -> None:
    """Creates a compiler, and replies to requests until the other end closes."""
    try:
        compiler = create()
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

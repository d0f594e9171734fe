# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of a worker process: runs passes on a module, and the code that it becomes.

The code of a wrong pass may write anywhere, or never end; it therefore runs here, and `worker.py` handles the end of
this process.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

import jax
import numpy as np

from gridir.compiler.gpu import PtxKernel
from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import parse_module, run_pipeline, shared_context, to_bytecode
from gridir.errors import Error, LaunchError, reported_by_kernel
from gridir.frontend.targets.gpu_call import executor_of
from gridir.frontend.targets.hooks import hooks_of
from gridir.passes import load as load_passes
from gridir.recording.archive import load
from gridir.recording.record import Record
from gridir.runtime.gpu import DriverError, open_device


class Session:
    """The state that requests share: the call whose kernel is compiled with different pipelines."""

    def __init__(self) -> None:
        self._record: Record | None = None

    def load(self, path: str) -> dict[str, Any]:
        """Takes the operands of a record for later runs."""
        self._record = load(path)
        return {}

    def trace(self, module: bytes, passes: Sequence[str]) -> dict[str, Any]:
        """Runs one pass after the other; replies with the module after each, up to one that fails."""
        modules, current = [module], parse_module(module, context=shared_context())
        for text in passes:
            try:
                run_pipeline(current, text, source=modules[-1])
            except Error as error:
                return {"modules": modules, "error": error.message}
            modules.append(to_bytecode(current))
        return {"modules": modules}

    def compile(self, module: bytes, passes: Sequence[str], target: Any, options: Any) -> dict[str, Any]:
        """Runs passes, and the rest of the pipeline; replies with an error or nothing."""
        hooks_of(target).executor(self._finished(module, passes, target, options))
        return {}

    def run(self, module: bytes, passes: Sequence[str], target: Any, options: Any) -> dict[str, Any]:
        """The same, and runs the result on the operands; replies with the results."""
        assert self._record is not None
        execute = hooks_of(target).executor(self._finished(module, passes, target, options))
        types = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in self._record.results]
        results = execute([np.array(x) for x in self._record.operands], types, self._record.aliases)
        return {"results": [np.asarray(x) for x in results]}

    def ptx(self, module: bytes, passes: Sequence[str], target: Any, options: Any) -> dict[str, Any]:
        """Replies with the text, and whether its products read registers."""
        kernel: PtxKernel = self._finished(module, passes, target, options).prepare()
        return {"ptx": kernel.ptx, "register_products": kernel.known_launch.register_products}

    def launch(
        self, module: bytes, passes: Sequence[str], target: Any, options: Any, image: bytes, device: int, times: int
    ) -> dict[str, Any]:
        """Launches other code of the kernel on a GPU; replies with the results of each launch."""
        assert self._record is not None
        kernel: PtxKernel = self._finished(module, passes, target, options).prepare()
        try:
            open_device(device).load(image).function(kernel.known_launch)
        except (DriverError, LaunchError) as error:
            return {"error": str(error), "refused": True}
        execute = executor_of(dataclasses.replace(kernel, device=device, image=image))
        types = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in self._record.results]
        launches = []
        for _ in range(times):
            results = execute([np.array(x) for x in self._record.operands], types, self._record.aliases)
            launches.append([np.asarray(x) for x in results])
        return {"results": launches}

    def _finished(self, module: bytes, passes: Sequence[str], target: Any, options: Any) -> Kernel:
        """A kernel whose passes have run."""
        assert self._record is not None
        current = parse_module(module, context=shared_context())
        if passes:
            run_pipeline(current, ",".join(passes), source=module)
        return Kernel.at_last_stage(self._record.name, target, options, to_bytecode(current))


def serve(connection: Connection) -> None:
    """Replies to requests until the other end closes."""
    session = Session()
    while True:
        try:
            name, arguments = connection.recv()
        except EOFError:
            return
        try:
            reply = getattr(session, name)(*arguments)
        except Exception as error:
            # A wrong kernel may raise any exception, which counts as a result.
            reply = {"error": describe(error)}
        connection.send(reply)


def describe(error: Exception) -> str:
    """Returns the message of an error, with the line of the kernel where it is known."""
    own = error if isinstance(error, Error) else reported_by_kernel(error)
    if own is None:
        return f"{type(error).__name__}: {error}"
    place = str(own.frames[0]) if own.frames else ""
    return own.message if not place or place in own.message else f"{own.message}, at {place}"


if __name__ == "__main__":
    for name in sys.argv[2:]:
        load_passes(name)
    serve(Connection(int(sys.argv[1])))

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for Triton as JAX's own compiler compiles them, in worker processes, without a GPU."""

from __future__ import annotations

import contextlib
import dataclasses
import queue
import re
import tempfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from gridir.errors import Error
from gridir.runtime.child import Child
from gridir.runtime.gpu.chips import capability_of
from gridir.runtime.programs import custom_calls, program_of_call
from gridir.runtime.ptxas.peer import (
    PLUGIN,
    PTX_DIRECTORY,
    PeerError,
    check_installed,
    make_toolkit,
    package_directory,
)

CALL_TARGET = "__gpu$xla.gpu.triton"
"""The name of XLA's custom call that holds a kernel for Triton."""

_DISTRIBUTION = "jax-cuda13-plugin"
_ERROR = re.compile(r"^[EF]\d{4} [^\]]*\] (.+)$", re.MULTILINE)
_START_TIMEOUT = 120
"""Seconds that the plugin may take to start."""


class TritonError(Error):
    """JAX's compiler of kernels for Triton cannot be started, or does not compile a kernel.

    Attributes:
      stage: "compile", or "crash" or "timeout" if it gave no answer, and may give one in another run.
    """

    def __init__(self, message: str, *, stage: str = "compile", **kwargs: Any):
        super().__init__(message, **kwargs)
        self.stage = stage


@dataclasses.dataclass(frozen=True)
class TritonKernel:
    """A kernel as a whole program.

    Attributes:
      name: its name.
      program: a StableHLO module, as MLIR bytecode, whose only op is the call of the kernel.
    """

    name: str
    program: bytes = dataclasses.field(repr=False)


def kernels_of(module: Any) -> list[TritonKernel]:
    """Returns the distinct kernels for Triton of a StableHLO module of JAX's, in their order there."""
    from jaxlib.mlir import ir

    found: dict[bytes, TritonKernel] = {}
    for op in custom_calls(module, CALL_TARGET):
        config = ir.DictAttr(op.attributes["mhlo.backend_config"])
        name = ir.StringAttr(config["name"]).value
        kernel = TritonKernel(name, program_of_call(op, name))
        found.setdefault(kernel.program, kernel)
    return list(found.values())


def plugin_version() -> str:
    """Returns the version of JAX's CUDA plugin."""
    return metadata.version(_DISTRIBUTION)


def describe_chip(chip: str, figures: Mapping[str, float]) -> str:
    """Returns a chip as XLA's `GpuTargetConfigProto` in text.

    Args:
      chip: the chip, as "sm_90a".
      figures: its constants, as of `gridir.runtime.chip_constants`.
    """
    (major, minor), letter = capability_of(chip)
    extension = {"a": "feature_extension: ACCELERATED_FEATURES", "f": "feature_extension: FAMILY_COMPATIBLE_FEATURES"}
    numbers = {
        "threads_per_block_limit": 1024,
        "threads_per_warp": 32,
        "shared_memory_per_block": 49152,
        "shared_memory_per_core": int(figures["shared_bytes"]),
        "shared_memory_per_block_optin": int(figures["cta_shared_bytes"]),
        "threads_per_core_limit": int(figures["threads"]),
        "core_count": int(figures["multiprocessors"]),
        "fpus_per_core": int(figures["vector_ops"]),
        "registers_per_core_limit": int(figures["registers"]),
        "registers_per_block_limit": int(figures["registers"]),
        "block_dim_limit_x": (1 << 31) - 1,
        "block_dim_limit_y": (1 << 16) - 1,
        "block_dim_limit_z": (1 << 16) - 1,
        "memory_bandwidth": int(figures["bandwidth"]),
        "clock_rate_ghz": figures["clock_hz"] / 1e9,
        # No decision about one kernel depends on the sizes of caches and memory.
        "l2_cache_size": 50 << 20,
        "device_memory_size": 80 << 30,
    }
    fields = " ".join(f"{name}: {value}" for name, value in numbers.items())
    capability = f"cuda_compute_capability {{ major: {major} minor: {minor} {extension.get(letter, '')} }}"
    return f'gpu_device_info {{ {fields} {capability} }} platform_name: "CUDA" runtime_version {{ major: 13 }}'


def _last_error(log: str) -> str:
    """Returns the last error of a log of XLA's, but for the stack that may follow; "" if there is none."""
    errors = [found[1] for found in _ERROR.finditer(log) if not found[1].startswith("***")]
    # A line may hold a whole module.
    return errors[-1][:300] if errors else ""


class Worker:
    """One process with the plugin inside, started when it is first asked and again after it has died."""

    def __init__(self, description: str, timeout: float):
        self._description, self._timeout = description, timeout
        self._child, self._is_killed = Child(), False
        self._stack = contextlib.ExitStack()

    def compile(self, kernel: TritonKernel) -> dict[str, Any]:
        """Returns the PTX of a kernel, and its launch: "ptx", "grid", "threads", "shared_bytes".

        Raises:
          TritonError: when the plugin cannot be started, or does not compile the kernel.
        """
        if not self._child.is_running and not self._is_killed:
            self._start()
        if self._is_killed:
            self.close()
            raise TritonError("the compilation was interrupted", stage="crash", kernel=kernel.name)
        self._child.send({"program": kernel.program})
        reply = self._receive(self._timeout, kernel.name)
        if "error" in reply:
            first = reply["error"].strip().partition("\n")[0]
            raise TritonError(f"JAX's compiler does not accept the kernel: {first}", kernel=kernel.name)
        return reply

    def _start(self) -> None:
        root = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="gridir-triton-")))
        dumps, toolkit = root / "dumps", root / "toolkit"
        dumps.mkdir()
        make_toolkit(toolkit)
        self._log = root / "log"
        environment = {
            PTX_DIRECTORY: str(dumps),
            "XLA_FLAGS": f"--xla_dump_to={dumps} --xla_gpu_cuda_data_dir={toolkit}",
        }
        library = package_directory(PLUGIN) / "xla_cuda_plugin.so"
        arguments = [str(library), self._description, str(dumps)]
        with open(self._log, "wb") as output:
            self._child.start("gridir.runtime.triton.worker", arguments, environment, output)
        reply = self._receive(_START_TIMEOUT, None)
        if "error" in reply:
            self.close()
            raise TritonError(f"JAX's compiler for GPUs does not start: {reply['error']}", stage="crash")

    def _receive(self, timeout: float, kernel: str | None) -> dict[str, Any]:
        try:
            return self._child.receive(timeout)
        except TimeoutError:
            error = TritonError(f"JAX's compiler gave no answer in {timeout:g} s", stage="timeout", kernel=kernel)
        except ChildProcessError as ended:
            words = _last_error(self._log.read_text(encoding="utf-8", errors="replace"))
            text = f"JAX's compiler ended with status {ended.args[0]}{f': {words}' if words else ''}"
            error = TritonError(text, stage="crash", kernel=kernel)
        self.close()
        raise error

    def kill(self) -> None:
        """Ends the process for good; a thread that waits for its reply gets an error of stage "crash"."""
        self._is_killed = True
        self._child.kill()

    def close(self) -> None:
        """Ends the process and removes its files."""
        self._child.stop()
        self._stack.close()
        self._stack = contextlib.ExitStack()


class Workers:
    """A number of workers for one chip, which threads may use at the same time.

    Example:
      >>> with Workers("sm_90a", load_chip("gpu:sm_90a").values) as workers:
      ...     reply = workers.compile(kernel)
    """

    def __init__(self, chip: str, figures: Mapping[str, float], *, jobs: int = 2, timeout: float = 120):
        """Starts nothing yet.

        Args:
          chip: the chip, as "sm_90a".
          figures: see `describe_chip`.
          jobs: how many processes may run at once.
          timeout: seconds after which a compilation is given up.

        Raises:
          TritonError: when the plugin is not installed.
        """
        try:
            check_installed()
        except PeerError as error:
            raise TritonError(error.message, notes=["pip install 'gridir[peer]'"]) from error
        self._workers = [Worker(describe_chip(chip, figures), timeout) for _ in range(max(jobs, 1))]
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)

    def compile(self, kernel: TritonKernel) -> dict[str, Any]:
        """See `Worker.compile`."""
        worker = self._idle.get()
        try:
            return worker.compile(kernel)
        finally:
            self._idle.put(worker)

    def kill(self) -> None:
        """Ends all processes for good, at once, although threads wait for replies."""
        for worker in self._workers:
            worker.kill()

    def close(self) -> None:
        """Ends all processes."""
        for worker in self._workers:
            worker.close()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

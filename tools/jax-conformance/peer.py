# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's own pipeline for GPUs, whose PTX gridir's executor runs: others' code, by which the executor is judged.

The host code, which makes tensor maps and launches, is JAX's.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from gridir.runtime.ptxas import peer

_PACKED_BITS = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2, "float4_e2m1fn": 4}
"""Elements that lie close together in the memory of a GPU, and a byte each in that of NumPy."""
_ALIGNMENT = 256


class Pipeline(peer.Pipeline):
    """Like gridir's pipeline, with kernels that run."""

    def run(self, module: bytes, inputs: Sequence[Any], outputs: Sequence[Any], aliases: dict[int, int]) -> list[Any]:
        """Runs a kernel by JAX's host code.

        Args:
          module: see `compile`.
          inputs: arrays.
          outputs: a value with a shape and a dtype, for each.
          aliases: inputs that are outputs, too, by the number of the output.
        """
        kernel, host, owner = self.compile(module).handles[:3]
        arrays = [to_device(np.asarray(x)) for x in inputs]
        results = [
            arrays[aliases[i]] if i in aliases else to_device(np.zeros(x.shape, x.dtype), fill=0xFF)
            for i, x in enumerate(outputs)
        ]
        pointers = [x.ctypes.data for x in (*arrays, *results)]
        buffers = (ctypes.c_void_p * len(pointers))(*pointers)
        launch_arguments: list[Any] = [kernel, None, ctypes.cast(buffers, ctypes.c_void_p)]
        if takes_owner():
            launch_arguments = [owner, *launch_arguments, 0]
        launch = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(launch_arguments))(host)
        with self.driver.memory([*arrays, *results]):
            launch(*launch_arguments)
        self.driver.synchronize()
        return [from_device(array, x.shape, np.dtype(x.dtype)) for array, x in zip(results, outputs, strict=True)]


def takes_owner() -> bool:
    """True if JAX's host code takes the compiled kernel first and the number of the device last, as since JAX 0.12."""
    from jax.experimental.mosaic.gpu import core

    return getattr(core, "_ABI_V2", False)


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
    """Makes JAX lower kernels for GPUs by its own rules on any platform, and call the pipeline with the result."""
    import jax
    from jax._src.interpreters import mlir
    from jax._src.pallas import mpmd
    from jax.experimental.mosaic.gpu import core

    # Since JAX 0.11 the chip is a matter of its utilities.
    (core if hasattr(core, "_infer_arch") else core.utils)._infer_arch = lambda: pipeline.driver.capability
    # Since JAX 0.11.2 such a kernel has a lowering of its own on this platform.
    lower_on_gpu = getattr(mpmd, "_mpmd_map_mgpu_lowering", None) or mpmd._mpmd_map_fallback_lowering

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
            return lower_on_gpu(ctx.replace(platforms=("cuda",)), *args, **parameters)

    for platform in (None, "cpu"):
        mlir.register_lowering(mpmd.mpmd_map_p, lower, platform=platform)

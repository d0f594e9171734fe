# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches a bundle of `add(x, y)` on arrays of PyTorch, CuPy and JAX, and measures the cost of loads and launches.

gridir build add.py -o add.gridir
python tools/on-gpu/arrays.py add.gridir
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

from gridir.runtime import gpu


def torch_arrays(kernel: gpu.GpuKernel) -> tuple[list[Any], Callable[[], bool], Any]:
    """Returns arrays of PyTorch, whether the last is the sum of the others, and a stream."""
    torch = importlib.import_module("torch")
    stream = torch.cuda.Stream()
    x, y, out = (torch.rand(tuple(operand.shape), device="cuda") for operand in kernel.operands)
    torch.cuda.synchronize()

    def is_right() -> bool:
        torch.cuda.synchronize()
        return bool(torch.equal(out, x + y))

    return [x, y, out], is_right, stream


def cupy_arrays(kernel: gpu.GpuKernel) -> tuple[list[Any], Callable[[], bool], Any]:
    """The same for CuPy."""
    cupy = importlib.import_module("cupy")
    x, y, out = (cupy.random.rand(*operand.shape, dtype=cupy.float32) for operand in kernel.operands)
    cupy.cuda.runtime.deviceSynchronize()
    return (
        [x, y, out],
        lambda: (cupy.cuda.runtime.deviceSynchronize(), bool((out == x + y).all()))[1],
        cupy.cuda.Stream(),
    )


def jax_arrays(kernel: gpu.GpuKernel) -> tuple[list[Any], Callable[[], bool], Any]:
    """The same for JAX, whose arrays a kernel may write as they have one owner here."""
    jax = importlib.import_module("jax")
    keys = jax.random.split(jax.random.key(0), 3)
    x, y, out = (jax.random.uniform(key, operand.shape) for key, operand in zip(keys, kernel.operands, strict=True))
    jax.block_until_ready((x, y, out))

    def is_right() -> bool:
        gpu.open_device(0).synchronize()
        return bool((out == x + y).all())

    return [x, y, gpu.view(out, writable=True)], is_right, 0


def main() -> None:
    """Loads and launches the bundle that the command line names."""
    path = sys.argv[1]
    start = time.perf_counter()
    gpu.open_device(0)
    opened = time.perf_counter()
    kernel = gpu.load(path).kernels[0]
    read = time.perf_counter()
    kernel.function(0)
    loaded = time.perf_counter()
    print(f"driver {(opened - start) * 1e3:.1f} ms, bundle {(read - opened) * 1e3:.2f} ms, ", end="")
    print(f"machine code on the device {(loaded - read) * 1e3:.2f} ms")
    for make in (torch_arrays, cupy_arrays, jax_arrays):
        name = make.__name__.removesuffix("_arrays")
        try:
            arrays, is_right, stream = make(kernel)
            kernel(*arrays)
            right = is_right()
            kernel(*arrays, stream=stream)
            right = right and is_right()
            times = []
            for _ in range(5):
                start = time.perf_counter()
                for _ in range(2000):
                    kernel(*arrays)
                times.append((time.perf_counter() - start) / 2000 * 1e6)
                gpu.open_device(0).synchronize()
            print(f"{name}: {'right' if right else 'WRONG'}, {min(times):.1f} us a launch from Python")
            try:
                kernel(arrays[0], arrays[1], arrays[0])
                print(f"{name}: NOT refused: an output in the memory of an input")
            except gpu.LaunchError as error:
                print(f"{name}: refused: {str(error).splitlines()[0]}")
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()

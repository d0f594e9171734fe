# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times kernels of Mosaic GPU on the CPU: native code beside JAX's interpreter, and a product of 1024^3 beside gridir's
own matmul of `pallas_call`.

Programs take turns. Times are CPU time of the whole process, the least of all repetitions. Nothing here asserts a time.
"""

from __future__ import annotations

import argparse
import functools
import math
import pathlib
import runpy
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic_gpu.interpret import params
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu

HOPPER = jax.sharding.AbstractDevice(device_kind="NVIDIA H100 80GB HBM3", platform="gpu", num_cores=8)
MESH = jax.sharding.AbstractMesh((), (), abstract_device=HOPPER)


def example(path: str) -> Callable[..., Any]:
    """The function of an example that has its name."""
    file = (pathlib.Path(__file__).resolve().parents[1] / "examples" / path).with_suffix(".py")
    return runpy.run_path(str(file))[file.stem]


def hopper(a: Any, b: Any) -> Any:
    """JAX's matmul for Hopper."""
    config = hopper_matmul_mgpu.TuningConfig(
        tile_m=64,
        tile_n=128,
        tile_k=64,
        max_concurrent_steps=2,
        epi_tile_m=64,
        epi_tile_n=64,
        wg_dimension=hopper_matmul_mgpu.MatmulDimension.M,
    )
    return hopper_matmul_mgpu.matmul(a, b, None, config)


def elementwise(x: Any) -> Any:
    """An addition of 128 numbers."""

    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...] + 1.0

    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def exchange(x: Any) -> Any:
    """Two warpgroups that tell one another by barriers."""

    def kernel(x_ref: Any, o_ref: Any, tile: Any, barrier: Any) -> None:
        number = jax.lax.axis_index("wg")
        tile[number] = x_ref[number] * 2
        plgpu.barrier_arrive(barrier)
        plgpu.barrier_wait(barrier)
        o_ref[number] = tile[1 - number]

    scratch = [plgpu.SMEM(x.shape, x.dtype), plgpu.Barrier(num_arrivals=2)]
    out = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return plgpu.kernel(kernel, out_type=out, scratch_types=scratch, num_threads=2, thread_name="wg")(x)


def pipeline(x: Any) -> Any:
    """The sum of eight blocks, in a pipeline."""

    def kernel(x_ref: Any, o_ref: Any, total: Any) -> None:
        def body(_: Any, x_tile: Any) -> None:
            total[...] += x_tile[...]

        total[...] = jnp.zeros_like(total)
        block = plgpu.BlockSpec((64, 64), lambda i: (i, 0))
        plgpu.emit_pipeline(body, grid=(8,), in_specs=[block], max_concurrent_steps=2)(x_ref)
        o_ref[...] = total[...]

    out = jax.ShapeDtypeStruct((64, 64), x.dtype)
    return plgpu.kernel(kernel, out_type=out, scratch_types=[plgpu.SMEM(out.shape, out.dtype)])(x)


def array(*shape: int, dtype: Any = np.float32) -> Any:
    """Numbers that are the same in each run."""
    return jnp.asarray(np.random.default_rng(0).normal(size=shape).astype(dtype))


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "elementwise 128": (elementwise, (array(128),)),
    "exchange of two warpgroups": (exchange, (array(2, 128),)),
    "tma_add 128x256": (example("mosaic_gpu/tma_add"), (array(128, 256), array(128, 256))),
    "pipeline 512x64": (pipeline, (array(512, 64),)),
    "hopper_matmul 256^3 f16": (hopper, (array(256, 256, dtype=np.float16), array(256, 256, dtype=np.float16))),
}


@contextmanager
def interpreted() -> Iterator[None]:
    """JAX's interpreter of GPU kernels, which believes to be on a GPU."""
    with jax.sharding.use_abstract_mesh(MESH), params.force_gpu_interpret_mode(params.InterpretGPUParams()):
        yield


@contextmanager
def native() -> Iterator[None]:
    """gridir."""
    with jax.sharding.use_abstract_mesh(MESH), gridir.installed():
        yield


def least(
    calls: dict[str, tuple[Callable[..., Any], tuple[Any, ...], Callable[[], AbstractContextManager[None]]]],
    repeat: dict[str, int],
) -> dict[str, float]:
    """The least seconds of each call, which take turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    compiled = {}
    for name, (call, args, within) in calls.items():
        with within():
            compiled[name] = jax.jit(functools.partial(call))
            jax.block_until_ready(compiled[name](*args))
    for turn in range(max(repeat.values())):
        for name, (_, args, within) in calls.items():
            if turn >= repeat[name]:
                continue
            with within():
                begin = time.process_time()
                jax.block_until_ready(compiled[name](*args))
                times[name].append(time.process_time() - begin)
    return {name: min(each) for name, each in times.items()}


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=30, help="repetitions of native code (default: %(default)s)")
    parser.add_argument("--interpreted", type=int, default=3, help="of the interpreter (default: %(default)s)")
    options = parser.parse_args()

    print("| kernel | interpreter ms | native ms | ratio |\n| --- | ---: | ---: | ---: |")
    ratios = []
    for name, (call, args) in CASES.items():
        turns = {"JAX": options.interpreted, "native": options.repeat}
        times = least({"JAX": (call, args, interpreted), "native": (call, args, native)}, turns)
        ratios.append(times["JAX"] / times["native"])
        print(f"| {name} | {times['JAX'] * 1e3:.3g} | {times['native'] * 1e3:.3g} | {ratios[-1]:.0f} |", flush=True)
    print(f"| geometric mean | | | {math.exp(statistics.mean(map(math.log, ratios))):.0f} |\n")

    a, b = array(1024, 1024, dtype=np.float16), array(1024, 1024, dtype=np.float16)
    products = {
        "hopper_matmul": hopper,
        "wgmma_matmul": example("mosaic_gpu/wgmma_matmul"),
        "pallas_call": example("matmul"),
        "XLA": jnp.matmul,
    }
    turns = dict.fromkeys(products, max(options.repeat // 3, 3))
    times = least(
        {name: (call, (a, b), nullcontext if name == "XLA" else native) for name, call in products.items()}, turns
    )
    print("| product of 1024^3 in f16 | ms | to pallas_call |\n| --- | ---: | ---: |")
    for name, seconds in times.items():
        print(f"| {name} | {seconds * 1e3:.1f} | {seconds / times['pallas_call']:.2f} |")


if __name__ == "__main__":
    main()

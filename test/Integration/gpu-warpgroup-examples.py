# Examples of kernels whose threads are warpgroups, and the matmuls and the attention of JAX, as PTX: executed
# thread by thread with what memory is checked for, in two orders, they give what their references give. What is of
# Blackwell is of `sm_100a`.
#
# RUN: %python %s %repository/examples/mosaic_gpu | FileCheck %s

import functools
import pathlib
import sys
import types

import gridir
import jax
import jax.numpy as jnp
from gridir.cli.example import load_example
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.testing import differences
from jax.experimental.pallas.ops.gpu import attention_mgpu, blackwell_matmul_mgpu, hopper_matmul_mgpu


def look(name, function, args, reference, chip="sm_90a"):
    for seed in (None, 1):
        try:
            run = execute(
                function, args, get_target(f"gpu:{chip}"), checks=["races", "uninitialized"], schedule_seed=seed
            )
            problems = differences(run.function(*args), reference(*args), function, args)
        except gridir.Error as error:
            problems = [str(error).splitlines()[0]]
        print(f"{name} {seed}:", *(problems or ["right"]))


# CHECK: tcgen05_matmul None: right
# CHECK: tcgen05_matmul 1: right
# CHECK: tma_add None: right
# CHECK: tma_add 1: right
# CHECK: warp_specialized_attention None: right
# CHECK: warp_specialized_attention 1: right
# CHECK: wgmma_matmul None: right
# CHECK: wgmma_matmul 1: right
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    example = load_example(str(path), None)
    chip = "sm_100a" if path.stem.startswith("tcgen05") else "sm_90a"
    look(path.stem, example.function, example.args, example.reference, chip)

# CHECK: hopper_matmul None: right
# CHECK: hopper_matmul 1: right
hopper_matmul_mgpu.get_num_sms = lambda: 3
config = hopper_matmul_mgpu.TuningConfig(
    tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=4, epi_tile_m=64, epi_tile_n=64
)
a, b = (jax.random.normal(key, (256, 256), jnp.float16) for key in jax.random.split(jax.random.key(0)))
look(
    "hopper_matmul",
    lambda a, b: hopper_matmul_mgpu.matmul(a, b, None, config),
    (a, b),
    lambda a, b: jnp.dot(a, b, preferred_element_type=jnp.float32).astype(a.dtype),
)

# CHECK: attention None: right
# CHECK: attention 1: right
attention_mgpu.cuda_versions = types.SimpleNamespace(cuda_runtime_get_version=lambda: 13000)
q, k, v = (jax.random.normal(key, (1, 256, 1, 64), jnp.float16) for key in jax.random.split(jax.random.key(1), 3))
tuning = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2)
look(
    "attention",
    lambda q, k, v: attention_mgpu.attention(q, k, v, tuning),
    (q, k, v),
    attention_mgpu.attention_reference,
)

# CHECK: blackwell_matmul False None: right
# CHECK: blackwell_matmul False 1: right
# CHECK: blackwell_matmul True None: right
# CHECK: blackwell_matmul True 1: right
a, b = (jax.random.normal(key, (256, 256), jnp.float16) for key in jax.random.split(jax.random.key(2)))
for collective in (False, True):
    blackwell = blackwell_matmul_mgpu.TuningConfig(
        tile_m=128, tile_n=64, tile_k=64, max_concurrent_steps=2, collective=collective
    )
    look(
        f"blackwell_matmul {collective}",
        functools.partial(blackwell_matmul_mgpu.matmul_kernel, config=blackwell),
        (a, b),
        lambda a, b: jnp.dot(a, b, preferred_element_type=jnp.float32).astype(a.dtype),
        "sm_100a",
    )

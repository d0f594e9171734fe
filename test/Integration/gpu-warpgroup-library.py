# JAX's own kernels of warpgroups that no other test here takes to PTX, executed thread by thread with what memory is
# checked for: products of groups of rows, whose operands have no transforms, of mixed types, of pairs of blocks, and
# the gradient of attention. Only what asks for the number of a device's multiprocessors is replaced.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from jax.experimental.pallas.ops.gpu import (
    attention_mgpu,
    blackwell_matmul_mgpu,
    blackwell_ragged_dot_mgpu,
    hopper_mixed_type_matmul_mgpu,
    ragged_dot_mgpu,
    transposed_ragged_dot_mgpu,
)

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from library_device import replace_device

replace_device()


def look(name: str, call: Callable[..., Any], args: Any, expected: Any, atol: float, chip: str = "sm_90a") -> None:
    """Says whether what a kernel gives is near to what is expected."""
    try:
        run = execute(call, args, get_target(f"gpu:{chip}"), checks=["races", "uninitialized"], schedule_seed=1)
        pairs = zip(*map(jax.tree.leaves, (run.function(*args), expected)), strict=True)
        said = [np.allclose(a, b, rtol=1e-2, atol=atol) for a, b in pairs]
    except (gridir.Error, jax.errors.JaxRuntimeError) as error:
        said = str(error).splitlines()
    print(f"{name}:", *said)


rng = np.random.default_rng(0)
LHS, RHS = (rng.normal(size=shape).astype(np.float16) for shape in ((256, 128), (3, 128, 128)))
SIZES = np.asarray([64, 92, 100], np.int32)
BLOCKS = {"block_m": 64, "block_n": 64, "block_k": 64, "max_concurrent_steps": 2, "grid_block_n": 2}
# The sums of the second are more than a thread's registers.
# CHECK: {{^}}ragged_dot: True
# CHECK: wide ragged_dot: True
for name, blocks in (("ragged_dot", BLOCKS), ("wide ragged_dot", BLOCKS | {"block_m": 256, "block_n": 128})):
    look(
        name,
        lambda x, y, sizes, blocks=blocks: ragged_dot_mgpu.ragged_dot(x, y, group_sizes=sizes, **blocks),
        (LHS, RHS, SIZES),
        jax.lax.ragged_dot(LHS, RHS, SIZES, preferred_element_type=jnp.float32),
        0.1,
    )

# CHECK: transposed_ragged_dot: True
WIDE = rng.normal(size=(256, 128)).astype(np.float16)
ends = np.cumsum(SIZES)
groups = [slice(end - size, end) for end, size in zip(ends, SIZES, strict=True)]
look(
    "transposed_ragged_dot",
    lambda x, y, sizes: transposed_ragged_dot_mgpu.transposed_ragged_dot(x, y, group_sizes=sizes, **BLOCKS),
    (LHS, WIDE, SIZES),
    np.stack([LHS[rows].astype(np.float32).T @ WIDE[rows].astype(np.float32) for rows in groups]),
    0.2,
)

# CHECK: mixed_types: True
mixed = hopper_mixed_type_matmul_mgpu
BYTES, HALVES = rng.integers(-100, 100, (128, 128)).astype(np.int8), rng.normal(size=(128, 256)).astype(np.float16)
tiles = mixed.TuningConfig(
    tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2, wg_dimension=mixed.MatmulDimension.N
)
look(
    "mixed_types",
    lambda x, y: mixed.mixed_matmul_kernel(x, y, out_dtype=jnp.float32, config=tiles),
    (BYTES, HALVES),
    BYTES.astype(np.float32) @ HALVES.astype(np.float32),
    2,
)

# CHECK: blackwell_ragged_dot: True
config = blackwell_ragged_dot_mgpu.TuningConfig(
    tile_m=128,
    tile_n=128,
    tile_k=64,
    max_concurrent_steps=2,
    collective=True,
    grid_tile_width=1,
    grid_minor_dim=blackwell_matmul_mgpu.MatmulDimension.N,
)
TALL, GROUPS = (rng.normal(size=shape).astype(np.float16) for shape in ((512, 128), (3, 128, 256)))
THREE = np.asarray([150, 200, 162], np.int32)
look(
    "blackwell_ragged_dot",
    lambda x, y, sizes: blackwell_ragged_dot_mgpu.ragged_dot_kernel(x, y, group_sizes=sizes, config=config),
    (TALL, GROUPS, THREE),
    jax.lax.ragged_dot(TALL, GROUPS, THREE, preferred_element_type=jnp.float32),
    0.1,
    "sm_100a",
)

# CHECK: gradient of attention: True True True
QKV = [jax.random.normal(key, (1, 256, 2, 64), jnp.float16) for key in jax.random.split(jax.random.key(1), 3)]
of_backward = dict.fromkeys(("block_q_dkv", "block_kv_dkv", "block_q_dq", "block_kv_dq"), 64)
tuning = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, compute_wgs_bwd=1, **of_backward)


def gradient(attention: Callable[..., Any], *args: Any) -> Any:
    """The gradient of the sum of what attention gives."""
    return jax.grad(lambda q, k, v: attention(q, k, v).sum(), argnums=(0, 1, 2))(*args)


look(
    "gradient of attention",
    functools.partial(gradient, functools.partial(attention_mgpu.attention, config=tuning)),
    QKV,
    gradient(attention_mgpu.attention_reference, *QKV),
    2e-2,
)

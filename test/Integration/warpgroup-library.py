# JAX's own kernels of warpgroups, on the CPU, beside plain JAX: products of groups of rows, of other types and of two
# blocks, and the gradient of attention. Only what asks for the number of a device's multiprocessors is replaced.
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


def look(name: str, call: Callable[[], Any], expected: Any, atol: float) -> None:
    """Says whether what a kernel gives is near to what is expected."""
    with gridir.installed():
        got = call()
    near = [
        np.allclose(a, b, rtol=1e-2, atol=atol) for a, b in zip(*map(jax.tree.leaves, (got, expected)), strict=True)
    ]
    print(f"{name}:", *near)


rng = np.random.default_rng(0)
LHS, RHS = (rng.normal(size=shape).astype(np.float16) for shape in ((256, 128), (3, 128, 128)))
SIZES = jnp.asarray([64, 92, 100], jnp.int32)
BLOCKS = {"block_m": 64, "block_n": 64, "block_k": 64, "max_concurrent_steps": 2, "grid_block_n": 2}
# CHECK: ragged_dot: True
look(
    "ragged_dot",
    lambda: ragged_dot_mgpu.ragged_dot(jnp.asarray(LHS), jnp.asarray(RHS), group_sizes=SIZES, **BLOCKS),
    jax.lax.ragged_dot(LHS, RHS, SIZES, preferred_element_type=jnp.float32),
    0.1,
)

# CHECK: transposed_ragged_dot: True
WIDE = rng.normal(size=(256, 128)).astype(np.float16)
ends = np.cumsum(SIZES)
groups = [slice(end - size, end) for end, size in zip(ends, np.asarray(SIZES), strict=True)]
look(
    "transposed_ragged_dot",
    lambda: transposed_ragged_dot_mgpu.transposed_ragged_dot(
        jnp.asarray(LHS), jnp.asarray(WIDE), group_sizes=SIZES, **BLOCKS
    ),
    np.stack([LHS[rows].astype(np.float32).T @ WIDE[rows].astype(np.float32) for rows in groups]),
    0.2,
)

# CHECK: mixed_types: True
mixed = hopper_mixed_type_matmul_mgpu
BYTES, HALVES = rng.integers(-100, 100, (128, 128)).astype(np.int8), rng.normal(size=(128, 256)).astype(np.float16)
look(
    "mixed_types",
    lambda: mixed.mixed_matmul_kernel(
        jnp.asarray(BYTES),
        jnp.asarray(HALVES),
        out_dtype=jnp.float32,
        config=mixed.TuningConfig(
            tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2, wg_dimension=mixed.MatmulDimension.N
        ),
    ),
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
THREE = jnp.asarray([150, 200, 162], jnp.int32)
look(
    "blackwell_ragged_dot",
    lambda: blackwell_ragged_dot_mgpu.ragged_dot_kernel(
        jnp.asarray(TALL), jnp.asarray(GROUPS), group_sizes=THREE, config=config
    ),
    jax.lax.ragged_dot(TALL, GROUPS, THREE, preferred_element_type=jnp.float32),
    0.1,
)

# CHECK: gradient of attention: True True True
QKV = [jax.random.normal(key, (1, 256, 2, 64), jnp.float16) for key in jax.random.split(jax.random.key(1), 3)]
of_backward = dict.fromkeys(("block_q_dkv", "block_kv_dkv", "block_q_dq", "block_kv_dq"), 64)
tuning = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, compute_wgs_bwd=1, **of_backward)


def gradient(attention: Callable[..., Any]) -> Any:
    """The gradient of the sum of what attention gives."""
    return jax.grad(lambda q, k, v: attention(q, k, v).sum(), argnums=(0, 1, 2))(*QKV)


look(
    "gradient of attention",
    lambda: gradient(functools.partial(attention_mgpu.attention, config=tuning)),
    gradient(attention_mgpu.attention_reference),
    2e-2,
)

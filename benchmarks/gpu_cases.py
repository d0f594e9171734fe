# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's library kernels of its Mosaic GPU backend, at sizes at which they are used; nothing is executed."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from gridir.runtime.chips import facts_of
from jax.experimental.pallas.ops.gpu import (
    attention_mgpu,
    blackwell_matmul_mgpu,
    blackwell_ragged_dot_mgpu,
    hopper_matmul_mgpu,
    hopper_mixed_type_matmul_mgpu,
    ragged_dot_mgpu,
    transposed_ragged_dot_mgpu,
)

_MULTIPROCESSORS = facts_of("gpu:sm_90a")["multiprocessors"]

# JAX asks the driver and the device.
for _module in (attention_mgpu, hopper_matmul_mgpu, blackwell_ragged_dot_mgpu):
    if hasattr(_module, "cuda_versions"):
        _module.cuda_versions = types.SimpleNamespace(cuda_runtime_get_version=lambda: 13000)
    if hasattr(_module, "get_num_sms"):
        _module.get_num_sms = lambda: _MULTIPROCESSORS
_DEVICE = types.SimpleNamespace(core_count=_MULTIPROCESSORS)
hopper_mixed_type_matmul_mgpu.backend = types.SimpleNamespace(get_default_device=lambda: _DEVICE)
transposed_ragged_dot_mgpu.jax = blackwell_ragged_dot_mgpu.jax = types.SimpleNamespace(
    **(vars(jax) | dict.fromkeys(("devices", "local_devices"), lambda: [_DEVICE]))
)

M, N, K = 4096, 8192, 4096
HEADS, TOKENS = 16, 4096


@dataclasses.dataclass(frozen=True)
class Case:
    """A function, the shapes that it is lowered for, and the chip.

    Attributes:
      name: the row of the table.
      chip: the chip that it is for.
      function: the function to lower.
      args: abstract arguments.
    """

    name: str
    chip: str
    function: Callable[..., Any]
    args: tuple[jax.ShapeDtypeStruct, ...]


def array(*shape: int, dtype: Any = jnp.float16) -> jax.ShapeDtypeStruct:
    """An array that has no elements yet."""
    return jax.ShapeDtypeStruct(shape, dtype)


def hopper(**tuning: Any) -> Callable[..., Any]:
    """The product for Hopper with fields of its `TuningConfig`."""
    config = hopper_matmul_mgpu.TuningConfig(**tuning)
    return lambda a, b: hopper_matmul_mgpu.matmul(a, b, None, config)


def attention(
    head: int,
    block_kv: int,
    what: str = "",
    function: Callable[..., Any] = attention_mgpu.attention,
    block_q: int = 64,
    stages: int = 2,
    **tuning: Any,
) -> Case:
    """Heads of a size, with blocks of queries, keys and values of others, and fields of its `TuningConfig`."""
    config = attention_mgpu.TuningConfig(block_q=block_q, block_kv=block_kv, max_concurrent_steps=stages, **tuning)
    return Case(
        f"attention D {head}, KV {block_kv}{what}",
        "sm_90a",
        lambda q, k, v: function(q, k, v, config),
        (array(1, TOKENS, HEADS, head),) * 3,
    )


def mixed(**tuning: Any) -> Callable[..., Any]:
    """The product of mixed types with fields of its `TuningConfig`."""
    config = hopper_mixed_type_matmul_mgpu.TuningConfig(**tuning)
    return lambda a, b: hopper_mixed_type_matmul_mgpu.mixed_matmul_kernel(a, b, out_dtype=b.dtype, config=config)


def blackwell(**tuning: Any) -> Callable[..., Any]:
    """The product for Blackwell with fields of its `TuningConfig`."""
    config = blackwell_matmul_mgpu.TuningConfig(**tuning)
    return lambda a, b: blackwell_matmul_mgpu.matmul_kernel(a, b, config=config)


_FACTORS = (array(M, K), array(K, N))
_GROUPS = (array(M, K), array(8, K, N), array(8, dtype=jnp.int32))


def _ragged(a: Any, b: Any, sizes: Any) -> Any:
    return ragged_dot_mgpu.ragged_dot(
        a, b, group_sizes=sizes, block_m=64, block_n=128, block_k=64, max_concurrent_steps=4, grid_block_n=2
    )


def _transposed_ragged(a: Any, b: Any, sizes: Any) -> Any:
    return transposed_ragged_dot_mgpu.transposed_ragged_dot(
        a, b, group_sizes=sizes, block_m=64, block_n=128, block_k=64, max_concurrent_steps=4, grid_block_n=2
    )


def _blackwell_ragged(a: Any, b: Any, sizes: Any) -> Any:
    config = blackwell_ragged_dot_mgpu.TuningConfig(
        tile_m=128,
        tile_n=128,
        tile_k=64,
        max_concurrent_steps=4,
        collective=True,
        grid_tile_width=1,
        grid_minor_dim=blackwell_matmul_mgpu.MatmulDimension.N,
    )
    return blackwell_ragged_dot_mgpu.ragged_dot_kernel(a, b, sizes, config)


CASES = [
    Case(
        "hopper_matmul 128x128x64, 4 stages",
        "sm_90a",
        hopper(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4),
        _FACTORS,
    ),
    Case(
        "hopper_matmul 128x64x64, 4 stages",
        "sm_90a",
        hopper(tile_m=128, tile_n=64, tile_k=64, max_concurrent_steps=4),
        _FACTORS,
    ),
    Case(
        "hopper_matmul 256x128x64, 3 stages",
        "sm_90a",
        hopper(tile_m=256, tile_n=128, tile_k=64, max_concurrent_steps=3),
        _FACTORS,
    ),
    Case(
        "hopper_matmul 128x128x64, epilogue in tiles of 64x64",
        "sm_90a",
        hopper(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4, epi_tile_m=64, epi_tile_n=64),
        _FACTORS,
    ),
    Case(
        "hopper_matmul 128x128x64, 4 stages, clusters of two",
        "sm_90a",
        hopper(
            tile_m=128,
            tile_n=128,
            tile_k=64,
            max_concurrent_steps=4,
            cluster_dimension=hopper_matmul_mgpu.MatmulDimension.N,
        ),
        _FACTORS,
    ),
    Case(
        "mixed_matmul 128x128x64, int8 by bf16",
        "sm_90a",
        mixed(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4),
        (array(M, K, dtype=jnp.int8), array(K, N, dtype=jnp.bfloat16)),
    ),
    Case("ragged_dot 64x128x64, 4 stages", "sm_90a", _ragged, _GROUPS),
    Case(
        "transposed_ragged_dot 64x128x64, 4 stages",
        "sm_90a",
        _transposed_ragged,
        (array(M, K), array(M, N), array(8, dtype=jnp.int32)),
    ),
    attention(64, 128),
    attention(64, 256),
    attention(256, 64),
    attention(128, 128, ", by the emitted pipeline", attention_mgpu.attention_with_pipeline_emitter),
    attention(128, 128),
    attention(128, 128, ", causal", causal=True),
    Case(
        "blackwell_matmul 128x256x64, 4 stages",
        "sm_100a",
        blackwell(tile_m=128, tile_n=256, tile_k=64, max_concurrent_steps=4, collective=False),
        _FACTORS,
    ),
    Case(
        "blackwell_matmul 128x128x64, 6 stages, pairs of blocks",
        "sm_100a",
        blackwell(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=6, collective=True),
        _FACTORS,
    ),
    Case("blackwell ragged_dot 128x128x64, 4 stages, pairs of blocks", "sm_100a", _blackwell_ragged, _GROUPS),
]

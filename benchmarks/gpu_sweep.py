# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's library kernels of its Mosaic GPU backend with all kinds of tiles, stages, types and clusters.

Those that no chip has the shared memory for are among them: both pipelines refuse these.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from gpu_cases import Case, K, M, N, array, attention, blackwell, hopper, mixed
from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu, ragged_dot_mgpu

_HALVES = (jnp.float16, jnp.bfloat16)
_SIZES = (64, 128, 256)
_STAGES = (2, 3, 4, 6)
_DIMENSIONS = hopper_matmul_mgpu.MatmulDimension


def _factors(dtype: Any, lhs: Any = None) -> tuple[jax.ShapeDtypeStruct, ...]:
    return (array(M, K, dtype=lhs or dtype), array(K, N, dtype=dtype))


def _products() -> Iterator[Case]:
    for dtype, m, n, k, stages, epilogue in itertools.product(
        _HALVES, _SIZES, _SIZES, (32, 64, 128), _STAGES, (64, None)
    ):
        for of_warpgroups, of_cluster in itertools.product(_DIMENSIONS, (None, *_DIMENSIONS)):
            tuning = {"tile_m": m, "tile_n": n, "tile_k": k, "max_concurrent_steps": stages}
            tuning |= {"epi_tile_m": epilogue, "epi_tile_n": epilogue}
            tuning |= {"wg_dimension": of_warpgroups, "cluster_dimension": of_cluster}
            name = f"{m}x{n}x{k}, {stages} stages, epilogue {epilogue}, warpgroups {of_warpgroups}"
            name += f", cluster {of_cluster}, {jnp.dtype(dtype).name}"
            yield Case(f"hopper_matmul {name}", "sm_90a", hopper(**tuning), _factors(dtype))
            if k > 32:
                yield Case(f"mixed_matmul {name}", "sm_90a", mixed(**tuning), _factors(dtype, jnp.int8))


def _ragged() -> Iterator[Case]:
    for dtype, m, n, k, stages in itertools.product(_HALVES, _SIZES, _SIZES, (32, 64, 128), _STAGES):
        tuning = {"block_m": m, "block_n": n, "block_k": k, "max_concurrent_steps": stages, "grid_block_n": 1}

        def function(a: Any, b: Any, sizes: Any, tuning: dict[str, int] = tuning) -> Any:
            return ragged_dot_mgpu.ragged_dot(a, b, group_sizes=sizes, **tuning)

        args = (array(M, K, dtype=dtype), array(8, K, N, dtype=dtype), array(8, dtype=jnp.int32))
        yield Case(f"ragged_dot {m}x{n}x{k}, {stages} stages, {jnp.dtype(dtype).name}", "sm_90a", function, args)


def _attention() -> Iterator[Case]:
    for head, block_kv, block_q, stages, causal in itertools.product(_SIZES, _SIZES, (64, 128), (2, 3), (False, True)):
        what = f", Q {block_q}, {stages} stages{', causal' * causal}"
        yield attention(head, block_kv, what, block_q=block_q, stages=stages, causal=causal)


def _blackwell() -> Iterator[Case]:
    for dtype, m, n, k, stages, collective in itertools.product(
        (*_HALVES, jnp.float8_e4m3fn), (64, 128), _SIZES, (32, 64, 128), _STAGES, (False, True)
    ):
        tuning = {"tile_m": m, "tile_n": n, "tile_k": k, "max_concurrent_steps": stages, "collective": collective}
        name = f"blackwell_matmul {m}x{n}x{k}, {stages} stages{', pairs' * collective}, {jnp.dtype(dtype).name}"
        yield Case(name, "sm_100a", blackwell(**tuning), _factors(dtype))


SWEEP = [*_products(), *_ragged(), *_attention(), *_blackwell()]

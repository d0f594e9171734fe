# JAX's own kernels for GPUs, those of `pallas_call`, as they are: mapped to CTAs and threads they give what interpret
# mode gives, with the last thread first. Their gradients are kernels, too.
#
# RUN: %python %s | FileCheck %s

from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import differences, interpreted
from jax.experimental.pallas.ops.gpu import (
    attention,
    decode_attention,
    layer_norm,
    paged_attention,
    rms_norm,
    softmax,
)

PIPELINE = "grid-to-gpu{path=mapped stop-after=mapped},gpu-unmap-loops{reverse=true},loops-to-cpu"
BLOCKS = attention.BlockSizes(32, 32, 32, 32, 32, 32)


def numbers(*shape: int, seed: int = 0, dtype: Any = np.float32) -> np.ndarray:
    return np.random.RandomState(seed).randn(*shape).astype(dtype)


def mha(q: Any, k: Any, v: Any, segments: Any) -> Any:
    return attention.mha(q, k, v, segments, sm_scale=0.1, causal=True, block_sizes=BLOCKS)


def mha_gradient(q: Any, k: Any, v: Any) -> Any:
    return jax.grad(lambda *a: jnp.sum(mha(*a, None) ** 2), argnums=(0, 1, 2))(q, k, v)


def gqa(q: Any, k: Any, v: Any, start: Any, length: Any) -> Any:
    return decode_attention.gqa(q, k, v, start, length, block_h=16, block_k=32, k_splits=2)


def paged(q: Any, k: Any, v: Any, table: Any, lengths: Any) -> Any:
    options = {"block_h": 16, "pages_per_compute_block": 2, "k_splits": 2}
    return paged_attention.paged_attention(q, k, v, table, lengths, **options)


def layer_norm_gradient(x: Any, weight: Any, bias: Any) -> Any:
    return jax.grad(lambda *a: jnp.sum(layer_norm.layer_norm(*a) ** 2), argnums=(0, 1, 2))(x, weight, bias)


def rms_norm_gradient(x: Any, weight: Any, bias: Any) -> Any:
    return jax.grad(lambda *a: jnp.sum(rms_norm.rms_norm(*a) ** 2), argnums=(0, 1, 2))(x, weight, bias)


HEADS = [numbers(1, 64, 2, 24, seed=i) for i in range(3)]
ROWS = (numbers(2, 2, 200), numbers(200, seed=1), numbers(200, seed=2))
CACHE = [numbers(2, 64, 2, 16, seed=i, dtype=np.float16) for i in range(2)]
PAGES = [numbers(2, 16, 8, 16, seed=i, dtype=np.float16) for i in range(2)]
TABLE = np.random.RandomState(0).randint(0, 16, (2, 8)).astype(np.int32)
KERNELS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (mha, (*(x.astype(np.float16) for x in HEADS), np.arange(64, dtype=np.int32)[None] // 20)),
    (mha_gradient, tuple(HEADS)),
    (gqa, (numbers(2, 8, 16, dtype=np.float16), *CACHE, np.array([3, 5], np.int32), np.array([50, 64], np.int32))),
    (paged, (numbers(2, 8, 16, dtype=np.float16), *PAGES, TABLE, np.array([40, 64], np.int32))),
    (layer_norm_gradient, ROWS),
    (rms_norm_gradient, ROWS),
    (softmax.softmax, (numbers(3, 2, 300),)),
]

# CHECK: 7 of 7 equal interpret mode
equal = 0
for function, args in KERNELS:
    with interpreted():
        want = jax.jit(lambda *a, f=function: f(*a))(*args)
    with gridir.installed(options=gridir.CpuOptions(pipeline=PIPELINE)):
        got = jax.jit(lambda *a, f=function: f(*a))(*args)
    problems = differences(got, want, function, args)
    if problems:
        print(f"{getattr(function, '__name__', function)}:", *problems)
    equal += not problems
print(f"{equal} of {len(KERNELS)} equal interpret mode")

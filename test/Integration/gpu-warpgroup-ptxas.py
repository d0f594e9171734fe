# REQUIRES: ptxas
# JAX's own attention for Hopper, at the sizes of a model, is assembled without a spill, and ptxas serialises nothing.
#
# RUN: %python %s | FileCheck %s

import types

import gridir
import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import attention_mgpu


def look(name, function, *args):
    try:
        (kernel,) = gridir.lower(function, *args, target="gpu:sm_90a").compile().kernels
        spills = kernel.cubin.spill_bytes
        print(f"{name}: {spills} bytes of spills")
    except gridir.Error as error:
        print(f"{name}:", error)


# CHECK: attention: 0 bytes of spills
attention_mgpu.cuda_versions = types.SimpleNamespace(cuda_runtime_get_version=lambda: 13000)
tuning = attention_mgpu.TuningConfig(block_q=64, block_kv=128, max_concurrent_steps=2)
array = jax.ShapeDtypeStruct((1, 4096, 16, 128), jnp.float16)
look("attention", lambda q, k, v: attention_mgpu.attention(q, k, v, tuning), array, array, array)

"""A device for JAX's kernels of warpgroups that ask for the number of its multiprocessors."""

import types

import jax
from jax.experimental.pallas.ops.gpu import (
    attention_mgpu,
    blackwell_ragged_dot_mgpu,
    hopper_mixed_type_matmul_mgpu,
    transposed_ragged_dot_mgpu,
)

DEVICE = types.SimpleNamespace(core_count=4)


def replace_device() -> None:
    """Gives the kernels that ask a device of four multiprocessors."""
    transposed_ragged_dot_mgpu.jax = blackwell_ragged_dot_mgpu.jax = types.SimpleNamespace(
        **(vars(jax) | dict.fromkeys(("devices", "local_devices"), lambda: [DEVICE]))
    )
    hopper_mixed_type_matmul_mgpu.backend = types.SimpleNamespace(get_default_device=lambda: DEVICE)
    attention_mgpu.cuda_versions = types.SimpleNamespace(cuda_runtime_get_version=lambda: 13000)

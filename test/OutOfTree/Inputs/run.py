# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel that another tool has taken to loops: `run.py FILE`."""

import sys
from pathlib import Path

import gridir
import jax
import jax.numpy as jnp
from gridir.runtime import cpu

gridir.install()  # Makes XLA know the custom call.
options = gridir.CpuOptions(pipeline="loops-to-cpu")
attributes = cpu.call_attributes("axpy", "trial", Path(sys.argv[1]).read_bytes(), options)
x = jnp.arange(64 * 128, dtype=jnp.float32).reshape(64, 128)
result = jax.ffi.ffi_call(cpu.CALL_TARGET, jax.ShapeDtypeStruct((32, 128), jnp.float32))(x, **attributes)
# Each program takes the eight rows from the fourth on of its sixteen.
expected = 2 * x.reshape(4, 16, 128)[:, 4:12].reshape(32, 128)
print("axpy on the CPU:", bool((result == expected).all()))

# RUN: %python %s %repository | FileCheck %s

# What `gridir gpu-check --compare` says where JAX's pipeline is not installed, and what JAX hands to it, which needs
# nothing but JAX.

import importlib.util
import sys
from pathlib import Path
from unittest import mock

from click.testing import CliRunner
from gridir.cli.gpu_check import gpu_check
from gridir.errors import OptionError

example = str(Path(sys.argv[1]) / "examples" / "mosaic_gpu" / "wgmma_matmul.py")

# CHECK: 1 True
with mock.patch.object(importlib.util, "find_spec", return_value=None):
    result = CliRunner().invoke(gpu_check, [example, "--compare"])
print(result.exit_code, "expected the package jax_plugins.xla_cuda13 of JAX's CUDA plugin" in result.output)

from gridir.cli.example import load_example  # noqa: E402
from gridir.frontend.jax_compat_peer import lower_to_mosaic  # noqa: E402

known = load_example(example, None)
# The same again: JAX keeps what it has lowered.
for _ in range(2):
    modules = lower_to_mosaic(known.function, known.args, "sm_90a")
    # CHECK-NEXT: 1 b'ML\xefR'
    # CHECK-NEXT: 1 b'ML\xefR'
    print(len(modules), modules[0][:4])
# CHECK-NEXT: expected a chip that JAX lowers kernels of Mosaic GPU for, got 'sm_80'
try:
    lower_to_mosaic(known.function, known.args, "sm_80")
except OptionError as error:
    print(error)

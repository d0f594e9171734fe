# RUN: %python %s %repository | FileCheck %s

# The output of `gridir gpu-check --compare` without JAX's pipeline, and the input of that pipeline, which needs nothing
# but JAX.

import importlib
import importlib.util
import sys
import types
from pathlib import Path
from unittest import mock

from click.testing import CliRunner
from gridir.cli.example import load_example
from gridir.cli.gpu_check import gpu_check
from gridir.errors import OptionError, UnsupportedError
from gridir.frontend.compat.jax_peer import lower_to_mosaic
from gridir.runtime.ptxas import peer

example = str(Path(sys.argv[1]) / "examples" / "mosaic_gpu" / "wgmma_matmul.py")

# CHECK: 1 True
with mock.patch.object(importlib.util, "find_spec", return_value=None):
    result = CliRunner().invoke(gpu_check, [example, "--compare"])
print(result.exit_code, "expected the package jax_plugins.xla_cuda13 of JAX's CUDA plugin" in result.output)

# CHECK-NEXT: expected ptxas and libdevice: pip install 'gridir[peer]'
with mock.patch.object(peer, "package_directory"), mock.patch.object(peer, "find_ptxas", return_value=None):
    try:
        peer.check_installed()
    except peer.PeerError as error:
        print(error)

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

# The number of kernels of gridir and JAX must be equal.
command = importlib.import_module("gridir.cli.gpu_check")
pipeline = types.SimpleNamespace(driver=types.SimpleNamespace(pretend=lambda *_: None))
# CHECK-NEXT: expected as many kernels of Mosaic GPU from JAX as from gridir, 2, got 1
try:
    command._compare(types.SimpleNamespace(kernels=(None, None)), known, "sm_90a", pipeline)
except UnsupportedError as error:
    print(error)

# RUN: %python %s | FileCheck %s
"""What options, targets and stages refuse: each row is an error's words and a call that meets it."""

import dataclasses

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler import gpu
from gridir.compiler.kernel import make_kernel
from gridir.compiler.targets import get_target
from gridir.errors import OptionError, UnsupportedError
from gridir.mlir import ir
from jax.experimental import pallas as pl
from refusals import report

X = jax.ShapeDtypeStruct((32, 128), jnp.float32)
SCHEDULE = "#warpgroup.schedule<cta = [128], warpgroup = [128]>"


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def lowered(**how):
    return gridir.lower(pl.pallas_call(copy, out_shape=X), X, **how)


def launched():
    """Launches a kernel whose number of CTAs no rule gives."""
    [kernel] = lowered(target="gpu").kernels
    unknown = dataclasses.replace(kernel.prepare(), description=None)
    unknown.launch([np.zeros(X.shape, np.float32)] * 2)


# CHECK: OptionError: 17 of 17 refused in these words
report(
    OptionError,
    {
        "expected schedule_seed from 0 to 2**63 - 1, got -1": lambda: gridir.CpuOptions(schedule_seed=-1),
        "expected schedule_seed from 0 to 2**63 - 1, got 9223372036854775808": lambda: gridir.CpuOptions(
            schedule_seed=2**63
        ),
        "expected cpu to be a string, got None": lambda: gridir.CpuOptions(cpu=None),
        "expected features to be a string, got ['+avx2']": lambda: gridir.CpuOptions(features=["+avx2"]),
        "expected opt_level to be an integer, got True": lambda: gridir.CpuOptions(opt_level=True),
        "expected checks to be a list of strings, got 'races'": lambda: gridir.CpuOptions(checks="races"),
        "expected schedule_seed to be an integer or None, got 1.5": lambda: gridir.CpuOptions(schedule_seed=1.5),
        "expected chip to be a string, got None": lambda: gridir.GpuOptions(chip=None),
        "expected checks to be a list of strings, got None": lambda: gridir.GpuOptions(checks=None),
        "expected elide_checks to be True or False, got 'no'": lambda: gridir.TpuOptions(elide_checks="no"),
        "expected num_warps from 1 to 32, got 33": lambda: gridir.GpuOptions(num_warps=33),
        "expected num_warps from 1 to 32, got 0": lambda: gridir.GpuOptions(num_warps=0),
        "expected a schedule or path='mapped', got both": lambda: gridir.GpuOptions(path="mapped", schedule=SCHEDULE),
        "expected workspace_limit of at least 0, got -1": lambda: gridir.GpuOptions(workspace_limit=-1),
        "expected options for chip 'sm_80', as in the target, got 'sm_90a'": lambda: lowered(
            target="gpu:sm_80", options=gridir.GpuOptions()
        ),
        "expected a function lowered for target 'tpu', got one for 'cpu'": lambda: gridir.tpu.aot(lowered()),
        "expected a function to compare with JAX's lowering of it, got a lowered one": lambda: gridir.tpu.aot(
            lowered(target="tpu"), compare=True
        ),
    },
)

# CHECK-NEXT: UnsupportedError: 1 of 1 refused in these words
report(
    UnsupportedError,
    {"expected a number of CTAs that is a product of the sizes of the grid, got another one": launched},
)

# CHECK-NEXT: ValueError: 2 of 2 refused in these words
with ir.Context():
    empty = ir.Module.parse("module {}")
    report(
        ValueError,
        {
            "expected a module with one grid.kernel, got 0": lambda: make_kernel(
                empty, get_target("cpu"), gridir.CpuOptions()
            ),
            "expected a module with a gpu.binary": lambda: gpu.text_of(empty),
        },
    )

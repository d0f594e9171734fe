# The effect of each field of the authors' records on a GPU: it is visible in the PTX and in the launch, or it changes
# nothing, or it is an error with a location.
#
# RUN: %python %s | FileCheck %s

import re
from typing import Any

import gridir
import jax
import jax.numpy as jnp
from gridir.mosaic_gpu import CompilerParams as MosaicParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import triton


def softmax(x_ref: Any, o_ref: Any) -> None:
    o_ref[...] = jax.nn.softmax(x_ref[...], axis=-1)


def total(x_ref: Any, o_ref: Any) -> None:
    @pl.when(pl.program_id(1) == 0)
    def _() -> None:
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...]


def lower(params: Any, kernel: Any = softmax, **options: Any) -> Any:
    block = pl.BlockSpec((8, 256), lambda i, j: (i, j))
    call = pl.pallas_call(
        kernel,
        grid=(4, 2),
        in_specs=[block],
        out_specs=block if kernel is softmax else pl.BlockSpec((8, 256), lambda i, j: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((32, 512), jnp.float32),
        compiler_params=params,
    )
    chosen = gridir.GpuOptions(chip="sm_90a", libdevice=False, **options)
    x = jax.ShapeDtypeStruct((32, 512), jnp.float32)
    return gridir.lower(call, x, target="gpu:sm_90a", options=chosen).kernels[0].prepare()


def refusal(params: Any) -> str:
    try:
        lower(params)
    except gridir.Error as error:
        lines = str(error).splitlines()
        location = next(line for line in lines if line.strip().startswith("at "))
        return f"{lines[0]} | at {location.split('/')[-1]}"
    return "no error"


def threads(kernel: Any) -> str:
    found = re.search(r"\.(reqntid|maxntid) (\d+)", kernel.ptx)
    assert found is not None
    return f"{kernel.threads} threads, .{found[1]} {found[2]}"


# The size of a CTA: the next multiple of four warps.
# CHECK: by default: 128 threads, .{{reqntid|maxntid}} 128
# CHECK: 1 warp: 128 threads, .{{reqntid|maxntid}} 128
# CHECK: 8 warps: 256 threads, .{{reqntid|maxntid}} 256
# CHECK: options instead: 128 threads, .{{reqntid|maxntid}} 128
print("by default:", threads(lower(None)))
print("1 warp:", threads(lower(triton.CompilerParams(num_warps=1))))
print("8 warps:", threads(lower(triton.CompilerParams(num_warps=8))))
print("options instead:", threads(lower(triton.CompilerParams(num_warps=8), num_warps=2)))
# CHECK: 64 warps: expected num_warps from 1 to 32 on gpu:sm_90a, got 64 | at gpu-params.py
print("64 warps:", refusal(triton.CompilerParams(num_warps=64)))

# Which dimensions become CTAs.
# CHECK: parallel: 16 CTAs
# CHECK: sequential: 8 CTAs
print(f"parallel: {lower(MosaicParams(dimension_semantics=('parallel', 'parallel'))).ctas} CTAs")
print(f"sequential: {lower(MosaicParams(dimension_semantics=('parallel', 'sequential')), total).ctas} CTAs")

# Approximate functions are one instruction.
# CHECK: approx_math: ex2.approx is used: False True
exact, approximate = lower(MosaicParams()).ptx, lower(MosaicParams(approx_math=True)).ptx
print("approx_math: ex2.approx is used:", "ex2.approx" in exact, "ex2.approx" in approximate)

# Fields without effect.
# CHECK: same PTX: [True, True, True, True, True, True]
plain = lower(MosaicParams(dimension_semantics=("parallel", "parallel"))).ptx
without_effect = (
    triton.CompilerParams(num_stages=4),
    MosaicParams(max_concurrent_steps=4),
    MosaicParams(max_concurrent_steps=4, delay_release=2),
    MosaicParams(unsafe_no_auto_barriers=True),
    MosaicParams(profile_trace_scope=plgpu.TraceScope.WARP),
    MosaicParams(lowering_semantics=plgpu.LoweringSemantics.Warpgroup),
)
print("same PTX:", [lower(params).ptx == plain for params in without_effect])

# Rejected fields.
# CHECK: reduction: expected reduction_scratch_bytes of at least 512 for this reduction, got 64 | at gpu-params.py
print("reduction:", refusal(MosaicParams(reduction_scratch_bytes=64)))
try:
    MosaicParams(delay_release=1)
except gridir.Error as error:
    # CHECK: delay: expected delay_release to be less than max_concurrent_steps = 1, got 1
    print("delay:", error)

# CHECK: path: expected path to be 'auto' or 'mapped', got 'fast'
try:
    gridir.GpuOptions(path="fast")
except gridir.Error as error:
    print("path:", error)

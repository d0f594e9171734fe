# RUN: %python %s | FileCheck %s
"""Errors of launches on a GPU, and of values that describe one."""

import hashlib
import io
import os
import sys
import zipfile
from functools import partial

import gridir
import jax
import numpy as np
from gridir.compiler.bundle import bundle_of
from gridir.compiler.gpu import GpuOptions
from gridir.runtime import ptx
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))

from kernels import halves

driver = ptx.open_driver()
driver.pretend(9, devices=1, has_current_context=False)

from gridir.errors import Error
from gridir.runtime import gpu
from gridir.runtime.gpu import arrays
from gridir.runtime.gpu.chips import capability_of, cubin_devices, ptx_devices, runs_on
from gridir.runtime.gpu.host_arrays import execute
from gridir.runtime.gpu.launch import Launch, Operand, TensorMap


def refused(call, *args, **options):
    try:
        call(*args, **options)
    except Error as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")
    else:
        print("NOT refused")


# CHECK: OptionError: expected the name of a chip, as sm_90a, got 'h100'
refused(capability_of, "h100")
# Code for a chip with a letter runs on that chip, or on its family; other PTX runs on later chips.
# CHECK: [True, False] [True, True, False] [True, True] [True, False]
print(
    [runs_on(ptx_devices("sm_90a"), device) for device in ((9, 0), (10, 0))],
    [runs_on(ptx_devices("sm_80"), device) for device in ((8, 0), (9, 0), (7, 5))],
    [runs_on(ptx_devices("sm_100f"), device) for device in ((10, 0), (10, 3))],
    [runs_on(cubin_devices("sm_80"), device) for device in ((8, 6), (9, 0))],
)
# Numbers of CUDA exist for some types and swizzles of tensor maps.
# CHECK: {'cuda_type': 9, 'cuda_swizzle': 3}
print(TensorMap(0, "bfloat16", (8, 64), (128, 2), (8, 64), 128).cuda_numbers)
# CHECK: KernelError: expected an element type and a swizzle of tensor maps, got int4 and 128
# CHECK: KernelError: expected an element type and a swizzle of tensor maps, got bfloat16 and 16
for unknown in (
    TensorMap(0, "int4", (8, 64), (128, 2), (8, 64), 128),
    TensorMap(0, "bfloat16", (8, 64), (128, 2), (8, 64), 16),
):
    refused(getattr, unknown, "cuda_numbers")
# CHECK: OptionError: expected checks and schedule_seed for the executor of PTX, got them with a device
refused(GpuOptions, device=0, checks=("races",))

device = gpu.open_device(0)
# CHECK: DriverError: expected one of 1 devices, got 7
refused(gpu.open_device, 7)
# CHECK: DriverError: cuModuleLoadDataEx failed with {{[0-9]+}} ({{.+}})
refused(device.load, b"no PTX\0")
# CHECK: LaunchError: expected the address of memory on a GPU, got 0x10: cuPointerGetAttribute failed
refused(gpu.open_cuda().device_of, 16)

TEXT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry nothing(.param .u64 out) { ret; }
"""
# CHECK: LaunchError: expected at most {{[0-9]+}} bytes of shared memory on this device, got 1048576
refused(device.load(TEXT.encode() + b"\0").function, Launch("nothing", 32, 1, (Operand(0),), shared_bytes=1 << 20))
# An error of the driver names the kernel.
# CHECK: of the kernel: nothing
try:
    execute(b"no PTX\0", Launch("nothing", 32, 1, (Operand(0),)), [np.zeros(1)], device)
except gpu.DriverError as error:
    print("of the kernel:", error.kernel)
# CHECK: LaunchError: expected numbers for input x, got DLPack's type 3 of 64 bits and 1 lanes
refused(arrays.view_of, (0, 0, b"\x03\x40\x01\x00", b"", b"", False), "input x")


def archive(index):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("bundle.json", index)
        file.writestr("k.ptx", "text")
    contents = data.getvalue()
    return b"gridir-bundle 3 " + hashlib.sha256(contents).hexdigest().encode() + b"\n" + contents


# CHECK: BundleError: expected a bundle of gridir, got <bundle>: expected the part k.ptx with the hash 00, got another
index = '{"kernels": [{"images": {"ptx": {"part": "k.ptx", "sha256": "00"}}}], "versions": {}}'
refused(gpu.Bundle.from_bytes, archive(index))


def profiled(x):
    def body(x_ref, o_ref):
        with jax.named_scope("all"):
            o_ref[...] = x_ref[...]

    params = plgpu.CompilerParams(profile_space=8, profile_dir="traces")
    return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((128,), "float32"), compiler_params=params)(x)


def doubled(x):
    def doubled_kernel(x_ref, o_ref):
        o_ref[...] = 2 * x_ref[...]

    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    grid = (pl.cdiv(x.shape[0], 8),)
    return pl.pallas_call(doubled_kernel, grid=grid, in_specs=[rows], out_specs=rows, out_shape=x)(x)


# CHECK: UnsupportedError: expected a kernel without profile_space in a bundle, whose launches write no profile
profile = gridir.lower(profiled, jax.ShapeDtypeStruct((128,), "float32"), target="gpu:sm_90a")
refused(bundle_of, profile.kernels)
# CHECK: UnsupportedError: expected arrays of numbers, of known shape, in a bundle, got x_ref:
count = jax.export.symbolic_shape("n")[0]
refused(bundle_of, gridir.lower(doubled, jax.ShapeDtypeStruct((count, 128), "float32"), target="gpu:sm_90a").kernels)
# CHECK: UnsupportedError: expected bulk copies alone to access o, as they see 2
# CHECK-SAME: elements in a byte, got accesses of threads
octets = jax.ShapeDtypeStruct((128,), "uint8")
refused(bundle_of, gridir.lower(partial(halves, also_by_threads=True), octets, target="gpu:sm_90a").kernels)
# CHECK: KernelError: expected the description of a launch, got one with a wrong field: ctas None with dynamic_ctas None
launch = Launch("nothing", 32, 1, (Operand(0),))
refused(Launch.from_json, {**launch.to_json(), "ctas": None})

# CHECK: UnsupportedError: expected a kernel without profile_space, as only the executor of PTX writes a profile
with gridir.installed(platforms=("cuda",)):
    traced = jax.jit(profiled).trace(jax.ShapeDtypeStruct((128,), "float32"))
    refused(traced.lower, lowering_platforms=("cuda",))

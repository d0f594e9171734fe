# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of kernels on NVIDIA GPUs. Needs Python and NVIDIA's driver: no compiler, no JAX, no MLIR."""

from gridir.errors import LaunchError
from gridir.runtime.gpu.arrays import ArrayView, view
from gridir.runtime.gpu.bundle import Bundle, BundledKernel, BundleError, OperandInfo, read_bundle, write_bundle
from gridir.runtime.gpu.kernels import GpuKernel, LoadedBundle, load
from gridir.runtime.gpu.launch import Launch
from gridir.runtime.gpu.libcuda import Device, DriverError, open_cuda, open_device

__all__ = [
    "ArrayView",
    "Bundle",
    "BundleError",
    "BundledKernel",
    "Device",
    "DriverError",
    "GpuKernel",
    "Launch",
    "LaunchError",
    "LoadedBundle",
    "OperandInfo",
    "load",
    "open_cuda",
    "open_device",
    "read_bundle",
    "view",
    "write_bundle",
]

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of Pallas' Mosaic GPU backend, in kernels whose threads are warpgroups."""

from gridir.frontend.rules.warpgroup import clusters, copies, devices, inline, matrix_units, memory, warps

__all__ = ["clusters", "copies", "devices", "inline", "matrix_units", "memory", "warps"]

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gridir: a compiler toolkit for block-structured array kernels written with JAX's Pallas API."""

__version__ = "0.1.0"

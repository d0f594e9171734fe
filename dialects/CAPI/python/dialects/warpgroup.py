# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `warpgroup` dialect in Python: its generated ops."""

from gridir.mlir.dialects._warpgroup_ops_gen import *  # noqa: F403

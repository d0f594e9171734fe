# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes every new `Context` know gridir's dialects: MLIR's bindings import this module first."""

from ._gridirDialects import register_dialects

__all__ = ["register_dialects"]

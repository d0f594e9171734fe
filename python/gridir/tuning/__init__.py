# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The choice of block sizes for a chip, without the chip."""

from gridir.tuning.space import Record, Space, record

__all__ = ["Record", "Space", "record"]

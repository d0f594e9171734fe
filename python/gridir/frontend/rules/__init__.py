# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lowering rules, in files by family. Importing this package registers them all."""

from gridir.frontend.compat import jax_changes
from gridir.frontend.rules import (
    atomics,
    casts,
    control,
    convolution,
    copies,
    dot,
    elementwise,
    index_maps,
    indexing,
    integer,
    pallas,
    random,
    reduction,
    scopes,
    shape,
    sorting,
    sparse_core,
    sparse_core_tpu,
    special,
    state,
    tpu,
    triton,
    warpgroup,
)

__all__ = [
    "atomics",
    "casts",
    "control",
    "convolution",
    "copies",
    "dot",
    "elementwise",
    "index_maps",
    "indexing",
    "integer",
    "pallas",
    "random",
    "reduction",
    "scopes",
    "shape",
    "sorting",
    "sparse_core",
    "sparse_core_tpu",
    "special",
    "state",
    "tpu",
    "triton",
    "warpgroup",
]

jax_changes.check_rules()

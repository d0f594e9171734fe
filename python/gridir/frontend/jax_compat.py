# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The only file that imports JAX's private modules; the rest of gridir sees what it shows."""

from __future__ import annotations

from typing import Any

from jax._src import core as _core
from jax._src import source_info_util as _source_info
from jax._src import state as _state
from jax._src.pallas import core as _pallas_core
from jax._src.pallas.mosaic import core as _tpu_core
from jax._src.state import indexing as _indexing
from jax._src.state import types as _state_types

from gridir.errors import Frame

AbstractRef = _state.AbstractRef
DropVar = _core.DropVar
Literal = _core.Literal
NDIndexer = _indexing.NDIndexer
Slice = _indexing.Slice
TransformedRef = _state_types.TransformedRef
BitcastTransform = _state_types.BitcastTransform
ReshapeTransform = _state_types.ReshapeTransform
TransposeTransform = _state_types.TransposeTransform
SelectTransform = _state_types.SelectTransform


def user_frame(source_info: Any) -> Frame | None:
    """The innermost frame outside JAX's own files of the code that made an equation, or None."""
    frame = _source_info.user_frame(source_info.traceback)
    if frame is None:
        return None
    return Frame(frame.file_name, frame.start_line, frame.start_column + 1, frame.function_name)


def space_owner(space: Any) -> str:
    """The prefix that tells the memory spaces of one backend from those of another."""
    if isinstance(space, _tpu_core.MemorySpace):
        return "tpu."
    if isinstance(space, _pallas_core.MemorySpace):
        return ""
    return "gpu." if "mosaic_gpu" in type(space).__module__ else ""

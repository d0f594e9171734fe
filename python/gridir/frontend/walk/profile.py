# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Implements `profile_space`: the begin and end of named scopes, as a trace in JAX's format."""

from __future__ import annotations

import abc
import collections
import dataclasses
import functools
import itertools
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gridir import emit
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.request.options import records_of
from gridir.mlir import ir
from gridir.mlir.dialects import grid, warpgroup
from gridir.runtime import traces
from gridir.runtime.callbacks import identity_of

if TYPE_CHECKING:
    from gridir.frontend.walk.context import KernelContext

_WARPS = 4
"""The number of warps of a warpgroup."""

_WHOLE_WARPGROUP = -1
"""The warp number of code that no single warp executes."""

_names: list[str] = []


class Profile(abc.ABC):
    """Code at the begin and end of the author's named scopes."""

    def move(self, kernel: KernelContext, left: Sequence[str], entered: Sequence[str]) -> None:
        """Records, at the current insertion point, that the code of some scopes ends and that of others begins.

        Args:
          kernel: the profiled kernel.
          left: the names of the scopes up to here, the outermost first.
          entered: those from now on.
        """
        common = sum(1 for _ in itertools.takewhile(bool, map(operator.eq, left, entered)))
        for name in reversed(left[common:]):
            self._record(kernel, name, ends=True)
        for name in entered[common:]:
            self._record(kernel, name, ends=False)

    @abc.abstractmethod
    def _record(self, kernel: KernelContext, name: str, *, ends: bool) -> None: ...


class RecordedByThreads(Profile):
    """Threads store the events themselves, as the target says."""

    def _record(self, kernel: KernelContext, name: str, *, ends: bool) -> None:
        warpgroup.ProfileOp(name, ends=ends or None)


@dataclasses.dataclass(frozen=True)
class RecordedByCalls(Profile):
    """Writes the events of each call of a kernel to a separate file, which are calls of a function.

    Attributes:
      kernel: the kernel's name, with which that of the file begins.
      directory: where the files go; it is created if necessary.
      space: JAX's count: the number of recorded scopes of a warpgroup or warp, plus one.
      by_warps: whether each warp has a trace; else each warpgroup, which is that of its first warp.
      sizes: of the dimensions of the grid.
      thread_dim: the number of the one that enumerates the warpgroups of a block, or None.
      truncates: whether scopes without space are left out; else they are a warning, and nothing is written.
    """

    kernel: str
    directory: str
    space: int
    by_warps: bool
    sizes: tuple[int, ...]
    thread_dim: int | None
    truncates: bool

    def __call__(self, events: Sequence[tuple[int, Sequence[np.ndarray]]]) -> None:
        """Writes a trace.

        Args:
          events: the nanoseconds, and the results of `move`: scope and end, warp, and the coordinates in the grid.
        """
        recorded: dict[tuple[int, int], list[traces.Event]] = collections.defaultdict(list)
        for nanoseconds, (event, warp, *ids) in events:
            block, warpgroup = self._place([int(coordinate) for coordinate in ids])
            for trace in self._traces(warpgroup, int(warp)):
                recorded[block, trace].append(traces.Event(_names[int(event) // 2], bool(event % 2), nanoseconds))
        per_block = (1 if self.thread_dim is None else self.sizes[self.thread_dim]) * (_WARPS if self.by_warps else 1)
        of_call = (
            traces.Trace(block, trace + per_block * block, events, len(events))
            for (block, trace), events in recorded.items()
        )
        traces.write(self.kernel, self.directory, of_call, scopes=self.space - 1, truncates=self.truncates)

    def _place(self, ids: Sequence[int]) -> tuple[int, int]:
        """The number of a program's block, and that of its warpgroup there."""
        block = 0
        for dim, (coordinate, size) in enumerate(zip(ids, self.sizes, strict=True)):
            if dim != self.thread_dim:
                block = block * size + coordinate
        return block, 0 if self.thread_dim is None else ids[self.thread_dim]

    def _traces(self, warpgroup: int, warp: int) -> Sequence[int]:
        """The traces of a block that an event belongs to."""
        if self.by_warps:
            warps = range(_WARPS) if warp == _WHOLE_WARPGROUP else [warp]
            return [_WARPS * warpgroup + each for each in warps]
        return [warpgroup] if warp in (_WHOLE_WARPGROUP, 0) else []

    def _record(self, kernel: KernelContext, name: str, *, ends: bool) -> None:
        if name not in _names:
            _names.append(name)
        event = emit.constant(2 * _names.index(name) + ends, emit.i32())
        warp = emit.constant(_WHOLE_WARPGROUP, emit.i32()) if kernel.state.warp is None else kernel.state.warp[1]
        i64 = ir.IntegerType.get_signless(64)
        ids = [grid.ProgramIdOp(ir.IntegerAttr.get(i64, dim)).result for dim in range(len(self.sizes))]
        grid.CallbackOp(ir.StringAttr.get(identity_of(self, gathers=True)), [event, warp, *ids])


_by_calls = functools.cache(RecordedByCalls)
"""Equal profiles are one, so that equal kernels are."""


def profile_of(request: KernelRequest, platform: str, thread_dim: int | None) -> Profile | None:
    """The profile that a kernel's author asks for; None where no space is given, or the target has none.

    Args:
      request: the kernel.
      platform: its platform.
      thread_dim: the dimension of its grid that enumerates the warpgroups of a block, or None.
    """
    params = records_of(request.compiler_params).get("mosaic_gpu")
    sizes = tuple(request.grid_mapping.grid)
    if params is None or not getattr(params, "profile_space", 0) or not all(isinstance(size, int) for size in sizes):
        return None
    if platform == "cuda":
        # A kernel of blocks without explicit warpgroups has no threads to record.
        return RecordedByThreads() if request.mesh is not None else None
    if platform != "cpu":
        return None
    by_warps = params.profile_trace_scope.name == "WARP"
    truncates = getattr(params, "profile_bounds_check", False)
    return _by_calls(
        request.kernel_name, params.profile_dir, params.profile_space, by_warps, sizes, thread_dim, truncates
    )

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The context of a lowering rule: the kernel and the equation."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gridir.errors import Frame, KernelError, UnsupportedError
from gridir.frontend.compat import jax_core
from gridir.frontend.compat.jax_equations import primitive_name
from gridir.frontend.request.kernel_request import DeviceMesh
from gridir.frontend.walk.levels import NO_KIND, Vocabulary
from gridir.frontend.walk.profile import Profile
from gridir.frontend.walk.types import Types
from gridir.mlir import ir


@dataclasses.dataclass
class WalkState:
    """The state of the walk over a kernel's jaxprs.

    Attributes:
      vocabulary: the rule set at the current position: that of a nested jaxpr may differ.
      warp: the label of the axis of the warps, and the number of this one, in code of single warps; else None.
      program_ids: the results of `program_id` inside an inlined pipeline body, which replace the grid's, or None.
      pipeline_grid: the sizes of an inlined pipeline's grid, numbers or values, or None.
      origin: the source info of the equation that is being decomposed, or None; its parts are all from there.
      caller: the source info of the equation whose nested jaxpr is walked, or None.
      guard: inside a branch of an index map: emits whether that branch is taken, once; else None.
      literals: the constants that were made of the jaxpr's literals; some rules read the literal and leave it unused.
      physical: the Refs of a kernel that have the shape in which they lie in memory; others have the author's.
      as_allocated: the abstract Ref of each Ref of a scope whose transforms, if it has any, are still unknown.
      allocated: the Ref for each variable that stands for one which the function itself makes.
      collective_memory: whether tensor memory is of one block or of a pair of them, of each kind that there is.
      barrier_tags: the tags of the barrier semaphores that the kernel requests; there is at most one.
      subcore_barrier: the semaphore at which the subcores of a core synchronize, if the kernel's code has barriers.
    """

    vocabulary: Vocabulary = NO_KIND
    warp: tuple[Hashable, ir.Value] | None = None
    program_ids: tuple[Any, ...] | None = None
    pipeline_grid: tuple[Any, ...] | None = None
    origin: Any = None
    caller: Any = None
    guard: Callable[[], ir.Value] | None = None
    literals: list[ir.Value] = dataclasses.field(default_factory=list)
    physical: tuple[ir.Value, ...] = ()
    as_allocated: dict[ir.Value, Any] = dataclasses.field(default_factory=dict)
    allocated: dict[Any, ir.Value] = dataclasses.field(default_factory=dict)
    collective_memory: set[bool] = dataclasses.field(default_factory=set)
    barrier_tags: set[Hashable] = dataclasses.field(default_factory=set)
    subcore_barrier: ir.Value | None = None

    @contextlib.contextmanager
    def inside_pipeline(self, ids: Sequence[Any] | None = None, grid: Sequence[Any] | None = None) -> Iterator[None]:
        """Lowers the inner equations as part of a pipeline with these program ids, or of these sizes."""
        outer = self.program_ids, self.pipeline_grid
        if ids is not None:
            self.program_ids = tuple(ids)
        if grid is not None:
            self.pipeline_grid = tuple(grid)
        try:
            yield
        finally:
            self.program_ids, self.pipeline_grid = outer


@dataclasses.dataclass(frozen=True)
class KernelContext:
    """The context that all equations of one kernel share.

    Attributes:
      name: the name of the kernel, for errors.
      walk: walks a jaxpr: `walk(kernel, jaxpr, consts, args)` emits its equations and returns its results.
      state: the state of the walk; all else is constant.
      axes: for each grid dimension that the kernel's author sees, its number in the whole grid (`jax.vmap` adds more).
      axis_names: the names of the dimensions of the whole grid, None where one has no name.
      axis_labels: the names of the last of them as JAX has them, which may be no strings.
      static_grid: the sizes of the dimensions of the whole grid, None where the call gives it.
      core_axes: the names of the dimensions that enumerate the cores of a mesh, in their order.
      cluster_axes: the names of those that enumerate the blocks of a cluster.
      thread_axis: the name of the one that enumerates the warpgroups of a block, or None.
      mesh_ids: where several meshes share the grid, this core's index along each axis of its own mesh; else None.
      meshes: then the sizes of the axes of each mesh and the number of its first core, its own mesh first.
      devices: the devices that the call is mapped over, or None.
      platform: the platform that `jax.lax.platform_dependent` is resolved for.
      profile: records the begin and end of named scopes, or None.
      function: the author's function if JAX's own calls it, for code that JAX adds; otherwise None.
    """

    name: str
    walk: Callable[..., list[Any]]
    state: WalkState
    axes: tuple[int, ...] = ()
    axis_names: tuple[str | None, ...] = ()
    axis_labels: tuple[Any, ...] = ()
    static_grid: tuple[int | None, ...] = ()
    core_axes: tuple[str, ...] = ()
    cluster_axes: tuple[str, ...] = ()
    thread_axis: str | None = None
    mesh_ids: tuple[ir.Value, ...] | None = None
    meshes: tuple[tuple[Mapping[str, int | None], int], ...] = ()
    devices: DeviceMesh | None = None
    platform: str = "cpu"
    profile: Profile | None = None
    function: Frame | None = None
    _locations: dict[Any, ir.Location] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def tracing_state(self) -> Hashable:
        """Returns the state, apart from arguments, on which JAX's tracing depends."""
        return jax_core.tracing_state()

    def name_of(self, label: Any) -> str:
        """The name in `axis_names` of the dimension that JAX gives a label."""
        if label in self.axis_labels:
            first = len(self.axis_names) - len(self.axis_labels)
            return str(self.axis_names[first + self.axis_labels.index(label)])
        return str(label)

    def size_of(self, axis_name: str) -> int | None:
        """The size of the grid dimension of that name; None where the call gives it."""
        return self.static_grid[self.axis_names.index(axis_name)]

    def source_info_of(self, eqn: Any) -> Any:
        """The source info that an equation goes by; JAX forgets that of functions which it has traced before."""
        if self.state.origin is not None:
            return self.state.origin
        known = self.state.caller is None or jax_core.user_frame(eqn.source_info) is not None
        return eqn.source_info if known else self.state.caller

    def frame(self, source_info: Any) -> Frame | None:
        """The source location of an equation; None if it is unknown."""
        return jax_core.user_frame(source_info) or self.function

    def location(self, source_info: Any) -> ir.Location:
        """The MLIR location of an equation."""
        traceback = source_info.traceback
        location = self._locations.get(traceback)
        if location is None:
            location = self._locations[traceback] = _location_of(self.frame(source_info))
        return location


def _location_of(frame: Frame | None) -> ir.Location:
    if frame is None:
        return ir.Location.unknown()
    line = ir.Location.file(frame.file, frame.line, frame.column)
    return ir.Location.name(frame.function, line) if frame.function else line


@dataclasses.dataclass
class RuleContext:
    """The context in which one equation is lowered.

    Attributes:
      kernel: the kernel that the equation is in.
      eqn: the equation.
      used: the variables of its jaxpr that anything reads.
      source_info: where the author wrote it.
      vocabulary: the rule set of the jaxpr that contains the equation.
      inside: the rule set of the jaxprs in the equation.
      avals_in: the abstract values of the operands.
      avals_out: the abstract values of the results.
    """

    kernel: KernelContext
    eqn: Any
    used: frozenset[Any]
    source_info: Any
    vocabulary: Vocabulary = NO_KIND
    inside: Vocabulary = NO_KIND
    avals_in: list[Any] = dataclasses.field(init=False)
    avals_out: list[Any] = dataclasses.field(init=False)
    _out_type: ir.Type | None = None

    def __post_init__(self):
        self.avals_in = [v.aval for v in self.eqn.invars]
        self.avals_out = [v.aval for v in self.eqn.outvars]

    @property
    def types(self) -> Types:
        """How abstract values become MLIR types."""
        return self.vocabulary.types

    @property
    def out_type(self) -> ir.Type:
        """The type of the first result."""
        # Python's `cached_property` takes a lock, which takes longer than all else here.
        if self._out_type is None:
            self._out_type = self.types.value(self.avals_out[0])
        return self._out_type

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The source location of the equation; empty if it is unknown."""
        frame = self.kernel.frame(self.source_info)
        return (frame,) if frame else ()

    def is_used(self, result: int = 0) -> bool:
        """True if an equation reads that result."""
        return self.eqn.outvars[result] in self.used

    def inline(self, jaxpr: Any, consts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """Emits the equations of a nested jaxpr here and returns its results."""
        return self._walk(self.inside, jaxpr, consts, values)

    def decompose(self, jaxpr: Any, consts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """Like `inline`, for a jaxpr that gridir created: its equations are reported as parts of this one."""
        state = self.kernel.state
        outer, state.origin = state.origin, self.source_info
        try:
            return self._walk(self.vocabulary, jaxpr, consts, values)
        finally:
            state.origin = outer

    def _walk(self, vocabulary: Vocabulary, jaxpr: Any, consts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        state = self.kernel.state
        outer = state.caller, state.vocabulary
        state.caller, state.vocabulary = self.source_info, vocabulary
        try:
            return self.kernel.walk(self.kernel, jaxpr, consts, values)
        finally:
            state.caller, state.vocabulary = outer

    def static_value(self, operand: int) -> np.ndarray | None:
        """The value of an operand that is written in the jaxpr itself, or None."""
        var = self.eqn.invars[operand]
        return np.asarray(var.val) if isinstance(var, jax_core.Literal) else None

    def unsupported(self, message: str, *notes: str) -> UnsupportedError:
        """An error about this equation, to be raised: it is not supported."""
        return UnsupportedError(
            f"{primitive_name(self.eqn.primitive)}: {message}", kernel=self.kernel.name, frames=self.frames, notes=notes
        )

    def invalid(self, message: str) -> KernelError:
        """An error about this equation, to be raised: it means nothing."""
        return KernelError(
            f"{primitive_name(self.eqn.primitive)}: {message}", kernel=self.kernel.name, frames=self.frames
        )

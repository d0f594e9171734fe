# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel at one stage of the compiler."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from gridir.compiler.options import Options
from gridir.compiler.passes import parse_module, run_pipeline, shared_context, to_bytecode, verify_module
from gridir.compiler.target import Target
from gridir.errors import within_kernel
from gridir.mlir import ir
from gridir.mlir.dialects import grid
from gridir.passes import versions

T = TypeVar("T")


class _Progress:
    """The stages that a kernel has reached.

    Attributes:
      stages: its module at each stage that it has reached, as bytecode.
      keeps_all: True to keep it at every stage, and not only at requested ones.
      made: the result of its target; None before that.
    """

    def __init__(self) -> None:
        self.stages: dict[str, bytes] = {}
        self.keeps_all = False
        self.made: Any = None


@functools.lru_cache(maxsize=256)
def _progress(identity: tuple[str, bytes]) -> _Progress:
    """The progress of the kernels of an identity, until a number of others were requested."""
    return _Progress()


def forget_progress() -> None:
    """Forgets the results of all kernels, so that they are compiled again; for measurements."""
    _progress.cache_clear()


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One kernel of a program, at every stage of its target.

    Attributes:
      name: the symbol of the kernel.
      target: its target.
      options: how.
      bytecode: the frontend's module as MLIR bytecode: the content that identifies the kernel.
      grid_mapping: JAX's own `jax.extend.pallas.GridMapping`, or None for a kernel that did not come from JAX.
      source: the kernel function and its source line, for messages; None if it is unknown.
      has_side_effects: True if a call must stay even if its results are not used.
      group_size: how many devices' calls run together, as their programs reach each other; 1 for a kernel that only
        knows the number of its device, 0 for one that does not.
    """

    name: str
    target: Target
    options: Options
    bytecode: bytes = dataclasses.field(repr=False)
    grid_mapping: Any = dataclasses.field(default=None, repr=False, compare=False)
    source: str | None = dataclasses.field(default=None, repr=False, compare=False)
    has_side_effects: bool = False
    group_size: int = 0

    @property
    def stages(self) -> tuple[str, ...]:
        """The names that `text` and `module` take, in the order in which the kernel passes through them."""
        return self.target.stages

    @functools.cached_property
    def key(self) -> str:
        """Returns the identity of the kernel and its options, which is the same in every process unless a pass is in
        Python.
        """
        compilation, bytecode = self._identity
        digest = hashlib.sha256(compilation.encode())
        digest.update(bytecode)
        return digest.hexdigest()

    @functools.cached_property
    def _identity(self) -> tuple[str, bytes]:
        """Returns the parts of `key`, which suffice within a process."""
        return repr((self.target.name, self.options, *versions(self.options.pipeline))), self.bytecode

    def keep_stages(self) -> None:
        """Keeps the module at each stage up to a later one, for later readers."""
        _progress(self._identity).keeps_all = True

    def nearest(self, stage: str) -> tuple[str, bytes]:
        """Returns the last stage up to this one that the kernel has reached, and its module there as bytecode."""
        reached = _progress(self._identity).stages
        # A pipeline of a person's own has no stages to go on from.
        before = self.stages[1 : self.stages.index(stage) + 1] if self.options.has_stages else (stage,)
        for earlier in reversed(before):
            if earlier in reached:
                return earlier, reached[earlier]
        return self.stages[0], self.bytecode

    def module(
        self,
        stage: str = "grid",
        *,
        print_after_all: bool = False,
        timing: bool = False,
        statistics: bool = False,
        context: ir.Context | None = None,
        keeps: bool = True,
    ) -> ir.Module:
        """Returns the kernel's module at a stage. It continues from the nearest stage that was reached before.

        Args:
          stage: one of `stages`.
          print_after_all: writes the IR after each pass to stderr. With this, or one of the next two, all passes from
            the first stage on are run.
          timing: writes how long each pass took to stderr. statistics: writes the statistics of each pass to stderr.
          context: the MLIR context of the module; by default a new one. keeps: keeps the module at that stage, so that
          later readers do not run the passes again.

        Raises:
          OptionError: when the target has no such stage.
          CompileError: when a pass on the way fails.
          InternalError: when one crashes.
        """
        self.target.check_stage(stage)
        with within_kernel(self.name, self.source):
            told = {"print_after_all": print_after_all, "timing": timing, "statistics": statistics}
            start, bytecode = (self.stages[0], self.bytecode) if any(told.values()) else self.nearest(stage)
            module = _take_made(bytecode, context, self.name) or parse_module(
                bytecode, kernel=self.name, context=context
            )
            for begin, end in self._steps(start, stage):
                pipeline = self.target.pipeline(self.options, end, begin if begin != self.stages[0] else None)
                run_pipeline(module, pipeline, kernel=self.name, source=bytecode, **told)
                if keeps or _progress(self._identity).keeps_all:
                    bytecode = _progress(self._identity).stages[end] = to_bytecode(module)
            return module

    def _steps(self, start: str, stop: str) -> list[tuple[str, str]]:
        """The runs of the pipeline between two stages: one, or one to each stage where all are kept."""
        if start == stop:
            return []
        if not (self.options.has_stages and _progress(self._identity).keeps_all):
            return [(start, stop)]
        return list(itertools.pairwise(self.stages[self.stages.index(start) : self.stages.index(stop) + 1]))

    def text(self, stage: str = "grid", *, pipeline: str = "", locations: bool = False, **told: bool) -> str:
        """Returns the kernel's text at a stage: MLIR, or the PTX of stage `ptx`.

        Args:
          stage: one of `stages`.
          pipeline: passes to run on the kernel at that stage first, as `canonicalize,cse`.
          locations: says of every op where it came from.
          **told: print_after_all, timing and statistics, see `module`.

        Raises: as `module`.
        """
        module = self.module(stage, context=shared_context(), **told)
        if pipeline:
            with within_kernel(self.name, self.source):
                run_pipeline(module, pipeline, kernel=self.name, source=None, **told)
        return self.target.text(module, stage, locations=locations)

    def prepare(self) -> Any:
        """Compiles the kernel if necessary, so that it can be called.

        Returns:
          The kernel of the target: a `PreparedKernel` on the CPU, a `MosaicKernel` for a TPU, a `PtxKernel`
          for a GPU.

        Raises:
          CompileError: when a pass, LLVM or the linker refuses the kernel.
        """
        try:
            with within_kernel(self.name, self.source):
                return self.target.prepare(self)
        finally:
            _thread.made = None

    @classmethod
    def at_last_stage(cls, name: str, target: Target, options: Options, bytecode: bytes) -> Kernel:
        """Returns the kernel of a module that no pass of its target's is to run on any more."""
        kernel = cls(name, target, options, bytecode)
        _progress(kernel._identity).stages[target.stages[-1]] = bytecode
        return kernel

    def once(self, make: Callable[[], T]) -> T:
        """Returns the result of its target, which may be that of an equal kernel."""
        progress = _progress(self._identity)
        if progress.made is None:
            progress.made = make()
        return progress.made


class _Thread(threading.local):
    """The kernel that a thread compiled last.

    Attributes:
      made: the kernel's bytecode, and the module from which it was written, until they are taken.
    """

    made: tuple[bytes, ir.Module] | None = None


_thread = _Thread()


def _take_made(bytecode: bytes, context: ir.Context | None, name: str) -> ir.Module | None:
    """The verified module of this bytecode; None if it was freed or belongs to another context."""
    made, _thread.made = _thread.made, None
    if made is None or made[0] is not bytecode or made[1].context is not context:
        return None
    verify_module(made[1], bytecode, kernel=name)
    return made[1]


def make_kernel(
    module: ir.Module, target: Target, options: Options, *, grid_mapping: Any = None, source: str | None = None
) -> Kernel:
    """Returns the kernel of a frontend's module, which holds one `grid.kernel`.

    Raises:
      ValueError: when the module holds no kernel or more than one.
    """
    kernels = [op for op in module.body.operations if isinstance(op, grid.KernelOp)]
    if len(kernels) != 1:
        raise ValueError(f"expected a module with one grid.kernel, got {len(kernels)}")
    bytecode = to_bytecode(module)
    # The next compilation of the kernel need not parse the bytecode; the module is not used elsewhere.
    _thread.made = bytecode, module
    return Kernel(
        name=ir.StringAttr(kernels[0].attributes["sym_name"]).value,
        target=target,
        options=options,
        bytecode=bytecode,
        grid_mapping=grid_mapping,
        source=source,
        has_side_effects=kernels[0].has_output,
        group_size=_group_size(kernels[0]),
    )


def _group_size(kernel: grid.KernelOp) -> int:
    if "grid.devices" not in kernel.attributes:
        return 0
    return ir.IntegerAttr(kernel.attributes["grid.devices"]).value if kernel.accesses_devices else 1

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel on its way through the compiler."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import io
from collections.abc import Callable
from typing import Any

from gridir.compiler.options import Options
from gridir.compiler.passes import parse_module, run_pipeline
from gridir.compiler.targets import Target
from gridir.errors import within_kernel
from gridir.mlir import ir


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One kernel of a program, at every stage of its target.

    Attributes:
      name: the symbol of the kernel.
      target: what it is compiled for.
      options: how.
      bytecode: the frontend's module as MLIR bytecode: the content that identifies the kernel.
      grid_mapping: JAX's own `jax.extend.pallas.GridMapping`, or None for a kernel that did not come from JAX.
      source: the kernel function and its place, for messages; None when it is not known.
      has_side_effects: whether a call must stay although nobody uses its results.
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
        """What identifies the kernel and its options, in every process."""
        digest = hashlib.sha256(repr((self.target.name, self.options)).encode())
        digest.update(self.bytecode)
        return digest.hexdigest()

    def module(self, stage: str = "grid", *, print_after_all: bool = False) -> ir.Module:
        """Returns the kernel's module at a stage, in an MLIR context of its own.

        Args:
          stage: one of `stages`.
          print_after_all: writes the IR after each pass on the way to stderr.

        Raises:
          OptionError: when the target has no such stage.
          CompileError: when a pass on the way fails.
          InternalError: when one crashes.
        """
        self.target.check_stage(stage)
        with within_kernel(self.name, self.source):
            module = parse_module(self.bytecode, kernel=self.name)
            if stage == self.stages[0]:
                return module
            pipeline = self.target.backend.pipeline_until(stage, self.options)
            return run_pipeline(module, pipeline, kernel=self.name, print_after_all=print_after_all)

    def text(self, stage: str = "grid", *, locations: bool = False, print_after_all: bool = False) -> str:
        """Returns the kernel's text at a stage: MLIR, or the PTX of stage `ptx`.

        Args:
          stage: one of `stages`.
          locations: says of every op where it came from.
          print_after_all: writes the IR after each pass on the way to stderr.

        Raises: as `module`.
        """
        module = self.module(stage, print_after_all=print_after_all)
        if stage == "ptx":
            return self.target.backend.text_of(module)
        return module.operation.get_asm(enable_debug_info=locations)

    def prepare(self) -> Any:
        """Compiles the kernel, or finds it compiled, so that calls of it run.

        Returns:
          What the target makes of it: a `PreparedKernel` on the CPU, a `MosaicKernel` for a TPU, a `PtxKernel`
          for a GPU.

        Raises:
          CompileError: when a pass, LLVM or the linker refuses the kernel.
        """
        with within_kernel(self.name, self.source):
            return self.target.backend.prepare(self.name, self.key, self.bytecode, self.options)


def make_kernel(
    module: ir.Module, target: Target, options: Options, *, grid_mapping: Any = None, source: str | None = None
) -> Kernel:
    """Returns the kernel of a frontend's module, which holds one `grid.kernel`.

    Raises:
      ValueError: when the module holds no kernel or more than one.
    """
    kernels = [op.operation for op in module.body.operations if op.operation.name == "grid.kernel"]
    if len(kernels) != 1:
        raise ValueError(f"expected a module with one grid.kernel, got {len(kernels)}")
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return Kernel(
        name=ir.StringAttr(kernels[0].attributes["sym_name"]).value,
        target=target,
        options=options,
        bytecode=buffer.getvalue(),
        grid_mapping=grid_mapping,
        source=source,
        has_side_effects=any_op(module, lambda op: op.name in ("grid.print", "grid.callback")),
        group_size=_group_size(module, kernels[0]),
    )


def any_op(module: ir.Module, predicate: Callable[[ir.Operation], bool]) -> bool:
    """Whether some op of a module is as the predicate says."""
    found = False

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found = predicate(op)
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def reaches_devices(op: ir.Operation) -> bool:
    """Whether an op is a copy or a signal to another device."""
    return op.name in ("grid.copy_start", "grid.semaphore_signal") and "device_id_type" in op.attributes


def _group_size(module: ir.Module, kernel: ir.Operation) -> int:
    if "grid.devices" not in kernel.attributes:
        return 0
    return ir.IntegerAttr(kernel.attributes["grid.devices"]).value if any_op(module, reaches_devices) else 1

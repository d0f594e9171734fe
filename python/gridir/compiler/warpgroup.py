# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target `gpu` for kernels whose threads are warpgroups."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gridir.compiler.gpu import GpuOptions, GpuTarget, PtxKernel, text_of
from gridir.compiler.passes import shared_context
from gridir.compiler.target import Execution
from gridir.compiler.warpgroup_profile import WarpgroupProfile
from gridir.errors import UnsupportedError
from gridir.mlir import ir
from gridir.mlir.dialects.kernel import TensorMapAttr, abi_of
from gridir.runtime import ptx

if TYPE_CHECKING:
    from gridir.compiler.kernel import Kernel

_PIPELINE = "warpgroup-to-gpu"


@dataclasses.dataclass(frozen=True)
class TensorMap:
    """A tensor map that a launch makes of an operand.

    Attributes:
      operand: the number of the operand.
      shape: the sizes of the tensor that the kernel sees in its memory.
      box: the sizes of a tile.
      swizzle: bytes of a row that shared memory has permuted: 0, 32, 64 or 128.
      strides: elements from one index to the next along each dimension; None where there are no gaps.
    """

    operand: int
    shape: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int
    strides: tuple[int, ...] | None = None

    def of(self, buffer: np.ndarray) -> ptx.TensorMap:
        """Returns the map of the operand, where elements share bytes as the kernel sees it."""
        if self.strides is None:
            return ptx.TensorMap(buffer.reshape(self.shape), self.box, self.swizzle)
        strides = tuple(stride * buffer.itemsize for stride in self.strides)
        data = buffer.reshape(-1).view(np.uint8)
        return ptx.TensorMap(np.ndarray(self.shape, buffer.dtype, data, strides=strides), self.box, self.swizzle)


class PackedOperands:
    """Operands of which a kernel sees bytes where elements have less: in NumPy's memory each has a byte of its own.

    Args:
      operands: all operands of a launch.
    """

    def __init__(self, operands: Sequence[np.ndarray]):
        self._operands = operands
        self._packed: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def of(self, tensor_map: TensorMap) -> np.ndarray:
        """Returns the operand of a map as the kernel sees it; of a byte's elements the first has the lowest bits."""
        number = tensor_map.operand
        operand = self._operands[number]
        of_byte = operand.size // math.prod(tensor_map.shape)
        if of_byte == 1:
            return operand
        if number not in self._packed:
            shifts = _shifts(of_byte)
            parts = operand.view(np.uint8).reshape(-1, of_byte) & (0xFF >> shifts[-1])
            packed = np.bitwise_or.reduce(parts << shifts, axis=1)
            self._packed[number] = packed, packed.copy()
        return self._packed[number][0]

    def unpack(self) -> None:
        """Stores to the operands what copies have changed in the bytes; what threads store is there already."""
        for number, (packed, before) in self._packed.items():
            operand = self._operands[number]
            shifts = _shifts(operand.size // packed.size)
            parts, old = (words.reshape(-1, 1) >> shifts & (0xFF >> shifts[-1]) for words in (packed, before))
            changed = (parts != old).reshape(operand.shape)
            operand[changed] = parts.view(operand.dtype).reshape(operand.shape)[changed]


def _shifts(of_byte: int) -> np.ndarray:
    """The bits of a byte below each of its elements."""
    return np.arange(of_byte, dtype=np.uint8) * np.uint8(8 // of_byte)


_WORD_BYTES = 4


def _in_words(array: np.ndarray) -> np.ndarray:
    """The array, or its bytes in whole words: as on a GPU, whose allocations end with none that is of others, too."""
    if array.nbytes % _WORD_BYTES == 0:
        return array
    words = np.zeros(-(-array.nbytes // _WORD_BYTES), np.uint32).view(np.uint8)
    words[: array.nbytes] = array.reshape(-1).view(np.uint8)
    return words


MULTIPROCESSORS = 148
"""Those of a B200, the chip with the fewest of those whose clusters can be cancelled."""


@dataclasses.dataclass(frozen=True)
class WarpgroupPtxKernel(PtxKernel):
    """A kernel as PTX whose threads are warpgroups.

    Attributes:
      cluster_ctas: CTAs of a cluster.
      zeroed_bytes: memory that is zero when a launch begins, which follows the operands where there is some.
      tensor_maps: what a launch gives last.
      profile: what the first of that memory holds when a launch ends, or None.
    """

    cluster_ctas: int = 1
    zeroed_bytes: int = 0
    tensor_maps: tuple[TensorMap, ...] = ()
    profile: WarpgroupProfile | None = None

    @property
    def cancels_clusters(self) -> bool:
        """True if CTAs cancel clusters that have not begun."""
        return "clusterlaunchcontrol.try_cancel" in self.ptx

    @property
    def updates_parts_of_words(self) -> bool:
        """True if the kernel may update an element of less than 32 bits within its word."""
        return ".cas.b32" in self.ptx

    def launch(self, buffers: Sequence[np.ndarray], blocks_at_once: int | None = None) -> None:
        """See `PtxKernel`."""
        if not self.ctas:
            return
        # Words of 64 bits, to which traces are aligned.
        zeroed = [np.zeros(-(-self.zeroed_bytes // 8), np.uint64)] if self.zeroed_bytes else []
        # An output that is in the memory of an input is the same array.
        words_of = {id(buffer): _in_words(buffer) for buffer in buffers} if self.updates_parts_of_words else {}
        memory = [words_of.get(id(buffer), buffer) for buffer in buffers]
        operands = [
            words if words is buffer else words[: buffer.nbytes].view(buffer.dtype).reshape(buffer.shape)
            for words, buffer in zip(memory, buffers, strict=True)
        ]
        packed = PackedOperands(operands)
        maps = [tensor_map.of(packed.of(tensor_map)) for tensor_map in self.tensor_maps]
        ptx.load(self.ptx, path=f"{self.name}.ptx").function(self.name).launch(
            [*memory, *zeroed, *maps],
            grid=(self.ctas,),
            block=(self.threads,),
            cluster=(self.cluster_ctas,),
            shared_bytes=self.shared_bytes,
            checks=self.checks,
            schedule_seed=self.schedule_seed,
            blocks_at_once=(blocks_at_once or MULTIPROCESSORS) if self.cancels_clusters else 0,
        )
        packed.unpack()
        for buffer, operand in zip(buffers, operands, strict=True):
            if operand is not buffer:
                buffer[...] = operand
        if self.profile is not None:
            self.profile.write(self.name, zeroed[0], self.ctas)


def not_for_tpu(name: str, source: str = "") -> UnsupportedError:
    """The error of a kernel for warpgroups that is compiled for a TPU, which has none."""
    error = UnsupportedError(
        "expected a kernel for a TPU, got one for the warpgroups of a GPU, as Pallas' Mosaic GPU backend has them",
        kernel=name,
        notes=["compile it for a chip that has warpgroups, as gpu:sm_90a"],
    )
    error.source = source or None
    return error


@dataclasses.dataclass(frozen=True)
class WarpgroupTarget(GpuTarget):
    """As `GpuTarget`, for kernels of Pallas' Mosaic GPU backend."""

    stages = ("grid", "layouts", "grid-planned", "gpu", "nvvm", "ptx")
    executions = (Execution("ptx", "by the executor of PTX on the CPU"),)

    def pipeline(self, options: Any, stop: str, start: str | None = None) -> str:
        """See `Target`; returns another pipeline if the options select that of the target `gpu`."""
        if options.has_stages:
            options = dataclasses.replace(options, pipeline=_PIPELINE)
        return super().pipeline(options, stop, start)

    def pipeline_options(self, options: GpuOptions) -> list[str]:
        """See `Target`; the kernel determines the number of warps and their memory."""
        return self.chip_options(options)

    def prepare(self, kernel: Kernel) -> WarpgroupPtxKernel:
        """See `Target`; returns the PTX."""
        return kernel.once(lambda: _to_ptx(kernel))


def _to_ptx(kernel: Kernel) -> WarpgroupPtxKernel:
    start = time.perf_counter()
    module = kernel.module("ptx", context=shared_context())
    options: Any = kernel.options
    abi: Any = abi_of(module)
    return WarpgroupPtxKernel(
        name=abi.entry.value,
        ptx=text_of(module),
        chip=options.chip,
        ctas=abi.num_ctas.value,
        threads=abi.num_threads.value,
        shared_bytes=abi.shared_bytes.value,
        workspace_bytes=0,
        seconds=time.perf_counter() - start,
        checks=options.checks,
        reports_races=options.reports_races,
        schedule_seed=options.schedule_seed,
        cluster_ctas=abi.cluster_ctas.value,
        zeroed_bytes=abi.zeroed_bytes.value if abi.zeroed_bytes else 0,
        tensor_maps=tuple(map(_tensor_map, abi.tensor_maps)),
        profile=WarpgroupProfile.of(abi),
    )


def _tensor_map(attribute: ir.Attribute) -> TensorMap:
    known = TensorMapAttr(attribute)
    tensor = ir.RankedTensorType(known.tensor)
    strides = None
    if tensor.encoding is not None:
        strides = tuple(ir.IntegerAttr(stride).value for stride in ir.ArrayAttr(tensor.encoding))
    return TensorMap(known.operand, tuple(tensor.shape), tuple(known.box), known.swizzle, strides)

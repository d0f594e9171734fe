# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The description of a launch on a GPU: its sizes and its parameters in order.

The description is plain data that JSON can hold. It is independent of memory and of the driver: a driver
(`gridir.runtime.gpu.driver`) has both.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from gridir.errors import KernelError, LaunchError

Memory = TypeVar("Memory")

WORD_BYTES = 8
"""Bytes of a word of an error report."""


class Materializer(Protocol, Generic[Memory]):
    """Makes the argument of each kind of parameter; the functions of drivers implement it with their own memory."""

    def pointer(self, memory: Memory) -> Any:
        """Returns the argument that is the address of memory."""

    def scalar(self, value: int) -> Any:
        """Returns the argument that is a signed integer of 64 bits."""

    def tensor_map(self, memory: Memory, tensor_map: TensorMap) -> Any:
        """Returns the argument that is a tensor map of memory."""

    def scratch(self, size: int, *, zeroed: bool) -> Memory:
        """Allocates `size` bytes for one launch; they are zero when the kernel begins if `zeroed`."""
        ...

    def report(self, size: int) -> Memory:
        """Allocates `size` bytes of zeros for the error report of one launch."""
        ...

    def unused(self) -> Memory:
        """Returns memory that a kernel gets the address of and does not access."""
        ...


@dataclasses.dataclass(frozen=True)
class Operand:
    """The address of an operand.

    Attributes:
      operand: the number of the operand; inputs come first, then outputs.
    """

    kind: ClassVar[str] = "operand"
    operand: int


@dataclasses.dataclass(frozen=True)
class Report:
    """The address of an error report: the number of the failed check, counted from 1, and its two values.

    Attributes:
      words: words of 64 bits, all zero when the kernel begins.
    """

    kind: ClassVar[str] = "report"
    words: int


@dataclasses.dataclass(frozen=True)
class Scalar:
    """A constant of 64 bits, as the first and the last work item.

    Attributes:
      value: the constant.
    """

    kind: ClassVar[str] = "scalar"
    value: int


@dataclasses.dataclass(frozen=True)
class NumItems:
    """The number of CTAs of a launch with a dynamic grid, in 64 bits."""

    kind: ClassVar[str] = "num_items"


@dataclasses.dataclass(frozen=True)
class Workspace:
    """The address of memory for temporaries, whose contents are undefined when the kernel begins.

    Attributes:
      bytes: the size for all CTAs of the launch; for one CTA if the grid is dynamic.
    """

    kind: ClassVar[str] = "workspace"
    bytes: int


@dataclasses.dataclass(frozen=True)
class Zeroed:
    """The address of memory that is zero when the kernel begins, as semaphores are.

    Attributes:
      bytes: its size.
    """

    kind: ClassVar[str] = "zeroed"
    bytes: int


@dataclasses.dataclass(frozen=True)
class TensorMap:
    """A tensor map of an operand: 128 bytes by which bulk copies find tiles of it.

    Attributes:
      operand: the number of the operand.
      dtype: the element type of the tensor that the kernel sees in the operand's memory, as NumPy or ml_dtypes name it.
      shape: sizes of that tensor.
      strides: bytes from one index to the next along each dimension.
      box: sizes of a tile, of at most 256 elements along each dimension.
      swizzle: bytes of a row over which shared memory is permuted: 0, 32, 64 or 128.
    """

    kind: ClassVar[str] = "tensor_map"
    types: ClassVar[dict[str, int]] = {
        "uint8": 0, "uint16": 1, "uint32": 2, "int32": 3, "uint64": 4, "int64": 5,
        "float16": 6, "float32": 7, "float64": 8, "bfloat16": 9,
        # Elements of these types are only copied, as unsigned integers of their size.
        "bool": 0, "int8": 0, "int16": 1, "complex64": 4, "float8_e3m4": 0, "float8_e4m3": 0,
        "float8_e4m3b11fnuz": 0, "float8_e4m3fn": 0, "float8_e4m3fnuz": 0, "float8_e5m2": 0, "float8_e5m2fnuz": 0,
        "float8_e8m0fnu": 0,
    }  # fmt: skip
    """CUDA's number of each element type."""
    swizzles: ClassVar[dict[int, int]] = {0: 0, 32: 1, 64: 2, 128: 3}
    """CUDA's number of each swizzle."""
    operand: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int

    def __post_init__(self) -> None:
        for name in ("shape", "strides", "box"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def cuda_numbers(self) -> dict[str, int]:
        """CUDA's numbers of the element type and the swizzle, by their keys in the description of an XLA call.

        Raises:
          KernelError: for an element type or a swizzle that tensor maps do not support.
        """
        if self.dtype not in self.types or self.swizzle not in self.swizzles:
            raise KernelError(
                f"expected an element type and a swizzle of tensor maps, got {self.dtype} and {self.swizzle}"
            )
        return {"cuda_type": self.types[self.dtype], "cuda_swizzle": self.swizzles[self.swizzle]}


Parameter = Operand | Report | Scalar | NumItems | Workspace | Zeroed | TensorMap

_KINDS: dict[str, type[Parameter]] = {
    kind.kind: kind for kind in (Operand, Report, Scalar, NumItems, Workspace, Zeroed, TensorMap)
}


_MOST_CTAS = (1 << 31) - 1


@dataclasses.dataclass(frozen=True)
class DynamicCtas:
    """The number of CTAs of a dynamic grid: a product.

    Attributes:
      factor: the constant in it.
      operands: the numbers of the operands in it, integers of 32 bits. A negative one counts as 0.
    """

    factor: int
    operands: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "operands", tuple(self.operands))


@dataclasses.dataclass(frozen=True)
class Launch:
    """How a kernel is launched.

    Attributes:
      entry: the name of the kernel in the PTX and in the cubin.
      threads: threads of a CTA.
      ctas: CTAs of the launch; None if the grid is dynamic.
      dynamic_ctas: the number of CTAs of a dynamic grid; None if `ctas` is known.
      cluster_ctas: CTAs of a cluster.
      shared_bytes: dynamic shared memory of a CTA.
      parameters: the parameters of the entry, in order.
      cancels_clusters: true if CTAs take over the work of clusters that have not started.
      packed_operands: operands whose elements share bytes as the kernel sees them, with the number of elements in each
        byte.
      updates_parts_of_words: true if the kernel updates parts of words of 32 bits. It then accesses all words that an
        operand reaches into, so that the memory of an operand must be a multiple of 4 bytes.
      register_products: true if matrix products read an operand from registers.
      diagnostics: the message of each check, with {0} and {1} for its values.
    """

    entry: str
    threads: int
    ctas: int | None
    parameters: tuple[Parameter, ...]
    dynamic_ctas: DynamicCtas | None = None
    cluster_ctas: int = 1
    shared_bytes: int = 0
    cancels_clusters: bool = False
    packed_operands: tuple[tuple[int, int], ...] = ()
    updates_parts_of_words: bool = False
    register_products: bool = False
    diagnostics: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Returns the description as JSON holds it."""
        record = dataclasses.asdict(self)
        record["parameters"] = [{"kind": x.kind, **dataclasses.asdict(x)} for x in self.parameters]
        return record

    @staticmethod
    def from_json(record: dict[str, Any]) -> Launch:
        """Returns the description that `to_json` gave.

        Raises:
          KernelError: when a field or a kind of parameter is unknown or missing.
        """
        try:
            fields = dict(record)
            parameters = tuple(_read_parameter(dict(x)) for x in fields.pop("parameters"))
            packed = tuple((int(number), int(count)) for number, count in fields.pop("packed_operands"))
            diagnostics = tuple(fields.pop("diagnostics"))
            dynamic = fields.pop("dynamic_ctas")
            if (fields["ctas"] is None) != (dynamic is not None):
                raise ValueError(f"ctas {fields['ctas']} with dynamic_ctas {dynamic}")
            fields["dynamic_ctas"] = None if dynamic is None else DynamicCtas(**dynamic)
            return Launch(parameters=parameters, packed_operands=packed, diagnostics=diagnostics, **fields)
        except (KeyError, TypeError, ValueError) as error:
            raise KernelError(f"expected the description of a launch, got one with a wrong field: {error}") from None

    def check(self, num_operands: int) -> None:
        """Raises an error unless the description is that of a kernel with a number of operands.

        Raises:
          KernelError: for a number that is out of range.
        """
        numbers: list[tuple[str, Any, int, int]] = [
            ("threads", self.threads, 1, 1024),
            ("ctas", 0 if self.ctas is None else self.ctas, 0, _MOST_CTAS),
            ("cluster_ctas", self.cluster_ctas, 1, 16),
            ("shared_bytes", self.shared_bytes, 0, 1 << 20),
        ]
        used = [x.operand for x in self.parameters if isinstance(x, (Operand, TensorMap))]
        used += self.dynamic_ctas.operands if self.dynamic_ctas is not None else ()
        numbers += [
            ("operand", number, 0, num_operands - 1) for number in (*used, *(x for x, _ in self.packed_operands))
        ]
        numbers += [("bytes", x.bytes, 0, 1 << 48) for x in self.parameters if isinstance(x, (Workspace, Zeroed))]
        numbers += [("words", x.words, 3, 1 << 20) for x in self.parameters if isinstance(x, Report)]
        numbers += [("value", x.value, -1 << 63, (1 << 63) - 1) for x in self.parameters if isinstance(x, Scalar)]
        if self.dynamic_ctas is not None:
            numbers.append(("factor", self.dynamic_ctas.factor, 0, _MOST_CTAS))
        for name, value, least, most in numbers:
            if type(value) is not int or not least <= value <= most:
                raise KernelError(
                    f"expected {name} from {least} to {most} in the description of a launch, got {value!r}"
                )
        if self.diagnostics and not any(isinstance(x, Report) for x in self.parameters):
            raise KernelError("expected a parameter for the report of checks in the description of a launch, got none")
        if not all(isinstance(text, str) for text in (self.entry, *self.diagnostics)):
            raise KernelError("expected texts as the entry and the diagnostics of a launch")

    def with_sizes(self, sizes: Sequence[int]) -> Launch:
        """Returns the launch for sizes of a dynamic grid.

        Args:
          sizes: the values of the operands of `dynamic_ctas`.

        Raises:
          LaunchError: for more CTAs than a grid may have.
        """
        assert self.dynamic_ctas is not None
        ctas = math.prod((self.dynamic_ctas.factor, *(max(size, 0) for size in sizes)))
        if ctas > _MOST_CTAS:
            raise LaunchError(
                f"expected at most {_MOST_CTAS} CTAs, got {ctas} for the sizes {list(sizes)} of the grid",
                kernel=self.entry,
            )

        def known(parameter: Parameter) -> Parameter:
            match parameter:
                case NumItems():
                    return Scalar(ctas)
                case Workspace():
                    return Workspace(parameter.bytes * ctas)
                case _:
                    return parameter

        return dataclasses.replace(self, ctas=ctas, dynamic_ctas=None, parameters=tuple(map(known, self.parameters)))

    def arguments(self, operands: Sequence[Memory], materializer: Materializer[Memory]) -> Arguments[Memory]:
        """Returns an argument for each parameter.

        Args:
          operands: the memory of each operand.
          materializer: makes arguments, and the memory that only this launch uses.
        """
        made = Arguments[Memory]([])
        for parameter in self.parameters:
            match parameter:
                case Operand():
                    made.values.append(materializer.pointer(operands[parameter.operand]))
                case Report() if not self.diagnostics:
                    made.values.append(materializer.pointer(materializer.unused()))
                case Report():
                    made.report = materializer.report(parameter.words * WORD_BYTES)
                    made.values.append(materializer.pointer(made.report))
                case NumItems():
                    raise LaunchError("expected the sizes of a dynamic grid, got none", kernel=self.entry)
                case Scalar():
                    made.values.append(materializer.scalar(parameter.value))
                case Workspace():
                    used = parameter.bytes > 0
                    memory = materializer.scratch(parameter.bytes, zeroed=False) if used else materializer.unused()
                    made.values.append(materializer.pointer(memory))
                case Zeroed():
                    made.zeroed = materializer.scratch(parameter.bytes, zeroed=True)
                    made.values.append(materializer.pointer(made.zeroed))
                case TensorMap():
                    made.values.append(materializer.tensor_map(operands[parameter.operand], parameter))
        return made

    def check_report(self, words: list[int]) -> None:
        """Raises the error of the check that failed, if one did.

        Args:
          words: the error report after the kernel has ended.

        Raises:
          LaunchError: when a check failed; the message has the author's line.
        """
        if not words or not words[0]:
            return
        message = self.diagnostics[words[0] - 1]
        for index, value in enumerate(words[1:3]):
            message = message.replace(f"{{{index}}}", str(value))
        raise LaunchError(message, kernel=self.entry)


@dataclasses.dataclass
class Arguments(Generic[Memory]):
    """The arguments of a launch.

    Attributes:
      values: an argument for each parameter, in order.
      report: the memory of the error report, if the kernel has one.
      zeroed: the memory that was zero, if the kernel has some.
    """

    values: list[Any]
    report: Memory | None = None
    zeroed: Memory | None = None


def _read_parameter(record: dict[str, Any]) -> Parameter:
    kind = record.pop("kind")
    if kind not in _KINDS:
        raise ValueError(f"unknown kind of parameter {kind!r}")
    return _KINDS[kind](**record)


def contiguous_strides(shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    """Returns the strides in bytes of a row-major array without gaps."""
    return tuple(item * math.prod(shape[dim + 1 :]) for dim in range(len(shape)))

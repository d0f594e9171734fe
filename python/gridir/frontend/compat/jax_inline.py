# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The private API of JAX for inline MLIR code in Mosaic GPU kernels.

It needs packages that gridir does without, which are imported when there is such code.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from gridir.frontend.compat.jax_gpu import register_spread
from gridir.simt.code import Block, Code, Held, Op

_MLIR = "jax._src.interpreters.mlir"
_PRIMITIVES = "jax._src.pallas.mosaic_gpu.primitives"
_GPU = "jax.experimental.mosaic.gpu"


class InlineError(Exception):
    """The exception of a function that emits code, or a fault of that code."""


@dataclasses.dataclass(frozen=True)
class ArrayOperand:
    """An array that code takes.

    Attributes:
      aval: the abstract value.
      layout: how the author wants it spread over registers.
    """

    aval: Any
    layout: Any


@dataclasses.dataclass(frozen=True)
class RefOperand:
    """A Ref that code takes.

    Attributes:
      shape: the sizes that the code sees, of tiles.
      element: the type of an element, as text.
      is_shared: whether it is in the memory of a block, else in global memory.
    """

    shape: tuple[int, ...]
    element: str
    is_shared: bool


class _Launch:
    """The launch context that a function that emits code receives, as far as gridir has it."""

    def __init__(self, gpu: Any, ir: Any):
        self._gpu, self._ir = gpu, ir

    def __getattr__(self, name: str) -> Any:
        raise InlineError(f"it reads from its context `{name}`")

    def async_copy(
        self, *, src_ref: Any, dst_ref: Any, gmem_transform: Any = (), swizzle: int | None = None, **others: Any
    ) -> None:
        """A copy of a whole tile to global memory."""
        transforms = gmem_transform if isinstance(gmem_transform, tuple) else (gmem_transform,)
        given = [name for name, value in others.items() if value is not None and not isinstance(value, tuple)]
        given += [name for name, value in others.items() if isinstance(value, tuple) and value]
        if given or len(transforms) > 1 or not all(isinstance(t, self._gpu.TileTransform) for t in transforms):
            raise InlineError(f"it copies with {', '.join(given) or 'transforms other than one to tiles'}")
        if not self._gpu.utils.is_smem_ref(src_ref) or self._gpu.utils.is_smem_ref(dst_ref):
            raise InlineError("it copies in another direction than from shared to global memory")
        tile = list(transforms[0].tiling) if transforms else []
        attributes = {"tile": self._ir.DenseI64ArrayAttr.get(tile), "swizzle": self._number(swizzle or 0)}
        self._ir.Operation.create("gridir.store_tile", operands=[src_ref, dst_ref], attributes=attributes)

    def await_async_copy(self, allow_groups: int, await_read_only: bool = False, **others: Any) -> None:
        """Waits until at most this many groups of copies are pending."""
        if others:
            raise InlineError(f"it waits for copies with {', '.join(others)}")
        attributes = {"groups": self._number(allow_groups), "reads": self._ir.BoolAttr.get(await_read_only)}
        self._ir.Operation.create("gridir.wait_for_copies", attributes=attributes)

    def _number(self, number: int) -> Any:
        return self._ir.IntegerAttr.get(self._ir.IntegerType.get_signless(64), number)


def is_ref_type(type_: Any) -> bool:
    """True if an operand's type is a Ref type and not an array layout."""
    loaded = sys.modules.get(_PRIMITIVES)
    return loaded is not None and isinstance(type_, loaded.RefType)


def run_inline(
    function: Callable[..., Any], operands: Sequence[ArrayOperand | RefOperand], tree: Any, results: Sequence[Any]
) -> tuple[list[Held | int], Code]:
    """Runs a function of `inline_mgpu` in a separate module.

    Args:
      function: the function that emits the code.
      operands: the operands, in the order of its arguments' leaves.
      tree: the tree of its arguments.
      results: the shape, dtype and layout of each result.

    Returns:
      Of each operand the array that threads hold, or the number of the value of a Ref; and the code.

    Raises:
      InlineError: the function needs something of the kernel that it is in, fails, or gives other results.
    """
    mlir: Any = importlib.import_module(_MLIR)
    gpu: Any = importlib.import_module(_GPU)
    ir, func = mlir.ir, importlib.import_module("jax._src.lib.mlir.dialects").func
    with mlir.make_ir_context() as context, ir.Location.unknown():
        gpu.dialect.register_dialect(context)
        context.allow_unregistered_dialects = True
        module = ir.Module.create()
        # The chip only affects the instructions that convert an array.
        for name, number in (("arch_major", 9), ("arch_minor", 0)):
            module.operation.attributes[f"mosaic_gpu.{name}"] = ir.IntegerAttr.get(
                ir.IntegerType.get_signless(32), number
            )
        try:
            types = [_types(gpu, ir, operand) for operand in operands]
            with ir.InsertionPoint(module.body):
                made = func.FuncOp("code", ir.FunctionType.get([t for each in types for t in each], []))
            block = made.add_entry_block()
            given = iter(block.arguments)
            values = [[next(given) for _ in each] for each in types]
            with ir.InsertionPoint(block):
                arguments = [_argument(gpu, operand, own) for operand, own in zip(operands, values, strict=True)]
                got = function(_Launch(gpu, ir), *jax.tree.unflatten(tree, arguments))
        except InlineError:
            raise
        except Exception as error:
            raise InlineError(f"{type(error).__name__}: {error}") from error
        arrays = [] if got is None else jax.tree.leaves(got, is_leaf=lambda x: isinstance(x, gpu.FragmentedArray))
        _check(gpu, arrays, results)
        reader = _Reader(ir)
        code = reader.block(block)
        bound: list[Held | int] = [
            reader.numbers(own)[0] if isinstance(operand, RefOperand) else reader.held(operand.layout, argument, own)
            for operand, own, argument in zip(operands, values, arguments, strict=True)
        ]
        held = [
            reader.held(wanted.layout, array, array.registers.flat)
            for wanted, array in zip(results, arrays, strict=True)
        ]
        return bound, Code(code, tuple(held))


def _types(gpu: Any, ir: Any, operand: ArrayOperand | RefOperand) -> list[Any]:
    """The types of the values that an operand is in code."""
    if isinstance(operand, RefOperand):
        space = gpu.utils.smem() if operand.is_shared else None
        return [ir.MemRefType.get(operand.shape, ir.Type.parse(operand.element), memory_space=space)]
    element = gpu.utils.dtype_to_ir_type(operand.aval.dtype)
    layout = operand.layout.to_mgpu()
    if isinstance(layout, gpu.WGSplatFragLayout):
        return [element]
    return [layout.registers_element_type(element)] * math.prod(layout.registers_shape(operand.aval.shape))


def _argument(gpu: Any, operand: ArrayOperand | RefOperand, values: Sequence[Any]) -> Any:
    if isinstance(operand, RefOperand):
        return values[0]
    layout, is_signed = operand.layout.to_mgpu(), gpu.utils.is_signed(operand.aval.dtype)
    if isinstance(layout, gpu.WGSplatFragLayout):
        return gpu.FragmentedArray.splat(values[0], operand.aval.shape, layout, is_signed=is_signed)
    registers = np.empty(len(values), object)
    registers[:] = values
    registers = registers.reshape(layout.registers_shape(operand.aval.shape))
    return gpu.FragmentedArray(_registers=registers, _layout=layout, _is_signed=is_signed)


def _check(gpu: Any, arrays: Sequence[Any], results: Sequence[Any]) -> None:
    """Checks that a function returns values of its author's types.

    Raises:
      InlineError: it does not.
    """
    if len(arrays) != len(results) or not all(isinstance(array, gpu.FragmentedArray) for array in arrays):
        raise InlineError(f"it gives {len(arrays)} results, where its type has {len(results)} arrays")
    for array, wanted in zip(arrays, results, strict=True):
        pairs = {
            "dtype": (array.mlir_dtype, gpu.utils.dtype_to_ir_type(wanted.dtype)),
            "shape": (tuple(array.shape), tuple(wanted.shape)),
            "layout": (array.layout, wanted.layout.to_mgpu()),
        }
        for what, (has, expected) in pairs.items():
            if has != expected:
                raise InlineError(f"it gives an array of {what} {has}, where its type says {expected}")


class _Reader:
    """Reads JAX's MLIR.

    Args:
      ir: its bindings.
    """

    def __init__(self, ir: Any):
        self._ir, self._numbers = ir, {}

    def numbers(self, values: Any) -> tuple[int, ...]:
        """The numbers of values."""
        return tuple(self._numbers.setdefault(value, len(self._numbers)) for value in values)

    def held(self, layout: Any, array: Any, registers: Any) -> Held:
        """An array that the threads hold.

        Args:
          layout: how the author says that it is spread.
          array: the array.
          registers: its values, for an operand those that it had before the code wrote others there.

        Raises:
          InlineError: the location of its elements is not known.
        """
        spread = register_spread(layout)
        if spread is None:
            raise InlineError(f"it has an array with the layout {layout}")
        shape = tuple(array.shape)
        # A strided layout takes all elements in a row.
        is_flat = len(spread.tile) == 1 and hasattr(array.layout, "vec_size")
        return Held(shape, (math.prod(shape),) if is_flat else shape, spread, self.numbers(registers))

    def block(self, block: Any) -> Block:
        """A block."""
        arguments = self.numbers(block.arguments)
        return Block(arguments, tuple(self._op(op.operation) for op in block.operations))

    def _op(self, op: Any) -> Op:
        attributes = {name: str(op.attributes[name]) for name in map(self._name, op.attributes)}
        return Op(
            op.name,
            self.numbers(op.operands),
            self.numbers(op.results),
            tuple(str(value.type) for value in op.operands),
            tuple(str(value.type) for value in op.results),
            attributes,
            self._constant(op),
            tuple(self.block(region.blocks[0]) if len(region.blocks) else None for region in op.regions),
            str(op).partition("\n")[0],
        )

    @staticmethod
    def _name(named: Any) -> str:
        return named if isinstance(named, str) else named.name

    def _constant(self, op: Any) -> Any:
        if op.name not in ("arith.constant", "llvm.mlir.constant"):
            return None
        value = op.attributes["value"]
        if isinstance(value, self._ir.DenseElementsAttr):
            if not value.is_splat:
                return None
            value = value.get_splat_value()
        return getattr(value, "value", None)

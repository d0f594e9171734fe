# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From JAX's abstract values to MLIR types.

Values are signless in MLIR, so the abstract value determines the sign of an integer. A value of rank 0 is an MLIR
scalar, any other a tensor, and a Ref is a memref in a memory space. The `Types` of the kernel's rule set determine the
attributes of tensors and memrefs besides their shape.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_core, jax_gpu
from gridir.mlir import ir
from gridir.mlir.dialects import grid
from gridir.runtime.dtypes import DTYPES

_FLOATS = {np.dtype(dtype).name: text for text, dtype in DTYPES.items() if jnp.issubdtype(dtype, np.floating)}

_SEMAPHORES = {"semaphore": "regular", "dma_sem": "dma", "barrier_semaphore": "barrier"}


@functools.lru_cache(maxsize=256)
def _type_text(name: str) -> str:
    """The MLIR spelling of the element type of a JAX dtype with that name."""
    if name == "bool":
        return "i1"
    if name in _FLOATS:
        return _FLOATS[name]
    if name in _SEMAPHORES:
        return f"!grid.semaphore<{_SEMAPHORES[name]}>"
    if name in ("complex64", "complex128"):
        return "complex<f32>" if name == "complex64" else "complex<f64>"
    for prefix in ("uint", "int"):
        if name.startswith(prefix) and name[len(prefix) :].isdigit():
            return "i" + name[len(prefix) :]
    raise UnsupportedError(f"expected a dtype that kernels support, got {name}")


@functools.lru_cache(maxsize=256)
def dtype_name(dtype: Any) -> str:
    """The name of a JAX dtype; extended dtypes, as those of semaphores, have one too."""
    return getattr(dtype, "name", None) or str(dtype)


def is_semaphore(dtype: Any) -> bool:
    """True if a JAX dtype is a semaphore type."""
    return dtype_name(dtype) in _SEMAPHORES


# Cached, since parsing a type takes ten times as long as a lookup.
_COMMON = {"f16": ir.F16Type.get, "bf16": ir.BF16Type.get, "f32": ir.F32Type.get, "f64": ir.F64Type.get}


@functools.lru_cache(maxsize=256)
def _type_maker(dtype: Any) -> Callable[[], ir.Type]:
    """Returns a function that creates the element type of a JAX dtype in the current context."""
    text = _type_text(dtype_name(dtype))
    if text[0] == "i":
        return functools.partial(ir.IntegerType.get_signless, int(text[1:]))
    return _COMMON.get(text) or functools.partial(ir.Type.parse, text)


def element_type(dtype: Any) -> ir.Type:
    """The signless MLIR type of one element, in the current context."""
    return _type_maker(dtype)()


def space_name(space: Any) -> str:
    """The name of a JAX memory space in gridir, which is qualified by the backend that owns it."""
    if space is None:
        return "default"
    value = str(getattr(space, "value", space))
    return jax_core.space_owner(space) + value


@dataclasses.dataclass(frozen=True)
class RefUnion:
    """Groups of Refs; the author uses one group at a time, so that they may be in the same memory.

    Attributes:
      members: each Ref by the number of its group and its offset there.
    """

    members: Mapping[tuple[int, int], ir.Value]


class Types:
    """The MLIR types of values and Refs at one level of rules.

    In the base a tensor has no encoding, and a memref has the identity layout and a memory space. A level in which
    they mean more derives from this class.
    """

    def encoding(self, aval: Any) -> ir.Attribute | None:
        """The encoding of the tensor for an abstract value."""
        del aval
        return None

    def layout(self, aval: Any) -> ir.Attribute | None:
        """The layout of the memref for an abstract Ref; None for the identity."""
        del aval
        return None

    def space(self, aval: Any) -> ir.Attribute:
        """The memory space of the memref for an abstract Ref.

        Raises:
          UnsupportedError: for a memory that is in no list of gridir's.
        """
        try:
            return grid.MemorySpaceAttr.get(space_name(aval.memory_space))
        except ValueError:
            raise UnsupportedError(
                f"expected a Ref in a memory that gridir supports, got {aval.memory_space}"
            ) from None

    def tensor(self, aval: Any) -> ir.Type:
        """The tensor that holds a value of any rank. A random key is the array of its words."""
        held = jax_core.physical_aval(aval)
        return ir.RankedTensorType.get(held.shape, element_type(held.dtype), self.encoding(aval))

    def value(self, aval: Any) -> ir.Type:
        """The type of a value: a scalar for rank 0, else a tensor."""
        return self.tensor(aval) if aval.shape or jax_core.is_key(aval) else element_type(aval.dtype)

    def ref(self, aval: Any) -> ir.Type:
        """The memref type of a Ref. A key's holds its words."""
        held = jax_core.physical_aval(aval.inner_aval) if jax_core.is_key(aval) else aval
        return ir.MemRefType.get(held.shape, element_type(held.dtype), self.layout(aval), self.space(aval))


class NumberTypes(Types):
    """The types in an index map, where each value is one number: an array of one element is a scalar, too."""

    def value(self, aval: Any) -> ir.Type:
        """The type of a number."""
        return element_type(aval.dtype)


@functools.lru_cache(maxsize=1024)
def _is_kind(dtype: Any, kind: Any) -> bool:
    return bool(jnp.issubdtype(dtype, kind))


def is_ref(aval: Any) -> bool:
    """True if an abstract value is a Ref."""
    return isinstance(aval, jax_core.AbstractRef)


def is_bool(aval: Any) -> bool:
    """True if the value holds truth values."""
    return aval.dtype == np.bool_


def is_float(aval: Any) -> bool:
    """True if the value holds floating-point numbers, of any format."""
    return _is_kind(aval.dtype, np.floating)


def is_integer(aval: Any) -> bool:
    """True if the value holds integers; bools do not count."""
    return _is_kind(aval.dtype, np.integer)


def is_unsigned(aval: Any) -> bool:
    """True if the value holds unsigned integers; bools count."""
    return _is_kind(aval.dtype, np.unsignedinteger) or is_bool(aval)


def is_complex(aval: Any) -> bool:
    """True if the value holds complex numbers."""
    return _is_kind(aval.dtype, np.complexfloating)


@functools.lru_cache(maxsize=256)
def bit_width(dtype: Any) -> int:
    """The number of bits of one element."""
    if dtype == np.bool_:
        return 1
    if jnp.issubdtype(dtype, np.integer):
        return jnp.iinfo(dtype).bits
    if jnp.issubdtype(dtype, np.complexfloating):
        return np.dtype(dtype).itemsize * 8
    return jnp.finfo(dtype).bits


def mark_unsigned(op: Any, refs: Sequence[Any], first: int = 0) -> None:
    """Marks the Refs of a kernel or scope that contain unsigned integers.

    Elements have no sign in the IR, and their highest value depends on it.

    Args:
      refs: the abstract Refs.
      first: the number of the argument of the first of them.
    """
    dtypes = [getattr(ref, "dtype", None) for ref in refs]
    numbers = [
        first + i for i, dtype in enumerate(dtypes) if dtype is not None and jnp.issubdtype(dtype, jnp.unsignedinteger)
    ]
    if numbers:
        op.operation.attributes["grid.unsigned"] = ir.DenseI64ArrayAttr.get(numbers)


def layout_of(transforms: Sequence[Any]) -> list[ir.Attribute]:
    """The author's tiling and swizzle of a Ref. The compiler chooses absent attributes."""
    kinds = [jax_gpu.transform_kind(transform) for transform in transforms]
    known = [kind for kind in kinds if kind is not None]
    if len(known) != len(kinds):
        return []
    return [grid.TransformAttr.get(kind, [x] if isinstance(x, int) else list(x)) for kind, x in known]

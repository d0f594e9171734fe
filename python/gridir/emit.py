# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small builders of upstream ops, which lowering rules and `gridir.simt` share.

All of them insert at the current insertion point with the current location. A value is an MLIR scalar or a tensor;
`shape_of` distinguishes them. This module is independent of primitives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gridir.mlir import ir
from gridir.reassociation import reassociation

DYNAMIC = ir.ShapedType.get_dynamic_size()


def op(
    name: str,
    operands: Sequence[ir.Value],
    results: Sequence[ir.Type],
    attributes: dict[str, ir.Attribute] | None = None,
    regions: int = 0,
) -> ir.Operation:
    """Creates an op by its name."""
    return ir.Operation.create(name, results=results, operands=operands, attributes=attributes, regions=regions)


def value(name: str, operands: Sequence[ir.Value], result: ir.Type, **attributes: ir.Attribute) -> ir.Value:
    """Creates an op with one result and returns it."""
    return ir.Operation.create(name, results=[result], operands=operands, attributes=attributes).result


# Types -----------------------------------------------------------------------------------------------------------


def shape_of(x: ir.Value) -> tuple[int, ...]:
    """The shape of a tensor; () for a scalar."""
    type_ = x.type
    return tuple(type_.shape) if isinstance(type_, ir.RankedTensorType) else ()


def element_of(x: ir.Value | ir.Type) -> ir.Type:
    """The element type of a tensor, or the type of a scalar."""
    type_ = x if isinstance(x, ir.Type) else x.type
    return type_.element_type if isinstance(type_, ir.ShapedType) else type_


def like(x: ir.Type, element: ir.Type) -> ir.Type:
    """The type `x` with another element type, and its encoding."""
    return ir.RankedTensorType.get(x.shape, element, x.encoding) if isinstance(x, ir.RankedTensorType) else element


def typed(shape: Sequence[int], element: ir.Type) -> ir.Type:
    """The type of a value of that shape: a scalar for ()."""
    return ir.RankedTensorType.get(shape, element) if len(shape) else element


def i1() -> ir.Type:
    """The type of a truth value."""
    return ir.IntegerType.get_signless(1)


def i32() -> ir.Type:
    """The type of most of JAX's integers."""
    return ir.IntegerType.get_signless(32)


def index_type() -> ir.Type:
    """The type of sizes and indices."""
    return ir.IndexType.get()


# Constants -------------------------------------------------------------------------------------------------------


def scalar_attr(x: Any, element: ir.Type) -> ir.Attribute:
    """The attribute of one number; integers wrap around to the width of the type."""
    if isinstance(element, ir.IntegerType):
        width = element.width
        number = int(x) & ((1 << width) - 1)
        if width > 1 and number >= 1 << (width - 1):
            number -= 1 << width
        return ir.IntegerAttr.get(element, number)
    if isinstance(element, ir.IndexType):
        return ir.IntegerAttr.get(element, int(x))
    return ir.FloatAttr.get(element, float(x))


def constant(x: Any, type_: ir.Type) -> ir.Value:
    """A scalar constant, or a tensor that holds one number everywhere."""
    element = type_.element_type if isinstance(type_, ir.RankedTensorType) else type_
    if isinstance(element, ir.ComplexType):
        parts = [scalar_attr(part, element.element_type) for part in (np.real(x), np.imag(x))]
        scalar = value("complex.constant", [], element, value=ir.ArrayAttr.get(parts))
        return splat(scalar, type_.shape) if isinstance(type_, ir.RankedTensorType) else scalar
    if isinstance(type_, ir.RankedTensorType):
        attribute = ir.DenseElementsAttr.get_splat(type_, scalar_attr(x, type_.element_type))
    else:
        attribute = scalar_attr(x, type_)
    return value("arith.constant", [], type_, value=attribute)


def array_constant(array: np.ndarray, type_: ir.Type) -> ir.Value:
    """A tensor constant of that type with the elements of a NumPy array, or a scalar constant for rank 0."""
    if array.ndim == 0:
        return constant(array[()], type_)
    element, flat = element_of(type_), array.reshape(-1)
    # By their bits: 0.0 equals -0.0.
    if flat.size and flat.tobytes() == flat[:1].tobytes() * flat.size:
        return constant(flat[0], type_)
    if isinstance(element, ir.ComplexType):
        attribute = ir.DenseElementsAttr.get(np.ascontiguousarray(array), type=type_)
    else:
        attribute = ir.DenseElementsAttr.get([scalar_attr(x, element) for x in flat.tolist()], type_)
    return value("arith.constant", [], type_, value=attribute)


def index(x: int) -> ir.Value:
    """A constant of type `index`."""
    return constant(x, index_type())


def _constant_value(x: ir.Value) -> ir.Attribute | None:
    """The attribute of an `arith.constant`, or None when `x` is none."""
    if isinstance(x, ir.BlockArgument) or x.owner.name != "arith.constant":
        return None
    return x.owner.attributes["value"]


def constant_attr(x: ir.Value) -> ir.Attribute | None:
    """The attribute of a scalar `arith.constant`, or None when `x` is none."""
    attribute = _constant_value(x)
    return None if attribute is None or isinstance(x.type, ir.ShapedType) else attribute


# Elementwise -----------------------------------------------------------------------------------------------------

# Numbers of the predicates of arith.cmpi and arith.cmpf.
INT_PREDICATES = {
    name: i for i, name in enumerate(("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"))
}
FLOAT_PREDICATES = {
    name: i
    for i, name in enumerate(
        ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
    )
}


def unary(name: str, x: ir.Value) -> ir.Value:
    """An op of one operand with a result of the same type."""
    return value(name, [x], x.type)


def binary(name: str, x: ir.Value, y: ir.Value) -> ir.Value:
    """An op of two operands of one type with a result of that type."""
    return value(name, [x, y], x.type)


def cast(name: str, x: ir.Value, element: ir.Type) -> ir.Value:
    """An elementwise conversion to another element type; none when it has that type."""
    return x if element_of(x) == element else value(name, [x], like(x.type, element))


def compare(predicate: str, x: ir.Value, y: ir.Value) -> ir.Value:
    """`arith.cmpi` or `arith.cmpf`, depending on the operands."""
    is_float = predicate in FLOAT_PREDICATES and not isinstance(element_of(x), (ir.IntegerType, ir.IndexType))
    name, number = (
        ("arith.cmpf", FLOAT_PREDICATES[predicate]) if is_float else ("arith.cmpi", INT_PREDICATES[predicate])
    )
    attribute = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
    return value(name, [x, y], like(x.type, i1()), predicate=attribute)


def select(condition: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
    """`x` where the condition holds, else `y`; the condition is of their shape or a scalar."""
    return value("arith.select", [condition, x, y], x.type)


def logical_not(x: ir.Value) -> ir.Value:
    """Returns the negation of a truth value."""
    return binary("arith.xori", x, constant(1, x.type))


def to_index(x: ir.Value) -> ir.Value:
    """A signed integer scalar as `index`."""
    return x if isinstance(x.type, ir.IndexType) else value("arith.index_cast", [x], index_type())


def clamp_index(x: int | ir.Value, most: int) -> int | ir.Value:
    """The nearest number from 0 to `most` to a number that is known, or to a value of type `index`."""
    if isinstance(x, int):
        return min(max(x, 0), most)
    return binary("arith.minsi", binary("arith.maxsi", x, index(0)), index(most))


# Shapes ----------------------------------------------------------------------------------------------------------


def splat(x: ir.Value, shape: Sequence[int]) -> ir.Value:
    """A scalar broadcast to a shape."""
    return splat_to(x, typed(shape, x.type))


def splat_to(x: ir.Value, type_: ir.Type) -> ir.Value:
    """A scalar broadcast to a tensor type, or the scalar itself where that is its type."""
    if x.type == type_:
        return x
    attribute = constant_attr(x)
    if attribute is not None:
        return value("arith.constant", [], type_, value=ir.DenseElementsAttr.get_splat(type_, attribute))
    return fill(x, type_)


def empty(type_: ir.Type) -> ir.Value:
    """A tensor with unspecified elements."""
    return value("tensor.empty", [], type_)


def fill(x: ir.Value, type_: ir.Type) -> ir.Value:
    """A tensor of that type with the scalar everywhere."""
    out = empty(type_)
    fill_op = structured("linalg.fill", [x], [out], lambda element, _: element)
    return fill_op.result


def structured(
    name: str,
    inputs: Sequence[ir.Value],
    outputs: Sequence[ir.Value],
    body: Callable[..., ir.Value | Sequence[ir.Value]],
    segments: bool = True,
    **attributes: ir.Attribute,
) -> ir.Operation:
    """Creates a linalg op over tensors; `body` maps the block's scalars to the yielded values."""
    if segments:
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([len(inputs), len(outputs)])
    created = op(name, [*inputs, *outputs], [x.type for x in outputs], attributes, regions=1)
    arguments = [element_of(x) for x in (*inputs, *outputs)]
    location = ir.Location.current
    block = created.regions[0].blocks.append(*arguments, arg_locs=[location] * len(arguments))
    with ir.InsertionPoint(block):
        results = body(*block.arguments)
        op("linalg.yield", [results] if isinstance(results, ir.Value) else results, [])
    return created


def generic(
    inputs: Sequence[tuple[ir.Value, ir.AffineMap]],
    outputs: Sequence[tuple[ir.Value, ir.AffineMap]],
    iterators: Sequence[str],
    body: Callable[..., ir.Value | Sequence[ir.Value]],
) -> ir.Operation:
    """Creates a `linalg.generic` over tensors."""
    maps = ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for _, m in (*inputs, *outputs)])
    kinds = ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in iterators])
    return structured(
        "linalg.generic",
        [x for x, _ in inputs],
        [x for x, _ in outputs],
        body,
        indexing_maps=maps,
        iterator_types=kinds,
    )


def generate(type_: ir.Type, body: Callable[..., ir.Value]) -> ir.Value:
    """A tensor whose element at (i, j, ...) is `body(i, j, ...)`, indices of type `index`."""
    rank = len(type_.shape)
    out = empty(type_)
    identity = ir.AffineMap.get_identity(rank)
    return generic([], [(out, identity)], ["parallel"] * rank, lambda _: body(*loop_indices(rank))).result


def loop_indices(rank: int) -> list[ir.Value]:
    """The indices of the element that the body of a linalg op computes."""
    i64 = ir.IntegerType.get_signless(64)
    return [value("linalg.index", [], index_type(), dim=ir.IntegerAttr.get(i64, i)) for i in range(rank)]


def transpose(x: ir.Value, permutation: Sequence[int]) -> ir.Value:
    """Dimension `i` of the result is dimension `permutation[i]` of `x`."""
    if list(permutation) == list(range(len(permutation))):
        return x
    shape = shape_of(x)
    out = empty(ir.RankedTensorType.get([shape[p] for p in permutation], element_of(x)))
    return structured(
        "linalg.transpose",
        [x],
        [out],
        lambda element, _: element,
        segments=False,
        permutation=ir.DenseI64ArrayAttr.get(list(permutation)),
    ).result


def broadcast(x: ir.Value, shape: Sequence[int], dims: Sequence[int]) -> ir.Value:
    """Dimension `i` of `x` becomes dimension `dims[i]` of the result; one of size 1 is repeated."""
    source = shape_of(x)
    if not source:
        return splat(x, shape)
    kept = [i for i, size in enumerate(source) if size == shape[dims[i]]]
    if len(kept) < len(source):
        x = reshape(x, [source[i] for i in kept])
    if not kept:
        return splat(x, shape)
    kept_dims = [dims[i] for i in kept]
    added = [d for d in range(len(shape)) if d not in kept_dims]
    if not added:
        return x
    if all(shape[d] == 1 for d in added):
        return reshape(x, shape)
    out = empty(ir.RankedTensorType.get(shape, element_of(x)))
    return structured(
        "linalg.broadcast",
        [x],
        [out],
        lambda element, _: element,
        segments=False,
        dimensions=ir.DenseI64ArrayAttr.get(added),
    ).result


def broadcast_trailing(x: ir.Value, shape: Sequence[int]) -> ir.Value:
    """NumPy's broadcasting: the last dimensions of `x` are the last of the result."""
    return broadcast(x, shape, list(range(len(shape) - len(shape_of(x)), len(shape))))


def _reassociation_attr(groups: Sequence[Sequence[int]]) -> ir.Attribute:
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.ArrayAttr.get([ir.IntegerAttr.get(i64, i) for i in group]) for group in groups])


def collapse(x: ir.Value, shape: Sequence[int], groups: Sequence[Sequence[int]]) -> ir.Value:
    """`tensor.collapse_shape` to `shape`, whose dimension i is the group i of dimensions of `x`."""
    type_ = ir.RankedTensorType.get(shape, element_of(x))
    return value("tensor.collapse_shape", [x], type_, reassociation=_reassociation_attr(groups))


def expand(x: ir.Value, shape: Sequence[int], groups: Sequence[Sequence[int]]) -> ir.Value:
    """`tensor.expand_shape` to `shape`, whose group i of dimensions is dimension i of `x`."""
    type_ = ir.RankedTensorType.get(shape, element_of(x))
    return value(
        "tensor.expand_shape",
        [x],
        type_,
        reassociation=_reassociation_attr(groups),
        static_output_shape=ir.DenseI64ArrayAttr.get(list(shape)),
    )


def extract(x: ir.Value, indices: Sequence[ir.Value]) -> ir.Value:
    """One element of a tensor."""
    attribute = _constant_value(x)
    if attribute is not None and attribute.is_splat:
        return value("arith.constant", [], element_of(x), value=attribute.get_splat_value())
    return value("tensor.extract", [x, *indices], element_of(x))


def insert(scalar: ir.Value, x: ir.Value, indices: Sequence[ir.Value]) -> ir.Value:
    """A tensor with one element replaced."""
    return value("tensor.insert", [scalar, x, *indices], x.type)


def reshape(x: ir.Value, shape: Sequence[int]) -> ir.Value:
    """The same elements in row-major order in another shape."""
    source, shape = list(shape_of(x)), list(shape)
    if source == shape:
        return x
    if not shape:
        return extract(x, [index(0)] * len(source))
    if not source:
        return splat(x, shape)
    if len(source) > len(shape):
        groups = reassociation(source, shape)
        if groups is not None:
            return collapse(x, shape, groups)
    elif len(source) < len(shape):
        groups = reassociation(shape, source)
        if groups is not None:
            return expand(x, shape, groups)
    # Through a vector, which every shape collapses to.
    size = math.prod(source)
    flat = collapse(x, [size], [list(range(len(source)))]) if len(source) > 1 else x
    return expand(flat, shape, [list(range(len(shape)))]) if len(shape) > 1 else flat


def _offsets(offsets: Sequence[int | ir.Value]) -> tuple[list[int], list[ir.Value]]:
    # JAX's parameters contain both NumPy's and Python's integers.
    static = [DYNAMIC if isinstance(o, ir.Value) else int(o) for o in offsets]
    return static, [to_index(o) for o in offsets if isinstance(o, ir.Value)]


def extract_slice(
    x: ir.Value,
    offsets: Sequence[int | ir.Value],
    sizes: Sequence[int],
    strides: Sequence[int] | None = None,
    shape: Sequence[int] | None = None,
) -> ir.Value:
    """A window of a tensor; `shape` may leave out dimensions of size 1."""
    static, dynamic = _offsets(offsets)
    type_ = ir.RankedTensorType.get(list(sizes if shape is None else shape), element_of(x))
    if 0 in sizes:
        # The op wants the start of a window to be an element.
        return empty(type_)
    return value(
        "tensor.extract_slice",
        [x, *dynamic],
        type_,
        static_offsets=ir.DenseI64ArrayAttr.get(static),
        static_sizes=ir.DenseI64ArrayAttr.get(list(sizes)),
        static_strides=ir.DenseI64ArrayAttr.get(list(strides or [1] * len(sizes))),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, len(dynamic), 0, 0]),
    )


def insert_slice(
    x: ir.Value,
    into: ir.Value,
    offsets: Sequence[int | ir.Value],
    sizes: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> ir.Value:
    """`into` with a window replaced by `x`, which may lack dimensions of size 1."""
    static, dynamic = _offsets(offsets)
    sizes = list(shape_of(x) if sizes is None else sizes)
    if 0 in sizes:
        return into
    return value(
        "tensor.insert_slice",
        [x, into, *dynamic],
        into.type,
        static_offsets=ir.DenseI64ArrayAttr.get(static),
        static_sizes=ir.DenseI64ArrayAttr.get(sizes),
        static_strides=ir.DenseI64ArrayAttr.get(list(strides or [1] * len(sizes))),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 1, len(dynamic), 0, 0]),
    )


# Control flow ----------------------------------------------------------------------------------------------------


def for_loop(
    low: ir.Value,
    high: ir.Value,
    step: ir.Value,
    initial: Sequence[ir.Value],
    body: Callable[..., Sequence[ir.Value]],
    attributes: Mapping[str, ir.Attribute] | None = None,
) -> list[ir.Value]:
    """`scf.for` whose `body(i, *carried)` gives the next carried values; `attributes` are further ones of the loop."""
    types = [x.type for x in initial]
    loop = op("scf.for", [low, high, step, *initial], types, regions=1)
    for name, attribute in (attributes or {}).items():
        loop.attributes[name] = attribute
    location = ir.Location.current
    block = loop.regions[0].blocks.append(low.type, *types, arg_locs=[location] * (1 + len(types)))
    with ir.InsertionPoint(block):
        op("scf.yield", body(*block.arguments), [])
    return list(loop.results)


def if_else(
    condition: ir.Value,
    types: Sequence[ir.Type],
    then: Callable[[], Sequence[ir.Value]],
    otherwise: Callable[[], Sequence[ir.Value]] | None,
) -> list[ir.Value]:
    """`scf.if`; each branch gives values of those types. Without types the else branch may be absent."""
    branch = op("scf.if", [condition], types, regions=2)
    for region, build in zip(branch.regions, (then, otherwise), strict=True):
        if build is not None:
            with ir.InsertionPoint(region.blocks.append()):
                op("scf.yield", build(), [])
    return list(branch.results)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `grid` dialect in Python: its generated ops, its attributes, and builders for hand-written kernels.

with ir.Context(), ir.Location.unknown():
    module = ir.Module.create()
    f32 = ir.F32Type.get()
    with ir.InsertionPoint(module.body):
        x = grid.operand(f32, [512, 512], block=[128, 128], origin="x_ref")
        kernel = grid.KernelOp("copy", grid=[4, 4], inputs=[x], outputs=[x])
    for index_map in kernel.index_maps:
        with ir.InsertionPoint(index_map):
            grid.yield_(list(index_map.arguments))
    with ir.InsertionPoint(kernel.body):
        x_ref, o_ref = kernel.body.arguments
        grid.store(grid.load_all(x_ref), o_ref)
        grid.yield_([])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

from gridir.mlir import ir
from gridir.mlir._mlir_libs import _gridirGrid
from gridir.mlir.dialects._grid_ops_gen import *  # noqa: F403
from gridir.mlir.dialects._grid_ops_gen import KernelOp as _GeneratedKernelOp
from gridir.mlir.dialects._grid_ops_gen import LoadOp as _LoadOp
from gridir.mlir.dialects._grid_ops_gen import _Dialect
from gridir.mlir.dialects._ods_common import _cext as _ods_cext

BlockDimAttr = _gridirGrid.BlockDimAttr
CostAttr = _gridirGrid.CostAttr
DimAttr = _gridirGrid.DimAttr
DimSemanticsAttr = _gridirGrid.DimSemanticsAttr
MemoryPlanAttr = _gridirGrid.MemoryPlanAttr
MemorySpaceAttr = _gridirGrid.MemorySpaceAttr
OperandAttr = _gridirGrid.OperandAttr
OperandMemoryAttr = _gridirGrid.OperandMemoryAttr
PipelineModeAttr = _gridirGrid.PipelineModeAttr
SemaphoreType = _gridirGrid.SemaphoreType
TransformAttr = _gridirGrid.TransformAttr


_Kind = type | tuple[type, ...]


def _expect(value: Any, kind: _Kind, what: str) -> Any:
    """Returns a value of a kind; raises ValueError for another one, before MLIR's bindings would with less to say."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"expected {what}, got {value!r}")
    return value


def _expect_all(values: Any, kind: _Kind, what: str, of: str) -> list[Any]:
    """Returns the values of a sequence, each of a kind."""
    if isinstance(values, (str, bytes, ir.Attribute, ir.Type)) or not isinstance(values, Iterable):
        raise ValueError(f"expected a sequence for {of}, got {values!r}")
    values = list(values)
    for value in values:
        if not isinstance(value, kind) or isinstance(value, bool):
            _expect(value, kind, f"{what} in {of}")
    return values


def _expect_size(size: Any, what: str) -> int:
    if not 0 <= _expect(size, Integral, what) < 2**63:
        raise ValueError(f"expected {what} that is not negative and fits 64 bits, got {size}")
    return int(size)


def dim(size: int | ir.Attribute | None, **options: Any) -> ir.Attribute:
    """A grid dimension: a number of programs, None where the call gives it, or an attribute that already is one.

    Raises:
      ValueError: for anything else.
    """
    if isinstance(size, ir.Attribute):
        return _expect(size, DimAttr, "a dimension of a grid")
    return DimAttr.get(size if size is None else _expect_size(size, "a number of programs"), **options)


def block_dim(size: int | ir.Attribute | None, **options: Any) -> ir.Attribute:
    """How a dimension is cut: a number of elements, None where it is squeezed, or an attribute that already says it.

    Raises:
      ValueError: for anything else.
    """
    if isinstance(size, ir.Attribute):
        return _expect(size, BlockDimAttr, "a dimension of a block")
    if size is None:
        return BlockDimAttr.get(1, "squeezed")
    return BlockDimAttr.get(_expect_size(size, "a number of elements"), **options)


def operand(
    element_type: ir.Type,
    shape: Sequence[int | str],
    *,
    block: Sequence[int | ir.Attribute | None] = (),
    space: str = "default",
    pipeline: ir.Attribute | None = None,
    transforms: Sequence[ir.Attribute] = (),
    origin: str | None = None,
    index_tree: str | None = None,
) -> ir.Attribute:
    """An array operand of a kernel and how it is cut into blocks.

    Args:
      element_type: the element type, with its sign.
      shape: the array's dimensions; a string names a symbol that is bound at the call.
      block: one entry for each dimension, as `block_dim` takes it; empty for the whole array.
      space: where the kernel sees the block, as "tpu.vmem".
      pipeline: how the blocks are buffered.
      transforms: the steps from a block to its Ref.
      origin: the name of the parameter, for messages.
      index_tree: the structure of the index map's results where it is no plain tuple.

    Raises:
      ValueError: if a part is of another kind, or the parts do not fit each other.
    """
    sizes = [
        size if isinstance(size, str) else _expect_size(size, "a dimension in shape")
        for size in _expect_all(shape, (Integral, str), "a dimension", "shape")
    ]
    for name, text in (("origin", origin), ("index_tree", index_tree)):
        _expect(text, (str, type(None)), f"a string for {name}")
    return OperandAttr.get(
        _expect(element_type, ir.Type, "an element type"),
        sizes,
        [block_dim(d) for d in _expect_all(block, (Integral, ir.Attribute, type(None)), "a dimension", "block")],
        _expect(space, str, "a memory space"),
        _expect(pipeline, (PipelineModeAttr, type(None)), "a pipeline mode"),
        _expect_all(transforms, TransformAttr, "a transform", "transforms"),
        origin,
        index_tree,
    )


def _array(items: Sequence[ir.Attribute]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get(list(items))


def _strings(texts: Any, of: str) -> list[ir.StringAttr]:
    return [ir.StringAttr.get(text) for text in _expect_all(texts, str, "a string", of)]


def _dict(values: Any, kind: _Kind, what: str, of: str) -> dict[str, Any]:
    _expect(values, Mapping, f"a mapping for {of}")
    _expect_all(values, str, "a string", of)
    return {key: _expect(value, kind, f"{what} in {of}") for key, value in values.items()}


def _alias(pair: Any) -> ir.DenseI64ArrayAttr:
    numbers = _expect_all(pair, Integral, "a number", "an alias")
    if len(numbers) != 2:
        raise ValueError(f"expected an alias of an operand and an output, got {pair!r}")
    return ir.DenseI64ArrayAttr.get(numbers)


def _expect_kinds(
    strings: Mapping[str, Any], operands: Mapping[str, Any], scratch: Any, cost: Any, arg_locs: Any
) -> None:
    """Raises ValueError if a part of a kernel is of another kind."""
    for what, text in strings.items():
        _expect(text, (str, type(None)), f"a string for {what}")
    for what, given in operands.items():
        _expect_all(given, OperandAttr, "an operand", what)
    _expect_all(scratch, ir.Type, "a type", "scratch")
    _expect(cost, (CostAttr, type(None)), "an estimate of the cost")
    if arg_locs is not None:
        _expect_all(arg_locs, ir.Location, "a location", "arg_locs")


def _semantics(names: Any) -> ir.Attribute:
    return _array([DimSemanticsAttr.get(name) for name in _expect_all(names, str, "a semantics", "semantics")])


def _metadata(entries: Any) -> ir.Attribute:
    """The author's strings, and attributes for other values."""
    known = _dict(entries, (str, ir.Attribute), "a string", "metadata")
    return ir.DictAttr.get({k: ir.StringAttr.get(v) if isinstance(v, str) else v for k, v in known.items()})


@_ods_cext.register_operation(_Dialect, replace=True)
class KernelOp(_GeneratedKernelOp):
    """A kernel that runs once for every point of a grid."""

    def __init__(
        self,
        name: str,
        *,
        grid: Sequence[int | ir.Attribute | None] = (),
        index_operands: Sequence[ir.Attribute] = (),
        inputs: Sequence[ir.Attribute] = (),
        outputs: Sequence[ir.Attribute] = (),
        scratch: Sequence[ir.Type] = (),
        scratch_origins: Sequence[str] | None = None,
        semantics: Sequence[str] | None = None,
        aliases: Sequence[tuple[int, int]] = (),
        functional_aliases: bool = False,
        params: Sequence[ir.Attribute] = (),
        cost: ir.Attribute | None = None,
        metadata: Mapping[str, str | ir.Attribute] | None = None,
        backend: str | None = None,
        source: str | None = None,
        jax: Mapping[str, ir.Attribute] | None = None,
        debug: bool = False,
        arg_locs: Sequence[ir.Location] | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ):
        """Creates a kernel whose body and index maps are blocks without ops, to be filled and ended by `grid.yield`.

        Args:
          name: the symbol.
          grid: the dimensions, as `dim` takes them.
          index_operands: operands that index maps may read, as `operand` makes them, without a block.
          inputs: the inputs.
          outputs: the outputs.
          scratch: the types of the scratch Refs.
          scratch_origins: the names of the scratch Refs, for messages.
          semantics: for each dimension "parallel", "arbitrary" or another semantics; None where nothing is said.
          aliases: pairs of a call operand (counted over index operands and inputs) and the output that shares its
            memory.
          functional_aliases: whether an operand of `aliases` keeps its value while programs write the output.
          params: the compiler parameters of backends.
          cost: the estimate of the cost, a `CostAttr`.
          metadata: the author's strings, or attributes for other values.
          backend: the backend that the author named.
          source: the kernel function and its source line, for messages.
          jax: data that only a GridMapping needs.
          debug: whether the author asked for the kernel to be printed.
          arg_locs: the location of each argument of the body.
          loc: the location of the kernel.
          ip: where to insert it.

        Raises:
          ValueError: if one of these is of another kind. The verifier of the op reports other faults.
        """
        context = loc.context if loc else None
        _expect(name, str, "a string for name")
        strings = {"backend": backend, "source": source}
        operands = {"index_operands": index_operands, "inputs": inputs, "outputs": outputs}
        _expect_kinds(strings, operands, scratch, cost, arg_locs)
        dims = [dim(size) for size in _expect_all(grid, (Integral, ir.Attribute, type(None)), "a dimension", "grid")]
        super().__init__(
            ir.StringAttr.get(name, context=context),
            _array(dims),
            _array(index_operands),
            _array(inputs),
            _array(outputs),
            num_kernelRegions=1 + len(inputs) + len(outputs),
            semantics=None if semantics is None else _semantics(semantics),
            aliases=_array([_alias(p) for p in _expect_all(aliases, object, "a pair", "aliases")]) if aliases else None,
            functional_aliases=functional_aliases or None,
            params=_array(_expect_all(params, ir.Attribute, "an attribute", "params")) if params else None,
            cost=cost,
            scratch_origins=_array(_strings(scratch_origins, "scratch_origins")) if scratch_origins else None,
            metadata=None if metadata is None else _metadata(metadata),
            jax=ir.DictAttr.get(_dict(jax, ir.Attribute, "an attribute", "jax")) if jax else None,
            debug=debug or None,
            **{k: ir.StringAttr.get(v) for k, v in strings.items() if v is not None},
            loc=loc,
            ip=ip,
        )
        index_refs = [spec.ref_type for spec in index_operands]
        self._add_blocks(len(grid), index_refs, [spec.ref_type for spec in (*inputs, *outputs)], scratch, arg_locs)

    def _add_blocks(
        self,
        rank: int,
        index_refs: Sequence[ir.Type],
        block_refs: Sequence[ir.Type],
        scratch: Sequence[ir.Type],
        arg_locs: Sequence[ir.Location] | None,
    ) -> None:
        """Adds the blocks of the body and of the index maps, without ops."""
        location = self.location
        types = [*index_refs, *block_refs, *scratch]
        regions = self.operation.regions
        regions[0].blocks.append(*types, arg_locs=list(arg_locs) if arg_locs else [location] * len(types))
        ids = [ir.IntegerType.get_signless(32, self.context)] * rank
        for i in range(len(block_refs)):
            regions[1 + i].blocks.append(*ids, *index_refs, arg_locs=[location] * (len(ids) + len(index_refs)))

    @property
    def body(self) -> ir.Block:
        """The block that runs once for every point; its arguments are index, input, output and scratch Refs."""
        return self.operation.regions[0].blocks[0]

    @property
    def index_maps(self) -> list[ir.Block]:
        """The block of each index map, of inputs and then outputs."""
        return [region.blocks[0] for region in list(self.operation.regions)[1:]]

    @property
    def alias_pairs(self) -> dict[int, int]:
        """For each operand in whose memory a result is, the number of the result."""
        if "aliases" not in self.operation.attributes:
            return {}
        pairs = (ir.DenseI64ArrayAttr(pair) for pair in ir.ArrayAttr(self.operation.attributes["aliases"]))
        return {pair[0]: pair[1] for pair in pairs}

    @property
    def knows_devices(self) -> bool:
        """True if a program reads its device number, or accesses memory or semaphores of another device."""
        return _gridirGrid.knows_devices(self.operation)

    @property
    def accesses_devices(self) -> bool:
        """True if a program accesses memory or semaphores of another device."""
        return _gridirGrid.accesses_devices(self.operation)

    @property
    def has_output(self) -> bool:
        """True if a program prints or otherwise has effects besides its results."""
        return _gridirGrid.has_output(self.operation)

    @property
    def num_scratch(self) -> int:
        """The number of scratch Refs."""
        operands = len(self.index_operands) + len(self.inputs) + len(self.outputs)
        return len(self.body.arguments) - operands


def load_all(
    ref: ir.Value, *, mask: ir.Value | None = None, other: ir.Value | None = None, **loc_and_ip: Any
) -> ir.Value:
    """The value that a Ref holds: a tensor of its shape, or a scalar where it has rank 0.

    Raises:
      ValueError: for a value that is not a Ref.
    """
    _expect(ref, ir.Value, "a Ref")
    _expect(mask, (ir.Value, type(None)), "a mask")
    _expect(other, (ir.Value, type(None)), "a value")
    type_ = ir.MemRefType(ref.type)
    result = ir.RankedTensorType.get(type_.shape, type_.element_type) if type_.rank else type_.element_type
    return _LoadOp(result, ref, mask=mask, other=other, **loc_and_ip).result

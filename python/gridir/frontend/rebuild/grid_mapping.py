# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a `grid.kernel` back to JAX's `GridMapping`.

`grid_mapping` is the inverse, and describes the entries of the attribute `jax`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from gridir.errors import Error, UnsupportedError
from gridir.frontend.compat import jax_core, jax_gpu
from gridir.frontend.header import trees
from gridir.frontend.header.notes import SideTable
from gridir.frontend.header.operands import usual_origins
from gridir.frontend.rebuild import params
from gridir.frontend.rebuild.index_maps import canonical_text, rebuild_index_map
from gridir.mlir import ir
from gridir.mlir.dialects import grid


class MissingObject(Error):
    """A field of a GridMapping is a Python object that the module does not hold."""


class _Notes:
    """The entries of a kernel's attribute `jax`, and the side table."""

    def __init__(self, kernel: grid.KernelOp, side_table: SideTable | None):
        attributes = kernel.operation.attributes
        entries = ir.DictAttr(attributes["jax"]) if "jax" in attributes else ()
        self.attributes = {entry.name: entry.attr for entry in entries}
        self.entries = {
            name: params.from_attribute(attr) for name, attr in self.attributes.items() if name != "scratch"
        }
        self.absent = set(self.entries.get("objects", ()))
        self.objects = side_table.objects if side_table else {}
        self.meshes = {field: known for known in self.entries.get("meshes", ()) for field in known["of"]}

    def array(self, field: str, aval: Any) -> Any:
        """The abstract array of a field, with its mesh information."""
        return self.object(field, jax_core.with_mesh(aval, self.meshes[field]) if field in self.meshes else aval)

    def object(self, field: str, default: Any = None) -> Any:
        """The Python object that is the value of `field`, or `default` where the field is none."""
        if field not in self.absent:
            return default
        if field in self.objects:
            return self.objects[field]
        raise MissingObject(
            f"{field} is a Python object, which a module does not hold",
            notes=["pass the side table of the process that lowered the kernel"],
        )


# ----------------------------------------------------------------------------------------------------------------------
# Types, spaces and symbols
# ----------------------------------------------------------------------------------------------------------------------

_FLOATS = {
    "bf16": "bfloat16",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "complex<f32>": "complex64",
    "complex<f64>": "complex128",
}


def dtype_of(type_: ir.Type) -> Any:
    """The JAX dtype of an element type."""
    text = str(type_)
    if text.startswith("!grid.semaphore<"):
        return jax_core.semaphore_dtype(grid.SemaphoreType(type_).kind)
    if isinstance(type_, ir.IntegerType):
        if type_.width == 1:
            return jnp.dtype("bool")
        return jnp.dtype(("u" if type_.is_unsigned else "") + f"int{type_.width}")
    if text in _FLOATS:
        return jnp.dtype(_FLOATS[text])
    # The small floats have one name in MLIR and JAX, but for a separator: f8E4M3FN, float8_e4m3fn.
    for name in ("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"):
        if text.lower() == name.replace("float", "f").replace("_", ""):
            return jnp.dtype(getattr(jnp, name))
    return jnp.dtype(getattr(jnp, f"float8_{text[2:].lower()}"))


def _space(name: str) -> Any:
    """The memory space of JAX that has this name in gridir."""
    owner, _, space = name.rpartition(".")
    if not owner:
        return pl.MemorySpace(space)
    if owner == "array":
        return jax_core.ArrayMemorySpace[space]
    if owner == "tpu":
        from jax.experimental.pallas import tpu

        return tpu.MemorySpace(space)
    from jax.experimental.pallas import mosaic_gpu

    return mosaic_gpu.MemorySpace(space)


class _Symbols:
    """The symbolic dimensions of one kernel, in one scope."""

    def __init__(self) -> None:
        self.scope = jax.export.SymbolicScope()

    def shape(self, dims: Sequence[int | str]) -> tuple[Any, ...]:
        return tuple(
            jax.export.symbolic_shape(dim, scope=self.scope)[0] if isinstance(dim, str) else dim for dim in dims
        )


# ----------------------------------------------------------------------------------------------------------------------
# Blocks
# ----------------------------------------------------------------------------------------------------------------------


def _block_dim(dim: Any) -> Any:
    match dim.kind:
        case "squeezed":
            return pl.Squeezed()
        case "element":
            return pl.Element(dim.size, dim.padding)
        case "bounded_slice":
            return pl.BoundedSlice(dim.size)
        case "indirect":
            return pl.Indirect(dim.size)
    return pl.Blocked(dim.size)


def _transform(attribute: ir.Attribute) -> Any:
    attribute = grid.TransformAttr(attribute)
    if attribute.kind == "transpose":
        return jax_core.TransposeTransform(tuple(attribute.values))
    numbers = tuple(attribute.values)
    return jax_gpu.make_transform(attribute.kind, numbers[0] if "swizzle" in attribute.kind else numbers)


def _pipeline_mode(attribute: ir.Attribute | None) -> Any:
    if attribute is None:
        return None
    mode = grid.PipelineModeAttr(attribute)
    buffers = mode.buffers if mode.write_buffers is None else (mode.buffers, mode.write_buffers)
    prefetched = {"prefetched_count": mode.prefetched} if mode.prefetched else {}
    if not prefetched.keys() <= {field.name for field in dataclasses.fields(pl.Buffered)}:
        raise UnsupportedError(f"expected a JAX with prefetched_count of pl.Buffered, got {jax.__version__}")
    return pl.Buffered(buffers, mode.lookahead, pl.RevisitMode(mode.revisit) if mode.revisit else None, **prefetched)


def _flat_results(indices: list[Any], operand: Any) -> list[Any]:
    """JAX's flat results of an index map: those indices of `grid` that are not fixed by the tree of the results."""
    if operand.index_tree is None:
        return indices
    rest = iter(indices)
    flat: list[Any] = []
    for entry in trees.unflatten(operand.index_tree, lambda: Ellipsis):
        if isinstance(entry, jax_core.Slice):
            start, size = next(rest), next(rest)
            flat += [value for value, fixed in ((start, entry.start), (size, entry.size)) if fixed is Ellipsis]
        else:
            flat += [next(rest) for leaf in jax.tree.leaves(entry)]
    return flat


class _Rebuilder:
    def __init__(self, kernel: grid.KernelOp, side_table: SideTable | None):
        self.kernel = kernel
        self.notes = _Notes(kernel, side_table)
        self.symbols = _Symbols()
        attributes = kernel.operation.attributes
        self.dims = [grid.DimAttr(dim) for dim in attributes["dims"]]
        self.index_operands = [grid.OperandAttr(spec) for spec in attributes["index_operands"]]
        self.inputs = [grid.OperandAttr(spec) for spec in attributes["inputs"]]
        self.outputs = [grid.OperandAttr(spec) for spec in attributes["outputs"]]

    def grid(self) -> tuple[Any, ...]:
        symbolic = self.notes.entries.get("symbolic_grid", {})
        sizes = []
        for i, dim in enumerate(self.dims):
            if str(i) in symbolic:
                sizes += self.symbols.shape([symbolic[str(i)]])
            else:
                sizes.append(jax_core.dynamic_grid_dim if dim.size is None else dim.size)
        return tuple(sizes)

    def grid_names(self) -> tuple[Any, ...] | None:
        names = [dim.name for dim in self.dims if dim.name is not None]
        if not names:
            return None
        return tuple(self.notes.object(f"grid_names[{i}]", name) for i, name in enumerate(names))

    def index_map_avals(self) -> tuple[Any, ...]:
        avals: list[Any] = [jax_core.ShapedArray((), jnp.dtype("int32"))] * len(self.dims)
        for i, spec in enumerate(self.index_operands):
            field = f"index_map_avals[{len(self.dims) + i}].memory_space"
            space = self.notes.object(field, _space(spec.space))
            array = jax_core.ShapedArray(self.symbols.shape(spec.shape), dtype_of(spec.element_type))
            avals.append(jax_core.AbstractRef(array, space))
        return tuple(self._index_map_aval(f"index_map_avals[{i}]", aval) for i, aval in enumerate(avals))

    def _index_map_aval(self, field: str, aval: Any) -> Any:
        if isinstance(aval, jax_core.AbstractRef) and field in self.notes.meshes:
            inner = jax_core.with_mesh(aval.inner_aval, self.notes.meshes[field])
            return jax_core.AbstractRef(inner, aval.memory_space)
        return self.notes.array(field, aval)

    def index_map_tree(self, num_avals: int) -> Any:
        text = self.notes.entries.get("index_map_tree")
        usual = trees.from_text(text) if text else jax.tree.structure(((0,) * num_avals, {}))
        return self.notes.object("index_map_tree", usual)

    def array_aval(self, i: int, operand: Any) -> Any:
        space = self.notes.entries.get("array_spaces", {}).get(str(i), "array.Device")
        aval = jax_core.ShapedArray(
            self.symbols.shape(operand.shape),
            dtype_of(operand.element_type),
            weak_type=f"array {i}" in self.notes.entries.get("weak", ()),
            memory_space=self.notes.object(f"block_mappings[{i}].array_space", _space(space)),
        )
        return self.notes.array(f"block_mappings[{i}].array", aval)

    def block_mapping(self, i: int, avals: tuple[Any, ...], sizes: tuple[Any, ...], debug: bool) -> Any:
        operand = (self.inputs + self.outputs)[i]
        field = f"block_mappings[{i}]"
        entries = self.notes.entries
        array = self.array_aval(i, operand)
        block = [_block_dim(grid.BlockDimAttr(dim)) for dim in operand.block]
        block_shape = tuple(block) if block or not array.shape else tuple(pl.Blocked(size) for size in array.shape)
        ref_shape = tuple(dim.block_size for dim in block_shape if not isinstance(dim, pl.Squeezed))
        inner = jax_core.ShapedArray(ref_shape, array.dtype, weak_type=f"block {i}" in entries.get("weak", ()))
        transforms = self.notes.object(f"{field}.transforms", tuple(map(_transform, operand.transforms)))
        for transform in transforms:
            inner = transform.transform_type(inner)
        inner = self.notes.array(f"{field}.block", inner)
        tree = operand.index_tree
        usual = trees.from_text(tree) if tree else jax.tree.structure((0,) * len(block_shape))
        origins = entries.get("origins") or usual_origins(len(self.index_operands), len(self.inputs), len(self.outputs))
        return jax_core.BlockMapping(
            block_shape=block_shape,
            transformed_block_aval=jax_core.AbstractRef(
                inner, self.notes.object(f"{field}.memory_space", _space(operand.space))
            ),
            index_map_jaxpr=rebuild_index_map(
                self.kernel.index_maps[i], self.dims, avals, sizes, lambda indices: _flat_results(indices, operand)
            ),
            index_map_out_tree=self.notes.object(f"{field}.index_map_out_tree", usual),
            array_aval=array,
            origin=origins[i],
            transforms=transforms,
            pipeline_mode=self.notes.object(f"{field}.pipeline_mode", _pipeline_mode(operand.pipeline)),
            debug=debug != (i in entries.get("block_debug", ())),
        )

    def vmapped_dims(self) -> tuple[int, ...]:
        return tuple(i for i, dim in enumerate(self.dims) if dim.vmapped)

    def scratch_avals(self) -> tuple[Any, ...]:
        arguments = list(self.kernel.body.arguments)
        first = len(self.index_operands) + len(self.inputs) + len(self.outputs)
        notable = self.notes.attributes.get("scratch")
        barriers = {entry.name: entry.attr for entry in ir.DictAttr(notable)} if notable is not None else {}
        attributes = self.kernel.operation.attributes
        unsigned = list(ir.DenseI64ArrayAttr(attributes["grid.unsigned"])) if "grid.unsigned" in attributes else []
        avals = []
        last = len(arguments) - self.notes.entries.get("shared", 0)
        for i, argument in enumerate(arguments[first:last]):
            type_ = ir.MemRefType(argument.type)
            if str(i) in barriers:
                dtype = jax_gpu.barrier_dtype(*params.from_attribute(barriers[str(i)]))
            elif first + i in unsigned:
                dtype = dtype_of(ir.IntegerType.get_unsigned(ir.IntegerType(type_.element_type).width))
            else:
                dtype = dtype_of(type_.element_type)
            space = _space(grid.MemorySpaceAttr(type_.memory_space).value)
            aval = jax_core.AbstractRef(jax_core.ShapedArray(tuple(type_.shape), dtype), space)
            avals.append(self.notes.object(f"scratch_avals[{i}]", aval))
        return tuple(avals)

    def rebuild(self) -> Any:
        debug = self.notes.entries.get("mapping_debug", "debug" in self.kernel.operation.attributes)
        sizes, avals = self.grid(), self.index_map_avals()
        count = len(self.inputs) + len(self.outputs)
        return jax_core.GridMapping(
            grid=sizes,
            grid_names=self.grid_names(),
            block_mappings=tuple(self.block_mapping(i, avals, sizes, debug) for i in range(count)),
            index_map_tree=self.index_map_tree(len(avals)),
            index_map_avals=avals,
            vmapped_dims=self.vmapped_dims(),
            scratch_avals=self.scratch_avals(),
            num_index_operands=len(self.index_operands),
            num_inputs=len(self.inputs),
            num_outputs=len(self.outputs),
            get_grid_indices=self.notes.object("get_grid_indices"),
            local_grid_env=self.notes.object("local_grid_env"),
            debug=debug,
        )


def rebuild_grid_mapping(kernel: grid.KernelOp, side_table: SideTable | None = None) -> Any:
    """Rebuilds the GridMapping that a `grid.kernel` was made from.

    Args:
      kernel: the kernel, before any pass has changed it.
      side_table: the Python objects that `build_kernel` found, where this is still the same process.

    Raises:
      MissingObject: naming the field that is a Python object, where the side table does not hold it.
      Error: if the kernel was not made from a GridMapping.
    """
    return _Rebuilder(kernel, side_table).rebuild()


def differences(lhs: Any, rhs: Any) -> list[str]:
    """The fields in which two GridMappings differ, for index maps in canonical text; empty when they are the same."""
    found = []

    def compare(field: str, left: Any, right: Any) -> None:
        # Symbolic dimensions of two scopes are not comparable but by name.
        if (str(left) != str(right)) if "shape" in field or field == "grid" else left != right:
            found.append(f"{field}: {left} and {right}")

    for field in (
        "grid",
        "grid_names",
        "index_map_tree",
        "vmapped_dims",
        "num_index_operands",
        "num_inputs",
        "num_outputs",
        "get_grid_indices",
        "local_grid_env",
        "debug",
    ):
        compare(field, getattr(lhs, field), getattr(rhs, field))
    for field in ("index_map_avals", "scratch_avals"):
        compare(field, *(tuple(map(jax_core.describe_aval, getattr(m, field))) for m in (lhs, rhs)))
    if len(lhs.block_mappings) != len(rhs.block_mappings):
        return [*found, f"block_mappings: {len(lhs.block_mappings)} and {len(rhs.block_mappings)}"]
    for i, (left, right) in enumerate(zip(lhs.block_mappings, rhs.block_mappings, strict=True)):
        for field in ("block_shape", "index_map_out_tree", "origin", "pipeline_mode", "debug"):
            compare(f"block_mappings[{i}].{field}", getattr(left, field), getattr(right, field))
        compare(f"block_mappings[{i}].transforms", tuple(left.transforms), tuple(right.transforms))
        for field in ("array_aval", "transformed_block_aval"):
            compare(f"block_mappings[{i}].{field}", *(jax_core.describe_aval(getattr(b, field)) for b in (left, right)))
        texts = [canonical_text(b.index_map_jaxpr, m.grid, m.vmapped_dims) for b, m in ((left, lhs), (right, rhs))]
        compare(f"block_mappings[{i}].index_map_jaxpr", *texts)
    return found

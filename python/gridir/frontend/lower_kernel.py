# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers one kernel of JAX to a module with a `grid.kernel`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import gridir.frontend.rules  # noqa: F401  (registers the rules)
from gridir import emit
from gridir.compiler.targets import target_of_platform
from gridir.frontend import fields
from gridir.frontend.compat import jax_core, jax_equations, jax_tpu
from gridir.frontend.header.grid_mapping import build_kernel
from gridir.frontend.header.notes import SideTable
from gridir.frontend.header.operands import dim_names, is_whole
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.request.meshes import MeshUnion, dim_kinds, num_cores
from gridir.frontend.rules.scopes import scoped
from gridir.frontend.walk.context import KernelContext, WalkState
from gridir.frontend.walk.levels import Vocabulary, vocabularies
from gridir.frontend.walk.profile import profile_of
from gridir.frontend.walk.types import is_ref
from gridir.frontend.walk.walker import check_supported, equations_of, erase_unused, walk
from gridir.mlir import ir
from gridir.mlir.dialects import grid


def lower_kernel(
    request: KernelRequest, context: ir.Context, *, platform: str = "cpu", side_table: SideTable | None = None
) -> ir.Module:
    """Lowers a kernel to the `grid` dialect.

    Args:
      request: the kernel.
      context: where the module is made.
      platform: the platform that `jax.lax.platform_dependent` is resolved for.
      side_table: receives the Python objects of the GridMapping that MLIR cannot hold.

    Returns:
      A module with one `grid.kernel`. Every op has the location of the equation that it comes from.

    Raises:
      UnsupportedError: the kernel uses something that gridir cannot lower; primitives are all named at once.
    """
    meanings = vocabularies(request, platform)
    shared = check_supported(request.kernel_name, list(zip(request.jaxprs, meanings, strict=True)))
    target = target_of_platform(platform)
    fields.check(request, (target.name if target else platform).upper())
    if any(jax_core.is_key(block.array_aval) for block in request.grid_mapping.block_mappings):
        request = dataclasses.replace(request, grid_mapping=jax_core.words_of_keys(request.grid_mapping))
    if any(block.transforms for block in request.grid_mapping.block_mappings):
        request = dataclasses.replace(request, grid_mapping=jax_core.without_layouts(request.grid_mapping))
    with context, ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kernel_op = build_kernel(request, side_table, [var.aval for var in shared], meanings[0].types)
        kernel = make_context(request, platform, meanings[0])
        with ir.InsertionPoint(kernel_op.body):
            refs = list(kernel_op.body.arguments)
            kernel.state.allocated.update(zip(shared, refs[len(request.jaxpr.invars) :], strict=True))
            kernel.state.physical = tuple(refs[_num_operands(request) : len(request.jaxpr.invars)])
            # A scalar that the function of a mesh closes over is an operand, too, but no Ref to the jaxpr.
            arguments = [
                argument if is_ref(var.aval) else grid.load_all(argument)
                for var, argument in zip(request.jaxpr.invars, refs, strict=False)
            ]
            for operand, output in _written_inputs(request).items():
                arguments[operand] = arguments[output]
            _walk_bodies(kernel, request, meanings, arguments)
            grid.YieldOp([])
        erase_unused(kernel)
        if request.devices is not None and kernel_op.knows_devices:
            count = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), request.devices.num_devices)
            kernel_op.operation.attributes["grid.devices"] = count
        core_type = jax_tpu.sparse_core_type(request.mesh)
        if core_type is not None:
            kernel_op.operation.attributes["grid.core_type"] = ir.StringAttr.get(core_type)
        if isinstance(request.mesh, MeshUnion):
            shapes = [ir.DenseI64ArrayAttr.get(list(mesh.shape.values())) for mesh in request.mesh.meshes]
            kernel_op.operation.attributes["grid.meshes"] = ir.ArrayAttr.get(shapes)
        if request.debug or request.grid_mapping.debug:
            print(module)
    return module


def _num_operands(request: KernelRequest) -> int:
    """The number of Refs of the body before the scratch."""
    mapping = request.grid_mapping
    return mapping.num_index_operands + mapping.num_inputs + mapping.num_outputs


def _walk_bodies(
    kernel: KernelContext, request: KernelRequest, meanings: Sequence[Vocabulary], arguments: list[ir.Value]
) -> None:
    """Walks the body; of several, a program runs that of the mesh which its core belongs to."""
    if not isinstance(request.mesh, MeshUnion):
        _walk_body(kernel, request.jaxpr, arguments)
        return
    core = grid.ProgramIdOp(ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)).result
    union = request.mesh
    for jaxpr, mesh, first, meaning in zip(request.jaxprs, union.meshes, union.first_cores, meanings, strict=True):
        own = dataclasses.replace(kernel, state=dataclasses.replace(kernel.state, vocabulary=meaning))

        def body(jaxpr: Any = jaxpr, mesh: Any = mesh, first: int = first, own: KernelContext = own) -> list[ir.Value]:
            number = emit.binary("arith.subi", core, emit.constant(first, emit.i32()))
            others = [(m.shape, f) for m, f in zip(union.meshes, union.first_cores, strict=True) if f != first]
            _walk_body(_on_mesh(own, mesh, [(mesh.shape, first), *others], number), jaxpr, arguments)
            return []

        after_first = emit.compare("sge", core, emit.constant(first, emit.i32()))
        before_end = emit.compare("slt", core, emit.constant(first + num_cores(mesh), emit.i32()))
        emit.if_else(emit.binary("arith.andi", after_first, before_end), [], body, None)


def _walk_body(kernel: KernelContext, jaxpr: Any, arguments: list[ir.Value]) -> None:
    """Walks one body; the barriers of its subcores are of one semaphore, which each of them has."""
    # Only cores with subcores have barriers: other kernels are not gone through for them.
    names = (jax_equations.primitive_name(eqn.primitive) for eqn in equations_of(jaxpr))
    if len(kernel.core_axes) != 2 or "sparse_core.barrier" not in names:
        walk(kernel, jaxpr, (), arguments)
        return

    def body(refs: list[ir.Value]) -> list[ir.Value]:
        kernel.state.subcore_barrier = refs[0]
        walk(kernel, jaxpr, (), arguments)
        return []

    scoped(kernel.state.vocabulary.types, [jax_tpu.SUBCORE_BARRIER], [], body, names=["subcore_barrier"])


def _on_mesh(kernel: KernelContext, mesh: Any, meshes: Sequence[tuple[Any, int]], number: ir.Value) -> KernelContext:
    """Returns the context of one of several meshes: its axes, and the index of core `number` along each."""
    shape: dict[str, int] = mesh.shape
    ids, rest = [], number
    for size in reversed(shape.values()):
        ids.append(emit.binary("arith.remui", rest, emit.constant(size, emit.i32())))
        rest = emit.binary("arith.divui", rest, emit.constant(size, emit.i32()))
    mesh_ids, sizes = tuple(reversed(ids)), tuple(shape.values())
    return dataclasses.replace(
        kernel,
        state=dataclasses.replace(kernel.state, program_ids=mesh_ids, pipeline_grid=sizes),
        axes=tuple(range(len(sizes))),
        axis_names=tuple(shape),
        static_grid=sizes,
        core_axes=tuple(shape),
        mesh_ids=mesh_ids,
        meshes=tuple(meshes),
    )


def _written_inputs(request: KernelRequest) -> dict[int, int]:
    """For each input that the body writes, the number of the output that is the same memory.

    JAX makes such kernels of Refs that a kernel closes over, as in `run_state`: each is an input and an output at once,
    and the body knows the input only. An input that is cut into blocks, or is no output, is the body's own copy.
    """
    mapping: Any = request.grid_mapping
    num_index, num_inputs = mapping.num_index_operands, mapping.num_inputs
    written = set().union(*map(jax_core.written_refs, request.jaxprs))
    shared = {}
    for operand, output in request.input_output_aliases:
        blocks = [mapping.block_mappings[i] for i in (operand - num_index, num_inputs + output)]
        if operand in written and all(is_whole(block.block_shape, block.array_aval.shape) for block in blocks):
            shared[operand] = num_index + num_inputs + output
    return shared


def make_context(request: KernelRequest, platform: str, vocabulary: Vocabulary) -> KernelContext:
    """Returns the context that the equations of the kernel share."""
    mapping: Any = request.grid_mapping
    vmapped = set(mapping.vmapped_dims)
    names = dim_names(mapping.grid_names, len(mapping.grid))
    kinds = dim_kinds(request.mesh, len(mapping.grid))

    def of_kind(*wanted: str) -> tuple[str, ...]:
        return tuple(name for name, kind in zip(names, kinds, strict=True) if name is not None and kind in wanted)

    threads = [dim for dim, kind in enumerate(kinds) if kind == "thread"]
    return KernelContext(
        name=request.kernel_name,
        walk=walk,
        state=WalkState(vocabulary),
        axes=tuple(i for i in range(len(mapping.grid)) if i not in vmapped),
        axis_names=names,
        axis_labels=tuple(mapping.grid_names or ()),
        static_grid=tuple(size if isinstance(size, int) else None for size in mapping.grid),
        core_axes=of_kind("core", "subcore"),
        cluster_axes=of_kind("cluster"),
        thread_axis=next(iter(of_kind("thread")), None),
        devices=request.devices,
        platform=platform,
        profile=profile_of(request, platform, next(iter(threads), None)),
        function=jax_core.wrapped_function(request.jaxpr),
    )

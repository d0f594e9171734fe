# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that also return the values of their own equations: their jaxprs are traced again with additional outputs.

A kernel is left whole, so that copies are waited for and semaphores are signalled as ever. Each value that is asked for
has an output of its own, with one block for each program; the last one that a program computes stays there.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
from jax._src import linear_util as _lu
from jax._src import source_info_util as _source_info
from jax._src.interpreters import partial_eval as _pe
from jax._src.pallas import core as _pallas_core
from jax._src.pallas.pallas_call import pallas_call_p as _pallas_call_p
from jax._src.state.primitives import get_p as _get_p

from gridir.errors import Frame, UnsupportedError
from gridir.frontend.compat import jax_core
from gridir.frontend.compat.jax_equations import canonical, with_scan_counts
from gridir.frontend.request.kernel_request import KernelRequest

Path = tuple[int, ...]
"""An equation: its number in the kernel, then in turns the number of a jaxpr that it has and of an equation of that."""


@dataclasses.dataclass(frozen=True)
class Point:
    """A value that a kernel computes.

    Attributes:
      path: the equation.
      result: the number of its result; None for the contents of a Ref after a store.
      primitive: the name of its primitive.
      frame: the author's line, or None.
      aval: the shape and dtype of the value.
      loops: the loops with a number of steps that is known which are around it, outermost first, with that number.
      repeats: True if a loop with an unknown number of iterations is around it.
    """

    path: Path
    result: int | None
    primitive: str
    frame: Frame | None
    aval: Any
    loops: tuple[tuple[Path, int], ...]
    repeats: bool

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape of a returned value of one program: two dimensions at least, as a TPU stores them."""
        return (1,) * (2 - len(self.aval.shape)) + tuple(self.aval.shape)

    @property
    def stored_dtype(self) -> Any:
        """The dtype of the returned value."""
        return jnp.dtype(jnp.int32) if self.aval.dtype == jnp.bool_ else self.aval.dtype

    @property
    def size(self) -> int:
        """The bytes of the returned value of one program."""
        return math.prod(self.stored_shape) * jnp.dtype(self.stored_dtype).itemsize


def points_of(request: KernelRequest) -> list[Point]:
    """Returns the values of a kernel that can be returned, in the order of the program.

    Raises:
      UnsupportedError: for a kernel that cannot have more outputs.
    """
    mapping = request.grid_mapping
    if request.mesh is not None or request.more_jaxprs:
        raise UnsupportedError("expected a pallas_call, got a kernel of a mesh")
    if mapping.vmapped_dims or not all(isinstance(size, int) for size in mapping.grid):
        raise UnsupportedError("expected a grid whose sizes are numbers and which vmap has not widened")
    return list(_points(request.jaxpr, (), (), False))


def _points(jaxpr: Any, path: Path, loops: tuple[tuple[Path, int], ...], repeats: bool) -> Iterator[Point]:
    for number, equation in enumerate(jaxpr.eqns):
        here, name = (*path, number), equation.primitive.name
        inside = loops
        if name == "scan" and not equation.params["reverse"] and not _num_stacked(equation):
            inside = (*loops, (here, equation.params["length"]))
        again = repeats or name == "while" or (name == "scan" and inside == loops)
        for which, inner in _inner_jaxprs(equation):
            yield from _points(inner, (*here, which), inside, again)
        results = [(i, v) for i, v in enumerate(equation.outvars) if not isinstance(v, jax_core.DropVar)]
        values: list[tuple[int | None, Any]] = [(i, v.aval) for i, v in results]
        if name in _STORES:
            # The initial contents of the Ref may be uninitialized memory that is not read.
            values = [(None, equation.invars[1].aval)]
        frame = jax_core.user_frame(equation.source_info)
        for result, aval in values:
            if type(aval) is jax_core.ShapedArray and _is_number(aval):
                yield Point(here, result, name, frame, aval, loops, repeats)


def _is_number(aval: Any) -> bool:
    return aval.dtype == jnp.bool_ or (
        jnp.issubdtype(aval.dtype, jnp.number) and jnp.dtype(aval.dtype).itemsize * aval.size > 0
    )


def _num_stacked(equation: Any) -> int:
    """The number of operands and results that a scan slices in each step."""
    params = canonical(equation).params
    return len(params["ft_in"].unpack()[2]) + len(params["ft_out"].unpack()[1])


def _inner_jaxprs(equation: Any) -> Iterator[tuple[int, Any]]:
    """The jaxprs of an equation whose values can be returned, with their numbers."""
    name, params = equation.primitive.name, canonical(equation).params
    if name in jax_core.CALLS:
        inner = params[jax_core.CALLS[name]]
        yield 0, getattr(inner, "jaxpr", inner)
    elif name == "cond":
        yield from enumerate(branch.jaxpr for branch in params["branches"])
    elif name == "scan":
        yield 0, params["jaxpr"].jaxpr
    elif name == "while":
        yield 0, params["body_jaxpr"].jaxpr
    elif name == "run_scoped":
        yield 0, params["jaxpr"]


def with_points(
    request: KernelRequest, points: Sequence[Point], lengths: Mapping[Path, int]
) -> Callable[..., Sequence[Any]]:
    """Returns the function of a kernel's operands that returns values of the kernel after its results.

    Each is an array of the grid's shape and that of the value; of a value that a program does not compute it holds 0.
    An array of ones, which the kernel stores first, separates the results from the values.

    Args:
      request: the kernel.
      points: the values.
      lengths: after how many steps loops end that have more.
    """
    mapping = request.grid_mapping
    control = jax_core.ShapedArray((8, 128), jnp.dtype(jnp.float32))
    avals = [control, *(jax_core.ShapedArray(p.stored_shape, p.stored_dtype) for p in points)]
    blocks = [_block_mapping(mapping, number, aval) for number, aval in enumerate(avals)]
    first = mapping.num_index_operands + len(mapping.block_mappings)
    kernel = request.jaxpr
    probing = _Probing({(point.path, point.result): number for number, point in enumerate(points)}, lengths)

    def body(*refs: Any) -> Sequence[Any]:
        ones, *probes = refs[first : first + len(blocks)]
        ones[...] = jnp.ones(control.shape, control.dtype)
        for point, ref in zip(points, probes, strict=True):
            if len(point.path) > 1:
                ref[...] = jnp.zeros(point.stored_shape, point.stored_dtype)
        probing.run(kernel, (), [*refs[:first], *refs[first + len(blocks) :]], (), probes)
        return []

    refs = [v.aval for v in kernel.invars]
    refs[first:first] = [block.ref_aval for block in blocks]
    traced = jax_core.trace(body, refs, mapping.grid, mapping.vmapped_dims)
    assert not traced.consts, "a kernel has no constants beside literals"
    wider = dataclasses.replace(
        mapping,
        block_mappings=(*mapping.block_mappings, *blocks),
        num_outputs=mapping.num_outputs + len(blocks),
    )

    def function(*operands: Any) -> Sequence[Any]:
        return _pallas_call_p.bind(
            *operands,
            jaxpr=traced.jaxpr,
            grid_mapping=wider,
            mesh=None,
            debug=False,
            interpret=False,
            input_output_aliases=request.input_output_aliases,
            out_avals=(*request.out_avals, *(block.array_aval for block in blocks)),
            compiler_params=request.compiler_params,
            cost_estimate=None,
            metadata=request.metadata,
            name=request.name,
        )

    return function


def _block_mapping(mapping: Any, number: int, aval: Any) -> Any:
    """The location where the programs store a value: each one in a separate block."""
    rank, shape = len(mapping.grid), aval.shape
    spec = _pallas_core.BlockSpec((None,) * rank + shape, lambda *ids: (*ids[:rank], *([0] * len(shape))))
    return spec.to_block_mapping(
        f"values[{number}]",
        jax_core.ShapedArray((*mapping.grid, *shape), aval.dtype),
        index_map_avals=mapping.index_map_avals,
        index_map_tree=mapping.index_map_tree,
        grid=mapping.grid,
        vmapped_dims=(),
    )


class _Probing:
    """The evaluation of a jaxpr, by binding its equations again, that records intermediate values."""

    def __init__(self, numbers: Mapping[tuple[Path, int | None], int], lengths: Mapping[Path, int]):
        self._numbers, self._lengths = numbers, lengths
        self._prefixes = {path[:end] for path, _ in numbers for end in range(len(path))}
        self._prefixes |= {path[:end] for path in lengths for end in range(len(path) + 1)}

    def run(self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any], path: Path, probes: Sequence[Any]) -> Any:
        """The results of a jaxpr.

        Args:
          jaxpr: an open jaxpr.
          consts: the values of its constants.
          args: those of its arguments.
          path: where it is; () for the kernel.
          probes: the Refs of all points, as they are called there.
        """
        values = dict(zip(jaxpr.constvars, consts, strict=True)) | dict(zip(jaxpr.invars, args, strict=True))

        def read(atom: Any) -> Any:
            return atom.val if isinstance(atom, jax_core.Literal) else values[atom]

        for number, equation in enumerate(jaxpr.eqns):
            here = (*path, number)
            operands = [read(atom) for atom in equation.invars]
            names = _source_info.current_name_stack() + equation.source_info.name_stack
            with (
                _source_info.user_context(equation.source_info.traceback, name_stack=names),
                equation.ctx.manager,
            ):
                results = self._equation(equation, operands, here, probes)
            self._store(equation, operands, results, here, probes)
            values |= dict(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _store(self, equation: Any, operands: Any, results: Any, here: Path, probes: Sequence[Any]) -> None:
        held: dict[int | None, Any] = dict(enumerate(results))
        if (here, None) in self._numbers:
            ref, _, *indices = operands
            held[None] = _get_p.bind(ref, *indices, **_of_load(equation.params))
        for result, value in held.items():
            if (here, result) not in self._numbers:
                continue
            ref = probes[self._numbers[here, result]]
            stored = value.astype(jnp.int32) if value.dtype == jnp.bool_ else value
            ref[...] = jnp.reshape(stored, ref.shape)

    def _equation(self, equation: Any, operands: list[Any], here: Path, probes: Sequence[Any]) -> Sequence[Any]:
        name, primitive, params = equation.primitive.name, equation.primitive, dict(equation.params)
        if here not in self._prefixes:
            results = primitive.bind(*operands, **primitive.get_bind_params(params))
            return results if primitive.multiple_results else [results]
        if name in jax_core.CALLS:
            inner = canonical(equation).params[jax_core.CALLS[name]]
            return self.run(getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()), operands, (*here, 0), probes)
        return _REBUILD[name](self, primitive, params, operands, here, probes)

    def _retrace(self, closed: Any, path: Path, probes: Sequence[Any], first: int = 0) -> Any:
        """A closed jaxpr with the probes as more arguments, before that of a number."""
        avals = [v.aval for v in closed.jaxpr.invars]
        avals[first:first] = [ref.aval for ref in probes]

        def body(*args: Any) -> Any:
            mine = args[first : first + len(probes)]
            own = [*args[:first], *args[first + len(probes) :]]
            return self.run(closed.jaxpr, closed.consts, own, path, mine)

        names = closed.jaxpr.debug_info.arg_names
        info = closed.jaxpr.debug_info._replace(arg_names=None) if names is not None else closed.jaxpr.debug_info
        jaxpr, _, consts = _pe.trace_to_jaxpr_dynamic(_lu.wrap_init(body, debug_info=info), avals)
        return jax_core.ClosedJaxpr(jaxpr, consts)

    def cond(self, primitive: Any, params: Any, operands: Any, here: Path, probes: Sequence[Any]) -> Sequence[Any]:
        index, *rest = operands
        params["branches"] = tuple(
            self._retrace(branch, (*here, which), probes) for which, branch in enumerate(params["branches"])
        )
        return primitive.bind(index, *probes, *rest, **params)

    def scan(self, primitive: Any, params: Any, operands: Any, here: Path, probes: Sequence[Any]) -> Sequence[Any]:
        params["jaxpr"] = self._retrace(params["jaxpr"], (*here, 0), probes)
        params = with_scan_counts(params, len(probes))
        if here in self._lengths:
            params["length"], params["unroll"] = self._lengths[here], 1
        return primitive.bind(*probes, *operands, **params)

    def while_(self, primitive: Any, params: Any, operands: Any, here: Path, probes: Sequence[Any]) -> Sequence[Any]:
        first = params["cond_nconsts"]
        params["body_jaxpr"] = self._retrace(params["body_jaxpr"], (*here, 0), probes)
        params["body_nconsts"] += len(probes)
        return primitive.bind(*operands[:first], *probes, *operands[first:], **params)

    def run_scoped(
        self, primitive: Any, params: Any, operands: Any, here: Path, probes: Sequence[Any]
    ) -> Sequence[Any]:
        # Captured values of the scope are the constants of its jaxpr.
        opened = params["jaxpr"].replace(constvars=[], invars=[*params["jaxpr"].constvars, *params["jaxpr"].invars])
        traced = self._retrace(jax_core.ClosedJaxpr(opened, ()), (*here, 0), probes)
        count = len(probes) + len(operands)
        variables = traced.jaxpr.invars
        consts = [*traced.consts, *probes, *operands]
        outer = [*traced.jaxpr.constvars, *variables[:count]]
        params["jaxpr"] = jax_core.with_constants(traced.jaxpr, outer, variables[count:], consts)
        return primitive.bind(*consts, **params)


def _of_load(params: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in params.items() if key == "tree"}


_STORES = ("swap", "addupdate")
_REBUILD: dict[str, Callable[..., Sequence[Any]]] = {
    "cond": _Probing.cond,
    "scan": _Probing.scan,
    "while": _Probing.while_,
    "run_scoped": _Probing.run_scoped,
}

# RUN: %python %s | FileCheck %s
"""What a person reads who gives a mapping or parameters that `grid` or the CPU cannot hold."""

import dataclasses
import pathlib
import sys
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Inputs"))

import gridir.mosaic_gpu
import jax
import jax.numpy as jnp
from field_rows import PREFETCHED, call, indirect, params, prefetch, python_function, replaced, spec, tiled, tpu
from gridir.errors import Error
from gridir.frontend import fields
from gridir.frontend.header.grid_mapping import build_kernel
from gridir.frontend.header.notes import SideTable
from gridir.frontend.rebuild.grid_mapping import rebuild_grid_mapping
from gridir.frontend.request.options import make_options
from gridir.mlir import ir
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton


def build(request, side_table=None):
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        kernel = build_kernel(request, side_table)
    return module, kernel


def show(label, function):
    print(f"== {label}")
    try:
        function()
    except Error as error:
        print(type(error).__name__, str(error), sep=": ")
    else:
        print("no error")


# An index map computes with integers; everything else that it does is named at once, with the line.
# CHECK-LABEL: == float index map
# CHECK-NEXT: UnsupportedError: expected the index map of x_ref to compute with scalar integers, got
# CHECK-SAME: convert_element_type, div, floor (gives float32[]); convert_element_type (takes float32[])
# CHECK-NEXT: at {{.*}}grid_mapping_errors.py:{{[0-9]+}}:{{[0-9]+}} (float_index_map)
# CHECK-NEXT: return jnp.floor(i / 2)
# CHECK: note: compute it before the call and pass the result as an index operand (scalar prefetch)
def float_index_map(i):
    return jnp.floor(i / 2).astype(jnp.int32), 0


with ir.Context(), ir.Location.unknown():
    show("float index map", lambda: build(spec((8, 128), float_index_map)))

    # A whole row of a prefetched array is no index.
    # CHECK-LABEL: == index map of a vector
    # CHECK-NEXT: UnsupportedError: expected the index map of refs[1] to compute with scalar integers, got
    # CHECK-SAME: get (gives int32[4]); reduce_max (has no meaning here)
    show("index map of a vector", lambda: build(prefetch(lambda i, s: (jnp.max(s[...]) + i, 0))))

    # CHECK-LABEL: == semantics
    # CHECK-NEXT: OptionError: expected dimension_semantics for 1 grid dimensions, got 2
    # CHECK-NEXT: in kernel `copy_kernel`
    show("semantics", lambda: build(tpu(dimension_semantics=("parallel", "arbitrary"))))

    # CHECK-LABEL: == unknown backend
    # CHECK-NEXT: OptionError: expected a backend of Pallas (mosaic_tpu, mosaic_gpu, triton), got 'cuda'
    show("unknown backend", lambda: params({"cuda": pltriton.CompilerParams()}))

    # CHECK-LABEL: == record of another backend
    # CHECK-NEXT: OptionError: expected the CompilerParams of triton, got those of mosaic_tpu
    show("record of another backend", lambda: params({"triton": pltpu.CompilerParams()}))

    # CHECK-LABEL: == no record
    # CHECK-NEXT: OptionError: expected the CompilerParams of a Pallas backend, got builtins.int
    show("no record", lambda: make_options(3, backend="triton"))

    # CHECK-LABEL: == value that MLIR cannot hold
    # CHECK-NEXT: OptionError: expected a value that MLIR can hold, got <object object
    show("value that MLIR cannot hold", lambda: build(tpu(flags={"a": object()})))

    # CHECK-LABEL: == delay_release
    # CHECK-NEXT: OptionError: expected delay_release to be less than max_concurrent_steps = 1, got 1
    show("delay_release", lambda: gridir.mosaic_gpu.CompilerParams(delay_release=1))

    # CHECK-LABEL: == two names of one argument
    # CHECK-NEXT: OptionError: expected out_type or out_shape, got both
    show(
        "two names of one argument",
        lambda: gridir.mosaic_gpu.kernel(python_function, PREFETCHED, out_type=PREFETCHED),
    )

    # CHECK-LABEL: == symbolic block
    # CHECK-NEXT: UnsupportedError: expected a block of x_ref of static size, got m
    (m,) = jax.export.symbolic_shape("m")
    block = call(kernel=lambda x_ref, o_ref: None).grid_mapping.block_mappings[0]
    block = dataclasses.replace(block, block_shape=(pl.Blocked(m), pl.Blocked(128)))
    mapping = call().grid_mapping
    blocks = (block, mapping.block_mappings[1])
    request = dataclasses.replace(
        call(lambda x_ref, o_ref: None), grid_mapping=dataclasses.replace(mapping, block_mappings=blocks)
    )
    show("symbolic block", lambda: build(request))

    # Names that are no strings stay in the process.
    # CHECK-LABEL: == name that is an object
    # CHECK-NEXT: MissingObject: grid_names[0] is a Python object, which a module does not hold
    # CHECK-NEXT: note: pass the side table of the process that lowered the kernel
    # CHECK-NEXT: with the side table: (<function python_function
    named = call(grid=((python_function, 4),))
    side_table = SideTable()
    module, kernel = build(named, side_table)
    show("name that is an object", lambda: rebuild_grid_mapping(kernel))
    print("with the side table:", rebuild_grid_mapping(kernel, side_table).grid_names)

    # A module may say of a block what the `pl.Buffered` of an older JAX cannot.
    # CHECK-LABEL: == prefetched block in an older JAX
    # CHECK-NEXT: UnsupportedError: expected a JAX with prefetched_count of pl.Buffered, got {{[0-9.]+}}
    text = "grid.kernel @k grid(%i = 4) inputs(%x: f32 [32] block [8] at (%i) pipeline <3, prefetched = 1>) {\n}"
    module = ir.Module.parse(text)
    older = dataclasses.make_dataclass("Buffered", ["buffer_count", "use_lookahead", "revisit"])
    with mock.patch.object(pl, "Buffered", older):
        show("prefetched block in an older JAX", lambda: rebuild_grid_mapping(module.body.operations[0]))

    # Fields that the CPU cannot honour are rejected, by the table.
    # CHECK-LABEL: == get_grid_indices on the CPU
    # CHECK-NEXT: UnsupportedError: GridMapping.get_grid_indices is set, which the CPU target cannot honour
    # CHECK-NEXT: in kernel `copy_kernel`
    show("get_grid_indices on the CPU", lambda: fields.check(replaced(get_grid_indices=python_function)))

    # CHECK-LABEL: == transforms on the TPU
    # CHECK-NEXT: UnsupportedError: transforms of args[0] is set, which the TPU target cannot honour
    show("transforms on the TPU", lambda: fields.check(tiled(), "TPU"))

    # CHECK-LABEL: == indirect block on the CPU
    # CHECK-NEXT: UnsupportedError: dimension 0 of args[0] is pl.Indirect, which the CPU target cannot gather
    show("indirect block on the CPU", lambda: fields.check(indirect()))

    # CHECK-LABEL: == usual kernel on the CPU
    # CHECK-NEXT: no error
    show("usual kernel on the CPU", lambda: fields.check(call()))

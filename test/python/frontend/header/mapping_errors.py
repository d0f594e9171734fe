# RUN: %python %s | FileCheck %s
"""What grids, blocks, index maps and parameters refuse: each row is an error's words and a call that meets it."""

import dataclasses

import jax
import jax.numpy as jnp
from field_rows import call, indirect, interpreted, prefetch, tiled
from gridir.errors import Error, OptionError, UnsupportedError
from gridir.frontend import fields
from gridir.frontend.header import trees
from gridir.frontend.header.grid_mapping import build_kernel
from gridir.frontend.rebuild import params
from gridir.frontend.rebuild.grid_mapping import rebuild_grid_mapping
from gridir.mlir import ir
from gridir.testing.wide import run_wide
from jax.experimental import pallas as pl
from jax.extend.core import Primitive
from refusals import report


def mapped(**changes):
    """Builds the kernel of a request whose first block has these fields instead."""
    request = call(lambda x_ref, o_ref: None)
    first, *others = request.grid_mapping.block_mappings
    blocks = (dataclasses.replace(first, **changes), *others)
    request = dataclasses.replace(
        request, grid_mapping=dataclasses.replace(request.grid_mapping, block_mappings=blocks)
    )
    return lambda: built(request)


def built(request):
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        build_kernel(request)


def rebuilt(body):
    """Reads a kernel that somebody has written, with these operations in an index map."""
    kernel = f"""grid.kernel @k grid(%i = 4) inputs(%x: f32 [32, 128] block [8, 128] map(%p: i32) {{
        {body}
      }}) outputs(%o: f32 [32, 128] block [8, 128] at (%i, 0)) {{ }}"""

    def call():
        module = ir.Module.parse(kernel)
        rebuild_grid_mapping(module.body.operations[0])

    return call


with_function_p = Primitive("with_function")
with_function_p.def_abstract_eval(lambda x, jaxpr: x)


def with_function(x):
    """An equation with a function in it that is no call: what that computes is no part of the program."""
    return with_function_p.bind(x, jaxpr=jax.make_jaxpr(lambda y: 2 * y)(x))


size = jax.export.symbolic_shape("m")[0]

with ir.Context(), ir.Location.unknown():
    # CHECK: UnsupportedError: 10 of 10 refused in these words
    report(
        UnsupportedError,
        {
            "expected a known kind of block dimension of x_ref, got 8": mapped(block_shape=(8, pl.Blocked(128))),
            "note: a symbolic dimension can be cut into blocks of a known size, or be one block": mapped(
                block_shape=(pl.Blocked(size), pl.Blocked(128))
            ),
            "to be an array, got Ref{float32[32,128]}": mapped(
                array_aval=jax.typeof(jax.new_ref(jnp.zeros((32, 128))))
            ),
            "got get (reads a view of an index operand)": lambda: built(
                prefetch(lambda i, s: (s.reshape(2, 2)[0, 1], 0))
            ),
            "(reads a view of an index operand)": lambda: built(prefetch(lambda i, s: (s.at[0:2][1], 0))),
            "got swap (takes a Ref)": lambda: built(prefetch(lambda i, s: (jax.ref.swap(s, (0,), i), 0))),
            "note: a block without transforms means the same on every target": lambda: fields.check(tiled(), "TPU"),
            "note: pass the indices as an index operand and read them in the index map": lambda: fields.check(
                indirect()
            ),
            "note: without replace_interpret=True, the kernel is left to JAX's interpreter": (
                lambda: fields.check_interpret_params(interpreted(buffer_bounds="padded"))
            ),
            "expected an equation that can be computed in float64, got with_function": lambda: run_wide(
                with_function, [jnp.ones(4)]
            ),
        },
    )

    # CHECK-NEXT: OptionError: 2 of 2 refused in these words
    report(
        OptionError,
        {
            "expected a builtin attribute, got affine_map<() -> ()>": lambda: params.from_attribute(
                ir.Attribute.parse("affine_map<() -> ()>")
            ),
            'expected an attribute of compiler parameters, got "triton"': lambda: params.record_from_attribute(
                ir.StringAttr.get("triton")
            ),
        },
    )

    # CHECK-NEXT: Error: 2 of 2 refused in these words
    report(
        Error,
        {
            "an index map that holds arith.index_cast does not come from JAX and has no jaxpr": rebuilt(
                "%a = arith.index_cast %p : i32 to index "
                "%b = arith.index_cast %a : index to i32 grid.yield %b, %b : i32, i32"
            ),
            "an index map that holds math.ipowi does not come from JAX and has no jaxpr": rebuilt(
                "%a = math.ipowi %p, %p : i32 grid.yield %a, %a : i32, i32"
            ),
        },
    )

# CHECK-NEXT: ValueError: 2 of 2 refused in these words
report(
    ValueError,
    {
        "expected the text of a tree, got '(*'": lambda: trees.from_text("(*"),
        "expected the text of a tree, got 'os.name'": lambda: trees.from_text("os.name"),
    },
)


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Node:
    leaf: int


# CHECK-NEXT: OpaqueTree: 1 of 1 refused in these words
report(trees.OpaqueTree, {"a tree with a node of type Node": lambda: trees.to_text(jax.tree.structure(Node(1)))})

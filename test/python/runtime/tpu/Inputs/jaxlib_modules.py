"""Mosaic modules as jaxlib reads them."""

from jax._src.interpreters import mlir
from jax.experimental.mosaic.dialects import tpu
from jaxlib.mlir import ir


def parse(source):
    """The module of text or bytecode, serialised or readable, in a context with jaxlib's own tpu dialect."""
    context = mlir.make_ir_context()
    tpu.register_dialect(context)
    # The serialised form is of ops that no dialect has.
    context.allow_unregistered_dialects = True
    with context:
        return ir.Module.parse(source)

"""Kernels written by hand in the form that convert-grid-to-loops leaves, called as JAX calls compiled ones."""

import hashlib

import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.cpu import CpuOptions
from gridir.frontend.capture.install import register
from gridir.runtime import cpu

register("cpu")

OPTIONS = CpuOptions(pipeline="loops-to-cpu")


def prepare(text, options=OPTIONS, name="k"):
    """Compiles a module and returns its key and what `prepare` says of it."""
    key = hashlib.sha256((text + repr(options)).encode()).hexdigest()
    return key, cpu.prepare(name, key, text.encode(), options)


def encode(attributes):
    """The attributes of a custom call with integers of 64 bits, as it takes them."""
    return {name: np.int64(value) if type(value) is int else value for name, value in attributes.items()}


def call(text, results, *operands, options=OPTIONS, aliases=None, key=None):
    """Calls a kernel on JAX arrays."""
    key = key or prepare(text, options)[0]
    attributes = encode(cpu.call_attributes("k", key, text.encode(), options))
    return jax.ffi.ffi_call(cpu.CALL_TARGET, results, input_output_aliases=aliases)(*operands, **attributes)


def elementwise(body, element="f32", abi="", rows=8, columns=128):
    """A kernel of one operand and one result whose work items are rows; `body` computes %w from %v at [%i, %j]."""
    array = f"memref<{rows}x{columns}x{element}>"
    return f"""
module {{
  kernel.abi @k {abi}
  func.func @k(%x: {array}, %y: {array}, %status: memref<4xi64>, %lo: index, %hi: index) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %columns = arith.constant {columns} : index
    scf.for %i = %lo to %hi step %c1 {{
      scf.for %j = %c0 to %columns step %c1 {{
        %v = memref.load %x[%i, %j] : {array}
        {body}
        memref.store %w, %y[%i, %j] : {array}
      }}
    }}
    return
  }}
  func.func @k.range(%x: {array}, %y: {array}) -> index {{
    %rows = arith.constant {rows} : index
    return %rows : index
  }}
}}
"""


X = jnp.arange(8 * 128, dtype=jnp.float32).reshape(8, 128)
"""An operand for `elementwise`."""

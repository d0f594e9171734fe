# RUN: %python %s | FileCheck %s

# The ABI of a kernel in Python, and the version of it that bytecode tells.
import io

from gridir.mlir import ir
from gridir.mlir.dialects import kernel

TEXT = """
module {
  kernel.abi @k arena_bytes = 64
  func.func private @k()
}
"""
# The section of the versions of dialects: its number, its length, and one version, as variable-length integers.
VERSION = b"\x07\x03\x05"


def bytecode_of(module):
    """The module as bytecode."""
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


with ir.Context(), ir.Location.unknown():
    module = ir.Module.parse(TEXT)
    abi = kernel.abi_of(module)
    # CHECK: k 64
    print(abi.entry.value, abi.arena_bytes.value)
    abi.arena_bytes = None
    # CHECK: kernel.abi @k{{$}}
    print(abi)
    abi.arena_bytes = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 128)
    # CHECK: kernel.abi @k arena_bytes = 128{{$}}
    print(abi)
    try:
        kernel.abi_of(ir.Module.parse("module {}"))
    except ValueError as error:
        # CHECK: expected a module with a kernel.abi
        print(error)

    code = bytecode_of(ir.Module.parse(TEXT))
    assert code.count(VERSION) == 1, "the version is found by its bytes"
    # CHECK: kernel.abi @k arena_bytes = 64{{$}}
    module = ir.Module.parse(code)
    print(kernel.abi_of(module))
    for version in (0, 3):
        try:
            ir.Module.parse(code.replace(VERSION, bytes([7, 3, 2 * version + 1])))
        except ir.MLIRError as error:
            # CHECK: expected version 2 of the ABI of kernels, got 0
            # CHECK: expected version 2 of the ABI of kernels, got 3
            print(error)

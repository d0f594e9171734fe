# No example allocates memory while it runs: every buffer is a part of the arena that the caller brings.
#
# RUN: %python %s %repository/examples | FileCheck %s

import pathlib
import sys

import gridir
from gridir.cli.example import load_example
from gridir.mlir import ir

ALLOCATIONS = ("memref.alloc", "memref.alloca", "memref.realloc", "bufferization.alloc_tensor")
count = kernels = 0


def visit(op: ir.Operation) -> ir.WalkResult:
    """Says where an allocation is left."""
    global count
    if op.name in ALLOCATIONS:
        print(f"{path.stem}: {op.name} at {op.location}")
        count += 1
    return ir.WalkResult.ADVANCE


for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    example = load_example(str(path), None)
    lowered = gridir.lower(example.function, *example.args, target="cpu")
    for kernel in lowered.kernels:
        kernel.module("vectorized").operation.walk(visit)
        kernels += 1

# CHECK: no allocation in {{[1-9][0-9]*}} kernels
print(f"no allocation in {kernels} kernels" if count == 0 else f"{count} allocations")

# RUN: %python %s | FileCheck %s
"""The kernels of a module are called with operands that its text describes; others cannot be drawn."""

from gridir.errors import KernelError
from gridir.frontend.recording.module_records import ModuleFile, records_of
from refusals import report


def records(grid="4", array="f32 [32]"):
    """The records of a module with one kernel, of this grid and with an input of this kind."""
    text = f"grid.kernel @scale grid(%i = {grid}) inputs(%x: {array}) outputs(%o: i32 [3]) {{\n}}"
    return records_of(ModuleFile(text.encode()))


# CHECK: scale float32 (32,) int32 (3,)
for record in records():
    (x,), (o,) = record.operands, record.results
    print(record.name, x.dtype, x.shape, o.dtype, o.shape)

# CHECK-NEXT: KernelError: 4 of 4 refused in these words
report(
    KernelError,
    {
        "expected a grid of known size, got one that the call gives, of kernel scale": lambda: records(grid="?"),
        "expected arrays of known shapes, got #grid.operand<f32 [?n, 128]": lambda: records(array="f32 [?n, 128]"),
        "expected arrays of numbers, got #grid.operand<!grid.semaphore<dma> [6]": lambda: records(
            array="!grid.semaphore<dma> [6]"
        ),
        "expected a module with a grid.kernel, as the stage grid has it, got none": lambda: records_of(ModuleFile(b"")),
    },
)

# RUN: %python %s | FileCheck %s

# The table of Mosaic's errors, read without libtpu: every row matches a text of libtpu's, and only the row's own.
import re

from gridir.runtime.tpu.messages import ROWS, explain

TEXTS = [
    "E2002: Operand of shape (..., 64, 128) has tiling (32, 128), but its block shape (..., 8, 128) is not divisible",
    "Couldn't prove that tiling (8) divides index returned by transform_indices on dimension 0",
    "E2003: cannot statically prove that index in dimension 0 is a multiple of 8",
    "cannot statically prove that the slice is aligned",
    "Scoped allocation with size 2.00M and limit 1.00M exceeded scoped vmem limit",
    "Ran out of memory in memory space vmem",
    "infer-vector-layout: unsupported shape cast",
    "Invalid vector type for load",
    "Only vector<i16> and vector<i32> are supported, but got 'i8'",
    "Unsupported element type for the selected reduction",
    "unsupported kind",
    "float acc with int lhs. Expected float lhs.",
    "Multiple source vregs along gather dimension",
    "Rotate with non-32-bit data",
    "Unsupported memory space",
    "failed to legalize operation 'math.atan'",
    "Requested internal scratch size 1024 needs to be at least 36864 bytes.",
    "Could not convert JSON string to proto: unknown enum value: 'nope'",
    "Core-parallel dimension 0 has iteration bound: 8, which is greater than the number of active cores: 1.",
    "error: unknown attribute code: 24",
    "collective_id has to be specified when using a custom barrier",
    "Unsupported Mosaic version: expected <= 13 but got 14",
    "F1121 12:37:08 Check failed: iteration_indices.size() == rank (1 vs. 2)\nlibtpu ended with status -6",
    "F1129 02:28:06 emitter.cc:4122] Do not know how to handle output: LloInstruction{opcode=call-operand,"
    " memory_space=sflag} libtpu ended with status -6",
    "libtpu gave no answer in 300 s",
    "*** SIGSEGV STACK OVERFLOW received by PID 1\nPC: @ 0x1 f()\n    @ 0x2 g()\nlibtpu ended with status -11",
    "libtpu ended with status -11",
]

for row, text in zip(ROWS, TEXTS, strict=True):
    first = next(other for other in ROWS if re.search(other.pattern, text))
    if first is not row:
        print(f"{text!r} meets {first.pattern!r} before {row.pattern!r}")
    error = explain(text)
    if "{" in f"{error.cause}{error.change}":
        print("a hole is left in", error)
# CHECK-NOT: meets
# CHECK-NOT: hole

# CHECK: rows: {{[0-9]+}}
print("rows:", len(ROWS))

# An operand is named as its author named it, and the location is the author's.
error = explain(
    """INVALID_ARGUMENT: Mosaic failed to compile TPU kernel: Failed to set window params for output 0: E2002: Bad:
Operand of shape (..., 64, 128) has tiling (8, 128), but its block shape (..., 4, 128) is not divisible

at location: loc("get:"("get/get"(callsite("copy"("kernels.py":15:33 to :43) at "f"("main.py":3:4)))))
""",
    kernel="copy",
    inputs=["x_ref"],
    outputs=["o_ref"],
)
# CHECK: Failed to set window params for output 0: E2002: Bad: {{.*}} (o_ref)
# CHECK: in kernel `copy`
# CHECK: at kernels.py:15:33 (copy)
# CHECK: a change that works: make the block a multiple of (8, 128)
print(error)
# CHECK: frames: kernels.py:15:33 (copy), main.py:3:4 (f)
print("frames:", ", ".join(map(str, error.frames)))
# CHECK: operand: o_ref
print("operand:", error.operand)

# Where VMEM goes is said by the operand, the largest first.
# CHECK: note: of VMEM, x_ref takes 2,048 bytes, o_ref takes 1,024 bytes
print(explain("Ran out of memory in memory space vmem", planned={"o_ref": 1024, "x_ref": 2048}))

# Of a crash the reason is told, and not the stack.
# CHECK: *** SIGSEGV STACK OVERFLOW received by PID 1 libtpu ended with status -11
print(explain(TEXTS[-2], stage="crash"))

# A line of libtpu's own copy of the module is no line of the author's.
# CHECK: copy: ()
print("copy:", explain('Bad\n\nat location: loc("f.6":46:1)').frames)

# Unknown texts are passed on unchanged.
# CHECK: Something else
# CHECK-NEXT: None None
error = explain("INTERNAL: Something else")
print(error)
print(error.cause, error.change)

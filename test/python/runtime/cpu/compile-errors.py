# RUN: %python %s | FileCheck %s

# Whatever refuses a kernel, the caller gets an exception that says where it happened, and the process lives on.
import dataclasses
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import gridir
from handwritten import OPTIONS, X, call, elementwise, prepare

TEXT = elementwise("%w = arith.addf %v, %v : f32")


def report(text=TEXT, **changes):
    try:
        prepare(text, dataclasses.replace(OPTIONS, **changes))
    except gridir.CompileError as error:
        print(f"{error.stage}:", str(error))
    else:
        raise AssertionError("expected an error")


# CHECK: parse: custom op 'arith.nothing' is unknown
report(TEXT.replace("arith.addf", "arith.nothing"))
# CHECK: pipeline: {{.*}}'no-such-pass' does not refer to a registered pass
report(pipeline="no-such-pass")
# CHECK: pipeline: expected a CPU that LLVM knows, got no-such-cpu
report(cpu="no-such-cpu")
# Code with instructions that were given up long ago.
# CHECK: link: expected code that this machine can run, got code for +fma4, which may use fma4
report(features="+fma4")
# The runtime does not rely on a pipeline's own checks: a person may spell out another.
LOWERING = (
    "convert-scf-to-cf,convert-arith-to-llvm,finalize-memref-to-llvm,"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},convert-cf-to-llvm,reconcile-unrealized-casts"
)
# CHECK: passes: expected arena_bytes, the size of the kernel's arena
report(pipeline=LOWERING)
PLANNED = TEXT.replace("kernel.abi @k", "kernel.abi @k arena_bytes = 0")
# CHECK: codegen: expected functions @k and @k.range
report(PLANNED.replace("@k.range", "@other"), pipeline=LOWERING)
# CHECK: passes: expected a module with a kernel.abi
report(PLANNED.replace("kernel.abi @k arena_bytes = 0", ""), pipeline=LOWERING)
# CHECK: codegen: expected @k to take the 2 operands of @k.range, status, lo, hi and arena; got 5 operands
report(PLANNED, pipeline=LOWERING)
# CHECK: link: {{.*}}function_that_nobody_has
CALL = elementwise("%w = func.call @function_that_nobody_has(%v) : (f32) -> f32")
report(CALL.replace("func.func @k(", "func.func private @function_that_nobody_has(f32) -> f32\n func.func @k("))

# The location of a diagnostic is the author's: name and file of its location, innermost first.
LOCATED = TEXT.replace(
    "kernel.abi @k",
    'kernel.abi @k prints = [#kernel.print<"{}"(tensor<?xf32>)>]'
    ' loc(callsite("body"("kernel.py":12:3) at "outer"("caller.py":4:5)))',
)
try:
    prepare(LOCATED)
except gridir.CompileError as error:
    # CHECK: expected numbers, or arrays of numbers of static shape, got 'tensor<?xf32>'
    # CHECK-NEXT: in kernel `k`
    # CHECK-NEXT: at kernel.py:12:3 (body)
    print(error)
    # CHECK: caller.py:4:5 (outer)
    print(error.frames[1])

# CHECK: alive: True
print("alive:", bool((call(TEXT, X, X) == 2 * X).all()))

# RUN: %python %s | FileCheck %s

# A pass that fails is an exception with the author's line; its details show the failure again.
import gridir
from gridir.compiler.passes import parse_module, run_pipeline
from gridir.locations import frames_of, parse_location
from gridir.mlir import ir

try:
    parse_module("arith.nothing", kernel="k")
except gridir.CompileError as error:
    # CHECK: parse: custom op 'arith.nothing' is unknown
    print(f"{error.stage}:", error.message)

try:
    run_pipeline(parse_module(""), "no-such-pass", kernel="k")
except gridir.CompileError as error:
    # CHECK: pipeline: {{.*}}'no-such-pass' does not refer to a registered pass
    print(f"{error.stage}:", error.message)

# The contract of the CPU path: nothing but the llvm dialect is left.
LEFT = """
module {
  kernel.abi @k
  llvm.func @k() {
    %c = arith.constant 0 : i32 loc(callsite("body"("kernel.py":3:7) at "call"("caller.py":9:1)))
    llvm.return
  }
}
"""
try:
    run_pipeline(parse_module(LEFT), "cpu-check-contract", kernel="k")
except gridir.CompileError as error:
    # CHECK: passes: {{.*}}arith.constant
    # CHECK-NEXT: in kernel `k`
    # CHECK-NEXT: at kernel.py:3:7 (body)
    # CHECK-NOT: see current operation
    print(f"{error.stage}:", error)
    # CHECK: caller.py:9:1 (call)
    print(error.frames[1])
    # CHECK: gridir-opt --pass-pipeline='builtin.module(cpu-check-contract)'
    # CHECK: llvm.func @k
    print(error.details)

# Every form of a location gives its frames, innermost first, each once.
context = ir.Context()
for text in (
    "loc(unknown)",
    'loc("a.py":1:2)',
    'loc("f"("a.py":1:2))',
    'loc(fused["a.py":1:2, "g"("b.py":3:4), "a.py":1:2])',
    'loc(callsite("f"("a.py":1:2) at callsite("g"("b.py":3:4) at "c.py":5:6)))',
    "no location",
):
    # CHECK: frames:
    # CHECK-NEXT: frames: a.py:1:2
    # CHECK-NEXT: frames: a.py:1:2 (f)
    # CHECK-NEXT: frames: a.py:1:2 b.py:3:4 (g)
    # CHECK-NEXT: frames: a.py:1:2 (f) b.py:3:4 (g) c.py:5:6
    # CHECK-NEXT: frames:
    print("frames:", *frames_of(parse_location(text, context)))

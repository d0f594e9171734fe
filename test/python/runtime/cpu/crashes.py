# RUN: %python %s | FileCheck %s
# The thread sanitizer does not let a handler jump out of a signal.
# UNSUPPORTED: thread-sanitizer

# A kernel that this process did not compile is compiled inside of XLA: a crash there is an error of the call.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax
from gridir.compiler.cpu import CpuOptions
from handwritten import X, call, elementwise

TEXT = elementwise("%w = arith.addf %v, %v : f32")

for kind in ("abort", "segfault", "stack-overflow"):
    try:
        call(TEXT, X, X, options=CpuOptions(pipeline=f"test-crash{{kind={kind}}},loops-to-cpu"), key=f"key {kind}")
        raise AssertionError("expected an error")
    except jax.errors.JaxRuntimeError as error:
        # CHECK: abort: INTERNAL: kernel could not be compiled (passes)
        # CHECK-NEXT: {{.*}}the compiler crashed, which is a defect of gridir: Aborted in pass 'test-crash'
        # CHECK-NEXT: reproducer: {{.*}}gridir-crash
        # CHECK: segfault: INTERNAL: kernel could not be compiled (passes)
        # CHECK-NEXT: {{.*}}Segmentation fault
        # CHECK: stack-overflow: INTERNAL: kernel could not be compiled (passes)
        # CHECK-NEXT: {{.*}}Segmentation fault
        print(f"{kind}:", error)
        os.remove(re.search("reproducer: (.*)", str(error))[1])

# CHECK: alive: True
print("alive:", bool((call(TEXT, X, X) == 2 * X).all()))

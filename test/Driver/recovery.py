# RUN: %python %s | FileCheck %s

# A crash of a pass is an exception, in each of its ways and on each way into the compiler, and the process goes on.
import faulthandler
import os
import re
import signal
import subprocess
import sys
import threading

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.passes import parse_module, run_pipeline, shared_context
from gridir.compiler.tpu import TpuOptions
from jax.experimental import pallas as pl


def caught(what, *args, **kwargs):
    """The InternalError of a call; its reproducer is read and deleted."""
    try:
        what(*args, **kwargs)
    except gridir.InternalError as error:
        with open(error.reproducer) as file:
            text = file.read()
        os.remove(error.reproducer)
        return error, text
    raise AssertionError("expected an InternalError, got none")


faulthandler.enable()
handlers = [signal.getsignal(number) for number in (signal.SIGABRT, signal.SIGSEGV)]

# CHECK: abort: the compiler crashed, which is a defect of gridir: Aborted in pass 'test-crash'
# CHECK: in kernel `k`
# CHECK: note: {{.*}}gridir-crash{{.*}}.mlir shows it again
# CHECK: segfault: {{.*}}Segmentation fault in pass 'test-crash'
# CHECK: stack-overflow: {{.*}}Segmentation fault in pass 'test-crash'
# CHECK: fatal-error: {{.*}}test-crash was run in pass 'test-crash'
for kind in ("abort", "segfault", "stack-overflow", "fatal-error"):
    context = shared_context()
    module = parse_module("func.func private @marker()", context=context)
    error, text = caught(run_pipeline, module, f"canonicalize,test-crash{{kind={kind}}},cse", kernel="k")
    print(f"{kind}:", error)
    assert shared_context() != context, "a context that crashed must not be used again"

# The reproducer says what crashed and by which versions, and crashes again.
# CHECK: // test-crash was run in pass 'test-crash'
# CHECK-NEXT: // gridir {{[0-9.]+}}, LLVM {{[0-9.]+}}, {{.*}}linux
# CHECK-NEXT: // run with: gridir-opt --run-reproducer {{.*}}gridir-crash
# CHECK: @marker
# CHECK: mlir_reproducer
# CHECK: pipeline: "builtin.module(canonicalize,test-crash{kind=fatal-error},cse)"
print(text, flush=True)
again = subprocess.run(
    [sys.executable, "-m", "gridir", "opt", "--run-reproducer", "-"], input=text, capture_output=True, text=True
)
# CHECK: again: 1 error: the compiler crashed, which is a defect of gridir: test-crash was run in pass 'test-crash'
print("again:", again.returncode, re.search("error: the compiler crashed.*", again.stderr)[0])


# The parser and verifiers are recovered from as passes are; the text is the reproducer.
UNPARSABLE = """func.func @f(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  linalg.transpose ins(%x : tensor<4x8xf32>) outs(%y : tensor<8x4xf32>) permutation ="""
# CHECK: parse: {{.*}}Aborted in stage 'parse'
# CHECK-NEXT: in kernel `k`
# CHECK-NEXT: note: {{.*}}gridir-crash{{.*}}.mlir shows it again
# CHECK: // Aborted in stage 'parse'
# CHECK-NEXT: // gridir
# CHECK-NEXT: // run with: gridir-opt --run-reproducer
# CHECK-NEXT: func.func @f
error, text = caught(parse_module, UNPARSABLE, kernel="k")
print("parse:", error)
print(text)
context = shared_context()
caught(parse_module, UNPARSABLE.encode(), context=context)
assert shared_context() != context, "a context that crashed must not be used again"


def double(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + x_ref[...]

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


x = jnp.arange(8.0)
# Every target, through `lower` and through `install`.
for target, options in (
    ("cpu", gridir.CpuOptions(pipeline="test-crash,grid-to-cpu")),
    ("tpu", TpuOptions(pipeline="test-crash,grid-to-tpu")),
    ("gpu", gridir.GpuOptions(pipeline="test-crash,grid-to-gpu")),
):
    error, text = caught(lambda: gridir.lower(double, x, target=target, options=options).kernels[0].prepare())  # noqa: B023
    # CHECK: cpu: Aborted in pass 'test-crash' True passes
    # CHECK: tpu: Aborted in pass 'test-crash' True passes
    # CHECK: gpu: Aborted in pass 'test-crash' True passes
    print(f"{target}:", error.message.rpartition(": ")[2], "grid.kernel" in text, error.stage)
with gridir.installed(options=gridir.CpuOptions(pipeline="test-crash{kind=segfault},grid-to-cpu")):
    error, text = caught(jax.jit(double), x)
# CHECK: installed: Segmentation fault in pass 'test-crash' True
print("installed:", error.message.rpartition(": ")[2], "codegen-level" in text)

# Threads that crash leave others alone.
results = []


def compile_and_crash(number):
    for round_ in range(5):
        module = parse_module("func.func private @f()")
        if number % 2:
            caught(run_pipeline, module, "test-crash{kind=stack-overflow}" if round_ % 2 else "test-crash")
        else:
            run_pipeline(module, "canonicalize,cse")
    results.append(number)


threads = [threading.Thread(target=compile_and_crash, args=(number,)) for number in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
# CHECK: threads: [0, 1, 2, 3, 4, 5]
print("threads:", sorted(results))

# The previous signal handlers are restored.
assert handlers == [signal.getsignal(number) for number in (signal.SIGABRT, signal.SIGSEGV)]
with gridir.installed():
    # CHECK: still right: True
    print("still right:", np.array_equal(jax.jit(double)(x), x + x), flush=True)
died = subprocess.run(
    [
        sys.executable,
        "-c",
        "import faulthandler, os; faulthandler.enable()\n"
        "import gridir; from gridir.compiler.passes import parse_module, run_pipeline\n"
        "try:\n  run_pipeline(parse_module(''), 'test-crash')\n"
        "except gridir.InternalError as error: os.remove(error.reproducer)\n"
        "os.abort()",
    ],
    capture_output=True,
    text=True,
)
# CHECK: died: -6 Fatal Python error: Aborted
print("died:", died.returncode, re.search("Fatal Python error: Aborted", died.stderr)[0])

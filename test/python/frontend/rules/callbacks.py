# RUN: rm -rf %t && mkdir -p %t
# RUN: %python %s write %t/exported | FileCheck %s --check-prefix=WRITE
# RUN: %python %s read %t/exported | FileCheck %s --check-prefix=READ

# A Python function that a kernel calls is of the process that lowered the kernel; no other one is called for it.
import sys

import gridir
import jax
import jax.numpy as jnp
from gridir.runtime import cpu
from jax.experimental import pallas as pl

mode, path = sys.argv[1:]
X = jnp.arange(8.0)


def calls(name):
    def kernel(x_ref, o_ref):
        pl.debug_print("gridir.callback 0: {}", x_ref[0])
        jax.debug.callback(lambda x: print(name, x), x_ref[1])
        o_ref[...] = x_ref[...]

    return jax.jit(lambda x: pl.pallas_call(kernel, out_shape=x)(x))


gridir.install()
# Printed text has no special meaning, whatever it begins with.
# WRITE: gridir.callback 0: 0.0
# WRITE-NEXT: writer 1.0
# READ: gridir.callback 0: 0.0
# READ-NEXT: reader 1.0
function = calls({"write": "writer", "read": "reader"}[mode])
function(X).block_until_ready()

if mode == "write":
    checks = [jax.export.DisabledSafetyCheck.custom_call(cpu.CALL_TARGET)]
    with open(path, "wb") as file:
        file.write(jax.export.export(function, disabled_checks=checks)(X).serialize())
with open(path, "rb") as file:
    exported = jax.export.deserialize(bytearray(file.read()))
try:
    # The process that exported the kernel has its function.
    # WRITE-NEXT: gridir.callback 0: 0.0
    # WRITE-NEXT: writer 1.0
    # WRITE-NEXT: exported: ran
    # Another one has none, though it has one of its own: an error where the function would be called, and no call.
    # READ-NEXT: expected the Python function of a callback ({{.*}}callbacks.py:21:9) in this process
    # READ-NOT: ran
    jax.jit(exported.call)(X).block_until_ready()
    print("exported: ran")
except jax.errors.JaxRuntimeError as error:
    print(next(line for line in str(error).splitlines() if "callback" in line).partition(": ")[2])

# RUN: rm -rf %t && mkdir -p %t
# RUN: %python %s write %t | FileCheck %s --check-prefix=WRITE
# RUN: %python %s read %t | FileCheck %s --check-prefix=READ

# An executable that JAX kept on disk, and an exported function, run in a process that never saw the kernel.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax
from gridir.runtime import cpu
from handwritten import X, call, elementwise

mode, directory = sys.argv[1:]
jax.config.update("jax_compilation_cache_dir", os.path.join(directory, "jax"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
exported = os.path.join(directory, "exported")
TEXT = elementwise("%w = arith.addf %v, %v : f32")
hits = []
jax.monitoring.register_event_listener(lambda event, **_: hits.append(event.endswith("/cache_hits")))

if mode == "write":
    double = jax.jit(lambda x: call(TEXT, X, x))
    # WRITE: call True
    print("call", bool((double(X) == 2 * X).all()))
    checks = [jax.export.DisabledSafetyCheck.custom_call(cpu.CALL_TARGET)]
    with open(exported, "wb") as file:
        file.write(jax.export.export(double, disabled_checks=checks)(X).serialize())
else:
    # The kernel is not prepared here: the executable brings its module along.
    double = jax.jit(lambda x: call(TEXT, X, x, key=KEY))
    KEY = __import__("hashlib").sha256((TEXT + repr(__import__("handwritten").OPTIONS)).encode()).hexdigest()
    # READ: call True
    print("call", bool((double(X) == 2 * X).all()))
    # READ: from JAX's cache: True
    print("from JAX's cache:", any(hits))
    with open(exported, "rb") as file:
        function = jax.export.deserialize(bytearray(file.read()))
    # READ: exported True
    print("exported", bool((jax.jit(function.call)(X) == 2 * X).all()))

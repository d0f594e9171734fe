# RUN: %python %s %repository | FileCheck %s
"""What the table of fields says about TPUs and GPUs is what happens: a kernel is lowered, or is refused.

The rows are those of the test of the frontend, here lowered as far as the target's own dialect.
"""

import contextlib
import io
import sys

sys.path.insert(0, f"{sys.argv[1]}/test/python/frontend/Inputs")

import field_rows
import gridir
from gridir.frontend import fields

TARGETS = {
    "tpu": ("pallas_call", "Buffered", "CostEstimate", "tpu.CompilerParams", "triton.CompilerParams"),
    "gpu": (
        "pallas_call",
        "mosaic_gpu.BlockSpec",
        "mosaic_gpu.CompilerParams",
        "triton.CompilerParams",
        "mosaic_gpu.kernel",
    ),
}
# Rows whose kernel a target refuses for another reason, with a part of the message.
REFUSED = {
    ("tpu", "Buffered", "buffer_count"): "on a TPU, got",
    ("tpu", "Buffered", "use_lookahead"): "expected no lookahead for refs[0] on a TPU; use pltpu.emit_pipeline",
    ("tpu", "Buffered", "prefetched_count"): "expected no prefetched blocks for refs[0] on a TPU, got 1",
    ("tpu", "pallas_call", "compiler_params"): "collective_id is set, but the kernel uses no barrier semaphore",
    ("tpu", "tpu.CompilerParams", "collective_id"): "collective_id is set, but the kernel uses no barrier semaphore",
}
known = {(field.owner, field.name): field for field in fields.TABLE}

for target, owners in TARGETS.items():
    errors = []

    def lower(function, *args, target=target, errors=errors):
        """Lowers a kernel instead of handing over its request."""
        try:
            for kernel in gridir.lower(function, *args, target=target).kernels:
                if target == "tpu":
                    kernel.prepare()
                else:
                    # One of blocks, or one of warpgroups.
                    kernel.module("mapped" if "mapped" in kernel.target.stages else "gpu")
        except gridir.Error as error:
            errors.append(str(error))
        return [None]

    field_rows.requests = field_rows.mesh_requests = lower
    counts = dict.fromkeys(fields.Effect, 0)
    for owner, name, make, _ in field_rows.TABLE:
        if owner not in owners:
            continue
        row = owner, name
        errors.clear()
        # A kernel with `debug` prints itself.
        with contextlib.redirect_stdout(io.StringIO()):
            make()
        effect = known[row].on(target)[0]
        counts[effect] += 1
        if errors and (target, *row) in REFUSED:
            assert REFUSED[target, *row] in str(errors), row
        elif (effect is fields.Effect.ERROR) != bool(errors):
            print(f"{target}: {owner}.{name} is {effect.value}, got {errors}")
        elif effect is fields.Effect.ERROR:
            assert name in str(errors), row
    print(target, {effect.value: count for effect, count in counts.items()})

# CHECK-NOT: got
# CHECK: tpu {'honoured': {{[0-9]+}}, 'no meaning': {{[0-9]+}}, 'error': 5}
# CHECK-NOT: got
# CHECK: gpu {'honoured': {{[0-9]+}}, 'no meaning': {{[0-9]+}}, 'error': 0}

# RUN: rm -rf %t && mkdir %t && %python %s %t | FileCheck %s

# An interrupted run continues, and gives what a whole run gives: for any number of processes, after a restart, and when
# two processes share a cache. ptxas is a stand-in here.

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import gridir
import jax
import jax.numpy as jnp
from gridir.runtime.ptxas import PtxasError, assemble
from gridir.tuning import gpu
from gridir.tuning.measure import _Turns
from jax.experimental import pallas as pl

directory = Path(sys.argv[1])


def scale_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def scaled(x, *, rows):
    block = pl.BlockSpec((rows, 128), lambda i: (i, 0))
    out = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(scale_kernel, grid=(x.shape[0] // rows,), in_specs=[block], out_specs=block, out_shape=out)(x)


def failing(x, *, rows):
    if rows == 32:
        jax.debug.callback(lambda: 1 / 0)
    return scaled(x, rows=rows)


class Interrupt:
    """Raises KeyboardInterrupt at a line of the progress, and keeps the others."""

    def __init__(self, at=None):
        self.at, self.lines = at, []

    def __call__(self, line):
        if self.at is not None and self.at in line:
            raise KeyboardInterrupt
        self.lines.append(line)


def run(function=scaled, at=None, target="cpu", cache="measured", **options):
    """Returns the result of a run as text, and its progress."""
    progress = Interrupt(at)
    options = {"space": {"rows": [16, 32, 64, 128, 256]}, "check": False, **options}
    try:
        x = jnp.ones((1024, 128))
        result = gridir.tune(function, x, target=target, cache=str(directory / cache), progress=progress, **options)
    except KeyboardInterrupt:
        return "interrupted", progress.lines
    return result.dumps(), progress.lines


# The measurement continues with the round in which it was interrupted.
# CHECK: interrupted
print(run(at="round 4 of 11")[0])
whole, lines = run()
# CHECK-NEXT: measuring 5 configurations, round 4 of 11
print(next(line for line in lines if "round" in line))
# CHECK-NEXT: 11
print(int(max(e["outcomes"]["measure"]["figures"]["runs"] for e in json.loads(whole)["problems"][0]["entries"])))
again, lines = run()
# CHECK-NEXT: True False
print(again == whole, any("round" in line for line in lines))

# A damaged or foreign record is measured again.
for path in (directory / "measured").rglob("*.json"):
    path.write_text('{"rounds": 11, "times": {}, "refused": {}}')
# CHECK-NEXT: True
print(any("round 1 of 11" in line for line in run()[1]))

for times in ({"a": [1.0]}, {"a": [1.0, 2.0]}):
    try:
        _Turns.from_json({"rounds": 2, "times": times, "refused": {}}, keys=["a", "b"])
    except ValueError as error:
        # CHECK-NEXT: expected a time of a of each round, got 1
        # CHECK-NEXT: expected the times of all configurations
        print(error)

# A configuration that fails when it runs is not legal; the others are measured.
failed = json.loads(run(failing, cache="failed")[0])["problems"][0]["entries"]
# CHECK-NEXT: 4 {'rows': 32} {{.*}}RuntimeError: {{.*}}callback
illegal = [e for e in failed if e["outcomes"].get("measure", {}).get("seconds", 0) is None]
for e in illegal:
    print(len(failed) - len(illegal), e["config"], e["outcomes"]["measure"]["reason"])

# Two processes that measure at the same time agree.
CODE = f"""
import sys
sys.argv[1] = {str(directory)!r}
source = open({__file__!r}).read().partition("# The measurement continues")[0]
exec(compile(source, {__file__!r}, "exec"))
print(run(cache="shared")[0])
"""
processes = [
    subprocess.Popen([sys.executable, "-c", CODE, str(directory)], stdout=subprocess.PIPE, text=True) for _ in range(2)
]
first, second = (process.communicate()[0] for process in processes)
# CHECK-NEXT: True True
print(len(first) > 100, first == second)


class Kernel:
    """A kernel whose assembly takes the longer the smaller its grid is, and may fail."""

    name, lock, started, failure = "scale_kernel", threading.Lock(), [], None

    def __init__(self, rows):
        self.rows = rows

    def prepare(self):
        return self

    def assemble(self, *, timeout):
        with Kernel.lock:
            Kernel.started.append(self.rows)
        time.sleep(self.rows / 2000)
        if Kernel.failure is not None and self.rows == 64:
            raise Kernel.failure
        return self

    def to_json(self):
        return {"name": self.name, "ctas": 1024 // self.rows, "threads": 128, "registers": 16 + self.rows,
                "shared_bytes": 0, "spill_bytes": 0}  # fmt: skip


class Lowered:
    def __init__(self, function, x, target):
        rows = int(jax.jit(function).trace(x).jaxpr.eqns[0].params["jaxpr"].eqns[0].params["grid_mapping"].grid[0])
        self.kernels = [Kernel(1024 // rows)]


gpu.lower, gpu.find_ptxas, gpu.ptxas_version = Lowered, lambda: "ptxas", lambda: (13, 5)
gpu.find_nvdisasm = lambda: None


def compiled(**options):
    Kernel.started.clear()
    text, _ = run(target="gpu:sm_90a", tier="compile", **options)
    return text, sorted(Kernel.started)


one, rows = compiled(jobs=1, cache="one")
# CHECK-NEXT: [16, 32, 64, 128, 256] True
print(rows, compiled(jobs=3, cache="three")[0] == one)
# Those that were finished before the interruption are not assembled again.
text, rows = compiled(jobs=1, cache="resumed", at="compile: 3 of 5")
resumed, others = compiled(jobs=2, cache="resumed")
# CHECK-NEXT: interrupted True True [16, 32, 64, 128, 256]
print(text, len(rows) >= 3, resumed == one, sorted({*rows, *others}))
# CHECK-NEXT: True
print(len(rows) + len(others) == 5)
# A rejection is kept. Another run may have more time.
for stage in ("compile", "timeout"):
    Kernel.failure = PtxasError(f"no {stage}", stage=stage)
    text, _ = compiled(cache=stage)
    Kernel.failure = None
    # CHECK-NEXT: compile True True []
    # CHECK-NEXT: timeout True False [64]
    later, rows = compiled(cache=stage)
    print(stage, f"no {stage}" in text, later == text, rows)

script = directory / "ptxas"
script.write_text("#!/bin/sh\nkill -9 $$\n")
script.chmod(0o755)
try:
    assemble("", "sm_90a", ptxas=str(script))
except PtxasError as error:
    # CHECK-NEXT: ptxas was ended by signal 9 crash
    print(error.message, error.stage)

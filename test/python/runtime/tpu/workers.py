# REQUIRES: libtpu
# RUN: %python %s | FileCheck %s

# libtpu runs in processes of its own: what ends one of them is an answer, and the next program is compiled.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.runtime.tpu.workers import LibtpuError, Workers
from programs import add, program

good = program(add())
aborts = program(add("%i", "i32"))
many = "tensor<8192x1024xf32>"
# An exponential of enough registers that libtpu takes minutes.
hangs = program(
    add()
    .replace("8x128", "8192x1024")
    .replace("8, 128", "8192, 1024")
    .replace('"stable_mosaic.arith.addf"(%1, %1)', '"stable_mosaic.math.sin"(%1)')
    .replace("(vector<8192x1024xf32>, vector<8192x1024xf32>) ->", "(vector<8192x1024xf32>) ->"),
    many,
)

with Workers("v5e:2x2", jobs=2, timeout=60) as workers:
    replies = workers.compile_all([good, aborts, good, b"no module", good])
for reply in replies:
    print("program:", reply.get("stage"), "error" in reply, reply.get("bundles", 0) > 20)
# CHECK:      program: None False True
# CHECK-NEXT: program: crash True False
# CHECK-NEXT: program: None False True
# CHECK-NEXT: program: None True False
# CHECK-NEXT: program: None False True

# Of a crash the report has libtpu's own reason.
# CHECK: iteration_indices.size() == rank
print(replies[1]["error"])

# The same program always has the same schedule.
# CHECK: equal: True
print("equal:", replies[0]["bundles"] == replies[2]["bundles"] == replies[4]["bundles"])

# CHECK: device: TPU v5 lite
print("device:", replies[0]["device_kind"])

with Workers("v6e:2x2", jobs=1, timeout=15) as workers:
    late, next_one = workers.compile_all([hangs, good])
# CHECK: late: timeout libtpu gave no answer in 15 s
print("late:", late.get("stage"), late["error"])
# CHECK: next: TPU v6 lite None
print("next:", next_one["device_kind"], next_one.get("stage"))

try:
    with Workers("v9:2x2") as workers:
        workers.compile_all([good])
except LibtpuError as error:
    # CHECK: libtpu cannot compile for 'v9:2x2'
    # CHECK: note: topologies that it can compile for: v4:2x2x1, v5e:2x2
    print(error)

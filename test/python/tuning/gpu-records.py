# RUN: %python %s %repository/benchmarks/gpu_records.py %S/Inputs | FileCheck %s

# The benchmark of tokamax's records of GPUs, on a stand-in for tokamax with five records.

import json
import os
import subprocess
import sys

SCRIPT, INPUTS = sys.argv[1:]


def run(*arguments, inputs=INPUTS):
    path = os.pathsep.join(filter(None, [inputs, os.environ.get("PYTHONPATH", "")]))
    environment = os.environ | {"PYTHONPATH": path, "JAX_PLATFORMS": "cpu"}
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, env=environment)


def rows(done):
    return [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]


OP = ("--op", "triton_attention")

# The median of the times of a configuration counts. Records without times are left out; those that tokamax refuses, or
# whose arrays are larger than the memory of the GPU, are not ranked.
done = run(*OP)
# CHECK: 0 [0, 2, 3, 4]
print(done.returncode, [row["record"] for row in rows(done)])
# CHECK-NEXT: 128,4,2 1 6 0.1
# CHECK-NEXT: 64,4,2 None 0 0.02
# CHECK-NEXT: 64,4,2 None 0 1
# CHECK-NEXT: 64,4,2 {{[1-6]}} 6 0.02
for row in rows(done):
    print(row["winner"], row["rank"], row["of"], row["measured"])
# CHECK-NEXT: NotImplementedError: rows that are no multiple of 128
# CHECK-NEXT: ValueError: 2,200 GB of arrays do not fit into the GPU, so the record is of another problem
print("\n".join(row["note"] for row in rows(done) if row["note"]))
# CHECK-NEXT: | chip, op, tier | records | first | top 8 | top 8 with ties | tied with the first | not ranked | pred
# CHECK-NEXT: | --- |
# CHECK-NEXT: | h100, triton_attention, estimate | 4 | {{[12]}} | 2 | 2 | {{[12]}} | 2 | {{.*}} ({{.*}} to {{.*}}) |
print(done.stdout, end="")

# A sample, and one that ends before it begins.
# CHECK-NEXT: [2, 4]
print([row["record"] for row in rows(run(*OP, "--first", "2", "--every", "2"))])
# CHECK-NEXT: 0 []
done = run(*OP, "--seconds", "0")
print(done.returncode, rows(done))

# Records of another release; a chip without any.
# CHECK-NEXT: [4]
print([row["record"] for row in rows(run(*OP, "--first", "4", "--data", f"{INPUTS}/tokamax"))])
done = run(*OP, "--chip", "b200")
# CHECK-NEXT: 0 triton_attention: no records of b200 in this release of tokamax
# CHECK-NEXT: | b200, triton_attention, estimate | 0 | 0 | 0 | 0 | 0 | 0 | nan (nan to nan) |
print(done.returncode, done.stderr.strip())
print(done.stdout.splitlines()[-1])

# CHECK-NEXT: 1 triton_normalization: No module named 'tokamax._src.ops.normalization'; pip install tokamax, 0.0.12 for
done = run("--op", "triton_normalization")
print(done.returncode, done.stderr.strip())

# CHECK-NEXT: 2 error: argument --every: expected a number from 1 on, got '0'
# CHECK-NEXT: 2 error: argument --first: expected a number from 0 on, got '-1'
# CHECK-NEXT: 2 error: argument --compile: expected a number from 0 on, got 'all'
# CHECK-NEXT: 2 error: argument --data: expected a directory with data/autotuning, got '/nowhere'
# CHECK-NEXT: 2 error: argument --op: invalid choice: 'softmax'
for wrong in (("--every", "0"), ("--first=-1",), ("--compile", "all"), ("--data", "/nowhere"), ("--op", "softmax")):
    done = run(*wrong)
    print(done.returncode, done.stderr.splitlines()[-1].partition("gpu_records.py: ")[2])

# The results of ptxas for the kernels of a run, its time, and the comparison with the kernels of another run.
#
# REQUIRES: ptxas
# RUN: %python %repository/tools/jax-conformance %S/Inputs/checkout tiny_test --tests '*test_kernel' --through ptx \
# RUN:   --assemble --results %t.jsonl | FileCheck %s --check-prefix=ONE
# RUN: %python %s %repository %t.jsonl | FileCheck %s

# ONE: assembled: 1 kernels, 1 assemble, 0 spill (0 bytes), 0 with remarks
# ONE-NEXT: to the module {{ *}}median {{[0-9.]+}} s, 90 % {{[0-9.]+}} s, {{[0-9.]+}} s
# ONE-NEXT: to PTX {{ *}}median
# ONE-NEXT: ptxas {{ *}}median
# ONE-NEXT: together {{ *}}median

import copy
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(sys.argv[1]) / "tools" / "jax-conformance"))
import codes

records = [json.loads(line) for line in Path(sys.argv[2]).read_text().splitlines()]
(kernel,) = (kernel for record in records for kernel in record["compiled"])
# CHECK: assembled: 1 kernels, 1 assemble, 1 spill (8 bytes), 0 with remarks
# CHECK: the others': 1 kernels, 1 assemble, 0 spill (0 bytes), 0 with remarks
# CHECK: 1 kernels in both
# CHECK-NEXT: {{[0-9]+}} registers, spills 8, 0 remarks, the others' {{[0-9]+}} registers, spills 0, 0 remarks: TinyTest
# CHECK-NEXT: registers: more than the others' in 0, fewer in 0
worse = copy.deepcopy(records)
next(record for record in worse if record["compiled"])["compiled"][0]["spill_bytes"] = 8
print(codes.code_report(worse, records))

# Alone, what spills or is serialised is named; what is refused always is.
# CHECK: 1 spill (8 bytes)
# CHECK: {{[0-9]+}} registers, spills 8, 0 remarks: TinyTest.test_kernel
print(codes.code_report(worse))
# CHECK: sm_80: {{.*}}line 4; {{.*}}nothing
refused = codes.assembled(".version 8.0\n.target sm_80\n.address_size 64\nnothing\n")
print(f"{refused['chip']}: {refused['refused']}")
# CHECK: assembled: 1 kernels, 0 assemble
# CHECK: refused: TinyTest.test_kernel: {{.*}}nothing
next(record for record in worse if record["compiled"])["compiled"][0] = {**kernel, **refused}
print(codes.code_report(worse))

# RUN: %python %s | FileCheck %s

# The codes of a kernel side by side: a kind of instruction that only one has, and a kernel without a loop.

import collections
import json

from gridir.runtime.ptxas import Code, Loop, compare

LOOP = Loop(collections.Counter(HGMMA=8, UIADD3=12, BRA=2), units=8)
OTHER = Loop(collections.Counter(HGMMA=8, IMAD=20), units=8)
ours = Code(168, 0, 229440, 664, LOOP, ())
others = Code(168, 32, 1024, 1801, OTHER, ("ptxas info : (C7510) Potential Performance Loss",))

# CHECK:      {{^ +}}gridir    JAX
# CHECK-NEXT: registers            168    168
# CHECK-NEXT: spilled bytes          0     32
# CHECK-NEXT: shared memory    229,440  1,024
# CHECK-NEXT: remarks of ptxas       0      1
# CHECK-NEXT: instructions         664  1,801
# CHECK-NEXT: steady loop           22     28
# CHECK-NEXT:   IMAD                 0     20
# CHECK-NEXT:   HGMMA                8      8
# CHECK-NEXT:   UIADD3              12      0
# CHECK-NEXT:   BRA                  2      0
print(compare({"gridir": ours, "JAX": others}))

# CHECK-NEXT: a loop of one alone: steady loop - 28
without = Code(40, 0, 0, 12, None, ())
row = next(line for line in compare({"gridir": without, "JAX": others}).splitlines() if "steady" in line)
print("a loop of one alone:", " ".join(row.split()))
# CHECK-NEXT: no loop at all: True
print("no loop at all:", "steady" not in compare({"gridir": without}))

# CHECK-NEXT: {"registers": 168, "spill_bytes": 0, "shared_bytes": 229440, "instructions": 664,
# CHECK-SAME: "loop": {"instructions": 22, "units": 8, "names": {"UIADD3": 12, "HGMMA": 8, "BRA": 2}}, "remarks": []}
print(json.dumps(ours.to_json()))

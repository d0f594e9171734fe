# RUN: %python %s %repository/benchmarks | FileCheck %s

# The measured winner of a record is among the first of the estimate tier, with about the time that was measured.

import sys

sys.path.insert(0, sys.argv[1])
import tuning

(record,) = [record for record in tuning.read_records() if record["id"] == 14]
space = {"tile_m": [256, 512], "tile_k": [512, 1024, 2048], "tile_n": [256, 768]}
row = tuning.measure(record, 0, space)
# CHECK: 14 gmm 256,2048,768 rank 1 of 12, within 10 %: True
print(f"{row.record} {row.winner} rank {row.strict} of {row.of}, within 10 %: {abs(row.ratio - 1) < 0.1}")
# CHECK: | 14 gmm | 256,2048,768 | 1 | 1 | 12 |
# CHECK: first 1, top 3 1, tied with the first 1 of 1;
print(tuning.table([row]))

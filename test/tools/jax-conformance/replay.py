# RUN: rm -rf %t && mkdir %t && %python %s %t/good && %python %s %t/bad
# RUN: %python %repository/tools/jax-conformance/replay.py %t/good --checks races,uninitialized --schedule-seed 2 \
# RUN:   | FileCheck %s --check-prefix=GOOD
# RUN: not %python %repository/tools/jax-conformance/replay.py %t/bad | FileCheck %s --check-prefix=BAD
# RUN: not %python %repository/tools/jax-conformance/replay.py %t 2>&1 | FileCheck %s --check-prefix=NONE

# Launches that were recorded are made again: what they write is compared, and what is wrong is told by their files.
# GOOD: 2 of 2 launches write what they wrote
# BAD:      fails.npz: expected an access to memory of the launch, got 4 bytes
# BAD:      other.npz: memory 1: 1 of 64 bytes differ, the first one is 8
# BAD-NEXT: text.npz: expected a recorded launch, got {{.*}}text.npz
# BAD-NEXT: 1 of 4 launches write what they wrote
# NONE: expected recordings (*.npz) in {{.*}}, got none

import pathlib
import sys

import numpy as np
from gridir.runtime import ptx

TEXT = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry follow(.param .u64 list) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [list];
  ld.global.u64 %rd1, [%rd0];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd2, %r0, 4;
  add.s64 %rd1, %rd1, %rd2;
  st.global.b32 [%rd1], %r0;
  ret;
}
"""


def record(threads, address=0x2000, wrong=0):
    """A launch whose argument is the address of an array that holds the address of another one."""
    pointers = np.array([address, 0], np.uint64).view(np.uint8)
    after = np.arange(16, dtype=np.int32) * (np.arange(16) < threads)
    after[2] += wrong
    launch = {"grid": (1, 1, 1), "block": (threads, 1, 1), "cluster": None, "shared_bytes": 0, "blocks_at_once": 1}
    memory = (pointers, np.zeros(64, np.uint8))
    argument = np.array([0x1000], np.uint64).view(np.uint8)
    return ptx.Recording(
        "follow", TEXT, launch, (0x1000, 0x2000), (argument,), memory, (pointers, after.view(np.uint8))
    )


directory = pathlib.Path(sys.argv[1])
directory.mkdir()
record(16).save(directory / "all.npz")
if directory.name == "good":
    record(5).save(directory / "five.npz")
else:
    record(16, wrong=1).save(directory / "other.npz")
    record(16, address=0x3000).save(directory / "fails.npz")
    (directory / "text.npz").write_text("no recording")

# RUN: %python %s | FileCheck %s

# Reads of a buffer are recorded only once the launch writes the buffer: it restarts then, from the memory that it
# found. A user sees one launch, whose races are those of all reads.

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.errors import Error
from gridir.runtime import ptx
from kernels import HEADER

KERNEL = """
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[6] = {68, 111, 110, 101, 10, 0};
.global .align 4 .b32 count[64];
.shared .align 128 .b8 tile[256];
.visible .entry k(.param .u64 x, .param .u64 y)
{
  .reg .b32 %t, %next, %r<4>; .reg .b64 %x, %y, %all, %there, %count, %rd<2>; .reg .pred %last;
  mov.u32 %t, %tid.x; ld.param.u64 %all, [x]; mad.wide.u32 %x, %t, 4, %all;
  ld.param.u64 %y, [y]; mad.wide.u32 %y, %t, 4, %y;
  add.u32 %next, %t, 1; and.b32 %next, %next, 63; mad.wide.u32 %there, %next, 4, %all;
  mov.u64 %count, count; mad.wide.u32 %count, %t, 4, %count;
  setp.eq.u32 %last, %t, 63;
  BODY
  ret;
}
"""
UPDATE = "ld.global.b32 %r0, [%x]; ld.global.nc.b32 %r1, [%y]; add.u32 %r0, %r0, %r1; st.global.b32 [%x], %r0;"
COUNT = "ld.global.b32 %r2, [%count]; add.u32 %r2, %r2, 1; st.global.b32 [%count], %r2; st.global.b32 [%x], %r2;"
PRINT = """@!%last bra NOTHING;
{ .param .b64 a; .param .b64 b; .param .b32 r; mov.u64 %rd0, format; mov.u64 %rd1, 0;
  st.param.b64 [a], %rd0; st.param.b64 [b], %rd1; call.uni (r), vprintf, (a, b); }
NOTHING:"""
STORE_TILE = "mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 4, %r1; st.shared.b32 [%r2], %t; fence.proxy.async; bar.sync 0;"
COPY_TILE = """@%last cp.async.bulk.global.shared::cta.bulk_group [%all], [%r1], 256;
@%last cp.async.bulk.commit_group;
@%last cp.async.bulk.wait_group 0;"""


def launch(title, body, arrays=None):
    x, y = np.arange(64, dtype=np.int32), np.full(64, 100, np.int32)
    x, y = arrays or (x, y)
    try:
        program = ptx.load(HEADER + KERNEL.replace("BODY", body), path="k.ptx")
        program.function().launch([x, y], grid=(1,), block=(64,), checks=["races"], timeout=60)
        print(f"{title}: {x.tolist()[:3]} ... {x[-1]}", flush=True)
    except Error as error:
        print(f"{title}: {str(error).splitlines()[0]}", flush=True)


# CHECK: in place: [100, 101, 102] ... 163
launch("in place", UPDATE)
# CHECK-NEXT: of the module: [1, 1, 1] ... 1
launch("of the module", COUNT)
# Text is printed once, whatever is written before and after it.
# CHECK-NEXT: Done
# CHECK-NEXT: printed first: [100, 101, 102] ... 163
launch("printed first", f"ld.global.b32 %r0, [%x];\n{PRINT}\n{UPDATE}")
# CHECK-NEXT: Done
# CHECK-NEXT: printed last: [100, 101, 102] ... 163
launch("printed last", f"{UPDATE}\n{PRINT}")
# CHECK-NEXT: a neighbour: race between the read at line {{[0-9]+}} and the write at line {{[0-9]+}} of byte 4 of 'x'
launch("a neighbour", "ld.global.b32 %r0, [%there]; st.global.b32 [%x], %r0;")
# CHECK-NEXT: in turn: [1, 2, 3] ... 0
launch("in turn", "ld.global.b32 %r0, [%there]; bar.sync 0; st.global.b32 [%x], %r0;")
# CHECK-NEXT: a copy: race between the {{.*asynchronous write.*}} of byte 0 of 'x'
launch("a copy", f"{STORE_TILE}\nld.global.b32 %r0, [%x];\n{COPY_TILE}")
# CHECK-NEXT: an update: race between the read at line {{[0-9]+}} and the update at line {{[0-9]+}} of byte 4 of 'x'
launch("an update", "ld.global.b32 %r0, [%there]; red.global.add.u32 [%x], 1;")
# Memory that is read by one name and written by another is one buffer.
array = np.arange(64, dtype=np.int32)
# CHECK-NEXT: two names: race between the read at line {{[0-9]+}} and the write at line {{[0-9]+}} of byte {{[0-9]+}} of
launch("two names", "ld.global.b32 %r0, [%there]; st.global.b32 [%y], %r0;", (array, array))

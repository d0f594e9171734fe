# RUN: %python %s | FileCheck %s

# Each synchronisation of small kernels is needed: without it there is a finding, in whatever order the threads run;
# with all of them there is none, and the result is right. Where two accesses are in no order both instructions and
# lines are named, and the author's.

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.errors import Error
from gridir.runtime import ptx
from kernels import HEADER
from synchronized import KERNELS

CHECKS = ("races", "uninitialized")


def launch(kernel, text, seed):
    y = np.zeros(len(kernel.expected), np.int32)
    ptx.load(text).function().launch(
        [np.arange(len(y), dtype=np.int32), y],
        grid=(kernel.grid,),
        block=(kernel.block,),
        cluster=(kernel.cluster,),
        timeout=60,
        checks=CHECKS,
        schedule_seed=seed,
    )
    return y


wrong = mutants = harmless = 0
for kernel in KERNELS:
    for seed in (None, *range(4)):
        try:
            if not np.array_equal(launch(kernel, kernel.source, seed), kernel.expected):
                raise AssertionError("wrong values")
        except (Error, AssertionError) as error:
            wrong += 1
            print(f"{kernel.name}, seed {seed}: {error}")
    for what, text, reason in kernel.mutants():
        mutants += 1
        harmless += bool(reason)
        for seed in (None, 0):
            try:
                launch(kernel, text, seed)
                finding = ""
            except Error as error:
                finding = str(error)
            if bool(reason) == bool(finding):
                wrong += 1
                print(f"{kernel.name}, {what}, seed {seed}: {finding or 'nothing was found'}")
# CHECK: 0 wrong of {{[0-9]+}} kernels and {{[0-9]+}} mutants, of which 2 are harmless
print(f"{wrong} wrong of {len(KERNELS)} kernels and {mutants} mutants, of which {harmless} are harmless")


# The messages of a race, of a missing proxy fence, of a copy without a wait, and of uninitialized
# memory.
SHOWN = """
.file 1 "author.py"
.shared .align 128 .b8 buffer[256];
.visible .entry k(.param .u64 y)
{
  .reg .b32 %t, %r<4>; .reg .b64 %y; .reg .pred %p;
  mov.u32 %t, %tid.x; mov.u32 %r0, buffer; mad.lo.u32 %r1, %t, 4, %r0; ld.param.u64 %y, [y]; setp.eq.u32 %p, %t, 0;
.loc 1 7 3
BODY
  ret;
}
"""


def show(title, body, check, grid=2):
    text = HEADER + SHOWN.replace("BODY", body)
    try:
        ptx.load(text, path="k.ptx").function().launch(
            [np.zeros(64, np.int32)], grid=(grid,), block=(64,), checks=[check], timeout=60
        )
        print(f"== {title}\nnothing was found")
    except Error as error:
        print(f"== {title}\n{error}")


STORE = "st.shared.b32 [%r1], %t;"
# CHECK-LABEL: == a race
# CHECK-NEXT:  race between the write at line 12 and the read at line 14 of byte 0 {{.*}}, by 'ld.shared.b32
# CHECK-NEXT:  in kernel `k`
# CHECK-NEXT:  at author.py:8:3
# CHECK-NEXT:  note: in thread (1, 0, 0) of block (0, 0, 0)
# CHECK-NEXT:  note: the write is in thread (0, 0, 0) of block (0, 0, 0), by 'st.{{.*}} author.py:7:3, k.ptx:12:1
show("a race", f"{STORE}\n.loc 1 8 3\nld.shared.b32 %r2, [%r0];", "races")
# CHECK-LABEL: == between blocks
# CHECK-NEXT:  race between the write at line 13 and the write at line 13 of byte 0 of 'y'
# CHECK:       note: in thread (0, 0, 0) of block (1, 0, 0)
show("between blocks", "mad.wide.u32 %y, %t, 4, %y; mov.u32 %r2, %ctaid.x;\nst.global.b32 [%y], %r2;", "races")
COPY = "@%p cp.async.bulk.global.shared::cta.bulk_group [%y], [%r0], 256;"
WAIT = "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"
# CHECK-LABEL: == no fence between proxies
# CHECK-NEXT:  expected 'fence.proxy.async' between the write at line 12 and the asynchronous read at line 13 of byte 0
show("no fence between proxies", f"{STORE} bar.sync 0;\n{COPY}\n{WAIT}", "races")
# A fence for one memory orders nothing in the other one.
# CHECK-LABEL: == a fence for global memory
# CHECK-NEXT:  expected 'fence.proxy.async' between the write at line 12 and the asynchronous read at line 13 of byte 0
show("a fence for global memory", f"{STORE} fence.proxy.async.global; bar.sync 0;\n{COPY}\n{WAIT}", "races")
# CHECK-LABEL: == a fence for shared memory
# CHECK-NEXT:  expected 'fence.proxy.async' between the write at line 12 and the asynchronous write at line 13 of byte 0
show(
    "a fence for shared memory",
    f"st.global.b32 [%y], 7; {STORE} fence.proxy.async.shared::cta; bar.sync 0;\n{COPY}\n{WAIT}",
    "races",
    grid=1,
)
# CHECK-LABEL: == a fence for each memory
# CHECK-NEXT:  nothing was found
show(
    "a fence for each memory",
    f"st.global.b32 [%y], 7; {STORE} fence.proxy.async.shared::cta; fence.proxy.async.global; "
    f"bar.sync 0;\n{COPY}\n{WAIT}",
    "races",
    grid=1,
)
# CHECK-LABEL: == a copy that nobody waits for
# CHECK-NEXT:  expected a wait for the copy, which reads shared memory of the block, before its thread ends, by '@%p cp
show("a copy that nobody waits for", f"{STORE} fence.proxy.async; bar.sync 0;\n{COPY}", "races")
# A thread that waits for its copy sees what that has written; other threads do after a barrier, and nobody does after a
# wait for reads.
# The last thread runs first.
STORED = f"setp.eq.u32 %p, %t, 63; {STORE} fence.proxy.async; bar.sync 0;\n{COPY}\n{WAIT}\n"
# CHECK-LABEL: == no barrier after the wait
# CHECK-NEXT:  race between the asynchronous write at line 13 and the read at line 15 of byte {{[0-9]+}} of 'y': the
# CHECK-SAME:  accesses are unordered, since no barrier follows the wait of thread (63, 0, 0) of block (0, 0, 0)
show("no barrier after the wait", STORED.replace(".read", "") + "ld.global.b32 %r2, [%y+8];", "races", grid=1)
# CHECK-LABEL: == a wait for reads
# CHECK-NEXT:  {{.*}}the accesses are unordered, since no thread has waited for the asynchronous write, by 'ld.global
show("a wait for reads", STORED + "bar.sync 0;\nld.global.b32 %r2, [%y+8];", "races", grid=1)
# CHECK-LABEL: == a barrier after the wait
# CHECK-NEXT:  nothing was found
show(
    "a barrier after the wait", STORED.replace(".read", "") + "bar.sync 0;\nld.global.b32 %r2, [%y+8];", "races", grid=1
)
# CHECK-LABEL: == memory that nobody has written
# CHECK-NEXT:  expected an initialized value for byte 0 of 'y', got one that depends on byte 252 of shared memory, which
show(
    "memory that nobody has written",
    "setp.lt.u32 %p, %t, 63; @%p st.shared.b32 [%r1], %t;\nld.shared.b32 %r2, [%r1];\nst.global.b32 [%y], %r2;",
    "uninitialized",
)

# RUN: %python %s | FileCheck %s

# A fault of a thread ends the launch, not the process, and is reported with the instruction and its line; invalid and
# unsupported PTX is reported the same way, before anything runs.

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.errors import Error
from gridir.runtime import ptx
from kernels import HEADER, run

X = np.arange(64, dtype=np.int32)


def show(title, call, *args, **kwargs):
    print(f"== {title}")
    try:
        call(*args, **kwargs)
        print("nothing was found")
    except Error as error:
        print(error)


def text(body):
    return f"{HEADER}.visible .entry k()\n{{\n.reg .b32 %r<4>;\n{body}\nret;\n}}\n"


# CHECK-LABEL: == beyond an array
# CHECK-NEXT:  expected an access to memory of the launch, got 4 bytes at {{.*}}: 0 bytes after the 260 bytes of 'a0'
# CHECK-NEXT:  in kernel `k`
# CHECK-NEXT:  at <ptx>:{{[0-9]+}}:{{[0-9]+}} (k)
# CHECK-NEXT:  note: in thread (64, 0, 0) of block (0, 0, 0)
# No allocator begins the next array where one of this size ends.
show("beyond an array", run, "ld.global.b32 %d, [%in+4];", [np.arange(65, dtype=np.int32)], np.int32)
# CHECK-LABEL: == a null pointer
# CHECK-NEXT:  expected an access to memory of the launch, got 4 bytes at 0x0: no buffer is near, by 'st.global
show("a null pointer", run, "mov.b64 %rd0, 0; st.global.b32 [%rd0], %t;", [X], np.int32)
# CHECK-LABEL: == misaligned
# CHECK-NEXT:  expected an address that is a multiple of 8, got 0x{{[0-9a-f]+}}, by 'ld.global.v2.b32
show("misaligned", run, "ld.global.v2.b32 {%d, %r0}, [%in+4];", [X.repeat(2)[:64]], np.int32)
# CHECK-LABEL: == beyond shared memory
# CHECK-NEXT:  expected an access to the 1024 bytes of the block's shared memory, got 4 bytes at byte 1024
show(
    "beyond shared memory",
    run,
    "mov.u32 %r0, s; st.shared.b32 [%r0+1024], %t;",
    [X],
    np.int32,
    declarations=".shared .b8 s[16];",
)
# CHECK-LABEL: == a barrier that one warp does not reach
# CHECK-NEXT:  no thread can continue
# CHECK-NEXT:  in kernel `k`
# CHECK-NEXT:  at <ptx>:{{[0-9]+}}:{{[0-9]+}} (k)
# CHECK-NEXT:  note: 32 threads of warp 0 of block (0, 0, 0) wait at line {{[0-9]+}}: @%p bar.sync 1, 64
show("a barrier that one warp does not reach", run, "setp.lt.u32 %p, %t, 32; @%p bar.sync 1, 64;", [X], np.int32)
# Warps that wait alike share a note.
# CHECK-LABEL: == warps that wait alike
# CHECK:       note: 32 threads of each of warps 0 to 2 of block (0, 0, 0) wait at line {{[0-9]+}}: @%p bar.sync 1, 128
show(
    "warps that wait alike",
    ptx.load(text(".reg .pred %p; mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 96; @%p bar.sync 1, 128;"))
    .function()
    .launch,
    [],
    grid=(1,),
    block=(128,),
)
# CHECK-LABEL: == a loop without an end
# CHECK-NEXT:  the launch exceeded its time limit
# CHECK:       note: 1 threads of warp 0 of block (0, 0, 0) wait at line 7: bra L
show("a loop without an end", ptx.load(text("L: bra L;")).function().launch, [], grid=(1,), block=(1,), timeout=0.5)
# CHECK-LABEL: == lanes at two instructions
# CHECK-NEXT:  expected the lanes of a warp at one instruction
show(
    "lanes at two instructions",
    run,
    "setp.lt.u32 %p, %t, 3; @%p bra A; redux.sync.add.s32 %d, %t, -1; bra B; A: redux.sync.add.s32 %d, %t, -1; B:",
    [X],
    np.int32,
)
# CHECK-LABEL: == a barrier that nobody has initialized
# CHECK-NEXT:  expected a barrier that was initialized, got uninitialized memory
show(
    "a barrier that nobody has initialized",
    run,
    "mov.u32 %r0, b; mbarrier.arrive.shared.b64 %rd0, [%r0];",
    [X],
    np.int32,
    declarations=".shared .b64 b;",
)
# CHECK-LABEL: == more arrivals than a barrier has
# CHECK-NEXT:  expected at most 1 more arrivals at the barrier at 0x400, got 2
show(
    "more arrivals than a barrier has",
    run,
    "mov.u32 %r0, b; mbarrier.init.shared.b64 [%r0], 1; mbarrier.arrive.shared.b64 %rd0, [%r0], 2;",
    [X],
    np.int32,
    declarations=".shared .b64 b;",
)
# CHECK-LABEL: == trap
# CHECK-NEXT:  the kernel trapped, by '@%p trap'
show("trap", run, "setp.eq.u32 %p, %t, 9; @%p trap;", [X], np.int32)

# CHECK-LABEL: == not implemented
# CHECK-NEXT:  instruction 'wmma.load.a.sync' is not implemented
# CHECK-NEXT:  in kernel `k`
# CHECK-NEXT:  at k.ptx:7:1 (k)
# CHECK-NEXT:  note: line 8: 'add' with '.rs' is not implemented
show(
    "not implemented",
    ptx.load(text("wmma.load.a.sync %r0;\nadd.rs.u32 %r0, %r1, %r2;"), path="k.ptx").function().prepare,
)
# CHECK-LABEL: == a name that is not declared
# CHECK-NEXT:  expected a name that is declared, got '%r9'
show("a name that is not declared", ptx.load(text("mov.b32 %r0, %r9;")).function().prepare)
# CHECK-LABEL: == a register that is too small
# CHECK-NEXT:  expected a register of 64 bits, got '%r1' of 32
show("a register that is too small", ptx.load(text("mov.b64 %r0, %r1;")).function().prepare)
# CHECK-LABEL: == operands that are missing
# CHECK-NEXT:  expected at least 3 operands of 'add', got 2
show("operands that are missing", ptx.load(text("add.u32 %r0, %r1;")).function().prepare)
# CHECK-LABEL: == no PTX
# CHECK-NEXT:  expected ';', got 'ret'
# CHECK-NEXT:  at bad.ptx:8:1
show("no PTX", ptx.load, text("mov.b32 %r0, 1"), path="bad.ptx")
# CHECK-LABEL: == arguments that do not fit
# CHECK-NEXT:  expected 0 arguments, got 1
show("arguments that do not fit", ptx.load(text("")).function().launch, [X], grid=(1,), block=(1,))
# CHECK-LABEL: == too many threads
# CHECK-NEXT:  expected at most 1024 threads of a block, got 2048
show("too many threads", ptx.load(text("")).function().launch, [], grid=(1,), block=(2048,))
# CHECK-LABEL: == a text that ends early
# CHECK-NEXT:  expected '}', got the end of the text
show("a text that ends early", ptx.load, text("")[:-3])

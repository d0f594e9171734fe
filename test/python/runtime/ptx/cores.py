# RUN: %python %s | FileCheck %s

# Blocks that cannot tell run on several threads of the process, and the results, and what is found wrong, are the same
# on any number of them; blocks that could tell run on one.

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.errors import Error
from gridir.runtime import ptx
from kernels import HEADER

CORES = (1, 2, 8)
BLOCKS, THREADS = 96, 64


def load(body, declarations=""):
    text = f"""{HEADER}.visible .entry k(.param .u64 in, .param .u64 out)
{{
.reg .b32 %t, %b, %i, %n, %d, %r<8>;
.reg .b64 %in, %out, %o, %a;
.reg .f32 %f<4>;
.reg .pred %p;
{declarations}
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
mov.u32 %t, %tid.x;
mov.u32 %b, %ctaid.x;
mov.u32 %n, %ntid.x;
mad.lo.u32 %i, %b, %n, %t;
mul.wide.u32 %o, %i, 4;
add.u64 %a, %in, %o;
{body}
ret;
}}
"""
    return ptx.load(text).function("k")


def show(title, function, whole=True, **options):
    """Prints whether the results, or the error, are the same on all numbers of threads; returns those of one."""
    print(f"== {title}")
    found = []
    for cores in CORES:
        x = np.sin(np.arange(BLOCKS * THREADS, dtype=np.float32))
        out = np.zeros_like(x)
        try:
            function.launch([x, out], grid=[BLOCKS], block=[THREADS], cores=cores, **options)
            found.append(out.tobytes())
        except Error as error:
            found.append(str(error) if whole else str(error).splitlines()[0])
    print("same" if len(set(found)) == 1 else found)
    return found[0]


# Each block sums its elements in shared memory, between barriers, so that threads of a block wait for one another.
SUM = """
ld.global.f32 %f0, [%a];
mov.u32 %r0, s;
shl.b32 %r1, %t, 2;
add.u32 %r1, %r0, %r1;
st.shared.f32 [%r1], %f0;
bar.sync 0;
mov.f32 %f1, 0f00000000;
mov.u32 %r2, 0;
LOOP:
shl.b32 %r3, %r2, 2;
add.u32 %r3, %r0, %r3;
ld.shared.f32 %f2, [%r3];
add.f32 %f1, %f1, %f2;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p, %r2, %n;
@%p bra LOOP;
add.u64 %o, %out, %o;
st.global.f32 [%o], %f1;
"""
# CHECK-LABEL: == sums of blocks
# CHECK-NEXT:  same
# CHECK-NEXT:  right True
function = load(SUM, f".shared .align 4 .b8 s[{4 * THREADS}];")
result = np.frombuffer(show("sums of blocks", function), np.float32)
x = np.sin(np.arange(BLOCKS * THREADS, dtype=np.float32)).reshape(BLOCKS, THREADS)
print("right", np.allclose(result.reshape(BLOCKS, THREADS), x.sum(1, keepdims=True), atol=1e-5))

# CHECK-LABEL: == clusters
# CHECK-NEXT:  same
show("clusters", function, cluster=[4])

# Of blocks that fail the first one is told of, however soon another one did.
# CHECK-LABEL: == faults of several blocks
# CHECK-NEXT:  same
# CHECK-NEXT:  in thread (63, 0, 0) of block (40, 0, 0)
LATE = """
setp.lt.u32 %p, %b, 40;
@%p bra OK;
setp.ne.u32 %p, %t, 63;
@%p bra OK;
setp.ne.u32 %p, %b, 40;
@%p bra NOW;
mov.u32 %r2, 0;
WAIT:
add.u32 %r2, %r2, 1;
setp.lt.u32 %p, %r2, 200000;
@%p bra WAIT;
NOW:
mov.u64 %a, 0;
OK:
ld.global.f32 %f0, [%a];
"""
print(show("faults of several blocks", load(LATE)).split("note: ")[-1])

# Sums of floats in one element depend on the order, which stays that of the blocks.
# CHECK-LABEL: == atomic sums
# CHECK-NEXT:  same
show("atomic sums", load("ld.global.f32 %f0, [%a]; red.global.add.f32 [%out], %f0;"))

# A block that waits for a later one succeeds.
# CHECK-LABEL: == waits for the next block
# CHECK-NEXT:  same
# CHECK-NEXT:  [96. 95. 94.] 1.0
CHAIN = """
setp.ne.u32 %p, %t, 0;
@%p bra DONE;
mul.wide.u32 %o, %b, 4;
add.u64 %o, %out, %o;
mov.f32 %f0, 0f00000000;
add.u32 %r0, %b, 1;
mov.u32 %r1, %nctaid.x;
setp.eq.u32 %p, %r0, %r1;
@%p bra WRITE;
WAIT:
ld.acquire.gpu.global.f32 %f0, [%o+4];
setp.eq.f32 %p, %f0, 0f00000000;
@%p bra WAIT;
WRITE:
add.f32 %f0, %f0, 0f3F800000;
st.release.gpu.global.f32 [%o], %f0;
DONE:
"""
result = np.frombuffer(show("waits for the next block", load(CHAIN)), np.float32)
print(result[:3], result[BLOCKS - 1])

# A limit of time ends all threads.
# CHECK-LABEL: == a loop without an end
# CHECK-NEXT:  same
# CHECK-NEXT:  the launch exceeded its time limit
print(show("a loop without an end", load("LOOP: bra LOOP;"), whole=False, timeout=0.3))

# CHECK-LABEL: == a number that is none
# CHECK-NEXT:  expected cores from 1 to 2147483647, got 0
print("== a number that is none")
try:
    function.launch([x, x], grid=[1], block=[1], cores=0)
except Error as error:
    print(str(error).splitlines()[0])

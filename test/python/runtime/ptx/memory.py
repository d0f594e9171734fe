# RUN: %python %s | FileCheck %s

# If the system has no memory left for a declaration, the load or the launch fails and the process continues; so does
# one that declares a variable twice, where only one would have memory.

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Inputs"))
from address_space import limited
from gridir.errors import Error
from gridir.runtime import ptx
from kernels import HEADER

MIB = 1 << 20


def show(title, call, *args, **kwargs):
    print(f"== {title}")
    try:
        call(*args, **kwargs)
        print("done")
    except Error as error:
        print(error)


# Each thread writes its number to the end of its local memory, and reads it again.
LOCAL = f"""{HEADER}
.visible .entry k(.param .u64 out)
{{
.local .align 8 .b8 depot[524288];
.reg .b32 %t, %r;
.reg .b64 %a, %o;
mov.u32 %t, %tid.x;
mov.u64 %a, depot;
st.local.b32 [%a+524284], %t;
ld.local.b32 %r, [%a+524284];
ld.param.u64 %o, [out];
mad.wide.u32 %o, %t, 4, %o;
st.global.b32 [%o], %r;
ret;
}}
"""
function = ptx.load(LOCAL).function()
function.prepare()
out = np.zeros(1024, np.int32)
# Shared memory takes 256 MiB of addresses, and the local memory of 1024 threads 512 MiB.
# CHECK-LABEL: == local memory
# CHECK-NEXT:  the system has no memory left for local memory
# CHECK-NEXT:  in kernel `k`
with limited(600 * MIB):
    show("local memory", function.launch, [out], grid=(1,), block=(1024,))
# CHECK-LABEL: == local memory of fewer threads
# CHECK-NEXT:  done
# CHECK-NEXT:  True
show("local memory of fewer threads", function.launch, [out[:16]], grid=(1,), block=(16,))
print(bool((out[:16] == np.arange(16)).all()))

LARGE = f"{HEADER}\n.global .b8 x[1073741824];\n.visible .entry k()\n{{\nret;\n}}\n"
# CHECK-LABEL: == a variable
# CHECK-NEXT:  the system has no memory left for the 1073741824 bytes of 'x'
# CHECK-NEXT:  at x.ptx:5:13
with limited(400 * MIB):
    show("a variable", ptx.load, LARGE, path="x.ptx")

TWICE = f"{HEADER}\n.global .b32 x[4] = {{1, 2, 3, 4}};\n.global .b32 x;\n.visible .entry k()\n{{\nret;\n}}\n"
# CHECK-LABEL: == a variable that is declared twice
# CHECK-NEXT:  expected a name that is new in this module, got 'x'
# CHECK-NEXT:  at x.ptx:6:14
show("a variable that is declared twice", ptx.load, TWICE, path="x.ptx")

# RUN: %python %s | FileCheck %s

# Addresses in small spaces may be kept in 32 bits, as Triton's are: what is added to make a generic address of one, and
# what an access adds, is the whole address. An address that is out of its space is still an error.

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.runtime import ptx
from kernels import run

X = np.arange(64, dtype=np.int32) * 5 + 1
LOCAL = ".local .align 8 .b8 depot[16];"
LOAD = "mad.wide.u32 %rd1, %t, 4, %rd1; ld.global.b32 %d, [%rd1];"
ROWS = {
    "parameter, converted": "mov.b32 %r0, a0; cvt.u64.u32 %rd0, %r0; cvta.param.u64 %rd0, %rd0; "
    f"ld.b64 %rd1, [%rd0]; {LOAD}",
    "parameter, whole": f"mov.b64 %rd0, a0; cvta.param.u64 %rd0, %rd0; ld.b64 %rd1, [%rd0]; {LOAD}",
    "parameter": f"mov.b32 %r0, a1; ld.param.b64 %rd1, [%r0+-8]; {LOAD}",
    "local": f"{LOCAL} mov.b32 %r0, depot; st.local.b32 [%r0+12], %x0; "
    "mov.b64 %rd0, depot; ld.local.b32 %d, [%rd0+12];",
    "local, converted": f"{LOCAL} mov.b32 %r0, depot; st.local.b32 [%r0+8], %x0; cvt.u64.u32 %rd0, %r0; "
    "cvta.local.u64 %rd0, %rd0; ld.b32 %d, [%rd0+8];",
}
for name, body in ROWS.items():
    np.testing.assert_array_equal(run(body, [X], np.int32), X, err_msg=name)
# CHECK: 5 ways
print(len(ROWS), "ways")

# CHECK-NEXT: expected {{.*}} got 4 bytes {{.*}}by 'st.local.b32 [%r0+16], %x0'
# CHECK: expected {{.*}} got 8 bytes {{.*}}by 'ld.param.b64 %rd1, [%r0+4096]'
for body in (
    f"{LOCAL} mov.b32 %r0, depot; st.local.b32 [%r0+16], %x0;",
    "mov.b32 %r0, a1; ld.param.b64 %rd1, [%r0+4096];",
):
    try:
        run(body, [X], np.int32)
    except ptx.LaunchError as error:
        print(error)

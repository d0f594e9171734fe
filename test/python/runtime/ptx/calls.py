# RUN: %python %s | FileCheck %s

# Functions that a kernel calls: what it prints, and an assertion that fails.

import numpy as np
from gridir.errors import Error
from gridir.runtime import ptx

HEADER = ".version 8.5\n.target sm_90a\n.address_size 64\n"


def text_of(name, value):
    codes = ", ".join(str(x) for x in [*value.encode(), 0])
    return f".global .align 1 .b8 {name}[{len(value) + 1}] = {{{codes}}};\n"


PRINT = (
    text_of("format", "thread %d has %5.2f, %s and %lld%% % 2\n")
    + text_of("word", "words")
    + """
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.visible .entry k(.param .u64 n)
{
  .reg .b32 %t; .reg .b64 %rd<8>;
  .local .align 8 .b8 list[32];
  mov.u32 %t, %tid.x; ld.param.u64 %rd0, [n];
  st.local.u32 [list], %t; st.local.f64 [list+8], 0d4004000000000000;
  mov.u64 %rd1, word; st.local.u64 [list+16], %rd1; st.local.u64 [list+24], %rd0;
  mov.u64 %rd2, format; mov.u64 %rd3, list;
  { .param .b64 a; .param .b64 b; .param .b32 r;
    st.param.b64 [a], %rd2; st.param.b64 [b], %rd3;
    call.uni (r), vprintf, (a, b);
    ld.param.b32 %t, [r]; }
  ret;
}
"""
)
# CHECK: thread 0 has  2.50, words and -12345678901% % 2
# CHECK-NEXT: thread 1 has  2.50, words and -12345678901% % 2
ptx.load(HEADER + PRINT).function().launch([np.int64(-12345678901)], grid=(1,), block=(2,), timeout=60)

# However wide a number is printed.
WIDE = (
    text_of("format", "%0600d|\n")
    + """
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.visible .entry k()
{
  .reg .b64 %rd<2>; .local .align 8 .b8 list[8];
  st.local.u32 [list], 7; mov.u64 %rd0, format; mov.u64 %rd1, list;
  { .param .b64 a; .param .b64 b; .param .b32 r;
    st.param.b64 [a], %rd0; st.param.b64 [b], %rd1;
    call.uni (r), vprintf, (a, b); }
  ret;
}
"""
)
# CHECK-NEXT: {{^(0{199}){3}007[|]$}}
ptx.load(HEADER + WIDE).function().launch([], grid=(1,), block=(1,), timeout=60)

ASSERT = (
    text_of("what", "x > 0")
    + text_of("file", "kernel.cu")
    + text_of("function", "k")
    + """
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e)
.noreturn;
.global .align 1 .b8 behind[1] = {0};
.visible .entry k()
{
  .reg .b64 %rd<8>;
  mov.u64 %rd0, what; mov.u64 %rd1, file; mov.u64 %rd2, function;
  { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %rd0; st.param.b64 [b], %rd1; st.param.b32 [c], 42; st.param.b64 [d], %rd2; st.param.b64 [e], 1;
    call.uni __assertfail, (a, b, c, d, e); }
  ret;
}
"""
)


def show(text):
    try:
        ptx.load(HEADER + text).function().launch([], grid=(1,), block=(1,), timeout=60)
        print("nothing")
    except Error as error:
        print(str(error).split(", by ")[0])


# CHECK-NEXT: assertion 'x > 0' failed in 'k' at kernel.cu:42
show(ASSERT)
# CHECK: a call of 'other' is not implemented
show(".extern .func other();\n.visible .entry k() { call.uni other, (); ret; }")
# CHECK: expected 2 parameters of 'vprintf'
show(".extern .func vprintf();\n.visible .entry k() { call.uni vprintf, (); ret; }")
# CHECK: expected a list of labels, got 'A'
show(".visible .entry k() { A: brx.idx 0, A; ret; }")

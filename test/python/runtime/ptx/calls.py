# RUN: %python %s | FileCheck %s

# Functions that a kernel calls: what it prints, an assertion that fails, and functions of the text.

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

# Functions of the text have names of their own, a variable in shared memory that all their calls have in common, and
# may return early. Their parameters are memory or registers.
FUNCTIONS = """
.visible .func (.param .b32 r) twice(.param .b32 a);
.func (.reg .b32 larger) max_of(.reg .b32 a, .reg .b32 b)
{
  .reg .pred %p; .reg .b32 %r;
  mov.u32 larger, a; setp.ge.s32 %p, a, b; @%p bra DONE;
  mov.u32 larger, b; mov.u32 a, 0; ret;
  DONE: ret;
}
.visible .func (.param .b32 r) twice(.param .b32 a)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r0, [a]; add.s32 %r1, %r0, %r0; st.param.b32 [r], %r1;
  ret;
}
.func (.reg .b32 n) count(.reg .pred begins)
{
  .shared .b32 calls;
  ld.shared.b32 n, [calls]; add.s32 n, n, 1; @begins mov.u32 n, 0; st.shared.b32 [calls], n;
}
.func (.param .align 8 .b8 r[8]) both(.param .b32 a, .param .b32 b)
{
  .reg .b32 %r<4>; .reg .pred %p; .param .b32 x; .param .b32 y;
  ld.param.b32 %r0, [a]; ld.param.b32 %r1, [b];
  st.param.b32 [x], %r0; call.uni (y), twice, (x); ld.param.b32 %r2, [y]; st.param.b32 [r], %r2;
  st.param::func.b32 [x], %r1; call.uni (y), twice, (x); ld.param::func.b32 %r2, [y]; st.param::func.b32 [r+4], %r2;
}
.func leave() { exit; }
.visible .entry k(.param .u64 o)
{
  .reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .pred %p<2>;
  ld.param.u64 %rd0, [o];
  mov.u32 %r0, 3; mov.u32 %r1, -5;
  call (%r2), max_of, (%r0, %r1); st.global.b32 [%rd0], %r2;
  call (%r2), max_of, (%r1, 9); st.global.b32 [%rd0+4], %r2;
  setp.eq.s32 %p0, %r0, 4;
  @%p0 call (%r2), max_of, (100, 101);
  st.global.b32 [%rd0+8], %r2;
  { .param .b32 a; .param .b32 b; .param .align 8 .b8 r[8];
    st.param.b32 [a], %r0; st.param.b32 [b], %r1;
    call.uni (r), both, (a, b);
    ld.param.v2.b32 {%r3, %r4}, [r]; }
  st.global.v2.b32 [%rd0+16], {%r3, %r4};
  st.global.b32 [%rd0+12], %r0;
  mov.pred %p0, 1; call (%r5), count, (%p0); call (%r5), count, (0); call (%r5), count, (0);
  st.global.b32 [%rd0+24], %r5;
  call leave;
  st.global.b32 [%rd0+12], 1;
}
"""
result = np.zeros(7, np.int32)
ptx.load(HEADER + FUNCTIONS).function().launch([result], grid=(1,), block=(1,), timeout=60)
# CHECK: [  3   9   9   3   6 -10   2]
print(result)
# CHECK: a call of 'again', which calls itself, is not implemented
show(".func again() { call again; ret; }\n.visible .entry k() { call again; ret; }")
# CHECK: expected 1 results and 1 parameters of 'f'
show(".func (.param .b32 r) f(.param .b32 a) { ret; }\n.visible .entry k() { call f; ret; }")
# CHECK: expected a variable of 4 bytes in '.param', got 'a'
F = ".func f(.param .b32 a) { .reg .b32 %r; ld.param.b32 %r, [a]; ret; }\n"
show(F + ".visible .entry k() { .param .b64 a; call f, (a); ret; }")
# CHECK: expected a register, got 'x'
show(".func f() { mov.u32 x, 1; }\n.visible .entry k() { .reg .b32 x; call f; ret; }")
# CHECK: expected at most 256 nested calls and 1000000 instructions
DEEP = "".join(f".func f{i}() {{ call f{i + 1}; }}\n" for i in range(300)) + ".func f300() { ret; }\n"
show(DEEP + ".visible .entry k() { call f0; ret; }")
# CHECK: expected a list of labels, got 'A'
show(".visible .entry k() { A: brx.idx 0, A; ret; }")

# RUN: %python %s | FileCheck %s

# The check "uninitialized" tracks values: loads, stores, moves, collectives and MMAs of undefined values are no
# faults; outputs, branches and addresses that depend on them are. Each row has what its last use of the undefined
# value is, and the place that the value comes from.

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.errors import Error
from gridir.runtime import ptx
from kernels import HEADER, kernel

DECLARATIONS = ".shared .align 128 .b8 s[2048]; .global .align 16 .b8 g[256];"
OUTPUT = "expected an initialized value for byte {} of 'a1'"
USE = "expected a condition or an address that is initialized"
OPERAND = "expected operands that are initialized"
READ = "expected a read of initialized values"
failures = []


def find(text, args, threads, **how):
    try:
        how = {"checks": ("uninitialized",), "timeout": 60} | how
        ptx.load(text).function().launch(args, grid=(1,), block=(threads,), **how)
    except Error as error:
        return str(error).splitlines()[0]
    return "defined"


def expect(name, found, wanted=("defined",)):
    if not all(part in found for part in wanted):
        failures.append(f"{name}: expected {wanted}, got {found}")


def check(name, body, *wanted, start="", threads=64):
    """Runs instructions with the address of shared memory in %r0, the thread's word in %r1 and its value in %r2."""
    output = np.zeros(threads, np.int32)
    load = "mov.u32 %r0, s; mad.lo.u32 %r1, %t, 4, %r0; ld.shared.b32 %r2, [%r1];"
    text = kernel(load + start + body, [np.arange(threads, dtype=np.int32)], output, DECLARATIONS)
    # The seed chooses which thread is reported.
    for seed in (None,) if wanted else (None, 1):
        found = find(text, [np.arange(threads, dtype=np.int32), output], threads, schedule_seed=seed)
        expect(f"{name}, seed {seed}", found, wanted or ("defined",))


def shared(byte):
    return f"depends on byte {byte} of shared memory, which is uninitialized"


DONE = "mov.b32 %d, 0;"
FIRST = OUTPUT.format(0)

# Moves and memory.
check("loaded", DONE)
check("output", "mov.b32 %d, %r2;", FIRST, shared(0), "by 'st.global.b32 [%out], %d'")
check("stored", "st.shared.b32 [%r1+256], %r2; ld.shared.b32 %r3, [%r1+256];" + DONE)
check("stored, output", "st.shared.b32 [%r1+256], %r2; ld.shared.b32 %d, [%r1+256];", FIRST, shared(0))
check("overwritten", "st.shared.b32 [%r1], %r2; st.shared.b32 [%r1], %t; ld.shared.b32 %d, [%r1];")
check("chosen", "setp.lt.u32 %p, %t, 63; selp.b32 %d, %t, %r2, %p;", OUTPUT.format(252), shared(252))
check("discarded", "setp.lt.u32 %p, %t, 64; selp.b32 %d, %t, %r2, %p;")
HALF = "st.shared.b16 [%r1], 5; ld.shared.b32 %r2, [%r1];"
check("half", HALF + "and.b32 %d, %r2, 0xffff;")
check("other half", HALF + "shr.u32 %d, %r2, 16;", FIRST, shared(0))
VECTOR = "mad.lo.u32 %r1, %t, 8, %r0; st.shared.b32 [%r1], %t; ld.shared.v2.b32"
check("vector", VECTOR + "{%d, %r3}, [%r1];")
check("other of a vector", VECTOR + "{%r3, %d}, [%r1];", FIRST, shared(4))
check("packed", ".reg .b16 %h<2>; mov.b32 {%h0, %h1}, %r2; mov.b32 %r3, {3, %h1}; and.b32 %d, %r3, 65535;")
check("variable", "mov.u64 %rd0, g; st.global.b32 [%rd0], %r2;" + DONE, "initialized value for byte 0 of 'g'")
check("strong store", "st.release.gpu.global.b32 [%out], %r2;" + DONE, FIRST, "by 'st.release.gpu.global.b32")
LOCAL = ".local .align 4 .b8 l[64]; ld.local.b32 %r3, [l+4]; st.local.b32 [l+8], %r3;"
check("local", LOCAL + "ld.local.b32 %r3, [l+8];" + DONE)
check("local, output", LOCAL + "ld.local.b32 %d, [l+8];", FIRST, "depends on local memory, which is uninitialized")
check("local, written", LOCAL + "st.local.b32 [l+8], %t; ld.local.b32 %d, [l+8];")
check("register", "add.u32 %r4, %r5, %r5;" + DONE)
check("register, output", "mov.b32 %d, %r5;", FIRST, "depends on a register, which is uninitialized")

# Branches and addresses.
check("branch", DONE + "setp.eq.u32 %p, %r2, 0; @%p bra L; L:", USE, shared(0), "by '@%p bra L'")
check("guard", DONE + "setp.eq.u32 %p, %r2, 0; @%p mov.b32 %d, 1;", USE, shared(0), "by '@%p mov.b32 %d, 1'")
ADDRESS = "and.b32 %r3, %r2, {}; add.u32 %r3, %r3, %r1; st.shared.b32 [%r3], %t;"
check("address", ADDRESS.format(60) + DONE, USE, shared(0), "by 'st.shared.b32 [%r3], %t'")
check("masked address", ADDRESS.format(0) + DONE)
check("lane", "shfl.sync.idx.b32 %d, %t, %r2, 31, -1;", READ, shared(0))
check("bytes", "cp.async.ca.shared.global [%r1], [%in], 4, %r2;" + DONE, OPERAND, shared(0))

# Arithmetic. An element is undefined as a whole.
FLOAT = ".reg .f32 %f; mov.b32 %f, %r2;"
for name, compute, result in (
    ("f16x2", "add.f16x2 %r3, %r2, %r2;", "shr.u32 %d, %r3, 16;"),
    (
        "to f16",
        ".reg .b16 %h; and.b32 %r3, %r2, 0xffff0000; mov.b32 %f, %r3; cvt.rn.f16.f32 %h, %f;",
        "cvt.u32.u16 %d, %h;",
    ),
    ("to f8", ".reg .b16 %h; cvt.rn.satfinite.e4m3x2.f32 %h, %f, %f;", "cvt.u32.u16 %d, %h;"),
    ("exponent", "ex2.approx.f32 %f, %f;", "mov.b32 %d, %f;"),
    ("rounding", "add.rz.f32 %f, %f, %f;", "mov.b32 %d, %f;"),
    ("maximum", "max.NaN.f32 %f, %f, 0f3f800000;", "mov.b32 %d, %f;"),
    ("root", "cvt.rni.f32.f32 %f, %f; sqrt.rn.f32 %f, %f; fma.rn.f32 %f, %f, %f, %f;", "mov.b32 %d, %f;"),
    ("to integer", "cvt.rzi.s32.f32 %r3, %f;", "mov.b32 %d, %r3;"),
    ("from integer", "cvt.rn.f32.s32 %f, %r2;", "mov.b32 %d, %f;"),
    ("quotient", "div.s32 %r3, %t, %r2;", "mov.b32 %d, %r3;"),
    ("remainder", "rem.u32 %r3, %r2, 7;", "mov.b32 %d, %r3;"),
    ("upper product", "mul.hi.u32 %r3, %r2, 0x55555556;", "mov.b32 %d, %r3;"),
    ("bits", "popc.b32 %r3, %r2; clz.b32 %r4, %r3; brev.b32 %r5, %r4; bfe.u32 %r6, %r5, 3, 4;", "mov.b32 %d, %r6;"),
    ("bytes", "prmt.b32 %r3, %r2, %t, 0x4510;", "mov.b32 %d, %r3;"),
):
    check(name, FLOAT + compute + DONE)
    check(f"{name}, output", FLOAT + compute + result, FIRST, shared(0))
check("other byte", "prmt.b32 %d, %r2, %t, 0x7654;")

# A carry goes from an undefined lower half to the upper one, and not the other way round.
UPPER = "st.shared.b16 [%r1+2], 5; ld.shared.b32 %r2, [%r1];"
for name, compute in (
    ("sum", "add.u32 %r3, %r2, 1;"),
    ("difference", "sub.u32 %r3, %t, %r2;"),
    ("negation", "neg.s32 %r3, %r2;"),
    ("product", "mul.lo.u32 %r3, %r2, %t;"),
    ("product and sum", "mad.lo.s32 %r3, %t, %t, %r2;"),
    ("sum of differences", "sad.u32 %r3, %t, %t, %r2;"),
    ("carried sum", "add.cc.u32 %r3, %r2, 1; addc.u32 %r4, %t, 0;"),
    ("dot product", "dp4a.u32.u32 %r3, %t, %t, %r2;"),
):
    check(f"{name}, lower half", HALF + compute + "and.b32 %d, %r3, 0xffff;")
    check(f"{name}, upper half", UPPER + compute + "shr.u32 %d, %r3, 16;", FIRST, shared(0))
check("carry", UPPER + "add.cc.u32 %r3, %r2, 1; addc.u32 %d, %t, 0;", FIRST, shared(0))
check("no sum", UPPER + "or.b32 %r3, %r2, 1; shr.u32 %d, %r3, 16;")
check("bits of a sum", HALF + "add.u32 %r3, %r2, 1; add.u32 %r4, %r3, %r2; and.b32 %d, %r4, 0xffff;")
for name, compute in (
    ("minimum", "min.u32 %r3, %r2, %t;"),
    ("magnitude", "abs.s32 %r3, %r2;"),
    ("saturated sum", "add.sat.s32 %r3, %r2, %t;"),
):
    check(name, HALF + compute + DONE)
    check(f"{name}, output", HALF + compute + "and.b32 %d, %r3, 1;", FIRST, shared(0))

# Threads together.
ONE = "setp.lt.u32 %p, %t, 1; selp.b32 %r3, %t, %r2, %p; setp.gt.u32 %q, %t, 31;"
check("shuffle", ONE + "shfl.sync.idx.b32 %d, %r3, 0, 31, -1; @%q mov.b32 %d, 0;")
check("shuffle from another", ONE + "shfl.sync.idx.b32 %d, %r3, 1, 31, -1;", OUTPUT[:30], shared(4))
PREDICATE = "setp.eq.u32 %p, %r2, 0;"
check("vote", PREDICATE + "vote.sync.ballot.b32 %r3, %p, -1;" + DONE)
check("vote, output", PREDICATE + "vote.sync.ballot.b32 %d, %p, -1;", OUTPUT[:30], shared(0))
check("sum of a warp", "redux.sync.add.u32 %r3, %r2, -1;" + DONE)
check("sum of a warp, output", "redux.sync.add.u32 %d, %r2, -1;", OUTPUT[:30], shared(0))
check("match", "match.any.sync.b32 %d, %r2, -1;", OUTPUT[:30], shared(0))
check("votes of a block", PREDICATE + "bar.red.popc.u32 %d, 0, %p;", OPERAND)
UPDATE = "red.shared.add.u32 [%r1], 1;"
check("update", UPDATE + DONE)
check("update, output", UPDATE + "ld.shared.b32 %d, [%r1];", FIRST, shared(0))
check("exchange", "atom.shared.exch.b32 %r3, [%r1], %t; ld.shared.b32 %d, [%r1];")
check("exchange, output", "atom.shared.exch.b32 %d, [%r1], %t;", FIRST, shared(0))
check("update of an output", "red.global.add.u32 [%out], %r2;" + DONE, FIRST, "by 'red.global.add.u32 [%out], %r2'")

# Matrices: of 512 bytes the last 16 are undefined.
ROWS = (
    "and.b32 %r4, %t, 31; mad.lo.u32 %r5, %r4, 16, %r0; setp.lt.u32 %p, %r4, 31;"
    "@%p st.shared.v4.b32 [%r5], {%t, %t, %t, %t};"
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r6, %r7}, [%r5];"
)
WORD = "mad.lo.u32 %r3, %r4, 4, %r0; ld.shared.b32 %d, [%r3{}];"
STORE = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r5], {%r7, %r1, %r2, %r6};"
check("ldmatrix", "mov.b32 %d, %r6;", start=ROWS)
check("ldmatrix, output", "mov.b32 %d, %r7;", OUTPUT[:30], "of shared memory", start=ROWS)
check("stmatrix", STORE + WORD.format("+128"), start=ROWS)
check("stmatrix, output", STORE + WORD.format(""), OUTPUT[:30], "of shared memory", start=ROWS)
FIRST_ROW = "setp.lt.u32 %p, %t, 4; selp.b32 %r3, %r2, %t, %p;"
MOVE = "movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r3;"
check("movmatrix", MOVE + "shr.u32 %d, %r4, 16;", start=FIRST_ROW)
check("movmatrix, output", MOVE + "and.b32 %d, %r4, 65535;", FIRST, "of shared memory", start=FIRST_ROW)
PRODUCT = (
    FIRST_ROW + ".reg .f32 %f<8>; mov.f32 %f7, 0f00000000; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    "{%f0, %f1, %f2, %f3}, {%r3, %t, %t, %t}, {%t, %t}, {%f7, %f7, %f7, %f7};"
)
check("product", "mov.b32 %d, %f2;", start=PRODUCT)
check("other rows", "mov.b32 %d, 0; @!%p mov.b32 %d, %f0;", start=PRODUCT)
check("first row", "mov.b32 %d, %f0;", FIRST, "of shared memory", start=PRODUCT)
COLUMN = PRODUCT.replace("{%r3, %t, %t, %t}, {%t, %t}", "{%t, %t, %t, %t}, {%r3, %t}")
check("other columns", "mov.b32 %d, %f1;", start=COLUMN)
check("first column", "mov.b32 %d, %f2;", OUTPUT[:30], "of shared memory", start=COLUMN)
WARPGROUP = (
    ".reg .f32 %f<4>; setp.lt.u32 %q, %t, 64; @%q st.shared.b32 [%r1], 0; fence.proxy.async; bar.sync 0;"
    "setp.lt.u32 %p, %t, 4; selp.b32 %r3, %r5, %t, %p; shr.u32 %r0, %r0, 4; or.b32 %r0, %r0, 0x80000;"
    "mov.b64 %rd0, {%r0, 8}; setp.ne.u32 %q, 0, 0; wgmma.fence.sync.aligned;"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r3, %t, %t, %t}, %rd0, %q, 1, 1, 0;"
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
)
check("rows of a warpgroup", "mov.b32 %d, %f2;", start=WARPGROUP, threads=128)
check("first row of a warpgroup", "mov.b32 %d, %f0;", FIRST, "a register", start=WARPGROUP, threads=128)
SMALL = WARPGROUP.replace("%t, 64", "%t, 60").replace("%r5, %t, %p", "%t, %t, %p")
check(
    "columns of a warpgroup",
    "and.b32 %r4, %t, 3; setp.eq.u32 %p, %r4, 3; mov.b32 %d, %f0; @%p mov.b32 %d, 0;",
    start=SMALL,
    threads=128,
)
check("last column of a warpgroup", "mov.b32 %d, %f1;", OUTPUT[:30], shared(240), start=SMALL, threads=128)

# Copies.
FILL = "setp.lt.u32 %q, %t, 60; @%q st.shared.b32 [%r1], %t; fence.proxy.async; bar.sync 0; setp.eq.u32 %p, %t, 0;"
BULK = (
    "@%p cp.async.bulk.global.shared::cta.bulk_group [%out], [%r0], {}; @%p cp.async.bulk.commit_group;"
    "@%p cp.async.bulk.wait_group 0; bar.sync 0; ld.global.b32 %d, [%out];"
)
check("bulk copy", BULK.format(240), start=FILL)
check("bulk copy of more", BULK.format(256), READ, shared(240), start=FILL)

# What a tile has outside of a tensor is not stored.
TILE = (
    HEADER
    + """
.shared .align 128 .b8 s[256];
.visible .entry k(.param .align 64 .b8 map[128])
{
.reg .b32 %t, %r<4>;
.reg .pred %p;
mov.u32 %t, %tid.x;
mov.u32 %r0, s;
mad.lo.u32 %r1, %t, 4, %r0;
setp.lt.u32 %p, %t, 60;
@%p st.shared.b32 [%r1], %t;
fence.proxy.async;
bar.sync 0;
setp.eq.u32 %p, %t, 0;
mov.u32 %r2, 0;
@%p cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [map, {%r2}], [%r0];
@%p cp.async.bulk.commit_group;
@%p cp.async.bulk.wait_group 0;
ret;
}
"""
)
for size, wanted in ((60, ("defined",)), (61, (READ, shared(240)))):
    array = np.zeros(size, np.int32)
    expect(f"tile of {size}", find(TILE, [ptx.TensorMap(array, (64,))], 64), wanted)

# Temporaries in global memory begin undefined, may hold undefined values, and are no outputs.
TEMPORARY = "st.global.b32 [%in+256], %r2; ld.global.b32 {}, [%in+256]; ld.global.b32 %r4, [%in];"
for name, body, wanted in (
    ("temporary", TEMPORARY.format("%r3") + DONE, ("defined",)),
    ("temporary, output", TEMPORARY.format("%d"), (FIRST, shared(0))),
    ("new temporary, output", "ld.global.b32 %d, [%in];", (FIRST, "depends on a temporary in global memory")),
):
    memory, output = np.zeros(128, np.int32), np.zeros(64, np.int32)
    load = "mov.u32 %r0, s; mad.lo.u32 %r1, %t, 4, %r0; ld.shared.b32 %r2, [%r1];"
    text = kernel(load + body, [memory], output, DECLARATIONS)
    expect(name, find(text, [memory, output], 64, temporaries=[memory]), wanted)

# CHECK: 0 wrong
print(len(failures), "wrong")
print("\n".join(failures))

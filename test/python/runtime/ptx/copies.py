# RUN: %python %s | FileCheck %s

# Asynchronous copies, tiles of tensors and the MMAs of a warpgroup, against NumPy. Tiles go beyond the tensor on
# all sides; each swizzle is read back by hand.

import os
import sys

import ml_dtypes
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.runtime import ptx
from kernels import HEADER, run

X = np.arange(64, dtype=np.int32) * 5 + 1
SHARED = ".shared .align 128 .b8 buffer[4096];\n.shared .align 8 .b64 full;"
PLACE = "mov.u32 %r6, buffer; mad.lo.s32 %r7, %t, 4, %r6; mov.u32 %r5, full; st.shared.b32 [%r7], -1;"
WAIT = "{ .reg .pred %q; L: mbarrier.try_wait.parity.shared::cta.b64 %q, [%r5], 0; @!%q bra L; }"
BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
ROWS = [
    (
        f"{PLACE} cp.async.ca.shared.global [%r7], [%in], 4; cp.async.commit_group; cp.async.wait_group 0; "
        "ld.shared.b32 %d, [%r7];",
        X,
    ),
    # Of odd threads nothing is read.
    (
        f"{PLACE} and.b32 %r0, %t, 1; shl.b32 %r0, %r0, 2; sub.u32 %r0, 4, %r0; "
        "cp.async.ca.shared.global [%r7], [%in], 4, %r0; cp.async.wait_all; ld.shared.b32 %d, [%r7];",
        np.where(X % 2 == 1, X, 0),
    ),
    (
        f"{PLACE} setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared.b64 [%r5], 1; bar.sync 0; "
        "@%p mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 256; "
        f"@%p {BULK} [%r6], [%in], 256, [%r5]; {WAIT} ld.shared.b32 %d, [%r7];",
        X,
    ),
    (
        f"{PLACE} st.shared.b32 [%r7], %x0; fence.proxy.async; bar.sync 0; setp.eq.u32 %p, %t, 0; "
        "@%p cp.async.bulk.global.shared::cta.bulk_group [%out], [%r6], 256; cp.async.bulk.commit_group; "
        "cp.async.bulk.wait_group.read 0; bar.sync 0; ld.global.b32 %d, [%out];",
        X,
    ),
]
# Sums and extremes that a copy makes of what global memory holds; each thread's element is 100.
REDUCE = "cp.reduce.async.bulk.global.shared::cta.bulk_group"
for op, want in (
    ("add.s32", X + 100),
    ("min.s32", np.minimum(X, 100)),
    ("max.u32", np.maximum(X, 100)),
    ("or.b32", X | 100),
    ("inc.u32", np.where(X.view(np.uint32) <= 100, 0, 101).astype(np.int32)),
    ("dec.u32", np.where(X.view(np.uint32) < 100, X, 99).astype(np.int32)),
):
    ROWS.append(
        (
            f"{PLACE} st.shared.b32 [%r7], %x0; st.global.b32 [%out], 100; fence.proxy.async; bar.sync 0; "
            f"setp.eq.u32 %p, %t, 0; @%p {REDUCE}.{op} [%out], [%r6], 256; cp.async.bulk.commit_group; "
            "cp.async.bulk.wait_group 0; bar.sync 0; ld.global.b32 %d, [%out];",
            want,
        )
    )
# Values and updates that a barrier counts.
for instruction, bytes_, want in (
    ("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r7], %x0, [%r5];", 256, X),
    (
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r7], %x0, [%r5];",
        256,
        X - 1,
    ),
):
    ROWS.append(
        (
            f"{PLACE} setp.eq.u32 %p, %t, 0; @%p mbarrier.init.shared.b64 [%r5], 1; bar.sync 0; "
            f"@%p mbarrier.arrive.expect_tx.shared.b64 _, [%r5], {bytes_}; {instruction} {WAIT} "
            "ld.shared.b32 %d, [%r7];",
            want,
        )
    )
wrong = 0
for body, want in ROWS:
    got = run(body, [X], np.int32, declarations=SHARED)
    if not np.array_equal(got, want):
        wrong += 1
        print(f"{body}\n  got  {got}\n  want {want}")
# CHECK: 0 wrong copies
print(f"{wrong} wrong copies")

TILE = """
.shared .align 1024 .b8 buffer[4096];
.shared .align 8 .b64 full;
.visible .entry k(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u64 raw, .param .u32 row,
                  .param .u32 column)
{
  .reg .pred %p; .reg .b32 %t, %r<8>; .reg .b64 %rd<8>;
  mov.u32 %t, %tid.x; mov.u32 %r0, buffer; mov.u32 %r1, full;
  ld.param.u32 %r2, [row]; ld.param.u32 %r3, [column];
  mov.b64 %rd0, from; mov.b64 %rd1, to;
  setp.eq.u32 %p, %t, 0;
  @%p mbarrier.init.shared.b64 [%r1], 1;
  bar.sync 0;
  @%p mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 2048;
  @%p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], [%rd0, {%r3, %r2}], [%r1];
  L: mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0;
  @!%p bra L;
  // The bytes as they lie in shared memory.
  ld.param.u64 %rd2, [raw]; mad.wide.u32 %rd2, %t, 16, %rd2; mad.lo.u32 %r4, %t, 16, %r0;
  ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r4]; st.global.v4.b32 [%rd2], {%r4, %r5, %r6, %r7};
  setp.eq.u32 %p, %t, 0;
  @%p cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r3, %r2}], [%r0];
  ret;
}
"""
rng = np.random.default_rng(0)
source = rng.integers(-1000, 1000, (40, 64)).astype(np.int16)
function = ptx.load(HEADER + TILE).function()
wrong = 0
for swizzle in (0, 32, 64, 128):
    columns = swizzle // 2 or 64
    rows = 1024 // columns
    for row, column in ((0, 0), (-3, 8), (30, 40)):
        target, raw = np.zeros_like(source), np.zeros(1024, np.int16)
        box = (rows, columns)
        maps = [ptx.TensorMap(array, box, swizzle) for array in (source, target)]
        function.launch([*maps, raw, np.int32(row), np.int32(column)], grid=(1,), block=(128,), timeout=60)
        inside = np.zeros((rows, columns), np.int16)
        want = np.zeros_like(source)
        for i in range(rows):
            for j in range(columns):
                if 0 <= row + i < 40 and 0 <= column + j < 64:
                    inside[i, j] = source[row + i, column + j]
                    want[row + i, column + j] = inside[i, j]
        bytes_ = np.arange(1024) * 2
        swizzled = bytes_ ^ (((bytes_ >> 7) & max(swizzle // 16 - 1, 0)) << 4)
        wrong += not np.array_equal(raw[swizzled // 2], inside.ravel())
        wrong += not np.array_equal(target, want)
# CHECK: 0 wrong tiles
print(f"{wrong} wrong tiles")

# Four rows of a tensor that lie apart, and sums of tiles of floats.
ROWS_APART = """
.shared .align 1024 .b8 buffer[4096];
.shared .align 8 .b64 full;
.visible .entry k(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128])
{
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  mov.u32 %r0, buffer; mov.u32 %r1, full; mov.b64 %rd0, from; mov.b64 %rd1, to;
  mbarrier.init.shared.b64 [%r1], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 256;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%r0],
    [%rd0, {16, 3, 39, 0, 7}], [%r1];
  L: mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0; @!%p bra L;
  cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {0, 1, 2, 5, 100}], [%r0];
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
  ret;
}
"""
target = np.zeros_like(source)
maps = [ptx.TensorMap(array, (1, 32)) for array in (source, target)]
ptx.load(HEADER + ROWS_APART).function().launch(maps, grid=(1,), block=(1,), timeout=60)
want = np.zeros_like(source)
want[[1, 2, 5], :32] = source[[3, 39, 0], 16:48]
# CHECK: rows apart: True
print("rows apart:", np.array_equal(target, want))

SUM = """
.shared .align 128 .b8 buffer[256];
.visible .entry k(.param .align 64 .b8 to[128])
{
  .reg .b32 %t, %r<8>; .reg .b64 %rd<8>;
  mov.u32 %t, %tid.x; mov.u32 %r0, buffer; mad.lo.u32 %r1, %t, 4, %r0; st.shared.b32 [%r1], VALUE;
  fence.proxy.async; bar.sync 0; mov.b64 %rd0, to;
  cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd0, {0}], [%r0];
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
  ret;
}
"""
wrong = 0
for dtype, one in (
    (np.float32, "0x3f800000"),
    (np.int32, "1"),
    (np.float16, "0x3c003c00"),
    (ml_dtypes.bfloat16, "0x3f803f80"),
):
    sums = np.arange(32, dtype=np.float32).astype(dtype)
    text = HEADER + SUM.replace("VALUE", one)
    # Each of the threads of two blocks copies all of them.
    ptx.load(text).function().launch([ptx.TensorMap(sums, (32,))], grid=(2,), block=(32,), timeout=60, checks=["races"])
    wrong += not np.array_equal(sums.astype(np.float32), np.arange(32) + 64)
# CHECK: 0 wrong sums
print(f"{wrong} wrong sums")

PRODUCT = """
.shared .align 1024 .b8 left[8192];
.shared .align 1024 .b8 right[1024];
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)
{
  .reg .pred %p; .reg .b32 %t, %r<12>; .reg .b64 %rd<8>; .reg .f32 %d<4>;
  mov.u32 %t, %tid.x; mov.u32 %r0, left; mov.u32 %r1, right;
  ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b]; ld.param.u64 %rd2, [d];
  mov.u32 %r2, %t;
  COPY: mad.wide.u32 %rd3, %r2, 4, %rd0; mad.lo.u32 %r3, %r2, 4, %r0;
  ld.global.b32 %r4, [%rd3]; st.shared.b32 [%r3], %r4;
  add.u32 %r2, %r2, 128; setp.lt.u32 %p, %r2, 2048; @%p bra COPY;
  mad.wide.u32 %rd3, %t, 8, %rd1; mad.lo.u32 %r3, %t, 8, %r1;
  ld.global.v2.b32 {%r4, %r5}, [%rd3]; st.shared.v2.b32 [%r3], {%r4, %r5};
  fence.proxy.async; bar.sync 0;
  // Start, leading 16, stride 1024, swizzle of 128 bytes.
  cvt.u64.u32 %rd4, %r0; shr.u64 %rd4, %rd4, 4; or.b64 %rd4, %rd4, 0x4000004000010000;
  cvt.u64.u32 %rd5, %r1; shr.u64 %rd5, %rd5, 4; or.b64 %rd5, %rd5, 0x4000004000010000;
  mov.f32 %d0, 0f3F800000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;
  setp.ne.u32 %p, 1, START;
  wgmma.fence.sync.aligned;
  STEPS
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  mad.wide.u32 %rd2, %t, 16, %rd2; st.global.v4.f32 [%rd2], {%d0, %d1, %d2, %d3};
  ret;
}
"""


def image(matrix: np.ndarray) -> np.ndarray:
    """Rows of 128 bytes as tensor cores read them, swizzled."""
    offsets = np.arange(matrix.nbytes)
    swizzled = offsets ^ (((offsets >> 7) & 7) << 4)
    data = np.zeros(matrix.nbytes, np.uint8)
    data[swizzled] = matrix.reshape(-1).view(np.uint8)
    return data


def product(dtype, name, depth, kind, start):
    size = np.dtype(dtype).itemsize
    a, b = (rng.integers(-4, 4, (rows, 128 // size)).astype(dtype) for rows in (64, 8))
    signs = ", 1, 1, 0, 0" if size == 2 else ""
    steps = " ".join(
        f"wgmma.mma_async.sync.aligned.m64n8k{depth}.{kind}.{name}.{name} {{%d0, %d1, %d2, %d3}}, %rd4, %rd5, "
        f"{'%p' if i == 0 else '1'}{signs}; add.u64 %rd4, %rd4, 2; add.u64 %rd5, %rd5, 2;"
        for i in range(128 // size // depth)
    )
    text = HEADER + PRODUCT.replace("STEPS", steps).replace("START", str(start))
    result = np.zeros((128, 4), np.int32 if kind == "s32" else np.float32)
    ptx.load(text).function().launch([image(a), image(b), result], grid=(1,), block=(128,), timeout=60)
    thread = np.arange(128)
    ones = np.int32(0x3F800000) if kind == "s32" else 1
    want = a.astype(np.int64) @ b.astype(np.int64).T + (0 if start else ones)
    got = np.zeros((64, 8), result.dtype)
    for i in range(4):
        got[16 * (thread // 32) + thread % 32 // 4 + 8 * (i // 2), thread % 4 * 2 + i % 2] = result[:, i]
    return np.array_equal(got, want)


wrong = sum(
    not product(*row, start)
    for row in ((np.float16, "f16", 16, "f32"), (ml_dtypes.bfloat16, "bf16", 16, "f32"), (np.int8, "s8", 32, "s32"))
    for start in (0, 1)
)
# CHECK: 0 wrong products
print(f"{wrong} wrong products")

# RUN: %python %s | FileCheck %s

# Collectives of the lanes of a warp and the threads of a block, each with the threads in an order in which a value is
# requested before it exists.

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from kernels import run

LANES = np.arange(64, dtype=np.int32)
X = (LANES * 7 + 3).astype(np.int32)
WARPS = X.reshape(2, 32)
EVEN = 0x55555555


def by_warp(function):
    return np.concatenate([np.broadcast_to(function(warp), 32) for warp in WARPS]).astype(np.int32)


SHARED = ".shared .align 16 .b8 buffer[2048];\n.shared .align 8 .b64 ready;"
STORE = "mov.u32 %r6, buffer; mad.lo.s32 %r7, %t, 4, %r6; st.shared.b32 [%r7], %x0;"
ROWS = [
    ("shfl.sync.up.b32 %d|%p, %x0, 1, 0, -1;", np.concatenate([np.r_[w[0], w[:-1]] for w in WARPS]), ""),
    ("shfl.sync.down.b32 %d|%p, %x0, 2, 31, -1;", np.concatenate([np.r_[w[2:], w[-2:]] for w in WARPS]), ""),
    ("shfl.sync.bfly.b32 %d|%p, %x0, 16, 31, -1;", np.concatenate([np.roll(w, 16) for w in WARPS]), ""),
    ("shfl.sync.idx.b32 %d, %x0, 5, 31, -1;", by_warp(lambda w: w[5]), ""),
    # In segments of eight lanes.
    ("shfl.sync.idx.b32 %d|%p, %x0, 1, 0x181f, -1;", X.reshape(-1, 8)[:, 1].repeat(8), ""),
    ("shfl.sync.down.b32 %d|%p, %x0, 1, 31, -1; selp.b32 %d, 1, 0, %p;", (LANES % 32 < 31).astype(np.int32), ""),
    (
        "setp.gt.s32 %p, %x0, 100; vote.sync.ballot.b32 %d, %p, -1;",
        by_warp(lambda w: np.array(sum(int(x > 100) << i for i, x in enumerate(w))).astype(np.uint32).view(np.int32)),
        "",
    ),
    (
        "setp.gt.s32 %p, %x0, 100; vote.sync.any.pred %q, %p, -1; selp.b32 %d, 1, 0, %q;",
        by_warp(lambda w: (w > 100).any()),
        "",
    ),
    (
        "setp.gt.s32 %p, %x0, 100; vote.sync.all.pred %q, %p, -1; selp.b32 %d, 1, 0, %q;",
        by_warp(lambda w: (w > 100).all()),
        "",
    ),
    ("redux.sync.add.s32 %d, %x0, -1;", by_warp(np.sum), ""),
    ("redux.sync.min.u32 %d, %x0, -1;", by_warp(np.min), ""),
    ("redux.sync.xor.b32 %d, %x0, -1;", by_warp(np.bitwise_xor.reduce), ""),
    (
        "and.b32 %r0, %x0, 1; match.any.sync.b32 %d, %r0, -1;",
        np.where(X % 2 == 1, EVEN, -1431655766).astype(np.int32),
        "",
    ),
    # The even lanes take one way, the odd ones another.
    (
        f"and.b32 %r0, %t, 1; setp.eq.s32 %p, %r0, 0; @%p bra EVEN; "
        f"redux.sync.max.s32 %d, %x0, {~EVEN & 0xFFFFFFFF}; bra DONE; "
        f"EVEN: redux.sync.min.s32 %d, %x0, {EVEN}; DONE:",
        np.concatenate([np.where(np.arange(32) % 2, w[31], w[0]) for w in WARPS]).astype(np.int32),
        "",
    ),
    ("elect.sync _|%p, -1; selp.b32 %d, 1, 0, %p;", (LANES % 32 == 0).astype(np.int32), ""),
    (
        f"{STORE} bar.sync 0; xor.b32 %r0, %t, 63; mad.lo.s32 %r0, %r0, 4, %r6; ld.shared.b32 %d, [%r0];",
        X[::-1],
        SHARED,
    ),
    (
        "setp.gt.s32 %p, %x0, 100; barrier.cta.red.popc.aligned.u32 %d, 1, %p;",
        np.full(64, (X > 100).sum(), np.int32),
        "",
    ),
    # The second warp waits for the first, which does not wait.
    (
        f"{STORE} setp.lt.u32 %p, %t, 32; @%p bar.arrive 2, 64; @!%p bar.sync 2, 64; mov.u32 %d, %x0; "
        f"@%p bra DONE; sub.s32 %r7, %r7, 128; ld.shared.b32 %d, [%r7]; DONE:",
        np.tile(WARPS[0], 2),
        SHARED,
    ),
    (
        f"mov.u32 %r5, ready; setp.eq.u32 %p, %t, 63; @%p mbarrier.init.shared.b64 [%r5], 64; bar.sync 0; "
        f"{STORE} mbarrier.arrive.shared.b64 %rd0, [%r5]; {{ .reg .pred %p; "
        f"WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p, [%r5], 0; @!%p bra WAIT; }} xor.b32 %r0, %t, 63; "
        f"mad.lo.s32 %r0, %r0, 4, %r6; ld.shared.b32 %d, [%r0];",
        X[::-1],
        SHARED,
    ),
    # A tile of 8 x 8 halves: each lane gets the word at its own index.
    (
        f"{STORE} bar.sync 0; and.b32 %r1, %t, 7; mad.lo.s32 %r0, %r1, 16, %r6; "
        f"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%d}}, [%r0];",
        np.tile(WARPS[0], 2),
        SHARED,
    ),
    ("movmatrix.sync.aligned.m8n8.trans.b16 %d, %x0; movmatrix.sync.aligned.m8n8.trans.b16 %d, %d;", X, ""),
]

wrong = 0
for body, want, declarations in ROWS:
    got = run(body, [X], np.int32, declarations=declarations)
    if not np.array_equal(got, want):
        wrong += 1
        print(f"{body}\n  got  {got}\n  want {want}")
# CHECK: 0 wrong collectives
print(f"{wrong} wrong collectives")

# A product of tensor cores, in the fragments of each type.
rng = np.random.default_rng(0)
wrong = 0
for name, dtype, depth in (("f16", np.float16, 16), ("f16", np.float16, 8), ("s8", np.int8, 32), ("s8", np.int8, 16)):
    size = 4 // np.dtype(dtype).itemsize
    a, b = (rng.integers(-8, 8, shape).astype(dtype) for shape in ((16, depth), (depth, 8)))
    lanes = np.arange(32)
    number_a, number_b = 16 * depth // (32 * size), 8 * depth // (32 * size)
    words = []
    for i in range(number_a):
        rows, first = lanes // 4 + 8 * (i % 2), lanes % 4 * size + i // 2 * 4 * size
        words.append(np.ascontiguousarray(np.stack([a[rows, first + j] for j in range(size)], 1)).view(np.int32)[:, 0])
    for i in range(number_b):
        first, columns = lanes % 4 * size + i * 4 * size, lanes // 4
        words.append(
            np.ascontiguousarray(np.stack([b[first + j, columns] for j in range(size)], 1)).view(np.int32)[:, 0]
        )
    left = ", ".join(f"%x{i}" for i in range(number_a))
    right = ", ".join(f"%x{number_a + i}" for i in range(number_b))
    kind = "f32" if name == "f16" else "s32"
    got = []
    for i in range(4):
        body = (
            f"mma.sync.aligned.m16n8k{depth}.row.col.{kind}.{name}.{name}.{kind} "
            f"{{%r0, %r1, %r2, %r3}}, {{{left}}}, {{{right}}}, {{%r4, %r4, %r4, %r4}}; mov.b32 %d, %r{i};"
        )
        got.append(run(f"mov.b32 %r4, 0; {body}", words, np.float32 if name == "f16" else np.int32))
    product = a.astype(np.int64) @ b.astype(np.int64)
    want = [product[lanes // 4 + 8 * (i // 2), lanes % 4 * 2 + i % 2] for i in range(4)]
    wrong += not np.array_equal(got, want)
# CHECK: 0 wrong products
print(f"{wrong} wrong products")

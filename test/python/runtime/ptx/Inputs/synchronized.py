"""Small PTX kernels that are synchronised right, with each synchronisation marked.

A line that ends in `// remove` is a mutant when it is left out; one that ends in `// replace X by Y` is one when it is
changed so. What follows after `; harmless:` says why nothing can be found of a mutant.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import numpy as np
from kernels import HEADER


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel of one array in and one out, both of `int32`.

    Attributes:
      name: what it shows.
      text: what comes after the header.
      expected: the result for inputs `arange(size)`.
      grid: blocks.
      block: threads of each.
      cluster: blocks of a cluster.
    """

    name: str
    text: str
    expected: np.ndarray
    grid: int = 1
    block: int = 64
    cluster: int = 1

    @property
    def source(self) -> str:
        """The text that is right."""
        return HEADER + self.text

    def mutants(self) -> Iterator[tuple[str, str, str]]:
        """Each mutant: what was changed, the text, and why it is harmless, or ""."""
        lines = self.source.split("\n")
        for number, line in enumerate(lines):
            code, _, comment = line.partition("//")
            change, _, reason = comment.strip().partition("; harmless: ")
            if change == "remove":
                changed, what = "", f"without {code.strip()}"
            elif match := re.fullmatch(r"replace (\S+) by (\S+)", change):
                assert match[1] in code, line
                changed, what = code.replace(match[1], match[2]), f"{code.strip()} with {match[2]}"
            else:
                assert not comment or not change.startswith(("remove", "replace")), line
                continue
            yield what, "\n".join([*lines[:number], changed, *lines[number + 1 :]]), reason


START = """
.shared .align 1024 .b8 buffer[8192];
.shared .align 8 .b64 bars[4];
.visible .entry k(.param .u64 x, .param .u64 y)
{
  .reg .pred %p, %q, %first; .reg .b32 %t, %b, %n, %v, %w, %i, %r<16>; .reg .b64 %x, %y, %rd<8>; .reg .f32 %d<4>;
  mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; setp.eq.u32 %first, %t, 0;
  mad.lo.u32 %i, %b, %n, %t;
  ld.param.u64 %x, [x]; mad.wide.u32 %rd0, %i, 4, %x; ld.global.b32 %v, [%rd0];
  ld.param.u64 %y, [y]; mad.wide.u32 %rd1, %i, 4, %y;
  mov.u32 %r0, buffer; mad.lo.u32 %r1, %t, 4, %r0;
  mov.u32 %r2, bars; add.u32 %r3, %r2, 8;
  // The offset of the thread that is as far from the end.
  sub.u32 %r4, %n, 1; sub.u32 %r4, %r4, %t; mad.lo.u32 %r4, %r4, 4, %r0;
"""
END = """
  st.global.b32 [%rd1], %w;
  ret;
}
"""
WAIT = "{{ .reg .pred %q; L: mbarrier.try_wait.parity.shared::cta.b64 %q, [{0}], {1}; @!%q bra L; }}"
X = np.arange(64, dtype=np.int32)

KERNELS = [
    Kernel(
        "barriers of a block, twice",
        START
        + """
  st.shared.b32 [%r1], %v;
  bar.sync 0; // remove
  ld.shared.b32 %w, [%r4];
  bar.sync 0; // remove
  st.shared.b32 [%r1], %w;
  barrier.cta.sync.aligned 1; // remove
  ld.shared.b32 %w, [%r4];
"""
        + END,
        X,
    ),
    Kernel(
        "a barrier at which one warp only arrives",
        START
        + """
  setp.ge.u32 %p, %t, 32;
  mov.u32 %w, %v;
  @%p bra SECOND;
  st.shared.b32 [%r1], %v;
  bar.arrive 2, 64;
  bra DONE;
SECOND:
  bar.sync 2, 64; // remove
  ld.shared.b32 %w, [%r4];
DONE:
"""
        + END,
        np.where(X < 32, X, X[::-1]),
    ),
    Kernel(
        "lanes of a warp",
        START
        + """
  st.shared.b32 [%r1], %v;
  bar.warp.sync 0xffffffff; // remove
  ld.shared.b32 %w, [%r4];
"""
        + END,
        np.arange(31, -1, -1, dtype=np.int32),
        block=32,
    ),
    Kernel(
        "a barrier in memory",
        START
        + f"""
  @%first mbarrier.init.shared.b64 [%r2], 64;
  bar.sync 0; // remove
  st.shared.b32 [%r1], %v;
  mbarrier.arrive.release.cta.shared.b64 %rd2, [%r2]; // replace release by relaxed
  {WAIT.format("%r2", 0)} // remove
  ld.shared.b32 %w, [%r4];
  // The next phase: all reads are complete.
  mbarrier.arrive.shared.b64 %rd2, [%r2];
  {WAIT.format("%r2", 1)} // remove
  st.shared.b32 [%r1], %w;
  bar.sync 0; // remove
  ld.shared.b32 %w, [%r4];
"""
        + END,
        X,
    ),
    Kernel(
        "copies of a few bytes, in two groups",
        START
        + """
  cp.async.ca.shared.global [%r1], [%rd0], 4;
  cp.async.commit_group; // remove
  cp.async.ca.shared.global [%r1+256], [%rd0], 4;
  cp.async.commit_group; // remove
  cp.async.wait_group 1; // remove
  bar.sync 0; // remove
  ld.shared.b32 %w, [%r4];
  cp.async.wait_group 0; // remove
  bar.sync 0; // remove
  ld.shared.b32 %r5, [%r4+256];
  add.u32 %w, %w, %r5;
  bar.sync 0; // remove
  cp.async.ca.shared.global [%r1+256], [%rd0], 4;
  cp.async.wait_all; // remove
  ld.shared.b32 %r5, [%r1+256];
  add.u32 %w, %w, %r5;
"""
        + END,
        126 - X,
    ),
    Kernel(
        "a copy that arrives at a barrier",
        START
        + f"""
  @%first mbarrier.init.shared.b64 [%r2], 64;
  bar.sync 0; // remove
  cp.async.ca.shared.global [%r1], [%rd0], 4;
  cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];
  {WAIT.format("%r2", 0)} // remove
  ld.shared.b32 %w, [%r4];
"""
        + END,
        X[::-1],
    ),
    # Four tiles go through a ring of two slots: the producer waits until a slot is free, and the consumers until it
    # is full.
    Kernel(
        "a ring of bulk copies that wraps",
        START.replace("buffer[8192]", "buffer[512]").replace("bars[4]", "bars[8]")
        + f"""
  setp.eq.u32 %first, %t, 64;
  @%first mbarrier.init.shared.b64 [%r2], 1;
  @%first mbarrier.init.shared.b64 [%r2+8], 1;
  @%first mbarrier.init.shared.b64 [%r2+16], 64;
  @%first mbarrier.init.shared.b64 [%r2+24], 64;
  bar.sync 0; // remove
  mov.u32 %r5, 0; mov.u32 %w, 0;
NEXT:
  and.b32 %r6, %r5, 1; shr.u32 %r7, %r5, 1; and.b32 %r7, %r7, 1; xor.b32 %r8, %r7, 1;
  mad.lo.u32 %r9, %r6, 8, %r2; mad.lo.u32 %r10, %r6, 256, %r0;
  setp.ge.u32 %p, %t, 64;
  @!%p bra CONSUME;
  @!%first bra GO_ON;
  add.u32 %r11, %r9, 16;
  {WAIT.format("%r11", "%r8")} // remove
  mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%x], 256, [%r9];
  bra GO_ON;
CONSUME:
  {WAIT.format("%r9", "%r7")} // remove
  mad.lo.u32 %r12, %t, 4, %r10; ld.shared.b32 %r13, [%r12]; add.u32 %w, %w, %r13;
  mbarrier.arrive.shared.b64 %rd2, [%r9+16]; // replace arrive by arrive.relaxed.cta
GO_ON:
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 6; @%p bra NEXT;
"""
        + END,
        np.where(np.arange(96) < 64, 6 * np.arange(96), 0).astype(np.int32),
        block=96,
    ),
    Kernel(
        "a copy of what threads have written, and its memory used again",
        START
        + """
  st.shared.b32 [%r1], %v;
  fence.proxy.async.shared::cta; // remove
  bar.sync 0; // remove
  add.u32 %w, %v, 1;
  @%first cp.async.bulk.global.shared::cta.bulk_group [%y], [%r0], 256;
  @%first cp.async.bulk.commit_group; // remove
  @%first cp.async.bulk.wait_group.read 0; // remove
  bar.sync 0; // remove
  st.shared.b32 [%r1], %w;
  @%first cp.async.bulk.wait_group 0; // remove
  bar.sync 0; // remove
  ld.global.b32 %w, [%rd1];
"""
        + END,
        X,
    ),
    Kernel(
        "products of a warpgroup",
        START
        + """
  mov.u32 %r5, %t;
  setmaxnreg.inc.sync.aligned.u32 64; // remove; harmless: it says how many registers there are, and orders nothing
FILL: mad.lo.u32 %r6, %r5, 4, %r0; st.shared.b32 [%r6], 0x3c003c00;
  add.u32 %r5, %r5, 128; setp.lt.u32 %p, %r5, 2048; @%p bra FILL;
  fence.proxy.async; // remove
  bar.sync 0; // remove
  cvt.u64.u32 %rd4, %r0; shr.u64 %rd4, %rd4, 4; or.b64 %rd4, %rd4, 0x4000004000010000;
  mov.f32 %d0, 0f3F800000; mov.f32 %d1, 0f00000000; mov.f32 %d2, %d1; mov.f32 %d3, %d1;
  wgmma.fence.sync.aligned; // remove
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd4, %rd4, 1, 1, 1, 0, 0;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd4, %rd4, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned; // remove
  wgmma.wait_group.sync.aligned 0; // replace 0 by 1
  bar.sync 0; // remove; harmless: the wait is for the products of all warps
  st.shared.b32 [%r1], %v;
  cvt.rni.s32.f32 %w, %d0;
"""
        + END,
        np.full(128, 33, np.int32),
        block=128,
    ),
    # Thread 0 of each block adds; who comes last reads what all have written.
    Kernel(
        "a counter of blocks",
        START
        + """
  st.global.b32 [%rd1], %v;
  bar.sync 0; // remove
  @!%first bra DONE;
  atom.acq_rel.gpu.global.add.u32 %r5, [%y+256], 1; // replace acq_rel by relaxed
  setp.ne.u32 %p, %r5, 1; @%p bra DONE;
  mov.u32 %r5, 0; mov.u32 %r6, 0;
SUM: mad.wide.u32 %rd2, %r5, 4, %y; ld.global.b32 %r7, [%rd2]; add.u32 %r6, %r6, %r7;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 64; @%p bra SUM;
  st.global.b32 [%y], %r6;
DONE: ret;
}
""",
        np.r_[X.sum(), X[1:], 2].astype(np.int32),
        grid=2,
        block=32,
    ),
    Kernel(
        "a flag between blocks",
        START
        + """
  setp.ne.u32 %p, %b, 0;
  mov.u32 %w, %v;
  @%p bra READER;
  st.global.b32 [%rd1], %v;
  bar.sync 0; // remove
  @%first fence.acq_rel.gpu; // replace gpu by cta
  @%first st.relaxed.gpu.global.b32 [%y+256], 1; // replace relaxed.gpu by relaxed.cta
  ret;
READER:
  @!%first bra SEEN;
SPIN: ld.acquire.gpu.global.b32 %r5, [%y+256]; // replace acquire by relaxed
  setp.eq.u32 %p, %r5, 0; @%p bra SPIN;
SEEN:
  bar.sync 0; // remove
  sub.u64 %rd2, %rd1, 128; ld.global.b32 %w, [%rd2];
"""
        + END,
        np.r_[X[:32], X[:32], 1].astype(np.int32),
        grid=2,
        block=32,
    ),
    Kernel(
        "memory of another block of the cluster",
        START
        + """
  mov.u32 %r5, %cluster_ctarank; xor.b32 %r5, %r5, 1;
  mapa.shared::cluster.u32 %r6, %r1, %r5;
  st.shared::cluster.b32 [%r6], %v;
  barrier.cluster.arrive.release; // replace release by relaxed
  barrier.cluster.wait.acquire; // remove
  ld.shared.b32 %w, [%r4];
"""
        + END,
        X[::-1],
        grid=2,
        block=32,
        cluster=2,
    ),
    Kernel(
        "atomic updates",
        START
        + """
  @%first st.shared.b32 [%r0], 0;
  bar.sync 0; // remove
  red.shared.add.u32 [%r0], 1;
  bar.sync 0; // remove
  ld.shared.b32 %w, [%r0];
"""
        + END,
        np.full(64, 64, np.int32),
    ),
    Kernel(
        "a product with sums in tensor memory",
        START
        + f"""
  // Row t of A is 32 times the byte, and B is 1: two pieces of 16 bytes of each row, B after A.
  setp.lt.u32 %p, %t, 32; and.b32 %r5, %v, 63; mul.lo.u32 %r5, %r5, 0x1010101;
  add.u32 %r6, %r2, 16;
  @%p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r6], 32;
  @%first mbarrier.init.shared.b64 [%r2], 1;
  mad.lo.u32 %r7, %t, 16, %r0;
  st.shared.v4.b32 [%r7], {{%r5, %r5, %r5, %r5}}; st.shared.v4.b32 [%r7+2048], {{%r5, %r5, %r5, %r5}};
  mov.b32 %r5, 0x1010101; setp.lt.u32 %q, %t, 16; @%q st.shared.v4.b32 [%r7+4096], {{%r5, %r5, %r5, %r5}};
  fence.proxy.async; // remove
  bar.sync 0; // remove
  ld.shared.b32 %r8, [%r6];
  cvt.u64.u32 %rd2, %r0; shr.u64 %rd2, %rd2, 4; add.u64 %rd3, %rd2, 256;
  or.b64 %rd2, %rd2, 0x0000400800800000; or.b64 %rd3, %rd3, 0x0000400800080000;
  @%first tcgen05.mma.cta_group::1.kind::i8 [%r8], %rd2, %rd3, 0x80204a0, 0;
  @%first tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r2]; // remove
  {WAIT.format("%r2", 0)} // remove
  tcgen05.fence::after_thread_sync; // remove
  tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%w}}, [%r8];
  tcgen05.wait::ld.sync.aligned;
  // And once more, from tensor memory and back.
  add.u32 %w, %w, 1; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r8], {{%w}};
  tcgen05.wait::st.sync.aligned; // remove
  bar.sync 0; // remove
  @%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r8, 32;
"""
        + END,
        (32 * (np.arange(128) % 64) + 1).astype(np.int32),
        block=128,
    ),
    Kernel(
        "values that a barrier of another block counts",
        START
        + f"""
  mov.u32 %r5, %cluster_ctarank; xor.b32 %r5, %r5, 1;
  @%first mbarrier.init.shared.b64 [%r2], 1;
  @%first mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;
  barrier.cluster.arrive.release; // replace release by relaxed
  barrier.cluster.wait.acquire; // remove
  mapa.shared::cluster.u32 %r6, %r1, %r5; mapa.shared::cluster.u32 %r7, %r2, %r5;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r6], %v, [%r7];
  {WAIT.format("%r2", 0)} // remove
  ld.shared.b32 %w, [%r4];
"""
        + END,
        X[::-1],
        grid=2,
        block=32,
        cluster=2,
    ),
    Kernel(
        "a copy to two blocks, of which each tells the other one",
        START
        + f"""
  mov.u32 %r5, %cluster_ctarank;
  @%first mbarrier.init.shared.b64 [%r2], 1;
  @%first mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;
  barrier.cluster.arrive.release; // replace release by relaxed
  barrier.cluster.wait.acquire; // remove
  setp.eq.u32 %p, %r5, 0; and.pred %p, %p, %first;
  @%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%x], 128, [%r2], 3;
  {WAIT.format("%r2", 0)} // remove
  barrier.cluster.arrive.release; // replace release by relaxed
  barrier.cluster.wait.acquire; // remove
  xor.b32 %r5, %r5, 1;
  mapa.shared::cluster.u32 %r6, %r1, %r5;
  ld.shared::cluster.b32 %w, [%r6];
  barrier.cluster.arrive.relaxed;
  barrier.cluster.wait;
"""
        + END,
        np.tile(X[:32], 2),
        grid=2,
        block=32,
        cluster=2,
    ),
    Kernel(
        "one value that all threads write",
        START
        + """
  st.shared.b32 [%r0], 7; // replace 7 by %v
  ld.shared.b32 %w, [%r0];
"""
        + END,
        np.full(64, 7, np.int32),
    ),
]

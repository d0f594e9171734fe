# RUN: %python %s | FileCheck %s

# Counts of instructions whose accesses, predicates and waits are known.

import re

import numpy as np
from gridir.runtime import ptx

TEXT = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x) {{
  .reg .pred %p, %q; .reg .b16 %h; .reg .b32 %t, %d, %s, %n, %r<8>; .reg .f32 %f<8>; .reg .b64 %g, %a, %rd<8>;
  .shared .align 1024 .b8 buffer[8192];
  .shared .align 8 .b64 barrier;
  ld.param.u64 %g, [x];
  mov.u32 %t, %tid.x;
  mov.u32 %s, buffer;
  {code}
  ret;
}}
"""
# An array that begins in the middle of what would be a sector, as none of a GPU's does.
MEMORY = np.zeros(8192 + 48, np.uint8)
BEGIN = (16 - MEMORY.ctypes.data) % 32
X = MEMORY[BEGIN : BEGIN + 8192].view(np.float32)


def profile(code: str, threads: int = 32, blocks: int = 1) -> ptx.Profile:
    X[:] = 0
    function = ptx.load(TEXT.format(code=code)).function("k")
    counts = function.launch([X], grid=(blocks,), block=(threads,), profile=True)
    assert counts is not None
    return counts


def only(counts: ptx.Profile, kind: str) -> ptx.Counts:
    (found,) = (counts for name, counts in counts.by_kind().items() if name.startswith(kind))
    return found


def show(title: str, counts: ptx.MemoryCounts) -> None:
    print(f"{title}: {counts.requests} requests, {counts.bytes} bytes, {counts.pieces} pieces of {counts.least}")


# The address of each lane is its number times a stride, after an offset.
def shared(stride: int, offset: int = 0) -> str:
    return f"mad.lo.s32 %r1, %t, {stride}, %s; add.s32 %r1, %r1, {offset};"


def memory(stride: int, offset: int = 0) -> str:
    return f"mul.wide.u32 %a, %t, {stride}; add.s64 %a, %a, %g; add.s64 %a, %a, {offset};"


# Of words 32 fit in the banks at a time, of 8 bytes those of 16 lanes, of 16 bytes those of 8.
# CHECK:      shared stride 4: 1 requests, 128 bytes, 1 pieces of 1
# CHECK-NEXT: shared stride 8: 1 requests, 128 bytes, 2 pieces of 1
# CHECK-NEXT: shared stride 128: 1 requests, 128 bytes, 32 pieces of 1
# CHECK-NEXT: shared stride 132: 1 requests, 128 bytes, 1 pieces of 1
# CHECK-NEXT: shared stride 0: 1 requests, 128 bytes, 1 pieces of 1
for stride in (4, 8, 128, 132, 0):
    counts = only(profile(shared(stride) + "st.shared.f32 [%r1], 0f00000000;"), "st.shared.f32")
    show(f"shared stride {stride}", counts.shared)
    assert counts.conflicts == counts.shared.pieces - counts.shared.least
    assert not counts.global_.requests

# CHECK-NEXT: pairs: 1 requests, 256 bytes, 2 pieces of 2
# CHECK-NEXT: quadruples: 1 requests, 512 bytes, 4 pieces of 4
# CHECK-NEXT: quadruples with gaps: 1 requests, 512 bytes, 8 pieces of 4
# CHECK-NEXT: bytes: 1 requests, 32 bytes, 1 pieces of 1
show("pairs", only(profile(shared(8) + "ld.shared.v2.f32 {%f1, %f2}, [%r1];"), "ld.shared").shared)
show("quadruples", only(profile(shared(16) + "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1];"), "ld.shared").shared)
code = shared(32) + "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1];"
show("quadruples with gaps", only(profile(code), "ld.shared").shared)
show("bytes", only(profile(shared(1) + "ld.shared.u8 %h, [%r1];"), "ld.shared").shared)

# A generic address is counted where it leads to.
# CHECK-NEXT: generic: 1 requests, 128 bytes, 32 pieces of 1
code = shared(128) + "cvt.u64.u32 %a, %r1; cvta.shared.u64 %a, %a; ld.f32 %f1, [%a];"
show("generic", only(profile(code), "ld.f32").shared)

# The rows of matrices are 16 bytes of a lane.
# CHECK-NEXT: matrices: 1 requests, 512 bytes, 4 pieces of 4
# CHECK-NEXT: matrices with gaps: 1 requests, 512 bytes, 32 pieces of 4
# CHECK-NEXT: one matrix: 1 requests, 128 bytes, 1 pieces of 1
MATRICES = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];"
show("matrices", only(profile(shared(16) + MATRICES), "ldmatrix").shared)
show("matrices with gaps", only(profile(shared(128) + MATRICES), "ldmatrix").shared)
code = shared(16) + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];"
show("one matrix", only(profile(code), "ldmatrix").shared)

# Sectors have 32 bytes.
# CHECK-NEXT: global stride 4 from 0: 1 requests, 128 bytes, 4 pieces of 4
# CHECK-NEXT: global stride 4 from 4: 1 requests, 128 bytes, 5 pieces of 4
# CHECK-NEXT: global stride 128 from 0: 1 requests, 128 bytes, 32 pieces of 4
# CHECK-NEXT: global stride 0 from 64: 1 requests, 128 bytes, 1 pieces of 1
# CHECK-NEXT: global stride 16 from 0: 1 requests, 128 bytes, 16 pieces of 4
for stride, offset in ((4, 0), (4, 4), (128, 0), (0, 64), (16, 0)):
    counts = only(profile(memory(stride, offset) + "ld.global.f32 %f1, [%a];"), "ld.global.f32")
    show(f"global stride {stride} from {offset}", counts.global_)
    assert not counts.shared.requests
# CHECK-NEXT: updates: 1 requests, 128 bytes, 1 pieces of 1
show("updates", only(profile(memory(0) + "red.global.add.u32 [%a], 1;"), "red").global_)

# A copy of each lane's reads global memory and writes shared memory; one of a block is no access of a lane's.
# CHECK-NEXT: copied from: 1 requests, 512 bytes, 16 pieces of 16
# CHECK-NEXT: copied to: 1 requests, 512 bytes, 4 pieces of 4
# CHECK-NEXT: copied at once: 1024 bytes from global, 1024 to shared memory
code = shared(16) + memory(16) + "cp.async.ca.shared.global [%r1], [%a], 16; cp.async.wait_all;"
counts = only(profile(code), "cp.async.ca")
show("copied from", counts.global_)
show("copied to", counts.shared)
code = """
  mov.u32 %r1, barrier; setp.eq.u32 %p, %t, 0;
  @%p mbarrier.init.shared.b64 [%r1], 1;
  @%p mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 1024;
  @%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%g], 1024, [%r1];
  bar.sync 0;
  wait: mbarrier.try_wait.parity.shared.b64 %q, [%r1], 0; @!%q bra wait;
"""
counts = only(profile(code), "cp.async.bulk")
assert not counts.shared.requests
assert not counts.global_.requests
print(f"copied at once: {counts.copied_global} bytes from global, {counts.copied_shared} to shared memory")

# In a loop each time is a request, though a lane runs far ahead of the others; of two warps and three blocks each has
# its own.
# CHECK-NEXT: loop: 18000 requests, 2304000 bytes, 18000 pieces of 18000
# CHECK-NEXT: executed: 18000 by warps, 576000 by threads
code = (
    shared(4)
    + "mov.u32 %n, 0; again: ld.shared.f32 %f1, [%r1]; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 3000; @%p bra again;"
)
counts = only(profile(code, threads=64, blocks=3), "ld.shared")
show("loop", counts.shared)
print(f"executed: {counts.warps} by warps, {counts.threads} by threads")

# Lanes with a false predicate execute nothing, nor do those after a branch; a request of few lanes is one.
# CHECK-NEXT: predicated: 1 by warps, 8 by threads
# CHECK-NEXT: branch: 1 by warps, 20 by threads
# CHECK-NEXT: few: 1 requests, 32 bytes, 8 pieces of 1
code = (
    shared(128)
    + """
  setp.lt.u32 %p, %t, 8;
  @%p ld.shared.f32 %f1, [%r1];
  setp.lt.u32 %q, %t, 12;
  @%q bra done;
  add.f32 %f2, %f1, %f1;
  done:
"""
)
counts = profile(code)
for name, kind in (("predicated", "ld.shared"), ("branch", "add.f32")):
    print(f"{name}: {only(counts, kind).warps} by warps, {only(counts, kind).threads} by threads")
show("few", only(counts, "ld.shared").shared)

# The second warp has ten instructions more, so that each thread of the first one waits for these; and one more with a
# barrier in memory, at which one thread arrives.
# CHECK-NEXT: bar.sync: 64 waits, 320 instructions
# CHECK-NEXT: mbarrier: 32 waits, 352 instructions
more = "add.u32 %n, %n, 1;" * 10
counts = only(profile(f"setp.lt.u32 %p, %t, 32; @%p bra meet; {more} meet: bar.sync 0;", threads=64), "bar.sync")
print(f"bar.sync: {counts.waits} waits, {counts.stalled} instructions")
code = f"""
  mov.u32 %r1, barrier; setp.eq.u32 %p, %t, 0;
  @%p mbarrier.init.shared.b64 [%r1], 1;
  bar.sync 0;
  setp.lt.u32 %p, %t, 32; @%p bra wait;
  {more}
  setp.eq.u32 %p, %t, 32;
  @%p mbarrier.arrive.shared.b64 _, [%r1];
  bra.uni done;
  wait: mbarrier.try_wait.parity.shared.b64 %q, [%r1], 0;
  @!%q bra wait;
  done:
"""
counts = only(profile(code, threads=64), "mbarrier.try_wait")
print(f"mbarrier: {counts.waits} waits, {counts.stalled} instructions")

# Instructions that `.loc` gives to one line of the author's are one there; the sum of all kinds is the total.
# CHECK-NEXT: softmax.py:7 executed 64 by threads
# CHECK-NEXT: softmax.py:9 executed 32 by threads
code = """
  .loc 1 7 3
  add.u32 %n, %t, 1;
  add.u32 %n, %n, 1;
  .loc 1 9 3
  mul.lo.u32 %n, %n, %n;
  .loc 1 0 0
"""
text = TEXT.format(code=code) + '.file 1 "softmax.py"\n'
with ptx.profiling() as launches:
    ptx.load(text).function().launch([X], grid=(1,), block=(32,))
((name, counts),) = launches
assert name == "k"
assert sum(one.warps for one in counts.by_kind().values()) == counts.total.warps
for (file, line), one in counts.by_source().items():
    if line:
        print(f"{file}:{line} executed {one.threads} by threads")
assert {(one["file"], one["line"]) for one in counts.to_json()["sources"]} >= {("softmax.py", 7), ("softmax.py", 9)}

# The results are the same, and a launch without profiling has no counts.
code = memory(4) + "cvt.rn.f32.u32 %f1, %t; add.f32 %f1, %f1, %f1; st.global.f32 [%a], %f1;"
profile(code)
counted = X[:32].copy()
function = ptx.load(TEXT.format(code=code)).function()
X[:] = 0
assert function.launch([X], grid=(1,), block=(32,)) is None
assert (counted == X[:32]).all()
assert (counted == 2 * np.arange(32)).all()
X[:] = 0
function.launch([X], grid=(1,), block=(32,), profile=True, checks=["races", "uninitialized"], schedule_seed=3)
assert (counted == X[:32]).all()

# For a person the greatest numbers come first, with the lines.
# CHECK-NEXT: 8 instructions of warps, 256 of threads: 32.0 lanes each
# CHECK:      executed{{ +}}warps{{ +}}lanes
# CHECK:      shared memory{{ +}}requests{{ +}}bytes{{ +}}passes{{ +}}needed
# CHECK-NEXT: 1{{ +}}128{{ +}}32{{ +}}1 line 12: st.shared.f32 [%r1], 0f00000000
# CHECK-NEXT: 1{{ +}}128{{ +}}1{{ +}}1 line 12: ld.shared.f32 %f1, [buffer]
counts = profile(shared(128) + "st.shared.f32 [%r1], 0f00000000; ld.shared.f32 %f1, [buffer];")
print(re.sub("  +", "  ", counts.to_text()).replace("\n  ", "\n").replace("  line", " line"))

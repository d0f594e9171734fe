# RUN: %python %s | FileCheck %s

# Forms of instructions that are refused before the launch, each in its own words. The kernel around them has locations
# of code that was inlined, whose ends are the beginning of the next instruction.

from gridir.errors import Error
from gridir.runtime import ptx

HEADER = '.version 8.7\n.target sm_100a\n.address_size 64\n.file 1 "author.py"\n'
KERNEL = """
.shared .align 128 .b8 buffer[256];
.visible .entry k()
{
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b128 %h; .reg .b16 %s<4>;
  .loc 1 7 3, function_name $L__info_string0, inlined_at 1 9 5
  mov.b32 %r0, 1;
  .loc 1 8 3, function_name $L__info_string0+5, inlined_at 1 9 5
  INSTRUCTION
  ret;
}
"""


def refuse(instruction):
    try:
        function = ptx.load(HEADER + KERNEL.replace("INSTRUCTION", instruction)).function()
        function.prepare()
        function.launch([], grid=(1,), block=(1,), timeout=60)
        return "nothing"
    except Error as error:
        return "\n".join(str(error).split("\n")[:3]).replace("\n  in kernel `k`\n  at", " at")


ROWS = {
    "mov.b32 %r1, %r0;": "nothing",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u64 [%rd0], [%r0], 16;": "a reduction of this element type",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd0, {0}], [%r0];": "the operation of a reduction",
    "cp.async.bulk.wait_group 0, 1;": "expected at most 1 operands of 'cp', got 2",
    "st.async.shared::cluster.b32 [%r0], 1, [%r0];": "expected 32 or 64 bits that go to '.shared::cluster'",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r0], 1, [%r0];": "expected 2 values, got 1",
    "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
    "[%r0], [%rd0, {0, 0, 0}], [%r0];": "'cp' with '.im2col' is not implemented",
    "cvt.rn.e4m3x2.f32 %s0, 0f3F800000, 0f3F800000;": "expected '.satfinite' to '.e4m3x2'",
    "cvt.rn.satfinite.ue8m0x2.f32 %s0, 0f3F800000, 0f3F800000;": "expected '.rn', and '.rz' or '.rp' to '.ue8m0x2'",
    "cvt.rn.satfinite.e4m3x2.s32 %s0, %r0, %r0;": "expected a conversion from '.f32', '.f16x2' or '.bf16x2'",
    "cvt.rn.f32.e4m3x2 %r0, %s0;": "expected a conversion to '.f16x2' or '.bf16x2'",
    "clusterlaunchcontrol.other [%r0];": "expected '.try_cancel.async' or '.query_cancel'",
    "clusterlaunchcontrol.query_cancel.get_first_ctaid.v2.b32.b128 {%r0, %r1}, %h;": "expected '.is_canceled' or",
    "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r0}, %rd0, %rd1, 1;": "expected a multiple of 16 columns "
    "above 32 for integer accumulators, got 40",
    "tcgen05.alloc.sync.aligned.shared::cta.b32 [%r0], 32;": "expected '.cta_group::1' or '.cta_group::2'",
    "tcgen05.ld.sync.aligned.32x32b.x256.b32 {%r0}, [%r0];": "expected a shape and '.xN' of at most 128 registers",
    "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r0}, [%r0];": "expected 2 registers, got 1",
    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r0], 0;": "expected at most 2 operands of 'tcgen05', got 3",
    "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r0}, [%r0];": "expected at least 3 operands of 'tcgen05', got 2",
    "tcgen05.commit.cta_group::1.b64 [%r0];": "expected '.mbarrier::arrive::one'",
    "tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd0, 0, {0, 0}, 1;": "expected a mask of lanes of 4 words",
    "tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd0, 0, 1, 16;": "expected at most a scale of the accumulator",
    "tcgen05.mma.ws.cta_group::1.kind::f16 [%r0], %rd0, %rd0, 0, 1;": "'tcgen05' with '.ws' is not implemented",
    "tcgen05.shift.cta_group::1.down [%r0];": "instruction 'tcgen05.shift.cta_group::1.down' is not implemented",
}
wrong = 0
for instruction, words in ROWS.items():
    got = refuse(instruction)
    if words not in got or (words != "nothing" and "at author.py:8:3" not in got):
        wrong += 1
        print(f"{instruction}\n  got  {got}\n  want {words}")
# CHECK: 0 wrong
print(f"{wrong} wrong of {len(ROWS)}")

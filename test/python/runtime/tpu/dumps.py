# RUN: %python %s | FileCheck %s

# Figures are read from the files that libtpu writes of its last passes.
import os
import tempfile

from gridir.runtime.tpu.dumps import read_allocations, read_dumps, read_schedule, read_utilization

# A loop of 10 around a loop of 4, and one whose trip count is not a constant; a branch has four delay slots.
SCHEDULE = """= control target key end

     0   :  { %s1 = smov 0 } /* entry bundle: %k.1 = custom-call(%Arg_0.1) */ /* Start region 1 */
   0x1 LB: > { %p1_p0 = scmp.ge.s32.totalorder %s2_s0, 10 } /* Start region 2 */
   0x2 LB: >> { %p2_p0 = scmp.ge.s32.totalorder %s3_s0, 4 } /* Start region 3 */
   0x3   : >> { %26 = sbr.rel (!%p2_p0) target = $region3 } /* End region 3 */
   0x4   : > {}
   0x5   : > {}
   0x6   : > {}
   0x7   : > {}
   0x8   : > { %27 = sbr.rel (!%p1_p0) target = $region2 } /* End region 2 */
   0x9   :  {}
   0xa   :  {}
   0xb   :  {}
   0xc   :  {}
   0xd LB: > { %p5_p0 = scmp.ge.s32.totalorder %s2_s0, %s9_s1 } /* Start region 4 */
   0xe   : > { %27 = sbr.rel (!%p5_p0) target = $region4 }
   0xf   :  { %99 = vst [vmem:[#allocation2] sm:$0xff] %v1 }
"""
schedule = read_schedule(SCHEDULE)
# CHECK: bundles: 16
print("bundles:", schedule.bundles)
for loop in schedule.loops:
    print(loop)
# CHECK-NEXT: Loop(first=1, last=12, trips=10)
# CHECK-NEXT: Loop(first=2, last=7, trips=4)
# CHECK-NEXT: Loop(first=13, last=15, trips=None)
# 4 outside, 6 in the outer loop alone (10 times), 6 in both (40 times).
# CHECK-NEXT: cycles: 304
print("cycles:", schedule.cycles)

ALLOCATIONS = """
  #allocation0 [shape = 'u32[]', space=smem, size = 0x4, offset = 0x4, fixed_abs, tag = 'smem constant']
  #allocation1 [shape = 'f32[8,128]', space=vmem, size = 0x1000, offset = 0, scoped, tag = 'scratch operand']
  #allocation2 [shape = 'u8[2]', space=vmem, size = 36864, offset = 0, scoped, tag = 'internal scratch']
  #allocation3 [shape = 'u8[2]', space=vmem, size = 0x2000, offset = 0, scoped, tag = 'input window allocation for x']
  #allocation4_spill [shape = 'u8[2]', space=vmem, size = 0x1000, offset = 0, scoped, tag = 'register allocator']
"""
# CHECK: {'scratch': 4096, 'internal': 36864, 'windows': 8192, 'spills': 4096}
print(read_allocations(ALLOCATIONS))

used = read_utilization("== CAPACITY:\nMXU, XLU, SALU\n 4 3 2\n== UTILIZATION:\n1 0 2\n3 0 1\n")
# CHECK: {'MXU': 4, 'XLU': 3, 'SALU': 2} {'MXU': 4, 'XLU': 0, 'SALU': 3} None
print(used.slots, used.totals(), read_utilization(""))

# Of several programs the kernel's is the one that is entered by a custom call.
with tempfile.TemporaryDirectory() as directory:
    for name, text in (
        ("12-k.1-06-final_bundles.txt", SCHEDULE),
        ("12-TLP-06-final_bundles.txt", SCHEDULE.replace("custom-call", "copy")),
        ("12-k.1-00-post-ra.txt", ALLOCATIONS),
        ("vmem_report.html", ""),
    ):
        with open(os.path.join(directory, name), "w") as file:
            file.write(text)
    found = read_dumps(os.path.join(directory, name) for name in os.listdir(directory))
# CHECK: 16 304 53248 None
print(found["bundles"], found["cycles"], sum(found["vmem"].values()), found["utilization"])
# CHECK: {}
print(read_dumps([]))

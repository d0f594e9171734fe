# RUN: %python %s | FileCheck %s

# Where the cycles of a schedule go: what lines share in a bundle they share equally, loops count as often as they are
# repeated, and a register that is spilled is that of the line which computes its value.
from gridir.runtime.tpu.dumps import Utilization
from gridir.runtime.tpu.profile import read_profile

SCHEDULE = """= control target key end

     0   :  { %s1 = smov 0 } /* Start region 1 */
   0x1 LB: > { %p1_p0 = scmp.ge.s32.totalorder %s2_s0, 10 ;; %v1_v0 = vadd.f32 %v8, %v9 /* loc("k.py":3:5) */ }
   0x2   : > { %v2_v0 = vnot 1 /* loc("k.py":4:5) */ ;; %v3_v1 = vnot 1 /* loc(callsite("k.py":3:5 at "m.py":9:1)) */ }
   0x3   : > { %26 = sbr.rel (!%p1_p0) target = $region1 }
   0x4   : > {}
   0x5   : > {}
   0x6   : > { %30 = vst [vmem:[#allocation8_spill] sm:$0xff] /*vst_source=*/%v2_v0 }
   0x7   : > { %31 = vst [vmem:[#allocation9_spill] sm:$0xff] /*vst_source=*/%v7_v7 }
   0x8   :  { %v4_v0 = vsub.f32 %v8 /* loc("k.py":5:5) */ ;; %v5_v1 = vsub.f32 %v8 /* loc("k.py":5:5) */ }
"""
used = Utilization(
    {"VALU": 2, "MXU": 4, "VSTORE": 1},
    ((0, 0, 0), (1, 0, 0), (2, 0, 0), *((0, 0, 0),) * 3, *((0, 0, 1),) * 2, (2, 0, 0)),
)
profile = read_profile(SCHEDULE, used)
# CHECK:      cycles       bundles  operations  spills  line
# CHECK-NEXT:     51  71%        6           5       1  no line
# CHECK-NEXT:     15  21%        2           2       0  k.py:3:
# CHECK-NEXT:      5   7%        1           1       1  k.py:4:
# CHECK-NEXT:      1   1%        1           2       0  k.py:5:
# The loop's first bundle and the branch are of its ten rounds.
# CHECK-NEXT: loop of bundles 1 to 7, 10 times: 70 cycles; VSTORE 29%, VALU 21%
print(profile)
assert sum(line.cycles for line in profile.lines) == 72
# CHECK-NEXT: {'file': 'k.py', 'line': 4, 'cycles': 5.0, 'bundles': 1, 'operations': 1, 'spills': 1}
print(profile.to_json()["lines"][2])
# Where libtpu does not say what bundles use, no unit is named.
# CHECK-NEXT: loop of bundles 1 to 7, 10 times: 70 cycles; no unit is used
print(str(read_profile(SCHEDULE)).splitlines()[-1])

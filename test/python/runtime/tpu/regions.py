# RUN: %python %s | FileCheck %s

# Which bundles of a schedule run at each step of the grid: branches of the kernel are found by their lines and order.

import collections

import numpy as np
from gridir.runtime.tpu.regions import KernelPart, Region, count_cycles, match

DELAY = "".join(f"   0x{n:x}   : > {{}}\n" for n in range(0x20, 0x24))


def at(line):
    return f'/* loc("kernel.py":{line}:3) */'


def branch(number, line, bundles, last=""):
    """A branch that skips some bundles of a line, and the bundle after them."""
    body = "".join(f"   0x10   : > {{ %1 = vst {at(line)} ;; %v = vmatmul.bf16 }}\n" for _ in range(bundles))
    return (
        f"   0x8   : > {{ %2 = sbr.rel (%p1_p0) target = $region{number} }}\n{DELAY}{body}"
        f"   0x18 PF: > {{ %3 = sadd.s32 1, 2 {last} }} /* Start/End empty region {number} */\n"
    )


# The loop over the grid begins at region 113 and ends four bundles after its branch.
SCHEDULE = f"""\
= control target key end
   0x0   :  {{ %1 = sst 1 }}
   0x1   :  {{ %1 = sst 1 }} /* Start region 113 */
   0x2 LB: > {{ %1 = sadd.s32 1, 2 }}
{branch(48, 10, 3)}{branch(52, 20, 7)}{branch(56, 10, 2)}\
   0x30   : > {{ %p9_p1 = scmp.ge.s32.totalorder %s1, 66 }}
   0x31   : > {{ %4 = sbr.rel (!%p9_p1) target = $region113 }}
{DELAY}   0x40   :  {{ %1 = sst 1 }}
"""

first, middle, last = np.array([1.0, 0, 0]), np.array([0.0, 1, 0]), np.array([0.0, 0, 1])
parts = [
    KernelPart(False, frozenset({("kernel.py", 10)}), first),
    KernelPart(False, frozenset({("kernel.py", 20)}), middle),
    KernelPart(False, frozenset({("kernel.py", 10)}), last),
]
found = count_cycles(SCHEDULE, parts, 3)
# CHECK: [28.0, 32.0, 27.0] [3.0, 7.0, 2.0]
print(found.bundles.tolist(), found.products.tolist())
# CHECK-NEXT: 3 0 ()
print(found.matched, found.unmatched, found.notes)
# CHECK-NEXT: True
print(found.times.sum() == found.bundles.sum() + found.before)

# A branch that is not known counts at every step, and a note says so.
found = count_cycles(SCHEDULE, parts[1:2], 3)
# CHECK-NEXT: [30.0, 37.0, 30.0]
# CHECK-NEXT: branches or loops of the schedule that are not known and count once at every step: 2
print(found.bundles.tolist(), *found.notes, sep="\n")

# So does one whose condition depends on data.
found = count_cycles(SCHEDULE, [parts[0], KernelPart(False, parts[1].lines, None), parts[2]], 3)
# CHECK-NEXT: [35.0, 32.0, 34.0] 1
print(found.bundles.tolist(), found.unmatched)

# libtpu may exchange the branches of a condition, whose lines may be partly the same: the most lines decide.
common, own = ("kernel.py", 10), ("kernel.py", 20)
regions = [
    Region(0, 9, False, lines=collections.Counter({common: 6, own: 4})),
    Region(10, 19, False, lines=collections.Counter({common: 9})),
]
exchanged = [KernelPart(False, frozenset({common}), first), KernelPart(False, frozenset({common, own}), last)]
# CHECK-NEXT: {0: 1, 1: 0}
print({number: exchanged.index(part) for number, part in match(regions, exchanged).items()})
# Where all lines are the same, the order decides.
same = [KernelPart(False, frozenset({common, own}), times) for times in (first, middle)]
# CHECK-NEXT: [0.0, 1.0]
print([match([regions[0]] * 2, same)[number].times[1].item() for number in range(2)])

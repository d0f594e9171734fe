# The expected elements that wrong ones equal: those of another block, transposed, shifted, or changed alike.
#
# RUN: %python %s | FileCheck %s

import numpy as np
from gridir.report.displaced import describe_displaced

WANT = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32)


def show(title, got, block=(8, 8), want=WANT):
    wrong = ~np.isclose(got, want, equal_nan=True)
    print(f"== {title}", *describe_displaced(got, want, wrong, block), sep="\n")


def tiles(array):
    return array.reshape(4, 8, 4, 8).swapaxes(1, 2)


def whole(blocks):
    return blocks.swapaxes(1, 2).reshape(32, 32)


# CHECK-LABEL: == exchanged indices
# CHECK-NEXT:  each wrong block holds the values expected in block (j, i), where it is block (i, j)
show("exchanged indices", whole(tiles(WANT).swapaxes(0, 1)))
# CHECK-LABEL: == next block
# CHECK-NEXT:  each wrong block holds the values expected in block (i, (j + 1) % 4), where it is block (i, j)
show("next block", np.roll(WANT, -8, 1))
# CHECK-LABEL: == previous block, of some
# CHECK-NEXT:  each wrong block holds the values expected in block (i - 1, j), where it is block (i, j)
show("previous block, of some", np.concatenate([WANT[:8], WANT[:-8]]))
# CHECK-LABEL: == reversed blocks
# CHECK-NEXT:  each wrong block holds the values expected in block (3 - i, j), where it is block (i, j)
show("reversed blocks", whole(tiles(WANT)[::-1]))
# CHECK-LABEL: == one block everywhere
# CHECK-NEXT:  each wrong block holds the values expected in block (0, j), where it is block (i, j)
show("one block everywhere", np.tile(WANT[:8], (4, 1)))
# CHECK-LABEL: == two blocks
# CHECK-NEXT:  wrong blocks hold the values expected in others: block (0, 0) those of (2, 1), block (2, 1)
swapped = WANT.copy()
swapped[:8, :8], swapped[16:24, 8:16] = WANT[16:24, 8:16], WANT[:8, :8]
show("two blocks", swapped)
# CHECK-LABEL: == within blocks
# CHECK-NEXT:  each wrong block holds its expected values transposed
show("within blocks", whole(tiles(WANT).swapaxes(2, 3)))
# CHECK-LABEL: == transposed
# CHECK-NEXT:  each wrong element (i, j) is the one expected at (j, i)
show("transposed", WANT.T, None)
# CHECK-LABEL: == shifted
# CHECK-NEXT:  each wrong element (i, j) is the one expected at (i, j + 1)
show("shifted", np.concatenate([WANT[:, 1:], np.zeros((32, 1), np.float32)], axis=1))
# CHECK-LABEL: == twice
# CHECK-NEXT:  each wrong element is the expected one times 2
show("twice", WANT * 2)
# CHECK-LABEL: == integers
# CHECK-NEXT:  each wrong element is the expected one minus 3
numbers = np.random.default_rng(2).integers(0, 1000, 64)
show("integers", numbers - 3, None, numbers)
# CHECK-LABEL: == never assigned
# CHECK-NEXT:  the wrong elements are all 0.0
show("never assigned", np.where(np.arange(32) < 16, WANT, 0))
# A block that equals no expected one, and elements that nothing explains.
# CHECK-LABEL: == unexplained
# CHECK-NEXT:  == empty
show("unexplained", WANT + np.random.default_rng(1).standard_normal(WANT.shape).astype(np.float32))
show("empty", WANT)

# RUN: %python %s | FileCheck %s
"""What a launch refuses before anything runs: each row is an error's words and a call that meets it."""

import numpy as np
from gridir.errors import OptionError
from gridir.runtime.ptx import LaunchError, TensorMap, load
from refusals import report

HEADER = ".version 8.5\n.target sm_90a\n.address_size 64\n"
X = np.zeros((32, 64), np.float32)


def launch(*args, text="{ret;}", parameters="", grid=(1,), block=(1,), **how):
    module = load(f"{HEADER}.visible .entry k({parameters})\n{text}")
    return lambda: module.function().launch(args, grid=grid, block=block, **how)


two = load(f"{HEADER}.visible .entry a()\n{{ret;}}\n.visible .entry b()\n{{ret;}}")

# CHECK: LaunchError: 9 of 9 refused in these words
report(
    LaunchError,
    {
        "expected 1 to 3 sizes of the grid, got 4": launch(grid=(1, 1, 1, 1)),
        "expected 1 to 3 sizes of the block, got 0": launch(block=()),
        "expected grid from 0 to 2147483647, got -1": launch(grid=(-1,)),
        "expected shared_bytes from 0 to 2147483647, got 2147483648": launch(shared_bytes=2**31),
        "expected blocks of (32, 1, 1) threads, as in the PTX, got (64, 1, 1)": launch(
            text=".reqntid 32\n{ret;}", block=(64,)
        ),
        "expected at most 64 threads of a block, as in the PTX, got 66": launch(
            text=".maxntid 64\n{ret;}", block=(33, 2)
        ),
        "expected 4 bytes for parameter n, got 8": launch(np.int64(0), parameters=".param .u32 n"),
        "expected an array without gaps for parameter x": launch(X[:, ::2], parameters=".param .u64 x"),
        "expected a name of one of several entries, got none; there are a, b": two.function,
    },
)

# CHECK-NEXT: OptionError: 11 of 11 refused in these words
report(
    OptionError,
    {
        "expected schedule_seed from 0 to 2**64 - 1, got -1": launch(schedule_seed=-1),
        "expected schedule_seed from 0 to 2**64 - 1, got 18446744073709551616": launch(schedule_seed=2**64),
        "expected a box for each of 1 to 5 dimensions, got (8,) for (32, 64)": lambda: TensorMap(X, (8,)),
        "expected a box for each of 1 to 5 dimensions, got (1, 1, 1, 1, 1, 1)": lambda: TensorMap(
            X.reshape(2, 2, 2, 2, 2, 64), (1,) * 6
        ),
        "expected checks among races, uninitialized, got 'lost'": launch(checks=("races", "lost")),
        "expected a swizzle of 0, 32, 64 or 128 bytes, got 16": lambda: TensorMap(X, (8, 8), swizzle=16),
        "expected sizes of the box from 1 to 256, got (8, 0)": lambda: TensorMap(X, (8, 0)),
        "expected sizes of the box from 1 to 256, got (257, 8)": lambda: TensorMap(X, (257, 8)),
        "expected strides that are multiples of 16 bytes, got (256, 8)": lambda: TensorMap(X[:, ::2], (8, 8)),
        "expected strides that are multiples of 16 bytes, got (8, 4)": lambda: TensorMap(X.reshape(-1, 2), (8, 2)),
        "expected strides that are multiples of 16 bytes, got (": lambda: TensorMap(X[:, :3].copy(), (8, 2)),
    },
)

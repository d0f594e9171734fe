# Every example of a kernel for SparseCores gives what its reference gives, with checks that find nothing.
#
# RUN: %python %s %repository/examples/sparse_core | FileCheck %s

import pathlib
import sys

import gridir
import jax
from gridir.cli.example import load_example
from gridir.testing import differences

# CHECK: 2 examples equal their references
count = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    example = load_example(str(path), None)
    for options in ({}, {"schedule_seed": 2, "checks": ["races", "semaphores"]}):
        with gridir.installed(**options):
            got = jax.jit(example.function)(*example.args)
        problems = differences(got, example.reference(*example.args), example.function, example.args)
        if problems:
            print(f"{path.stem} {options}:", *problems)
        count += not problems
print(f"{count} examples equal their references")

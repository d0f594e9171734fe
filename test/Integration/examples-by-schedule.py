# Every example of a kernel with threads of its own gives what its reference gives, in its own order and in others, and
# no check finds anything.
#
# RUN: %python %s %repository/examples/mosaic_gpu | FileCheck %s --check-prefix=WARPGROUPS
# RUN: %python %s %repository/examples/sparse_core | FileCheck %s --check-prefix=SPARSE-CORES

# WARPGROUPS: 12 examples equal their references
# SPARSE-CORES: 3 examples equal their references

import pathlib
import sys

import gridir
import jax
from gridir.cli.example import load_example
from gridir.testing import differences

count = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    example = load_example(str(path), None)
    for options in ({}, {"schedule_seed": 1}, {"schedule_seed": 2, "checks": ["races", "semaphores"]}):
        with gridir.installed(**options):
            got = jax.jit(example.function)(*example.args)
        problems = differences(got, example.reference(*example.args), example.function, example.args)
        if problems:
            print(f"{path.stem} {options}:", *problems)
        count += not problems
print(f"{count} examples equal their references")

# The examples give what interpret mode gives when their PTX for two generations of chips is executed thread by thread.
# On one of them those that do little are run in another order, with checks that must find nothing.
#
# RUN: %python %s %repository/examples | FileCheck %s

import pathlib
import sys

import jax
from gridir.cli.example import load_example
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.testing import difference, interpreted

WITH_DMA = ("double_buffer",)
CHECKED = ("add", "layer_norm", "overhang", "row_gather", "softmax", "stencil", "update_in_place")

# CHECK: 24 examples equal interpret mode
count = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    if path.stem in WITH_DMA:
        continue
    example = load_example(str(path), None)
    with interpreted():
        want = jax.jit(example.function)(*example.args)
    for chip in ("sm_80", "sm_90a"):
        how = {}
        if chip == "sm_90a" and path.stem in CHECKED:
            how = {"checks": ("races", "uninitialized"), "schedule_seed": 1}
        try:
            executable = execute(example.function, example.args, get_target(f"gpu:{chip}"), **how)
            problem = difference(executable.function(*example.args), want)
        except Exception as error:
            problem = str(error)
        if problem:
            print(f"{path.stem} on {chip}: {problem}")
        count += problem is None
print(f"{count} examples equal interpret mode")

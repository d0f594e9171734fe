# The Mosaic module that is made of every example, executed on this machine, gives what JAX's interpret mode gives.
#
# RUN: %python %s %repository/examples | FileCheck %s

import pathlib
import sys

import gridir
import jax
from gridir.cli.example import load_example
from gridir.compiler.cpu import CpuOptions
from gridir.testing import differences, interpreted

# The stencil reads windows of a vector that no tile of a TPU's memory holds.
REFUSED = {"stencil": "to be divided into multiples of 1024"}
THROUGH_TPU = CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu", platform="tpu")

# CHECK: 12 modules equal interpret mode, 1 refused
count = refused = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    example = load_example(str(path), None)
    function, args = example.function, example.args
    with interpreted():
        want = jax.jit(function)(*args)
    try:
        got = gridir.lower(function, *args, target="cpu", options=THROUGH_TPU).compile()(*args)
    except gridir.Error as error:
        if REFUSED.get(path.stem, "?") in str(error):
            refused += 1
        else:
            print(f"{path.stem}: {error}")
        continue
    problems = differences(got, want, function, args)
    if problems:
        print(f"{path.stem}:", *problems)
    count += not problems
print(f"{count} modules equal interpret mode, {refused} refused")

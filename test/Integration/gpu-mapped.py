# Kernels mapped to CTAs and threads of a GPU give what JAX's interpret mode gives when the mapped stage runs as loops
# on the CPU; with the last thread first, too, since between barriers threads must not depend on each other.
#
# RUN: %python %s %repository/examples | FileCheck %s

import pathlib
import sys

import gridir
import jax
from gridir.cli.example import load_example
from gridir.testing import difference, interpreted

WITH_DMA = ("double_buffer",)


def options(reverse):
    return gridir.CpuOptions(
        pipeline=f"grid-to-gpu{{stop-after=mapped}},gpu-unmap-loops{{reverse={str(reverse).lower()}}},loops-to-cpu"
    )


# CHECK: 12 examples equal interpret mode
count = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    if path.stem in WITH_DMA:
        continue
    example = load_example(str(path), None)
    function, args = example.function, example.args
    with interpreted():
        want = jax.jit(function)(*args)
    problem = None
    for reverse in (False, True):
        try:
            with gridir.installed(options=options(reverse)):
                problem = problem or difference(jax.jit(function)(*args), want)
        except Exception as error:
            problem = problem or str(error)
    if problem:
        print(f"{path.stem}: {problem}")
    count += problem is None
print(f"{count} examples equal interpret mode")

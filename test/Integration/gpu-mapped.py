# Kernels mapped to CTAs and threads of a GPU give what JAX's interpret mode gives when the mapped stage runs as loops
# on the CPU; with the last thread first, too, since between barriers threads must not depend on each other.
#
# RUN: %python %s %repository/examples | FileCheck %s

import functools
import pathlib
import sys

import gridir
import jax
from gridir.cli.example import load_example
from gridir.testing import compare, interpreted, run_wide


def options(reverse):
    unmap = f"gpu-unmap-loops{{reverse={str(reverse).lower()}}}"
    return gridir.CpuOptions(pipeline=f"grid-to-gpu{{path=mapped stop-after=mapped}},{unmap},loops-to-cpu")


# CHECK: 13 examples equal interpret mode
count = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    example = load_example(str(path), None)
    function, args = example.function, example.args
    with interpreted():
        want = jax.jit(function)(*args)
    in_float64 = functools.cache(functools.partial(run_wide, function, args))
    problems: list[str] = []
    for reverse in (False, True):
        try:
            with gridir.installed(options=options(reverse)):
                problems += [x.example for x in compare(jax.jit(function)(*args), want, in_float64) if x.wrong]
        except Exception as error:
            problems.append(str(error))
    if problems:
        print(f"{path.stem}:", *problems)
    count += not problems
print(f"{count} examples equal interpret mode")

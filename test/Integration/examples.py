# Every example gives what JAX's interpret mode gives, called through JAX and from the command line.
#
# RUN: %python %s %repository/examples | FileCheck %s

import pathlib
import sys

import gridir
import jax
from gridir.cli.example import load_example
from gridir.testing import differences, interpreted

# CHECK: 13 examples equal interpret mode
count = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    example = load_example(str(path), None)
    function, args = example.function, example.args
    with interpreted():
        want = jax.jit(function)(*args)
    try:
        with gridir.installed():
            got = jax.jit(function)(*args)
    except Exception as error:
        print(f"{path.stem}: {error}")
        continue
    problems = differences(got, want, function, args)
    if problems:
        print(f"{path.stem}:", *problems)
    count += not problems
print(f"{count} examples equal interpret mode")

# Every example gives what JAX's interpret mode gives, called through JAX and from the command line.
#
# RUN: %python %s %repository/examples | FileCheck %s

import importlib.util
import pathlib
import sys

import gridir
import jax
from gridir.testing import difference, interpreted

# CHECK: 13 examples equal interpret mode
count = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function, args = getattr(module, path.stem), module.example_args()
    with interpreted():
        want = jax.jit(function)(*args)
    try:
        with gridir.installed():
            got = jax.jit(function)(*args)
    except Exception as error:
        print(f"{path.stem}: {error}")
        continue
    problem = difference(got, want)
    if problem:
        print(f"{path.stem}: {problem}")
    count += problem is None
print(f"{count} examples equal interpret mode")

# REQUIRES: libtpu
# RUN: %python %s %repository | FileCheck %s

# Every example as a Mosaic module: jaxlib's own dialect verifies it, libtpu accepts it for two chips, and the very text
# that libtpu is given computes what interpret mode computes. One example has blocks of one dimension that no TPU can
# hold; JAX's own lowering refuses it as well.
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "test/python/runtime/tpu/Inputs"))

import gridir
import jax
from gridir.cli.example import load_example
from gridir.frontend.targets.tpu_aot import jax_own
from gridir.frontend.targets.tpu_report import compile_candidates, kernels_of
from gridir.testing import difference, interpreted, mosaic_interpreted
from jaxlib.mlir.passmanager import PassManager
from jaxlib_modules import parse

examples = {}
for path in sorted((root / "examples").glob("*.py")):
    example = load_example(str(path), None)
    examples[path.stem] = example.function, example.args

refused_by_jax = {name for name, (f, args) in examples.items() if any(k.error for k in jax_own(f, *args))}
kernels, owners, problems, refused = [], [], [], set()


def note(name, text):
    """Counts a problem, unless JAX's own lowering has one with the same example."""
    if name in refused_by_jax:
        refused.add(name)
    else:
        problems.append(f"{name}: {text}")


for name, (function, args) in examples.items():
    for kernel in kernels_of(gridir.lower(function, *args, target="tpu")):
        kernels.append(kernel)
        owners.append(name)
        if kernel.error is not None:
            continue
        # Jaxlib reads the serialised text, and takes it back to its own dialect, whose verifiers it runs.
        read = parse(kernel.program.body)
        with read.context:
            PassManager.parse("builtin.module(mosaic-serde{serialize=false})").run(read.operation)
            read.operation.verify()

for topology in ("v5e:2x2", "v6e:2x2"):
    with gridir.tpu.Workers(topology, timeout=90) as workers:
        report = compile_candidates(kernels, workers)
    for name, kernel in zip(owners, report.kernels, strict=True):
        if not kernel.accepted:
            note(name, f"{topology}: {kernel.error}")

for name, (function, args) in examples.items():
    with interpreted():
        want = jax.tree.leaves(jax.jit(function)(*args))
    try:
        with mosaic_interpreted():
            got = jax.tree.leaves(jax.jit(function)(*args))
    except Exception as error:
        note(name, error)
        continue
    problems += [f"{name}: {text}" for text in map(difference, got, want) if text]

print("\n".join(problems))
# CHECK: 13 kernels, 0 problems, refused as by JAX: ['stencil']
print(f"{len(kernels)} kernels, {len(problems)} problems, refused as by JAX: {sorted(refused)}")

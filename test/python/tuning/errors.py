# RUN: %python %s %S/../cli/Inputs 2>&1 | FileCheck %s

# Requests of `gridir tune` for unknown things.

import os
import sys
import tempfile

import gridir
import jax
import jax.numpy as jnp
from gridir.runtime.chip_constants import load_chip
from gridir.tuning.space import Record, Space, parse_choices
from jax.experimental import pallas as pl

sys.path.insert(0, sys.argv[1])
from tuned import plain, tuned

x = jax.ShapeDtypeStruct((512, 512), jnp.bfloat16)


def fails(call):
    try:
        call()
    except gridir.Error as error:
        print(str(error))
    else:
        print("no error")


def tune(**options):
    fails(lambda: gridir.tune(tuned, x, x, **{"space": {"rows": [512], "columns": [512]}, "cache": False, **options}))


# CHECK: expected a chip among tpu:v5e, {{.*}}, cpu, got 'tpu:v9'
tune(target="tpu:v9")
# CHECK-NEXT: expected a tier that this machine has for tpu:v5e ({{.*}}), got 'measure'
# CHECK-NEXT: note: only a chip of this machine can be measured
tune(tier="measure")
# CHECK-NEXT: expected a tier among estimate, compile, measure, got 'guess'
tune(tier="guess")
# CHECK-NEXT: expected a lowering among gridir, jax, got 'llvm'
tune(lowering="llvm")
# CHECK-NEXT: expected rows in the space or as an argument, got both
tune(rows=512)
# CHECK-NEXT: expected a space with parameters, got an empty one
tune(space={})
# CHECK-NEXT: expected a space as a mapping from parameters to values, got 3
tune(space=3)
# CHECK-NEXT: expected a list of values of rows, got 512
tune(space={"rows": 512})
# CHECK-NEXT: expected numbers, texts, None or tuples of them as values of rows, got <
# CHECK-NEXT: note: a Record makes other objects of them: Record(lambda layout: Layout[layout], {'layout': [...]})
tune(space={"rows": [tune]})
# CHECK-NEXT: expected each parameter of a space once, got rows twice
tune(space={"rows": [512], "sizes": Record(dict, {"rows": [512]})})
# CHECK-NEXT: expected a space with a configuration that its condition admits, got none
tune(space=Space({"rows": [512], "columns": [512]}, lambda rows, columns: rows < 512))

# CHECK-NEXT: expected a condition of the space that takes rows=512 columns=512, got ZeroDivisionError: {{.*}}
tune(space=Space({"rows": [512], "columns": [512]}, lambda rows, columns: rows < 1 / 0))
# CHECK-NEXT: expected top to be a number from 1 on, got 0
tune(top=0)
# CHECK-NEXT: expected jobs to be a number from 1 on, got '2'
tune(jobs="2")
# CHECK-NEXT: expected arguments that tuned.tuned(x, y, *, rows, columns, depth=512) takes, with rows of the space, got
# CHECK-SAME: others: missing a required {{.*}}'columns'
tune(space={"rows": [512]})
# CHECK-NEXT: expected arguments that tuned.tuned({{.*}}) takes, with rows, columns, y of the space, got others:
# CHECK-SAME: multiple values for argument 'y'
tune(space={"rows": [512], "columns": [512], "y": [1]})
# CHECK-NEXT: expected a function, got 3
fails(lambda: gridir.tune(3, x, space={"rows": [1]}, cache=False))
# CHECK-NEXT: expected arguments of known shapes, got a dimension a
symbolic = jax.ShapeDtypeStruct(jax.export.symbolic_shape("a,512"), jnp.bfloat16)
fails(lambda: gridir.tune(tuned, symbolic, x, space={"rows": [512], "columns": [512]}, cache=False))

# CHECK-NEXT: expected a function with kernels, got 'plain' that calls none
# CHECK-NEXT: note: a kernel is a call of pl.pallas_call or pl.kernel
fails(lambda: gridir.tune(plain, x, x, space={"rows": [1]}, cache=False))


# Values for which the grid or the blocks are empty or negative are not legal on any chip.
def whole(x, *, size):
    block = pl.BlockSpec((size, 512), lambda i, j: (0, 0))
    out = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(copy, grid=(x.shape[0] // 512, 1), in_specs=[block], out_specs=block, out_shape=out)(x)


def both(x, *, size):
    block = pl.BlockSpec((8, 512), lambda i, j: (0, 0))
    grid = (x.shape[0] // size, x.shape[1] // size)
    out = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(copy, grid=grid, in_specs=[block], out_specs=block, out_shape=out)(x)


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


for function in (whole, both):
    for target in ("tpu:v5e", "gpu:sm_90a", "cpu"):
        options = {"target": target, "tier": "estimate", "cache": False, "check": False}
        result = gridir.tune(function, x, space={"size": [-8, 512]}, **options)
        # CHECK-COUNT-3: whole {'size': -8} has blocks of x_ref without elements: (-8, 512)
        # CHECK-COUNT-3: both {'size': -8} has a grid without steps: (-64, -64)
        print(function.__name__, result.ranking[-1].config, result.ranking[-1].outcome.reason)

# CHECK-NEXT: expected each parameter once, got rows twice
fails(lambda: parse_choices(["rows=1", "rows=2"]))
# CHECK-NEXT: expected a parameter as name=value,value, got 'rows'
fails(lambda: parse_choices(["rows"]))
# A range is no list of values, and no text unless it is quoted.
# CHECK-NEXT: expected each value of rows, got the range '1-4'
# CHECK-NEXT: {{.*}}a list of values is written as 1,2,3,4; a text is written in quotation marks
fails(lambda: parse_choices(["rows=8,1-4"]))
# CHECK: expected each value of rows, got the range '2..8'
fails(lambda: parse_choices(["rows=2..8"]))
# CHECK: {'rows': ['1-4', -1, 0.0001, 'a-b']}
print(parse_choices(['rows="1-4",-1,1e-4,a-b']))

with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "new.toml")
    with open(path, "w") as file:
        file.write('["tpu:v9"]\nflops = { value = 1e12, source = "a test" }')
    # CHECK-NEXT: expected a constant bandwidth of tpu:v9, got flops
    fails(lambda: load_chip("tpu:v9", path)["bandwidth"])
    path = os.path.join(directory, "chips.toml")
    for text in ("value", '["tpu:v5e"]\nflops = 1'):
        with open(path, "w") as file:
            file.write(text)
        # CHECK-NEXT: expected a file of constants, got '{{.*}}chips.toml': {{.*}}
        # CHECK-NEXT: expected a value and a source of flops of tpu:v5e, got 1
        fails(lambda: load_chip("tpu:v5e", path))
    with open(path, "w") as file:
        file.write('["tpu:v5e"]\nflops = { value = 1e12, source = "a test" }')
    # CHECK-NEXT: 1000000000000.0 a test 819000000000.0
    chip = load_chip("tpu:v5e", path)
    print(chip["flops"], chip.sources["flops"], chip["bandwidth"])
# CHECK-NEXT: unverified reviews of B200; CUDA programming guide, compute capability 10.0
print(load_chip("gpu:sm_100a").sources["flops"])

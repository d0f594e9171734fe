# RUN: %python %s %S/../cli/Inputs | FileCheck %s

# A result has the ranking, is stored as text, is merged, and supplies the best values.

import sys

import gridir
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

sys.path.insert(0, sys.argv[1])
from tuned import scaled, tuned


def tune(rows, size=2048, target="tpu:v5e", function=tuned):
    x = jax.ShapeDtypeStruct((size, size), jnp.bfloat16)
    space = {"rows": rows, "columns": [512]}
    return gridir.tune(function, x, x, space=space, target=target, tier="estimate", cache=False, check=False)


def fails(call):
    try:
        call()
    except gridir.Error as error:
        print(str(error))


result = tune([128, 512])
# CHECK: {'rows': 512, 'columns': 512} 2
print(result.best, len(result.ranking))
# CHECK-NEXT: TuningResult(tuned.tuned for tpu:v5e)
print(repr(result))

# The text of a result gives the same result.
# CHECK-NEXT: True
print(gridir.TuningResult.loads(result.dumps()).dumps() == result.dumps())
# CHECK-NEXT: expected the text of a tuning result
fails(lambda: gridir.TuningResult.loads("[]"))
# CHECK-NEXT: expected a result of format 1, got 7
fails(lambda: gridir.TuningResult.loads('{"format": 7}'))

# Results of one problem are joined, those of several stand side by side.
# CHECK-NEXT: 1 3
merged = result | tune([256])
print(len(merged.problems), len(merged.ranking))
# CHECK-NEXT: 2
both = result | tune([128], size=1024)
print(len(both.problems))
# CHECK-NEXT: expected a result of one problem, got 2
fails(lambda: both.best)
# CHECK-NEXT: expected a legal configuration of tuned.tuned, got none: ValueError: the matrices are cut into
fails(lambda: tune([3]).best)

# A record is made again from the text.
space = {"out": gridir.tuning.Record(dict, {"rows": [256, 512]})}


def with_record(x, *, out):
    return scaled(x, **out)


y = jnp.ones((1024, 128), jnp.float32)
record = gridir.tune(with_record, y, space=space, tier="estimate", cache=False, check=False)
# CHECK-NEXT: {'out': {'rows': 256}} {'out': {'rows': 256}}
print(record.best, gridir.TuningResult.loads(record.dumps()).best)

# Values without a text form work as long as the result is not read from text.
made = {"out": gridir.tuning.Record(lambda **sizes: sizes, {"rows": [256]})}
record = gridir.tune(with_record, y, space=made, tier="estimate", cache=False, check=False)
# CHECK-NEXT: {'out': {'rows': 256}}
print(record.best)
# CHECK-NEXT: expected __main__:<lambda>, which makes a record of parameters, got none
# CHECK-NEXT: note: a result that is read from text needs a function that can be imported, as no lambda can
fails(lambda: gridir.TuningResult.loads(record.dumps()).best)


# The model does not see numbers of buffers, and says so.
def buffered(x, *, buffers):
    block = pl.BlockSpec((128, 128), lambda i: (i, 0), pipeline_mode=pl.Buffered(buffers))
    out = pl.BlockSpec((128, 128), lambda i: (i, 0))
    kernel = pl.pallas_call(copy_kernel, grid=(8,), in_specs=[block], out_specs=out, out_shape=x)
    return kernel(x)


def copy_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


buffers = gridir.tune(buffered, y, space={"buffers": [1, 2]}, tier="estimate", cache=False, check=False)
# CHECK-NEXT: ('configurations differ in numbers of buffers, which the model does not see: it does not rank them',) True
print(buffers.problem.notes, all(buffers.problem.is_tied(entry) for entry in buffers.ranking))

tells = False


# Within the context the best values are supplied, also while JAX traces.
@gridir.tuned(space={"rows": [256, 512]})
def scale(x, offset=0, *, rows):
    """Scales."""
    assert offset == 0
    if tells:
        print("rows", rows)
    return scaled(x, rows=rows)


# CHECK-NEXT: expected a tuning result for {{.*}}scale of float32[1024,128], got none in force
# CHECK-NEXT: note: on_miss='heuristic' or 'tune' finds values where there is none
fails(lambda: scale(y))
best = gridir.tune(scale.__wrapped__, y, space={"rows": [256, 512]}, tier="estimate", cache=False, check=False)
tells = True
with best, gridir.installed():
    # CHECK-NEXT: rows 256
    # CHECK-NEXT: rows 256
    scale(y)
    jax.jit(scale)(y)
    # An argument may be given by its name, and a default as well.
    # CHECK-NEXT: rows 256
    # CHECK-NEXT: rows 256
    scale(x=y)
    scale(y, 0)
    # An argument that is given is left as it is.
    # CHECK-NEXT: rows 512
    scale(y, rows=512)
# CHECK-NEXT: expected on_miss among error, heuristic, tune, got 'hope'
fails(lambda: gridir.tuned(space={}, on_miss="hope"))

guessed = gridir.tuned(scaled, space={"rows": [256, 512]}, target="tpu:v5e", on_miss="heuristic", cache=False)
with gridir.installed():
    # CHECK-NEXT: True
    print(bool((guessed(y) == 2).all()))

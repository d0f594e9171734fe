# RUN: %python %s %S/../cli/Inputs | FileCheck %s

# A result has the ranking, is stored as text, is merged, and supplies the best values.

import sys

import gridir
import jax
import jax.numpy as jnp

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


tells = False


# Within the context the best values are supplied, also while JAX traces.
@gridir.tuned(space={"rows": [256, 512]})
def scale(x, *, rows):
    """Scales."""
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
    # An argument that is given is left as it is.
    # CHECK-NEXT: rows 512
    scale(y, rows=512)
# CHECK-NEXT: expected on_miss among error, heuristic, tune, got 'hope'
fails(lambda: gridir.tuned(space={}, on_miss="hope"))

guessed = gridir.tuned(scaled, space={"rows": [256, 512]}, target="tpu:v5e", on_miss="heuristic", cache=False)
with gridir.installed():
    # CHECK-NEXT: True
    print(bool((guessed(y) == 2).all()))

# `pltpu.einshape` natively and through the module for a TPU: equations that move whole tiles, and others.
# RUN: %python %s | FileCheck %s

import functools

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference, mosaic_interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

CASES = (
    ("ab(cd)->cabd", (2, 8, 512), {"c": 4}, jnp.float32),
    ("a(bc)->abc", (8, 512), {"c": 128}, jnp.float32),
    ("abc->a(bc)", (8, 4, 128), {}, jnp.float32),
    ("a(bc)->b(ac)", (16, 512), {"c": 128}, jnp.float32),
    ("(ab)(cd)->(ac)(bd)", (32, 512), {"a": 2, "c": 4}, jnp.bfloat16),
    ("ab->ba", (8, 128), {}, jnp.int32),
)


def kernel(x_ref, o_ref, *, equation, **options):
    o_ref[...] = pltpu.einshape(equation, x_ref[...], **options)


def call(equation, x, **options):
    out = jax.eval_shape(functools.partial(pltpu.einshape, equation, **options), x)
    return pl.pallas_call(functools.partial(kernel, equation=equation, **options), out_shape=out)(x)


def by_hand(equation, x, sizes):
    """The result by one reshape, one transpose and another reshape, without JAX."""
    source, target = ([part.strip("()") for part in side.split()] for side in _spaced(equation))
    for group, size in zip(source, x.shape, strict=True):
        known = [name for name in group if name in sizes]
        (rest,) = set(group) - set(known) or (None,)
        if rest is not None:
            sizes = {**sizes, rest: size // int(np.prod([sizes[name] for name in known], dtype=int))}
    order = ["".join(source).index(name) for name in "".join(target)]
    apart = x.reshape([sizes[name] for name in "".join(source)]).transpose(order)
    return apart.reshape([int(np.prod([sizes[name] for name in group])) for group in target])


def _spaced(equation):
    """The sides of an equation with a space between groups."""
    inside, text = False, ""
    for letter in equation.replace("->", ">"):
        inside = letter == "(" or (inside and letter != ")")
        text += letter if inside else f"{letter} "
    return text.split(">")


# CHECK-COUNT-12: right
# CHECK-NOT: wrong
rng = np.random.default_rng(0)
for equation, shape, sizes, dtype in CASES:
    x = jnp.asarray(rng.integers(-99, 99, shape), dtype)
    want = by_hand(equation, np.asarray(x), sizes)
    for context in (gridir.installed(), mosaic_interpreted()):
        with context:
            problem = difference(jax.jit(functools.partial(call, equation, **sizes))(x), want)
        print(equation, f"wrong: {problem}" if problem else "right")


# On a TPU the claim of an author is checked, as by JAX.
# CHECK-NEXT: whole tiles: lowered
# CHECK-NEXT: parts: einshape_lo: expected an equation that keeps tiles whole, as assert_is_tile_preserving says, got
# CHECK-SAME: 'a(bc)->b(ac)'; leave assert_is_tile_preserving out
def claims(title, equation, shape, **sizes):
    x = jax.ShapeDtypeStruct(shape, jnp.float32)
    try:
        f = functools.partial(call, equation, assert_is_tile_preserving=True, **sizes)
        gridir.lower(f, x, target="tpu")
        print(f"{title}: lowered")
    except gridir.UnsupportedError as error:
        print(f"{title}: {error.message}; {error.notes[0]}")


claims("whole tiles", "ab(cd)->cabd", (2, 8, 512), c=4)
claims("parts", "a(bc)->b(ac)", (4, 512), b=4)

# Rounding is distinguished from faults: correct implementations of a function pass, also where sums cancel, and planted
# bugs do not, also where they are small beside the largest numbers of the array.
#
# RUN: %python %s %repository/examples | FileCheck %s

import functools
import pathlib
import sys
import warnings

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.cli.example import load_example
from gridir.testing import compare, interpreted, run_wide
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def normal(seed, shape, dtype="float32"):
    return jax.random.normal(jax.random.key(seed), shape, jnp.float32).astype(dtype)


def load(name):
    example = load_example(str(pathlib.Path(sys.argv[1], f"{name}.py")), None)
    return example.function, example.args


def chunked_matmul(x, y, chunk=64, skip=None):
    """A product whose terms are added in another order; without one term of each sum where `skip` says so."""
    total = jnp.zeros((x.shape[0], y.shape[1]), jnp.float32)
    for k in reversed(range(0, x.shape[1], chunk)):
        left = x[:, k : k + chunk].astype(jnp.float32)
        if k == skip:
            left = left.at[:, 3].set(0)
        total += jnp.dot(left, y[k : k + chunk].astype(jnp.float32))
    return total.astype(x.dtype)


def bf16_sum_kernel(x_ref, o_ref, acc_ref):
    """Adds up rows in bfloat16, which rounds every partial sum."""
    acc_ref[...] = jnp.zeros_like(acc_ref)
    for i in range(x_ref.shape[0]):
        acc_ref[...] += x_ref[i : i + 1]
    o_ref[...] = acc_ref[...]


def bf16_sum(x):
    out = jax.ShapeDtypeStruct((1, x.shape[1]), x.dtype)
    scratch = [pltpu.VMEM((1, x.shape[1]), x.dtype)]
    return pl.pallas_call(bf16_sum_kernel, out_shape=out, scratch_shapes=scratch, name="bf16_sum")(x)


def wide_sum(x, skip=None):
    terms = x.astype(jnp.float32) if skip is None else x.astype(jnp.float32).at[skip].set(0)
    return jnp.sum(terms, axis=0, keepdims=True).astype(x.dtype)


def softmax(x, columns=None, mask=0):
    """Softmax of rows; of `columns` of them only, or with `mask` columns too few in the sum."""
    x = x[:, :columns]
    e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
    return e / jnp.sum(e[:, : x.shape[1] - mask], axis=-1, keepdims=True)


def softmax_by_reciprocals(x):
    e = jnp.exp2((x - jnp.max(x, axis=-1, keepdims=True)) * np.float32(1 / np.log(2)))
    return e * (1 / jnp.sum(e[:, ::-1], axis=-1, keepdims=True))


def softmax_by_logarithms(x):
    return jnp.exp(x - jax.nn.logsumexp(x, axis=-1, keepdims=True))


def normalised(x, scale, bias, epsilon=1e-6, ddof=0):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    return (x - mean) / jnp.sqrt(jnp.var(x, axis=-1, keepdims=True, ddof=ddof) + epsilon) * scale + bias


def attention(q, k, v, edge=0):
    """Causal attention at once; with `edge` 1 each query sees one key too many."""
    scores = jnp.einsum("hqd,hkd->hqk", q, k) * q.shape[-1] ** -0.5
    rows, columns = jnp.arange(q.shape[1])[:, None], jnp.arange(q.shape[1])
    scores = jnp.where(rows + edge >= columns, scores, -jnp.inf)
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores, axis=-1), v)


def cancelling(x, y):
    """Differences of sums that are nearly equal: few digits are left, and other ones in each order."""
    return jnp.sum(x, axis=1) - jnp.sum(y, axis=1)


def cancelling_terms(x, y, skip=0):
    return jnp.sum((x - y)[:, skip:], axis=1)


def quantised(x):
    return jnp.round(jnp.dot(x, x.T) * 3).astype(jnp.int8)


def log_gamma_kernel(x):
    """Compiled by gridir, which has an approximation of its own."""

    def kernel(x_ref, o_ref):
        o_ref[...] = jax.scipy.special.gammaln(x_ref[...])

    with gridir.installed(replace_interpret=True):
        return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def compiled(function):
    """A function of elements in a kernel that gridir compiles, with its own approximations."""

    def call(*args):
        def kernel(*refs):
            refs[-1][...] = function(*(ref[...] for ref in refs[:-1]))

        with gridir.installed(replace_interpret=True):
            return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(args[0].shape, args[0].dtype))(*args)

    return call


def narrow_norm(x, w):
    """A root mean square norm in bfloat16, in which each op rounds."""
    mean = jnp.mean(jnp.square(x), axis=-1, keepdims=True)
    return w * (x * jax.lax.rsqrt(mean + jnp.asarray(1e-5, x.dtype)))


def narrow_norm_by_roots(x, w, epsilon=1e-5):
    """The same in another order, with as many roundings."""
    mean = jnp.mean(jnp.square(x), axis=-1, keepdims=True)
    return (w * x) / jnp.sqrt(mean + jnp.asarray(epsilon, x.dtype))


def changed(function, index, change):
    """The same with one element changed."""
    return lambda *args: (lambda y: y.at[index].set(change(y[index])))(function(*args))


rows = normal(2, (256, 512))
scaled = rows * jnp.logspace(-3, 3, 256)[:, None].astype(jnp.float32)
narrow = (normal(3, (64, 512), "bfloat16"),)
near = (rows, rows + 1e-3 * normal(4, rows.shape))

positive = tuple(jax.random.uniform(jax.random.key(seed), (32, 128), minval=0.1, maxval=20.0) for seed in (7, 8))

# Function, arguments, honest implementations, planted bugs.
CASES = {
    "matmul": (
        *load("matmul"),
        {"reversed": chunked_matmul, "longer chunks": functools.partial(chunked_matmul, chunk=256)},
        {
            "a term is missing": functools.partial(chunked_matmul, skip=128),
            "a block is missing": lambda x, y: chunked_matmul(x[:, 128:], y[128:]),
            "a block is that of the neighbour": lambda x, y: chunked_matmul(x, jnp.roll(y, 128, 0)),
            "one element": changed(chunked_matmul, (77, 300), lambda v: v * (1 + 1e-3)),
        },
    ),
    "matmul_bf16": (
        *load("matmul_bf16"),
        {"reversed": chunked_matmul, "by XLA": jnp.dot},
        {
            "a term is missing": functools.partial(chunked_matmul, skip=128),
            "accumulated in bfloat16": lambda x, y: sum(
                (chunked_matmul(x[:, k : k + 16], y[k : k + 16]) for k in range(16, 512, 16)),
                start=chunked_matmul(x[:, :16], y[:16]),
            ),
            "three units in the last place": changed(chunked_matmul, (5, 5), lambda v: v * (1 + 3 * 2.0**-7)),
        },
    ),
    "bf16_sum": (
        bf16_sum,
        narrow,
        {"in float32": wide_sum, "from the end": lambda x: bf16_sum(x[::-1])},
        {"a term is missing": functools.partial(wide_sum, skip=3), "a block is missing": lambda x: wide_sum(x[16:])},
    ),
    "igamma": (
        jax.lax.igamma,
        positive,
        {"by gridir": compiled(jax.lax.igamma)},
        {
            "another shape": lambda a, x: jax.lax.igamma(a * (1 + 1e-4), x),
            "one element": changed(jax.lax.igamma, (5, 7), lambda v: v * (1 + 1e-3)),
        },
    ),
    "igammac": (
        jax.lax.igammac,
        positive,
        {"by gridir": compiled(jax.lax.igammac)},
        {"the complement": jax.lax.igamma, "another argument": lambda a, x: jax.lax.igammac(a, x * (1 - 1e-4))},
    ),
    "betainc": (
        jax.lax.betainc,
        (*positive, jax.random.uniform(jax.random.key(9), (32, 128))),
        {"by gridir": compiled(jax.lax.betainc)},
        {"another shape": lambda a, b, x: jax.lax.betainc(a, b * (1 + 1e-4), x)},
    ),
    "narrow_norm": (
        narrow_norm,
        (normal(5, (48, 128), "bfloat16"), normal(6, (128,), "bfloat16")),
        {"by roots": narrow_norm_by_roots},
        {
            "another epsilon": functools.partial(narrow_norm_by_roots, epsilon=0.2),
            "sixteen units in the last place": changed(narrow_norm, (5, 5), lambda v: v * (1 + 16 * 2.0**-7)),
        },
    ),
    "softmax": (
        softmax,
        (scaled,),
        {"by reciprocals": softmax_by_reciprocals},
        {
            "the last column": functools.partial(softmax, mask=1),
            # The logarithm of a large number has few digits after the point.
            "digits are lost": softmax_by_logarithms,
        },
    ),
    "layer_norm": (
        *load("layer_norm"),
        {"at once": normalised},
        {"epsilon": functools.partial(normalised, epsilon=1e-3), "one row less": functools.partial(normalised, ddof=1)},
    ),
    "causal_attention": (
        *load("causal_attention"),
        {"at once": attention},
        {"the mask is off by one": functools.partial(attention, edge=1)},
    ),
    "cancelling": (
        cancelling,
        near,
        {"of the differences": cancelling_terms},
        {"the first term is missing": functools.partial(cancelling_terms, skip=1)},
    ),
    "log_gamma": (
        lambda x: jax.scipy.special.gammaln(x),
        (jnp.linspace(-3.4, 6.0, 4096).reshape(32, 128),),
        {"by gridir": log_gamma_kernel},
        {"of the next number": lambda x: jax.scipy.special.gammaln(x * (1 + 1e-5))},
    ),
    # Beside its zeros below -2, where terms cancel that the function is made of, an error in these would show.
    "log_gamma_below_zero": (
        lambda x: jax.scipy.special.gammaln(x),
        (jnp.linspace(-4.0, -0.001, 8192).reshape(64, 128),),
        {"by gridir": log_gamma_kernel},
        {"of the next number": lambda x: jax.scipy.special.gammaln(x * (1 + 1e-5))},
    ),
    "quantised": (
        quantised,
        (rows[:, :64],),
        {"reversed": lambda x: quantised(x[:, ::-1])},
        {"one off": changed(quantised, (3, 3), lambda v: v - 1)},
    ),
}

honest, found = 0, 0
for name, (function, args, implementations, bugs) in CASES.items():
    with interpreted():
        want = jax.jit(function)(*args)
    with interpreted():
        run = run_wide(function, args)
    for title, other in {**implementations, **bugs}.items():
        with interpreted():
            got = jax.jit(other)(*args)
        (result,) = compare(got, want, lambda run=run: run)
        honest += title in implementations and not result.wrong
        found += title in bugs and result.wrong > 0
        if (title in bugs) != (result.wrong > 0):
            print(f"{name}, {title}:", *result.describe("the other"), sep="\n  ")
# CHECK: 17 honest implementations of 17 are right, 25 bugs of 25 are found
counts = [sum(len(case[i]) for case in CASES.values()) for i in (2, 3)]
print(f"{honest} honest implementations of {counts[0]} are right, {found} bugs of {counts[1]} are found")

# A signaling NaN, which memory that nothing has written may hold, is a NaN as any other: NumPy does not warn of it.
two = np.array([1, 2], np.float32)
signaling = np.array([0x3F800000, 0x7FA00001], np.uint32).view(np.float32)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    (result,) = compare(signaling, two, lambda: run_wide(lambda x: x, (two,)))
# CHECK: 1 of 2 elements are wrong
print(f"{result.wrong} of 2 elements are wrong")

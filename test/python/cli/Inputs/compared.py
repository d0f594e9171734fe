"""A file for `gridir run`: kernels that are right or wrong in ways that their own interpretation does not show."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

SHAPE = jax.ShapeDtypeStruct((32, 128), jnp.float32)


def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def call(x, name, index_map):
    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return pl.pallas_call(
        double_kernel,
        out_shape=SHAPE,
        grid=(4,),
        in_specs=[pl.BlockSpec((8, 128), index_map)],
        out_specs=rows,
        name=name,
    )(x)


def compared(x):
    return call(x, "compared", lambda i: (i, 0))


def shifted(x):
    return call(x, "shifted", lambda i: (jnp.minimum(i + 1, 3), 0))


def unwritten(x):
    def kernel(x_ref, o_ref, scratch_ref):
        o_ref[...] = x_ref[...] + scratch_ref[...]

    scratch = [pltpu.VMEM((32, 128), jnp.float32)]
    return pl.pallas_call(kernel, out_shape=SHAPE, scratch_shapes=scratch, name="unwritten")(x)


def undefined(x):
    """The first element is 0 / 0."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] / x_ref[...] + x_ref[...]

    return pl.pallas_call(kernel, out_shape=SHAPE, name="undefined")(x)


def cancelled(x):
    """Sums of few digits, which depend on the order."""

    def kernel(x_ref, o_ref):
        x = x_ref[...]
        o_ref[...] = jnp.broadcast_to(jnp.sum(x * 1.001, axis=0) - jnp.sum(x, axis=0) * 1.001, o_ref.shape)

    return pl.pallas_call(kernel, out_shape=SHAPE, name="cancelled")(x)


def narrow(x):
    """As the reference, with an accumulator of few bits."""

    def kernel(x_ref, o_ref):
        term = (x_ref[...] / 4).astype(jnp.bfloat16)
        total = jax.lax.fori_loop(0, 8, lambda _, acc: acc + term, jnp.zeros_like(term))
        o_ref[...] = total.astype(o_ref.dtype)

    return pl.pallas_call(kernel, out_shape=SHAPE, name="narrow")(x)


def racing(x):
    """Each program reads what another one writes."""

    def kernel(x_ref, o_ref):
        i = pl.program_id(0)
        o_ref[pl.ds(8 * i, 8)] = x_ref[...]
        o_ref[0, 0] = o_ref[8 * i, 1]

    return pl.pallas_call(
        kernel,
        out_shape=SHAPE,
        grid=(4,),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((32, 128), lambda i: (0, 0)),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)),
        name="racing",
    )(x)


def outside(x, i):
    """Reads rows at an index that the call gives, which lie outside of the block."""

    def kernel(i_ref, x_ref, o_ref):
        o_ref[...] = x_ref[pl.ds(pl.multiple_of(i_ref[0], 8), 32)]

    specs = [pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec()]
    return pl.pallas_call(kernel, out_shape=SHAPE, in_specs=specs, name="outside")(i, x)


def outside_of_rows(x):
    return outside(x, jnp.array([8], jnp.int32))


def short(x):
    """The grid lacks the last block."""
    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return pl.pallas_call(double_kernel, out_shape=SHAPE, grid=(3,), in_specs=[rows], out_specs=rows, name="short")(x)


def padded(x):
    """Adds up rows, also those past the end of the array."""

    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += jnp.sum(x_ref[...], axis=0, keepdims=True)

    rows = pl.BlockSpec((24, 128), lambda i: (i, 0))
    whole = pl.BlockSpec((32, 128), lambda i: (0, 0))
    return pl.pallas_call(kernel, out_shape=SHAPE, grid=(2,), in_specs=[rows], out_specs=whole, name="padded")(x)


def moved(x):
    """The same as `shifted`, moved by what comes after the kernel, and back."""
    halves = jnp.transpose(-shifted(x)).reshape(128, 2, 16)[:, :, :]
    return -(halves.reshape(128, 32).T * 1.0).astype(x.dtype)


def looping(x):
    """JAX's interpret mode does not know the program's number inside of a loop."""

    def kernel(x_ref, o_ref):
        def body(_, value):
            return value + pl.program_id(0)

        o_ref[...] = x_ref[...] * jax.lax.fori_loop(0, 2, body, jnp.int32(2)).astype(jnp.float32)

    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return pl.pallas_call(kernel, out_shape=SHAPE, grid=(4,), in_specs=[rows], out_specs=rows, name="looping")(x)


def reference(x):
    return x * 2


def example_args():
    return (jnp.arange(32.0 * 128).reshape(32, 128),)


def stale(x):
    """A ring whose slot is read before it is filled: two blocks hold what the memory held, the others old rows."""

    def kernel(x_ref, o_ref, kept_ref):
        slot = pl.program_id(0) % 2
        o_ref[...] = kept_ref[slot]
        kept_ref[slot] = x_ref[...] * 2

    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    scratch = [pltpu.VMEM((2, 8, 128), jnp.float32)]
    return pl.pallas_call(
        kernel, out_shape=SHAPE, grid=(4,), in_specs=[rows], out_specs=rows, scratch_shapes=scratch, name="stale"
    )(x)


def skipped(x):
    """Fills half of its scratch."""

    def kernel(x_ref, o_ref, kept_ref):
        kept_ref[:, :64] = x_ref[:, :64] * 2
        o_ref[...] = kept_ref[...]

    scratch = [pltpu.VMEM((32, 128), jnp.float32)]
    return pl.pallas_call(kernel, out_shape=SHAPE, scratch_shapes=scratch, name="skipped")(x)


def accumulated(x):
    """Adds to an output that an input is in, which a TPU does not copy to the block of the output."""

    def kernel(x_ref, _, o_ref):
        o_ref[...] += x_ref[...]

    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return pl.pallas_call(
        kernel,
        out_shape=SHAPE,
        grid=(4,),
        in_specs=[rows, rows],
        out_specs=rows,
        input_output_aliases={1: 0},
        name="accumulated",
    )(x, x)

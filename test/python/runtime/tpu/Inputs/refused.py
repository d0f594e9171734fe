"""Kernels that Mosaic refuses, each for another reason; what JAX's lowering makes of them is what it sees."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def arguments(*pairs):
    """The abstract arguments of shapes and dtypes."""
    return [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in pairs]


def call(kernel, out, **options):
    """A `pallas_call` of that kernel."""
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(*out), **options)


def rows(size):
    """Blocks of that many rows."""
    return pl.BlockSpec((size, 128), lambda i: (i, 0))


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def reshapes(x_ref, o_ref):
    o_ref[...] = x_ref[...].reshape(13, 70)  # the line of the reshape


def adds_int8(x_ref, o_ref):
    o_ref[...] = x_ref[...] + x_ref[...]


def multiplies_int16(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)


def gathers(x_ref, i_ref, o_ref):
    o_ref[...] = jnp.take_along_axis(x_ref[...], i_ref[...], axis=1)


def rolls(x_ref, o_ref):
    o_ref[...] = pltpu.roll(x_ref[...], 3, 1)


f32, i8, i16, i32 = jnp.float32, jnp.int8, jnp.int16, jnp.int32
steps = {"grid": (8,), "out_specs": rows(8)}
element = pl.BlockSpec((pl.Element(8), pl.Element(128)), lambda i: (i * 4, 0))

KERNELS = {
    "reshape": (call(reshapes, ((13, 70), f32)), arguments(((7, 130), f32))),
    "int8 sum": (call(adds_int8, ((32, 128), i8)), arguments(((32, 128), i8))),
    "float16": (call(copy, ((8, 128), jnp.float16)), arguments(((8, 128), jnp.float16))),
    "int16 matmul": (call(multiplies_int16, ((128, 128), f32)), arguments(((128, 128), i16), ((128, 128), i16))),
    "gather": (call(gathers, ((8, 256), f32)), arguments(((8, 256), f32), ((8, 256), i32))),
    "rotate": (call(rolls, ((16, 128), jnp.bfloat16)), arguments(((16, 128), jnp.bfloat16))),
    "small block": (call(copy, ((64, 128), i8), in_specs=[rows(8)], **steps), arguments(((64, 128), i8))),
    "unaligned": (call(copy, ((64, 128), f32), in_specs=[element], **steps), arguments(((64, 128), f32))),
    "too large": (
        call(copy, ((512, 512), f32), compiler_params=pltpu.CompilerParams(vmem_limit_bytes=1 << 20)),
        arguments(((512, 512), f32)),
    ),
    "scratch": (
        call(copy, ((8, 128), f32), compiler_params=pltpu.CompilerParams(internal_scratch_in_bytes=1024)),
        arguments(((8, 128), f32)),
    ),
    "flag": (
        call(copy, ((8, 128), f32), compiler_params=pltpu.CompilerParams(flags={"nope": 1})),
        arguments(((8, 128), f32)),
    ),
    "cores": (
        call(
            copy,
            ((64, 128), f32),
            in_specs=[rows(8)],
            compiler_params=pltpu.CompilerParams(dimension_semantics=("core_parallel",)),
            **steps,
        ),
        arguments(((64, 128), f32)),
    ),
    "float8": (call(copy, ((32, 128), jnp.float8_e4m3fn)), arguments(((32, 128), jnp.float8_e4m3fn))),
}

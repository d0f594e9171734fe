"""Writes the bundles of the tests to a directory: those that the command line names, or all."""

import sys
from pathlib import Path

import gridir
import jax
import jax.numpy as jnp
import kernels
from gridir.compiler.bundle import bundle_of
from gridir.runtime.gpu import write_bundle
from jax.experimental import pallas as pl

S = jax.ShapeDtypeStruct
f32, i32 = S((64, 128), jnp.float32), S((32,), jnp.int32)
directory, names = Path(sys.argv[1]), sys.argv[2:]


def write(name, function, *args, chip="sm_90a", path="auto"):
    if names and name not in names:
        return
    lowered = gridir.lower(function, *args, target=f"gpu:{chip}", options=gridir.GpuOptions(chip=chip, path=path))
    write_bundle(bundle_of(lowered.kernels), directory / f"{name}.gridir")


write("add", kernels.add, f32, f32)
write("update", kernels.update, i32)
write("copies", kernels.copies, S((256,), jnp.float32))
write("both_signs", kernels.both_signs, f32)
write("some_rows", kernels.some_rows, S((), jnp.int32), f32, path="mapped")
write("some_rows_program", kernels.some_rows, S((), jnp.int32), f32)
write("gather", kernels.gather, S((1,), jnp.int32), f32)
with pl.enable_debug_checks():
    write("checked_row", kernels.checked_row, S((1,), jnp.int32), f32)
    write("unguarded_row", kernels.unguarded_row, S((1,), jnp.int32), f32)
write("masked", kernels.masked, f32, S(f32.shape, jnp.bool_))
write("product", kernels.product, S((128, 192), jnp.bfloat16), S((192, 128), jnp.bfloat16), S((128, 128), jnp.float32))
write("both", lambda x, y, i: (kernels.add(x, y), kernels.update(i)), f32, f32, i32)
write("sm_100a", kernels.add, f32, f32, chip="sm_100a")
write("rescaled", kernels.rescaled, S((8, 128), jnp.float8_e4m3fn))
write("widened", kernels.widened, S((8, 128), jnp.int4))
write("halves", kernels.halves, S((128,), jnp.uint8))

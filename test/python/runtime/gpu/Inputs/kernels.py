"""Functions whose kernels are put into bundles."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def add(x, y):
    def add_kernel(x_ref, y_ref, o_ref):
        o_ref[...] = x_ref[...] + y_ref[...]

    return pl.pallas_call(add_kernel, out_shape=jax.ShapeDtypeStruct((64, 128), jnp.float32), name="add")(x, y)


def update(x):
    def update_kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    return pl.pallas_call(
        update_kernel,
        out_shape=jax.ShapeDtypeStruct((32,), jnp.int32),
        input_output_aliases={0: 0},
        name="update",
    )(x)


def copies(x):
    """Copies by tensor maps; the programs meet at a semaphore of the launch."""

    def copies_kernel(x, o, tile, barrier):
        semaphore = pl.get_global(plgpu.SemaphoreType.REGULAR)
        plgpu.copy_gmem_to_smem(x, tile, barrier)
        plgpu.barrier_wait(barrier)
        plgpu.copy_smem_to_gmem(tile, o)
        plgpu.wait_smem_to_gmem(0)
        pl.semaphore_signal(semaphore, 1)
        pl.semaphore_wait(semaphore, 1)

    return plgpu.kernel(
        copies_kernel,
        out_type=jax.ShapeDtypeStruct((256,), jnp.float32),
        scratch_types=(plgpu.SMEM((256,), jnp.float32), plgpu.Barrier()),
    )(x)


def both_signs(x):
    """Has two results, and an operand without elements."""

    def both_signs_kernel(x_ref, e_ref, o_ref, m_ref):
        o_ref[...] = x_ref[...]
        m_ref[...] = -x_ref[...]

    return pl.pallas_call(
        both_signs_kernel,
        out_shape=[jax.ShapeDtypeStruct((64, 128), jnp.float32)] * 2,
        name="both_signs",
    )(x, jnp.zeros((0, 128), jnp.float32))


def some_rows(n, x):
    """Doubles the first blocks of rows; the call gives their number."""

    def some_rows_kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    rows = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
    return pl.pallas_call(
        some_rows_kernel,
        grid=(n, 1),
        in_specs=[rows],
        out_specs=rows,
        out_shape=jax.ShapeDtypeStruct((64, 128), jnp.float32),
        input_output_aliases={0: 0},
        name="some_rows",
    )(x)


def gather(i, x):
    """Reads a row that may be out of bounds, which is an error of the launch."""

    def gather_kernel(i_ref, x_ref, o_ref):
        o_ref[...] = x_ref[i_ref[0]]

    return pl.pallas_call(
        gather_kernel,
        out_shape=jax.ShapeDtypeStruct((128,), jnp.float32),
        name="gather",
    )(i, x)


def checked_row(i, x):
    """A kernel of warpgroups that checks the row which it reads."""

    def checked_row_kernel(i, x, o):
        pl.debug_check(i[0] != 7, "row 7 is reserved")
        pl.debug_check(i[0] >= 0, "expected a row")
        o[...] = x[jnp.maximum(i[0], 0)]

    return plgpu.kernel(checked_row_kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.float32))(i, x)


def unguarded_row(i, x):
    """A kernel of warpgroups that checks the row, and reads it also if it does not exist."""

    def unguarded_row_kernel(i, x, o):
        pl.debug_check(i[0] < 64, "expected one of 64 rows")
        o[...] = x[i[0]]

    return plgpu.kernel(unguarded_row_kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.float32))(i, x)


def masked(x, m):
    """Has operands and results of bools."""

    def masked_kernel(x_ref, m_ref, o_ref, p_ref):
        o_ref[...] = jnp.where(m_ref[...], x_ref[...], 0.0)
        p_ref[...] = ~m_ref[...]

    shape = (64, 128)
    shapes = [jax.ShapeDtypeStruct(shape, jnp.float32), jax.ShapeDtypeStruct(shape, jnp.bool_)]
    return pl.pallas_call(masked_kernel, out_shape=shapes, name="masked")(x, m)


def product(x, y, total):
    """Becomes a warpgroup program; adds a product to another matrix."""

    def product_kernel(x_ref, y_ref, total_ref, o_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            o_ref[...] = total_ref[...]

        o_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    block = pl.BlockSpec((64, 64), lambda i, j, k: (i, j))
    return pl.pallas_call(
        product_kernel,
        grid=(2, 2, 3),
        in_specs=[
            pl.BlockSpec((64, 64), lambda i, j, k: (i, k)),
            pl.BlockSpec((64, 64), lambda i, j, k: (k, j)),
            block,
        ],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct((128, 128), jnp.float32),
        name="product",
    )(x, y, total)


def rescaled(x):
    """Doubles floats of a byte, as floats of another byte."""

    def rescaled_kernel(x_ref, o_ref):
        o_ref[...] = (2 * x_ref[...].astype(jnp.float32)).astype(jnp.float8_e5m2)

    return pl.pallas_call(rescaled_kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float8_e5m2), name="rescaled")(
        x
    )


def widened(x):
    """Threads read elements of 4 bits, each from a byte."""

    def widened_kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...].astype(jnp.int32)

    return pl.pallas_call(widened_kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.int32), name="widened")(x)


def halves(x, *, also_by_threads=False):
    """Bulk copies store bytes as elements of 4 bits, two in a byte."""

    def halves_kernel(x, o, union):
        whole, pairs = union
        whole[...] = x[...]
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(pairs, o)
        plgpu.wait_smem_to_gmem(0)
        if also_by_threads:
            o[...] = o[...] + o[...]

    return plgpu.kernel(
        halves_kernel,
        out_type=jax.ShapeDtypeStruct((256,), jnp.uint4),
        scratch_types=[plgpu.RefUnion(plgpu.SMEM((128,), jnp.uint8), plgpu.SMEM((256,), jnp.uint4))],
        kernel_name="halves",
    )(x)

# RUN: %python %s | FileCheck %s

# The reference interpreter of Mosaic modules runs everything that libtpu accepts: counts of bits, memory that is seen
# as another type or in another shape, parts of it, and the cooperation of the subcores of a SparseCore.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import mosaic_interpreted
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

problems, count = [], 0


def check(name, f, args, want):
    """Runs a function natively and by the interpreter; both give what is expected."""
    global count
    count += 1
    for how, context in (("natively", gridir.installed()), ("interpreted", mosaic_interpreted())):
        try:
            with context, gridir.tpu.chip("v6e"):
                got = jax.tree.leaves(jax.jit(lambda *xs: f(*xs))(*args))
        except gridir.Error as error:
            problems.append(f"{name}, {how}: {error}")
            continue
        if not all(
            np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(got, jax.tree.leaves(want), strict=True)
        ):
            problems.append(f"{name}, {how}: differs")


def like(arrays):
    return jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), arrays)


def call(kernel, out):
    """A function that calls a kernel whose results are like `out`, when it is traced."""
    return lambda x: pl.pallas_call(kernel, out_shape=like(out))(x)


rng = np.random.default_rng(0)
for dtype in ("int32", "uint32", "int16", "uint16", "int8", "uint8"):
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, (32, 128), dtype, endpoint=True)
    x[0, :4] = [0, info.max, info.min, 1]

    def counts(x_ref, ones_ref, zeros_ref):
        ones_ref[...] = lax.population_count(x_ref[...])
        zeros_ref[...] = lax.clz(x_ref[...])

    want = lax.population_count(jnp.asarray(x)), lax.clz(jnp.asarray(x))
    check(f"counts {dtype}", call(counts, want), [jnp.asarray(x)], want)

x = jnp.asarray(rng.standard_normal((16, 128)), jnp.float32)


def upper(x_ref, o_ref):
    o_ref.bitcast(jnp.uint32)[...] = lax.bitcast_convert_type(x_ref[...], jnp.uint32) & jnp.uint32(0xFFFF0000)


want = (np.asarray(x).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
check("seen as uint32", call(upper, x), [x], want)


def halves(x_ref, o_ref):
    # Rows that lie in one word: the second of each pair is its high half.
    o_ref.bitcast(jnp.int16)[...] = x_ref.bitcast(jnp.int16)[...] ^ -0x8000


negated = np.asarray(x).view(np.uint32) ^ np.uint32(0x80008000)
check("seen as int16", call(halves, x), [x], negated.view(np.float32))


def words(x_ref, o_ref):
    o_ref.bitcast(jnp.int32)[0:4] = x_ref.bitcast(jnp.int32)[4:8] ^ 1
    o_ref.bitcast(jnp.int32)[4:8] = x_ref.bitcast(jnp.int32)[0:4]


narrow = rng.integers(-128, 127, (32, 128), np.int8)
swapped = np.concatenate([narrow[16:], narrow[:16]])
swapped[0:16:4] ^= 1
check("seen as int32", call(words, swapped), [jnp.asarray(narrow)], swapped)


def part(x_ref, o_ref, held):
    pltpu.sync_copy(x_ref, held)
    piece = held.at[:, 8:16].reshape(32, 128)
    piece[...] = piece[...] * 2
    piece.bitcast(jnp.int32)[0:8] = piece.bitcast(jnp.int32)[8:16]
    pltpu.sync_copy(held, o_ref)


stack = jnp.arange(4 * 16 * 128, dtype=jnp.float32).reshape(4, 16, 128)
anywhere = pl.BlockSpec(memory_space=pl.ANY)
want = np.array(stack)
piece = 2 * want[:, 8:16].reshape(32, 128)
piece[0:8] = piece[8:16]
want[:, 8:16] = piece.reshape(4, 8, 128)
check(
    "a part in another shape",
    lambda x: pl.pallas_call(
        part,
        out_shape=like(x),
        in_specs=[anywhere],
        out_specs=anywhere,
        scratch_shapes=[pltpu.VMEM(x.shape, x.dtype)],
    )(x),
    [stack],
    want,
)


def random(seed_ref, o_ref):
    pltpu.prng_seed(seed_ref[0], 5)
    o_ref[...] = pltpu.prng_random_bits(o_ref.shape) + pltpu.prng_random_bits(o_ref.shape)


def drawn(seed):
    out = jax.ShapeDtypeStruct((8, 128), jnp.int32)
    return pl.pallas_call(random, out_shape=out, in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM)])(seed)


seed = jnp.asarray([7], jnp.int32)
with gridir.installed():
    want = jax.jit(drawn)(seed)
check("random numbers", drawn, [seed], want)

# Kernels of SparseCores.
with gridir.tpu.chip("v6e"):
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")
    scalar = plsc.ScalarSubcoreMesh(axis_name="core")
subcores, cores = mesh.num_subcores, mesh.num_cores
lanes = jnp.arange(mesh.size * 8, dtype=jnp.int32).reshape(-1, 8)


def kernel(body, x, *scratch, mesh=mesh):
    return pl.kernel(body, out_type=like(x), mesh=mesh, scratch_types=scratch)


def me():
    return lax.axis_index("core") * subcores + lax.axis_index("subcore")


LANES = pltpu.VMEM((8,), jnp.int32)


def adds(x_ref, o_ref, held):
    pltpu.sync_copy(x_ref.at[me()], held)
    held[...] = held[...] + 1
    pltpu.sync_copy(held, o_ref.at[me()])


check("subcores", kernel(adds, lanes, LANES), [lanes], lanes + 1)


def neighbours(x_ref, o_ref, held, shared):
    number = lax.axis_index("subcore")
    pltpu.sync_copy(x_ref.at[me()], held)
    pltpu.sync_copy(held, shared.at[number])
    plsc.subcore_barrier()
    pltpu.sync_copy(shared.at[lax.rem(number + 1, subcores)], held)
    plsc.subcore_barrier()
    pltpu.sync_copy(held, o_ref.at[me()])


want = np.roll(np.asarray(lanes).reshape(cores, subcores, 8), -1, 1).reshape(-1, 8)
shared = pltpu.VMEM_SHARED((subcores, 8), jnp.int32)
check("a barrier", kernel(neighbours, lanes, LANES, shared), [lanes], want)


def scalars(x_ref, o_ref, held):
    core = lax.axis_index("core")
    pltpu.sync_copy(x_ref.at[core], held)
    held[0] = held[0] * 3
    pltpu.sync_copy(held, o_ref.at[core])


first = lanes[: scalar.num_cores]
want = np.array(first)
want[:, 0] *= 3
check("scalar subcores", kernel(scalars, first, pltpu.SMEM((8,), jnp.int32), mesh=scalar), [first], want)


def lane_ops(x_ref, o_ref, held, rows, indices):
    pltpu.sync_copy(x_ref.at[me()], held)
    x = held[...]
    chosen = x % 3 > 0
    keys, values = plsc.sort_key_val(x % 5, x, descending=True)
    counts, last = plsc.scan_count(x % 3, chosen)
    total = plsc.all_reduce_population_count(chosen) * 100 + plsc.all_reduce_ffs(chosen) * 10
    indices[...] = (x + 3) % 8
    pltpu.sync_copy(x_ref.at[indices], rows)
    gathered = plsc.load_gather(rows, [indices[...], x % 8])
    held[...] = keys + 10 * values + counts + last.astype(jnp.int32) + total + gathered + plsc.cumsum(x)
    plsc.addupdate_scatter(held, [indices[...]], x)
    pltpu.sync_copy(held, o_ref.at[me()])


ROWS = pltpu.VMEM((8, 8), jnp.int32)
with gridir.installed(), gridir.tpu.chip("v6e"):
    want = jax.jit(kernel(lane_ops, lanes, LANES, ROWS, LANES))(lanes)
check("lanes", kernel(lane_ops, lanes, LANES, ROWS, LANES), [lanes], want)


# A deadlock is an error with the author's line.
def stuck(x_ref, o_ref, semaphore):
    @pl.when(lax.axis_index("subcore") == 1)
    def _():
        pl.semaphore_wait(semaphore, 1)  # nobody signals


try:
    with mosaic_interpreted():
        jax.jit(kernel(stuck, lanes, pltpu.SemaphoreType.REGULAR))(lanes)
except Exception as error:
    # CHECK: waits for a semaphore of 1, which is 0
    # CHECK: pl.semaphore_wait(semaphore, 1)  # nobody signals
    print(error)

print("\n".join(problems))
# CHECK: {{[0-9]+}} kernels, 0 problems
print(f"{count} kernels, {len(problems)} problems")

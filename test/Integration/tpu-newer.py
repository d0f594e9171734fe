# REQUIRES: libtpu
# RUN: %python %s | FileCheck %s

# Additions of JAX 0.11 and 0.12 for TPUs: each runs natively and through the module for a TPU, which libtpu accepts, or
# is an error that names it at the author's line.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.frontend.targets.tpu_report import compile_candidates, kernels_of
from gridir.testing import difference, mosaic_interpreted
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ANYWHERE = pl.BlockSpec(memory_space=pl.ANY)
kernels, problems = [], []


def check(name, kernel, args, want, *, cpu_only=False, **options):
    """Runs a kernel natively, and as a module for a TPU, which libtpu compiles."""

    def f(*xs):
        return pl.pallas_call(kernel, out_shape=out, name="".join(filter(str.isalnum, name)), **options)(*xs)

    out = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), want)
    for context in (gridir.installed(), *([] if cpu_only else [mosaic_interpreted()])):
        with context:
            problem = difference(jax.jit(f)(*args), want)
        problems.extend([f"{name}: {problem}"] if problem else [])
    if not cpu_only:
        kernels.extend((name, kernel) for kernel in kernels_of(gridir.lower(f, *args, target="tpu")))


rng = np.random.default_rng(0)
x = jnp.asarray(rng.standard_normal((16, 128)), jnp.float32)

if hasattr(pltpu, "conv"):
    image = jnp.asarray(rng.integers(-4, 4, (1, 8, 8, 128)), jnp.float32)
    window = jnp.asarray(rng.integers(-4, 4, (3, 3, 128, 128)), jnp.float32)
    start = jnp.asarray(rng.integers(-4, 4, (1, 8, 8, 128)), jnp.float32)
    numbers = ("NHWC", "HWIO", "NHWC")

    def conv(x_ref, w_ref, s_ref, o_ref):
        o_ref[...] = pltpu.conv(x_ref[...], w_ref[...], s_ref[...], dimension_numbers=numbers, padding="SAME")

    want = start + lax.conv_general_dilated(image, window, (1, 1), "SAME", dimension_numbers=numbers)
    check("conv", conv, [image, window, start], want)

    def flipped(x_ref, w_ref, o_ref):
        o_ref[...] = pltpu.conv(
            x_ref[...],
            w_ref[...],
            dimension_numbers=numbers,
            window_strides=(2, 2),
            padding=[(1, 1), (1, 1)],
            window_reversal=(True, False),
        )

    want = lax.conv_general_dilated(image, window[::-1], (2, 2), [(1, 1)] * 2, dimension_numbers=numbers)
    check("conv reversed", flipped, [image, window], want, cpu_only=True)


def products(equation, *shapes):
    """Checks an einsum of small integers."""
    arrays = [jnp.asarray(rng.integers(-4, 4, shape), jnp.float32) for shape in shapes]

    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = jnp.einsum(equation, x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    check(equation, kernel, arrays, np.einsum(equation, *map(np.asarray, arrays)))


products("i,j->ij", (128,), (256,))
products("bi,bj->bij", (8, 128), (8, 256))
# libtpu 0.0.50 accepts several contracted, and several batch dimensions.
if jax.__version_info__ >= (0, 12):
    products("mab,abn->mn", (16, 8, 128), (8, 128, 128))
    products("abm,abn->mn", (8, 128, 16), (8, 128, 32))
    products("mab,nba->mn", (16, 8, 128), (32, 128, 8))
    products("abmk,abnk->abmn", (2, 3, 8, 128), (2, 3, 16, 128))

if hasattr(pltpu, "annotate"):

    def claims(x_ref, o_ref):
        # A claim that is wrong changes nothing: the second row is what the first one has become.
        free = pltpu.annotate(o_ref, no_hazard_no_deps=True)
        free[...] = x_ref[...]
        free[0:1] = free[0:1] + 1
        o_ref[1:2] = pltpu.annotate(o_ref.at[0:1], no_bank_conflict=True)[...]

    want = x.at[0].add(1)
    vmem = pl.BlockSpec(memory_space=pltpu.VMEM)
    check("annotate", claims, [x], want.at[1].set(want[0]), in_specs=[vmem], out_specs=vmem)

if hasattr(pltpu, "has_memory_space"):

    def asks(x_ref, o_ref, held):
        @pl.when(pltpu.has_memory_space(x_ref, pltpu.HBM))
        def _():
            pltpu.sync_copy(x_ref.at[...].memory_space_cast(pltpu.HBM), held)

        @pl.when(~pltpu.has_memory_space(x_ref, pltpu.HBM))
        def _():
            held[...] = x_ref.at[...].memory_space_cast(pltpu.VMEM)[...] * 0

        o_ref[...] = held[...]

    scratch = {"in_specs": [ANYWHERE], "scratch_shapes": [pltpu.VMEM(x.shape, x.dtype)]}
    check("asks", asks, [x], x, cpu_only=True, **scratch)

    def cast(x_ref, o_ref, held):
        pltpu.sync_copy(x_ref.at[...].memory_space_cast(pltpu.HBM), held)
        o_ref[...] = held[...] + 1

    check("cast", cast, [x], x + 1, **scratch)

if hasattr(pltpu, "pack_fp6"):
    bytes_ = jnp.asarray(rng.integers(0, 64, (128, 128)), jnp.int8)

    def six(x_ref, o_ref):
        two, four = pltpu.pack_fp6(x_ref[...])
        o_ref[...] = pltpu.unpack_fp6(two, four)

    check("fp6", six, [bytes_], bytes_)

    def parts(x_ref, o_ref):
        low, high = pltpu.split_bits(x_ref[...], (4, 2))
        o_ref[...] = low.astype(jnp.int8) + 16 * high.astype(jnp.int8)

    low, high = (np.asarray(bytes_) & 15, np.asarray(bytes_) >> 4 & 3)
    signed = np.where(low > 7, low - 16, low) + 16 * np.where(high > 1, high - 4, high)
    check("split bits", parts, [bytes_], jnp.asarray(signed, jnp.int8))

if hasattr(pltpu, "has_memory_space"):

    def reads(x_ref, o_ref, held, arrived, read):
        copy = pltpu.make_async_copy(x_ref, held, arrived, src_sem=read)
        copy.start()
        copy.wait_read()
        copy.wait_write()
        o_ref[...] = held[...]

    def only_reads(x_ref, o_ref, held, arrived, read):
        copy = pltpu.make_async_copy(x_ref, held, src_sem=read)
        copy.start()
        copy.wait_read()
        o_ref[...] = held[...] + 1

    semaphores = {
        "in_specs": [ANYWHERE],
        "scratch_shapes": [pltpu.VMEM(x.shape, x.dtype), pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA],
    }
    check("reads", reads, [x], x, cpu_only=True, **semaphores)
    check("only reads", only_reads, [x], x + 1, cpu_only=True, **semaphores)


def constrained(x):
    held = pltpu.with_memory_space_constraint(x, pltpu.VMEM)
    kernel = lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...] * 2)  # noqa: E731
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(held)


with gridir.installed():
    problems += ["constrained"] if not np.array_equal(jax.jit(constrained)(x), 2 * x) else []
kernels += [("constrained", kernel) for kernel in kernels_of(gridir.lower(constrained, x, target="tpu"))]

with gridir.tpu.Workers("v5e:2x2", timeout=90) as workers:
    reports = compile_candidates([kernel for _, kernel in kernels], workers).kernels
problems += [f"{name}: {r.error}" for (name, _), r in zip(kernels, reports, strict=True) if not r.accepted]
print("\n".join(problems))
# CHECK: {{[0-9]+}} kernels, 0 problems
print(f"{len(kernels)} kernels, {len(problems)} problems")


def refused(title, kernel, *args, target="cpu", **options):
    out = jax.ShapeDtypeStruct(args[0].shape, args[0].dtype)
    try:
        with gridir.tpu.chip("tpu7x"):
            gridir.lower(pl.pallas_call(kernel, out_shape=out, **options), *args, target=target)
        print(f"{title}: lowered")
    except gridir.Error as error:
        print(f"{title}: {error}")


# An array that a kernel has begun to copy when the next one begins: its semaphore is that of both.
if hasattr(pltpu, "emit_pipeline_with_async_prefetch"):

    def prefetched(x):
        mesh = pltpu.TensorCoreMesh(axis_name="core", num_cores=1)
        spec = pl.BlockSpec((8, 128), lambda i: (i, 0), pipeline_mode=pl.Buffered(2, prefetched_count=1))
        add = lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...] + 1)  # noqa: E731
        pipeline, prefetch = pltpu.emit_pipeline_with_async_prefetch(
            add, grid=(2,), in_specs=[spec], out_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))], mesh=mesh
        )
        source, target = jax.new_ref(x), jax.new_ref(jnp.zeros_like(x))
        allocations = prefetch(source)
        pl.kernel(lambda: pipeline(source, target, allocations=allocations), out_type=(), mesh=mesh, name="adds")()
        return target[...]

    with gridir.tpu.chip("v5e"):
        with gridir.installed():
            print("prefetched:", difference(jax.jit(prefetched)(x), x + 1))
        try:
            with mosaic_interpreted():
                jax.jit(prefetched)(x)
        except gridir.Error as error:
            print(error)
else:
    print("prefetched: None")
    print("expected a kernel with semaphores of its own, got one that shares semaphores with another kernel")
    print("in kernel")
# CHECK: prefetched: None
# CHECK-NEXT: expected a kernel with semaphores of its own, got one that shares semaphores with another kernel
# CHECK-NEXT: in kernel


def accumulates(x_ref, o_ref, *acc):
    pltpu.matmul_push_rhs(x_ref[...], 0, 0)  # the line of the push
    if acc:
        pltpu.matmul_acc_lhs(acc[0], x_ref[...], load_staged_rhs=0)
        o_ref[...] = pltpu.matmul_pop(acc[0])
    else:
        pltpu.matmul_lhs_fifo(x_ref[...], 0, load_staged_rhs=0)
        o_ref[...] = pltpu.matmul_pop_fifo(o_ref.shape, jnp.float32, 0)


def holds(x_ref, o_ref, acc):
    o_ref[...] = x_ref[...]


square = jnp.ones((256, 256))
if hasattr(pltpu, "matmul_lhs_fifo"):
    refused("fifo", accumulates, square)
else:
    print("fifo: `matmul_lhs_fifo` `matmul_pop_fifo` `matmul_push_rhs`, the line of the push")
# CHECK: fifo: {{.*}}`matmul_{{(lhs_fifo|push_rhs)}}`
# CHECK: the line of the push
if hasattr(pltpu, "ACC"):
    with gridir.tpu.chip("tpu7x"):
        acc = pltpu.ACC(0)((256, 256), jnp.float32)
    refused("accumulator", accumulates, square, scratch_shapes=[acc])
    refused("unused", holds, square, scratch_shapes=[acc])
    refused("unused on a TPU", holds, square, scratch_shapes=[acc], target="tpu")
else:
    print("accumulator: `matmul_acc_lhs`")
    print("unused: expected a Ref in a memory that gridir supports, got ACC\n" * 2)
# CHECK: accumulator: {{.*}}`matmul_acc_lhs`
# CHECK: unused{{.*}}: expected a Ref in a memory that gridir supports, got ACC
# CHECK: unused{{.*}}: expected a Ref in a memory that gridir supports, got ACC
if hasattr(pltpu, "has_memory_space"):
    refused("space", asks, x, target="tpu", **scratch)
else:
    print("space: expected a kernel that does not read the memory space of an operand")
# CHECK: space: {{.*}}expected a kernel that does not read the memory space of an operand
if hasattr(pltpu, "has_memory_space"):
    refused("read", reads, x, target="tpu", **semaphores)

    def waits(x_ref, o_ref, held, arrived, read):
        pltpu.make_async_copy(x_ref, held, src_sem=read).wait_write()

    def starts(x_ref, o_ref, held, arrived, read):
        pltpu.make_async_copy(x_ref, held).start()

    def moved(x_ref, o_ref):
        o_ref[...] = x_ref.at[...].memory_space_cast(pltpu.VMEM)[...]

    refused("waits", waits, x, **semaphores)
    refused("starts", starts, x, **semaphores)
    refused("moved", moved, x, target="tpu", in_specs=[ANYWHERE])
else:
    print("read: expected a copy to another device with a semaphore of the source")
    print("waits: expected a semaphore that counts the arrived data")
    print("starts: expected a semaphore that counts the arrived data")
    print("moved: expected a cast of a Ref to its own memory space, got")
# CHECK: read: {{.*}}expected a copy to another device with a semaphore of the source
# CHECK: waits: {{.*}}expected a semaphore that counts the arrived data
# CHECK: starts: {{.*}}expected a semaphore that counts the arrived data
# CHECK: moved: {{.*}}expected a cast of a Ref to its own memory space, got #grid.space<any> cast to

# RUN: %python %s | FileCheck %s
"""What a rule refuses in the body of a kernel: each row is an error's words and a kernel that meets it."""

import jax
import jax.numpy as jnp
from gridir.errors import KernelError, UnsupportedError
from gridir.frontend.lower import lower
from jax import lax
from jax._src.pallas.mosaic import sc_primitives
from jax.experimental import checkify
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc
from jax.experimental.pallas import triton as pltriton
from refusals import report
from show import array

X, N, C = array(), array(jnp.int32, 8), array(jnp.complex64)


def body(function, *args, params=None):
    """Lowers a kernel that is this function of the Refs of its arguments and its result, which is like the first."""

    def kernel(*refs):
        function(*refs)

    return lambda: lower(pl.pallas_call(kernel, out_shape=args[0], compiler_params=params), *args)


def value(function, *args):
    """Lowers a kernel that writes this function of whole arguments."""

    def kernel(*refs):
        result = function(*(ref[...] for ref in refs[:-1]))
        refs[-1][...] = jnp.broadcast_to(result, refs[-1].shape).astype(refs[-1].dtype)

    return lambda: lower(pl.pallas_call(kernel, out_shape=args[0]), *args)


def scoped(scratch, function, params=None):
    """Lowers a kernel that does this with a Ref of its own, its argument and its result."""
    return body(lambda x, o: pl.run_scoped(lambda ref: function(ref, x, o), scratch), X, params=params)


def assembly(x):
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    [y] = pltriton.elementwise_inline_asm(
        "sqrt.approx.f32 $0, $1;", args=[x], constraints="=f,f", pack=1, result_shape_dtypes=[result]
    )
    return y


def waits_if(x, n, o):
    pl.run_scoped(lambda ref: pl.semaphore_wait(ref, 1, decrement=n[0] > 0), pltpu.SemaphoreType.REGULAR)


def of_warpgroup(function):
    """Lowers a kernel of a warpgroup that is this function of its argument and its result."""
    return lambda: lower(plgpu.kernel(function, out_type=X), X)


def copies_rows(x, n, o):
    rows, others = (ref.at[pl.ds(0, n[0])].transpose((1, 0)) for ref in (x, o))
    pl.run_scoped(lambda ref: pltpu.async_copy(rows, others, ref).wait(), pltpu.SemaphoreType.DMA)


def copied(source, dest):
    """Lowers a kernel that copies between what these functions of a Ref, of rows and of their indices give."""

    def kernel(x, n, o):
        pl.run_scoped(lambda ref: pltpu.async_copy(source(x, n), dest(o, n), ref).start(), pltpu.SemaphoreType.DMA)

    return body(kernel, X, jnp.zeros((8, 8), jnp.int32))


def swapped(x, o):
    params = {"has_mask": False, "tree": jax.tree.structure([]), "add": False}
    if jax.__version_info__ >= (0, 12):
        params["compress"] = False
    old = sc_primitives.swap_p.bind(o, x[...], **params)
    o[...] = old + 1


def through(ref, x, o):
    ref[...] = x[...]
    o[...] = ref[...]


def reads(read):
    """Copies what a function of the Refs gives."""
    return lambda *refs: refs[-1].__setitem__(..., read(*refs[:-1]))


# CHECK: UnsupportedError: 28 of 28 refused in these words
report(
    UnsupportedError,
    {
        "expected a dtype that `xor` combines, got float32": body(
            lambda x, o: pltriton.atomic_xor(o, (0, 0), x[0, 0]), X
        ),
        "expected real arrays, got a conversion from complex64 to float32": value(
            lambda x, c: lax.convert_element_type(c, jnp.float32), X, C
        ),
        "expected a branch for platform `cpu` or a default, got (('tpu',), ('cuda',))": value(
            lambda x: lax.platform_dependent(x, tpu=jnp.sin, cuda=jnp.cos), X
        ),
        "max: expected operands of another dtype, got complex64": value(lambda c: lax.max(c, c), C),
        "expected an array of another dtype, got complex64": value(lambda c, n: c.at[n].max(1), C, N),
        "expected an operand of another dtype, got complex64": value(lambda c: lax.reduce_max(c, (0,)), C),
        "expected placeholders of the format that name a value, got `{!r}`": body(
            lambda x, o: pl.debug_print("{!r}", x[0, 0]), X
        ),
        "expected placeholders of the format that name a value, got `{name}`": body(
            lambda x, o: pl.debug_print("{name}", x[0, 0]), X
        ),
        "expected a debug check, got a check that `jax.experimental.checkify` is to functionalize": body(
            lambda x, o: checkify.check(x[0, 0] > 0, "negative"), X
        ),
        "expected `decrement` to be known when the kernel is traced": body(waits_if, X, N),
        "expected each element once where a Ref is written, got a stride of 0": body(
            lambda x, o: o.__setitem__(pl.ds(0, 8, 0), x[...]), X
        ),
        "expected each element of a window once, got a stride of 0": body(
            reads(lambda x: x.at[pl.ds(0, 8, 0)].at[0:8][...]), X
        ),
        "expected no array of indices beside a slice with a stride of 0": body(
            lambda x, n, o: o.__setitem__((..., pl.ds(0, 8)), x[pl.ds(0, 8, 0), n[...]]), X, N
        ),
        "expected an array of indices only where the Ref is read or written": body(
            reads(lambda x, n: x.at[n[...]].at[0:8][...]), X, N
        ),
        "expected a slice of static size, got a computed size": body(copies_rows, X, N),
        "expected a Ref transform that gridir knows, got PeerMemRef": body(
            reads(lambda x: plgpu.remote_ref(x, jnp.int32(0))[...]), X
        ),
        "expected axes over which the call is mapped, as in shard_map, got ('x',)": of_warpgroup(
            lambda x, o: plgpu.multimem_store(x[...], o, "x")
        ),
        "expected a reduction among add, min, max, and, or, xor, got `inc`": of_warpgroup(
            lambda x, o: pl.run_scoped(
                lambda tile: plgpu.copy_smem_to_gmem(tile, plgpu.remote_ref(o, 0), reduction_op="inc"),
                plgpu.SMEM(X.shape, X.dtype),
            )
        ),
        "expected Refs without layout transforms, got": scoped(
            plgpu.SMEM((8, 128), jnp.float32, transforms=(plgpu.TilingTransform((8, 32)),)),
            through,
        ),
        "expected a dtype that kernels support, got barrier": scoped(
            plgpu.Barrier(), lambda ref, x, o: plgpu.barrier_arrive(ref), pltpu.CompilerParams()
        ),
        "expected an array of indices in the first dimension of the last indexer of a copy": copied(
            lambda x, n: x.at[:8, n[0]], lambda o, n: o.at[:8, :8]
        ),
        "expected indices of rows in one dimension, got 2": copied(
            lambda x, n: x.at[n, 0:16], lambda o, n: o.at[n, 0:16]
        ),
        "expected a kernel of vector subcores, got another one": body(lambda x, o: plsc.subcore_barrier(), X),
        "expected a mask of one dimension, got 2": body(
            lambda x, o: o.__setitem__(..., plsc.load_expanded(x.at[...], mask=x[...] > 0)), X
        ),
        "expected no use of the old contents of the Ref": body(swapped, X),
        "expected the assembly of `approx_tanh`, got 'sqrt.approx.f32 $0, $1;'": value(assembly, X),
        "note: write it with jax.numpy": value(assembly, X),
        "expected a dtype that kernels support, got void": value(lambda x, y: x, X, array(jax.dtypes.float0)),
    },
)

# CHECK: KernelError: 2 of 2 refused in these words
report(
    KernelError,
    {
        "expected a copy between Refs of one shape and dtype, got one from float32[4, 128] of refs[0] to "
        "float32[8, 128] of refs[2]": copied(lambda x, n: x.at[:4], lambda o, n: o),
        "got one from float32[8, 128] of refs[0] to int32[8, 128] of ": body(
            lambda x, o: pl.run_scoped(
                lambda ref: (pltpu.sync_copy(x, ref), o.__setitem__(..., ref[...].astype(o.dtype))),
                pltpu.VMEM((8, 128), jnp.int32),
            ),
            X,
        ),
    },
)

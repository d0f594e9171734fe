# RUN: %python %s | FileCheck %s

# The work of kernels that program warpgroups, and the times that the model predicts for a GPU.

import functools

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.frontend.estimates.step_form import alone
from gridir.frontend.estimates.step_work import count_work
from gridir.runtime.chip_constants import load_chip
from gridir.runtime.ptxas import CodeCounts
from gridir.tuning.gpu_model import Resources, predict
from gridir.tuning.space import as_space
from gridir.tuning.traced import trace
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

M, N, K, DEPTH = 256, 512, 1024, 64
TRANSFORMS = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def product(x, y, *, stages, persistent):
    """A product in tiles of 128 x 128; the programs of a persistent one have several tiles each."""

    def tile(x_gmem, y_gmem, out_gmem, out_smem, row, column):
        def scope(acc):
            def body(_, x_smem, y_smem):
                plgpu.wgmma(acc, x_smem, y_smem)
                plgpu.wgmma_wait(0)

            spec = functools.partial(plgpu.BlockSpec, transforms=TRANSFORMS)
            plgpu.emit_pipeline(
                body,
                grid=(K // DEPTH,),
                in_specs=[spec((128, DEPTH), lambda k: (row, k)), spec((DEPTH, 128), lambda k: (k, column))],
                max_concurrent_steps=stages,
            )(x_gmem, y_gmem)
            return acc[...]

        out_smem[...] = pl.run_scoped(scope, plgpu.ACC((128, 128))).astype(jnp.bfloat16)
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(out_smem, out_gmem.at[pl.ds(row * 128, 128), pl.ds(column * 128, 128)])
        plgpu.wait_smem_to_gmem(0)

    def kernel(x_gmem, y_gmem, out_gmem, out_smem):
        first = lax.axis_index("tile")
        tiles, programs = (M // 128) * (N // 128), lax.axis_size("tile")

        def several(i, _):
            number = first + i * programs
            tile(x_gmem, y_gmem, out_gmem, out_smem, number // (N // 128), number % (N // 128))

        lax.fori_loop(0, (tiles + programs - 1 - first) // programs, several, None)

    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((M, N), jnp.bfloat16),
        grid=(3 if persistent else (M // 128) * (N // 128),),
        grid_names=("tile",),
        scratch_types=[plgpu.SMEM((128, 128), jnp.bfloat16, transforms=TRANSFORMS)],
    )(x, y)


x, y = jax.ShapeDtypeStruct((M, K), jnp.bfloat16), jax.ShapeDtypeStruct((K, N), jnp.bfloat16)
space = as_space({"stages": [2, 4], "persistent": [False, True]})


def work_of(**config):
    traced = trace(product, (x, y), {}, space, config)
    assert not isinstance(traced, str), traced
    (call,) = traced.calls.kernels
    return alone(count_work(call.request, call.sizes, call.scalars))


# Products, and bytes of the tiles that are copied: 8 tiles of 16 steps with two blocks of 16 KiB, and the result. The
# pipeline does not copy at its last two steps; conditions on the counter of a loop count as taken.
for persistent in (False, True):
    work = work_of(stages=2, persistent=persistent)
    (flops,) = (work.total(amount) for amount in work.products.values())
    copied = work.total(work.amount("copied"))[0] - 2 * M * N
    # CHECK: 1.0 18.0 98304
    # CHECK-NEXT: 1.0 18.0 98304
    print(flops[0] / (2 * M * N * K), copied / (8 * 32768), work.held[0, 0])
# CHECK-NEXT: 163840
print(work_of(stages=4, persistent=False).held[0, 0])

chip = load_chip("gpu:sm_90a")
work = work_of(stages=2, persistent=False)


def show(title, ctas=8, **changes):
    resources = Resources(**{"threads": 128, "groups": 1, "registers": 128, "shared_bytes": 98304} | changes)
    found = predict(work, np.array([ctas]), resources, chip)
    print(title, found.bound(0), int(found.occupancy[0]), round(float(found.waves[0]), 2))
    return float(found.seconds[0])


# Shared memory, registers and threads limit the CTAs of a multiprocessor; none fits where it is 0.
# CHECK-NEXT: shared memory memory 2 1.0
few = show("shared memory")
# CHECK-NEXT: registers {{[a-z]+}} 1 1.0
show("registers", threads=384, registers=168, shared_bytes=0)
# CHECK-NEXT: threads {{[a-z]+}} 2 1.0
show("threads", threads=1024, registers=32, shared_bytes=0)
# CHECK-NEXT: nothing {{[a-z]+}} 0 1.0
show("nothing", threads=1024, registers=128)
# The work of the same kernel on more CTAs than fit at once: waves.
# CHECK-NEXT: waves {{[a-z]+}} 2 2.0
show("waves", ctas=300)
# Spills cost time, and so do instructions of the loop.
# CHECK-NEXT: spills {{[a-z]+}} 2
# CHECK-NEXT: lean memory 2
# CHECK-NEXT: many issue 2
# CHECK-NEXT: True True
spills = show("spills", spill_bytes=1000)
flops = 2 * 128 * 128 * 64 / 4
lean = show("lean", code=CodeCounts(30, 0, flops, 0, 0, 0, 300, 0, 0, 1))
many = show("many", code=CodeCounts(3000, 0, flops, 0, 0, 0, 300, 0, 0, 1))
print(spills > few, many > lean)

# The order of the estimate tier, with the legality by shared memory and the uncertainty.
result = gridir.tune(product, x, y, space=space, target="gpu:sm_90a", tier="estimate", cache=False)
# CHECK-NEXT: 4 True
print(len(result.problem.legal), any("uncertain by" in note for note in result.problem.notes))
# CHECK-NEXT: {{.*}}compared with no measurement
other = gridir.tune(product, x, y, space=space, target="gpu:sm_100a", tier="estimate", cache=False)
print(next(note for note in other.problem.notes if "measurement" in note))

# A pass that is wrong is named, whatever it does wrong, wherever it stands, and whichever target it is for.
#
# RUN: %python %s | FileCheck %s

import dataclasses
from pathlib import Path

import jax
import jax.numpy as jnp
from gridir.bisection import find
from gridir.bisection.find import Found
from gridir.bisection.oracle import expected_calls, to_record
from gridir.bisection.reproducer import write_reproducer
from gridir.bisection.route import routes_of
from gridir.bisection.search import Search
from gridir.bisection.worker import Worker
from gridir.compiler.pass_list import name_of
from gridir.compiler.targets import get_target
from gridir.errors import KernelError
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def softmax_kernel(x_ref, n_ref, o_ref):
    columns = jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1)
    x = jnp.where(columns < n_ref[...], x_ref[...], -jnp.inf)
    e = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
    o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def softmax(x, n):
    block, column = (pl.BlockSpec((8, size), lambda i: (i, 0)) for size in (128, 1))
    out_shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(softmax_kernel, out_shape=out_shape, grid=(2,), in_specs=[block, column], out_specs=block)(
        x, n
    )


def product_kernel(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(1) == 1)
    def _():
        o_ref[...] = -o_ref[...]


def product(x, y):
    return pl.pallas_call(
        product_kernel,
        out_shape=jax.ShapeDtypeStruct((32, 128), jnp.float32),
        grid=(2, 2),
        in_specs=[pl.BlockSpec((16, 128), lambda i, k: (i, k)), pl.BlockSpec((128, 128), lambda i, k: (k, 0))],
        out_specs=pl.BlockSpec((16, 128), lambda i, k: (i, 0)),
    )(x, y)


def scan_kernel(x_ref, o_ref):
    def step(i, total):
        total = total * 0.5 + x_ref[i, :].astype(jnp.float32)
        o_ref[i, :] = total
        return total

    jax.lax.fori_loop(0, x_ref.shape[0], step, jnp.zeros(x_ref.shape[1:], jnp.float32))


def scan(x):
    return pl.pallas_call(scan_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, jnp.float32))(x)


def relu_kernel(x_gmem, o_gmem, x_smem, o_smem, loaded):
    rows = pl.ds(jax.lax.axis_index("i") * 64, 64)
    plgpu.copy_gmem_to_smem(x_gmem.at[rows], x_smem, loaded)
    plgpu.barrier_wait(loaded)
    o_smem[...] = jnp.maximum(x_smem[...], 0.0) - 3.0
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[rows])
    plgpu.wait_smem_to_gmem(0)


def relu(x):
    tile = plgpu.SMEM((64, 128), x.dtype)
    return plgpu.kernel(
        relu_kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        scratch_types=[tile, tile, plgpu.Barrier()],
        grid=(2,),
        grid_names=("i",),
    )(x)


keys = jax.random.split(jax.random.key(0), 4)
ARGS = {
    softmax: (jax.random.normal(keys[0], (16, 128)), jnp.arange(16, dtype=jnp.int32)[:, None] * 7 + 3),
    product: (jax.random.normal(keys[1], (32, 256)), jax.random.normal(keys[2], (256, 128))),
    scan: (jax.random.randint(keys[3], (8, 128), -9, 9, jnp.int32),),
    relu: (jax.random.normal(keys[0], (128, 128)),),
}

# The fault, and the pass after which it is planted; with a star it is planted in that pass itself.
PLANTED = {
    (softmax, "cpu"): [
        ("other-extremum", "loops-compute-in-place"),
        ("other-function", "loops-fuse-elementwise"),
        ("exchanged-operands", "cpu-plan-arena"),
        ("wrong-predicate", "cpu-approximate-math"),
        ("exchanged-choices", "loops-fuse-elementwise"),
        ("lost-factor", "convert-scf-to-branches"),
        ("lost-precision", "grid-plan-memory"),
        ("wrong-combination", "cpu-vectorize-body*"),
        ("lost-index", "convert-linalg-to-loops"),
    ],
    (product, "cpu"): [
        ("off-by-one-start", "convert-grid-to-loops*"),
        ("negated-predicate", "one-shot-bufferize"),
        ("lost-negation", "cpu-tile-body"),
        ("wrong-initial-value", "cpu-tile-contractions*"),
        ("off-by-one-bound", "cpu-tile-contractions"),
        ("negated-branch", "one-shot-bufferize*"),
        ("lost-store", "cpu-unroll-transfers"),
        ("lost-offset", "loops-fuse-elementwise"),
    ],
    (softmax, "gpu:sm_90a"): [
        ("off-by-one-start", "gpu-outline-kernel"),
        ("lost-update", "gpu-plan-memory"),
        ("exchanged-indices", "gpu-map-threads"),
        ("negated-branch", "gpu-outline-kernel"),
        ("lost-offset", "gpu-map-blocks*"),
        ("lost-barrier only=gpu.barrier skip=2", "gpu-map-threads"),
        ("lost-number", "gpu-outline-kernel"),
    ],
    (scan, "tpu"): [
        ("lost-term", "grid-canonicalize-index-maps"),
        ("product-for-sum", "tpu-simplify-indices"),
        ("wrong-extension", "convert-grid-to-tpu*"),
        ("lost-store", "grid-plan-memory*"),
    ],
    (product, "tpu"): [("lost-condition", "convert-grid-to-tpu"), ("lost-negation", "cse")],
    (relu, "gpu:sm_90a"): [("exchanged-operands", "canonicalize"), ("other-extremum", "warpgroup-plan-memory*")],
}


def plant(passes, slip, at):
    """The passes with a wrong one, and its number."""
    name = at.rstrip("*")
    position = next(i for i, text in enumerate(passes) if name_of(text) == name)
    if at.endswith("*"):
        wrong = f'test-miscompile{{slip={slip} mutated="{passes[position]}"}}'
        return (*passes[:position], wrong, *passes[position + 1 :]), position + 1
    return (*passes[: position + 1], f"test-miscompile{{slip={slip}}}", *passes[position + 1 :]), position + 2


named, planted, slips = 0, 0, set()
with Worker(timeout=120) as worker:
    for (function, name), wrongs in PLANTED.items():
        target = get_target(name)
        # A barrier that is missing shows as a race, and by luck in the results.
        options = target.check_options(None).with_checks(["races"] if target.name == "gpu" else [], None)
        if target.name == "gpu":
            # The faults are in passes that map a kernel of blocks to threads.
            options = dataclasses.replace(options, path="mapped")
        (expected,) = expected_calls(function, ARGS[function], target, options)
        worker.load(to_record(expected))
        route = routes_of(expected.kernel)[-1]
        assert Search(worker, expected.kernel.bytecode, route, expected.judge).look().outcome.verdict == "right", name
        for slip, at in wrongs:
            passes, number = plant(route.passes, slip, at)
            wrong = dataclasses.replace(route, passes=passes)
            search = Search(worker, expected.kernel.bytecode, wrong, expected.judge, trusted=route.passes, halve=True)
            verdict = search.find()
            planted += 1
            named += verdict.suspects == (number,)
            slips.add(slip.split()[0])
            if verdict.suspects != (number,):
                print(f"{function.__name__} {name} {slip} {at}: {verdict.outcome} {verdict.suspects} {verdict.doubt}")

    # CHECK-NOT: Outcome
    # CHECK: 32 of 32 wrong passes are named; they are wrong in {{[0-9]+}} ways
    print(f"{named} of {planted} wrong passes are named; they are wrong in {len(slips)} ways")

    # Where the pipeline that is trusted has the wrong pass, too, it is left out with all those that can be.
    target = get_target("tpu")
    (expected,) = expected_calls(scan, ARGS[scan], target, None)
    worker.load(to_record(expected))
    (route,) = routes_of(expected.kernel)
    passes, number = plant(route.passes, "lost-term", "cse")
    search = Search(worker, expected.kernel.bytecode, dataclasses.replace(route, passes=passes), expected.judge)
    # CHECK: left out: True, every module before it is right: True
    verdict = search.find()
    right = all(step.outcome.verdict == "right" for step in verdict.steps[:-1])
    print(f"left out: {verdict.suspects == (number,)}, every module before it is right: {right}")

    # Where it cannot be left out, all that cannot are suspects, and that is said.
    passes, number = plant(route.passes, "lost-term", "convert-grid-to-tpu*")
    search = Search(worker, expected.kernel.bytecode, dataclasses.replace(route, passes=passes), expected.judge)
    verdict = search.find()
    # CHECK: a suspect: True, no pass is named: True, the frontend's module is wrong already when it is finished by
    print(f"a suspect: {number in verdict.suspects}, no pass is named: {verdict.culprit is None}, {verdict.doubt}")

    # Other targets, whose pipelines are wrong where they have the same pass, tell which it can be.
    def planted_routes(kernel, pipeline=None):
        for route in routes_of(kernel, pipeline):
            wrong = "convert-grid-to-tpu" in map(name_of, route.passes)
            passes = plant(route.passes, "lost-term", "convert-grid-to-tpu*")[0] if wrong else route.passes
            yield dataclasses.replace(route, passes=passes)

    find.routes_of = lambda *arguments: list(planted_routes(*arguments))
    [found] = find.bisect(scan, *ARGS[scan], target="tpu", worker=worker)
    # CHECK: left: (6,), as ('cpu at stage llvm is right', 'cpu at stage program is right',
    # CHECK-SAME: 'cpu at stage mapped is right', 'gpu at stage ptx is right')
    print(f"left: {found.wrong.suspects}, as {found.wrong.compared}")

    try:
        write_reproducer(Found(expected, (verdict,)), Path("nowhere"), worker=worker)
    except KernelError as error:
        # CHECK: expected a pass that was named, got none
        print(error.message)

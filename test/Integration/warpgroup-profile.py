# The effect of `profile_space`: each call writes when the named scopes of each warpgroup, or of each warp, begin and
# end, in the format that JAX writes. As PTX the threads of a launch record them.
#
# RUN: rm -rf %t && %python %s %t | FileCheck %s --check-prefixes=CHECK,CPU
# RUN: rm -rf %t && %python %s %t gpu:sm_90a | FileCheck %s --check-prefixes=CHECK,PTX

import collections
import json
import sys
import warnings
from pathlib import Path

import gridir
import gridir.mosaic_gpu
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

X = jnp.arange(4 * 128.0).reshape(4, 128)
DIRECTORY = Path(sys.argv[1])
TARGET = get_target(sys.argv[2] if len(sys.argv) > 2 else "cpu")


def look(name, call, expected, *args, calls=1):
    """Runs a kernel, reads its traces, and prints how they are nested, with what each thread has."""
    for file in DIRECTORY.glob("*"):
        file.unlink()
    with gridir.installed(), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        run = jax.jit(call)
        if TARGET.name == "gpu":
            run = execute(call, args, TARGET, checks=["races", "uninitialized"]).function
        for _ in range(calls):
            np.testing.assert_array_equal(run(*args), expected)
    for each in warned:
        print(f"{name}: {each.message}")
    for file in DIRECTORY.glob("*-trace.json"):
        trace = json.loads(file.read_text())
        threads = collections.defaultdict(list)
        for event in trace["traceEvents"]:
            threads[event["pid"], event["tid"]].append(event)
        for (block, thread), events in sorted(threads.items()):
            times = [event["ts"] for event in events]
            order = "in order" if times == sorted(times) else "out of order"
            text = " ".join(("+" if event["ph"] == "B" else "-") + event["name"] for event in events)
            print(f"{name} {trace['displayTimeUnit']} {block} {thread} {order}: {text}")


def params(space, scope=plgpu.TraceScope.WARPGROUP, **others):
    return gridir.mosaic_gpu.CompilerParams(
        profile_space=space, profile_dir=str(DIRECTORY), profile_trace_scope=scope, **others
    )


def scopes(x, o, tile, barrier):
    """Scopes inside of others, in a loop, and in a branch that one of two warpgroups takes."""
    i, wg = jax.lax.axis_index("i"), jax.lax.axis_index("wg")
    with jax.named_scope("all"):
        with jax.named_scope("load"):
            plgpu.copy_gmem_to_smem(x.at[2 * i + wg], tile.at[wg], barrier.at[wg])
            plgpu.barrier_wait(barrier.at[wg])

        @pl.when(wg == 1)
        def _():
            with jax.named_scope("second"):
                tile[wg] += 1.0

    @pl.loop(0, 2)
    def _(step):
        with jax.named_scope("step"):
            tile[wg] += 1.0

    o[2 * i + wg] = tile[wg]


def of(body, **options):
    return plgpu.kernel(
        body,
        out_type=jax.typeof(X),
        scratch_types=[plgpu.SMEM((2, 128), jnp.float32), plgpu.Barrier(num_barriers=2)],
        grid=(2,),
        grid_names=("i",),
        num_threads=2,
        thread_name="wg",
        **options,
    )


# On the CPU a process of the trace is a block, on a GPU a multiprocessor; the executor has one.
# CHECK: warpgroups ns 1 1 in order: +all +load -load -all +step -step +step -step
# CHECK-NEXT: warpgroups ns 1 2 in order: +all +load -load +second -second -all +step -step +step -step
# CPU-NEXT: warpgroups ns 2 3 in order: +all +load -load -all +step -step +step -step
# PTX-NEXT: warpgroups ns 1 3 in order: +all +load -load -all +step -step +step -step
# CPU-NEXT: warpgroups ns 2 4 in order: +all +load -load +second -second -all +step -step +step -step
# PTX-NEXT: warpgroups ns 1 4 in order: +all +load -load +second -second -all +step -step +step -step
EXPECTED = X + 2 + jnp.array([0, 1, 0, 1])[:, None]
look("warpgroups", of(scopes, compiler_params=params(6)), EXPECTED, X)
# Nothing is written where there is less space.
# CHECK-NEXT: narrow: no profile of kernel `scopes` is written: expected at most 4 scopes of a trace, one less than
# CHECK-SAME: profile_space, got 5
look("narrow", of(scopes, compiler_params=params(5)), EXPECTED, X)
# Or what has no space is left out, and what is open then ends there.
# CHECK-NEXT: truncated ns 1 1 in order: +all +load -load -all{{$}}
# CHECK-NEXT: truncated ns 1 2 in order: +all +load -load +second -second -all{{$}}
# CPU-NEXT: truncated ns 2 3 in order: +all +load -load -all{{$}}
# PTX-NEXT: truncated ns 1 3 in order: +all +load -load -all{{$}}
# CPU-NEXT: truncated ns 2 4 in order: +all +load -load +second -second -all{{$}}
# PTX-NEXT: truncated ns 1 4 in order: +all +load -load +second -second -all{{$}}
look("truncated", of(scopes, compiler_params=params(3, profile_bounds_check=True)), EXPECTED, X)
# Without space for a scope there is an empty trace.
look("no space", of(scopes, compiler_params=params(1, profile_bounds_check=True)), EXPECTED, X)
# CHECK-NEXT: no space: 1 files
print(f"no space: {len(list(DIRECTORY.glob('*')))} files")
# CHECK-NEXT: unasked 0
look("unasked", of(scopes), EXPECTED, X)
print("unasked", len(list(DIRECTORY.glob("*"))))


def warps(x, o):
    """What one warp does is its own."""
    with jax.named_scope("copy"):
        o[...] = x[...]

    @plgpu.warp_map
    def _(warp):
        @pl.when(warp > 1)
        def _():
            with jax.named_scope("mark"):
                o[warp, 0] = jnp.float32(7)


# CHECK-NEXT: warps ns 1 1 in order: +copy -copy
# CHECK-NEXT: warps ns 1 2 in order: +copy -copy
# CHECK-NEXT: warps ns 1 3 in order: +copy -copy +mark -mark
# CHECK-NEXT: warps ns 1 4 in order: +copy -copy +mark -mark
MARKED = X.at[2:, 0].set(7)
for_warps = plgpu.kernel(warps, out_type=jax.typeof(X), compiler_params=params(4, plgpu.TraceScope.WARP))
look("warps", for_warps, MARKED, X)
# That of a warpgroup is that of its first warp.
# CHECK-NEXT: first warp ns 1 1 in order: +copy -copy
look("first warp", plgpu.kernel(warps, out_type=jax.typeof(X), compiler_params=params(4)), MARKED, X)


def doubled(x, o):
    with jax.named_scope("double"):
        o[...] = x[...] * 2


# A kernel of blocks: one trace for each block, and one file for each call.
# CHECK-NEXT: blocks ns 1 1 in order: +double -double
# CPU-NEXT: blocks ns 2 2 in order: +double -double
# PTX-NEXT: blocks ns 1 2 in order: +double -double
# CHECK-NEXT: blocks ns 1 1 in order: +double -double
# CPU-NEXT: blocks ns 2 2 in order: +double -double
# PTX-NEXT: blocks ns 1 2 in order: +double -double
rows = pl.BlockSpec((2, 128), lambda i: (i, 0))
call = pl.pallas_call(
    doubled, out_shape=jax.typeof(X), grid=(2,), in_specs=[rows], out_specs=rows, compiler_params=params(4)
)
look("blocks", call, X * 2, X, calls=2)

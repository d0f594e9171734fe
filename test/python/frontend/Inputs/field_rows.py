# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A row for every field of JAX's calls and records: a kernel that sets the field, and what `grid` then says."""

import dataclasses
import functools

import gridir.mosaic_gpu
import gridir.tpu
import jax
import jax.numpy as jnp
from gridir.frontend.capture.calls import pallas_call
from gridir.frontend.compat import jax_gpu
from gridir.frontend.compat.releases import FIELDS, Releases
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton
from kernels import mesh_requests, requests

X = jax.ShapeDtypeStruct((32, 128), jnp.float32)
PREFETCHED = jax.ShapeDtypeStruct((4,), jnp.int32)
ROWS = pl.BlockSpec((8, 128), lambda i: (i, 0))


def copy_kernel(*refs):
    refs[-1][...] = refs[-2][...].astype(refs[-1].dtype)


def empty_kernel(x_ref, o_ref):
    del x_ref, o_ref


def scratch_kernel(x_ref, o_ref, *scratch):
    o_ref[...] = x_ref[...]


def call(kernel=copy_kernel, args=(X,), **options):
    """The request of one `pallas_call` of a copy over four blocks of rows."""
    usual = {"out_shape": X, "in_specs": [ROWS] * len(args), "out_specs": ROWS, "grid": (4,)}
    if "grid_spec" in options:
        usual = {"out_shape": X}
    [request] = requests(pallas_call(kernel, **(usual | options)), *args)
    return request


def interpreted(record=pltpu.InterpretParams, **fields):
    """The request of a copy with parameters of JAX's interpret mode, of which `grid` says nothing."""
    return call(interpret=record(**fields))


def buffered(*args, **fields):
    """The request of a copy whose input block is buffered so."""
    return call(in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0), pipeline_mode=pl.Buffered(*args, **fields))])


def priced(**counts):
    """The request of a copy with an estimate of its cost."""
    usual = {"flops": 1, "transcendentals": 2, "bytes_accessed": 3}
    return call(cost_estimate=pl.CostEstimate(**(usual | counts)))


def prefetch(index_map, operands=(PREFETCHED,), block=(8, 128)):
    """The request of a copy whose first operands are prefetched and read by the index map."""
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=len(operands),
        grid=(4,),
        in_specs=[pl.BlockSpec(block, index_map)],
        out_specs=pl.BlockSpec((8, 128), lambda i, *_: (i, 0)),
    )
    return call(args=(*operands, X), grid_spec=spec)


def dynamic(size):
    """The request of a call whose grid is a value."""

    def function(n, x):
        return pl.pallas_call(copy_kernel, X, grid=(n,), in_specs=[ROWS], out_specs=ROWS)(x)

    [request] = requests(function, size, X)
    return request


def spec(block_shape, index_map=lambda i: (i, 0), **options):
    """The request of a copy whose input has this spec."""
    return call(empty_kernel, in_specs=[pl.BlockSpec(block_shape, index_map, **options)])


def replaced(**changes):
    """The usual request with fields of its GridMapping changed."""
    request = call()
    return dataclasses.replace(request, grid_mapping=request.grid_mapping.replace(**changes))


def params(record):
    return call(compiler_params=record)


def tpu(**fields):
    return params(gridir.tpu.CompilerParams(**fields))


def gpu(**fields):
    return params(gridir.mosaic_gpu.CompilerParams(**fields))


def mesh_kernel(**options):
    """The request of one `gridir.mosaic_gpu.kernel` over two blocks."""

    def body(x_ref, o_ref, *scratch):
        del scratch
        o_ref[...] = x_ref[...]

    usual = {"out_type": X, "grid": (2,), "grid_names": ("i",)}
    if "out_shape" in options:
        del usual["out_type"]
    [request] = mesh_requests(gridir.mosaic_gpu.kernel(body, **(usual | options)), X)
    return request


def decorated():
    """The request of a kernel that `gridir.mosaic_gpu.kernel` decorates."""

    @gridir.mosaic_gpu.kernel(out_type=X, grid=(2,), grid_names=("i",))
    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    [request] = mesh_requests(body, X)
    return request


def pipelined(cluster=(), **fields):
    """The request of a kernel with a pipeline, one of whose blocks has these fields."""
    spec = functools.partial(plgpu.BlockSpec, (8, 128), lambda i: (i, 0))

    def step(_, x_tile, o_tile):
        o_tile[...] = x_tile[...]

    def body(x_ref, o_ref):
        plgpu.emit_pipeline_warp_specialized(
            step,
            grid=(4,),
            in_specs=[spec(**fields)],
            out_specs=[spec()],
            memory_registers=40,
            wg_axis="t",
            num_compute_wgs=1,
        )(x_ref, o_ref)

    mesh = {"cluster": cluster, "cluster_names": ("c",) if cluster else (), "num_threads": 2, "thread_name": "t"}
    [request] = mesh_requests(plgpu.kernel(body, out_type=X, **mesh), X)
    return request


def oob():
    """The request of a kernel with a pipeline that promises to stay inside of its arrays."""
    return pipelined(oob_fill_mode=plgpu.OOBFillMode.PROMISE_IN_BOUNDS)


def interpreted_on_gpu(**fields):
    """As `interpreted`, with parameters of the interpreter of GPU kernels."""
    return interpreted(jax_gpu.interpret_params(), **fields)


def tiled():
    """The request of a copy whose input block is tiled for the GPU."""
    transforms = (plgpu.TilingTransform((8, 64)),)
    block = plgpu.BlockSpec((8, 128), lambda i: (i, 0), transforms=transforms)
    return call(kernel=empty_kernel, in_specs=[block])


def tree_prefetch():
    """The request of a copy that prefetches a dict."""
    rows = {"rows": jax.ShapeDtypeStruct((4,), jnp.int32)}
    return prefetch(lambda i, s: (s["rows"][i], 0), operands=(rows,))


def bounded_slice():
    """The request of a copy whose input block is a slice of bounded size."""
    return spec((pl.BoundedSlice(8), 128), lambda i: (pl.ds(i * 8, 8), 0))


def indirect():
    """The request of a copy whose first block dimension is gathered."""
    request = call()
    mapping = request.grid_mapping
    block = mapping.block_mappings[0].replace(block_shape=(pl.Indirect(8), pl.Blocked(128)))
    mapping = mapping.replace(block_mappings=(block, *mapping.block_mappings[1:]))
    return dataclasses.replace(request, grid_mapping=mapping)


def block_debug():
    """The request of a copy of which one block mapping is printed with more detail."""
    mapping = call().grid_mapping
    blocks = (dataclasses.replace(mapping.block_mappings[0], debug=True), mapping.block_mappings[1])
    return replaced(block_mappings=blocks)


def vmapped():
    batched = jax.ShapeDtypeStruct((3, 32, 128), jnp.float32)
    [request] = requests(jax.vmap(pl.pallas_call(copy_kernel, X, grid=(4,), in_specs=[ROWS], out_specs=ROWS)), batched)
    return request


def python_function(*args):
    """Stands for a function that a GridMapping holds."""
    return args


def symbolic():
    """The request of a copy of an array with a symbolic dimension."""
    (m,) = jax.export.symbolic_shape("m")
    array = jax.ShapeDtypeStruct((m, 128), jnp.float32)
    with pl.pallas_export_experimental(True):
        [request] = requests(
            pl.pallas_call(copy_kernel, array, grid=(pl.cdiv(m, 8),), in_specs=[ROWS], out_specs=ROWS), array
        )
    return request


SCRATCH = [pltpu.VMEM((8,), jnp.uint32), pltpu.SMEM((2,), jnp.bool_), pltpu.SemaphoreType.DMA((2,))]

# Owner and field, a function that makes the request, and what the text of the kernel holds.
TABLE = [
    ("GridMapping", "grid", call, ["grid(%i = 4)"]),
    ("GridMapping", "grid", functools.partial(dynamic, jax.ShapeDtypeStruct((), jnp.int32)), ["grid(%i = ?)"]),
    ("GridMapping", "grid", symbolic, ["grid(%i = ?)", "[?m, 128]", "symbolic_grid"]),
    ("GridMapping", "grid_names", functools.partial(call, grid=(("rows", 4),)), ['4 named "rows"']),
    ("GridMapping", "block_mappings", call, ["inputs(%", "outputs(%", "f32 [32, 128] block [8, 128]"]),
    ("GridMapping", "index_map_tree", tree_prefetch, ["index_map_tree = \"((*, {'rows': *}), {})\""]),
    ("GridMapping", "index_map_avals", functools.partial(prefetch, lambda i, s: (s[i], 0)), ["map(", "grid.load"]),
    ("GridMapping", "vmapped_dims", vmapped, ["3 vmapped", "semantics [parallel, arbitrary]"]),
    (
        "GridMapping",
        "scratch_avals",
        functools.partial(call, scratch_kernel, scratch_shapes=SCRATCH),
        [
            "memref<8xi32, #tpu.memory_space<vmem>>",
            "memref<2xi1, #tpu.memory_space<smem>>",
            "semaphore<dma>",
            "grid.unsigned = array<i64: 2>",
        ],
    ),
    (
        "GridMapping",
        "scratch_avals",
        functools.partial(call, scratch_kernel, scratch_shapes=[plgpu.Barrier(num_arrivals=3, num_barriers=2)]),
        ["memref<2x!grid.semaphore<barrier>, #warpgroup.space<smem>>", "[3, false]"],
    ),
    ("GridMapping", "num_index_operands", functools.partial(prefetch, lambda i, s: (s[i], 0)), ["index(%"]),
    ("GridMapping", "num_inputs", functools.partial(call, args=(X, X)), ["inputs(%"]),
    ("GridMapping", "num_outputs", call, ["outputs(%"]),
    ("GridMapping", "get_grid_indices", functools.partial(replaced, get_grid_indices=python_function), ["objects"]),
    ("GridMapping", "local_grid_env", functools.partial(replaced, local_grid_env=python_function), ["objects"]),
    ("GridMapping", "debug", functools.partial(replaced, debug=True), ["debug", "block_debug = [0, 1]"]),
    ("BlockMapping", "block_shape", functools.partial(spec, (8, 128)), ["block [8, 128]"]),
    (
        "BlockMapping",
        "block_shape",
        functools.partial(spec, (pl.Element(10, (1, 1)), pl.Element(128)), lambda i: (i * 8, 0)),
        ["block [element(10, 1, 1), element(128)]", "at (%i * 8, 0)"],
    ),
    (
        "BlockMapping",
        "block_shape",
        functools.partial(spec, (None, 128)),
        ["block [squeezed, 128]"],
    ),
    ("BlockMapping", "block_shape", bounded_slice, ["block [slice(8), 128]"]),
    ("BlockMapping", "block_shape", indirect, ["block [indirect(8), 128]"]),
    (
        "BlockMapping",
        "transformed_block_aval",
        functools.partial(spec, (8, 128), memory_space=pltpu.VMEM),
        ["space #tpu.memory_space<vmem>"],
    ),
    ("BlockMapping", "index_map_jaxpr", functools.partial(spec, (8, 128), lambda i: (3 - i, 0)), ["at ("]),
    ("BlockMapping", "index_map_out_tree", bounded_slice, ['index_tree "(Slice(*, 8, 1), *)"']),
    (
        "BlockMapping",
        "array_aval",
        functools.partial(call, args=(jax.ShapeDtypeStruct((32, 128), jnp.uint8),)),
        ["ui8"],
    ),
    (
        "BlockMapping",
        "array_aval",
        functools.partial(call, out_shape=pltpu.HBM((32, 128), jnp.float32)),
        ['array_spaces = {"1" = "tpu.hbm"}'],
    ),
    ("BlockMapping", "origin", functools.partial(call, kernel=scratch_kernel), ['origin "x_ref"', 'origin "o_ref"']),
    ("BlockMapping", "transforms", tiled, ["transforms [<tiling[8, 64]>]"]),
    (
        "BlockMapping",
        "pipeline_mode",
        functools.partial(spec, (8, 128), pipeline_mode=pl.Buffered(3, True, pl.RevisitMode.ANY)),
        ["pipeline <3, lookahead, revisit = any>"],
    ),
    ("BlockMapping", "debug", block_debug, ["block_debug = [0]"]),
    ("pallas_call", "kernel", call, ["copy_kernel at "]),
    ("pallas_call", "out_shape", call, ["outputs(%"]),
    ("pallas_call", "grid_spec", lambda: call(grid_spec=pl.GridSpec((4,), [ROWS], ROWS)), ["grid(%i = 4)"]),
    ("pallas_call", "grid", call, ["grid(%i = 4)"]),
    ("pallas_call", "in_specs", call, ["inputs(%"]),
    ("pallas_call", "out_specs", call, ["outputs(%"]),
    (
        "pallas_call",
        "scratch_shapes",
        functools.partial(call, scratch_kernel, scratch_shapes=SCRATCH),
        ["scratch(%"],
    ),
    ("pallas_call", "input_output_aliases", functools.partial(call, input_output_aliases={0: 0}), ["aliases [0 -> 0]"]),
    ("pallas_call", "debug", functools.partial(call, debug=True), ["debug"]),
    ("pallas_call", "interpret", functools.partial(call, interpret=True), ["grid.kernel"]),
    ("pallas_call", "name", functools.partial(call, name="my kernel"), ["@my_kernel"]),
    ("pallas_call", "compiler_params", functools.partial(tpu, collective_id=3), ["params ["]),
    (
        "pallas_call",
        "compiler_params",
        functools.partial(params, {"triton": pltriton.CompilerParams(num_warps=2), "tpu": pltpu.CompilerParams()}),
        ["params [#grid.tpu_params<", "#grid.triton_params<num_warps = 2>]"],
    ),
    (
        "pallas_call",
        "cost_estimate",
        functools.partial(call, cost_estimate=pl.CostEstimate(flops=1, transcendentals=2, bytes_accessed=3)),
        ["#grid.cost<flops = 1, transcendentals = 2, bytes_accessed = 3, remote_bytes_transferred = 0>"],
    ),
    *(
        ("CostEstimate", name, functools.partial(priced, **{name: 5}), [f"{name} = 5"])
        for name in ("flops", "transcendentals", "bytes_accessed", "remote_bytes_transferred")
    ),
    ("Buffered", "buffer_count", functools.partial(buffered, 2), ["pipeline <2>"]),
    ("Buffered", "buffer_count", functools.partial(buffered, 3), ["pipeline <3>"]),
    ("Buffered", "buffer_count", functools.partial(buffered, (2, 3)), ["pipeline <2, write_buffers = 3>"]),
    ("Buffered", "use_lookahead", functools.partial(buffered, 2, use_lookahead=True), ["pipeline <2, lookahead>"]),
    ("Buffered", "revisit", functools.partial(buffered, 1, revisit=pl.RevisitMode.ANY), ["<1, revisit = any>"]),
    ("Buffered", "prefetched_count", functools.partial(buffered, 2, prefetched_count=1), ["<2, prefetched = 1>"]),
    ("pallas_call", "backend", functools.partial(call, backend="triton"), ['backend = "triton"']),
    ("pallas_call", "metadata", functools.partial(call, metadata={"who": "me"}), ['metadata = {who = "me"}']),
    (
        "tpu.CompilerParams",
        "dimension_semantics",
        functools.partial(tpu, dimension_semantics=("parallel",)),
        ["semantics [parallel]", 'dimension_semantics = ["parallel"]'],
    ),
    ("tpu.CompilerParams", "allow_input_fusion", functools.partial(tpu, allow_input_fusion=(True,)), ["[true]"]),
    ("tpu.CompilerParams", "vmem_limit_bytes", functools.partial(tpu, vmem_limit_bytes=1 << 20), ["1048576"]),
    ("tpu.CompilerParams", "collective_id", functools.partial(tpu, collective_id=3), ["collective_id = 3"]),
    (
        "tpu.CompilerParams",
        "has_side_effects",
        functools.partial(tpu, has_side_effects=True),
        ["has_side_effects = true"],
    ),
    (
        "tpu.CompilerParams",
        "has_side_effects",
        functools.partial(tpu, has_side_effects=pltpu.SideEffectType.DATAFLOW_SIDE_EFFECTING),
        ['has_side_effects = "dataflow_side_effecting"'],
    ),
    ("tpu.CompilerParams", "flags", functools.partial(tpu, flags={"XLA_A": True, "b": 2}), ["flags = {XLA_A = true"]),
    (
        "tpu.CompilerParams",
        "internal_scratch_in_bytes",
        functools.partial(tpu, internal_scratch_in_bytes=64),
        ["internal_scratch_in_bytes = 64"],
    ),
    ("tpu.CompilerParams", "serialization_format", functools.partial(tpu, serialization_format=0), ["format = 0"]),
    (
        "tpu.CompilerParams",
        "kernel_type",
        functools.partial(tpu, kernel_type=pltpu.CoreType.TC),
        ['kernel_type = "tc"'],
    ),
    *(
        ("tpu.CompilerParams", name, functools.partial(tpu, **{name: value}), [f"{name} = {str(value).lower()}"])
        for name, value in (
            ("disable_bounds_checks", True),
            ("disable_semaphore_checks", True),
            ("skip_device_barrier", True),
            ("allow_collective_id_without_custom_barrier", True),
            ("shape_invariant_numerics", False),
            ("use_tc_tiling_on_sc", True),
            ("needs_layout_passes", False),
            ("fuse_transposed_lhs_in_matmul", True),
        )
    ),
    ("tpu.CompilerParams", "opt_level", functools.partial(tpu, opt_level="O1"), ['opt_level = "O1"']),
    ("mosaic_gpu.CompilerParams", "approx_math", functools.partial(gpu, approx_math=True), ["approx_math = true"]),
    (
        "mosaic_gpu.CompilerParams",
        "dimension_semantics",
        functools.partial(gpu, dimension_semantics=("sequential",)),
        ["semantics [sequential]", 'dimension_semantics = ["sequential"]'],
    ),
    (
        "mosaic_gpu.CompilerParams",
        "max_concurrent_steps",
        functools.partial(gpu, max_concurrent_steps=2),
        ["steps = 2"],
    ),
    (
        "mosaic_gpu.CompilerParams",
        "delay_release",
        functools.partial(gpu, max_concurrent_steps=2, delay_release=1),
        ["delay_release = 1"],
    ),
    (
        "mosaic_gpu.CompilerParams",
        "unsafe_no_auto_barriers",
        functools.partial(gpu, unsafe_no_auto_barriers=True),
        ["unsafe_no_auto_barriers = true"],
    ),
    (
        "mosaic_gpu.CompilerParams",
        "reduction_scratch_bytes",
        functools.partial(gpu, reduction_scratch_bytes=6144),
        ["reduction_scratch_bytes = 6144"],
    ),
    (
        "mosaic_gpu.CompilerParams",
        "profile_space",
        functools.partial(gpu, profile_space=8, profile_dir="/tmp"),
        ["profile_space = 8"],
    ),
    (
        "mosaic_gpu.CompilerParams",
        "profile_dir",
        functools.partial(gpu, profile_space=8, profile_dir="/tmp"),
        ['profile_dir = "/tmp"'],
    ),
    (
        "mosaic_gpu.CompilerParams",
        "profile_trace_scope",
        functools.partial(gpu, profile_trace_scope=plgpu.TraceScope.WARP),
        ['profile_trace_scope = "warp"'],
    ),
    *(
        (
            "mosaic_gpu.CompilerParams",
            "lowering_semantics",
            functools.partial(gpu, lowering_semantics=semantics),
            [f'lowering_semantics = "{semantics.name}"'],
        )
        for semantics in plgpu.LoweringSemantics
    ),
    *(
        ("mosaic_gpu.CompilerParams", name, functools.partial(gpu, **{name: True}), [f"{name} = true"])
        for name in ("profile_bounds_check", "skip_device_barrier", "is_multi_process")
    ),
    (
        "triton.CompilerParams",
        "num_warps",
        functools.partial(params, pltriton.CompilerParams(num_warps=4)),
        ["#grid.triton_params<num_warps = 4>"],
    ),
    (
        "triton.CompilerParams",
        "num_stages",
        functools.partial(params, pltriton.CompilerParams(num_stages=3)),
        ["#grid.triton_params<num_stages = 3>"],
    ),
    (
        "mosaic_gpu.BlockSpec",
        "transforms",
        functools.partial(pipelined, transforms=(plgpu.TilingTransform((8, 64)),)),
        [],
    ),
    ("mosaic_gpu.BlockSpec", "delay_release", functools.partial(pipelined, delay_release=1), []),
    (
        "mosaic_gpu.BlockSpec",
        "collective_axes",
        functools.partial(pipelined, cluster=(2,), collective_axes=("c",)),
        ['2 named "c" cluster'],
    ),
    ("mosaic_gpu.BlockSpec", "oob_fill_mode", oob, []),
    ("mosaic_gpu.kernel", "body", decorated, ["@body", "grid(%i = 2"]),
    ("mosaic_gpu.kernel", "out_shape", functools.partial(mesh_kernel, out_shape=X), ["outputs(%"]),
    ("mosaic_gpu.kernel", "out_type", mesh_kernel, ["outputs(%", "space #warpgroup.space<gmem>"]),
    (
        "mosaic_gpu.kernel",
        "scratch_shapes",
        functools.partial(mesh_kernel, scratch_shapes=[plgpu.SMEM((8,), jnp.float32)]),
        ["grid.kernel"],
    ),
    (
        "mosaic_gpu.kernel",
        "scratch_types",
        functools.partial(mesh_kernel, scratch_types=[plgpu.SMEM((8,), jnp.float32)]),
        ["grid.kernel"],
    ),
    (
        "mosaic_gpu.kernel",
        "compiler_params",
        functools.partial(mesh_kernel, compiler_params=plgpu.CompilerParams(approx_math=True)),
        ["#grid.mosaic_gpu_params<approx_math = true, lowering_semantics = "],
    ),
    (
        "mosaic_gpu.kernel",
        "cost_estimate",
        functools.partial(mesh_kernel, cost_estimate=pl.CostEstimate(flops=1, transcendentals=2, bytes_accessed=3)),
        ["#grid.cost<flops = 1"],
    ),
    ("mosaic_gpu.kernel", "grid", mesh_kernel, ["grid(%i = 2", "semantics [parallel]"]),
    ("mosaic_gpu.kernel", "grid_names", mesh_kernel, ['2 named "i"']),
    (
        "mosaic_gpu.kernel",
        "cluster",
        functools.partial(mesh_kernel, cluster=(2,), cluster_names=("c",)),
        ['%j = 2 named "c" cluster'],
    ),
    (
        "mosaic_gpu.kernel",
        "cluster_names",
        functools.partial(mesh_kernel, cluster=(2,), cluster_names=("c",)),
        ['named "c"'],
    ),
    (
        "mosaic_gpu.kernel",
        "num_threads",
        functools.partial(mesh_kernel, num_threads=2, thread_name="t"),
        ['%j = 2 named "t" thread', "semantics [parallel, arbitrary]"],
    ),
    (
        "mosaic_gpu.kernel",
        "thread_name",
        functools.partial(mesh_kernel, num_threads=2, thread_name="t"),
        ['named "t"'],
    ),
    ("mosaic_gpu.kernel", "interpret", functools.partial(mesh_kernel, interpret=True), ["grid.kernel"]),
    ("mosaic_gpu.kernel", "debug", functools.partial(mesh_kernel, debug=True), ["debug"]),
    ("mosaic_gpu.kernel", "mesh_kwargs", functools.partial(mesh_kernel, kernel_name="named"), ["@named"]),
    ("tpu.InterpretParams", "detect_races", functools.partial(interpreted, detect_races=True), []),
    (
        "tpu.InterpretParams",
        "out_of_bounds_reads",
        functools.partial(interpreted, out_of_bounds_reads="uninitialized"),
        [],
    ),
    (
        "tpu.InterpretParams",
        "skip_floating_point_ops",
        functools.partial(interpreted, skip_floating_point_ops=True),
        [],
    ),
    ("tpu.InterpretParams", "uninitialized_memory", functools.partial(interpreted, uninitialized_memory="zero"), []),
    ("tpu.InterpretParams", "num_cores_or_threads", functools.partial(interpreted, num_cores_or_threads=2), []),
    ("tpu.InterpretParams", "vector_clock_size", functools.partial(interpreted, vector_clock_size=8), []),
    ("tpu.InterpretParams", "logging_mode", functools.partial(interpreted, logging_mode=None), []),
    ("tpu.InterpretParams", "dma_execution_mode", functools.partial(interpreted, dma_execution_mode="eager"), []),
    ("tpu.InterpretParams", "random_seed", functools.partial(interpreted, random_seed=7), []),
    ("tpu.InterpretParams", "grid_point_recorder", functools.partial(interpreted, grid_point_recorder=print), []),
    (
        "tpu.InterpretParams",
        "allow_hbm_allocation_in_run_scoped",
        functools.partial(interpreted, allow_hbm_allocation_in_run_scoped=True),
        [],
    ),
    ("tpu.InterpretParams", "buffer_bounds", functools.partial(interpreted, buffer_bounds="padded"), []),
    ("tpu.InterpretParams", "on_race", functools.partial(interpreted, on_race="warn"), []),
    *(
        ("mosaic_gpu.InterpretGPUParams", name, functools.partial(interpreted_on_gpu, **{name: value}), [])
        for name, value in (
            ("detect_races", True),
            ("on_race", "warn"),
            ("out_of_bounds_reads", "uninitialized"),
            ("skip_floating_point_ops", True),
            ("uninitialized_memory", "zero"),
            ("num_cores_or_threads", 2),
            ("vector_clock_size", None),
            ("logging_mode", None),
            ("num_tma_threads_per_device", 2),
            ("inline_mgpu", "ignore"),
        )
    ),
]

OWN = ("tpu.CompilerParams", "mosaic_gpu.CompilerParams", "mosaic_gpu.kernel")
"""The records and calls of which gridir has one with the fields of every release."""

TABLE = [row for row in TABLE if row[0] in OWN or jax.__version_info__ in FIELDS.get((row[0], row[1]), Releases())]

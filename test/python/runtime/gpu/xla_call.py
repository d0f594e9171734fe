# RUN: env XLA_FLAGS=--xla_force_host_platform_device_count=3 GRIDIR_PTXAS=none %python %s %repository | FileCheck %s

# The way of a kernel on a GPU from JAX's custom call to the executor of PTX: programs are exported for CUDA, XLA calls
# the handlers on the CPU, and the stand-in for CUDA's driver is what they launch on.

import gc
import json
import logging
import random
import runpy
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gridir
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from gridir.runtime.gpu import xla_call
from Inputs.cuda_on_cpu import CudaOnCpu, export
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu

lines = []
logging.getLogger("gridir").setLevel(logging.INFO)
logging.getLogger("gridir").addHandler(logging.Handler())
logging.getLogger("gridir").handlers[-1].emit = lambda record: lines.append(record.getMessage())
gridir.install(platforms=("cuda",))
gpu = CudaOnCpu(devices=3)
driver = gpu.driver
x = np.arange(32 * 128, dtype=np.float32).reshape(32, 128)
like = jax.ShapeDtypeStruct(x.shape, x.dtype)
rows = pl.BlockSpec((8, 128), lambda i: (i, 0))


def on_rows(kernel, num_inputs=1, num_outputs=1, **params):
    shapes = [like] * num_outputs if num_outputs > 1 else like
    specs = [rows] * num_outputs if num_outputs > 1 else rows
    return pl.pallas_call(kernel, grid=(4,), in_specs=[rows] * num_inputs, out_specs=specs, out_shape=shapes, **params)


def add(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def both(x_ref, y_ref, sum_ref, difference_ref):
    sum_ref[...] = x_ref[...] + y_ref[...]
    difference_ref[...] = x_ref[...] - y_ref[...]


def check(title, program, *args):
    """Compares a program with kernels on the stand-in with one that JAX interprets."""
    want = program(True)(*args)
    for gpu.captures in (False, True):
        got = export(program(False), *args).call(*args)
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), got, want)
    print(title, "equal")


# CHECK: chain equal
check("chain", lambda mode: lambda x: on_rows(add, 2, interpret=mode)(on_rows(double, interpret=mode)(x), x), x)
# CHECK-NEXT: results equal
check("results", lambda mode: on_rows(both, 2, 2, interpret=mode), x, x + 1)


def loop(mode):
    step = on_rows(add, 2, input_output_aliases={0: 0}, interpret=mode)
    return lambda x, y: jax.lax.fori_loop(0, 3, lambda _, x: step(x, y), x)


# CHECK-NEXT: aliases in a loop equal
check("aliases in a loop", loop, x, x * 3)
# CHECK-NEXT: vmap equal
check("vmap", lambda mode: jax.vmap(on_rows(add, 2, interpret=mode), (0, None)), np.stack([x, -x]), x)


def squares(mode):
    @jax.custom_vjp
    def scaled(x):
        return on_rows(double, interpret=mode)(x)

    scaled.defvjp(lambda x: (scaled(x), None), lambda _, g: (on_rows(double, interpret=mode)(g),))
    return jax.grad(lambda x: jnp.sum(scaled(x) ** 2))


# CHECK-NEXT: grad equal
check("grad", squares, x)


def add_tiles(mode):
    """Bulk copies by tensor maps; a kernel of warpgroups that JAX does not interpret here."""
    path = Path(sys.argv[1]) / "examples" / "mosaic_gpu" / "tma_add.py"
    tiles = runpy.run_path(str(path))["tma_add"]
    return (lambda x, y: x + y) if mode else tiles


# CHECK-NEXT: tensor maps equal
check("tensor maps", add_tiles, np.tile(x, (2, 2)), np.tile(x + 1, (2, 2)))


def on_some_rows(mode):
    """Doubles the blocks below a number that the program computes; the grid has two programs for each."""

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    block = pl.BlockSpec((8, 64), lambda i, j: (i, j))
    call = lambda n: pl.pallas_call(  # noqa: E731
        kernel,
        grid=(n, 2),
        in_specs=[block],
        out_specs=block,
        out_shape=like,
        input_output_aliases={0: 0},
        interpret=mode,
    )
    return lambda n, x: call(n + 1)(x)


# CHECK-NEXT: dynamic grid equal
# CHECK-NEXT: empty grid equal
check("dynamic grid", on_some_rows, np.int32(2), x)
check("empty grid", on_some_rows, np.int32(-9), x)
# The call reads the sizes for a kernel that is mapped to threads.
# CHECK-NEXT: mapped dynamic grid equal
# CHECK-NEXT: mapped empty grid equal
with gridir.installed(platforms=("cuda",), options=gridir.GpuOptions(path="mapped")):
    check("mapped dynamic grid", on_some_rows, np.int32(2), x)
    check("mapped empty grid", on_some_rows, np.int32(-9), x)
# CHECK-NEXT: kernel double at {{.*}}xla_call.py:{{[0-9]+}} for cuda: compiled by gridir
print(next(line for line in lines if "double" in line and "gridir" in line))
# CHECK-NEXT: graphs: True
print("graphs:", gpu.graphs >= 6)


# Each device has a module of its own, which is loaded once; modules are unloaded with their programs, in any order.
def scale_by(number):
    def scale(x_ref, o_ref):
        o_ref[...] = x_ref[...] * number

    return on_rows(scale)


gpu.captures = False
jax.clear_caches()
gc.collect()
print("left of the above:", driver.num_modules)
# CHECK-NEXT: left of the above: 0
exported = [export(scale_by(number), x) for number in range(6)]
programs = [jax.jit(program.call) for program in exported]
inputs = [jax.device_put(x, device) for device in jax.devices()]
del driver.loads[:], driver.launches[:]
barrier = threading.Barrier(8)


def run(seed):
    choose = random.Random(seed)
    barrier.wait()
    for _ in range(12):
        number, device = choose.randrange(6), choose.randrange(3)
        np.testing.assert_array_equal(programs[number](inputs[device]), x * number)
    return True


with ThreadPoolExecutor(8) as pool:
    # CHECK-NEXT: 8 threads: True 96 launches
    print("8 threads:", all(pool.map(run, range(8))), len(driver.launches), "launches")
# CHECK-NEXT: a module of each kernel on each device: True
pairs = len({(launch.text, launch.device) for launch in driver.launches})
print("a module of each kernel on each device:", len(driver.loads) == driver.num_modules == pairs)
order = random.Random(5)


def drop(number):
    programs[number].clear_cache()
    programs[number] = None


numbers = list(range(6))
order.shuffle(numbers)
with ThreadPoolExecutor(3) as pool:
    list(pool.map(drop, numbers))
del exported
jax.clear_caches()
gc.collect()
# CHECK-NEXT: modules in the end: 0
print("modules in the end:", driver.num_modules)
driver.synchronize()


# A check that fails is an error of the program, with the author's line. Such a call is not recorded.
def pick(index_ref, x_ref, o_ref):
    o_ref[...] = x_ref[pl.ds(index_ref[0], 1), :]


picked = pl.pallas_call(pick, out_shape=jax.ShapeDtypeStruct((1, 128), np.float32))
program = export(picked, np.int32([3]), x)
gpu.captures = True
np.testing.assert_array_equal(program.call(np.int32([3]), x), x[3:4])


def failure(call, *args):
    try:
        np.asarray(call(*args))
    except (gridir.Error, ValueError, jax.errors.JaxRuntimeError) as error:
        return str(error).splitlines()[0]


# CHECK-NEXT: INVALID_ARGUMENT: kernel `pick`: index 77 is out of bounds [0, 32) in dimension 0 of x_ref ({{.*}}xla_call
print(failure(program.call, np.int32([77]), x))
picks = jax.jit(program.call)


def pick_some(seed):
    """Picks rows on several devices; returns whether each call gave its row, or the error of its own index."""
    choose = random.Random(seed)
    for _ in range(6):
        number, device = choose.randrange(64), jax.devices()[choose.randrange(3)]
        error = failure(picks, *jax.device_put((np.int32([number]), x), device))
        if error is not None if number < 32 else f"index {number} is" not in str(error):
            return False
    return True


with ThreadPoolExecutor(8) as pool:
    # CHECK-NEXT: reports of 8 threads: True
    print("reports of 8 threads:", all(pool.map(pick_some, range(8))))


# The check is the error also where an invalid access follows, which ends the context of the device, and of no other.
def row(index, x, o):
    pl.debug_check(index[0] < 32, "expected one of 32 rows")
    o[...] = x[index[0]]


def scaled_product(factor_ref, x_ref, y_ref, o_ref):
    pl.debug_check(factor_ref[0] != 9, "expected another factor")
    product = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
    o_ref[...] = product * factor_ref[0].astype(jnp.float32)


def rows_of(index, x):
    return plgpu.kernel(row, out_type=jax.ShapeDtypeStruct((128,), np.float32))(index, x)


with pl.enable_debug_checks():
    row_program = export(rows_of, np.int32([3]), x)
    square = jax.ShapeDtypeStruct((64, 64), jnp.bfloat16)
    # Becomes a warpgroup program.
    scaled = pl.pallas_call(scaled_product, out_shape=jax.ShapeDtypeStruct((64, 64), np.float32))
    scaled_program = export(scaled, jax.ShapeDtypeStruct((1,), np.int32), square, square)

ones = np.ones((64, 64), jnp.bfloat16)
# CHECK-COUNT-2: kernel `scaled_product`: expected another factor ({{.*}}xla_call.py:{{[0-9]+}}:
# CHECK-COUNT-2: kernel `row`: expected one of 32 rows ({{.*}}xla_call.py:{{.*}}); then the kernel failed: CUDA_ERROR
# CHECK-NEXT: device 0 failed, device 2 not: True
for gpu.captures in (False, True):
    print(failure(scaled_program.call, np.int32([9]), ones, ones))
    np.testing.assert_array_equal(scaled_program.call(np.int32([2]), ones, ones), np.full((64, 64), 128))
for gpu.captures in (False, True):
    failure(driver.synchronize)
    print(failure(row_program.call, np.int32([5000]), x))
on_others = [jax.device_put((np.int32([3]), x), device) for device in jax.devices()]
print("device 0 failed, device 2 not:", np.array_equal(row_program.call(*on_others[2]), x[3]))
# A fault without a check that failed has the driver's error alone.
# CHECK-NEXT: kernel `row` failed: CUDA_ERROR_LAUNCH_FAILED
print(failure(row_program.call, *on_others[0]))
# CHECK-NEXT: expected an access to memory of the launch
print(failure(driver.synchronize))
np.testing.assert_array_equal(row_program.call(*on_others[0]), x[3])
gpu.captures = False

# Modules are not loaded while a graph is captured; a call that XLA has not prepared says so.
program, gpu.initializes, gpu.captures = export(scale_by(7), x), False, True
# CHECK-NEXT: kernel `scale` was not loaded on this device before a CUDA graph was captured
print(failure(program.call, x))
gpu.captures = False
# CHECK-NEXT: without a graph: True
print("without a graph:", np.array_equal(program.call(x), x * 7))
gpu.initializes = True

# Another process reads an exported program, which has all that a launch needs.
# CHECK-NEXT: read again: True
again = jax.export.deserialize(export(on_rows(add, 2), x, x).serialize())
print("read again:", np.array_equal(again.call(x, x), 2 * x))


program = export(scale_by(11), x)
# CHECK-NEXT: kernel `scale` is compiled for sm_90a, got gridir's stand-in for a GPU (compute capability 8.0)
driver.pretend(8, devices=3, has_current_context=False)
print(failure(program.call, x))
driver.pretend(9, devices=3, has_current_context=False)
with gridir.installed(platforms=("cuda",), options=gridir.GpuOptions(chip="sm_90")):
    older = export(on_rows(double), x)
driver.pretend(10, devices=3, has_current_context=False)
# CHECK-NEXT: PTX of an older chip: True
print("PTX of an older chip:", np.array_equal(older.call(x), 2 * x))
driver.pretend(9, devices=3, has_current_context=False)


DEVICES = {"least_device": np.int64(90), "last_device": np.int64(90)}


def call(parameters=(), image=b"no PTX", x=x, **changes):
    """Makes a call of XLA's by hand, of which something is wrong."""
    launch = {"entry": "k", "threads": 32, "ctas": 1, "cluster_ctas": 1, "shared_bytes": 0, "diagnostics": []}
    launch = json.dumps({**launch, "parameters": list(parameters), **changes})
    made = jax.ffi.ffi_call(xla_call.CALL_TARGET, jax.ShapeDtypeStruct(x.shape, x.dtype))
    return failure(jax.jit(lambda x: made(x, name="k", image=image, chip="sm_90a", launch=launch, **DEVICES)), x)


def tensor_map(**changes):
    known = {"kind": "tensor_map", "operand": 0, "cuda_type": 7, "shape": [32, 128], "strides": [512, 4]}
    return [{**known, "box": [8, 8], "cuda_swizzle": 0, **changes}]


EMPTY = b".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }"
# CHECK-NEXT: kernel `k` cannot be loaded on {{.*}} of CUDA 13.0: CUDA_ERROR_INVALID_IMAGE {{.*}}: ptxas fatal
print(call())
# CHECK-NEXT: kernel `k` has no entry 'other': CUDA_ERROR_NOT_FOUND
print(call(image=EMPTY, entry="other"))
# CHECK-NEXT: kernel `k` needs 300000 bytes of shared memory, which {{.*}} does not have: CUDA_ERROR_INVALID_VALUE
print(call(image=EMPTY, shared_bytes=300000))
# CHECK-NEXT: kernel `k` cannot be launched with 3 CTAs of 32 threads, clusters of 2 and {{.*}}: CUDA_ERROR
print(call(image=EMPTY, ctas=3, cluster_ctas=2))
# CHECK-NEXT: expected a call with 3 operands and a last result of 0 bytes, got 2 and 16384
print(call([{"kind": "operand", "operand": 2}], EMPTY))
# CHECK-NEXT: expected a call with 0 operands and a last result of 256 bytes, got 1 and 16384
print(call([{"kind": "workspace", "bytes": 8}], EMPTY))
# CHECK-NEXT: kernel `k` has no memory for the report of its checks: CUDA_ERROR_OUT_OF_MEMORY
print(call([{"kind": "report", "words": 1 << 38}], EMPTY, diagnostics=["a"]))
# CHECK-NEXT: kernel `k` needs a tensor map of operand 0 at {{.*}} with sizes [128, 32], strides of [520] bytes
print(call(tensor_map(strides=[520, 4]), EMPTY))
# CHECK-NEXT: kernel `k`: expected a launch as JSON
print(call(image=EMPTY, parameters=(), threads=float("nan")))
# CHECK-NEXT: kernel `k`: expected an integer of at least 1 as 'threads' of a launch
print(call(image=EMPTY, threads=0))
# CHECK-NEXT: kernel `k`: expected operand, report, scalar, num_items, workspace, zeroed or tensor_map as 'kind'
print(call([{"kind": "stack"}]))
# CHECK-NEXT: kernel `k`: expected 1 to 5 sizes, with as many strides and sizes of a box, as 'shape' of a launch
# CHECK-NEXT: kernel `k`: expected an integer of at least 0 as 'cuda_type' of a launch
# CHECK-NEXT: kernel `k`: expected an integer of at least 0 as 'cuda_swizzle' of a launch
# CHECK-NEXT: kernel `k`: expected integers of at least 0 as 'box' of a launch
for wrong in ({"box": [8]}, {"cuda_type": "complex64"}, {"cuda_swizzle": -1}, {"box": [8, -1]}):
    print(call(tensor_map(**wrong)))
# CHECK-NEXT: kernel `k`: expected a parameter 'report' of a launch with diagnostics
print(call(diagnostics=["{0}"]))
# CHECK-NEXT: kernel `k`: expected 0 with a dynamic grid as 'bytes' of a launch
# CHECK-NEXT: kernel `k` is launched with sizes [65536, 65536], which are more than 2147483647 CTAs
sizes = np.full(16, 1 << 16, np.int32)
dynamic = {"ctas": None, "dynamic_ctas": {"factor": 1, "operands": [0, 0]}}
print(call([{"kind": "workspace", "bytes": 8}], EMPTY, sizes, **dynamic))
# The stand-in reports the images above to the next wait.
failure(driver.synchronize)
print(call((), EMPTY, sizes, **dynamic))

# A launch that XLA cannot make is an error when the program is lowered.
# CHECK-NEXT: expected elements of 8 bits or more, got int4[32,128] of {{[a-z_]+}}, whose elements share bytes on a GPU
narrow = jax.ShapeDtypeStruct(x.shape, ml_dtypes.int4)
print(failure(export, pl.pallas_call(double, out_shape=narrow), x.astype(ml_dtypes.int4)))
# Bulk copies see the elements of a byte together; threads see a byte for each.
# CHECK-NEXT: int4[128] of {{[a-z_]+}}, whose elements share bytes on a GPU, and not those that threads access
# CHECK-NEXT: copied alone: ok


def loads_and_copies(loads):
    def kernel(x, o, tile, barrier):
        plgpu.copy_gmem_to_smem(x, tile, barrier)
        plgpu.barrier_wait(barrier)
        o[...] = x[...].astype(jnp.int32) if loads else jnp.zeros((128,), jnp.int32)

    scratch = (plgpu.SMEM((128,), jnp.int4), plgpu.Barrier())
    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.int32), scratch_types=scratch)


print(failure(export, loads_and_copies(loads=True), np.zeros(128, ml_dtypes.int4)))
export(loads_and_copies(loads=False), np.zeros(128, ml_dtypes.int4))
print("copied alone: ok")


# Memory of all CTAs is a result of the call, whose size is known when the program is compiled.
def keeps(x_ref, o_ref, kept):
    kept[...] = jnp.broadcast_to(x_ref[...][:1], kept.shape)
    o_ref[...] = x_ref[...] + kept[pl.ds(1000, 8)]


# CHECK-NEXT: expected a kernel without temporaries in global memory, as its grid is dynamic, got {{[0-9]+}} bytes for
kept = [pltpu.VMEM((1024, 128), jnp.float32)]
some = lambda n, x: pl.pallas_call(  # noqa: E731
    keeps, grid=(n,), in_specs=[rows], out_specs=rows, out_shape=like, scratch_shapes=kept
)(x)
with gridir.installed(platforms=("cuda",), options=gridir.GpuOptions(path="mapped")):
    print(failure(export, some, np.int32(3), x))
# CHECK-NEXT: expected checks and schedule_seed for the executor of PTX, got them for a GPU
with gridir.installed(platforms=("cuda",), options=gridir.GpuOptions(checks=("races",))):
    print(failure(export, on_rows(double), x))

# A driver that is not there is an error of the program; everything else works without one.
ALONE = """
import sys
sys.path.insert(0, sys.argv[1])
import gridir, jax, numpy as np
from Inputs.cuda_on_cpu import export, register_without_driver
from jax.experimental import pallas as pl
gridir.install(platforms=("cuda",))
register_without_driver()
def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]
x = np.ones((8, 128), np.float32)
program = export(pl.pallas_call(copy, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype)), x)
try:
    np.asarray(program.call(x))
except (ValueError, jax.errors.JaxRuntimeError) as error:
    print(str(error).splitlines()[0])
"""
# CHECK-NEXT: kernel `copy` cannot be launched: expected the NVIDIA driver's libcuda.so.1, got: {{.*}}open
run = subprocess.run([sys.executable, "-c", ALONE, str(Path(__file__).parent)], capture_output=True, text=True)
print(run.stdout + run.stderr[-500:])

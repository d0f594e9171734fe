# RUN: %python %s | FileCheck %s

# A kernel passes each stage once: a request for a stage continues from the nearest one that was reached, and has the
# result of one run of the whole pipeline.
import re
from collections import Counter

import gridir
import jax
import jax.numpy as jnp
from gridir.compiler import kernel as driver
from gridir.compiler.passes import parse_module, run_pipeline
from gridir.compiler.targets import get_target
from gridir.compiler.tpu import TpuOptions, planned_vmem
from gridir.runtime import cpu
from jax.experimental import pallas as pl

X = jax.ShapeDtypeStruct((32, 128), jnp.float32)


def call(scale):
    """A function whose kernel no other one has; a number in it makes it so."""

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] * scale

    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return jax.jit(pl.pallas_call(body, out_shape=X, grid=(4,), in_specs=[rows], out_specs=rows))


def lowered(scale, **how):
    return gridir.lower(call(scale), X, **how)


# Every run of a pipeline, in Python and in the native compiler of the CPU, as the stages that it is between.
runs = Counter()


def count(pipeline):
    stop, start = (re.search(f"{name}-after=([a-z-]+)", pipeline) for name in ("stop", "start"))
    runs[f"{start[1] if start else 'grid'} to {stop[1] if stop else 'end'}"] += 1


def counted_run(module, pipeline, **how):
    count(pipeline)
    return run_pipeline(module, pipeline, **how)


def counted_compile(key, module, *, pipeline, **how):
    count(pipeline)
    return compile_kernel(key, module, pipeline=pipeline, **how)


driver.run_pipeline = counted_run
compile_kernel, cpu.kernels.native.compile_kernel = cpu.kernels.native.compile_kernel, counted_compile


def report(what):
    print(f"{what}:", ", ".join(runs), "| most often:", max(runs.values(), default=0))
    runs.clear()


# The call in JAX's module takes a kernel for a TPU to the end. Its stages and its memory plan are looked at after that.
# CHECK:      lower: grid to grid-planned, grid-planned to tpu, tpu to tpu-serialized | most often: 1
# CHECK-NEXT: look: | most often: 0
# CHECK-NEXT: planned: {'x_ref': 8192, 'o_ref': 8192}
[kernel] = lowered(2.0, target="tpu").kernels
report("lower")
for stage in kernel.stages:
    kernel.text(stage)
kernel.prepare()
planned = planned_vmem(kernel)
report("look")
print("planned:", planned)

# So does an equal kernel of another lowering.
# CHECK-NEXT: again: | most often: 0
lowered(2.0, target="tpu")
report("again")

# A kernel of the other targets goes as far as it is asked for.
# CHECK-NEXT: loops: grid to grid-planned, grid-planned to program, {{.*}}, memory to loops | most often: 1
# CHECK-NEXT: gpu: loops to bufferized, bufferized to mapped, mapped to gpu | most often: 1
# CHECK-NEXT: ptx: gpu to nvvm, nvvm to ptx | most often: 1
[kernel] = lowered(3.0, target="gpu").kernels
for name, stage in (("loops", "loops"), ("gpu", "gpu")):
    kernel.text(stage)
    report(name)
kernel.prepare()
kernel.text("ptx")
report("ptx")

# The native compiler continues from there, too; without a request for a stage it compiles directly.
# CHECK-NEXT: vectorized: grid to grid-planned, {{.*}}, bufferized to vectorized | most often: 1
# CHECK-NEXT: native: vectorized to llvm | most often: 1
# CHECK-NEXT: at once: grid to end | most often: 1
[kernel] = lowered(4.0).kernels
kernel.text("vectorized")
report("vectorized")
kernel.prepare()
report("native")
lowered(5.0).kernels[0].prepare()
report("at once")

# Calls of JAX request no stage: they compile directly, too.
# CHECK-NEXT: installed: grid to tpu-serialized | most often: 1
with gridir.installed(platforms=("tpu",)):
    call(8.0).trace(X).lower(lowering_platforms=("tpu",))
report("installed")

# Who wants to see the IR after each pass sees that of every pass.
# CHECK-NEXT: print: grid to grid-planned, grid-planned to loops | most often: 1
kernel.text("loops", print_after_all=True)
report("print")

# A pipeline of one's own runs as a whole, and once.
# CHECK-NEXT: own: grid to tpu-serialized, grid to tpu | most often: 1
[kernel] = lowered(6.0, target="tpu", options=TpuOptions(pipeline="canonicalize,grid-to-tpu")).kernels
kernel.text("tpu")
kernel.text("tpu")
report("own")

# CHECK-NEXT: cpu: as in one run
# CHECK-NEXT: tpu: as in one run
# CHECK-NEXT: gpu: as in one run
for name in ("cpu", "tpu", "gpu"):
    [kernel] = lowered(7.0, target=name).kernels
    target = get_target(name)
    for stage in target.stages[1:]:
        module = run_pipeline(parse_module(kernel.bytecode), target.pipeline(kernel.options, stage))
        text = target.text(module, stage, locations=True)
        assert kernel.text(stage, locations=True) == text, (name, stage)
    print(f"{name}: as in one run")

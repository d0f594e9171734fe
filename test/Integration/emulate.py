# A program whose kernels run as another target's code on the CPU: installed for everything that JAX compiles, with the
# checks of that target.
#
# RUN: %python %s | FileCheck %s

import re

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference
from jax.experimental import pallas as pl


def scale(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2 + 1


@jax.jit
def program(x):
    """Two kernels, one of them in a loop, and what XLA does around them."""
    spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
    call = pl.pallas_call(scale, out_shape=jax.typeof(x), grid=(x.shape[0] // 8,), in_specs=[spec], out_specs=spec)
    looped = jax.lax.fori_loop(0, 3, lambda _, y: call(y) / 8, x)
    return call(x) - looped


X = jax.random.normal(jax.random.key(0), (32, 128))
with gridir.installed():
    native = program(X)

# CHECK: cpu: as native code
# CHECK: gpu:sm_80: as native code
# CHECK: gpu:sm_90a: as native code
# CHECK: tpu: as native code
for name in ("cpu", "gpu:sm_80", "gpu:sm_90a", "tpu"):
    with gridir.installed(emulate=name):
        text = program.lower(X).as_text()
        # Of the CPU's own code there is a custom call, of emulated code there is none.
        assert ("gridir_cpu" in text) == (name == "cpu"), name
        print(f"{name}:", difference(program(X), native) or "as native code")


def outside(x_ref, n_ref, o_ref):
    o_ref[0] = x_ref[n_ref[0]]


def said(call, *args, **options):
    """What a call says where kernels are emulated: its result, or the message of its error."""
    try:
        with gridir.installed(**options):
            return np.asarray(jax.jit(call)(*args))
    except gridir.OptionError as error:
        return f"OptionError: {error}"
    except jax.errors.JaxRuntimeError as error:
        return re.search(r"(LaunchError: .*)", str(error))[1]


# An error of a kernel is one of the program.
# CHECK: outside: LaunchError: {{.*}}9
look_up = pl.pallas_call(outside, out_shape=jax.ShapeDtypeStruct((1,), jnp.float32))
print("outside:", said(look_up, jnp.ones(4), jnp.full(1, 9), emulate="gpu:sm_90a"))

# The options are those of the target.
# CHECK: right: [1.]
# CHECK: OptionError: expected GpuOptions for target 'gpu', got CpuOptions
# CHECK: OptionError: expected checks with the target cpu or gpu, got options TpuOptions
# CHECK: OptionError: expected a target (cpu, tpu, gpu), got 'sm_90a'
# CHECK: OptionError: expected platforms=('cpu',) with emulate='tpu', got ('tpu',)
args = (look_up, jnp.ones(4), jnp.zeros(1, jnp.int32))
print("right:", said(*args, emulate="gpu:sm_80", checks=["races", "uninitialized"], schedule_seed=3))
print(said(*args, emulate="gpu", options=gridir.CpuOptions()))
print(said(*args, emulate="tpu", checks=["races"]))
print(said(*args, emulate="sm_90a"))
print(said(*args, emulate="tpu", platforms=("tpu",)))

# RUN: %python %s | FileCheck %s

# A kernel that was lowered is used again only where nothing differs that its lowering can read.
import dataclasses

import gridir
import jax
import jax.numpy as jnp
from gridir.compiler.targets import CPU
from gridir.frontend.capture import emitter
from gridir.frontend.compat import jax_core, jax_lowering
from gridir.frontend.request.kernel_request import KernelRequest
from jax._src import config
from jax._src.pallas import core as pallas_core
from jax.experimental import pallas as pl


def checked(x_ref, o_ref):
    pl.debug_check(x_ref[0, 0] < 0, "expected a negative number")
    o_ref[...] = x_ref[...]


# One trace, so that the jaxpr of the kernel is one object, lowered under what `pl.enable_debug_checks` chooses.
X = jnp.ones((8, 128))
traced = jax.jit(lambda x: pl.pallas_call(checked, out_shape=x)(x)).trace(X)


def outcome():
    try:
        return str(traced.lower().compile()(X)[0, 0])
    except jax.errors.JaxRuntimeError as error:
        return "negative number" if "expected a negative number" in str(error) else str(error)


with gridir.installed():
    # CHECK: no checks: 1.0
    print("no checks:", outcome())
    with pl.enable_debug_checks(True):
        # CHECK-NEXT: checks: negative number
        print("checks:", outcome())
    # CHECK-NEXT: no checks again: 1.0
    print("no checks again:", outcome())

(equation,) = [eqn for eqn in traced.jaxpr.eqns if eqn.primitive.name == "pallas_call"]
request = jax_lowering.request_of_pallas_call([v.aval for v in equation.invars], equation.params)


def key(request=request):
    return emitter.request_key(request, CPU, CPU.options())


assert key() == key(), "nothing differs"

# Each of JAX's options and contexts is in the key, also one that this test does not know by name.
missing, count = [], 0
states = {name: getattr(config, name, None) for name in config.trace_context_names()} | config.config_states
before = key()
for name, state in states.items():
    if state is None:
        continue
    previous = state.swap_local(f"another {name}")
    count += 1
    if key() == before:
        missing.append(name)
    state.set_local(previous)
with jax_core._core.extend_axis_env_nd([("i", 2)]):
    if key() == before:
        missing.append("axis_env_state")
# CHECK: options and contexts left out: [] of more than 100: True
print("options and contexts left out:", missing, "of more than 100:", count > 100)

# So is the state of Pallas, which has no option.
missing = []
environment = pallas_core._pallas_tracing_env
for field in dataclasses.fields(environment):
    previous = getattr(environment, field.name)
    setattr(environment, field.name, ("another", previous.__class__))
    if key() == before:
        missing.append(field.name)
    setattr(environment, field.name, previous)
# CHECK: state of Pallas left out: []
print("state of Pallas left out:", missing)

# And every field of a request; its jaxpr is what the table of kernels is for.
missing = [
    field.name
    for field in dataclasses.fields(KernelRequest)
    if field.name != "jaxpr" and key(dataclasses.replace(request, **{field.name: "another"})) == before
]
# CHECK: fields left out: []
print("fields left out:", missing)

# The user's own contexts are part of it, but gridir's installation is not: a rule cannot see it.
other = jax.make_user_context(None)
with other("another"):
    # CHECK: another context: True
    print("another context:", key() != before)
seen = []


def spy(request, *args, **kwargs):
    from gridir.frontend.capture.installation import current

    seen.append(current())
    return original(request, *args, **kwargs)


original, emitter.lower_kernel = emitter.lower_kernel, spy
with gridir.installed():
    jax.jit(lambda x: pl.pallas_call(lambda i, o: None, out_shape=x)(x)).lower(X)
# CHECK: installation that a rule sees: [None]
print("installation that a rule sees:", seen)

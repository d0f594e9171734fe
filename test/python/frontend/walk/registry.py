# RUN: %python %s | FileCheck %s

import gridir
import gridir.frontend.rules
import jax
import jax.numpy as jnp
from gridir.frontend.walk.context import KernelContext, RuleContext, WalkState
from gridir.frontend.walk.levels import LEVELS
from gridir.frontend.walk.registry import BASE, Level
from jax._src.lax import lax as lax_internal
from jax.experimental import pallas as pl
from jax.extend import core


def refused(register, *args, **options):
    try:
        register(*args, **options)
    except ValueError as error:
        print(error)


# CHECK: expected one rule for primitive `add` at level base, got a second one
refused(BASE.register, "add", lambda ctx, x, y: x)

# A level over another replaces what that says only where it says that it does, and what is there.
# CHECK: expected none, or `overrides=True` below the rule for primitive `add` at level over
# CHECK: expected one to override below the rule for primitive `new` at level over
# CHECK: expected one rule for primitive `add` at level over, got a second one
over = Level("over", BASE)
refused(over.register, "add", lambda ctx, x, y: x)
refused(over.register, "new", lambda ctx, x: x, overrides=True)
over.register("add", lambda ctx, x, y: x, overrides=True)
refused(over.register, "add", lambda ctx, x, y: x, overrides=True)

# CHECK: add and while are supported, cholesky is not
names = set(BASE.supported())
if {"add", "while"} <= names and "cholesky" not in names:
    print("add and while are supported, cholesky is not")


# A function that would take any parameter does not say which it reads.
# CHECK: expected a rule for primitive `new` that names the parameters which it reads
refused(BASE.register, "new", lambda ctx, x, **params: x)


# A parameter that another JAX may have is refused by every rule, for it may change what the primitive does.
equation = jax.make_jaxpr(jnp.sin)(1.0).eqns[0]
context = RuleContext(KernelContext("kernel", list, WalkState()), equation, frozenset(), equation.source_info)


def refusal(primitive, level=BASE, **params):
    try:
        level.find(primitive)(context, **params)
    except gridir.UnsupportedError as error:
        return error.message
    return None


# CHECK: rules that take a new parameter: []
new = {(level, name): refusal(name, level, made_up=1) for level in LEVELS for name in level.supported()}
print("rules that take a new parameter:", [name for name, text in new.items() if "got `made_up=1`" not in (text or "")])

# Nor does one that a rule reads go missing, as after a renaming, with an error of Python's.
# CHECK: sin: expected a parameter `permutation`, got none
print(refusal("transpose"))

# One that is ignored is so for the values that change nothing.
# CHECK: sin: expected `accuracy=None`, got `accuracy=1`
print(refusal("exp", accuracy=1))


# The error has the kernel and the author's line.
def kernel(x_ref, o_ref):
    o_ref[...] = jnp.exp(x_ref[...])


x = jnp.ones((8, 8))
original = lax_internal.exp_p.bind
lax_internal.exp_p.bind = lambda *args, **params: original(*args, **params, made_up=1)
lax_internal.exp_p.def_abstract_eval(lambda aval, **_: aval)
try:
    gridir.lower(pl.pallas_call(kernel, out_shape=x), x)
except gridir.UnsupportedError as error:
    # CHECK: exp: expected parameters that gridir knows (`accuracy`), got `made_up=1`
    # CHECK-NEXT: in kernel `kernel` for kernel function kernel at {{.*}}
    # CHECK-NEXT: registry.py:{{[0-9]+}}
    print(error)


# The primitives of a decomposition have rules, too.
composed = core.Primitive("composed")
composed.def_abstract_eval(lambda aval: aval)
BASE.decomposition("composed")(jax.lax.linalg.cholesky)


def composing(x_ref, o_ref):
    o_ref[...] = composed.bind(x_ref[...])


try:
    gridir.lower(pl.pallas_call(composing, out_shape=x), x)
except gridir.UnsupportedError as error:
    # CHECK: cholesky: expected a primitive that has a lowering rule
    print(error)

# RUN: %python %s | FileCheck %s

# The installation is part of JAX's trace key: functions that were compiled before are compiled again.
import concurrent.futures
import threading

import gridir
import jax
import jax.numpy as jnp
from gridir.frontend.capture.installation import current
from jax.experimental import pallas as pl


def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] + x_ref[...]


@jax.jit
def f(x):
    return pl.pallas_call(double, out_shape=x)(x)


@jax.jit
def interpreted(x):
    return pl.pallas_call(double, out_shape=x, interpret=True)(x)


X = jnp.ones((8, 128))


def outcome(function=f):
    """`native` when gridir's custom call is in the program, `jax` when the kernel is interpreted, else JAX's error."""
    try:
        text = function.lower(X).as_text()
        assert (function(X) == 2 * X).all()
    except ValueError as error:
        return "refused" if "Only interpret mode is supported on CPU" in str(error) else str(error)
    return "native" if "gridir_cpu" in text else "jax"


# CHECK: before: refused jax
print("before:", outcome(), outcome(interpreted))

with gridir.installed():
    # CHECK: installed: native jax
    print("installed:", outcome(), outcome(interpreted))
    with gridir.installed(replace_interpret=True):
        # CHECK: nested: native native
        print("nested:", outcome(), outcome(interpreted))
        with gridir.installed(platforms=()):
            # CHECK: nested, none: refused jax
            print("nested, none:", outcome(), outcome(interpreted))
        # CHECK: left once: native native
        print("left once:", outcome(), outcome(interpreted))
    # CHECK: left twice: native jax
    print("left twice:", outcome(), outcome(interpreted))
    # Another thread has nothing installed: the context is this thread's.
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        # CHECK: other thread: refused jax
        print("other thread:", *pool.map(outcome, (f, interpreted)))
# CHECK: left: refused jax
print("left:", outcome(), outcome(interpreted))

# An exception leaves the context too.
try:
    with gridir.installed():
        raise KeyError
except KeyError:
    # CHECK: after an exception: None
    print("after an exception:", current())

# Two threads, one with and one without, at the same time, on the same function.
barrier = threading.Barrier(2)


def alternate(with_gridir):
    seen = set()
    for _ in range(5):
        barrier.wait()
        if with_gridir:
            with gridir.installed():
                seen.add(outcome())
        else:
            seen.add(outcome())
    return seen


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    # CHECK: two threads: {'native'} {'refused'}
    print("two threads:", *pool.map(alternate, (True, False)))

gridir.install()
# CHECK: for all: native jax
print("for all:", outcome(), outcome(interpreted))
with concurrent.futures.ThreadPoolExecutor(1) as pool:
    # CHECK: in another thread: native
    print("in another thread:", *pool.map(outcome, (f,)))
gridir.install(replace_interpret=True)
# CHECK: replaced: native native
print("replaced:", outcome(), outcome(interpreted))

# CHECK: expected platforms among cpu, cuda, tpu, got 'abacus'
# CHECK-NEXT: expected checks and schedule_seed with the platform 'cpu', got platforms=('cuda',)
# CHECK-NEXT: note: emulate= executes the code of another target on the CPU, with its checks
# CHECK: expected platforms among cpu, cuda, tpu, got 'abacus'
# CHECK-NEXT: expected checks and schedule_seed with the platform 'cpu', got platforms=('cuda',)
# CHECK-NEXT: note: emulate= executes the code of another target on the CPU, with its checks
for install in (gridir.install, lambda **kwargs: gridir.installed(**kwargs).__enter__()):
    for arguments in ({"platforms": ("cpu", "abacus")}, {"platforms": ("cuda",), "checks": ["races"]}):
        try:
            install(**arguments)
        except gridir.OptionError as error:
            print(error)
# A rejected installation is not active.
# CHECK: still: native
print("still:", outcome())

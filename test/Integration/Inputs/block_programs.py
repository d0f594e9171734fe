"""Runs kernels of blocks on the target gpu, and says which ones became warpgroup programs."""

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.testing import differences, interpreted

RANDOM = np.random.default_rng(0)


def normal(*shape, dtype=jnp.float32):
    return jnp.asarray(RANDOM.standard_normal(shape), dtype)


def small(*shape, dtype=jnp.bfloat16):
    """Integers whose products and sums are exact, so that every order of a sum gives the same result."""
    return jnp.asarray(RANDOM.integers(-4, 5, shape), dtype)


def are_programs(function, args):
    """True if all kernels become warpgroup programs, False if none does."""
    kernels = gridir.lower(function, *args, target="gpu:sm_90a").kernels
    [found] = {"warpgroup.mapped" not in kernel.text("program") for kernel in kernels}
    return found


def problem_of(function, args):
    """The difference from interpret mode: of tasks on the CPU, and of PTX with checks in three orders."""
    with interpreted():
        want = jax.jit(function)(*args)
    runs = [{"stage": "program"}]
    runs += [{"checks": ("races", "uninitialized"), "schedule_seed": seed} for seed in (1, 2, 3)]
    for how in runs:
        try:
            executable = execute(function, args, get_target("gpu:sm_90a"), **how)
            if found := differences(executable.function(*args), want, function, args):
                return f"{how}: {found[0]}"
        except Exception as error:
            return f"{how}: {type(error).__name__}: {error}"
    return None


def report(kind, cases, *, programs):
    """Prints how many kernels are right and take the expected path, and the problems of the others."""
    right = 0
    for name, (function, *args) in cases.items():
        problem = problem_of(function, args)
        if are_programs(function, args) != programs:
            problem = f"is {'not ' if programs else ''}a warpgroup program"
        if problem:
            print(f"{name}: {problem}")
        right += not problem
    print(f"{right} of {len(cases)} {kind} are right")

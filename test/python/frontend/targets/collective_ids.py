# RUN: %python %s | FileCheck %s

# Which barrier semaphore the kernels of a program for a TPU have: the number that the author gives, or one that JAX
# chooses, for a tag or by its setting, from the numbers that no kernel has. JAX chooses since 0.11.
import inspect
import json

import gridir
import jax
import jax.numpy as jnp
from gridir.compiler.passes import parse_module
from gridir.frontend.capture.install import jax_alone
from gridir.frontend.compat import jax_tpu
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxlib.mlir import ir

x = jax.ShapeDtypeStruct((8, 128), jnp.float32)


def kernel_with(tags, factor):
    """A kernel that meets others at the barrier semaphores of these tags."""

    def kernel(x_ref, o_ref):
        for tag in tags:
            semaphore = pltpu.get_barrier_semaphore(**({} if tag is None else {"tag": tag}))
            pl.semaphore_signal(semaphore, 1)
            pl.semaphore_wait(semaphore, 1)
        o_ref[...] = x_ref[...] * factor

    return kernel


def ids(*kernels, mode=None, limit=None, compiler=None):
    """The number in the call of each kernel; a kernel is its tags, its factor and the author's number."""

    def function(x):
        for tags, factor, number in kernels:
            params = pltpu.CompilerParams(collective_id=number)
            x = pl.pallas_call(kernel_with(tags, factor), out_shape=x, compiler_params=params)(x)
        return x

    settings = {"jax_pallas_auto_assign_collective_ids": mode, "jax_pallas_auto_assign_collective_ids_limit": limit}
    before = {name: getattr(jax.config, name) for name, value in settings.items() if value is not None}
    found = []

    def visit(op):
        if op.name == "stablehlo.custom_call":
            config = json.loads(ir.StringAttr(op.attributes["backend_config"]).value)["custom_call_config"]
            found.append(config.get("collective_id"))
        return ir.WalkResult.ADVANCE

    try:
        for name in before:
            jax.config.update(name, settings[name])
        with compiler or gridir.installed(platforms=("tpu",)), jax_tpu.some_device():
            traced = jax.jit(function).trace(x)
            traced.lower(lowering_platforms=("tpu",)).compiler_ir("stablehlo").operation.walk(visit)
    except gridir.Error as error:
        return "; ".join([f"{type(error).__name__}: {error.message}", *error.notes])
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
    return found


# CHECK: given: [3, 3, 4]
print("given:", ids(([None], 1, 3), ([None], 2, 3), ([None], 3, 4)))
# CHECK-NEXT: none: OptionError: collective_id is not set, but the kernel uses the barrier semaphore
print("none:", ids(([None], 1, None)))

# Features that JAX 0.10 lacks are not tested with it.
if "tag" in inspect.signature(pltpu.get_barrier_semaphore).parameters:
    # A number that an author has given is not chosen; kernels with one tag have one number, of whatever type it is.
    # Kernels with the same code have one number, too. JAX's own lowering gives the same numbers.
    for expected, kernels, mode in (
        ([1, 0, 1, 2], ((["ring"], 1, None), ([None], 2, 0), (["ring"], 3, None), ([("x", 1)], 4, None)), None),
        ([0, 1, 0], (([None], 1, None), ([None], 2, None), ([None], 1, None)), "yes"),
        ([7, 0], (([None], 1, 7), ([None], 2, None)), "yes"),
        ([0, 1], (([None], 1, 7), ([None], 2, 7)), "override"),
        ([0], ((["ring"], 1, 3),), "override"),
    ):
        assert ids(*kernels, mode=mode) == expected, (kernels, mode)
        assert ids(*kernels, mode=mode, compiler=jax_alone()) == expected, (kernels, mode)
    # A kernel without such a semaphore has no number.
    assert ids(([], 1, None), ([None], 2, None), mode="yes") == [None, 0]
    both = ids((["ring"], 1, 3))
    expected = "OptionError: expected a collective_id or a tag of get_barrier_semaphore, got 3 and 'ring'; "
    assert both == f"{expected}jax_pallas_auto_assign_collective_ids='override' ignores collective_id", both
    many = ids(*((["a", "b", "c"][i : i + 1], i, None) for i in range(3)), limit=2)
    assert many == "OptionError: expected at most 2 collective ids that JAX chooses, got more", many
    two = ids((["a", "b"], 1, None))
    expected = "get_barrier_semaphore: expected barrier semaphores with one tag in a kernel, got 'a', 'b'"
    assert two == f"UnsupportedError: {expected}", two
    # A module says which tag a semaphore has, and a module holds no objects of Python.
    opaque = ids(([object()], 1, None))
    assert "get_barrier_semaphore: expected a tag of numbers and strings, got <object object" in opaque, opaque
    text = (
        gridir.lower(pl.pallas_call(kernel_with([("x", 1)], 2), out_shape=x), jnp.ones((8, 128)), target="tpu")
        .kernels[0]
        .text("grid")
    )
    assert 'grid.barrier_semaphore tag(["x", 1])' in text, text
    # On a CPU each call has a barrier of its own, and any tag.
    parse_module(text)

# CHECK-NEXT: all numbers are those of JAX's rules
print("all numbers are those of JAX's rules")

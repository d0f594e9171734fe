# RUN: %python %s | FileCheck %s

# A kernel whose values cannot be returned is refused before anything runs, and the reason is said.

import functools

import jax
import jax.numpy as jnp
from gridir.bisection.oracle import expected_calls
from gridir.bisection.route import routes_of
from gridir.bisection.values import first_wrong_value
from gridir.bisection.worker import Worker
from gridir.compiler.targets import get_target
from gridir.errors import Error
from gridir.frontend.compat.jax_probe import points_of
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

cpu = get_target("cpu")
x = jnp.arange(8 * 128, dtype=jnp.float32).reshape(8, 128)


def add_one(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


def look(function, *args):
    """What is said of the first call of a kernel, which is right."""
    expected = expected_calls(function, args, cpu, cpu.check_options(None))[0]
    with Worker(timeout=60) as worker:
        try:
            first_wrong_value(worker, expected, routes_of(expected.kernel)[-1], lambda text: None)
        except Error as error:
            print(error.message)


whole = functools.partial(pl.pallas_call, add_one, out_shape=x)
# CHECK: every value is right in a kernel that returns it
look(whole(), x)
# CHECK: expected a grid whose sizes are numbers and which vmap has not widened
look(jax.vmap(whole(grid=(1,))), jnp.stack([x, x]))
# CHECK: expected a grid whose sizes are numbers and which vmap has not widened
look(lambda x, n: whole(grid=(n,))(x), x, jnp.int32(2))
# CHECK: expected a pallas_call, got a kernel of a mesh
mesh = pltpu.create_tensorcore_mesh("core", num_cores=1)
look(pl.kernel(add_one, out_type=x, mesh=mesh), x)


def loops(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        def step(i, total):
            o_ref[i, :] = total
            return total + x_ref[i, :]

        jax.lax.fori_loop(0, 4, step, x_ref[0, :])


# Kernels that interpret mode cannot run have no values to compare with.
def asks_in_loop(x_ref, o_ref):
    def step(i, total):
        return total + x_ref[i, :] * pl.program_id(0)

    o_ref[0, :] = jax.lax.fori_loop(0, 4, step, x_ref[0, :])


# CHECK: expected a kernel that interpret mode can run, got one without known values
look(pl.pallas_call(asks_in_loop, grid=(2,), out_shape=x), x)


def refer(reference):
    """What is said of a reference for a kernel that interpret mode cannot run."""
    function = pl.pallas_call(asks_in_loop, grid=(1,), out_shape=x)
    try:
        print(expected_calls(function, (x,), cpu, cpu.check_options(None), reference)[0].oracle)
    except Error as error:
        print(error.message)


# CHECK: reference()
# CHECK-NEXT: expected reference() to return results like the kernel's, ['float32[8, 128]'], got ['float32[128]']
refer(lambda x: x)
refer(lambda x: x[0])

# Each value has a path, and the loops around it have their numbers of steps.
expected = expected_calls(pl.pallas_call(loops, grid=(2,), out_shape=x), (x,), cpu, cpu.check_options(None))[0]
for point in points_of(expected.call.request):
    print(point.primitive, len(point.path), [steps for _, steps in point.loops], point.aval.shape, point.result)
# CHECK: program_id 1 [] () 0
# CHECK: get 3 [] (128,) 0
# CHECK: swap 5 [4] (128,) None
# CHECK: add 5 [4] (128,) 0

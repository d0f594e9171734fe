# Programs that read through an alias what another program wrote: one memory, in the order of the grid, since JAX 0.11;
# a copy before. The native code, PTX and the module for a TPU agree with that, and with JAX's interpreters.
#
# RUN: %python %s | FileCheck %s

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.testing import interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ROWS, WIDTH = 8, 128
IN_PLACE = jax.__version_info__ >= (0, 11)
ANYWHERE = pl.BlockSpec(memory_space=pl.ANY)


def at(index_map: Callable[..., Any]) -> pl.BlockSpec:
    """Blocks of rows that an index map of one dimension chooses."""
    return pl.BlockSpec((ROWS, WIDTH), lambda *ids: (index_map(*ids), 0))


def add(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...] + y_ref[...]


def by_blocks(read: Callable[..., Any], write: Callable[..., Any], grid: tuple[int, ...]) -> Callable[..., Any]:
    """Adds, for each program, a block of the second argument to a block of the first one, in the first one."""

    def call(x: jax.Array, y: jax.Array) -> Any:
        return pl.pallas_call(
            add,
            grid=grid,
            in_specs=[at(read), at(write)],
            out_specs=at(write),
            out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
            input_output_aliases={0: 0},
        )(x, y)

    return call


def expected(
    x: np.ndarray, y: np.ndarray, read: Callable[..., int], write: Callable[..., int], grid: tuple[int, ...]
) -> np.ndarray:
    """What one memory, or a copy of the input, holds in the end."""
    result = x.copy()
    source = result if IN_PLACE else x.copy()
    for ids in np.ndindex(*grid):
        i, o = int(read(*ids)) * ROWS, int(write(*ids)) * ROWS
        result[o : o + ROWS] = source[i : i + ROWS] + y[o : o + ROWS]
    return result


def report(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], want: np.ndarray, targets: list[str]
) -> None:
    equal = []
    for target in targets:
        got = execute(function, args, get_target(target)).function(*args)
        equal.append(f"{target} {bool(np.array_equal(got, want))}")
    with interpreted():
        equal.append(f"interpret {bool(np.array_equal(jax.jit(function)(*args), want))}")
    print(name, *equal)


def numbers(blocks: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(blocks)
    x, y = (random.integers(-9, 10, (blocks * ROWS, WIDTH)).astype(np.float32) for _ in range(2))
    return x, y


ALL = ["cpu", "gpu:sm_80", "tpu"]
CASES: list[tuple[str, Callable[..., Any], Callable[..., Any], tuple[int, ...], list[str]]] = [
    # CHECK: own block cpu True gpu:sm_80 True tpu True interpret True
    ("own block", lambda i: i, lambda i: i, (6,), ALL),
    # CHECK: reversed cpu True gpu:sm_80 True tpu True interpret True
    ("reversed", lambda i: 5 - i, lambda i: i, (6,), ALL),
    # CHECK: block before cpu True gpu:sm_80 True tpu True interpret True
    ("block before", lambda i: (i + 5) % 6, lambda i: i, (6,), ALL),
    # CHECK: block behind cpu True gpu:sm_80 True interpret True
    ("block behind", lambda i: jnp.minimum(i + 1, 5), lambda i: i, (6,), ["cpu", "gpu:sm_80"]),
    # A TPU fetches a block once for all programs in a row that see it.
    # CHECK: first block again cpu True gpu:sm_80 True interpret True
    ("first block again", lambda i: jnp.maximum(i - 1, 0), lambda i: i, (6,), ["cpu", "gpu:sm_80"]),
    # CHECK: same block again cpu True gpu:sm_80 True interpret True
    ("same block again", lambda i, k: i, lambda i, k: i, (3, 2), ["cpu", "gpu:sm_80"]),
    # CHECK: other row cpu True gpu:sm_80 True interpret True
    ("other row", lambda i, k: 2 - i, lambda i, k: i, (3, 2), ["cpu", "gpu:sm_80"]),
]
for name, read, write, grid, targets in CASES:
    x, y = numbers(6)
    want = expected(x, y, lambda *ids, f=read: int(f(*ids)), write, grid)
    report(name, by_blocks(read, write, grid), (x, y), want, targets)


def rows(table: jax.Array, x: jax.Array) -> Any:
    """Which blocks there are, is known when the kernel runs: the last but one program sees what the first one wrote."""

    def kernel(_: Any, x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...] * 2 + 1

    block = pl.BlockSpec((ROWS, WIDTH), lambda i, table: (table[i], 0))
    return pl.pallas_call(
        kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1, grid=table.shape, in_specs=[block], out_specs=block
        ),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        input_output_aliases={1: 0},
    )(table, x)


x, _ = numbers(6)
for name, table in (("table", [2, 0, 4, 3]), ("table with a row twice", [2, 0, 2, 3])):
    want = x.copy()
    for row in table:
        source = want if IN_PLACE else x
        want[row * ROWS : (row + 1) * ROWS] = source[row * ROWS : (row + 1) * ROWS] * 2 + 1
    # CHECK: table cpu True interpret True
    # CHECK: table with a row twice cpu True interpret True
    report(name, rows, (np.array(table, np.int32), x), want, ["cpu"])


def shifted_by_copies(x: jax.Array) -> Any:
    """Each program adds the block before, which it fetches itself, to its own."""

    def kernel(x_hbm: Any, o_hbm: Any, before: Any, own: Any, semaphore: Any) -> None:
        def copy(source: Any, target: Any) -> None:
            transfer = pltpu.make_async_copy(source, target, semaphore)
            transfer.start()
            transfer.wait()

        i = pl.program_id(0) + 1
        copy(x_hbm.at[pl.ds((i - 1) * ROWS, ROWS)], before)
        copy(x_hbm.at[pl.ds(i * ROWS, ROWS)], own)
        own[...] += before[...]
        copy(own, o_hbm.at[pl.ds(i * ROWS, ROWS)])

    return pl.pallas_call(
        kernel,
        grid=(5,),
        in_specs=[ANYWHERE],
        out_specs=ANYWHERE,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        scratch_shapes=[*[pltpu.VMEM((ROWS, WIDTH), jnp.float32)] * 2, pltpu.SemaphoreType.DMA],
        input_output_aliases={0: 0},
    )(x)


want = x.copy()
for i in range(1, 6):
    source = want if IN_PLACE else x
    want[i * ROWS : (i + 1) * ROWS] = source[(i - 1) * ROWS : i * ROWS] + source[i * ROWS : (i + 1) * ROWS]
# CHECK: copies cpu True
report("copies", shifted_by_copies, (x,), want, ["cpu", "tpu"] if IN_PLACE else ["cpu"])

# With the check "uninitialized", a call fails whose result depends on what nothing has written, and says which Ref,
# where and in which program; padding, and what a select does not choose, are no faults.
#
# RUN: %python %s | FileCheck %s

import linecache
import re
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.testing import difference
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

X = np.arange(32 * 128, dtype=np.float32).reshape(32, 128)
ROWS = pl.BlockSpec((8, 128), lambda i: (i, 0))
WHOLE = pl.BlockSpec(memory_space=pl.ANY)
DMA = pltpu.SemaphoreType.DMA


def look(name: str, kernel: Any, expected: Any = None, x: Any = X, **options: Any) -> None:
    """Runs a kernel with the check; prints its error, with the text of the line that it names, or "right"."""
    call = pl.pallas_call(kernel, **{"out_shape": jax.typeof(jnp.asarray(X)), "grid": (4,)} | options)
    with gridir.installed(checks=["uninitialized"]):
        try:
            result = jax.block_until_ready(call(x))
            print(f"{name}:", "right" if expected is None else difference(result, expected) or "right")
        except jax.errors.JaxRuntimeError as error:
            text = re.search(r"kernel `\w+`: (.*)", str(error))[1]
            location = r"\(\S*uninitialized\.py:(\d+):\d+\)"
            print(f"{name}:", re.sub(location, lambda m: f"`{linecache.getline(__file__, int(m[1])).strip()}`", text))


BLOCKS: dict[str, Any] = {"in_specs": [ROWS], "out_specs": ROWS}
SCRATCH = BLOCKS | {"scratch_shapes": [pltpu.VMEM((8, 128), X.dtype)]}


# Scratch and scopes ----------------------------------------------------------------------------------------------


def forgets_init(x_ref, o_ref, sum_ref):
    sum_ref[...] += x_ref[...]
    o_ref[...] = sum_ref[...]


def begins_late(x_ref, o_ref, sum_ref):
    @pl.when(pl.program_id(0) == 2)
    def _():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    @pl.when(pl.program_id(0) > 0)
    def _():
        o_ref[...] = sum_ref[...]


def scoped(x_ref, o_ref):
    def scope(t_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            t_ref[...] = x_ref[...]

        o_ref[...] = t_ref[...]

    pl.run_scoped(scope, pltpu.VMEM((8, 128), X.dtype))


# CHECK: no init: read of element (0, 0) of sum_ref `sum_ref[...] += x_ref[...]` in program (0): it is uninitialized
look("no init", forgets_init, **SCRATCH)
# CHECK: begins late: read of element (0, 0) of sum_ref `o_ref[...] = sum_ref[...]` in program (1): it is uninitialized
look("begins late", begins_late, **SCRATCH)
# A scope holds nothing when it is entered again.
# CHECK: scoped: read of element (0, 0) of t_ref `o_ref[...] = t_ref[...]` in program (1): it is uninitialized
look("scoped", scoped, **BLOCKS)


def reads_ahead(x_ref, o_ref, sum_ref):
    row = pl.program_id(0) + 2
    sum_ref[row - 2, :] = x_ref[0, :]
    o_ref[...] = x_ref[...]
    o_ref[:1, :64] = sum_ref[pl.ds(row, 1), 64:]


# The element is that of the Ref, though only a part is read.
# CHECK: reads ahead: read of element (2, 64) of sum_ref `o_ref[:1, :64] = {{.*}}` in program (0)
look("reads ahead", reads_ahead, **SCRATCH)


def accumulates(x_ref, o_ref):
    o_ref[...] += x_ref[...]


# CHECK: accumulates: read of element (0, 0) of o_ref `o_ref[...] += x_ref[...]` in program (0): it is uninitialized
look("accumulates", accumulates, **BLOCKS)
# CHECK: accumulates in place: right
look("accumulates in place", accumulates, in_specs=[ROWS], out_specs=ROWS, input_output_aliases={0: 0})


def reads_behind(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2
    o_ref[...] += x_ref[...]


# The window of the input is a copy of what the output's memory held.
# CHECK: reads behind a write: right
look("reads behind a write", reads_behind, X * 3, in_specs=[ROWS], out_specs=ROWS, input_output_aliases={0: 0})


def doubles_by_copies(x_hbm, o_hbm, buffer_ref, semaphore):
    @pl.loop(0, X.shape[0] // 8)
    def _(i):
        rows = pl.ds(i * 8, 8)
        for copy in (
            pltpu.make_async_copy(x_hbm.at[rows], buffer_ref, semaphore),
            pltpu.make_async_copy(buffer_ref, o_hbm.at[rows], semaphore),
        ):
            copy.start()
            copy.wait()
            buffer_ref[...] = buffer_ref[...] * 2


# CHECK: copies of an aliased input: right
look(
    "copies of an aliased input",
    doubles_by_copies,
    X * 2,
    grid=(),
    in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
    out_specs=pl.BlockSpec(memory_space=pl.ANY),
    scratch_shapes=[pltpu.VMEM((8, 128), X.dtype), pltpu.SemaphoreType.DMA],
    input_output_aliases={0: 0},
)


# Outputs ---------------------------------------------------------------------------------------------------------


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def copy_most(x_ref, o_ref):
    o_ref[:, :100] = x_ref[:, :100]


def skip_one(x_ref, o_ref):
    @pl.when(pl.program_id(0) != 2)
    def _():
        o_ref[...] = x_ref[...]


# CHECK: blocks that no program visits: no program writes element (24, 0) of o_ref `ROWS = {{.*}}`
look("blocks that no program visits", copy, grid=(3,), **BLOCKS)
# CHECK: a part of each block: no program writes element (0, 100) of o_ref
look("a part of each block", copy_most, **BLOCKS)
# CHECK: one block: no program writes element (16, 0) of o_ref
look("one block", skip_one, **BLOCKS)
# CHECK: no programs: no program writes element (0, 0) of o_ref
look("no programs", copy, grid=(0,), **BLOCKS)


def from_scratch(x_ref, o_ref, t_ref, sem):
    @pl.when(pl.program_id(0) < 3)
    def _():
        pltpu.sync_copy(x_ref.at[pl.ds(0, 4)], t_ref.at[pl.ds(0, 4)])

    pltpu.async_copy(t_ref, o_ref.at[pl.ds(pl.program_id(0) * 8, 8)], sem).wait()


# A copy of what holds nothing is no write.
# CHECK: copied: no program writes element (4, 0) of o_ref
look(
    "copied",
    from_scratch,
    in_specs=[WHOLE],
    out_specs=WHOLE,
    scratch_shapes=[pltpu.VMEM((8, 128), X.dtype), DMA],
)

# Correct kernels ---------------------------------------------------------------------------------------------------


def selects(x_ref, o_ref, sum_ref):
    sum_ref[...] = jnp.where(pl.program_id(0) == 0, 0.0, sum_ref[...]) + x_ref[...]
    o_ref[...] = sum_ref[...]


def initialises(x_ref, o_ref, sum_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    sum_ref[...] += x_ref[...]
    o_ref[...] = sum_ref[...]


def pads(x_ref, o_ref, t_ref):
    t_ref[:4, :] = x_ref[:4, :]
    rows = jax.lax.broadcasted_iota(jnp.int32, (8, 128), 0)
    o_ref[...] = jnp.where(rows < 4, t_ref[...], x_ref[...])


SUMS = np.cumsum(X.reshape(4, 8, 128), 0, dtype=np.float32).reshape(X.shape)
# CHECK: selects: right
look("selects", selects, SUMS, **SCRATCH)
# CHECK: initialises: right
look("initialises", initialises, SUMS, **SCRATCH)
# CHECK: pads: right
look("pads", pads, X, **SCRATCH)
# Elements outside of an array are padding, of inputs and of outputs.
# CHECK: overhangs: right
look("overhangs", copy, X[:30, :100], X[:30, :100], out_shape=jax.ShapeDtypeStruct((30, 100), X.dtype), **BLOCKS)


jax.config.update("jax_use_emit_pipeline_primitive", True)


def pipelined(x_ref, o_ref):
    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    pltpu.emit_pipeline(body, grid=(4,), in_specs=[ROWS], out_specs=[ROWS])(x_ref, o_ref)


# CHECK: pipelined: right
look("pipelined", pipelined, X * 2, grid=(1,), in_specs=[WHOLE], out_specs=WHOLE)

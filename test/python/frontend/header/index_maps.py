# RUN: %python %s | FileCheck %s
"""Index maps of every kind keep their meaning as regions that are printed and parsed, and as jaxprs again."""

import functools
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Inputs"))

import jax
import jax.numpy as jnp
import numpy as np
from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_core
from gridir.frontend.header.grid_mapping import build_kernel
from gridir.frontend.rebuild.grid_mapping import differences, rebuild_grid_mapping
from gridir.frontend.rebuild.index_maps import canonical_text
from gridir.mlir import ir
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from kernels import requests

X = jax.ShapeDtypeStruct((32, 256), jnp.float32)
GRID = (4, 2)


def request_of(index_map, *operands):
    """The request of a kernel whose input has this index map and whose operands are prefetched."""

    def kernel(*refs):
        del refs

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=len(operands),
        grid=GRID,
        in_specs=[pl.BlockSpec((8, 128), index_map)],
        out_specs=pl.BlockSpec((8, 128), lambda i, j, *_: (i, j)),
    )
    [request] = requests(pl.pallas_call(kernel, X, grid_spec=spec), *operands, X)
    return request


def round_trip(index_map, *operands):
    """Checks that an index map comes back, and gives the text of the kernel."""
    request = request_of(index_map, *operands)
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        kernel = build_kernel(request)
    with ir.InsertionPoint(kernel.body):
        ir.Operation.create("grid.yield")
    assert module.operation.verify()
    text = str(module)
    parsed = ir.Module.parse(text)
    rebuilt = rebuild_grid_mapping(parsed.body.operations[0])
    assert not differences(request.grid_mapping, rebuilt), differences(request.grid_mapping, rebuilt)
    before, after = (m.block_mappings[0].index_map_jaxpr for m in (request.grid_mapping, rebuilt))
    for point in itertools.product(*map(range, GRID)):
        ids = [np.int32(i) for i in point]
        expected = [int(i) for i in jax_core.evaluate_index_map(before, ids, operands)]
        got = [int(i) for i in jax_core.evaluate_index_map(after, ids, operands)]
        assert expected == got, (point, expected, got)
    return text


def checked(i, j):
    """Checks that nobody has asked for are nothing."""
    pl.debug_check(i < 3, "too large")
    return i, j


@jax.jit
def remainder(x, y):
    """None of JAX's, which the name says."""
    return x - y


INT32 = np.array([3, 0, -1, -(2**31), 40, 7, 2, 1], np.int32)
UINT32 = INT32.view(np.uint32)
UINT8 = np.array([3, 0, 255, 128, 40, 7, 2, 1], np.uint8)
BOOL = np.array([True, False] * 4)
TABLE2D = INT32.reshape(4, 2)

# What reads the operands gives numbers of any size, which are no block indices; here only the numbers are compared.
MAPS = {
    "floor division of a load": (lambda i, j, s: (s[i] // 2, s[j + 2] % 3), INT32),
    "division of loads": (lambda i, j, s: (lax.div(s[j], s[i]), lax.rem(s[i + j], s[i])), INT32),
    "division of INT_MIN": (lambda i, j, s: (lax.div(s[3], s[2]), lax.rem(s[3], s[2])), INT32),
    "modulo by a load": (lambda i, j, s: (i % s[i], s[j] // s[i]), INT32),
    "unsigned loads": (lambda i, j, s: ((s[i] // 3).astype(jnp.int32), (s[i] > s[j]).astype(jnp.int32)), UINT32),
    "bytes": (lambda i, j, s: (s[i].astype(jnp.int32), (s[i] + s[j]).astype(jnp.int32)), UINT8),
    "bools": (lambda i, j, s: (jnp.where(s[i], i, j), s[j].astype(jnp.int32)), BOOL),
    "two dimensions": (lambda i, j, s: (s[i, j], s[3 - i, 1]), TABLE2D),
    "shifts": (lambda i, j, s: (i << s[i + 4], lax.shift_right_logical(s[3], s[i + 4])), INT32),
    "arithmetic shift": (lambda i, j, s: (s[3] >> s[i + 4], s[3] >> 40), INT32),
    "bits": (lambda i, j, s: (~s[i] & 7, (s[i] | j) ^ 5), INT32),
    "sign and magnitude": (lambda i, j, s: (jnp.sign(s[i]), abs(s[i + j])), INT32),
    "powers and clamps": (lambda i, j, s: (s[i] ** 2, jnp.clip(s[i], 0, 3)), INT32),
    "branch that may not load": (lambda i, j, s: (lax.cond(i > 0, lambda: s[i - 1], lambda: 0), 0), INT32),
    "switch": (
        lambda i, j, s: (lax.switch(i, [lambda: 1, lambda: j, lambda: s[j]]), lax.select_n(i, 1, 2, 3, 4)),
        INT32,
    ),
    "conditions": (lambda i, j, s: (0, jnp.where((i > 1) & (j > 0) | ~(s[0] < 1), i, 0)), INT32),
    "ceiling division": (lambda i, j: (pl.cdiv(i, 4), (i + 3) // 4),),
    "modulo": (lambda i, j: (i % 3, (i * 2 + j) % 2),),
    "remainder of a division": (lambda i, j: (lax.rem(i, 2), lax.div(i, 2)),),
    "negative strides": (lambda i, j: (3 - i, -j + 1),),
    "nested calls": (lambda i, j: jax.jit(lambda a, b: (a + 1, jax.jit(jnp.minimum)(b, 1)))(i, j),),
    "debug check": (checked,),
    "a function that is named like one of JAX's": (lambda i, j: (remainder(i + 5, 3), j),),
    "bytes that index": (lambda i, j, s, t: (s[t[i + 4] & 7], s[t[3] >> 7]), INT32, UINT8),
    "index from the end": (lambda i, j, s: (s[-1], s[pl.ds(i, 1)][0]), INT32),
    "hash of the ids": (
        lambda i, j: ((i * 1103515245 + 12345) % 7, ((i.astype(jnp.uint8) * 100) >> 2).astype(jnp.int32)),
    ),
    "the only element": (lambda i, j, s: (s[...].reshape(()) + i, j), INT32[:1]),
    "array of one number": (lambda i, j: (jnp.reshape(jnp.squeeze(jnp.reshape(i, (1, 1))), ()), 0),),
}

with ir.Context(), ir.Location.unknown():
    for name, (index_map, *operands) in MAPS.items():
        round_trip(index_map, *operands)
        print(f"{name}: same")

    # Affine maps are printed as such, in whatever form they were written.
    # CHECK: ceiling division: same
    # CHECK: array of one number: same
    # CHECK: at ((%i + 3) floordiv 4, (%i + 3) floordiv 4)
    print(round_trip(*MAPS["ceiling division"]))
    # CHECK: at (%i mod 3, %j mod 2)
    print(round_trip(*MAPS["modulo"]))
    # CHECK: at (%i mod 2, %i floordiv 2)
    print(round_trip(*MAPS["remainder of a division"]))
    # CHECK: at ((%i * -1) + 3, (%j * -1) + 1)
    print(round_trip(*MAPS["negative strides"]))
    # CHECK: at (%i + 1, %j)
    # CHECK-NOT: arith.minsi
    print(round_trip(lambda i, j: (i + 1, j)))

    # JAX may compute in 64 bits, for some of the indices.
    # CHECK: at (%i * 2, %j) : i64
    # CHECK: map(%{{.*}}: i32, %{{.*}}: i32) {
    # CHECK: grid.yield %{{.*}}, %{{.*}} : i32, i64
    # CHECK: at (%i mod 3, %j floordiv 2)
    with jax.enable_x64(True):
        print(round_trip(lambda i, j: (i.astype(jnp.int64) * 2, j.astype(jnp.int64))))
        print(round_trip(lambda i, j: (i, jnp.int64(0))))
        print(round_trip(lambda i, j: (i % 3, j // 2)))

    # The number of programs may be asked for where the call gives it.
    # CHECK: grid.num_programs 0
    def dynamic(n, x):
        last = pl.BlockSpec((8, 128), lambda i: (pl.num_programs(0) - 1 - i, 0))
        rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
        return pl.pallas_call(lambda x, o: None, X, grid=(n,), in_specs=[last], out_specs=rows)(x)

    [request] = requests(dynamic, jax.ShapeDtypeStruct((), jnp.int32), X)
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        kernel = build_kernel(request)
    with ir.InsertionPoint(kernel.body):
        ir.Operation.create("grid.yield")
    print(module)
    assert not differences(request.grid_mapping, rebuild_grid_mapping(kernel))

    # The own index may be asked for, too, along a dimension that is counted from the end.
    # CHECK: grid.program_id 1
    # CHECK: grid.program_id 0
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        kernel = build_kernel(request_of(lambda i, j: (pl.program_id(-1), pl.program_id(-2))))
    with ir.InsertionPoint(kernel.body):
        ir.Operation.create("grid.yield")
    print(module)

    # Of a dimension that vmap makes the author knows nothing, and counts the others.
    # CHECK: grid(%i = 4 vmapped, %j = 2, %k = 3)
    # CHECK: grid.program_id 2
    # CHECK: vmapped: same
    def batched(x):
        spec = pl.BlockSpec((8, 128), lambda i, j: (pl.program_id(1), i))
        return pl.pallas_call(lambda x, o: None, X, grid=(2, 3), in_specs=[spec], out_specs=spec)(x)

    [request] = requests(jax.vmap(batched), jax.ShapeDtypeStruct((4, *X.shape), X.dtype))
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        kernel = build_kernel(request)
    with ir.InsertionPoint(kernel.body):
        ir.Operation.create("grid.yield")
    print(module)
    assert not differences(request.grid_mapping, rebuild_grid_mapping(kernel))
    print("vmapped: same")

    # Equal index maps have equal text, other ones another.
    # CHECK: texts: True True False
    same = functools.partial(canonical_text, sizes=GRID)
    texts = [
        same(request_of(f).grid_mapping.block_mappings[0].index_map_jaxpr)
        for f in (
            lambda i, j: (i * 3, j % 2),
            lambda i, j: (2 * i + i, j - j // 2 * 2),
            lambda i, j: (i + 2 * i, lax.rem(j, 2)),
            lambda i, j: (i * 3, 1 - j),
        )
    ]
    print("texts:", *(text == texts[0] for text in texts[1:]))

    # CHECK: got debug_print (gives nothing)
    def printed(i, j):
        pl.debug_print("here")
        return i, j

    try:
        round_trip(printed)
    except UnsupportedError as error:
        print(error)

# REQUIRES: x86_64
# Matrix products of narrow numbers, of sizes around those of registers, words and tiles: bit for bit the sums that
# docs/cpu.md promises for the CPU of this machine.
#
# RUN: %python %s | FileCheck %s

import functools
from collections.abc import Callable
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.cpu import CpuOptions
from gridir.runtime.cpu import kernels
from jax import lax
from jax.experimental import pallas as pl

# Rows, steps, columns. No columns so few that the product becomes reductions.
SIZES = [(1, 1, 8), (16, 32, 16), (15, 31, 17), (17, 33, 15), (48, 64, 80), (2, 1100, 19), (40, 513, 33), (18, 600, 96)]
SAMPLES = 4
PLAIN, LEFT, RIGHT = (((1,), (0,)), ((), ())), (((0,), (0,)), ((), ())), (((1,), (1,)), ((), ()))
BATCH = (((2,), (1,)), ((0,), (0,)))

generator = np.random.RandomState(0)


def by_tiles(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sums of tiles: of 16 pairs the first products and the second ones apart, then both, then with the rest."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for begin in range(0, a.shape[1], 32):
        sums = [np.zeros_like(total), np.zeros_like(total)]
        for step in range(begin, min(begin + 32, a.shape[1])):
            sums[step % 2] += a[:, step, None] * b[None, step]
        total += sums[0] + sums[1]
    return total


def backwards(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sums without tiles: one product after the other, from the last step to the first."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for step in reversed(range(a.shape[1])):
        total += a[:, step, None] * b[None, step]
    return total


def exactly(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32)


def run(function: Callable[..., list[Any]], *arrays: Any, **options: Any) -> list[np.ndarray]:
    """What the function gives in a kernel that calls it with its operands."""

    def kernel(*refs: Any) -> None:
        results = function(*(ref[...] for ref in refs[: len(arrays)]))
        for result, ref in zip(results, refs[len(arrays) :], strict=True):
            ref[...] = result

    call = pl.pallas_call(kernel, out_shape=jax.eval_shape(function, *arrays))
    with gridir.installed(**options):
        return [np.asarray(result) for result in jax.jit(call)(*arrays)]


def products(accumulator: Any, *arrays: np.ndarray) -> list[np.ndarray]:
    """The product of two matrices, as it is and with either operand transposed, and twice in a batch."""

    def function(a: Any, b: Any, left: Any, right: Any, a2: Any, b2: Any) -> list[Any]:
        operands = ((a, b, PLAIN), (left, b, LEFT), (a, right, RIGHT), (a2, b2, BATCH))
        return [lax.dot_general(x, y, dims, preferred_element_type=accumulator) for x, y, dims in operands]

    a, b = (jnp.asarray(array) for array in arrays)
    *single, both = run(function, a, b, a.T, b.T, jnp.stack([a, a]), jnp.stack([b, b]))
    return [*single, *both]


def accumulated(accumulator: Any, *arrays: np.ndarray) -> np.ndarray:
    """What a grid over the steps adds to a block that holds ones."""
    a, b = (jnp.asarray(array) for array in arrays)
    (rows, steps), columns = a.shape, b.shape[1]

    def kernel(a_ref: Any, b_ref: Any, o_ref: Any) -> None:
        @pl.when(pl.program_id(0) == 0)
        def _() -> None:
            o_ref[...] = jnp.ones_like(o_ref)

        o_ref[...] += jnp.dot(a_ref[...], b_ref[...], preferred_element_type=accumulator)

    call = pl.pallas_call(
        kernel,
        grid=(3,),
        in_specs=[
            pl.BlockSpec((rows, steps // 3), lambda k: (0, k)),
            pl.BlockSpec((steps // 3, columns), lambda k: (k, 0)),
        ],
        out_specs=pl.BlockSpec((rows, columns), lambda k: (0, 0)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), accumulator),
    )
    with gridir.installed():
        return np.asarray(jax.jit(call)(a, b))


def floats(*shape: int) -> np.ndarray:
    return generator.randn(*shape).astype(jnp.bfloat16)


def specials(*shape: int) -> np.ndarray:
    """A few numbers are infinite or not numbers."""
    choice = generator.randint(0, 40, shape)
    return np.where(choice == 0, np.nan, np.where(choice == 1, -np.inf, generator.randn(*shape))).astype(jnp.bfloat16)


def integers(dtype: Any) -> Callable[..., np.ndarray]:
    limits = np.iinfo(dtype)
    return lambda *shape: generator.randint(limits.min, limits.max + 1, shape).astype(dtype)


def check(name: str, got: np.ndarray, want: np.ndarray) -> bool:
    if np.array_equal(got, want, equal_nan=got.dtype == np.float32):
        return True
    print(f"{name}: {np.sum(got != want)} of {want.size} differ, first {got[got != want][:3]}, {want[got != want][:3]}")
    return False


def main() -> None:
    has_tiles = not kernels.missing_features(CpuOptions(cpu="x86-64-v4", features="+amx-bf16,+amx-int8"))
    sums = by_tiles if has_tiles else backwards
    print(f"this machine, {kernels.host_cpu()}, adds {sums.__name__}")
    int8, uint8 = integers(np.int8), integers(np.uint8)
    kinds = {
        "bf16": (floats, floats),
        "specials": (specials, floats),
        "s8 and s8": (int8, int8),
        "s8 and u8": (int8, uint8),
        "u8 and s8": (uint8, int8),
        "u8 and u8": (uint8, uint8),
    }
    sizes = SIZES + [tuple(generator.randint((1, 1, 5), 81)) for _ in range(SAMPLES)]
    for kind, (lhs, rhs) in kinds.items():
        equal = 0
        for rows, steps, columns in sizes:
            a, b = lhs(rows, steps), rhs(steps, columns)
            with np.errstate(invalid="ignore"):
                want = exactly(a, b) if a.dtype.kind in "iu" else sums(a.astype(np.float32), b.astype(np.float32))
            got = products(want.dtype, a, b)
            equal += all(check(f"{kind}, {rows}x{steps}x{columns}, {i}", r, want) for i, r in enumerate(got))
        print(f"{kind}: {equal} of {len(sizes)} equal")

    # Whatever the order, sums of small integers are exact.
    small = generator.randint(-8, 9, (19, 99)), generator.randint(-8, 9, (99, 21))
    small_bytes = [jnp.asarray(array, np.int8) for array in small]
    for dtype, accumulator in ((jnp.bfloat16, np.float32), (np.int8, np.int32)):
        a, b = (array.astype(dtype) for array in small)
        check(f"accumulated {a.dtype}", accumulated(accumulator, a, b), (exactly(*small) + 1).astype(accumulator))
    # Few columns are summed panel by panel, many with the steps outermost: in the same order.
    deep, wide = (generator.standard_normal(shape).astype(np.float32) for shape in ((37, 600), (600, 96)))
    (got,) = run(lambda x, y: [x @ y], deep, wide)
    parts = [run(lambda x, y: [x @ y], deep, wide[:, i : i + 32])[0] for i in (0, 32, 64)]
    check("deep", got, np.concatenate(parts, axis=1))
    # Numbers that are denormal in bf16 are zero to every CPU.
    tiny, large = np.full((16, 32), 2.0**-130, jnp.bfloat16), np.full((32, 16), 2.0**20, jnp.bfloat16)
    check("denormal", products(np.float32, tiny, large)[0], np.zeros((16, 16), np.float32))
    # LLVM allocates tiles only where it optimises; any order gives these.
    dot = functools.partial(jnp.dot, preferred_element_type=np.int32)
    for options in (CpuOptions(codegen_level=0), CpuOptions(codegen_level=1), CpuOptions(opt_level=3)):
        (got,) = run(lambda x, y: [dot(x, y)], *small_bytes, options=options)
        check(str(options), got, exactly(*small))
    print("done")


# CHECK:      this machine, {{.*}}, adds
# CHECK-NEXT: bf16: [[ALL:[0-9]+]] of [[ALL]] equal
# CHECK-NEXT: specials: [[ALL]] of [[ALL]] equal
# CHECK-NEXT: s8 and s8: [[ALL]] of [[ALL]] equal
# CHECK-NEXT: s8 and u8: [[ALL]] of [[ALL]] equal
# CHECK-NEXT: u8 and s8: [[ALL]] of [[ALL]] equal
# CHECK-NEXT: u8 and u8: [[ALL]] of [[ALL]] equal
# CHECK-NEXT: done
main()

# RUN: %python %s | FileCheck %s

# The algebra of layouts against brute force: the formulas of the layouts that instructions demand, and every element of
# small arrays, spread at random.
from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from gridir.compiler.passes import run_pipeline
from gridir.mlir import ir

THREAD = np.arange(128)
LANE, WARP = THREAD % 32, THREAD // 32


def ask(questions: list[str]) -> list[dict[str, Any]]:
    """What the pass says of each function: arguments, and attributes that ask."""
    context = ir.Context()
    text = "\n".join(f"func.func private @f{i}({question}" for i, question in enumerate(questions))
    with context:
        module = ir.Module.parse(text)
        run_pipeline(module, "test-warpgroup-layouts")
        return [{n.removeprefix("test."): read(f.attributes[n]) for n in f.attributes} for f in module.body]


def read(attr: ir.Attribute) -> Any:
    if isinstance(attr, ir.DenseElementsAttr):
        return np.array(ir.DenseIntElementsAttr(attr))
    for kind in (ir.DenseI64ArrayAttr, ir.IntegerAttr, ir.StringAttr):
        if isinstance(attr, kind):
            return np.array(attr) if kind is ir.DenseI64ArrayAttr else attr.value
    return str(attr)


def tensor(shape: tuple[int, ...], layout: str, element: str = "f32") -> str:
    return f"tensor<{'x'.join(map(str, (*shape, element)))}, #warpgroup.layout<{layout}>>"


def unravel(slot: int, *dims: int) -> list[int]:
    return [int(i) for i in np.unravel_index(slot, dims)]


# Rows of a table: the name of the layout, a shape, and the coordinates of a slot in the threads `WARP` and `LANE`.


def fragment(rows: int, columns: int, vector: int, column: Any) -> Any:
    def coordinates(slot: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
        ti, tj, h, e = unravel(slot, shape[0] // rows, shape[1] // columns, rows // 32, vector)
        return rows * ti + rows // 4 * WARP + 8 * h + LANE // 4, columns * tj + column(LANE % 4, e)

    return coordinates


def transposed(rows: int) -> Any:
    def coordinates(slot: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
        ti, tj, h, e = unravel(slot, shape[0] // rows, shape[1] // 8, rows // 32, 2)
        return rows * ti + rows // 4 * WARP + 8 * h + 2 * (LANE // 8) + e, 8 * tj + 2 * (LANE % 4) + LANE // 4 % 2

    return coordinates


def collective(slot: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
    h, c, e = unravel(slot, 4, shape[1] // 16, 2)
    return 32 * (WARP % 2) + 8 * h + LANE // 4, shape[1] // 2 * (WARP // 2) + 8 * c + 2 * (LANE % 4) + e


def collective_native(slot: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
    return 32 * (WARP % 2) + LANE, shape[1] // 2 * (WARP // 2) + slot


def half_lane(slot: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
    return 16 * WARP + LANE % 16, shape[1] // 2 * (LANE // 16) + slot


def copy(slot: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
    ti, tj, h, e = unravel(slot, shape[0] // 32, shape[1] // 64, 2, 8)
    return 32 * ti + 8 * WARP + 4 * h + LANE // 8, 64 * tj + 8 * (LANE % 8) + e


def native(vector: int) -> Any:
    def coordinates(slot: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
        ti, tj, e = unravel(slot, shape[0] // 128, shape[1] // vector, vector)
        return 128 * ti + 32 * WARP + LANE, vector * tj + e

    return coordinates


def strided(vector: int) -> Any:
    def coordinates(slot: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
        element = (slot // vector * 128 + THREAD) * vector + slot % vector
        return np.unravel_index(np.minimum(element, np.prod(shape) - 1), shape)

    return coordinates


PAIR = fragment(64, 8, 2, lambda p, e: 2 * p + e)
COPY = (
    "[32, 64], registers = [[0, 1], [0, 2], [0, 4], [4, 0]], "
    "lanes = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warps = [[8, 0], [16, 0]]"
)
TABLE = [
    *(("wgmma", shape, PAIR) for shape in ((64, 8), (128, 64), (64, 24), (192, 40))),
    ("wgmma_8bit", (128, 48), fragment(64, 16, 4, lambda p, e: 4 * p + e)),
    ("wgmma_upcast_2x", (128, 64), fragment(64, 16, 4, lambda p, e: 8 * (p % 2) + 4 * (p // 2) + e)),
    ("wgmma_upcast_4x", (128, 64), fragment(64, 32, 8, lambda p, e: 8 * p + e)),
    ("wgmma_transposed", (128, 24), transposed(64)),
    ("wgmma_row", (192,), lambda s, _: (64 * (s // 2) + 16 * WARP + 8 * (s % 2) + LANE // 4,)),
    ("wgmma_col", (24,), lambda s, _: (8 * (s // 2) + 2 * (LANE % 4) + s % 2,)),
    ("tcgen05", (256, 24), fragment(128, 8, 2, lambda p, e: 2 * p + e)),
    ("tcgen05_transposed", (256, 24), transposed(128)),
    ("tcgen05_row", (384,), lambda s, _: (128 * (s // 4) + 32 * WARP + 8 * (s % 4) + LANE // 4,)),
    *((f"tmem_native({v})", (256, 48), native(v)) for v in (1, 2, 4, 8)),
    *((f"tcgen05_m64_collective({n})", (64, n), collective) for n in (16, 64, 128)),
    *((f"tcgen05_m64_collective_native({n})", (64, n), collective_native) for n in (2, 64, 128)),
    *((f"tmem_half_lane({n})", (64, n), half_lane) for n in (2, 64, 128)),
    ("tma_indices", (64,), lambda s, _: (16 * (s // 4) + 4 * WARP + s % 4,)),
    ("tma_indices_4", (12,), lambda s, _: (s + 0 * LANE,)),
    (COPY, (96, 128), copy),
    # In row-major order, where rows are whole tiles, tiles are whole rows, and neither.
    *(
        (f"strided({v})", shape, strided(v))
        for v in (1, 2, 8)
        for shape in ((2048,), (16, 2048), (64, 64), (64, 96), (4, 8, 64))
    ),
    # Tiles that reach beyond the last element.
    *((f"strided({v})", shape, strided(v)) for v in (1, 4) for shape in ((37,), (300,), (5, 13), (4, 4))),
]  # fmt: skip


def check_elements(got: dict[str, Any], prefix: str = "") -> None:
    """What is said of a layout follows from its table of elements."""
    elements, computed = got[prefix + "elements"], got[prefix + "computed_elements"]
    assert (elements == computed).all(), "IR computes other elements"
    flat = elements.ravel()
    holders = got[prefix + "holders"]
    assert sorted(set(flat)) == list(range(len(holders))), "an element that nobody holds"
    for element, holder in enumerate(holders):
        assert elements[holder % 128, holder // 128] == element
    # Threads hold copies of the last element where the tile exceeds the array.
    if got[prefix + "padded"]:
        assert got[prefix + "replication"] * len(holders) < flat.size
        return
    assert got[prefix + "replication"] * len(holders) == flat.size
    # Of threads with equal elements one has none of the replicated bits.
    first = [t for t in range(128) if not t & got[prefix + "replicated_bits"]]
    held = [frozenset(elements[t]) for t in first]
    assert len(set(held)) == len(held)
    assert set(held) == {frozenset(row) for row in elements}


def check_vector(got: dict[str, Any], minor: int, prefix: str = "") -> None:
    """The length is that of runs in memory, and twice that is not."""
    elements, length = got[prefix + "elements"], got[prefix + "vector"]

    def runs(n: int) -> bool:
        if elements.shape[1] % n or minor % n:
            return False
        groups = elements.reshape(128, -1, n)
        return bool((groups == groups[..., :1] + np.arange(n)).all() and (groups[..., 0] % n == 0).all())

    assert runs(length)
    assert got[prefix + "padded"] or not runs(2 * length)


answers = ask([f"{tensor(shape, layout)})" for layout, shape, _ in TABLE])
for (layout, shape, coordinates), got in zip(TABLE, answers, strict=True):
    slots = got["elements"].shape[1]
    expected = [np.ravel_multi_index(np.broadcast_arrays(*coordinates(s, shape)), shape) for s in range(slots)]
    assert (got["elements"] == np.stack(expected, axis=1)).all(), (layout, shape)
    check_elements(got)
    check_vector(got, shape[-1])
# CHECK: rows of the table: 52
print("rows of the table:", len(TABLE))

RNG = np.random.default_rng(0)


def spread(tile: tuple[int, ...]) -> str:
    """A layout of a tile by chance, where some bits of the thread have a basis vector of zero or the same one."""
    bits = int(np.prod(tile)).bit_length() - 1
    basis = [1 << b for b in RNG.permutation(bits)]
    registers = int(RNG.integers(max(bits - 7, 0), bits + 1))
    # A sum of two basis vectors instead of one of them spans the same.
    for _ in range(int(RNG.integers(3))):
        if bits > 1:
            to, by = RNG.choice(bits, 2, replace=False)
            basis[to] ^= basis[by]
    threads = basis[registers:]
    while len(threads) < 7:
        threads.insert(int(RNG.integers(len(threads) + 1)), int(RNG.choice([0, 0, *basis])))

    def write(some: list[int]) -> str:
        return str([[int(i) for i in np.unravel_index(vector, tile)] for vector in some])

    kinds = {"registers": basis[:registers], "lanes": threads[:5], "warps": threads[5:]}
    return f"{list(tile)}, " + ", ".join(f"{kind} = {write(some)}" for kind, some in kinds.items())


def tiles(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Tiles of the shape's rank, and flat ones."""
    largest = [n & -n for n in (*shape, int(np.prod(shape)))]
    *sizes, flat = [[1 << b for b in range(n.bit_length())] for n in largest]
    return [*itertools.product(*sizes), *((n,) for n in flat)]


SMALL = [(1,), (6,), (8,), *itertools.product((1, 2, 3, 4), repeat=2), (4, 8), (2, 3, 4)]
ALL = [(shape, spread(tile)) for shape in SMALL for tile in tiles(shape)]
ALL += [
    (shape, spread((tile,))) for shape, tile in (((6,), 4), ((37,), 16), ((3, 4), 8), ((2, 3, 4), 16), ((4, 4), 32))
]
ALL += [(shape, layout) for layout, shape, _ in TABLE if np.prod(shape) <= 64 * 64]
for (shape, _), got in zip(ALL, ask([f"{tensor(*pair)})" for pair in ALL]), strict=True):
    check_elements(got)
    check_vector(got, shape[-1])


def without(array: Any, dims: Any) -> Any:
    """The shape that is left without dimensions."""
    return array.transpose([*(d for d in range(array.ndim) if d not in dims), *dims])[(..., *([0] * len(dims)))]


NEW = {"transpose": np.transpose, "insert": np.expand_dims, "reshape": np.reshape, "drop": without}


def derive(kind: str, dims: Any) -> None:
    """Asks for another layout of every array, and compares what its threads hold with numpy."""
    questions, moves = [], []
    for shape, layout in ALL:
        index = np.arange(np.prod(shape)).reshape(shape)
        for choice in dims(shape):
            new = NEW[kind](index, choice)
            values = ", ".join(map(str, choice))
            questions.append(f"{tensor(shape, layout)}) attributes {{test.{kind} = array<i64: {values}>}}")
            moves.append((shape, choice, new))
    found = 0
    for (shape, choice, new), got in zip(moves, ask(questions), strict=True):
        if got["result"] == "unit":
            continue
        found += 1
        check_elements(got, "result_")
        source, result = got["elements"], got["result_elements"]
        if kind == "drop":
            kept = [d for d in range(len(shape)) if d not in choice]
            coordinates = np.unravel_index(source, shape)
            # Without dimensions there is one element.
            moved = np.ravel_multi_index([coordinates[d] for d in kept], new.shape) if kept else 0 * source
            assert all(set(a) == set(b) for a, b in zip(moved, result, strict=True))
            continue
        moved = new.ravel()[result]
        assert (source[:, got["registers"]] == moved).all()
        assert all(set(a) == set(b) for a, b in zip(source, moved, strict=True))
    print(kind, found, "of", len(moves))


def subsets(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [c for n in range(1, len(shape) + 1) for c in itertools.combinations(range(len(shape)), n)]


def shapes(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    size = int(np.prod(shape))
    new = [(size,), (size // 2, 2), (2, size // 4, 2), (1, *shape), (*shape[:1], 1, *shape[1:], 1)]
    return [to for to in new if np.prod(to) == size]


# CHECK: transpose 332 of 362
derive("transpose", lambda shape: list(itertools.permutations(range(len(shape)))))
# CHECK: insert 474 of 487
derive("insert", lambda shape: [(d,) for d in range(len(shape) + 1)])
# CHECK: reshape 735 of 784
derive("reshape", shapes)
# CHECK: drop 471 of 501
derive("drop", subsets)


# The product of two tiles has a copy of the first for each element of the second.
INNER = "[4, 2], registers = [[0, 1]], lanes = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0]], warps = [[0, 0], [0, 0]]"
OUTER = "[2, 16], registers = [[1, 0]], lanes = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 0]], warps = [[0, 4], [0, 8]]"
(got,) = ask([f"{tensor((4, 2), INNER)}, {tensor((2, 16), OUTER)}) attributes {{test.multiply = array<i64: 8, 32>}}"])
(outer,) = ask([f"{tensor((2, 16), OUTER)})"])
check_elements(got, "result_")
row, column = np.unravel_index(got["elements"], (4, 2))
outer_row, outer_column = np.unravel_index(outer["elements"], (2, 16))
for first, second in itertools.product(range(2), range(2)):
    coordinates = (row[:, first] + 4 * outer_row[:, second], column[:, first] + 2 * outer_column[:, second])
    assert (got["result_elements"][:, first + 2 * second] == np.ravel_multi_index(coordinates, (8, 32))).all()


# Conversions: what threads hold after the plan is run.


def choose(masks: Any, thread: Any) -> Any:
    parity = [np.array([bin(t & int(m)).count("1") % 2 for t in thread]) for m in masks]
    return sum((p << i for i, p in enumerate(parity)), np.zeros(len(thread), int))


def shuffle(got: dict[str, Any], source: Any) -> Any:
    choice, received = choose(got["send"], THREAD), choose(got["receive"], THREAD)
    sources = got["sources"].reshape(len(got["offsets"]), -1)
    lane = np.array(
        [np.bitwise_xor.reduce([0, *(int(c) for i, c in enumerate(got["lanes"]) if t >> i & 1)]) for t in THREAD]
    )
    rounds = []
    for registers, offset in zip(sources, got["offsets"], strict=True):
        sent = source[THREAD, registers[choice]]
        rounds.append(sent[32 * WARP + ((lane ^ offset) & 31)])
    receivers = got["receivers"].reshape(-1, 1 << len(got["receive"]))
    return np.stack([np.array(rounds)[choices[received], THREAD] for choices in receivers], axis=1)


def wavefronts(elements: Any, vector: int, swizzle: Any, size: int) -> int:
    """Accesses of the banks beyond the fewest, of the warp that has most."""
    low, to, bits = map(int, swizzle)
    most = 0
    for warp in range(4):
        extra = 0
        for first in elements[32 * warp : 32 * warp + 32, ::vector].T:
            offset = first * size
            offset ^= ((offset >> low) & ((1 << bits) - 1)) << to
            together = min(32, 128 // max(vector * size, 4))
            passes = 0
            for group in offset.reshape(-1, together):
                words = {int(w) for o in group for w in range(o // 4, (o + vector * size - 1) // 4 + 1)}
                passes += max(np.bincount([w % 32 for w in words]))
            extra += max(0, passes - max(1, vector * size * 32 // 128))
        most = max(most, extra)
    return most


def convert(pairs: list[tuple[tuple[int, ...], str, str]], element: str = "f32") -> list[str]:
    size = {"f32": 4, "f16": 2, "i8": 1, "f64": 8}[element]
    texts = [f"{tensor(s, a, element)}, {tensor(s, b, element)}) attributes {{test.convert}}" for s, a, b in pairs]
    tables = [g["elements"] for g in ask([f"{tensor(s, b, element)})" for s, _, b in pairs])]
    said = []
    for (_, a, _), got, wanted in zip(pairs, ask(texts), tables, strict=True):
        source, kind = got["elements"], got["kind"]
        selects, shuffles, packs, stores, loads, _, conflicts = (int(n) for n in got["cost"])
        if kind == "nothing":
            assert (source == wanted).all()
        elif kind == "registers":
            assert a == "splat" or (source[:, got["registers"]] == wanted).all()
        elif kind == "shuffles":
            assert (shuffle(got, source) == wanted).all()
        else:
            store, load = (int(n) for n in got["vectors"])
            counted = wavefronts(source, store, got["swizzle"], size) + wavefronts(wanted, load, got["swizzle"], size)
            assert conflicts == counted, (conflicts, counted)
            assert (stores, loads) == (source.shape[1] // store, wanted.shape[1] // load)
        said.append(
            f"{kind}: {selects} selects, {shuffles} shuffles, {packs} packs, "
            f"{stores} stores, {loads} loads, {conflicts} conflicts"
        )
    return said


kinds = []
for shape, group in itertools.groupby(sorted(ALL), key=lambda pair: pair[0]):
    layouts = [layout for _, layout in group]
    pairs = [(shape, a, b) for a in [*layouts, "splat"] for b in layouts[-8:]]
    for width in ("f16", "f32", "f64"):
        kinds += convert(pairs, width)
# CHECK: nothing
# CHECK: registers
# CHECK: shared memory
# CHECK: shuffles
for kind in sorted({text.split(":")[0] for text in kinds}):
    print(kind, sum(text.startswith(kind) for text in kinds))

NAMED = [("wgmma", "wgmma_transposed"), ("wgmma_transposed", "wgmma"), ("wgmma_upcast_2x", "wgmma"),
         ("wgmma_upcast_4x", "wgmma_upcast_2x"), ("wgmma", "wgmma_8bit"), ("wgmma", "strided(4)"),
         ("strided(4)", "strided(8)"), ("strided(8)", "wgmma"), ("wgmma", COPY)]  # fmt: skip
# The operations of each thread for a value of 64 x 64 elements.
# CHECK: f32 wgmma to wgmma_transposed shuffles: 64 selects, 16 shuffles, 0 packs, 0 stores, 0 loads, 0 conflicts
# CHECK: f32 wgmma_upcast_2x to wgmma shuffles: 64 selects, 16 shuffles, 0 packs
# CHECK: f32 wgmma to wgmma_8bit shuffles: 64 selects, 32 shuffles, 0 packs
# CHECK: f32 wgmma to strided(4) shared memory: {{.*}} 16 stores, 8 loads, 0 conflicts
# CHECK: f16 wgmma to wgmma_transposed shuffles: 64 selects, 16 shuffles, 32 packs
# CHECK: f16 wgmma_upcast_2x to wgmma shuffles: 32 selects, 8 shuffles, 0 packs
# CHECK: f16 strided(8) to wgmma shared memory: {{.*}} 4 stores, 16 loads, 0 conflicts
for width in ("f32", "f16"):
    for (a, b), text in zip(NAMED, convert([((64, 64), *pair) for pair in NAMED], width), strict=True):
        print(width, a, "to", "copy" if b == COPY else b, text)

# A name that there is not is told which there are, and which have a number.
# CHECK: expected one of the layouts splat, strided(n), wgmma, {{.*}} tma_indices_4, n a power of two, got unknown
try:
    ask([tensor((4,), "unknown") + ")"])
except ir.MLIRError as error:
    print(error.error_diagnostics[0].message)

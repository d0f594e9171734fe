# RUN: %python %s | FileCheck %s

# Tensor memory and the MMAs that have their sums there, against NumPy. Each shape of loads reads what the simplest
# one has stored; products are of all kinds, with operands in shared and in tensor memory, of one block and of a pair,
# with scales, with metadata of sparse operands, and with lanes that are left out.

import os
import sys

import ml_dtypes
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.errors import Error
from gridir.runtime import ptx

HEADER = ".version 8.7\n.target sm_100a\n.address_size 64\n"
START = """
.shared .align 1024 .b8 data[65536];
.shared .align 8 .b64 full;
.shared .align 4 .b32 base;
.visible .entry k(.param .u64 x, .param .u64 y)
{
  .reg .pred %p, %first, %leader, %accumulates; .reg .b32 %t, %m, %w, %s, %c, %r<80>; .reg .b64 %x, %y, %a, %b, %rd<8>;
  mov.u32 %t, %tid.x; setp.eq.u32 %first, %t, 0; mov.u32 %c, %cluster_ctarank;
  setp.eq.u32 %leader, %c, 0; and.pred %leader, %leader, %first;
  mov.u32 %s, data; mov.u32 %r1, full; mov.u32 %r2, base;
  ld.param.u64 %x, [x]; ld.param.u64 %y, [y];
  setp.lt.u32 %p, %t, 32;
  @%p tcgen05.alloc.cta_group::GROUP.sync.aligned.shared::cta.b32 [%r2], 512;
  @%p tcgen05.relinquish_alloc_permit.cta_group::GROUP.sync.aligned;
  @%first mbarrier.init.shared.b64 [%r1], 1;
  // The block's part of the input lies in shared memory.
  mov.u32 %r3, %t; mul.wide.u32 %rd0, %c, 65536; add.u64 %x, %x, %rd0;
  COPY: mad.wide.u32 %rd0, %r3, 16, %x; mad.lo.u32 %r4, %r3, 16, %s;
  ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%rd0]; st.shared.v4.b32 [%r4], {%r5, %r6, %r7, %r8};
  add.u32 %r3, %r3, 128; setp.lt.u32 %p, %r3, 4096; @%p bra COPY;
  fence.proxy.async; bar.sync 0;
  barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
  ld.shared.b32 %m, [%r2];
"""
END = """
  tcgen05.fence::before_thread_sync;
  bar.sync 0; barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
  setp.lt.u32 %p, %t, 32;
  @%p tcgen05.dealloc.cta_group::GROUP.sync.aligned.b32 %m, 512;
  ret;
}
"""
WAIT = """
  @%leader tcgen05.commit.cta_group::GROUP.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r1], 3;
  L: mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0; @!%p bra L;
  tcgen05.fence::after_thread_sync;
"""
# Thread t writes 64 consecutive columns of lane t.
STORE = """
  mad.wide.u32 %rd0, %c, 128, 0; cvt.u64.u32 %rd1, %t; add.u64 %rd0, %rd0, %rd1; mad.lo.u64 %rd0, %rd0, 1024, %y;
  mov.u32 %r3, 0;
  AGAIN: add.u32 %r4, %m, %r3;
  tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r5, %r6, %r7, %r8}, [%r4];
  tcgen05.wait::ld.sync.aligned;
  st.global.v4.b32 [%rd0], {%r5, %r6, %r7, %r8}; add.u64 %rd0, %rd0, 16;
  add.u32 %r3, %r3, 4; setp.lt.u32 %p, %r3, COLUMNS; @%p bra AGAIN;
"""
rng = np.random.default_rng(0)


def launch(body, x, shape, pair=False, checks=("races", "uninitialized")):
    """Runs the body between START and END with the bytes `x` of each block in shared memory."""
    text = HEADER + START + body + END
    text = text.replace("GROUP", "2" if pair else "1")
    if not pair:
        text = text.replace(".multicast::cluster.b64 [%r1], 3", ".b64 [%r1]")
    data = np.zeros((2 if pair else 1, 65536), np.uint8)
    for i, part in enumerate(x):
        data[i, : len(part)] = part
    y = np.zeros(shape, np.uint32)
    for seed in (None, 1):
        y[:] = 0
        ptx.load(text).function().launch(
            [data, y],
            grid=(len(data),),
            block=(128,),
            cluster=(len(data),),
            timeout=60,
            checks=checks,
            schedule_seed=seed,
        )
    return y


# Loads and stores. Thread t has put 1000 t + column into 32 columns of lane t.

FILL = "mul.lo.u32 %w, %t, 1000;\n" + "\n".join(
    f"add.u32 %r5, %w, {4 * i}; add.u32 %r6, %r5, 1; add.u32 %r7, %r5, 2; add.u32 %r8, %r5, 3;"
    f"add.u32 %r4, %m, {4 * i};"
    "tcgen05.st.sync.aligned.32x32b.x4.b32 [%r4], {%r5, %r6, %r7, %r8};"
    for i in range(8)
)
SYNC = "tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;"


def registers(count, first=10):
    return "{" + ", ".join(f"%r{first + i}" for i in range(count)) + "}"


def store_registers(count):
    lines = [f"mul.wide.u32 %rd0, %t, {4 * count}; add.u64 %rd0, %rd0, %y;"]
    return " ".join(lines + [f"st.global.b32 [%rd0+{4 * i}], %r{10 + i};" for i in range(count)])


THREAD = np.arange(128)[:, None]
LANE, QUARTER = THREAD % 32, THREAD // 32 * 32
SHAPES = {
    "32x32b.x8": lambda i: (LANE, i),
    "16x64b.x4": lambda i: (LANE // 4 + LANE % 2 * 8, i * 2 + LANE // 2 % 2),
    "16x128b.x2": lambda i: (LANE // 4 + i % 2 * 8, i // 2 * 4 + LANE % 4),
    "16x256b.x2": lambda i: (LANE // 4 + i // 2 % 2 * 8, i // 4 * 8 + LANE % 4 * 2 + i % 2),
    "16x32bx2.x4": lambda i: (LANE % 16, i + LANE // 16 * 8),
}
wrong = 0
for name, coordinates in SHAPES.items():
    count = 4 if name in ("16x64b.x4", "16x128b.x2", "16x32bx2.x4") else 8
    split = ", 8" if "x2." in name else ""
    for half in (0, 16) if name[:2] == "16" else (0,):
        row, column = coordinates(np.arange(count))
        want = (QUARTER + half + row) * 1000 + column
        load = f"tcgen05.ld.sync.aligned.{name}.b32 {registers(count)}, [%r4]{split}; tcgen05.wait::ld.sync.aligned;"
        body = f"{FILL} {SYNC} add.u32 %r4, %m, {half << 16}; {load} {store_registers(count)}"
        wrong += not np.array_equal(launch(body, [], (128, count)), want)
        # The same the other way round, to columns further on.
        move = f"add.u32 %r3, %r4, 64; tcgen05.st.sync.aligned.{name}.b32 [%r3]{split}, {registers(count)};"
        again = load.replace("%r4", "%r3").replace(registers(count), registers(count, 40))
        copy = " ".join(f"mov.b32 %r{10 + i}, %r{40 + i};" for i in range(count))
        body = (
            f"{FILL} {SYNC} add.u32 %r4, %m, {half << 16}; {load} {move} tcgen05.wait::st.sync.aligned; "
            f"{again} {copy} {store_registers(count)}"
        )
        wrong += not np.array_equal(launch(body, [], (128, count)), want)
# Halves of 16 bits of two columns in a register.
body = f"{FILL} {SYNC} tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32 {registers(4)}, [%m]; {store_registers(4)}"
low, high = ((THREAD * 1000 + 2 * np.arange(4) + i) & 0xFFFF for i in range(2))
wrong += not np.array_equal(launch(body, [], (128, 4)), low | high << 16)
# CHECK: 0 wrong loads and stores
print(f"{wrong} wrong loads and stores")


# Products. Operands are by rows of 128 bytes, swizzled; A lies at 0, B at 32768, scales and metadata at 49152.

SWIZZLED = 2 << 61 | 1 << 46 | 64 << 32 | 1 << 16
FLAT = 1 << 46 | 8 << 32 | 1 << 16


def image(matrix):
    """Rows of 128 bytes as tensor cores read them."""
    raw = np.ascontiguousarray(matrix).view(np.uint8).reshape(len(matrix), -1)
    padded = np.zeros((len(raw), 128), np.uint8)
    padded[:, : raw.shape[1]] = raw
    offsets = np.arange(padded.size)
    data = np.zeros(padded.size, np.uint8)
    data[offsets ^ (((offsets >> 7) & 7) << 4)] = padded.ravel()
    return data


def block_data(a, b, extra=None):
    data = np.zeros(65536, np.uint8)
    data[: len(a) * 128] = image(a)
    data[32768 : 32768 + len(b) * 128] = image(b)
    if extra is not None:
        raw = extra.view(np.uint8).ravel()
        data[49152 : 49152 + raw.size] = raw
    return data


DESCRIPTORS = f"""
  cvt.u64.u32 %a, %s; shr.u64 %a, %a, 4; and.b64 %a, %a, 0x3fff; or.b64 %b, %a, {SWIZZLED}; add.u64 %b, %b, 2048;
  or.b64 %a, %a, {SWIZZLED};
"""
# (kind, type of elements, their number in the descriptor, sums, K of an instruction)
KINDS = [
    ("f16", np.float16, 0, "f32", 16),
    ("f16", np.float16, 0, "f16", 16),
    ("f16", ml_dtypes.bfloat16, 1, "f32", 16),
    ("tf32", np.float32, 2, "f32", 8),
    ("f8f6f4", ml_dtypes.float8_e4m3fn, 0, "f32", 32),
    ("f8f6f4", ml_dtypes.float8_e5m2, 1, "f16", 32),
    ("i8", np.int8, 1, "s32", 32),
    ("i8", np.uint8, 0, "s32", 32),
]
SUMS = {"f16": (0, np.float16), "f32": (1, np.float32), "s32": (2, np.int32)}


def matrix(rows, columns, dtype):
    low = 0 if dtype is np.uint8 else -3
    return rng.integers(low, 4, (rows, columns)).astype(dtype)


def describe(number, sums, m, n, more=0):
    return SUMS[sums][0] << 4 | number << 7 | number << 10 | n // 8 << 17 | m // 16 << 24 | more


def read_sums(y, columns, sums):
    words = y.reshape(-1, 256)[:, :columns]
    return words.astype(np.uint16).view(np.float16) if sums == "f16" else words.view(SUMS[sums][1])


def lanes_of(m, pair):
    rows = np.arange(m // (2 if pair else 1))
    return rows // 16 * 32 + rows % 16 if len(rows) == 64 and not pair else rows


def run_product(kind, dtype, number, sums, depth, m, n, pair=False, more=0, extra_operands="", steps=2):
    k = depth * steps
    a, b = matrix(m, k, dtype), matrix(n, k, dtype)
    blocks = 2 if pair else 1
    data = [block_data(x, y) for x, y in zip(np.split(a, blocks), np.split(b, blocks), strict=True)]
    descriptor = describe(number, sums, m, n, more)
    mma = f"tcgen05.mma.cta_group::GROUP.kind::{kind} [%m], %a, %b, {descriptor}{extra_operands}"
    body = DESCRIPTORS + "setp.ne.u32 %accumulates, 0, 0;\n"
    body += "".join(
        f"@%leader {mma}, %accumulates; add.u64 %a, %a, 2; add.u64 %b, %b, 2; setp.eq.u32 %accumulates, 0, 0;\n"
        for _ in range(steps)
    )
    width = n // 2 if pair and m == 128 else n
    # Lanes without sums are read as well.
    y = launch(body + WAIT + STORE.replace("COLUMNS", str(width)), data, (blocks, 128, 256), pair, ("races",))
    return read_sums(y, width, sums), a.astype(np.float32), b.astype(np.float32)


wrong = 0
for row in KINDS:
    for m, n, more in ((128, 16, 0), (64, 64, 0), (128, 32, 1 << 13)):
        got, a, b = run_product(*row, m, n, more=more)
        wrong += not np.array_equal(got[lanes_of(m, False)], (a @ b.T) * (-1 if more else 1))
# Pairs: 128 rows of each block, or 64, whose lanes further on have the other half of the columns.
got, a, b = run_product(*KINDS[0], 256, 32, pair=True)
wrong += not np.array_equal(got, a @ b.T)
got, a, b = run_product(*KINDS[0], 128, 32, pair=True)
want = a @ b.T
wrong += not np.array_equal(got.reshape(2, 2, 64, 16), np.moveaxis(want.reshape(2, 64, 2, 16), 2, 1))
# Lanes that are left out.
got, a, b = run_product(*KINDS[0], 128, 16, extra_operands=", {0, 0xffffffff, 0, 0xf}")
kept = np.r_[0:32, 64:96, 100:128]
wrong += not np.array_equal(got[kept], (a @ b.T)[kept]) or not np.isnan(got[32:64]).all()
# CHECK: 0 wrong products
print(f"{wrong} wrong products")

# A in tensor memory, where a copy puts it.
wrong = 0
a, b = matrix(128, 16, np.float16), matrix(16, 16, np.float16)
body = DESCRIPTORS + (
    f"and.b64 %rd2, %a, 0x3fff; or.b64 %rd2, %rd2, {SWIZZLED}; add.u32 %r3, %m, 256; setp.ne.u32 %accumulates, 0, 0;\n"
    "@%leader tcgen05.cp.cta_group::1.128x256b [%r3], %rd2;\n"
    f"@%leader tcgen05.mma.cta_group::1.kind::f16 [%m], [%r3], %b, {describe(0, 'f32', 128, 16)}, %accumulates;\n"
)
y = launch(body + WAIT + STORE.replace("COLUMNS", "16"), [block_data(a, b)], (1, 128, 256))
wrong += not np.array_equal(read_sums(y, 16, "f32"), a.astype(np.float32) @ b.astype(np.float32).T)
# Other copies: which lane has which row.
for shape, rows in {
    "128x128b": np.arange(128),
    "64x128b.warpx2::02_13": np.r_[0:32, 0:32, 32:64, 32:64],
    "64x128b.warpx2::01_23": np.r_[0:64, 0:64],
    "32x128b.warpx4": np.tile(np.arange(32), 4),
}.items():
    values = rng.integers(0, 2**32, (128, 4), dtype=np.uint32)
    body = (
        f"cvt.u64.u32 %a, %s; add.u64 %a, %a, 49152; shr.u64 %a, %a, 4; and.b64 %a, %a, 0x3fff; or.b64 %a, %a, {FLAT};"
        f"@%leader tcgen05.cp.cta_group::1.{shape} [%m], %a;\n"
    )
    none = np.zeros((1, 128), np.uint8)
    data = block_data(none, none, values)
    y = launch(body + WAIT + STORE.replace("COLUMNS", "4"), [data], (1, 128, 256))
    wrong += not np.array_equal(y[0, :, :4], values[rows])
# CHECK: 0 wrong copies
print(f"{wrong} wrong copies")

# Scales: a byte of a word for each part of the depth; row m of A in lane m % 32, column m / 32, B the same.
wrong = 0
for kind, scales, number in (("mxf8f6f4", 1, 0), ("mxf4", 2, 1), ("mxf4nvf4", 4, 1)):
    depth = 32 if scales == 1 else 64
    a, b = matrix(128, depth, np.float32), matrix(32, depth, np.float32)
    if scales == 1:
        stored = [x.astype(ml_dtypes.float8_e4m3fn) for x in (a, b)]
    else:
        codes = [x.astype(ml_dtypes.float4_e2m1fn).view(np.uint8) for x in (a, b)]
        stored = [(x[:, ::2] | x[:, 1::2] << 4).astype(np.uint8) for x in codes]
    exponents = rng.integers(125, 130, (160, scales)).astype(np.uint8)
    words = np.zeros((160, 4), np.uint8)
    words[:, :scales] = exponents
    factors = 2.0 ** (exponents.astype(np.float32) - 127)
    if kind == "mxf4nvf4":
        small = rng.integers(1, 8, (160, scales)).astype(ml_dtypes.float8_e4m3fn)
        words[:, :scales], factors = small.view(np.uint8), small.astype(np.float32)
    # Rows of 16 bytes: the words of A's four groups of rows, then those of B.
    table = np.zeros((64, 4), np.uint32)
    table[:32] = words[:128].view(np.uint32).reshape(4, 32).T
    table[32:, 0] = words[128:].view(np.uint32).ravel()
    kind_of_scale = 0 if kind == "mxf4nvf4" else 1 << 23
    descriptor = number << 7 | number << 10 | 32 // 8 << 17 | 1 << 27 | kind_of_scale
    suffix = f".block_scale.scale_vec::{scales}X"
    body = DESCRIPTORS + (
        f"cvt.u64.u32 %rd2, %s; add.u64 %rd2, %rd2, 49152; shr.u64 %rd2, %rd2, 4; and.b64 %rd2, %rd2, 0x3fff;"
        f"or.b64 %rd2, %rd2, {FLAT}; add.u32 %r3, %m, 256; add.u32 %r4, %m, 260; setp.ne.u32 %accumulates, 0, 0;\n"
        "@%leader tcgen05.cp.cta_group::1.32x128b.warpx4 [%r3], %rd2; add.u64 %rd2, %rd2, 32;\n"
        "@%leader tcgen05.cp.cta_group::1.32x128b.warpx4 [%r4], %rd2;\n"
        f"@%leader tcgen05.mma.cta_group::1.kind::{kind}{suffix} [%m], %a, %b, {descriptor}, [%r3], [%r4], "
        "%accumulates;\n"
    )
    y = launch(body + WAIT + STORE.replace("COLUMNS", "32"), [block_data(*stored, table)], (1, 128, 256))
    scaled = [x * np.repeat(f, depth // scales, axis=1) for x, f in ((a, factors[:128]), (b, factors[128:]))]
    wrong += not np.allclose(read_sums(y, 32, "f32"), scaled[0] @ scaled[1].T, rtol=1e-6)
# CHECK: 0 wrong scales
print(f"{wrong} wrong scales")

# Two of four elements of A are stored; metadata says which.
wrong = 0
for kind, dtype, number, sums, depth in (KINDS[0], KINDS[6]):
    k = 2 * depth
    chosen = np.sort(np.argsort(rng.random((128, k // 4, 4)), axis=-1)[..., :2], axis=-1)
    stored, b = matrix(128, depth, dtype), matrix(16, k, dtype)
    full = np.zeros((128, k // 4, 4), np.float32)
    np.put_along_axis(full, chosen, stored.reshape(128, k // 4, 2).astype(np.float32), axis=-1)
    entries = chosen.reshape(128, depth).astype(np.uint32)
    words = np.zeros((128, 4), np.uint32)
    for row in range(128):
        for i in range(depth):
            if depth == 16:
                lane, column, at = row // 16 * 16 + i // 8 * 8 + row % 8, 0, row // 8 % 2 * 8 + i % 8
            else:
                lane, column, at = row, i // 16, i % 16
            words[lane, column] |= entries[row, i] << (2 * at)
    body = DESCRIPTORS + (
        f"cvt.u64.u32 %rd2, %s; add.u64 %rd2, %rd2, 49152; shr.u64 %rd2, %rd2, 4; and.b64 %rd2, %rd2, 0x3fff;"
        f"or.b64 %rd2, %rd2, {FLAT}; add.u32 %r3, %m, 256; setp.ne.u32 %accumulates, 0, 0;\n"
        "@%leader tcgen05.cp.cta_group::1.128x128b [%r3], %rd2;\n"
        f"@%leader tcgen05.mma.sp.cta_group::1.kind::{kind} [%m], %a, %b, [%r3], "
        f"{describe(number, sums, 128, 16, 4)}, %accumulates;\n"
    )
    y = launch(body + WAIT + STORE.replace("COLUMNS", "16"), [block_data(stored, b, words)], (1, 128, 256))
    want = full.reshape(128, k) @ b.astype(np.float32).T
    wrong += not np.array_equal(read_sums(y, 16, sums), want)
# CHECK: 0 wrong sparse products
print(f"{wrong} wrong sparse products")

# Undefined values: a product passes them on from rows of A, columns of B, addends and scales; a copy moves them.
ROW_OF_A = """
  add.u32 %r3, %m, 256; setp.eq.u32 %p, %t, 5; selp.b32 %r5, %r79, 0, %p;
  tcgen05.st.sync.aligned.32x32b.x8.b32 [%r3], {%r5, %r5, %r5, %r5, %r5, %r5, %r5, %r5};
"""
COLUMN_OF_B = """
  setp.eq.u32 %p, %t, 5; add.u32 %r4, %s, 33488; @%p st.shared.b32 [%r4], %r79; fence.proxy.async; bar.sync 0;
"""
MULTIPLY = (
    DESCRIPTORS + "setp.ne.u32 %accumulates, 0, 0; setp.eq.u32 %p, 0, 0;"
    f"@%leader tcgen05.mma.cta_group::1.kind::f16 [%m], {{}}, %b, {describe(0, 'f32', 128, 16)}, {{}};" + WAIT
)
COPY_UNDEFINED = (
    COLUMN_OF_B + f"cvt.u64.u32 %a, %s; add.u64 %a, %a, 33280; shr.u64 %a, %a, 4; and.b64 %a, %a, 0x3fff;"
    f"or.b64 %a, %a, {FLAT}; @%leader tcgen05.cp.cta_group::1.128x128b [%m], %a;" + WAIT
)
SCALES = (
    DESCRIPTORS + "add.u32 %r3, %m, 256; setp.ne.u32 %accumulates, 0, 0; setp.eq.u32 %p, %t, 5;"
    "selp.b32 %r5, %r79, 0, %p; tcgen05.st.sync.aligned.32x32b.x8.b32 [%r3], {%r5, %r5, %r5, %r5, %r5, %r5, %r5, %r5};"
    + SYNC
    + "@%leader tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%m], %a, %b, "
    + f"{16 // 8 << 17 | 1 << 27 | 1 << 23}, [%r3], [%r3], %accumulates;"
    + WAIT
)
LOAD_TWO = "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12}, [%m];"
USE_ROW = "setp.ne.u32 %p, %t, {}; @%p mov.b32 %r5, 0; setp.eq.u32 %p, %r5, 0; @%p mov.b32 %r6, 0;"
USE_COLUMN = "setp.eq.u32 %p, %r{}, 0; @%p mov.b32 %r5, 0;"
wrong = 0
for name, body, use, wanted in (
    ("row", ROW_OF_A + SYNC + MULTIPLY.format("[%r3]", "%accumulates"), USE_ROW.format(6), None),
    ("row", ROW_OF_A + SYNC + MULTIPLY.format("[%r3]", "%accumulates"), USE_ROW.format(5), "a register"),
    ("column", COLUMN_OF_B + MULTIPLY.format("%a", "%accumulates"), USE_COLUMN.format(9), None),
    ("column", COLUMN_OF_B + MULTIPLY.format("%a", "%accumulates"), USE_COLUMN.format(10), "a register"),
    ("addend", MULTIPLY.format("%a", "%p"), "", None),
    ("addend", MULTIPLY.format("%a", "%p"), USE_COLUMN.format(5), "tensor memory"),
    ("scale", SCALES, USE_ROW.format(6), None),
    ("scale", SCALES, USE_ROW.format(5), "a register"),
    ("copy", COPY_UNDEFINED, USE_ROW.format(1), None),
    ("copy", COPY_UNDEFINED, USE_ROW.format(13), "a register"),
):
    try:
        launch(body + LOAD_TWO + "tcgen05.wait::ld.sync.aligned;" + use, [], (1, 128, 256), checks=("uninitialized",))
        found = None
    except Error as error:
        found = str(error)
    if (wanted or "") not in (found or "") or bool(wanted) != bool(found):
        print(name, use, found)
        wrong += 1
# CHECK: 0 wrong undefined values
print(f"{wrong} wrong undefined values")

# Invalid instructions.


def show(body):
    try:
        launch(body, [], (1, 128, 256))
        print("nothing")
    except Error as error:
        print(str(error).split(", by ")[0])


PRODUCT = (
    DESCRIPTORS + "setp.ne.u32 %accumulates, 0, 0; @%leader tcgen05.mma.cta_group::1.kind::f16 [%m], %a, %b, {}, 0;"
)
# CHECK: expected an access to columns of tensor memory that are allocated, got 4 from column 510 of lane {{[0-9]+}}
show("add.u32 %r4, %m, 510; tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r5, %r6, %r7, %r8}, [%r4];")
# CHECK: expected lanes of tensor memory in quarter {{[0-3]}}, which is the warp's, got lane 96
show(f"add.u32 %r4, %m, {96 << 16}; tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r5}}, [%r4];")
# CHECK: expected a condition or an address that is initialized, got one that depends on lane {{[0-9]+}}, column 0 of
# CHECK-SAME: tensor memory, which is uninitialized
show("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r5}, [%m]; setp.eq.u32 %p, %r5, 0; @%p mov.b32 %r5, 0;")
# CHECK: expected an element type of '.kind::f16' that is implemented, got number 3
show(PRODUCT.format(describe(3, "f32", 128, 16)))
# CHECK: expected 64 or 128 rows of a block and 8 to 256 columns, got 32 rows and 16 columns
show(PRODUCT.format(describe(0, "f32", 32, 16)))
# CHECK: expected an accumulator type that matches the operands, got number 2
show(PRODUCT.format(describe(0, "s32", 128, 16)))
# CHECK: expected an instruction descriptor with the sparsity of the MMA
show(PRODUCT.format(describe(0, "f32", 128, 16, 4)))
# CHECK: expected the even block of a pair of the cluster, got block 0
show(PRODUCT.format(describe(0, "f32", 256, 16)).replace("cta_group::1", "cta_group::2"))
# CHECK: expected a matrix descriptor with swizzle 0, 2, 4 or 6, got 1
show(PRODUCT.format(describe(0, "f32", 128, 16)).replace(str(SWIZZLED), str(1 << 61)))
# CHECK: expected no allocation after 'tcgen05.relinquish_alloc_permit'
show("setp.lt.u32 %p, %t, 32; @%p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 32;")
# CHECK: expected a power of two of columns from 32 to 512, got 48
show("setp.lt.u32 %p, %t, 32; @%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %m, 48;")
# CHECK: expected 'tcgen05.dealloc' of all columns of tensor memory before the block ends
show("ret;")
# CHECK: expected 4 registers, got 2
# CHECK: expected a kind of MMA that is implemented
# CHECK: expected '.block_scale' for exactly the kinds that have scales
# CHECK: expected a shape of 128, 64 or 32 rows
for text in (
    "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r5, %r6}, [%m];",
    "tcgen05.mma.cta_group::1.kind::f64 [%m], %a, %b, 0, 1;",
    "tcgen05.mma.cta_group::1.kind::mxf4 [%m], %a, %b, 0, [%m], [%m], 1;",
    "tcgen05.cp.cta_group::1.4x256b [%m], %a;",
):
    show(text)

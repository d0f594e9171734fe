# RUN: %python %s %repository | FileCheck %s

# The interpreter of Mosaic modules knows every op that the conversion to a TPU emits: those of the tpu dialect, those
# that C++ creates, and the arithmetic that a kernel may have. Each of the latter computes what NumPy computes.
import inspect
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
import numpy as np
from gridir.mlir.dialects import arith, cf, math, memref, scf, vector
from gridir.runtime.tpu.interpreter import Program
from gridir.runtime.tpu.interpreter_ops import HANDLERS
from jaxlib_modules import parse
from programs import BLOCK, add

root = pathlib.Path(sys.argv[1])


def names_of(dialect):
    """For the C++ class of each op of a dialect its name."""
    classes = inspect.getmembers(dialect, inspect.isclass)
    return {name: cls.OPERATION_NAME for name, cls in classes if hasattr(cls, "OPERATION_NAME")}


text = "\n".join(path.read_text() for path in sorted((root / "dialects/TPU/IR").glob("*.td")))
tpu = {f"tpu.{name}" for name in re.findall(r'^def TPU_\w+ : TPU_\w*Op<"(\w+)"', text, re.MULTILINE)}
# CHECK: tpu: {{[4-9][0-9]}} ops, unknown: []
print(f"tpu: {len(tpu)} ops, unknown: {sorted(tpu - HANDLERS.keys())}")

DIALECTS = {"arith": arith, "cf": cf, "math": math, "memref": memref, "scf": scf, "vector": vector}
ANALYSES = {"vector.contract", "vector.transfer_read", "vector.transfer_write"}
sources = [
    path.read_text()
    for directory in ("Conversion/GridToTPU", "TPU/Transforms", "Loops/Math")
    for path in sorted((root / "dialects" / directory).glob("*.cpp"))
]
created = set()
for dialect, module in DIALECTS.items():
    known = names_of(module)
    pattern = rf"\b{dialect}::(\w+Op)(?:::create\b|>\(\s*op\b|,)|createOrFold<{dialect}::(\w+Op)>"
    for source in sources:
        created |= {known[name] for match in re.findall(pattern, source) if (name := "".join(match)) in known}
# CHECK: created: {{[4-9][0-9]}} ops, unknown: []
print(f"created: {len(created)} ops, unknown: {sorted(created - HANDLERS.keys() - ANALYSES)}")

# libtpu has none that scales.
arithmetic = {*names_of(arith).values(), *names_of(math).values()}
# CHECK: arithmetic unknown: ['arith.scaling_extf', 'arith.scaling_truncf']
print("arithmetic unknown:", sorted(arithmetic - HANDLERS.keys()))

INTS, FLOATS, BOOLS = "vector<8x128xi32>", "vector<8x128xf32>", "vector<8x128xi1>"
rng = np.random.default_rng(0)
numbers = rng.integers(-(2**31), 2**31, (8, 128)).astype(np.int32)
numbers[0, :4] = [0, -1, 2**31 - 1, -(2**31)]
small = np.where(numbers % 7 == 0, 1, numbers % 7).astype(np.int32)


def run(body, x):
    """The result %r, which has the type of the block, of a module with these lines."""
    module = add().replace("iteration_bounds = array<i64: 4>", "iteration_bounds = array<i64: 1>")
    start, end = module.index("%2 = "), module.index('"stable_mosaic.tpu.vector_store"')
    module = (module[:start] + body + "\n" + module[end:]).replace("(%2, %o", "(%r, %o")
    if x.dtype == np.int32:
        module = module.replace("f32", "i32")
    (y,) = Program(parse(module)).run([x], [(x.shape, x.dtype)])
    return y


def unary(name, x, result=None):
    types = (INTS if x.dtype == np.int32 else FLOATS,) * 2
    return run(f'%r = "stable_mosaic.{name}"(%1) : ({types[0]}) -> {types[1]}', x)


def binary(name, x, number):
    constant = f'%c = "stable_mosaic.arith.constant"() {{value = dense<{number}> : {INTS}}} : () -> {INTS}'
    return run(f'{constant}\n%r = "stable_mosaic.{name}"(%1, %c) : ({INTS}, {INTS}) -> {INTS}', x)


bits = [f"{int(n) & 0xFFFFFFFF:032b}" for n in numbers.ravel()]
EXPECTED = {
    "math.ctpop": [b.count("1") for b in bits],
    "math.ctlz": [len(b) - len(b.lstrip("0")) for b in bits],
    "math.cttz": [len(b) - len(b.rstrip("0")) for b in bits],
}
for name, want in EXPECTED.items():
    # CHECK: math.ctpop: True
    # CHECK: math.ctlz: True
    # CHECK: math.cttz: True
    print(f"{name}: {np.array_equal(unary(name, numbers).ravel(), want)}")

QUOTIENTS = {
    "arith.divsi": lambda x, y: int(abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1),
    "arith.remsi": lambda x, y: x - int(abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1) * y,
    "arith.floordivsi": lambda x, y: x // y,
    "arith.ceildivsi": lambda x, y: -(-x // y),
    "arith.divui": lambda x, y: (x % 2**32) // (y % 2**32),
    "arith.remui": lambda x, y: (x % 2**32) % (y % 2**32),
    "arith.ceildivui": lambda x, y: -(-(x % 2**32) // (y % 2**32)),
    "arith.maxui": lambda x, y: max(x % 2**32, y % 2**32),
    "arith.minui": lambda x, y: min(x % 2**32, y % 2**32),
}
wrong = []
for name, function in QUOTIENTS.items():
    for divisor in (3, -7, 2**31 - 1):
        # The least number has no negative.
        x = np.where(numbers == -(2**31), 5, numbers) if name == "arith.ceildivsi" else numbers
        want = np.array([function(int(n), divisor) % 2**32 for n in x.ravel()], np.uint32).view(np.int32)
        wrong += [] if np.array_equal(binary(name, x.astype(np.int32), divisor).ravel(), want) else [(name, divisor)]
# CHECK: quotients: []
print("quotients:", wrong)

# By 0 a quotient has all bits set, and a remainder is the dividend. A shift by 32 or more is 0, or the sign.
UNDEFINED = {
    ("arith.divsi", 0): np.full_like(numbers, -1),
    ("arith.divui", 0): np.full_like(numbers, -1),
    ("arith.remsi", 0): numbers,
    ("arith.remui", 0): numbers,
    ("arith.shli", 32): np.zeros_like(numbers),
    ("arith.shrui", -1): np.zeros_like(numbers),
    ("arith.shrsi", 40): numbers >> 31,
}
# CHECK: undefined: []
print(
    "undefined:", [key for key, want in UNDEFINED.items() if not np.array_equal(binary(key[0], numbers, key[1]), want)]
)

# Parts of memory that do not lie in one piece, seen in another shape or as another type, and at an offset of their own.
MANY = "memref<32x128xf32, #tpu.memory_space<any>>"
PART = "memref<8x64xi32, #tpu.memory_space<vmem>>"


def memory(lines):
    """What a module with these lines leaves in a block of numbers, of which `%part` is columns 64 on."""
    slices = f"""%k = "stable_mosaic.arith.constant"() {{value = 64 : i32}} : () -> i32
    %z = "stable_mosaic.arith.constant"() {{value = 0 : i32}} : () -> i32
    %part = "stable_mosaic.tpu.memref_slice"(%x, %z, %k) {{operandSegmentSizes = array<i32: 1, 2, 0>}}
      : ({BLOCK.replace("f32", "i32")}, i32, i32) -> {PART}
    """
    body = slices + lines
    return run(body, numbers)


row = "memref<512xi32, #tpu.memory_space<vmem>>"
reshaped = f"""%flat = "stable_mosaic.tpu.memref_reshape"(%part) : ({PART}) -> {row}
    %v = "stable_mosaic.vector.load"(%flat, %0) : ({row}, index) -> vector<512xi32>
    %w = "stable_mosaic.arith.addi"(%v, %v)
      : (vector<512xi32>, vector<512xi32>) -> vector<512xi32>
    "stable_mosaic.tpu.vector_store"(%w, %flat, %0)
      {{add = false, operandSegmentSizes = array<i32: 1, 1, 1, 0>, strides = array<i32>}}
      : (vector<512xi32>, {row}, index) -> ()
    %r = "stable_mosaic.vector.load"(%x, %0, %0) : ({BLOCK.replace("f32", "i32")}, index, index) -> {INTS}"""
want = numbers.copy()
with np.errstate(over="ignore"):
    want[:, 64:] *= 2
# CHECK: reshaped part: True
print("reshaped part:", np.array_equal(memory(reshaped), want))

half = "memref<16x64xbf16, #tpu.memory_space<vmem>>"
cast = f"""%half = "stable_mosaic.tpu.memref_bitcast"(%part) : ({PART}) -> {half}
    %one = "stable_mosaic.arith.constant"() {{value = 1 : index}} : () -> index
    %v = "stable_mosaic.vector.load"(%half, %0, %0) : ({half}, index, index) -> vector<1x64xbf16>
    "stable_mosaic.tpu.vector_store"(%v, %half, %one, %0)
      {{add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>}}
      : (vector<1x64xbf16>, {half}, index, index) -> ()
    %r = "stable_mosaic.vector.load"(%x, %0, %0) : ({BLOCK.replace("f32", "i32")}, index, index) -> {INTS}"""
# The low half of each word of the first row becomes its high half, too.
want = numbers.copy()
low = want[0, 64:].view(np.uint32) & 0xFFFF
want[0, 64:] = ((low << 16) | low).view(np.int32)
# CHECK: cast part: True
print("cast part:", np.array_equal(memory(cast), want))

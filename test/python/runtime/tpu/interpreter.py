# RUN: %python %s %repository | FileCheck %s

# The reference interpreter runs what libtpu is given. Here that is what JAX's own lowering makes of the examples, so
# that the interpreter is checked against modules of another author.
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import jax
import numpy as np
from gridir.cli.example import load_example
from gridir.frontend.targets import tpu_call
from gridir.frontend.targets.tpu_aot import jax_own
from gridir.runtime.tpu.interpreter import ExecutionError, Program
from gridir.testing import difference, interpreted, mosaic_interpreted
from jaxlib_modules import parse
from programs import add

different, run = [], []
for path in sorted(glob.glob(os.path.join(sys.argv[1], "examples", "*.py"))):
    example = load_example(path, None)
    function, args = example.function, example.args
    (kernel,) = jax_own(function, *args)
    if kernel.program is None:
        continue
    program = Program(parse(kernel.program.body))
    tpu_call._program = lambda _, program=program: program
    with mosaic_interpreted():
        got = jax.tree.leaves(jax.jit(lambda *xs, function=function: function(*xs))(*args))
    with interpreted():
        want = jax.tree.leaves(jax.jit(function)(*args))
    different += [text for text in map(difference, got, want) if text]
    run.append(kernel.name)
# CHECK: run: ['add', 'causal_attention', 'double_buffer'
print("run:", run)
# CHECK-NEXT: different: []
print("different:", different)

x = np.arange(32 * 128, dtype=np.float32).reshape(32, 128)
result = [((32, 128), np.dtype("float32"))]
(y,) = Program(parse(add())).run([x], result)
# CHECK-NEXT: doubled: True
print("doubled:", np.array_equal(y, 2 * x))


def refuse(title, text, *replacements):
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    try:
        Program(parse(text)).run([x], result)
    except ExecutionError as error:
        print(f"{title}: {error.message}")


# Accesses that a TPU would ignore, or answer with garbage, are errors here.
# CHECK-NEXT: load: an access to (1, 0) to (9, 128) is out of bounds of (8, 128)
one = ('load"(%x, %0, %0)', 'load"(%x, %one, %0)')
refuse("load", add(), one, ("%1 =", '%one = "stable_mosaic.arith.constant"() {value = 1 : index} : () -> index\n%1 ='))
# CHECK-NEXT: block: a block at (32, 0) lies outside of its array of (32, 128)
refuse("block", add(), ("array<i64: 4>", "array<i64: 5>"))
# CHECK-NEXT: op: the interpreter has no arith.absent
refuse("op", add(), ("arith.addf", "arith.absent"))
# CHECK-NEXT: kernel: expected a function with tpu.core_type, got none
refuse("kernel", add(), ("tpu.core_type = #tpu.core_type<tc>,", ""))
# A semaphore that is signalled and not waited for.
semaphore = "memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>"
signal = """"stable_mosaic.tpu.sem_signal"(%s, %n) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (SEM, i32) -> ()
    "stable_mosaic.func.return"() : () -> ()""".replace("SEM", semaphore)
# CHECK-NEXT: semaphore: scratch 0 holds 4 at the end of the kernel, expected 0
refuse(
    "semaphore",
    add(),
    ('"stable_mosaic.func.return"() : () -> ()', signal),
    ("%1 =", '%n = "stable_mosaic.arith.constant"() {value = 1 : i32} : () -> i32\n%1 ='),
    (
        "%o: memref<8x128xf32, #tpu.memory_space<vmem>>)",
        f"%o: memref<8x128xf32, #tpu.memory_space<vmem>>, %s: {semaphore})",
    ),
    ("scratch_operands = 0", "scratch_operands = 1"),
    (
        "memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name",
        f"memref<8x128xf32, #tpu.memory_space<vmem>>, {semaphore}) -> (), sym_name",
    ),
)


def refuse_with(title, body, *types):
    """Refuses the addition with these lines before its end, and with memory of these types as its arguments %s0 on."""
    memory = [f"%s{i}: {type_}" for i, type_ in enumerate(types)]
    block = "%o: memref<8x128xf32, #tpu.memory_space<vmem>>"
    after = "memref<8x128xf32, #tpu.memory_space<vmem>>) -> (), sym_name"
    lines = [f'%n{n} = "stable_mosaic.arith.constant"() {{value = {n} : i32}} : () -> i32' for n in range(4)]
    refuse(
        title,
        add(),
        ('"stable_mosaic.func.return"() : () -> ()', f'{body}\n"stable_mosaic.func.return"() : () -> ()'),
        ("%1 =", "\n".join([*lines, "%1 ="])),
        (f"{block})", f"{', '.join([block, *memory])})"),
        ("scratch_operands = 0", f"scratch_operands = {len(types)}"),
        (after, after.replace(")", f", {', '.join(types)})", 1)),
    )


# A semaphore is waited for only after a signal, since no other program runs.
dma = "memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>"
copied = "memref<8x128xf32, #tpu.memory_space<vmem>>"
# CHECK-NEXT: wait: waits for a semaphore of 2, which is 0
refuse_with("wait", f'"stable_mosaic.tpu.sem_wait"(%s0, %n2) : ({semaphore}, i32) -> ()', semaphore)
# CHECK-NEXT: copy: waits for 4096 bytes, of which 0 are on their way
refuse_with(
    "copy",
    '"stable_mosaic.tpu.wait_dma2"(%s0, %x, %o) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}'
    f" : ({dma}, {copied}, {copied}) -> ()",
    dma,
)
# CHECK-NEXT: device: the interpreter has one chip, which is device 0, got device 1
refuse_with(
    "device",
    '"stable_mosaic.tpu.enqueue_dma"(%x, %s0, %o, %s1, %n1)'
    " {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>, priority = 0 : i32}"
    f" : ({copied}, {dma}, {copied}, {dma}, i32) -> ()",
    dma,
    dma,
)
# CHECK-NEXT: constant: expected a constant of one number, got dense<[1, 2]> : vector<2xi32>
refuse_with(
    "constant",
    '%many = "stable_mosaic.arith.constant"() {value = dense<[1, 2]> : vector<2xi32>} : () -> vector<2xi32>',
    dma,
)
# A signal to another core reaches memory that each core has of its own, of a core that runs the kernel.
at_core = "{operandSegmentSizes = array<i32: 1, 1, 0, 1>}"
# CHECK-NEXT: core: expected a core that runs this kernel, got core 1, subcore 0
refuse_with(
    "core", f'"stable_mosaic.tpu.sem_signal"(%s0, %n1, %n1) {at_core} : ({semaphore}, i32, i32) -> ()', semaphore
)
# CHECK-NEXT: own memory: expected memory that is private to a core
refuse_with(
    "own memory",
    f"""%q = "stable_mosaic.tpu.sem_alloc"() : () -> {semaphore}
    "stable_mosaic.tpu.sem_signal"(%q, %n1, %n1) {at_core} : ({semaphore}, i32, i32) -> ()""",
    semaphore,
)
# CHECK-NEXT: type: expected numbers that a TPU supports, got f80
refuse_with("type", '%f = "stable_mosaic.arith.constant"() {value = 1.0 : f80} : () -> f80', dma)
# Lanes of a SparseCore.
flat, mask, lanes = "memref<4xi32, #tpu.memory_space<vmem>>", "vector<8xi1>", "vector<8xi32>"
all_lanes = f"""%all = "stable_mosaic.arith.constant"() {{value = dense<true> : {mask}}} : () -> {mask}
    %one = "stable_mosaic.arith.constant"() {{value = dense<1> : {lanes}}} : () -> {lanes}
    """
# CHECK-NEXT: kind: expected a sum or the first lane of a mask, got max
kind = "{dim = 0 : i64, kind = #tpu.reduction_kind<max>}"
refuse_with("kind", f'{all_lanes} %k = "stable_mosaic.tpu.all_reduce"(%all) {kind} : ({mask}) -> {lanes}', flat)
# CHECK-NEXT: expanded: an access to 8 elements from (0,) on is out of bounds of (4,)
loaded = '"stable_mosaic.tpu.vector_expand_load"(%s0, %0, %all) {expand_dim = 0 : i32}'
loaded += f" : ({flat}, index, {mask}) -> {lanes}"
refuse_with("expanded", f"{all_lanes} %k = {loaded}", flat)
# CHECK-NEXT: compressed: an access to 8 elements from (0,) on is out of bounds of (4,)
stored = "{add = false, compress_dim = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1>}"
stored += f" : ({lanes}, {flat}, index, {mask}) -> ()"
refuse_with("compressed", f'{all_lanes} "stable_mosaic.tpu.vector_compress_store"(%one, %s0, %0, %all) {stored}', flat)
# CHECK-NEXT: rows: an access to row 1 is out of bounds of (1, 8)
table, rows = "memref<1x8xi32, #tpu.memory_space<hbm>>", "memref<8x8xi32, #tpu.memory_space<vmem>>"
refuse_with(
    "rows",
    f"""{all_lanes} "stable_mosaic.tpu.enqueue_indirect_dma"(%s0, %s1, %one, %s2) {{add = false}}
      : ({table}, {rows}, {lanes}, {dma}) -> ()""",
    table,
    rows,
    dma,
)
# CHECK-NEXT: gathered: an access to 4 in dimension 0 is out of bounds of (4,)
four = f"""%four = "stable_mosaic.arith.constant"() {{value = dense<4> : {lanes}}} : () -> {lanes}"""
gathered = '"stable_mosaic.tpu.vector_load_idx"(%s0, %four) {operandSegmentSizes = array<i32: 1, 1, 0>}'
refuse_with("gathered", f"{four}\n%k = {gathered} : ({flat}, {lanes}) -> {lanes}", flat)
# CHECK-NEXT: scattered: an access to 4 in dimension 0 is out of bounds of (4,)
scattered = "{add = true, operandSegmentSizes = array<i32: 1, 1, 1, 0>}"
scattered = f'"stable_mosaic.tpu.vector_store_idx"(%four, %s0, %four) {scattered} : ({lanes}, {flat}, {lanes}) -> ()'
refuse_with("scattered", f"{four}\n{scattered}", flat)
# CHECK-NEXT: fetched: an access to (4,) is out of bounds of (4,)
fetched = f'"stable_mosaic.tpu.fetch_and_add_sync"(%s0, %at, %n1, %n0) : ({flat}, index, i32, i32) -> i32'
refuse_with(
    "fetched", f'%at = "stable_mosaic.arith.constant"() {{value = 4 : index}} : () -> index\n%k = {fetched}', flat
)
# CHECK-NEXT: indirect: waits for 32 bytes, of which 0 are on their way
waited = f'"stable_mosaic.tpu.wait_indirect_dma"(%s2, %s0, %s1) : ({dma}, {table}, {rows}) -> ()'
refuse_with("indirect", waited, table, rows, dma)
# CHECK-NEXT: barrier: waits at a barrier, to which 3 of the subcores never come
refuse(
    "barrier",
    add(),
    ("#tpu.dimension_semantics<arbitrary>", "#tpu.dimension_semantics<subcore_parallel>"),
    (
        '"stable_mosaic.func.return"() : () -> ()',
        """%n = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    %first = "stable_mosaic.arith.cmpi"(%i, %n) {predicate = 0 : i64} : (i32, i32) -> i1
    "stable_mosaic.scf.if"(%first) ({
      "stable_mosaic.tpu.barrier"(%0) : (index) -> ()
      "stable_mosaic.scf.yield"() : () -> ()
    }, {}) : (i1) -> ()
    "stable_mosaic.func.return"() : () -> ()""",
    ),
)
# A kernel keeps what it says of a number, and seeds its generator before it asks for random bits.
# CHECK-NEXT: multiple: expected a multiple of 2, got 3
refuse_with("multiple", '%k = "stable_mosaic.tpu.assume_multiple"(%n3) {multiple = 2 : i32} : (i32) -> i32', flat)
# CHECK-NEXT: seed: expected the kernel to seed its random generator
refuse_with("seed", f'%k = "stable_mosaic.tpu.prng_random_bits"() : () -> {lanes}', flat)
# CHECK-NEXT: assertion: not positive
false = '%f = "stable_mosaic.arith.constant"() {value = false} : () -> i1'
refuse_with("assertion", f'{false}\n"stable_mosaic.cf.assert"(%f) {{msg = "not positive"}} : (i1) -> ()', flat)
# An op that no verifier has seen fails within NumPy.
# CHECK-NEXT: failure: the interpreter cannot run arith.addi: ValueError: operands could not be broadcast together
few = "vector<3xi32>"
few_lanes = f'%few = "stable_mosaic.arith.constant"() {{value = dense<1> : {few}}} : () -> {few}'
added = f'"stable_mosaic.arith.addi"(%one, %few) : ({lanes}, {few}) -> {lanes}'
refuse_with("failure", f"{all_lanes}{few_lanes}\n%k = {added}", flat)
# Memory that nothing has written is not a number.
(y,) = Program(
    parse(
        add()
        .replace("(%1, %1)", "(%u, %u)")
        .replace("%1 =", "%1 = ")
        .replace(
            "%2 =",
            '%u = "stable_mosaic.vector.load"(%o, %0, %0) : (memref<8x128xf32, #tpu.memory_space<vmem>>, index, index)'
            " -> vector<8x128xf32>\n%2 =",
        )
    )
).run([x], result)
# CHECK-NEXT: unwritten: True
print("unwritten:", np.isnan(y).all())

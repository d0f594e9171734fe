# A run-time check of Mosaic's is switched off where a proof says so, or where the kernel itself asserts what is not
# proved, and in no module in which something can fail it unseen. In each example each window, slice, load and store is
# made to leave its Ref in turn, each copy and wait is left out. What asserts is run: it must report what is planted,
# wherever the interpreter, which sees every access, finds that the module without assertions leaves a Ref.
#
# RUN: %python %s %repository/examples | FileCheck %s

import re
import sys
from pathlib import Path

import gridir
import numpy as np
from gridir.cli.example import load_example
from gridir.compiler.passes import parse_module, run_pipeline, to_bytecode
from gridir.mlir import ir
from gridir.runtime.tpu.interpreter import Program
from gridir.runtime.tpu.numpy_ops import ExecutionError, type_of

CHECKS = "grid.run_time_checks"


def became_of(module):
    """What becomes of the checks of a module, by their names: "off", "asserted" or why Mosaic's stay."""
    run_pipeline(module, "tpu-elide-checks")
    entries = ir.DictAttr(module.operation.attributes[CHECKS])
    return {e.name: e.attr.value if isinstance(e.attr, ir.StringAttr) else NAMES[type(e.attr)] for e in entries}


NAMES = {ir.UnitAttr: "off", ir.ArrayAttr: "asserted"}


def ops_of(module):
    found = []

    def visit(op):
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def is_number(value):
    return isinstance(value.type, ir.IndexType) or (isinstance(value.type, ir.IntegerType) and value.type.width == 32)


def accessed(op):
    """What an op takes elements of: the memref before its indices, or the array of a window."""
    refs = [value for value in op.operands if isinstance(value.type, ir.MemRefType)]
    return refs[-1] if refs else None


def indices_of(module):
    """The operands of a module that are indices and addresses, as (number of the op, number of the operand)."""
    for number, op in enumerate(ops_of(module)):
        if op.name == "func.return" and op.operands:
            yield from ((number, i) for i in range(len(op.operands)))
        elif accessed(op) is not None and not op.name.startswith(
            ("tpu.enqueue", "tpu.wait", "tpu.sem", "memref.store")
        ):
            yield from ((number, i) for i, value in enumerate(op.operands) if is_number(value))


def is_only_waited_for(view):
    """Whether nobody accesses the elements of a view: to wait for a copy needs only its size."""
    if view.name == "tpu.wait_dma2":
        return True
    uses = [use for result in view.results for use in result.uses]
    return view.name.startswith("tpu.memref_") and all(
        is_only_waited_for(use.owner) and not (use.owner.name == "tpu.wait_dma2" and use.operand_number == 0)
        for use in uses
    )


def reads_for_a_window(op):
    """Whether an op reads the scalars that say where a window lies, which comes before the program asserts anything."""
    return op.name == "memref.load" and "tpu.core_type" not in op.parent.attributes


def plant(module, number, operand):
    """Adds to an index what leads out of everything."""
    op = ops_of(module)[number]
    value = op.operands[operand]
    with ir.InsertionPoint(op), op.location:
        far = ir.Operation.create(
            "arith.constant", results=[value.type], attributes={"value": ir.IntegerAttr.get(value.type, 1 << 20)}
        )
        beyond = ir.Operation.create("arith.addi", results=[value.type], operands=[value, far.result])
    op.operands[operand] = beyond.result


def arrays_of(module, name):
    """Shapes and dtypes of the arrays of the call in one of its lists."""
    found = re.findall(r"#grid.operand<(\w+) \[([\d, ]*)\]", str(module.operation.attributes["grid.operands"][name]))
    types = [type_of("x".join([*dims.split(", "), element]).join(("memref<", ">"))) for element, dims in found]
    return [(array.shape, array.dtype) for array in types]


def fault(module, operands, results):
    """What the interpreter says of a module; "" if nothing is wrong."""
    try:
        Program(module).run(operands, results)
    except ExecutionError as error:
        return error.message
    return ""


totals = {"windows and accesses": [0, 0], "asserted and run": [0, 0], "copies and waits": [0, 0]}


def count(what, seen, message):
    totals[what][0] += 1
    totals[what][1] += bool(seen)
    if not seen:
        print(f"not seen: {message}")


for path in sorted(Path(sys.argv[1]).glob("*.py")):
    example = load_example(str(path), None)
    options = gridir.TpuOptions(elide_checks=False)
    try:
        kernels = gridir.lower(example.function, *example.args, target="tpu", options=options).kernels
        modules = [kernel.module("tpu") for kernel in kernels]
    except gridir.CompileError as error:
        print(f"{path.stem}: {error.message}")
        continue
    for module in modules:
        assert CHECKS not in module.operation.attributes
        operands = [np.zeros(*array) for array in [*arrays_of(module, "index"), *arrays_of(module, "inputs")]]
        results = arrays_of(module, "outputs")
        bytecode = to_bytecode(module)
        print(f"{path.stem}: {became_of(module)}")
        # The ops are the module's: it must live as long as they.
        whole = parse_module(bytecode)
        for number, operand in indices_of(whole):
            planted, unchecked = parse_module(bytecode), parse_module(bytecode)
            for copy in (planted, unchecked):
                with copy.context:
                    plant(copy, number, operand)
            op = ops_of(whole)[number]
            if is_only_waited_for(op):
                continue
            what = f"{op}, {operand}"
            became = became_of(planted)["bounds"]
            count("windows and accesses", became != "off", what)
            if became == "asserted" and fault(unchecked, operands, results):
                said = fault(planted, operands, results)
                asserted = ": an index is outside" in said or ": the block lies outside" in said
                count("asserted and run", asserted or (said and reads_for_a_window(op)), what)
        for number, op in enumerate(ops_of(whole)):
            if op.name not in ("tpu.enqueue_dma", "tpu.wait_dma2", "tpu.sem_signal", "tpu.sem_wait"):
                continue
            planted = parse_module(bytecode)
            ops_of(planted)[number].erase()
            count("copies and waits", became_of(planted)["semaphore"] != "off", f"without {op}")

# CHECK-NOT: not seen
# CHECK-DAG: matmul: {'bounds': 'off', 'semaphore': 'off'}
# CHECK-DAG: softmax: {'bounds': 'off', 'semaphore': 'off'}
# CHECK-DAG: double_buffer: {'bounds': 'off', 'semaphore': 'off'}
# CHECK-DAG: row_gather: {'bounds': 'asserted', 'semaphore': 'off'}
# CHECK-DAG: update_in_place: {'bounds': 'asserted', 'semaphore': 'off'}
for what, (planted, seen) in totals.items():
    print(f"{what}: {seen} of {planted}, all: {seen == planted > 0}")
# CHECK: windows and accesses: {{[0-9]+}} of {{[0-9]+}}, all: True
# CHECK: asserted and run: {{[0-9]+}} of {{[0-9]+}}, all: True
# CHECK: copies and waits: {{[0-9]+}} of {{[0-9]+}}, all: True

# A run-time check of Mosaic's is switched off where a proof says so, and in no module in which something can fail it.
# In each example each window, slice, load and store is made to leave its Ref in turn, each copy and wait is left out.
#
# RUN: %python %s %repository/examples | FileCheck %s

import sys
from pathlib import Path

import gridir
from gridir.cli.example import load_example
from gridir.compiler.passes import parse_module, run_pipeline, to_bytecode
from gridir.mlir import ir

CHECKS = "gridir.run_time_checks"


def needed(module):
    """Why a module needs checks, by their names; "" for those that are switched off."""
    run_pipeline(module, "tpu-elide-checks")
    entries = ir.DictAttr(module.operation.attributes[CHECKS])
    return {e.name: ir.StringAttr(e.attr).value if isinstance(e.attr, ir.StringAttr) else "" for e in entries}


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


totals = {"windows and accesses": [0, 0], "copies and waits": [0, 0]}
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
        bytecode = to_bytecode(module)
        print(f"{path.stem}: {needed(module)}")
        # The ops are the module's: it must live as long as they.
        whole = parse_module(bytecode)
        for number, operand in indices_of(whole):
            planted = parse_module(bytecode)
            with planted.context:
                plant(planted, number, operand)
            totals["windows and accesses"][0] += 1
            if needed(planted)["bounds"]:
                totals["windows and accesses"][1] += 1
            else:
                print(f"not seen: {ops_of(whole)[number]}, {operand}")
        for number, op in enumerate(ops_of(whole)):
            if op.name not in ("tpu.enqueue_dma", "tpu.wait_dma2", "tpu.sem_signal", "tpu.sem_wait"):
                continue
            planted = parse_module(bytecode)
            ops_of(planted)[number].erase()
            totals["copies and waits"][0] += 1
            if needed(planted)["semaphore"]:
                totals["copies and waits"][1] += 1
            else:
                print(f"not seen without: {op}")

# CHECK-NOT: not seen
# CHECK-DAG: matmul: {'bounds': '', 'semaphore': ''}
# CHECK-DAG: softmax: {'bounds': '', 'semaphore': ''}
# CHECK-DAG: double_buffer: {'bounds': '', 'semaphore': ''}
# CHECK-DAG: row_gather: {'bounds': 'table_ref: blocks may lie outside of dimension 0', 'semaphore': ''}
for what, (planted, seen) in totals.items():
    print(f"{what}: {seen} of {planted}, all: {seen == planted > 0}")
# CHECK: windows and accesses: {{[0-9]+}} of {{[0-9]+}}, all: True
# CHECK: copies and waits: {{[0-9]+}} of {{[0-9]+}}, all: True

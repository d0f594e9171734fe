import gridir
from gridir.mlir import ir


@gridir.passes.register("two-negations")
def two_negations(op, run):
    """Negates twice what a kernel negates once."""

    def visit(inner):
        if inner.name == "arith.negf" and inner.operands[0].owner.name != "arith.negf":
            with ir.InsertionPoint(inner), inner.location:
                again = ir.Operation.create("arith.negf", results=[inner.result.type], operands=[inner.operands[0]])
            inner.operands[0] = again.result
        return ir.WalkResult.ADVANCE

    op.operation.walk(visit)

# A pass in Python that is wrong: it adds where a kernel subtracts.

import gridir
from gridir.mlir.dialects import arith


@gridir.passes.register_patterns("less-is-more")
def less_is_more(patterns, run):
    """Turns differences into sums."""

    def to_sum(op, rewriter):
        with rewriter.ip:
            rewriter.replace_op(op, arith.AddFOp(op.lhs, op.rhs))

    patterns.add(arith.SubFOp, to_sum)

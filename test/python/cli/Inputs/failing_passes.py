import gridir


@gridir.passes.register("fails")
def fails(op, run, *, times: int = 1):
    """Reports an error."""
    run.error(op, "no")


@gridir.passes.register("breaks", op="grid.kernel")
def breaks(op, run):
    """Erases an op whose result is used."""
    next(iter(op.operation.regions[0].blocks[0])).operation.erase()

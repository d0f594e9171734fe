# Blocks that take the work of clusters which have not begun, as PTX for sm_100a, executed thread by thread: each point
# of the grid is worked on once, by as many blocks as run at a time, in the executor's own order of threads and in
# another.
#
# RUN: %python %s | FileCheck %s

import os
import sys

import gridir
import jax
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.testing import difference

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from cluster_launch import asking, kernel

GPU = get_target("gpu:sm_100a")


def look(name, call, expected):
    """Runs a kernel on machines of several sizes; prints its error, or what it gives."""
    for blocks, seed in ((2, None), (4, None), (4, 1), (None, None)):
        # Data that persistent kernels query from a GPU, which this machine's CPU lacks.
        type(jax.devices()[0]).core_count = blocks
        try:
            run = execute(call, (), GPU, checks=["races", "uninitialized"], schedule_seed=seed)
            done, first = run.function()
            said = difference(done, expected) or "right"
            print(
                f"{name} {blocks} {seed}: {said}, {len(np.unique(first))} of {len(np.unique(done))} begin", flush=True
            )
        except (gridir.Error, jax.errors.JaxRuntimeError) as error:
            print(f"{name} {blocks} {seed}:", error, flush=True)


# CHECK: row 2 None: right, 2 of 5 begin
# CHECK-NEXT: row 4 None: right, 4 of 5 begin
# CHECK-NEXT: row 4 1: right, 4 of 5 begin
# CHECK-NEXT: row None None: right, 5 of 5 begin
look("row", *kernel((5,)))
# CHECK: matrix 2 None: right, 2 of 6 begin
# CHECK-NEXT: matrix 4 None: right, 4 of 6 begin
# CHECK-NEXT: matrix 4 1: right, 4 of 6 begin
# CHECK-NEXT: matrix None None: right, 6 of 6 begin
look("matrix", *kernel((2, 3)))
# CHECK: pairs 2 None: right, 1 of 5 begin
# CHECK-NEXT: pairs 4 None: right, 2 of 5 begin
# CHECK-NEXT: pairs 4 1: right, 2 of 5 begin
# CHECK-NEXT: pairs None None: right, 5 of 5 begin
look("pairs", *kernel((5,), cluster=2))
# CHECK: warpgroups 2 None: right, 2 of 5 begin
# CHECK-NEXT: warpgroups 4 None: right, 4 of 5 begin
# CHECK-NEXT: warpgroups 4 1: right, 4 of 5 begin
# CHECK-NEXT: warpgroups None None: right, 5 of 5 begin
look("warpgroups", *kernel((5,), threads=2))
# A warpgroup that asks alone does so for its block, or for itself.
# CHECK: one asks 2 None: right, 2 of 5 begin
# CHECK-NEXT: one asks 4 None: right, 4 of 5 begin
# CHECK-NEXT: one asks 4 1: right, 4 of 5 begin
# CHECK-NEXT: one asks None None: right, 5 of 5 begin
look("one asks", *asking(5, each=False))
# CHECK: one of pairs asks 2 None: right, 1 of 5 begin
# CHECK-NEXT: one of pairs asks 4 None: right, 2 of 5 begin
# CHECK-NEXT: one of pairs asks 4 1: right, 2 of 5 begin
# CHECK-NEXT: one of pairs asks None None: right, 5 of 5 begin
look("one of pairs asks", *asking(5, each=False, cluster=2))
# CHECK: each asks 2 None: right, 2 of 5 begin
# CHECK-NEXT: each asks 4 None: right, 4 of 5 begin
# CHECK-NEXT: each asks 4 1: right, 4 of 5 begin
# CHECK-NEXT: each asks None None: right, 5 of 5 begin
look("each asks", *asking(5, each=True))

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution contexts of code, and operations of the threads of a warp or warpgroup together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from gridir import emit
from gridir.simt.code import Op
from gridir.simt.handlers import LANES, Anything, Struct, handles, known_number
from gridir.simt.memory import Pointer, Window
from gridir.simt.values import (
    Index,
    Known,
    Refusal,
    Uniform,
    rearranged,
)

if TYPE_CHECKING:
    from gridir.simt.execution import Execution


@handles(
    "gpu.thread_id",
    "gpu.block_dim",
    "gpu.block_id",
    "gpu.grid_dim",
    "gpu.cluster_id",
    "gpu.cluster_dim",
    "gpu.cluster_block_id",
    "gpu.cluster_dim_blocks",
)
def _index(run: Execution, op: Op) -> list[Anything]:
    # MLIR has written it `#gpu<dim x>` and `#gpu.dim<x>`.
    found = re.search(r"dim[ <](\w)", op.attributes.get("dimension", ""))
    dimension = found[1] if found else op.name[-1]
    if op.name == "gpu.thread_id":
        numbers = run.threads.numbers()
        if dimension != "x":
            return [known_number(0, op)]
        if numbers is None:
            raise Refusal("expected single-warp code that does not read its thread's number")
        return [Known(numbers, op.result_types[0])]
    if op.name == "gpu.block_dim":
        return [known_number(run.threads.warpgroups * 128 if dimension == "x" else 1, op)]
    index = run.kernel.index(op.name, dimension)
    return [known_number(index, op) if isinstance(index, int) else Uniform(emit.to_index(index), "index")]


@handles("gpu.lane_id", "nvvm.read.ptx.sreg.laneid")
def _lane(run: Execution, op: Op) -> list[Anything]:
    return [Known(run.threads.lanes(), op.result_types[0])]


@handles("nvvm.elect.sync")
def _elect(run: Execution, _: Op) -> list[Anything]:
    if not run.active.all():
        raise Refusal("expected all threads, got some of them")
    return [Known((run.threads.lanes() == 0).astype(np.int64), "i1")]


@handles("nvvm.shfl.sync")
def _shuffle(run: Execution, op: Op) -> list[Anything]:
    kind = op.attributes.get("kind", "")
    value, by, clamp = run.values[op.operands[1]], run.numbers(op.operands[2]), run.known_int(op.operands[3])
    if len(op.results) != 1 or clamp != LANES - 1 or run.known_int(op.operands[0]) != -1:
        raise Refusal("expected a shuffle of all threads of a warp, by `bfly` or `idx`")
    lanes = run.threads.lanes()
    if "bfly" in kind:
        source = lanes ^ by
    elif "idx" in kind:
        source = np.broadcast_to(by % LANES, lanes.shape)
    else:
        raise Refusal("expected a shuffle of all threads of a warp, by `bfly` or `idx`")
    if not (run.active.all() and ((source >= 0) & (source < LANES)).all()):
        raise Refusal("expected a shuffle of all threads of a warp, by `bfly` or `idx`")
    rows = np.arange(run.threads.count)[None, :, None] // LANES * LANES + source

    def move(array: Index) -> Index:
        full = np.broadcast_to(array, (*rows.shape[:2], array.shape[2]))
        return np.take_along_axis(full, np.broadcast_to(rows, full.shape), axis=1)

    if isinstance(value, (Window, Pointer, Struct)):
        raise Refusal("expected a number, got an address")
    return [rearranged(value, move)]


@handles("nvvm.bar.warp.sync", "gpu.barrier", "nvvm.barrier", "nvvm.barrier0")
def meet(run: Execution, op: Op) -> None:
    """Nothing: each op is done by all threads before the next one."""
    if not run.active.all():
        raise Refusal("expected all threads, got some of them")
    if op.name in ("gpu.barrier", "nvvm.barrier", "nvvm.barrier0") and run.threads.warpgroups > 1:
        raise Refusal("expected a barrier of one warpgroup, got one of all warpgroups of a block")


@handles("nvvm.fence.proxy")
def _fence(run: Execution, op: Op) -> None:
    run.accesses.finish()
    kind = op.attributes.get("kind", "")
    run.kernel.fence("fence.proxy.async" if "async" in kind else f"fence {kind}")

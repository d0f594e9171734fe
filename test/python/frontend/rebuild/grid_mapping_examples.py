# RUN: %python %s emit %repository %t.mlir && %python %s rebuild %repository %t.mlir | FileCheck %s
"""GridMapping -> grid -> GridMapping is the identity on every kernel of the examples.

One process prints the kernels; another parses the text, rebuilds the mappings, traces the examples again and compares:
all fields, the canonical text of index maps, and the values of index maps on every grid point.
"""

import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Inputs"))

import numpy as np
from gridir.frontend.compat import jax_core
from gridir.frontend.header.grid_mapping import build_kernel
from gridir.frontend.rebuild.grid_mapping import differences, rebuild_grid_mapping
from gridir.mlir import ir
from kernels import examples, requests

mode, repository, path = sys.argv[1:]


def grid_points(mapping):
    # A dynamic dimension is tried with four programs.
    sizes = [size if isinstance(size, int) else 4 for size in mapping.grid]
    points = list(itertools.product(*map(range, sizes)))
    return points[:: max(1, len(points) // 200)]


def index_operands(mapping):
    """Numbers to stand for the prefetched scalars: each index operand counts up."""
    return [
        np.arange(int(np.prod(aval.shape)), dtype=aval.dtype).reshape(aval.shape)
        for aval in mapping.index_map_avals[len(mapping.grid) :]
    ]


def check_index_maps(name, left, right):
    operands = index_operands(left)
    for a, b in zip(left.block_mappings, right.block_mappings, strict=True):
        for point in grid_points(left):
            ids = [np.int32(i) for i in point]
            expected = jax_core.evaluate_index_map(a.index_map_jaxpr, ids, operands)
            got = jax_core.evaluate_index_map(b.index_map_jaxpr, ids, operands)
            assert [int(i) for i in expected] == [int(i) for i in got], (name, a.origin, point, expected, got)


with ir.Context(), ir.Location.unknown():
    if mode == "emit":
        module = ir.Module.create()
        for name, function, args in examples(repository):
            for i, request in enumerate(requests(function, *args)):
                with ir.InsertionPoint(module.body):
                    kernel = build_kernel(request)
                kernel.operation.attributes["sym_name"] = ir.StringAttr.get(f"{name}.{i}")
                with ir.InsertionPoint(kernel.body):
                    ir.Operation.create("grid.yield")
        assert module.operation.verify()
        pathlib.Path(path).write_text(str(module))
        sys.exit()

    module = ir.Module.parse(pathlib.Path(path).read_text())
    kernels = {ir.StringAttr(op.operation.attributes["sym_name"]).value: op for op in module.body.operations}
    for name, function, args in examples(repository):
        for i, request in enumerate(requests(function, *args)):
            rebuilt = rebuild_grid_mapping(kernels.pop(f"{name}.{i}"))
            found = differences(request.grid_mapping, rebuilt)
            assert not found, (name, found)
            check_index_maps(name, request.grid_mapping, rebuilt)
            print(f"{name}: same")
    assert not kernels

# CHECK-DAG: add: same
# CHECK-DAG: batched_running_sum: same
# CHECK-DAG: causal_attention: same
# CHECK-DAG: double_buffer: same
# CHECK-DAG: flash_attention: same
# CHECK-DAG: layer_norm: same
# CHECK-DAG: matmul: same
# CHECK-DAG: matmul_bf16: same
# CHECK-DAG: overhang: same
# CHECK-DAG: row_gather: same
# CHECK-DAG: softmax: same
# CHECK-DAG: stencil: same
# CHECK-DAG: update_in_place: same

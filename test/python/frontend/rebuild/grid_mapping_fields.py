# RUN: %python %s emit %t.json && %python %s rebuild %t.json | FileCheck %s
"""Every field of GridMapping, BlockMapping, the calls and the records of parameters is in `grid`, and comes back.

One process prints a kernel for each row of the table; another parses it, rebuilds the mapping and the parameters, and
compares them with those of the same row traced again.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Inputs"))

import jax
from field_rows import OWN, TABLE
from gridir.frontend import fields
from gridir.frontend.header.grid_mapping import build_kernel
from gridir.frontend.header.notes import SideTable
from gridir.frontend.header.params import record_to_attribute
from gridir.frontend.rebuild.grid_mapping import MissingObject, differences, rebuild_grid_mapping
from gridir.frontend.rebuild.params import record_from_attribute
from gridir.frontend.request import options
from gridir.mlir import ir
from jax.experimental.pallas import mosaic_gpu as plgpu

mode, path = sys.argv[1:]


def build(request, side_table=None):
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        kernel = build_kernel(request, side_table)
    with ir.InsertionPoint(kernel.body):
        ir.Operation.create("grid.yield")
    assert module.operation.verify()
    return module, kernel


def rebuilt_params(kernel):
    attributes = kernel.operation.attributes
    return [record_from_attribute(a) for a in attributes["params"]] if "params" in attributes else []


def describe(record):
    """The fields of a record, whether it is JAX's own or gridir's, which has more of them."""
    backend = options.backend_of(record)
    plain = {name: getattr(record, name, default) for name, default in backend.defaults.items()}
    return backend.name, {name: getattr(value, "name", value) for name, value in plain.items()}


with ir.Context(), ir.Location.unknown():
    if mode == "emit":
        rows = {
            (field.owner, field.name)
            for field in fields.TABLE
            if field.owner in OWN or jax.__version_info__ in field.releases
        }
        tested = {(owner, name) for owner, name, *_ in TABLE}
        assert rows == tested, rows ^ tested
        texts = []
        for owner, name, make, expected in TABLE:
            text = str(build(make())[0])
            for part in expected:
                assert part in text, f"{owner}.{name}: expected {part!r} in\n{text}"
            texts.append(text)
        pathlib.Path(path).write_text(json.dumps(texts))
        sys.exit()

    texts = json.loads(pathlib.Path(path).read_text())
    for (owner, name, make, _), text in zip(TABLE, texts, strict=True):
        request = make()
        module = ir.Module.parse(text)
        kernel = module.body.operations[0]
        try:
            rebuilt = rebuild_grid_mapping(kernel)
        except MissingObject as error:
            # A Python object stays in its process: there the side table gives it back.
            side_table = SideTable()
            module, kernel = build(request, side_table)
            rebuilt = rebuild_grid_mapping(kernel, side_table)
            print(f"{owner}.{name}: {error.message}")
        found = differences(request.grid_mapping, rebuilt)
        assert not found, (owner, name, found)
        records = options.records_of(request.compiler_params).values()
        assert list(map(describe, rebuilt_params(kernel))) == list(map(describe, records)), (owner, name)
    print(f"{len(texts)} rows are the same")

    # A record means the same with every release: what is absent has the default of JAX 0.10, and a default that has
    # changed since is written. A field that this JAX lacks is in a record of gridir's.
    absent = record_from_attribute(ir.Attribute.parse("#grid.mosaic_gpu_params<>"))
    print("absent:", absent.lowering_semantics.name, absent.profile_trace_scope.name)
    default = record_to_attribute(plgpu.CompilerParams())
    assert default == ir.Attribute.parse(
        f'#grid.mosaic_gpu_params<lowering_semantics = "{plgpu.CompilerParams().lowering_semantics.name}">'
    )
    newer = record_from_attribute(ir.Attribute.parse('#grid.tpu_params<opt_level = "O1", kernel_type = "tc">'))
    print("newer:", getattr(newer.opt_level, "name", newer.opt_level), newer.kernel_type, newer.replace(flags={}).flags)

# CHECK-DAG: GridMapping.get_grid_indices: get_grid_indices is a Python object, which a module does not hold
# CHECK-DAG: GridMapping.local_grid_env: local_grid_env is a Python object, which a module does not hold
# CHECK: rows are the same
# CHECK-NEXT: absent: Lane WARPGROUP
# CHECK-NEXT: newer: O1 tc {{.*}}{}

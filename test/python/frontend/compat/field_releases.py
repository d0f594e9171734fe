# RUN: %python %s | FileCheck %s
"""Each record and call of JAX has the fields of the table, at each release that the table says, with their defaults."""

import dataclasses
import enum
import inspect

import gridir
import jax
import jax.numpy as jnp
from gridir.errors import UnsupportedError
from gridir.frontend import fields
from gridir.frontend.compat import jax_core, jax_gpu, jax_tpu
from gridir.frontend.compat.releases import ABSENT, DEFAULTS, FIELDS, NEWEST, Releases, since, until
from gridir.frontend.request import options, unknown_fields
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton

VERSION = jax.__version_info__
RECORDS = {
    "GridMapping": jax_core.GridMapping,
    "BlockMapping": jax_core.BlockMapping,
    "Buffered": pl.Buffered,
    "CostEstimate": pl.CostEstimate,
    "tpu.CompilerParams": pltpu.CompilerParams,
    "mosaic_gpu.CompilerParams": plgpu.CompilerParams,
    "triton.CompilerParams": pltriton.CompilerParams,
    "mosaic_gpu.BlockSpec": plgpu.BlockSpec,
    "tpu.InterpretParams": pltpu.InterpretParams,
    "mosaic_gpu.InterpretGPUParams": jax_gpu.interpret_params(),
}
CALLS = {"pallas_call": pl.pallas_call, "mosaic_gpu.kernel": plgpu.kernel}
# The fields that a GPU's BlockSpec shares with every other one are those of BlockMapping.
SHARED = {"mosaic_gpu.BlockSpec": {field.name for field in dataclasses.fields(pl.BlockSpec)}}


def plain(value):
    return value.name if isinstance(value, enum.Enum) else value


def found_in_jax(owner):
    """The fields of a record or call of this JAX, with their defaults."""
    if owner in CALLS:
        return {p.name: p.default for p in inspect.signature(CALLS[owner]).parameters.values()}
    found = {field.name: plain(field.default) for field in dataclasses.fields(RECORDS[owner])}
    return {name: default for name, default in found.items() if name not in SHARED.get(owner, ())}


# CHECK: owners: True
print("owners:", {field.owner for field in fields.TABLE} == RECORDS.keys() | CALLS.keys())
# `backend` is a parameter of gridir's own call.
wrong = []
for owner in [*RECORDS, *CALLS]:
    found = found_in_jax(owner)
    of_table = [field for field in fields.TABLE if field.owner == owner]
    expected = {field.name for field in of_table if VERSION in field.releases} - {"backend"}
    wrong += [f"{owner}.{name}" for name in sorted(found.keys() ^ expected)]
    for (record, name), ranges in DEFAULTS.items():
        if record == owner and [default for releases, default in ranges if VERSION in releases] != [found[name]]:
            wrong.append(f"default of {owner}.{name}")
# CHECK-NEXT: wrong: []
print("wrong:", wrong)

# A field of a record that `grid` holds has one default with every release, or is always written.
# CHECK-NEXT: moved defaults: []
moved = []
for backend in options.BACKENDS:
    jax_record = found_in_jax(backend.record)
    for name, default in backend.defaults.items():
        value = jax_record.get(name, default)
        # The names of these enumerators differ from their values, which `grid` has.
        value = value.lower() if name == "profile_trace_scope" else value
        if value != default and not backend.is_always_written(name):
            moved.append(f"{backend.record}.{name}: {value}")
print("moved defaults:", moved)

# The tables have no row for what is not there, or in no release.
# CHECK-NEXT: stray rows: set() set()
rows = {*FIELDS, *DEFAULTS} - {(field.owner, field.name) for field in fields.TABLE}
print("stray rows:", rows, ABSENT.keys() - FIELDS.keys())
# In a release without a field, the field has the default of releases that have it, with one exception: a race in a
# kernel for a GPU was no error before JAX 0.12.
changed = ("mosaic_gpu.InterpretGPUParams", "on_race")
other = {key for key, value in ABSENT.items() if found_in_jax(key[0]).get(key[1], value) != value}
# CHECK-NEXT: other defaults: True
print("other defaults:", other == ({changed} if VERSION in FIELDS[changed] else set()))

# CHECK-NEXT: since 0.11 until 0.10 0.11 to 0.12 0.11 True False True False
ranges = since(0, 11), until(0, 10), Releases((0, 11), (0, 12)), Releases((0, 11), (0, 11))
inside = (0, 11, 2) in ranges[0], (0, 11) in ranges[1], (0, 10, 2) in ranges[1], (0, 12) in ranges[3]
print(*ranges, *inside)


# A field that a later JAX adds is told of where it is set.
@dataclasses.dataclass(frozen=True)
class Buffered(pl.Buffered):
    tiled: bool = False
    tags: list[str] = dataclasses.field(default_factory=list)


def check(**values):
    try:
        unknown_fields.check_known("Buffered", Buffered(2, **values), fields._names("Buffered"), "copy")
    except UnsupportedError as error:
        return f"{error}".replace("\n", " ")
    return "nothing"


# Meshes and dtypes of barriers are read whole: a field that JAX adds is told of, here and where it is set.
# CHECK-NEXT: not read: []
CLASSES = [*jax_tpu.MESHES, *(getattr(jax_gpu.core(), name) for name in unknown_fields.READ if "Type" in name)]
CLASSES += [plgpu.Mesh, plgpu.WarpMesh]
assert unknown_fields.READ.keys() == {cls.__name__ for cls in CLASSES}
not_read = [
    f"{cls.__name__}.{field.name}"
    for cls in CLASSES
    for field in dataclasses.fields(cls)
    if field.name not in unknown_fields.READ[cls.__name__]
]
print("not read:", not_read)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mesh(plgpu.Mesh):
    priority: int = 0


@dataclasses.dataclass(frozen=True)
class BarrierType(jax_gpu.core().BarrierType):
    scope: str = "cta"


def lower(mesh, dtype=None):
    def copy(x, o):
        def body(*_):
            o[...] = x[...]

        pl.run_scoped(body, *([pl.MemoryRef(jax.core.ShapedArray((), dtype), plgpu.SMEM)] if dtype else []))

    try:
        gridir.lower(pl.kernel(copy, out_type=X, mesh=mesh), X)
    except UnsupportedError as error:
        return error.message
    return "lowered"


X = jax.ShapeDtypeStruct((128,), jnp.float32)
# CHECK-NEXT: lowered
# CHECK-NEXT: expected fields of Mesh that gridir knows, got priority=1
# CHECK-NEXT: lowered
# CHECK-NEXT: expected fields of BarrierType that gridir knows, got scope='cluster'
print(lower(Mesh()))
print(lower(Mesh(priority=1)))
print(lower(plgpu.Mesh(), BarrierType(1, False)))
print(lower(plgpu.Mesh(), BarrierType(1, False, "cluster")))

# CHECK-NEXT: nothing
# CHECK-NEXT: expected fields of Buffered that gridir knows, got tiled=True
# CHECK-SAME: in kernel `copy`
# CHECK-SAME: gridir knows the fields of JAX 0.10.2 to {{[0-9.]+}}
# CHECK-NEXT: got tags=['a']
print(check())
print(check(tiled=True))
print(check(tags=["a"]).partition("knows, ")[2])


# So is a parameter of an equation, unless its value says nothing.
def check_params(**params):
    try:
        unknown_fields.check_known_params("pallas_call", {"name": "copy", **params}, ("name",), "copy")
    except UnsupportedError as error:
        return error.message
    return "nothing"


# CHECK-NEXT: nothing
# CHECK-NEXT: expected parameters of pallas_call that gridir knows, got tiled=True
print(check_params(tiled=False, tags=(), count=0, space=None))
print(check_params(tiled=True))
assert VERSION[:2] <= NEWEST[:2], "a release that no table knows"

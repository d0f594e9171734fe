# RUN: %python %s | FileCheck %s

# A primitive means what the kind of the kernel says, which its mesh, its backend or its parameters name.
import gridir
import gridir.frontend.rules
import jax
import jax.numpy as jnp
from gridir import emit
from gridir.frontend.walk.context import KernelContext, WalkState
from gridir.frontend.walk.levels import LEVELS, Vocabulary, vocabularies
from gridir.frontend.walk.registry import BASE, Level
from gridir.frontend.walk.types import Types
from gridir.frontend.walk.walker import walk
from gridir.mlir import ir
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton
from jax.extend import core
from kernels import mesh_requests, requests

X = jax.ShapeDtypeStruct((8, 128), jnp.float32)


def copies(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def kinds(request, platform="cpu"):
    return [vocabulary.kind and vocabulary.kind.name for vocabulary in vocabularies(request, platform)]


def call(**options):
    return requests(gridir.pallas_call(copies, out_shape=X, **options), X)[0]


RECORDS = {"mosaic_tpu": pltpu.CompilerParams(), "triton": pltriton.CompilerParams()}

# CHECK: none: [None]
print("none:", kinds(call()))
# CHECK-NEXT: parameters: ['TPU'] ['Triton'] ['warpgroup']
records = (*RECORDS.values(), plgpu.CompilerParams())
print("parameters:", *(kinds(call(compiler_params=record)) for record in records))
# Several say nothing, unless the call chooses one.
# CHECK-NEXT: several: [None] ['Triton']
print("several:", kinds(call(compiler_params=RECORDS)), kinds(call(compiler_params=RECORDS, backend="triton")))
# CHECK-NEXT: meshes: ['warpgroup'] ['TPU']
meshes = plgpu.Mesh(grid=(4,), grid_names=("i",)), pltpu.create_tensorcore_mesh("core", num_cores=1)
print("meshes:", *(kinds(mesh_requests(pl.kernel(copies, out_type=X, mesh=mesh), X)[0]) for mesh in meshes))


# Additions of one backend mean the same in a kernel for another, and in one for none: a CPU runs all of them.
def waits(x_ref, o_ref):
    pltriton.debug_barrier()
    o_ref[...] = pltpu.roll(x_ref[...], 1, 1)


# CHECK: lowered 1
# CHECK-NEXT: lowered 1
# CHECK-NEXT: lowered 1
for record in (*RECORDS.values(), None):
    print("lowered", len(gridir.lower(gridir.pallas_call(waits, out_shape=X, compiler_params=record), X).kernels))

# So no two kinds may add the same.
added = [
    name
    for level in LEVELS
    for name in level.supported()
    if BASE.find(name) is None and not (level.below and level.below.find(name))
]
# CHECK: added twice: []
print("added twice:", sorted({name for name in added if added.count(name) > 1}))


# A new kind of kernel is a level of its own: primitives mean other ops, arrays have an encoding, and Refs a layout in
# another memory space. What it says nothing of is the base's, with its types.
class Blocked(Types):
    def encoding(self, aval):
        return ir.StringAttr.get("blocked") if aval.shape else None

    def layout(self, aval):
        return ir.Attribute.parse("strided<[256, 1]>")

    def space(self, aval):
        return ir.Attribute.parse('"shared"')


GROUP = Level("group", BASE, Blocked())
LANES = Level("lanes", BASE, Blocked())


@GROUP.rule("get", overrides=True)
def _get(ctx, ref, *, tree):
    return emit.value("group.load", [ref], ctx.out_type)


@GROUP.rule("swap", overrides=True)
def _swap(ctx, ref, value, *, tree):
    emit.op("group.store", [value, ref], [])
    return [value]


@LANES.rule("get", overrides=True)
def _get_of_lane(ctx, ref, *, tree):
    return emit.value("lanes.load", [ref], ctx.out_type)


# The code of lanes is nested in that of a group, as a WarpMesh is in a warpgroup.
lanes = core.Primitive("lanes")
lanes.multiple_results = True
lanes.def_abstract_eval(lambda *avals, jaxpr: [var.aval for var in jaxpr.outvars])


@GROUP.rule("lanes", kind_inside=LANES)
def _lanes(ctx, *values, jaxpr):
    return ctx.inline(jaxpr, (), values)


def show(function, **vocabulary):
    """Prints the body of a function of Refs, each of which is a Ref of the group."""
    closed = jax.make_jaxpr(function)(*(jax.new_ref(jnp.zeros(X.shape)) for _ in range(2)))
    avals = [var.aval for var in closed.jaxpr.invars]
    context = ir.Context()
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        module = ir.Module.create()
        means = Vocabulary(**vocabulary)
        with ir.InsertionPoint(module.body):
            refs = [emit.value("group.ref", [], means.types.ref(aval)) for aval in avals]
            walk(KernelContext("kernel", walk, WalkState(means)), closed.jaxpr, closed.consts, refs)
        print(module)


def of_group(x_ref, o_ref):
    o_ref[...] = jnp.where(x_ref[...] > 1, jnp.sin(x_ref[...]) + 1, x_ref[...])


# CHECK: "group.ref"() : () -> memref<8x128xf32, strided<[256, 1]>, "shared">
# CHECK: %[[X:.*]] = "group.load"(%{{.*}}) : {{.*}} -> tensor<8x128xf32, "blocked">
# CHECK: arith.cmpf ogt, %[[X]], %{{.*}} : tensor<8x128xf32, "blocked">
# CHECK: math.sin %{{.*}} : tensor<8x128xf32, "blocked">
# CHECK: arith.select %{{.*}} : tensor<8x128xi1, "blocked">, tensor<8x128xf32, "blocked">
# CHECK: "group.store"
show(of_group, kind=GROUP)


def nested(x_ref, o_ref):
    inner = jax.make_jaxpr(lambda ref: ref[...] + 1)(x_ref)
    (value,) = lanes.bind(x_ref, jaxpr=inner.jaxpr)
    o_ref[...] = value + x_ref[...]


# After the nested code everything means what it meant before.
# CHECK: "lanes.load"
# CHECK: arith.addf %{{.*}} : tensor<8x128xf32, "blocked">
# CHECK: "group.load"
show(nested, kind=GROUP)

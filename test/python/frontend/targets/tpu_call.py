# RUN: %python %s | FileCheck %s

# The custom call of a Mosaic kernel has, field by field, what JAX's own lowering writes; only the body is gridir's, and
# where its ops are of the author's. Nothing is compiled here: the body is an empty module.
import base64
import dataclasses
import json
from unittest import mock

import gridir
import jax
import jax.numpy as jnp
from gridir.compiler.tpu import MosaicKernel, TpuTarget
from gridir.frontend.capture.install import jax_alone
from gridir.frontend.compat import jax_tpu
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxlib.mlir import ir

barrier, needed = False, {}
prepare = TpuTarget.prepare
TpuTarget.prepare = lambda *_: MosaicKernel(b"module {}", barrier, barrier, needed, {}, 0.0)


def calls(f, *args):
    """For each custom call of a function lowered for a TPU, with no TPU: its attributes, as text."""
    with jax_tpu.some_device():
        module = jax.jit(f).trace(*args).lower(lowering_platforms=("tpu",)).compiler_ir("stablehlo")
    found = []

    def visit(op):
        if op.name == "stablehlo.custom_call":
            attributes = {name: str(op.attributes[name]) for name in op.attributes}
            config = json.loads(ir.StringAttr(op.attributes["backend_config"]).value)
            config["custom_call_config"].pop("body")
            # JAX holds locations apart since 0.12: then both do.
            if locations := config["custom_call_config"].get("debug_locations"):
                config["custom_call_config"]["debug_locations"] = len(base64.b64decode(locations)) > 0
            found.append({**attributes, "backend_config": json.dumps(config), "types": str(op.operands[0].type)})
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] + x_ref[...]


x = jax.ShapeDtypeStruct((16, 128), jnp.float32)
spec = pl.BlockSpec((8, 128), lambda i: (i, 0))


def call(compiler_params=None, dtype=jnp.float32, **options):
    out = jax.ShapeDtypeStruct((16, 128), dtype)
    settings = {"grid": (2,), "in_specs": [spec], "out_specs": spec, "name": "double", **options}
    return lambda x: pl.pallas_call(double, out_shape=out, compiler_params=compiler_params, **settings)(x)


def compare(title, mine, theirs, *args):
    with jax_alone():
        expected = calls(theirs, *args)
    got = calls(mine, *args)
    differences = {
        name: (a.get(name), b.get(name))
        for a, b in zip(got, expected, strict=True)
        for name in a | b
        if a.get(name) != b.get(name)
    }
    print(f"{title}: {differences or 'the same'}")


FIELDS = {
    "dimension_semantics": ("parallel",),
    "allow_input_fusion": (True,),
    "vmem_limit_bytes": 1 << 20,
    "has_side_effects": True,
    "flags": {"xla_tpu_enable_log_recorder": True},
    "internal_scratch_in_bytes": 65536,
    "serialization_format": 1,
    "disable_bounds_checks": True,
    "disable_semaphore_checks": True,
    "skip_device_barrier": True,
    "shape_invariant_numerics": False,
    "needs_layout_passes": False,
    "fuse_transposed_lhs_in_matmul": True,
}
for name, value in FIELDS.items():
    own = call(gridir.tpu.CompilerParams(**{name: value}))
    compare(name, own, call(pltpu.CompilerParams(**{name: value})), x)
# CHECK:      dimension_semantics: the same
# CHECK-NEXT: allow_input_fusion: the same
# CHECK-NEXT: vmem_limit_bytes: the same
# CHECK-NEXT: has_side_effects: the same
# CHECK-NEXT: flags: the same
# CHECK-NEXT: internal_scratch_in_bytes: the same
# CHECK-NEXT: serialization_format: the same
# CHECK-NEXT: disable_bounds_checks: the same
# CHECK-NEXT: disable_semaphore_checks: the same
# CHECK-NEXT: skip_device_barrier: the same
# CHECK-NEXT: shape_invariant_numerics: the same
# CHECK-NEXT: needs_layout_passes: the same
# CHECK-NEXT: fuse_transposed_lhs_in_matmul: the same

# A parameter that the configuration of an older JAX lacks is refused, unless it is not set.
older = dataclasses.make_dataclass(
    "CustomCallBackendConfig",
    [
        field.name
        for field in dataclasses.fields(jax_tpu._tpu_custom_call.CustomCallBackendConfig)
        if field.name != "vmem_limit_bytes"
    ],
)
with mock.patch.object(jax_tpu._tpu_custom_call, "CustomCallBackendConfig", older):
    try:
        calls(call(gridir.tpu.CompilerParams(vmem_limit_bytes=1 << 20)), x)
    except gridir.Error as error:
        # CHECK-NEXT: expected parameters that JAX {{[0-9.]+}} can pass to libtpu, got vmem_limit_bytes
        print(error.message)

# Checks that a proof makes unnecessary are disabled, others stay as the author has set them.
needed = {"bounds": "", "semaphore": "a reason"}
# CHECK-NEXT: elided: the same
compare("elided", call(gridir.tpu.CompilerParams()), call(pltpu.CompilerParams(disable_bounds_checks=True)), x)
needed = {"bounds": "a reason", "semaphore": ""}
own, other = gridir.tpu.CompilerParams, pltpu.CompilerParams
both = other(disable_bounds_checks=True, disable_semaphore_checks=True)
# CHECK-NEXT: the author's and a proof's: the same
compare("the author's and a proof's", call(own(disable_bounds_checks=True)), call(both), x)
needed = {}

effects = pltpu.SideEffectType.DATAFLOW_SIDE_EFFECTING
own, other = (kind(has_side_effects=effects) for kind in (gridir.tpu.CompilerParams, pltpu.CompilerParams))
# CHECK-NEXT: dataflow effects: the same
compare("dataflow effects", call(own), call(other), x)

own = gridir.tpu.CompilerParams(collective_id=3, allow_collective_id_without_custom_barrier=True)
other = pltpu.CompilerParams(collective_id=3, allow_collective_id_without_custom_barrier=True)
# CHECK-NEXT: allow_collective_id_without_custom_barrier: the same
compare("allow_collective_id_without_custom_barrier", call(own), call(other), x)

# Installed, gridir takes kernels with JAX's own parameters and with none; each of these is an operand of the call.
with gridir.installed(platforms=("tpu",)):
    cost = pl.CostEstimate(flops=10, transcendentals=2, bytes_accessed=3)
    compare("cost_estimate", call(cost_estimate=cost), call(cost_estimate=cost), x)
    compare("metadata", call(metadata={"a": "b"}), call(metadata={"a": "b"}), x)
    compare("aliases", call(input_output_aliases={0: 0}), call(input_output_aliases={0: 0}), x)
    bools = jax.ShapeDtypeStruct((16, 128), jnp.bool_)
    compare("bools", call(dtype=jnp.bool_), call(dtype=jnp.bool_), bools)
    colour = lambda x: call()(pltpu.with_memory_space_constraint(x, pltpu.VMEM))  # noqa: E731
    compare("memory spaces", colour, colour, x)
    prefetch = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(2,),
        in_specs=[pl.BlockSpec((8, 128), lambda i, s: (s[i], 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i, s: (i, 0)),
    )

    def gather(s, x):
        kernel = lambda s_ref, x_ref, o_ref: double(x_ref, o_ref)  # noqa: E731
        return pl.pallas_call(kernel, out_shape=x, grid_spec=prefetch, input_output_aliases={1: 0}, name="gather")(s, x)

    compare("prefetched scalars", gather, gather, jax.ShapeDtypeStruct((2,), jnp.int32), x)

    def dynamic(n, x):
        return call(grid=(n,), input_output_aliases={0: 0})(x)

    compare("dynamic grid", dynamic, dynamic, jax.ShapeDtypeStruct((), jnp.int32), x)
# CHECK-NEXT: cost_estimate: the same
# CHECK-NEXT: metadata: the same
# CHECK-NEXT: aliases: the same
# CHECK-NEXT: bools: the same
# CHECK-NEXT: memory spaces: the same
# CHECK-NEXT: prefetched scalars: the same
# CHECK-NEXT: dynamic grid: the same

# A block of one dimension needs no TPU either. (JAX's own lowering asks for the device.)
flat = jax.ShapeDtypeStruct((4096,), jnp.float32)
blocks = pl.BlockSpec((1024,), lambda i: (i,))


def one_dimension(x):
    params = gridir.tpu.CompilerParams()
    return pl.pallas_call(double, out_shape=x, grid=(4,), in_specs=[blocks], out_specs=blocks, compiler_params=params)(
        x
    )


# CHECK-NEXT: one dimension: stablehlo.custom_call
lowered = jax.jit(one_dimension).trace(flat).lower(lowering_platforms=("tpu",))
print("one dimension:", "stablehlo.custom_call" if "tpu_custom_call" in lowered.as_text() else "")

# Unsupported fields are errors with the kernel's name and a change.
REFUSED = {
    "collective_id": {"collective_id": 1},
    "use_tc_tiling_on_sc": {"use_tc_tiling_on_sc": True},
    "kernel_type": {"kernel_type": "sc_vector_subcore"},
    "serialization_format": {"serialization_format": 2},
    "vmem_limit_bytes": {"vmem_limit_bytes": 1.5},
}


def refuse(title, fields):
    try:
        calls(call(gridir.tpu.CompilerParams(**fields)), x)
    except gridir.OptionError as error:
        print(f"{title}: {error!s}")


for title, fields in REFUSED.items():
    refuse(title, fields)
# CHECK-NEXT: collective_id: collective_id is set, but the kernel uses no barrier semaphore
# CHECK-NEXT:   in kernel `double`
# CHECK-NEXT:   note: leave collective_id out
# CHECK-NEXT: use_tc_tiling_on_sc: use_tc_tiling_on_sc is set, but the kernel runs on a TensorCore
# CHECK:      kernel_type: kernel_type is 'sc_vector_subcore', but gridir compiles for TensorCores only
# CHECK:      serialization_format: serialization_format is 2, but libtpu reads format 1 only
# CHECK:      vmem_limit_bytes: expected fields that CompilerParams can hold, got vmem_limit_bytes = 1.5
# Since JAX 0.11 there is a level for SparseCores.
if jax_tpu.OptLevel:
    refuse("opt_level", {"opt_level": jax_tpu.OptLevel.O1})
else:
    print("opt_level: opt_level is set, but the kernel runs on a TensorCore")
# CHECK:      opt_level: opt_level is set, but the kernel runs on a TensorCore
barrier = True
refuse("barrier", {})
# CHECK:      barrier: collective_id is not set, but the kernel uses the barrier semaphore

# The lines of the kernel are in its call: in the body, or beside it where JAX holds them apart.
barrier, TpuTarget.prepare = False, prepare
text = jax.jit(call(gridir.tpu.CompilerParams())).trace(x).lower(lowering_platforms=("tpu",)).as_text()
fields = json.loads(text.split('backend_config = "')[1].split('", ')[0].replace("\\22", '"'))["custom_call_config"]
body, apart = (base64.b64decode(fields.get(name, "")) for name in ("body", "debug_locations"))
# CHECK: located: True, once: True
print(f"located: {b'tpu_call.py' in body + apart}, once: {(b'tpu_call.py' in body) != (b'tpu_call.py' in apart)}")

# A libtpu before 0.0.50 knows no separate locations.
jax_tpu._installed_libtpu = lambda: (0, 0, 48)
text = jax.jit(call(gridir.tpu.CompilerParams())).trace(x).lower(lowering_platforms=("tpu",)).as_text()
# CHECK: separate for an older libtpu: False
print(f"separate for an older libtpu: {'debug_locations' in text}")

# Every field of the record is above.
named = {*FIELDS, *REFUSED, "allow_collective_id_without_custom_barrier", "opt_level"}
# CHECK: not tested: []
print("not tested:", sorted({f.name for f in gridir.tpu.CompilerParams.__dataclass_fields__.values()} - named))

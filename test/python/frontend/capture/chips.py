# The chip for which JAX lowers decides which units a kernel uses.
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.frontend.compat import jax_tpu
from gridir.frontend.targets.tpu_aot import lowering_for
from jax.experimental import pallas as pl

x = jax.ShapeDtypeStruct((16, 128), jnp.float32)


def gated(x_ref, o_ref):
    value = x_ref[...]
    o_ref[...] = value * jax.nn.sigmoid(value) + 1 / (1 + jnp.exp(-value))


def f(x):
    return pl.pallas_call(gated, out_shape=x)(x)


def units(**options):
    text = gridir.lower(f, x, target="tpu", options=gridir.TpuOptions(**options)).kernels[0].text("tpu")
    return text.count("tpu.logistic"), text.count("math.tanh")


# The libtpu of JAX 0.10 has no op for the unit.
newer = (1, 0) if jax_tpu.is_libtpu_newer() else (0, 1)
for chip in ("v4", "v5e", "v5p", "v6e", "tpu7x"):
    with gridir.tpu.chip(chip):
        print(chip, units() == (newer if chip in ("v6e", "tpu7x") else (0, 1)))
# CHECK:      v4 True
# CHECK-NEXT: v5e True
# CHECK-NEXT: v5p True
# CHECK-NEXT: v6e True
# CHECK-NEXT: tpu7x True

# A module of an earlier version is for an earlier libtpu; an option decides alone.
with gridir.tpu.chip("v6e"):
    print("version 11:", units(version=11), "never:", units(logistic_unit=False))
print("always:", units(logistic_unit=True))
# CHECK-NEXT: version 11: (0, 1) never: (0, 1)
# CHECK-NEXT: always: (1, 0)

# The topology of `gridir.tpu.aot` is that chip, unless the caller has chosen one. An unknown topology is libtpu's to
# reject.
with lowering_for("v6e:2x2"):
    print("topology:", units() == newer)
with gridir.tpu.chip("v5e"), lowering_for("v6e:2x2"):
    print("caller:", units())
with lowering_for("v99:2x2"):
    print("unknown:", units())
# CHECK-NEXT: topology: True
# CHECK-NEXT: caller: (0, 1)
# CHECK-NEXT: unknown: (0, 1)

# Without a TPU there is no unit, and the results are the same with it.
values = np.linspace(-200, 200, 16 * 128, dtype=np.float32).reshape(16, 128)
values[0, :4] = [np.nan, 3e38, -3e38, -0.0]
for options in (None, gridir.TpuOptions(logistic_unit=True)):
    with gridir.installed(emulate="tpu", options=options):
        got = np.asarray(jax.jit(f)(values))
    with np.errstate(over="ignore"):
        logistic = 1 / (1 + np.exp(-values.astype(np.float64)))
    np.testing.assert_allclose(got, values * logistic + logistic, rtol=2e-5, atol=2e-5)
    print(got[0, 0], got[0, 3])
# CHECK-NEXT: nan 0.5
# CHECK-NEXT: nan 0.5


# The libtpu of JAX 0.10 shifts only integers of 32 bits, and that of later releases those of a v4.
def shift(x_ref, o_ref):
    o_ref[...] = x_ref[...] << 3


def widens(**options):
    y = jax.ShapeDtypeStruct((16, 128), jnp.int16)
    lowered = gridir.lower(pl.pallas_call(shift, out_shape=y), y, target="tpu", options=gridir.TpuOptions(**options))
    return "arith.ext" in lowered.kernels[0].text("tpu")


print("newer:", widens() != jax_tpu.is_libtpu_newer(), "version 11:", widens(version=11))
print("never:", widens(narrow_integers=False), "always:", widens(narrow_integers=True))
with gridir.tpu.chip("v4"):
    print("v4:", widens())
# CHECK-NEXT: newer: True version 11: True
# CHECK-NEXT: never: True always: False
# CHECK-NEXT: v4: True


# Chips since the v6e compute with vectors of bf16.
def signs(x_ref, o_ref):
    o_ref[...] = jnp.sign(x_ref[...])


def has_words(**options):
    y = jax.ShapeDtypeStruct((16, 128), jnp.bfloat16)
    lowered = gridir.lower(pl.pallas_call(signs, out_shape=y), y, target="tpu", options=gridir.TpuOptions(**options))
    return "vector<16x128xi32>" in lowered.kernels[0].text("tpu")


for chip in ("v5e", "v6e", "tpu7x"):
    with gridir.tpu.chip(chip):
        print(chip, has_words() == (chip == "v5e" or not jax_tpu.is_libtpu_newer()), has_words(version=11))
print("never:", has_words(narrow_vectors=False), "always:", has_words(narrow_vectors=True))
# CHECK-NEXT: v5e True True
# CHECK-NEXT: v6e True True
# CHECK-NEXT: tpu7x True True
# CHECK-NEXT: never: True always: False

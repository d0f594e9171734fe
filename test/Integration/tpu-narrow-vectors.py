# RUN: %python %s | FileCheck %s

# What a v6e does in 8 and 16 bits, where the module for other chips has 32: the results are those of interpret mode, in
# the interpreter of Mosaic's form and compiled for this machine.
import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.cpu import CpuOptions
from gridir.testing import difference, interpreted
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

NARROW = {"narrow_integers": True, "narrow_vectors": True}
STAGES = "stop-after=tpu narrow-integers=true narrow-vectors=true"
THROUGH_TPU = CpuOptions(pipeline=f"grid-to-tpu{{{STAGES}}},tpu-to-cpu", platform="tpu")

random = np.random.default_rng(5)
numbers = random.integers(-9, 9, (64, 256)).astype(np.float32)
special = numbers.copy()
special[3, 5], special[9, 200], special[12, 17], special[:, 40] = np.nan, -np.inf, np.inf, -0.0


def check(name, function, x, *, narrow):
    """Prints in what two ways of execution differ from interpret mode, and if a part of the module is there."""

    def call(x):
        def kernel(x_ref, o_ref):
            o_ref[...] = function(x_ref[...])

        return pl.pallas_call(kernel, out_shape=jax.eval_shape(function, x))(x)

    with interpreted():
        want = jax.jit(lambda x: call(x))(x)
    differences = []
    for context in (
        gridir.installed(emulate="tpu", options=gridir.TpuOptions(**NARROW)),
        gridir.installed(options=THROUGH_TPU),
    ):
        with context:
            differences.append(difference(jax.jit(lambda x: call(x))(x), want))
    text = gridir.lower(call, x, target="tpu", options=gridir.TpuOptions(**NARROW)).kernels[0].text("tpu")
    print(name, *differences, narrow in text)


# CHECK: sign None None True
# CHECK-NEXT: argmax None None True
# CHECK-NEXT: argmin None None True
# CHECK-NEXT: of a column None None True
x = jnp.asarray(special, jnp.bfloat16)
check("sign", jnp.sign, x, narrow="-> vector<64x256xi16>")
check("argmax", lambda x: jnp.argmax(x, 1, keepdims=True), x, narrow="-> vector<64xi16>")
check("argmin", lambda x: jnp.argmin(x, 0, keepdims=True), x, narrow="-> vector<256xi16>")
check("of a column", lambda x: jnp.argmax(x, 0, keepdims=True), jnp.asarray(numbers, jnp.bfloat16), narrow="xi16>")

# CHECK-NEXT: bfloat16 columns None None True
# CHECK-NEXT: bfloat16 twice None None True
# CHECK-NEXT: int16 columns None None True
# CHECK-NEXT: int16 twice None None True
# CHECK-NEXT: uint16 columns None None True
# CHECK-NEXT: uint16 twice None None True
# CHECK-NEXT: int8 columns None None True
# CHECK-NEXT: int8 twice None None True
for dtype, element in (("bfloat16", "bf16"), ("int16", "i16"), ("uint16", "i16"), ("int8", "i8")):
    x = jnp.asarray(numbers).astype(dtype)
    column = f"x1x{element}>"
    check(f"{dtype} columns", lambda x: x[:, :, None], x, narrow=column)
    check(f"{dtype} twice", lambda x: jnp.repeat(x[:8, :128], 2, 1), x, narrow=column)

# Rows that go further and further, up to the last lane of a register and beyond.
# CHECK-NEXT: bfloat16 by 1 None None True
# CHECK-NEXT: bfloat16 by 8 None None True
# CHECK-NEXT: bfloat16 by 9 None None False
# CHECK-NEXT: int16 by 1 None None True
# CHECK-NEXT: int16 by 8 None None True
# CHECK-NEXT: int16 by 9 None None False
# CHECK-NEXT: int8 by 1 None None True
# CHECK-NEXT: int8 by 3 None None False
for dtype, element, strides in (("bfloat16", "bf16", (1, 8, 9)), ("int16", "i16", (1, 8, 9)), ("int8", "i8", (1, 3))):
    x = jnp.asarray(numbers).astype(dtype)
    for stride in strides:
        rotate = lambda x, stride=stride: pltpu.roll(x, 0, 1, stride=stride, stride_axis=0)  # noqa: E731
        check(f"{dtype} by {stride}", rotate, x, narrow=f"stride_dimension = 0 : si32}} : vector<64x256x{element}>")

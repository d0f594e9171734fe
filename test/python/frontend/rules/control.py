# RUN: %python %s | FileCheck %s

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import fuser
from show import array, show, show_value

x, n = array(), array(jnp.int32, 1)


# The bool that JAX makes an index of is the condition itself, and a branch without effect is absent.
# CHECK-LABEL: // when
# CHECK: %[[FIRST:.*]] = arith.cmpi eq
# CHECK: scf.if %[[FIRST]] {
# CHECK-NOT: else
# CHECK: grid.store
def when(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = x_ref[...]


show(when, x, grid=(2,))

# CHECK-LABEL: // branch_with_result
# CHECK: scf.if {{.*}} -> (tensor<8x128xf32>)
# CHECK: arith.addf
# CHECK: else
# CHECK: arith.mulf
show_value("branch_with_result", lambda a, i: lax.cond(i[0] > 2, lambda v: v + 1, lambda v: v * 2, a), x, n)

# The last branch is the default, and a negative index takes the first.
# CHECK-LABEL: // switch
# CHECK: %[[I:.*]] = arith.index_cast
# CHECK: %[[CASE:.*]] = arith.maxsi %[[I]], %c0
# CHECK: scf.index_switch %[[CASE]]
# CHECK: case 0
# CHECK: case 1
# CHECK: default
show_value("switch", lambda a, i: lax.switch(i[0], [jnp.sin, jnp.cos, jnp.tan], a), x, n)

# A while loop that counts is a for loop over the counter.
# CHECK-LABEL: // dynamic_fori
# CHECK: %[[N:.*]] = tensor.extract
# CHECK: scf.for %[[I:.*]] = %c0_i32 to %[[N]] step %c1_i32 iter_args({{.*}}) -> (tensor<8x128xf32>)
# CHECK: arith.sitofp %[[I]]
show_value("dynamic_fori", lambda a, i: lax.fori_loop(0, i[0], lambda k, v: v + k.astype(jnp.float32), a), x, n)

# A scan that counts computes the counter.
# CHECK-LABEL: // static_fori
# CHECK: scf.for %[[I:.*]] = %c0 to %c7 step %c1 iter_args({{.*}}) -> (tensor<8x128xf32>)
# CHECK: %[[K:.*]] = arith.index_cast %[[I]] : index to i32
# CHECK: arith.addi {{.*}}, %[[K]]
show_value("static_fori", lambda a: lax.fori_loop(2, 9, lambda k, v: v * (k + 0.5), a), x)

# CHECK-LABEL: // unrolled
# CHECK-NOT: scf.for
# CHECK-COUNT-3: arith.mulf
# CHECK-NOT: scf.for
show_value("unrolled", lambda a: lax.fori_loop(0, 3, lambda _, v: v * v, a, unroll=True), x)

# CHECK-LABEL: // while_loop
# CHECK: scf.while
# CHECK: scf.condition
# CHECK: do
# CHECK: scf.yield
show_value("while_loop", lambda a: lax.while_loop(lambda v: v[0, 0] < 10.0, lambda v: v * 2.0, a), x)

# Each iteration takes a row and fills one.
# CHECK-LABEL: // scan
# CHECK: scf.for
# CHECK: tensor.extract_slice {{.*}} [1, 128] [1, 1] : tensor<8x128xf32> to tensor<128xf32>
# CHECK: tensor.insert_slice {{.*}} : tensor<128xf32> into tensor<8x128xf32>
show_value("scan", lambda a: lax.scan(lambda c, row: (c + row, c * row), a[0], a)[1], x)

# Nested functions leave no trace.
# CHECK-LABEL: // inlined
# CHECK-NOT: call
# CHECK: math.sin
# CHECK-NOT: call
show_value("inlined", jax.jit(lambda a: jax.checkpoint(jnp.sin)(a)), x)


# A compiler option for fusion inside of kernels applies there.
@fuser.custom_fusion
def fusion(a):
    return jnp.cos(a)


fusion.def_pull_block_spec(lambda specs: specs)
fusion.def_eval_rule(lambda ctx, a: [jnp.cos(a)])
# CHECK-LABEL: // fused
# CHECK: math.cos
show_value("fused", fusion, x)
# CHECK-LABEL: // fused_in_kernel
# CHECK-NOT: math.cos
# CHECK: arith.mulf
fusion.def_pallas_impl(lambda a: a * 3)
show_value("fused_in_kernel", fusion, x)


# A Ref goes into a loop as it is.
# CHECK-LABEL: // ref_in_loop
# CHECK: scf.for
# CHECK: %[[ROW:.*]] = grid.slice_ref {{.*}} drop [0]
# CHECK: grid.load %[[ROW]]
def ref_in_loop(x_ref, n_ref, o_ref):
    def body(k, _):
        o_ref[k, :] = x_ref[k, :] * 2.0

    lax.fori_loop(0, n_ref[0], body, None)


show(ref_in_loop, x, n)

# A sum of the counter that is not its next value is no counter, and a counter may follow other carried
# values.
# CHECK-LABEL: // doubling
# CHECK: scf.while
show_value(
    "doubling",
    lambda a: lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] * 2, c[1] + (c[0] + 1).astype(jnp.float32)), (1, a))[
        1
    ],
    x,
)
# CHECK-LABEL: // counter_last
# CHECK: scf.for
# CHECK-NOT: scf.while
show_value(
    "counter_last",
    lambda a, b: lax.while_loop(lambda c: c[1] < 5, lambda c: (c[0] * b, c[1] + 1), (a, 0))[0],
    x,
    x,
)


# Nor does what is made of the counter and a number by another op than a sum.
# CHECK-LABEL: // shifted
# CHECK: scf.while
# CHECK: arith.shli
def shifted(a):
    def body(carry):
        i, value = carry
        following = value + (i + 1).astype(jnp.float32)
        return i << 1, following

    return lax.while_loop(lambda carry: carry[0] < 10, body, (1, a))[1]


show_value("shifted", shifted, x)


# The sum that steps a counter is not in the body, unless the body reads it.
# CHECK-LABEL: // stepped
# CHECK: scf.for
# CHECK-NOT: arith.addi
# CHECK: arith.remsi
# CHECK: arith.addi
# CHECK-LABEL: // read
# CHECK: scf.for
# CHECK: arith.addi
# CHECK-NOT: arith.addi
# CHECK: scf.yield
def stepped(x_ref, n_ref, o_ref):
    def body(k, _):
        slot = lax.rem(k, 2)
        o_ref[slot, :] = x_ref[k + 1, :]

    lax.fori_loop(0, n_ref[0], body, None)


show(stepped, x, n)


def read(a):
    def body(carry):
        i, value = carry
        following = i + 1
        return following, value * following.astype(jnp.float32)

    return lax.while_loop(lambda carry: carry[0] < 10, body, (1, a))[1]


show_value("read", read, x)

# RUN: %python %s | FileCheck %s

# A notebook shows what is lowered, and what targets say of it, as HTML; without Jinja2 it shows their text.
import sys

import gridir
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


def add(x):
    return pl.pallas_call(add_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


x = jnp.zeros((8, 128))
lowered = gridir.lower(add, x)
# CHECK: 1 kernel lowered for <code>cpu</code>
# CHECK: <summary><code>add_kernel</code>{{.*}}stages grid, grid-planned, loops
# CHECK: <span class="nb">grid.load</span> %x_ref
print(lowered._repr_html_())

# Where there is no HTML, a target is its name.
# CHECK: Lowered(target=<target cpu>, kernels=(Kernel(name='add_kernel', target=<target cpu>,
print(lowered)

# CHECK: <th scope="row"><code>cpu</code></th>
# CHECK: <span class="verdict accepted">accepted</span>
explanation = gridir.explain(add, x, targets=["cpu"])
print(explanation._repr_html_())

# CHECK: without: None None
# CHECK: expected the package Jinja2, got none
# CHECK: note: pip install 'gridir[report]'
sys.modules["jinja2"] = None
gridir.markup.environment.cache_clear()
print("without:", lowered._repr_html_(), explanation._repr_html_())
try:
    gridir.markup.environment("gridir.report")
except gridir.markup.MarkupError as error:
    print(error)

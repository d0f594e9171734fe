# REQUIRES: x86_64
# Linux refuses the tiles of a CPU to a process with a small stack for signals: its kernels are compiled without them.
#
# RUN: %python %s | FileCheck %s

import ctypes
import mmap
import threading


class Stack(ctypes.Structure):
    """What sigaltstack takes."""

    _fields_ = (("address", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


memory = mmap.mmap(-1, 4096)
stack = Stack(ctypes.addressof(ctypes.c_char.from_buffer(memory)), 0, len(memory))
is_set = threading.Event()
refusals = []


def wait_with_small_stack():
    # A Linux that is strict about the size refuses the stack, not the tiles.
    refusals.append(ctypes.CDLL(None).sigaltstack(ctypes.byref(stack), None))
    is_set.set()
    threading.Event().wait()


# LLVM gives the main thread a larger one.
threading.Thread(target=wait_with_small_stack, daemon=True).start()
is_set.wait()

import gridir
import jax
import jax.numpy as jnp
from gridir.runtime.cpu.kernels import native
from jax.experimental import pallas as pl


def product(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)


x, y = jnp.ones((16, 32), jnp.bfloat16), jnp.ones((32, 64), jnp.bfloat16)
with gridir.installed():
    call = jax.jit(pl.pallas_call(product, out_shape=jax.ShapeDtypeStruct((16, 64), jnp.float32)))
    # CHECK: product True
    print("product", bool((call(x, y) == 32).all()))
# CHECK: tiles refused: True
print("tiles refused:", any(refusals) or "+amx" not in native.describe_host())

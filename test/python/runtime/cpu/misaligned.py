# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s | FileCheck %s
"""Results that do not begin at a cache line, to which kernels cannot write streaming stores.

JAX aligns its own buffers. So the test puts itself between XLA and the kernel, and moves each buffer of a call by some
bytes.
"""

import ctypes

import gridir
import jax
import numpy as np
from gridir.compiler.cpu import CpuOptions
from gridir.testing import interpreted
from jax.experimental import pallas as pl

LINE = 64


class Buffer(ctypes.Structure):
    """XLA_FFI_Buffer of XLA's C interface; only the address changes here."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class Buffers(ctypes.Structure):
    """XLA_FFI_Args and XLA_FFI_Rets, which have the same fields."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("buffers", ctypes.POINTER(ctypes.POINTER(Buffer))),
    ]


class Frame(ctypes.Structure):
    """The first fields of XLA_FFI_CallFrame."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("api", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("arguments", Buffers),
        ("results", Buffers),
    ]


Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Frame))
name_of = ctypes.pythonapi.PyCapsule_GetName
name_of.restype, name_of.argtypes = ctypes.c_void_p, [ctypes.py_object]
address_of = ctypes.pythonapi.PyCapsule_GetPointer
address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_void_p]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3

distance = 0
moved = 0
alive = []


def move(capsule):
    """Wraps a handler, which then sees each buffer `distance` bytes after a cache line."""
    handler = Handler(address_of(capsule, name_of(capsule)))

    def call(frame):
        global moved
        # XLA first asks for the handler's version, without buffers.
        if not distance or frame.contents.extension:
            return handler(frame)
        memory, changed = {}, []
        for is_result, buffers in ((False, frame.contents.arguments), (True, frame.contents.results)):
            for i in range(buffers.count):
                buffer = buffers.buffers[i].contents
                size = np.prod(buffer.dims[: buffer.rank], dtype=int) * 4
                # An operand in place is one buffer.
                if buffer.data not in memory:
                    room = ctypes.create_string_buffer(int(size) + 2 * LINE)
                    start = ctypes.addressof(room)
                    start += -start % LINE + distance
                    ctypes.memmove(start, buffer.data, int(size))
                    memory[buffer.data] = (start, room)
                start = memory[buffer.data][0]
                changed.append((buffer, buffer.data, start, int(size), is_result))
                buffer.data = start
                moved += 1
        error = handler(frame)
        for buffer, data, start, size, is_result in changed:
            if is_result:
                ctypes.memmove(data, start, size)
            buffer.data = data
        return error

    wrapper = Handler(call)
    alive.append((wrapper, capsule))
    return new_capsule(ctypes.cast(wrapper, ctypes.c_void_p).value, name_of(capsule), None)


register = jax.ffi.register_ffi_target


def register_moved(name, stages, **kwargs):
    return register(name, {stage: move(f) if stage == "execute" else f for stage, f in stages.items()}, **kwargs)


jax.ffi.register_ffi_target = register_moved

SMALL = "grid-to-cpu{vector-bytes=32 vector-registers=16 cache-bytes=4096}"
BLOCK = pl.BlockSpec((8, 512), lambda i: (i, 0))


def call(body, x, results=1, **kwargs):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(
        body, grid=(8,), in_specs=[BLOCK], out_specs=[BLOCK] * results, out_shape=[shape] * results, **kwargs
    )(x)


def double(x):
    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    return call(body, x)


def in_place(x):
    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1

    return call(body, x, input_output_aliases={0: 0})


def two(x):
    def body(x_ref, o_ref, p_ref):
        o_ref[...] = x_ref[...] - 1
        p_ref[...] = x_ref[...] * x_ref[...]

    return call(body, x, results=2)


# Each kernel streams, and computes the same wherever its buffers begin.
# CHECK: double True
# CHECK-NEXT: 4 equal
# CHECK-NEXT: 16 equal
# CHECK-NEXT: 60 equal
# CHECK: in_place
# CHECK-NEXT: 4 equal
# CHECK-NEXT: 16 equal
# CHECK-NEXT: 60 equal
# CHECK: two True
# CHECK-NEXT: 4 equal
# CHECK-NEXT: 16 equal
# CHECK-NEXT: 60 equal
x = jax.random.normal(jax.random.key(0), (64, 512))
for f in (double, in_place, two):
    with interpreted():
        want = jax.jit(f)(x)
    distance = 0
    lowered = gridir.lower(f, x, options=CpuOptions(pipeline=SMALL))
    print(f.__name__, "nontemporal" in lowered.kernels[0].text("vectorized"))
    compiled = lowered.compile()
    for distance in (4, 16, 60):
        got = jax.block_until_ready(compiled(x))
        same = all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))
        print(distance, "equal" if same else "different")

# CHECK: moved: True
print("moved:", moved > 0)

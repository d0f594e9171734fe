"""Small PTX kernels around a few instructions: thread i reads element i of each input and writes element i."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gridir.runtime import ptx

HEADER = ".version 8.5\n.target sm_90a\n.address_size 64\n"


def bits_of(array: np.ndarray) -> int:
    return array.dtype.itemsize * 8


def kernel(body: str, inputs: Sequence[np.ndarray], output: np.ndarray, declarations: str = "") -> str:
    """A kernel with %x0, %x1, ... of the inputs and %d for the output, in registers of their sizes.

    The body may use %p, %q (predicates), %r0 to %r7 (32 bits), %rd0 to %rd7 (64 bits), %t (the thread), %in and %out
    (the addresses of the thread's elements of the last input and of the output).
    """
    parameters = ", ".join(f".param .u64 a{i}" for i in range(len(inputs) + 1))
    lines = [HEADER, declarations, f".visible .entry k({parameters})", "{"]
    lines += [".reg .pred %p, %q;", ".reg .b32 %t, %r<8>;", ".reg .b64 %rd<8>, %in, %out;"]
    lines += [f".reg .b{bits_of(x)} %x{i};" for i, x in enumerate(inputs)]
    lines += [f".reg .b{bits_of(output)} %d;", "mov.u32 %t, %tid.x;"]
    for i, x in enumerate(inputs):
        lines += [f"ld.param.u64 %in, [a{i}];", f"mad.wide.u32 %in, %t, {x.dtype.itemsize}, %in;"]
        lines += [f"ld.global.b{bits_of(x)} %x{i}, [%in];"]
    lines += [f"ld.param.u64 %out, [a{len(inputs)}];", f"mad.wide.u32 %out, %t, {output.dtype.itemsize}, %out;"]
    lines += [body, f"st.global.b{bits_of(output)} [%out], %d;", "ret;", "}"]
    return "\n".join(lines)


def run(body: str, inputs: Sequence[Any], dtype: Any, *, declarations: str = "", shared_bytes: int = 0) -> np.ndarray:
    """Runs the instructions on arrays of one size, an element a thread, in one block."""
    arrays = [np.array(x) for x in inputs]
    output = np.zeros(len(arrays[0]), dtype)
    function = ptx.load(kernel(body, arrays, output, declarations)).function()
    function.launch([*arrays, output], grid=(1,), block=(len(output),), shared_bytes=shared_bytes, timeout=60)
    return output

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rule for kernels with parameters of gridir's own, which need no `gridir.install`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gridir.compiler.targets import TPU
from gridir.frontend.capture import emitter
from gridir.frontend.capture.installation import current
from gridir.frontend.compat import jax_lowering, jax_tpu


def lower_kernel_with_own_params(context: Any, *operands: Any, **params: Any) -> Sequence[Any]:
    """Lowers a `pallas_call` whose `compiler_params` is a `gridir.tpu.CompilerParams` for a TPU.

    Args:
      context: JAX's `LoweringRuleContext`.
      *operands: the MLIR values of the call's operands.
      **params: the parameters of the primitive.
    """
    installation = current()
    if installation is not None and installation.jax_alone:
        return jax_tpu.jax_lowering(context, *operands, **params)
    request = jax_lowering.request_of_pallas_call(context.avals_in, params)
    return emitter.emitter_of(request, TPU, installation)(context, operands)

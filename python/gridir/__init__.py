# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gridir: a compiler toolkit for block-structured array kernels written with JAX's Pallas API.

Importing the package imports neither JAX nor the native library; their first use does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gridir.errors import (
    CompileError,
    Error,
    InternalError,
    JaxVersionError,
    JaxVersionWarning,
    KernelError,
    LaunchError,
    OptionError,
    UnsupportedError,
)
from gridir.host import leave_devices_alone

if TYPE_CHECKING:
    from gridir import mosaic_gpu, passes, tpu, tuning
    from gridir.bisection.find import bisect
    from gridir.compiler.cpu import CpuOptions
    from gridir.compiler.gpu import GpuOptions
    from gridir.compiler.kernel import Kernel
    from gridir.compiler.tpu import TpuOptions
    from gridir.frontend.capture.calls import pallas_call
    from gridir.frontend.capture.install import install, installed
    from gridir.frontend.lower import Lowered, lower
    from gridir.frontend.targets.cpu_call import Compiled
    from gridir.report.explain import explain
    from gridir.report.verdicts import Explanation
    from gridir.tuning.results import TuningResult
    from gridir.tuning.tune import tune
    from gridir.tuning.tuned import tuned

leave_devices_alone()

__version__ = "0.1.0"

__all__ = [
    "CompileError",
    "Compiled",
    "CpuOptions",
    "Error",
    "Explanation",
    "GpuOptions",
    "InternalError",
    "JaxVersionError",
    "JaxVersionWarning",
    "Kernel",
    "KernelError",
    "LaunchError",
    "Lowered",
    "OptionError",
    "TpuOptions",
    "TuningResult",
    "UnsupportedError",
    "bisect",
    "explain",
    "install",
    "installed",
    "lower",
    "mosaic_gpu",
    "pallas_call",
    "passes",
    "tpu",
    "tune",
    "tuned",
    "tuning",
]

_LAZY = {
    "Compiled": "gridir.frontend.targets.cpu_call",
    "CpuOptions": "gridir.compiler.cpu",
    "Explanation": "gridir.report.verdicts",
    "GpuOptions": "gridir.compiler.gpu",
    "Kernel": "gridir.compiler.kernel",
    "TpuOptions": "gridir.compiler.tpu",
    "TuningResult": "gridir.tuning.results",
    "bisect": "gridir.bisection.find",
    "Lowered": "gridir.frontend.lower",
    "explain": "gridir.report.explain",
    "install": "gridir.frontend.capture.install",
    "installed": "gridir.frontend.capture.install",
    "lower": "gridir.frontend.lower",
    "pallas_call": "gridir.frontend.capture.calls",
    "tune": "gridir.tuning.tune",
    "tuned": "gridir.tuning.tuned",
}
_LAZY_MODULES = ("mosaic_gpu", "passes", "tpu", "tuning")


def __getattr__(name: str) -> Any:
    if name in _LAZY_MODULES:
        return importlib.import_module(f"gridir.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])

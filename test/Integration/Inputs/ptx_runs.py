"""Runs kernels as PTX that is executed on the CPU, with what memory is checked for, in several orders of threads."""

import os
import tempfile
from typing import Any

import gridir
import jax
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.testing import difference

GPU = get_target("gpu:sm_90a")
# The runs of a kernel in several orders share its code.
CACHE = tempfile.TemporaryDirectory()
os.environ.setdefault("GRIDIR_CACHE_DIR", CACHE.name)


def look(name: str, call: Any, expected: Any, *args: Any, target: Any = GPU) -> None:
    """Runs a kernel in the executor's own order and in two others; prints its error, or "right", for each."""
    for seed in (None, 1, 2):
        try:
            run = execute(call, args, target, checks=["races", "uninitialized"], schedule_seed=seed)
            said = difference(run.function(*args), expected) or "right"
        except (gridir.Error, jax.errors.JaxRuntimeError) as error:
            said = str(error)
        print(f"{name} {seed}:", said, flush=True)

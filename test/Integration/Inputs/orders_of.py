"""Runs one kernel of warpgroups under several options, for tests that print what it says."""

import re
from collections.abc import Sequence
from typing import Any

import gridir
import jax
from gridir.testing import difference


def look(orders: Sequence[dict[str, Any]], name: str, call: Any, expected: Any, *args: Any) -> None:
    """Runs a kernel with each of these options; prints its error without the lines of the test's file, or "right"."""
    for options in orders:
        with gridir.installed(**options):
            try:
                said = difference(jax.jit(call)(*args), expected) or "right"
            except jax.errors.JaxRuntimeError as error:
                text = re.search(r"kernel `\w+`: (.*)", str(error))[1]
                said = re.sub(r" \(\S*warpgroup[\w-]*\.py:(\d+):\d+\)", "", text)
        print(f"{name} {options}:", said)

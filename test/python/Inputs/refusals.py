# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of what the public interface refuses: the words of each error beside the call that raises it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def report(kind: type[Exception], rows: Mapping[str, Callable[[], Any]]) -> None:
    """Prints how many calls raise an error of just that class with those words, and what the others do."""
    refused = 0
    for words, call in rows.items():
        try:
            call()
            got = "no error"
        except Exception as error:
            got = f"{type(error).__name__}: {error}"
            if type(error) is kind and words in str(error):
                refused += 1
                continue
        print(f"expected {kind.__name__}: {words}, got {got}")
    print(f"{kind.__name__}: {refused} of {len(rows)} refused in these words")

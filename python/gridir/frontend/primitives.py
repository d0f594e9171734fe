# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of the documentation that lists the primitives which have a lowering rule."""

from __future__ import annotations

import gridir.frontend.rules  # noqa: F401  (registers the rules)
from gridir.frontend import registry


def to_markdown() -> str:
    """The page, printed by `python -m gridir.frontend.primitives`."""
    count = len(registry.supported())
    lines = [
        "# Primitives that have a lowering rule",
        "",
        f"The body of a kernel may use these {count} primitives of JAX, listed by the file of",
        "`python/gridir/frontend/rules` that holds the rule. Functions of `jax.numpy` and `jax.lax` are made of them.",
        "A primitive that is not here is named, with every other one that is missing, in one error when the kernel is",
        "lowered; [CONTRIBUTING.md](../CONTRIBUTING.md) says how to add a rule. Index maps have a vocabulary of their",
        "own: integers of rank 0, and loads of single elements of index operands.",
        "",
        "The page is printed by `python -m gridir.frontend.primitives`.",
    ]
    for family, names in registry.by_family().items():
        lines += ["", f"## {family}", "", ", ".join(f"`{name}`" for name in names)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(to_markdown(), end="")

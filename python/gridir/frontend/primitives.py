# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of the documentation that lists the primitives which have a lowering rule."""

from __future__ import annotations

import gridir.frontend.rules  # noqa: F401  (registers the rules)
from gridir.frontend.levels import CPU_PLATFORM, INDEX_MAP, LEVELS, SPARSE_CORE, TPU_PLATFORM
from gridir.frontend.registry import BASE
from gridir.frontend.releases import NEWEST, OLDEST, PRIMITIVES, text

_INTRODUCTION = """# Primitives that have a lowering rule

The body of a kernel may use these {count} primitives of JAX. Functions of `jax.numpy` and `jax.lax` are made of them.
Rules are in levels: the base has what any kernel may use, and each kind of kernel adds its own to that. The kind is
what the kernel's mesh, backend or compiler parameters are for; what other kinds add means the same in it, too.
Within a level the primitives are listed by the file of `python/gridir/frontend/rules` that holds the rule.
A primitive that is not here is named, with every other one that is missing, in one error when the kernel is lowered;
[CONTRIBUTING.md](../CONTRIBUTING.md) says how to add a rule. Index maps compute with single integers, and load single
elements of index operands; what they may say is listed last.

A primitive is in every release of JAX from {oldest} to {newest}, or in those that are written after it. What a release
changes in the parameters of a primitive makes no difference to a rule: `frontend/jax_compat_equations.py` gives each
equation the form of the newest release.

The page is printed by `python -m gridir.frontend.primitives`."""

_HEADINGS = {
    BASE: "Any kernel",
    CPU_PLATFORM: "What is computed otherwise on a CPU",
    TPU_PLATFORM: "What is computed otherwise on a TPU",
    SPARSE_CORE: "What a SparseCore has ops for, on a TPU",
    INDEX_MAP: "Index maps",
}


def _entry(name: str) -> str:
    """A primitive, and the releases of JAX that have it where those are not all."""
    return f"`{name}` ({PRIMITIVES[name]})" if name in PRIMITIVES else f"`{name}`"


def to_markdown() -> str:
    """The page, printed by `python -m gridir.frontend.primitives`."""
    levels = [level for level in LEVELS if level.supported()]
    count = len({name for level in levels for name in level.supported()})
    lines = [_INTRODUCTION.format(count=count, oldest=text(OLDEST), newest=text(NEWEST))]
    for level in levels:
        lines += ["", f"## {_HEADINGS.get(level, f'{level.name[0].upper()}{level.name[1:]} kernels')}"]
        for family, names in level.by_family().items():
            lines += ["", f"### {family}", "", ", ".join(map(_entry, names))]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(to_markdown(), end="")

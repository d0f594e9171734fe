# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of the documentation that lists the primitives which have a lowering rule."""

from __future__ import annotations

import gridir.frontend.rules  # noqa: F401  (registers the rules)
from gridir.frontend.compat.releases import NEWEST, OLDEST, PRIMITIVES, text
from gridir.frontend.walk.levels import CPU_PLATFORM, GPU_PLATFORM, INDEX_MAP, LEVELS, SPARSE_CORE, TPU_PLATFORM
from gridir.frontend.walk.registry import BASE

_INTRODUCTION = """# Primitives that have a lowering rule

The body of a kernel may use these {count} primitives of JAX; functions of `jax.numpy` and `jax.lax` consist of them.
The base rule set is available in any kernel, and each kind of kernel adds its own rules. The kernel's mesh, backend or
compiler parameters determine its kind; rules of other kinds are available with the same meaning. Within a rule set the
primitives are listed by the file of `python/gridir/frontend/rules` with the rule. The lowering of a kernel reports all
missing primitives in one error; [CONTRIBUTING.md](../CONTRIBUTING.md) describes how to add a rule. Index maps compute
with single integers, and load single elements of index operands; their primitives are listed last.

A primitive is in every release of JAX from {oldest} to {newest}, or in the releases after its name. Rules do not depend
on changes of parameters between releases: `frontend/compat/jax_equations.py` converts each equation to the form of the
newest release.

The page is printed by `python -m gridir.frontend.primitives`."""

_HEADINGS = {
    BASE: "Any kernel",
    CPU_PLATFORM: "Different results on a CPU",
    TPU_PLATFORM: "Different results on a TPU",
    GPU_PLATFORM: "Different results on a GPU",
    SPARSE_CORE: "Ops of a SparseCore, on a TPU",
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

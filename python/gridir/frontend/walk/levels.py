# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rule sets on top of the base, one for each kind of kernel, and the choice for a kernel.

A primitive may have one meaning in a kernel for TPUs and another in the code of a warpgroup. The author determines the
kind of a kernel: by the mesh, otherwise by the backend of the call or of its parameters. If there is none, or several,
the kernel may use the additions of any one backend, with their meaning there.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from gridir.frontend.compat import jax_equations, jax_gpu, jax_tpu
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.request.meshes import MeshUnion
from gridir.frontend.request.options import records_of
from gridir.frontend.walk.registry import BASE, Level, Rule, revision
from gridir.frontend.walk.types import NumberTypes, Types
from gridir.frontend.walk.warpgroup_types import WarpgroupTypes

TPU = Level("TPU", BASE)
"""Kernels for the cores of a TPU."""

SPARSE_CORE = Level("SparseCore", TPU)
"""The primitives with SparseCore ops, in kernels that are lowered for a TPU."""

TRITON = Level("Triton", BASE)
"""Kernels for Pallas' Triton backend."""

WARPGROUP = Level("warpgroup", BASE, WarpgroupTypes())
"""Kernels for Pallas' Mosaic GPU backend, each of whose threads is a warpgroup."""

WARP = Level("warp", BASE, WarpgroupTypes())
"""The code of each warp of a warpgroup."""

INDEX_MAP = Level("index map", types=NumberTypes())
"""The rules of index maps of all kernels: a rule set without a base, which shares rules with bodies."""

CPU_PLATFORM = Level("CPU platform", BASE)
TPU_PLATFORM = Level("TPU platform", BASE)
GPU_PLATFORM = Level("GPU platform", BASE)
"""Primitives whose results depend on the platform for which XLA compiles, in any kind of kernel."""

_OF_BACKEND = {"mosaic_tpu": TPU, "triton": TRITON, "mosaic_gpu": WARPGROUP}
_OF_PLATFORM = {"cpu": CPU_PLATFORM, "tpu": TPU_PLATFORM, "cuda": GPU_PLATFORM}

KINDS = (*_OF_BACKEND.values(), WARP)
"""The rule sets of kinds; a kernel has at most one."""

LEVELS = (BASE, *KINDS, SPARSE_CORE, *_OF_PLATFORM.values(), INDEX_MAP)
"""All levels."""


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """The meaning of a kernel's primitives: the rule sets that are searched for a rule, in order.

    Attributes:
      kind: the level of the kernel's kind; None where its author says none.
      platform: the level of the platform that the kernel is lowered for, where that has one.
      core: the level of the cores that run the kernel, where they have ops of their own.
      skips_floats: whether no float is computed, and each of them is infinite, which interpret mode may be asked for.
    """

    kind: Level | None = None
    platform: Level | None = None
    skips_floats: bool = False
    core: Level | None = None

    @functools.cached_property
    def _levels(self) -> tuple[Level, ...]:
        # A core's own ops come first: the platform's replacements are for cores that lack them.
        return (*filter(None, (self.core, self.platform, self.kind)), BASE, *_OF_BACKEND.values())

    @functools.cached_property
    def _found(self) -> dict[str, Rule | None]:
        """The rules that were found; kernels use the same few primitives repeatedly."""
        return {}

    @property
    def types(self) -> Types:
        """How abstract values become MLIR types."""
        return (self.kind or BASE).types

    def find(self, primitive: str) -> Rule | None:
        """The rule of a primitive, or None when it has none in such a kernel."""
        if primitive not in self._found:
            self._found[primitive] = next(filter(None, (level.find(primitive) for level in self._levels)), None)
        return self._found[primitive]

    @functools.cached_property
    def _of_primitives(self) -> dict[Any, Rule | None]:
        return {}

    def rule_of(self, primitive: Any) -> Rule | None:
        """The rule of one of JAX's primitives, as `find` has it."""
        known = self._of_primitives
        if primitive not in known:
            known[primitive] = self.find(jax_equations.primitive_name(primitive))
        return known[primitive]

    def of_kind(self, kind: Level) -> Vocabulary:
        """That of a kernel of another kind, nested in one of this."""
        return dataclasses.replace(self, kind=kind)


NO_KIND = Vocabulary()
"""Returns the rule set for a kind of kernel, without a platform."""


def kind_of_mesh(mesh: Any) -> Level | None:
    """The rule set of the cores, CTAs or threads of a mesh; None for a mesh without one."""
    if mesh is None:
        return None
    if isinstance(mesh, jax_tpu.MESHES):
        return TPU
    if jax_gpu.is_mesh(mesh):
        return WARPGROUP
    return WARP if jax_gpu.is_warp_mesh(mesh) else None


def vocabularies(request: KernelRequest, platform: str) -> tuple[Vocabulary, ...]:
    """The vocabulary of each body of a kernel.

    Args:
      request: the kernel.
      platform: the platform that it is lowered for.

    Raises:
      OptionError: the compiler parameters are malformed.
    """
    named = _OF_BACKEND.get(request.backend or "")
    kinds = [named] if named else [_OF_BACKEND[backend] for backend in records_of(request.compiler_params)]
    of_call = kinds[0] if len(kinds) == 1 else None
    meshes = request.mesh.meshes if isinstance(request.mesh, MeshUnion) else (request.mesh,)
    skips_floats = getattr(request.interpret, "skip_floating_point_ops", False)
    return tuple(
        vocabulary_of(
            kind_of_mesh(mesh) or of_call,
            _OF_PLATFORM.get(platform),
            skips_floats,
            SPARSE_CORE if platform == "tpu" and jax_tpu.sparse_core_type(mesh) else None,
        )
        for mesh in meshes
    )


def vocabulary_of(
    kind: Level | None, platform: Level | None = None, skips_floats: bool = False, core: Level | None = None
) -> Vocabulary:
    """The rule set with these attributes: one for all kernels, with the rules that it has found."""
    return _vocabulary(revision(), kind, platform, skips_floats, core)


@functools.lru_cache(maxsize=32)
def _vocabulary(rules: int, *attributes: Any) -> Vocabulary:
    del rules
    return Vocabulary(*attributes)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The properties of a mesh kernel's grid dimensions."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_gpu, jax_tpu
from gridir.frontend.request.unknown_fields import check_read


@dataclasses.dataclass(frozen=True)
class MeshUnion:
    """The meshes of a kernel with a body for each of them. Its grid has one dimension, all cores of one mesh after
    those of another.

    Attributes:
      meshes: of each body, the mesh whose cores run it.
    """

    meshes: tuple[Any, ...]

    @property
    def first_cores(self) -> tuple[int, ...]:
        """The number of the first core of each mesh."""
        sizes = list(map(num_cores, self.meshes))
        return tuple(sum(sizes[:i]) for i in range(len(sizes)))

    @property
    def num_cores(self) -> int:
        """How many cores there are."""
        return sum(map(num_cores, self.meshes))


def num_cores(mesh: Any) -> int:
    """The number of cores of a mesh."""
    return math.prod(mesh.shape.values())


def dim_kinds(mesh: Any, rank: int) -> tuple[str, ...]:
    """The hardware level that each dimension of a mesh enumerates; a grid without a mesh has only `grid`.

    Raises:
      UnsupportedError: for a mesh of a class that gridir does not know, or with a field that it does not know.
    """
    if mesh is None:
        kinds = ()
    elif isinstance(mesh, MeshUnion):
        kinds = ("core",)
    elif isinstance(mesh, jax_tpu.CORE_MESHES):
        kinds = ("core",) * len(mesh.shape)
    elif isinstance(mesh, jax_tpu.VectorSubcoreMesh):
        kinds = ("core", "subcore")
    elif jax_gpu.is_mesh(mesh):
        threads = ("thread",) if mesh.num_threads is not None else ()
        kinds = ("grid",) * len(mesh.grid) + ("cluster",) * len(mesh.cluster) + threads
    elif jax_gpu.is_warp_mesh(mesh):
        kinds = ("thread",)
    else:
        raise UnsupportedError(f"expected a mesh of a kind that gridir knows, got {mesh!r}")
    for each in mesh.meshes if isinstance(mesh, MeshUnion) else (mesh,):
        check_read(each)
    return ("grid",) * (rank - len(kinds)) + kinds


def claimed_semantics(mesh: Any) -> list[str] | None:
    """Returns the mesh's claim about the order of its programs; None if there is none.

    The blocks of a GPU's grid run in any order, and so do the cores of a TPU; the threads of one block do not.
    """
    if isinstance(mesh, jax_tpu.MESHES):
        return [str(getattr(claim, "value", claim)) for claim in mesh.dimension_semantics]
    if jax_gpu.is_mesh(mesh):
        blocks = len(mesh.grid) + len(mesh.cluster)
        return ["parallel"] * blocks + ["arbitrary"] * (len(mesh.shape) - blocks)
    return None

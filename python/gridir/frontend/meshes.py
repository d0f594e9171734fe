# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the mesh of a kernel says about the dimensions of its grid."""

from __future__ import annotations

import dataclasses
import math
from typing import Any


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
    """How many cores a mesh has."""
    return math.prod(mesh.shape.values())


def dim_kinds(mesh: Any, rank: int) -> tuple[str, ...]:
    """The hardware level that each dimension of a mesh enumerates; a grid without a mesh has only `grid`."""
    kinds: tuple[str, ...] = ()
    match type(mesh).__name__:
        case "Mesh":
            threads = ("thread",) if mesh.num_threads is not None else ()
            kinds = ("grid",) * len(mesh.grid) + ("cluster",) * len(mesh.cluster) + threads
        case "MeshUnion":
            kinds = ("core",)
        case "TensorCoreMesh" | "ScalarSubcoreMesh":
            kinds = ("core",) * len(mesh.shape)
        case "VectorSubcoreMesh":
            kinds = ("core", "subcore")
        case "WarpMesh":
            kinds = ("thread",)
    return ("grid",) * (rank - len(kinds)) + kinds


def claimed_semantics(mesh: Any) -> list[str] | None:
    """What a mesh says about the order of its programs; None where it says nothing.

    The blocks of a GPU's grid run in any order, and so do the cores of a TPU; the threads of one block do not.
    """
    claims = getattr(mesh, "dimension_semantics", None)
    if claims is not None:
        return [getattr(claim, "value", claim) for claim in claims]
    if type(mesh).__name__ == "Mesh":
        blocks = len(mesh.grid) + len(mesh.cluster)
        return ["parallel"] * blocks + ["arbitrary"] * (len(mesh.shape) - blocks)
    return None

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first and last release of JAX of each primitive, and of each field of JAX's calls and records.

A primitive or field that is in no table here is in every release that gridir supports. `docs/primitives.md` and
`docs/fields.md` are printed from these tables.
"""

from __future__ import annotations

import dataclasses
from typing import Any

Version = tuple[int, ...]

OLDEST: Version = (0, 10, 2)
"""The first release that gridir supports."""

NEWEST: Version = (0, 12, 0)
"""The last release that gridir is tested with."""


@dataclasses.dataclass(frozen=True)
class Releases:
    """A range of releases of JAX.

    Attributes:
      first: the first release, or () where that is before the oldest one that gridir supports.
      last: the last release, or () where the newest one is in the range.
    """

    first: Version = ()
    last: Version = ()

    def __contains__(self, version: Version) -> bool:
        """True if a release is in the range. A range that ends with 0.10 has 0.10.2."""
        return self.first <= version and not (self.last and version[: len(self.last)] > self.last)

    def __str__(self) -> str:
        """The range as documentation writes it; nothing for the range of all releases."""
        first, last = text(self.first), text(self.last)
        if first and last:
            return first if first == last else f"{first} to {last}"
        return f"since {first}" if first else f"until {last}" if last else ""


def text(version: Version) -> str:
    """A version as JAX writes it."""
    return ".".join(map(str, version))


def since(*first: int) -> Releases:
    """The range from a release on."""
    return Releases(first=first)


def until(*last: int) -> Releases:
    """The range up to a release, with that."""
    return Releases(last=last)


PRIMITIVES: dict[str, Releases] = {
    "barrier_arrive_and_wait": since(0, 12),
    "closed_call": until(0, 11, 0),
    "conv": since(0, 11, 1),
    "core_map": until(0, 11, 0),
    "has_memory_space": since(0, 12),
    "log2": since(0, 11, 2),
    "mma": since(0, 11),
    **{f"mosaic_gpu_reduce_{name}": since(0, 12) for name in ("max", "min", "prod", "sum")},
    "one_minus_square": since(0, 11, 2),
    "polynomial": since(0, 12),
    "sparse_core.bitcast": until(0, 11),
    "store": since(0, 12),
    "wait_gmem_to_smem": since(0, 11, 1),
}
"""By the name of the primitive's rule."""

NAMES: dict[str, Releases] = {
    "jax._src.cloud_tpu_init.is_libtpu_at_least": since(0, 11, 1),
    "jax._src.lib.tpu.private_unzip_debug_locations": since(0, 12),
}
"""The private names of JAX that gridir uses only where they are."""

FIELDS: dict[tuple[str, str], Releases] = {
    ("Buffered", "prefetched_count"): since(0, 11),
    ("mosaic_gpu.BlockSpec", "oob_fill_mode"): since(0, 11),
    ("mosaic_gpu.CompilerParams", "delay_release"): until(0, 7),
    ("mosaic_gpu.CompilerParams", "is_multi_process"): since(0, 12),
    ("mosaic_gpu.CompilerParams", "profile_bounds_check"): since(0, 11, 1),
    ("mosaic_gpu.CompilerParams", "skip_device_barrier"): since(0, 11, 2),
    ("mosaic_gpu.InterpretGPUParams", "inline_mgpu"): since(0, 11, 2),
    ("mosaic_gpu.InterpretGPUParams", "on_race"): since(0, 12),
    ("mosaic_gpu.kernel", "cost_estimate"): since(0, 12),
    ("mosaic_gpu.kernel", "debug"): since(0, 11),
    ("mosaic_gpu.kernel", "out_shape"): until(0, 11, 1),
    ("mosaic_gpu.kernel", "scratch_shapes"): until(0, 11, 1),
    ("tpu.CompilerParams", "kernel_type"): until(0, 10, 0),
    ("tpu.CompilerParams", "opt_level"): since(0, 11),
    ("tpu.InterpretParams", "on_race"): since(0, 12),
}
"""By the record or call, and the name of the field."""

DEFAULTS: dict[tuple[str, str], tuple[tuple[Releases, Any], ...]] = {
    ("mosaic_gpu.BlockSpec", "collective_axes"): ((until(0, 11, 0), ()), (since(0, 11, 1), None)),
    ("mosaic_gpu.CompilerParams", "lowering_semantics"): ((until(0, 10), "Lane"), (since(0, 11), "Warpgroup")),
    ("mosaic_gpu.InterpretGPUParams", "num_tma_threads_per_device"): ((until(0, 10), 1), (since(0, 11), 5)),
}
"""The defaults that differ by release: enumerators by name. A field of this table is always written to `grid`."""

ABSENT: dict[tuple[str, str], Any] = {
    ("Buffered", "prefetched_count"): 0,
    ("mosaic_gpu.InterpretGPUParams", "on_race"): "warn",
    ("tpu.CompilerParams", "kernel_type"): None,
    ("tpu.CompilerParams", "opt_level"): None,
    ("tpu.InterpretParams", "on_race"): "raise",
}
"""The meaning of a record in a release that lacks a field, for the fields that gridir reads."""


def field_of(owner: str, record: Any, name: str) -> Any:
    """The value of a field of a record, or its meaning in a release that lacks the field."""
    return getattr(record, name, ABSENT[owner, name])

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler parameters of JAX's three Pallas backends, as an author gives them.

One table says which fields there are; the records of `gridir.tpu` and `gridir.mosaic_gpu` add to JAX's those fields
that other releases of JAX document.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from gridir.errors import OptionError


@dataclasses.dataclass(frozen=True)
class Backend:
    """One backend of Pallas: its name as `pallas_call` knows it, and its record of parameters.

    Attributes:
      name: "mosaic_tpu", "mosaic_gpu" or "triton".
      attribute: the mnemonic of the record's attribute in the `grid` dialect.
      module: the module of JAX that defines the record.
      platforms: the JAX platforms whose lowering reads the record; on the CPU, interpret mode does.
      fields: every field of the record; a field that this JAX lacks is one of gridir's own front door.
      extra: those of `fields` that only gridir's record has.
    """

    name: str
    attribute: str
    module: str
    platforms: tuple[str, ...]
    fields: tuple[str, ...]
    extra: tuple[str, ...] = ()


BACKENDS = (
    Backend(
        "mosaic_tpu",
        "tpu_params",
        "jax._src.pallas.mosaic.core",
        ("tpu", "cpu"),
        (
            "dimension_semantics",
            "allow_input_fusion",
            "vmem_limit_bytes",
            "collective_id",
            "has_side_effects",
            "flags",
            "internal_scratch_in_bytes",
            "serialization_format",
            "kernel_type",
            "disable_bounds_checks",
            "disable_semaphore_checks",
            "skip_device_barrier",
            "allow_collective_id_without_custom_barrier",
            "shape_invariant_numerics",
            "use_tc_tiling_on_sc",
            "needs_layout_passes",
            "fuse_transposed_lhs_in_matmul",
        ),
        extra=("kernel_type",),
    ),
    Backend(
        "mosaic_gpu",
        "mosaic_gpu_params",
        "jax._src.pallas.mosaic_gpu.core",
        ("cuda", "rocm"),
        (
            "approx_math",
            "dimension_semantics",
            "max_concurrent_steps",
            "delay_release",
            "unsafe_no_auto_barriers",
            "reduction_scratch_bytes",
            "profile_space",
            "profile_dir",
            "profile_trace_scope",
            "lowering_semantics",
        ),
        extra=("delay_release",),
    ),
    Backend(
        "triton",
        "triton_params",
        "jax._src.pallas.triton.core",
        ("cuda", "rocm"),
        ("num_warps", "num_stages"),
    ),
)

# Other names that people and JAX's documentation use for a backend.
_ALIASES = {"tpu": "mosaic_tpu", "gpu": "mosaic_gpu", "mosaic": "mosaic_tpu"}


def find_backend(name: str) -> Backend:
    """Returns the backend of that name.

    Raises:
      OptionError: if there is none.
    """
    for backend in BACKENDS:
        if backend.name == _ALIASES.get(name, name):
            return backend
    known = ", ".join(backend.name for backend in BACKENDS)
    raise OptionError(f"expected a backend of Pallas ({known}), got {name!r}")


def backend_of(record: Any) -> Backend:
    """Returns the backend that a record of compiler parameters belongs to.

    Raises:
      OptionError: if it is none of JAX's records nor derived from one.
    """
    modules = {cls.__module__ for cls in type(record).__mro__}
    for backend in BACKENDS:
        if backend.module in modules:
            return backend
    raise OptionError(
        f"expected the CompilerParams of a Pallas backend, got {type(record).__module__}.{type(record).__qualname__}"
    )


@dataclasses.dataclass(frozen=True)
class CallOptions:
    """What a front door of gridir passes through JAX as `compiler_params`.

    Attributes:
      records: pairs of a backend's name and its record of parameters.
      backend: the backend that the author named, or None.
      debug: whether the author asked for the kernel to be printed.
    """

    records: tuple[tuple[str, Any], ...] = ()
    backend: str | None = None
    debug: bool = False

    def replace(self, **changes: Any) -> CallOptions:
        """Changes fields of this record, or a field of every backend's record that has it."""
        own = {field.name for field in dataclasses.fields(self)}
        if changes.keys() <= own:
            return dataclasses.replace(self, **changes)
        records = []
        for name, record in self.records:
            known = {k: v for k, v in changes.items() if hasattr(record, k)}
            records.append((name, dataclasses.replace(record, **known)))
        return dataclasses.replace(self, records=tuple(records))


def make_options(compiler_params: Any, backend: str | None = None, debug: bool = False) -> Any:
    """Returns what to pass to JAX as `compiler_params`: the record itself where that says everything.

    Args:
      compiler_params: a record, a mapping from backend name to record, or None.
      backend: the backend that the author named: one of Pallas', or "cpu".
      debug: whether the kernel is to be printed.

    Raises:
      OptionError: if a backend is unknown, or a record is not that of its backend.
    """
    if backend is not None and backend != "cpu":
        backend = find_backend(backend).name
    if not isinstance(compiler_params, Mapping):
        if backend is None and not debug:
            return compiler_params
        records = records_of(compiler_params)
    else:
        records = records_of(compiler_params)
    return CallOptions(tuple(sorted(records.items(), key=lambda item: item[0])), backend, debug)


def records_of(compiler_params: Any) -> dict[str, Any]:
    """Returns the record of each backend that an author gave parameters for.

    Args:
      compiler_params: a record, a mapping from backend name to record, `CallOptions`, or None.

    Raises:
      OptionError: if a backend is unknown, or a record is not that of its backend.
    """
    if compiler_params is None:
        return {}
    if isinstance(compiler_params, CallOptions):
        return dict(compiler_params.records)
    if not isinstance(compiler_params, Mapping):
        return {backend_of(compiler_params).name: compiler_params}
    records = {}
    for name, record in compiler_params.items():
        backend = find_backend(name)
        if backend_of(record) is not backend:
            raise OptionError(f"expected the CompilerParams of {backend.name}, got those of {backend_of(record).name}")
        records[backend.name] = record
    return records


def record_for(compiler_params: Any, platform: str) -> Any:
    """Returns what JAX's own lowering for a platform takes, where a front door of gridir passed `CallOptions`.

    Anything else is returned as it is. `platform` is one of JAX's: "cpu", "tpu", "cuda" or "rocm".
    """
    if not isinstance(compiler_params, CallOptions):
        return compiler_params
    records = dict(compiler_params.records)
    usual = [backend.name for backend in BACKENDS if platform in backend.platforms]
    named = (compiler_params.backend,) if compiler_params.backend in usual else ()
    return next((records[name] for name in (*named, *usual) if name in records), None)


def has_side_effects(record: Any) -> bool:
    """Whether an author says that a call must stay although nobody reads its results."""
    effects = getattr(record, "has_side_effects", False)
    return getattr(effects, "value", effects) in (True, "side_effecting")

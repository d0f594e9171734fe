# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler parameters of JAX's three Pallas backends.

One table lists the fields; the records of `gridir.tpu` and `gridir.mosaic_gpu` add fields of other releases to JAX's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from gridir.errors import OptionError
from gridir.frontend.compat.releases import DEFAULTS

_DEFAULT_SEMANTICS = DEFAULTS["mosaic_gpu.CompilerParams", "lowering_semantics"][0][1]


@dataclasses.dataclass(frozen=True)
class Backend:
    """One backend of Pallas: its name as `pallas_call` knows it, and its record of parameters.

    Attributes:
      name: "mosaic_tpu", "mosaic_gpu" or "triton".
      attribute: the mnemonic of the record's attribute in the `grid` dialect.
      module: the module of JAX that defines the record.
      platforms: the JAX platforms whose lowering reads the record; on the CPU, interpret mode does.
      record: the record's name in the tables of fields and releases.
      defaults: every field of the record in any release, and the meaning of an absent attribute: the default
        of the oldest release. Enumerators are strings. A field that this JAX lacks is one of gridir's own front door.
    """

    name: str
    attribute: str
    module: str
    platforms: tuple[str, ...]
    record: str
    defaults: Mapping[str, Any]

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of all fields."""
        return tuple(self.defaults)

    def is_always_written(self, name: str) -> bool:
        """True if the attribute always contains a field, because its default depends on the release of JAX."""
        return (self.record, name) in DEFAULTS


BACKENDS = (
    Backend(
        "mosaic_tpu",
        "tpu_params",
        "jax._src.pallas.mosaic.core",
        ("tpu", "cpu"),
        "tpu.CompilerParams",
        {
            "dimension_semantics": None,
            "allow_input_fusion": None,
            "vmem_limit_bytes": None,
            "collective_id": None,
            "has_side_effects": False,
            "flags": None,
            "internal_scratch_in_bytes": None,
            "serialization_format": 1,
            "kernel_type": None,
            "disable_bounds_checks": False,
            "disable_semaphore_checks": False,
            "skip_device_barrier": False,
            "allow_collective_id_without_custom_barrier": False,
            "shape_invariant_numerics": True,
            "use_tc_tiling_on_sc": None,
            "needs_layout_passes": True,
            "fuse_transposed_lhs_in_matmul": False,
            "opt_level": None,
        },
    ),
    Backend(
        "mosaic_gpu",
        "mosaic_gpu_params",
        "jax._src.pallas.mosaic_gpu.core",
        ("cuda", "rocm"),
        "mosaic_gpu.CompilerParams",
        {
            "approx_math": False,
            "dimension_semantics": None,
            "max_concurrent_steps": 1,
            "delay_release": 0,
            "unsafe_no_auto_barriers": False,
            "reduction_scratch_bytes": 2048,
            "profile_space": 0,
            "profile_dir": "",
            "profile_trace_scope": "warpgroup",
            "profile_bounds_check": False,
            "lowering_semantics": _DEFAULT_SEMANTICS,
            "skip_device_barrier": False,
            "is_multi_process": False,
        },
    ),
    Backend(
        "triton",
        "triton_params",
        "jax._src.pallas.triton.core",
        ("cuda", "rocm"),
        "triton.CompilerParams",
        {"num_warps": None, "num_stages": None},
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
    """Options of gridir's entry points that pass through JAX as `compiler_params`.

    Attributes:
      records: pairs of a backend's name and its record of parameters.
      backend: the backend that the author named, or None.
      debug: whether the author asked for the kernel to be printed.
      cost_estimate: JAX's CostEstimate, or None.
    """

    records: tuple[tuple[str, Any], ...] = ()
    backend: str | None = None
    debug: bool = False
    cost_estimate: Any = None

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


def make_options(
    compiler_params: Any, backend: str | None = None, debug: bool = False, cost_estimate: Any = None
) -> Any:
    """Returns the value of `compiler_params` for JAX: the record itself if that contains everything.

    Args:
      compiler_params: a record, a mapping from backend name to record, or None.
      backend: the backend that the author named: one of Pallas', or "cpu".
      debug: whether the kernel is to be printed.
      cost_estimate: JAX's CostEstimate, or None.

    Raises:
      OptionError: if a backend is unknown, or a record is not that of its backend.
    """
    if backend is not None and backend != "cpu":
        backend = find_backend(backend).name
    if not isinstance(compiler_params, Mapping):
        if backend is None and not debug and cost_estimate is None:
            return compiler_params
        records = records_of(compiler_params)
    else:
        records = records_of(compiler_params)
    return CallOptions(tuple(sorted(records.items(), key=lambda item: item[0])), backend, debug, cost_estimate)


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
    """Returns the parameters for JAX's own lowering for a platform, if an entry point of gridir passed `CallOptions`.

    Anything else is returned unchanged. `platform` is one of JAX's: "cpu", "tpu", "cuda" or "rocm".
    """
    if not isinstance(compiler_params, CallOptions):
        return compiler_params
    records = dict(compiler_params.records)
    usual = [backend.name for backend in BACKENDS if platform in backend.platforms]
    named = (compiler_params.backend,) if compiler_params.backend in usual else ()
    return next((records[name] for name in (*named, *usual) if name in records), None)


def has_side_effects(record: Any) -> bool:
    """True if the author declares that a call has side effects and must not be removed."""
    effects = getattr(record, "has_side_effects", False)
    return getattr(effects, "value", effects) in (True, "side_effecting")

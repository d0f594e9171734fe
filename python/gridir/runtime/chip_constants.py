# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The constants of chips that predict times.

Limits and rates come from the tables of chips, other constants from `chip_constants.toml`. A file of the user can
replace both.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from gridir.errors import OptionError
from gridir.runtime.chips import find_facts


@dataclasses.dataclass(frozen=True)
class Chip:
    """A chip that a kernel is tuned for.

    Attributes:
      name: the target, as "tpu:v5e".
      values: the constants by name, in the units that `chip_constants.toml` states.
      sources: where each is from.
      verified: the measurements that predictions for the chip were compared with; "" if there are none.
    """

    name: str
    values: Mapping[str, float]
    sources: Mapping[str, str]
    verified: str

    def __getitem__(self, constant: str) -> float:
        """Returns a constant.

        Raises:
          OptionError: when the files of constants have none of that name for the chip.
        """
        if constant not in self.values:
            raise OptionError(f"expected a constant {constant} of {self.name}, got {', '.join(self.values)}")
        return self.values[constant]

    @property
    def kind(self) -> str:
        """Returns "tpu", "gpu" or "cpu"."""
        return self.name.partition(":")[0]

    def to_json(self) -> dict[str, Any]:
        """Returns the chip as JSON data."""
        return {"name": self.name, "verified": self.verified, "constants": dict(self.values)}


_TPU_FIGURES = ("clock_hz", "flops", "bandwidth", "vmem_bytes", "cores")
_GPU_FIGURES = (
    "multiprocessors", "clock_hz", "flops", "bandwidth", "function_ops", "vector_ops", "shared_bytes",
    "cta_shared_bytes", "registers", "threads", "ctas",
)  # fmt: skip


@functools.cache
def _own() -> dict[str, Any]:
    return tomllib.loads(resources.files("gridir.runtime").joinpath("chip_constants.toml").read_text(encoding="utf-8"))


def chip_names() -> list[str]:
    """Returns the targets that have constants."""
    return list(_own())


def _figures(name: str) -> dict[str, float]:
    """Returns the figures of a chip from its table by the keys of `chip_constants.toml`: those of a TPU per core."""
    facts = dict(find_facts(name))
    if name.startswith("tpu:") and facts:
        cores = facts.pop("cores")
        facts |= {key: facts[key] / cores for key in ("flops", "bandwidth")} | {"cores": facts["device_cores"]}
    keys = _GPU_FIGURES if name.startswith("gpu:") else _TPU_FIGURES
    return {key: facts[key] for key in keys if key in facts}


def load_chip(name: str, path: str | None = None) -> Chip:
    """Returns the constants of a chip.

    Args:
      name: the target; "tpu" stands for "tpu:v5e" and "gpu" for "gpu:sm_90a".
      path: a file in the form of `chip_constants.toml`, whose values replace gridir's.

    Raises:
      OptionError: for a chip without constants, or a file that cannot be read.
    """
    name = {"tpu": "tpu:v5e", "gpu": "gpu:sm_90a"}.get(name, name)
    entries: dict[str, Any] = dict(_own().get(name, {}))
    if path is not None:
        entries |= _read(path).get(name, {})
    if not entries:
        raise OptionError(f"expected a chip among {', '.join(chip_names())}, got {name!r}")
    source = find_facts(name).get("source", "")
    entries = {key: {"value": value, "source": source} for key, value in _figures(name).items()} | entries
    verified = str(entries.pop("verified", ""))
    values, sources = {}, {}
    for key, entry in entries.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("value"), int | float) or not entry.get("source"):
            raise OptionError(f"expected a value and a source of {key} of {name}, got {entry!r}")
        values[key], sources[key] = float(entry["value"]), str(entry["source"])
    return Chip(name, values, sources, verified)


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise OptionError(f"expected a file of constants, got {path!r}: {error}") from error

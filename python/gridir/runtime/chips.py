# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The limits, rates and instructions of chips, from the tables of the compiler.

The name of a chip includes its target, as "gpu:sm_90a". `dialects/GPU/Target/Chip.h` and `dialects/TPU/Target/Chip.h`
describe the fields.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from gridir.errors import OptionError
from gridir.mlir._mlir_libs import _gridirDialects


@functools.cache
def _rows() -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in json.loads(_gridirDialects.describe_targets())}


def chips_of(target: str) -> dict[str, Mapping[str, Any]]:
    """Returns the facts of all chips of a target, such as "gpu", by the name of the chip, the oldest first."""
    rows = ((name.partition(":"), row) for name, row in _rows().items())
    return {chip: row for (base, _, chip), row in rows if base == target and chip}


def product_chips(target: str) -> tuple[str, ...]:
    """Returns the chips of a target whose figures are known; for each product the one with all of its instructions."""
    of_product = {row["product"]: chip for chip, row in chips_of(target).items() if "product" in row}
    return tuple(of_product.values())


def find_facts(name: str) -> Mapping[str, Any]:
    """Returns the facts of a chip, such as "gpu:sm_90a"; nothing for other names."""
    return _rows().get(name, {})


def facts_of(name: str) -> Mapping[str, Any]:
    """Returns the facts of a chip, such as "gpu:sm_90a".

    Raises:
      OptionError: for an unknown chip.
    """
    base, _, chip = name.partition(":")
    chips = chips_of(base)
    if not chips:
        raise OptionError(f"expected a target whose chips are known, got {name!r}")
    if chip not in chips:
        raise OptionError(f"expected a chip of target {base!r} ({', '.join(chips)}), got {name!r}")
    return chips[chip]

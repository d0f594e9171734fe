# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HTML of templates and of highlighted text; needs the packages of the extra `report`."""

from __future__ import annotations

import functools
from typing import Any

from gridir.errors import Error


class MarkupError(Error, ImportError):
    """A package that HTML is made with is not installed."""


@functools.lru_cache
def environment(package: str) -> Any:
    """Returns the `jinja2.Environment` of the templates in a package's directory `templates`.

    Raises:
      MarkupError: when Jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError:
        raise missing("Jinja2") from None
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["bytes"] = format_bytes
    templates.filters["quantity"] = format_quantity
    return templates


def missing(package: str) -> MarkupError:
    """The error that a package is not there."""
    return MarkupError(f"expected the package {package}, got none", notes=["pip install 'gridir[report]'"])


def format_bytes(number: float) -> str:
    """A number of bytes as a person reads it: "1.5 MiB"."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(number) < 1024 or unit == "GiB":
            return f"{number:.4g} {unit}" if unit != "B" else f"{number:.0f} B"
        number /= 1024
    raise AssertionError("unreachable")


def format_quantity(number: float) -> str:
    """A number with the prefix of its thousands: "2.1 G"."""
    for prefix in ("", "k", "M", "G", "T"):
        if abs(number) < 1000 or prefix == "T":
            return f"{number:.4g} {prefix}".strip()
        number /= 1000
    raise AssertionError("unreachable")

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of a target: the base class of the record in each target's file."""

from __future__ import annotations

import dataclasses
import functools
import numbers
import types
import typing
from collections.abc import Sequence
from typing import Any, Self

from gridir.errors import OptionError


class Options:
    """The base of the options of all targets, which are frozen records.

    Attributes:
      pipeline: the pass pipeline from a `grid` module to the last stage of the target.
    """

    pipeline: str

    def __post_init__(self) -> None:
        """Checks the types of all fields; a list of strings becomes a tuple. Raises OptionError."""
        for name, hint in _get_hints(type(self)).items():
            value = getattr(self, name)
            if not _is_of(value, hint):
                raise OptionError(f"expected {name} to be {_describe(hint)}, got {value!r}")
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))

    @property
    def has_stages(self) -> bool:
        """True if the pipeline is the target's own, which can stop and continue at every stage."""
        return self.pipeline == type(self).pipeline

    def with_checks(self, checks: Sequence[str], schedule_seed: int | None) -> Self:
        """Returns options with additional checks of kernels that run on the CPU.

        Raises:
          OptionError: where there is something to check, and the target checks nothing.
        """
        if not checks and schedule_seed is None:
            return self
        raise OptionError(f"expected checks with the target cpu or gpu, got options {self!r}")

    def without_checks(self) -> Self:
        """Returns the same options without checks of kernels that run on the CPU."""
        return self


class CheckedOptions(Options):
    """The base of the options of a target whose kernels can be checked while they run on the CPU.

    Attributes:
      checks: the checks.
      schedule_seed: the seed of the order of concurrent work; None for the default order.
    """

    checks: tuple[str, ...]
    schedule_seed: int | None

    def with_checks(self, checks: Sequence[str], schedule_seed: int | None) -> Self:
        """See `Options`. Raises OptionError for an unknown check, or with a custom pipeline."""
        record: Any = self
        seed = self.schedule_seed if schedule_seed is None else schedule_seed
        return dataclasses.replace(record, checks=(*self.checks, *checks), schedule_seed=seed)

    def without_checks(self) -> Self:
        """See `Options`."""
        record: Any = self
        return dataclasses.replace(record, checks=())


@functools.cache
def _get_hints(options: type) -> dict[str, Any]:
    hints = typing.get_type_hints(options)
    return {field.name: hints[field.name] for field in dataclasses.fields(options)}


def _is_of(value: Any, hint: Any) -> bool:
    if isinstance(hint, types.UnionType):
        return any(_is_of(value, part) for part in typing.get_args(hint))
    if hint == tuple[str, ...]:
        return isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value)
    if hint is int:
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return not isinstance(hint, type) or isinstance(value, hint)


_DESCRIPTIONS = {str: "a string", int: "an integer", bool: "True or False", types.NoneType: "None"}


def _describe(hint: Any) -> str:
    if isinstance(hint, types.UnionType):
        return " or ".join(_describe(part) for part in typing.get_args(hint))
    if hint == tuple[str, ...]:
        return "a list of strings"
    return _DESCRIPTIONS.get(hint, str(getattr(hint, "__name__", hint)))


def with_options(pipeline: str, options: Sequence[str]) -> str:
    """Returns the text of a pipeline, or of several whose last one takes the options."""
    return f"{pipeline}{{{' '.join(options)}}}" if options else pipeline

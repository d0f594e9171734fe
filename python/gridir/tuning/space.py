# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spaces of configurations: the values that the arguments of a function may take."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gridir.errors import OptionError

Config = dict[str, Any]
"""A value for each parameter of a space, in the order of the space."""

_SCALARS = (bool, int, float, str, type(None))


@dataclasses.dataclass(frozen=True)
class Record:
    """A keyword argument that is one record of several parameters.

    Attributes:
      make: makes the record from the parameters, which it takes as keyword arguments.
      values: the values of each parameter.

    Example:
      >>> space = {"block_sizes": Record(BlockSizes, {"block_q": (128, 256), "block_k": (128, 256)})}
    """

    make: Callable[..., Any]
    values: Mapping[str, Sequence[Any]]


def record(make: Callable[..., Any], **values: Sequence[Any]) -> Record:
    """Returns a keyword argument that is one record: `make` with a value of each parameter."""
    return Record(make, values)


@dataclasses.dataclass(frozen=True)
class Space:
    """The configurations that a function is tuned over.

    Attributes:
      arguments: for each keyword argument its values, or a `Record`.
      where: says whether a configuration is meant, of the parameters as keyword arguments; None for all.
    """

    arguments: Mapping[str, Sequence[Any] | Record]
    where: Callable[..., bool] | None = None

    def __post_init__(self) -> None:
        plain = {
            name: dataclasses.replace(values, values={field: _plain(x) for field, x in values.values.items()})
            if isinstance(values, Record)
            else _plain(values)
            for name, values in self.arguments.items()
        }
        object.__setattr__(self, "arguments", plain)
        names = list(self.parameters)
        if not names:
            raise OptionError("expected a space with parameters, got an empty one")
        for name, values in self.parameters.items():
            if isinstance(values, str) or not isinstance(values, Sequence) or not values:
                raise OptionError(f"expected a list of values of {name}, got {values!r}")
            for value in values:
                _check_value(name, value)

    @property
    def parameters(self) -> dict[str, Sequence[Any]]:
        """Returns the values of each parameter, those of records among them."""
        found: dict[str, Sequence[Any]] = {}
        for name, values in self.arguments.items():
            fields = values.values if isinstance(values, Record) else {name: values}
            for field, choices in fields.items():
                if field in found:
                    raise OptionError(f"expected each parameter of a space once, got {field} twice")
                found[field] = choices
        return found

    def configs(self) -> list[Config]:
        """Returns all configurations, in the order of the values."""
        names = list(self.parameters)
        product = (dict(zip(names, values, strict=True)) for values in itertools.product(*self.parameters.values()))
        found = [config for config in product if self._admits(config)]
        if not found:
            raise OptionError("expected a space with a configuration that its condition admits, got none")
        return found

    def _admits(self, config: Config) -> bool:
        try:
            return self.where is None or bool(self.where(**config))
        except Exception as error:
            raise OptionError(
                f"expected a condition of the space that takes {describe(config)}, got {type(error).__name__}: {error}"
            ) from error

    def keywords(self, config: Config) -> dict[str, Any]:
        """Returns the keyword arguments of the function for a configuration."""
        return {
            name: values.make(**{field: config[field] for field in values.values})
            if isinstance(values, Record)
            else config[name]
            for name, values in self.arguments.items()
        }

    def to_json(self) -> dict[str, Any]:
        """Returns the construction of arguments from parameters, as JSON data."""
        return {
            name: {"make": f"{values.make.__module__}:{values.make.__qualname__}", "fields": list(values.values)}
            if isinstance(values, Record)
            else None
            for name, values in self.arguments.items()
        }


def _plain(values: Any) -> Any:
    """Returns values as a list of Python's own numbers, each once; anything else than a list or array as it is."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, Sequence) or isinstance(values, str):
        return values
    found: list[Any] = []
    for value in values:
        value = value.item() if isinstance(value, np.generic) else value
        # True is no 1 here.
        if not any(type(value) is type(other) and value == other for other in found):
            found.append(value)
    return found


def as_space(space: Any) -> Space:
    """Converts an argument of the user to a `Space`: one, a mapping, or a mapping and a condition.

    Raises:
      OptionError: for anything else.
    """
    if isinstance(space, Space):
        return space
    if isinstance(space, Mapping):
        return Space(space)
    if isinstance(space, tuple) and len(space) == 2 and isinstance(space[0], Mapping) and callable(space[1]):
        return Space(*space)
    raise OptionError(f"expected a space as a mapping from parameters to values, got {space!r}")


def keywords_from_json(arguments: Mapping[str, Any], config: Config) -> dict[str, Any]:
    """Returns the keyword arguments of a configuration whose space was stored by `Space.to_json`.

    Raises:
      OptionError: when a function that makes a record cannot be imported, or the configuration lacks a parameter.
    """
    found: dict[str, Any] = {}
    for name, entry in arguments.items():
        for field in [name] if entry is None else entry["fields"]:
            if field not in config:
                raise OptionError(f"expected a configuration with {field}, got {describe(config)}")
        if entry is None:
            found[name] = config[name]
            continue
        found[name] = _import(entry["make"])(**{field: config[field] for field in entry["fields"]})
    return found


def _import(place: str) -> Any:
    """Returns the function at a place such as "package.module:name"."""
    module, _, path = place.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise OptionError(
            f"expected {place}, which makes a record of parameters, got none",
            notes=["a result that is read from text needs a function that can be imported, as no lambda can"],
        ) from error
    return found


_SPAN = re.compile(r"-?\d+(-|:|\.\.)-?\d+")
"""A text that a user may write for a range of numbers."""


def parse_choices(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Reads the command line's `name=value,value`.

    Raises:
      OptionError: for a text of another form, or a name that is given twice.
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, separator, values = text.partition("=")
        if not separator or not name.isidentifier() or not values:
            raise OptionError(f"expected a parameter as name=value,value, got {text!r}")
        if name in found:
            raise OptionError(f"expected each parameter once, got {name} twice")
        found[name] = [_parse(value) for value in values.split(",")]
        spans = [value for value in values.split(",") if _SPAN.fullmatch(value)]
        if spans:
            raise OptionError(
                f"expected each value of {name}, got the range {spans[0]!r}",
                notes=["a list of values is written as 1,2,3,4; a text is written in quotation marks"],
            )
    return found


def _parse(text: str) -> Any:
    try:
        return {"True": True, "False": False, "None": None}.get(text, json.loads(text) if text else text)
    except json.JSONDecodeError:
        return text


def _check_value(name: str, value: Any) -> None:
    parts: Iterator[Any] = iter(value) if isinstance(value, tuple) else iter((value,))
    if not all(isinstance(part, _SCALARS) and not isinstance(part, enum.Enum) for part in parts):
        raise OptionError(
            f"expected numbers, texts, None or tuples of them as values of {name}, got {value!r}",
            notes=["a Record makes other objects of them: Record(lambda layout: Layout[layout], {'layout': [...]})"],
        )


def describe(config: Config) -> str:
    """Returns a configuration as people write it: "block_q=128 block_k=256"."""
    return " ".join(f"{name}={value}" for name, value in config.items())

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparing results with those of an oracle as a numerical analyst would.

Two correct computations of a sum differ in the last digits, and if the sum cancels, only these digits remain. The
distance of two floats alone is therefore meaningless. The comparison judges the error of a result against the value in
float64, and against how far roundings may move that value, which `gridir.testing.wide` measures.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gridir.errors import UnsupportedError
from gridir.testing.wide import WideRun, run_wide

# The maximum distance of two computations of one value, relative to the value or to the median magnitude in the array;
# for what cannot be computed in float64.
_TOLERANCES = {"float64": 1e-12, "float32": 1e-5, "bfloat16": 2e-2, "float16": 2e-3}

# The median error, in ulp, of values that are rounded once; the largest is twice that. And the multiples of an oracle's
# median error, and of its bound of 99 %, that a person should know, though roundings of the program explain them.
_ROUNDED_ONCE = 0.25
_MUCH_LARGER = 4
_MUCH_LARGER_99 = 16

# An error may be this many times the root mean square of the runs with noise, plus one ulp.
_SPREADS = 10

# The same for types of less than 32 bits, where a spread of one ulp counts, too.
_NARROW_SPREADS = 3


@dataclasses.dataclass(frozen=True)
class Errors:
    """The distance of one side's results from the values in float64, in units in the last place (ulp) of their type.

    Attributes:
      median: of all elements.
      percentile_99: the bound of 99 % of the elements.
      largest: the largest.
      nearer: how many elements are nearer to the value in float64 than the other side's.
    """

    median: float
    percentile_99: float
    largest: float
    nearer: int

    def is_much_larger(self, other: Errors) -> bool:
        """True if a person should know how much larger these are than another side's."""
        return self.median > _MUCH_LARGER * max(
            other.median, _ROUNDED_ONCE
        ) or self.percentile_99 > _MUCH_LARGER_99 * max(other.percentile_99, 2 * _ROUNDED_ONCE)

    def __str__(self) -> str:
        return f"median {self.median:.3g}, 99 % {self.percentile_99:.3g}, largest {self.largest:.3g}"


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The comparison of one result with the oracle's.

    Attributes:
      path: which result, as "[0]" or "['loss']"; "" for the only one.
      elements: how many there are.
      apart: how many differ by more than one ulp; of integers, at all.
      wrong: how many of those no rounding explains.
      nan_on_both: how many are NaN on both sides.
      example: the worst of the wrong elements, in words; "" for none.
      errors: those of the results and those of the oracle; None where float64 was not needed, or could not be used.
      by_tolerance: why the elements were judged by a fixed tolerance, too or instead of by float64; "" where they were
        not.
      wrong_elements: which elements are wrong, in the shape of the result.
    """

    path: str
    elements: int
    apart: int
    wrong: int
    nan_on_both: int = 0
    example: str = ""
    errors: tuple[Errors, Errors] | None = None
    by_tolerance: str = ""
    wrong_elements: np.ndarray | None = dataclasses.field(default=None, repr=False, compare=False)

    def summary(self) -> dict[str, Any]:
        """Returns all of it but the elements, for JSON."""
        known = dataclasses.asdict(dataclasses.replace(self, wrong_elements=None))
        del known["wrong_elements"]
        return known

    def describe(self, oracle: str) -> list[str]:
        """Returns lines that describe it; empty if all elements are equal.

        Args:
          oracle: the reference, as "interpret mode".
        """
        lines = []
        name = f"result{self.path}"
        if self.wrong:
            more = "by more than rounding explains" if self.errors else "by more than the tolerance of their type"
            lines.append(f"{name}: {self.wrong} of {self.elements} elements differ {more}, {self.example}")
        elif self.apart:
            kind = "which rounding explains" if self.errors else "within the tolerance of their type"
            lines.append(f"{name}: {self.apart} of {self.elements} elements differ by more than 1 ulp, {kind}")
        if self.nan_on_both:
            lines.append(f"{name}: {self.nan_on_both} of {self.elements} elements are NaN on both sides")
        if self.errors:
            ours, theirs = self.errors
            lines.append(f"  errors against float64 in ulp, gridir: {ours}; {oracle}: {theirs}")
            lines.append(f"  nearer to float64: gridir in {ours.nearer} elements, {oracle} in {theirs.nearer}")
            if not self.wrong and ours.is_much_larger(theirs):
                lines.append(
                    f"  the errors are much larger than those of {oracle}: the program rounds on the way, for example "
                    "in an accumulator of a narrow type"
                )
        if self.by_tolerance and self.errors:
            lines.append(
                f"  judged by the roundings of {oracle} and by a tolerance of the type, as there is no run of the "
                f"program in float64: {self.by_tolerance}"
            )
        elif self.by_tolerance:
            lines.append(f"  judged by a tolerance of the type, as there is no run in float64: {self.by_tolerance}")
        return lines


def compare(got: Any, want: Any, wide: Callable[[], WideRun] | None = None) -> list[Comparison]:
    """Compares a tree of arrays with that of an oracle, one record for each array.

    Elements that are equal, or one ulp apart, are right. Of the others, one is right where its distance to the
    oracle's, or to the value in float64, is at most one ulp and ten times the root mean square by which roundings move
    it, for which at least half of the array's median is taken. One that is as near to the value in float64 as the
    oracle's is right, too. Integers are right where they are equal, or one of the
    runs with noise is as far from the exact run.

    Args:
      got: the results.
      want: those of the oracle. Floats of another type are rounded to that of the results.
      wide: computes the results in float64; it is called where some element needs it. Without it, and where it raises
        UnsupportedError, floats are judged by a tolerance of their type.

    Raises:
      ValueError: when the trees or the shapes differ, or numbers of one kind are compared with those of another.
    """
    leaves, expected = jax.tree.leaves_with_path(got), jax.tree.leaves(want)
    if len(leaves) != len(expected):
        raise ValueError(f"expected {len(expected)} results, got {len(leaves)}")
    pairs = [(jax.tree_util.keystr(path), *_as_pair(x, y)) for (path, x), y in zip(leaves, expected, strict=True)]
    first = [_apart(x, y) for _, x, y in pairs]
    run, reason = None, ""
    if wide is not None and any(apart.any() for apart in first):
        try:
            run = wide()
        except UnsupportedError as error:
            reason = error.message
    if run is not None:
        reason = run.substitute_for
    return [
        _judge(path, x, y, apart, run and (run.exact[number], run.samples[number]), reason)
        for number, ((path, x, y), apart) in enumerate(zip(pairs, first, strict=True))
    ]


def differences(got: Any, want: Any, function: Callable[..., Any], args: Sequence[Any]) -> list[str]:
    """Returns the faults of the results of a function of JAX arrays, as `compare` decides; [] if there is none.

    Args:
      got: the results of `function(*args)`, a tree of arrays.
      want: those of an oracle.
      function: is computed in float64 where some element needs it.

    Raises:
      ValueError: as `compare`.
    """
    found = compare(got, want, lambda: run_wide(function, args))
    return [
        f"{result.wrong} of {result.elements} elements differ, {result.example}" for result in found if result.wrong
    ]


def difference(got: Any, want: Any, tolerance: float | None = None) -> str | None:
    """Compares two arrays; integers and bools must be equal, floats close, and NaNs at the same indices.

    Args:
      got: the array to test.
      want: the array that it should be.
      tolerance: how far floats may be apart, relative to `want`; a default for the dtype when None.

    Returns:
      The largest difference, or None.
    """
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"expected {want.dtype}{list(want.shape)}, got {got.dtype}{list(got.shape)}"
    apart = _outside_tolerance(got, want, tolerance)
    if not apart.any():
        return None
    index = tuple(int(i[0]) for i in np.nonzero(apart)) if apart.ndim else ()
    return f"{int(apart.sum())} of {apart.size} elements differ, at {index} expected {want[index]}, got {got[index]}"


def _outside_tolerance(got: np.ndarray, want: np.ndarray, tolerance: float | None = None) -> np.ndarray:
    if not jnp.issubdtype(want.dtype, np.floating):
        return np.asarray(got != want)
    limit = _TOLERANCES.get(want.dtype.name, 0.13) if tolerance is None else tolerance
    wide_got, wide_want = _numbers(got), _numbers(want)
    magnitudes = np.abs(wide_want[np.isfinite(wide_want)])
    scale = float(np.median(magnitudes)) if magnitudes.size else 0.0
    return ~np.isclose(wide_got, wide_want, rtol=limit, atol=limit * scale, equal_nan=True)


def _as_pair(got: Any, want: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both sides as arrays of one type; random keys as their words."""
    x, y = (
        np.asarray(jax.random.key_data(v) if jnp.issubdtype(jnp.asarray(v).dtype, jax.dtypes.prng_key) else v)
        for v in (got, want)
    )
    if x.shape != y.shape or _kind(x) != _kind(y):
        raise ValueError(f"expected {y.dtype}{list(y.shape)}, got {x.dtype}{list(x.shape)}")
    return x, y.astype(x.dtype)


def _kind(x: np.ndarray) -> Any:
    kinds = (jnp.floating, jnp.complexfloating, jnp.bool_, jnp.integer)
    return next(kind for kind in kinds if jnp.issubdtype(x.dtype, kind))


def _numbers(x: np.ndarray) -> np.ndarray:
    """The same numbers in a type in which the distances between those of a narrower one are exact."""
    # NumPy warns of a signaling NaN, which memory that nothing has written may hold.
    with np.errstate(invalid="ignore"):
        return x.astype(np.complex128 if jnp.issubdtype(x.dtype, np.complexfloating) else np.float64)


def _ulp(x: np.ndarray, dtype: Any) -> np.ndarray:
    """The unit in the last place that a type has at these magnitudes; 0 for integers, which are exact."""
    if not jnp.issubdtype(dtype, jnp.inexact):
        return np.zeros(x.shape)
    info = jnp.finfo(dtype)
    magnitude = np.where(np.isfinite(x), np.abs(x), 0.0)
    return np.ldexp(float(info.eps), np.frexp(np.maximum(magnitude, float(info.tiny)))[1] - 1)


def _distance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The distance of numbers: 0 for equal infinities and two NaNs, infinity for one of either."""
    with np.errstate(all="ignore"):
        distance = np.abs(x - y)
    return np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.where(np.isnan(distance), np.inf, distance))


def _apart(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """The elements that are neither equal nor adjacent floats."""
    x, y = _numbers(got), _numbers(want)
    if _kind(got) is jnp.integer:
        # Integers of 64 bits may differ where their floats do not.
        return got != want
    return _distance(x, y) > _ulp(np.maximum(np.abs(x), np.abs(y)), got.dtype)


def _judge(
    path: str,
    got: np.ndarray,
    want: np.ndarray,
    apart: np.ndarray,
    wide: tuple[np.ndarray, np.ndarray] | None,
    reason: str,
) -> Comparison:
    x, y = _numbers(got), _numbers(want)
    errors, exact, allowed = None, None, None
    if wide is None:
        wrong = apart & _outside_tolerance(got, want)
    else:
        exact, samples = map(_numbers, wide)
        allowed = _allowed(x, exact, samples, got.dtype)
        error, error_of_oracle = _distance(x, exact), _distance(y, exact)
        # An element that is as close to the exact value as the reference counts as correct.
        farther = (error > error_of_oracle) | ~np.isfinite(error_of_oracle)
        wrong = apart & (_distance(x, y) > allowed) & (error > allowed) & farther
        if reason:
            wrong &= _outside_tolerance(got, want)
        errors = _errors(x, y, exact, got.dtype) if apart.any() else None
    index = _largest(np.where(wrong, _distance(x, y), -1.0)) if wrong.any() else ()
    in_float64 = ""
    if exact is not None and allowed is not None and wrong.any():
        in_float64 = f", in float64 {exact[index]:.7g}, which roundings move by up to {allowed[index]:.2g}"
    return Comparison(
        path,
        got.size,
        int(apart.sum()),
        int(wrong.sum()),
        int((np.isnan(x) & np.isnan(y)).sum()),
        f"at {index} expected {want[index]}, got {got[index]}{in_float64}" if wrong.any() else "",
        errors,
        reason if apart.any() else "",
        wrong,
    )


def _largest(x: np.ndarray) -> tuple[int, ...]:
    return tuple(map(int, np.unravel_index(np.argmax(x), x.shape)))


def _allowed(got: np.ndarray, exact: np.ndarray, samples: np.ndarray, dtype: Any) -> np.ndarray:
    """The maximum distance of an element from the exact value."""
    # A number that becomes infinite or NaN by rounding, or is that before, explains nothing.
    with np.errstate(all="ignore"):
        moved = np.where(np.isfinite(samples) & np.isfinite(exact), np.abs(samples - exact), 0.0)
    if not jnp.issubdtype(dtype, jnp.inexact):
        return moved.max(axis=0)
    # A result in the next binade is as exact as one in this; one far off has no say in how far off it may be.
    with np.errstate(all="ignore"):
        near = np.clip(np.abs(got), np.abs(exact), 2 * np.abs(exact))
        ulp = _ulp(np.where(np.isfinite(near), near, np.abs(exact)), dtype)
    # The last rounding is not noise: everybody makes it, and it is one ulp at most.
    spread = np.sqrt(np.mean(np.maximum(moved - ulp, 0.0) ** 2, axis=0))
    # With few runs, the spread of an element may be too small by chance; elements of an array usually have similar
    # spreads.
    usual = float(np.median(spread)) if spread.size else 0.0
    allowed = ulp + _SPREADS * np.maximum(spread, usual / 2)
    if jnp.finfo(dtype).bits >= 32:
        return allowed
    # Each op of a narrow type rounds by half an ulp, and a chain of them may add up to more than one.
    with np.errstate(all="ignore"):
        of_chain = np.sqrt(np.mean(moved**2, axis=0)) / ulp
    of_chain = np.where(np.isfinite(of_chain), of_chain, 0.0)
    usual = float(np.median(of_chain)) if of_chain.size else 0.0
    return np.maximum(allowed, _NARROW_SPREADS * np.maximum(of_chain, usual) * ulp)


def _errors(ours: np.ndarray, theirs: np.ndarray, exact: np.ndarray, dtype: Any) -> tuple[Errors, Errors] | None:
    if not exact.size or not jnp.issubdtype(dtype, jnp.inexact):
        return None
    mine, other = _distance(ours, exact), _distance(theirs, exact)

    def describe(values: np.ndarray, error: np.ndarray, error_of_other: np.ndarray) -> Errors:
        # Where the value is 0 an error would be any number of ulps; here it is at most all the digits of the result.
        ulp = _ulp(np.maximum(np.abs(exact), np.abs(values)), dtype)
        median, most, largest = map(float, np.quantile(error / ulp, (0.5, 0.99, 1.0), method="lower"))
        return Errors(median, most, largest, int((error < error_of_other).sum()))

    return describe(ours, mine, other), describe(theirs, other, mine)

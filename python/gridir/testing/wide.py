# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates a function in float64, and measures the effect of the roundings of its own types on each result.

The jaxpr of the function, with its kernels as JAX's interpret mode runs them, is evaluated equation by equation with
every float as a float64. Without noise that is the value that all implementations round. With noise, each result that
its own type cannot hold is moved by up to two units in its last place, by a hash of its bits, and rounded to its type:
one run is a possible result of another correct implementation, and the spread of several runs is due to rounding.
A result that its type holds exactly stays as it is in every implementation, so it stays here.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_core, jax_interpret
from gridir.frontend.compat.jax_equations import canonical
from gridir.testing import wide_functions

SAMPLES = 8
"""The number of runs with noise for a spread."""

# Higher levels take longer to compile; the nine runs of level 0, which tests set, take five to ten times as long.
_COMPILER_OPTIONS = {"xla_backend_optimization_level": 1}

# The maximum shift of a result before rounding, in units in the last place.
_MOVE = 1.5


@dataclasses.dataclass(frozen=True)
class WideRun:
    """The results of a function in float64.

    Attributes:
      exact: for each result the value before any rounding, in float64 or complex128; integers as they are.
      samples: for each result the values of `SAMPLES` runs with noise, along a new first dimension.
      substitute_for: why this is a run of the oracle and not of the program that is judged; "" for one of the latter.
    """

    exact: tuple[np.ndarray, ...]
    samples: tuple[np.ndarray, ...]
    substitute_for: str = ""

    def around(self, exact: Sequence[np.ndarray]) -> WideRun:
        """The same roundings of other results: each sample is as far from `exact` as it is from the results here."""
        triples = zip(self.samples, self.exact, exact, strict=True)
        return WideRun(tuple(exact), tuple(_move(samples, mine, theirs) for samples, mine, theirs in triples))


def run_wide(function: Callable[..., Any], args: Sequence[Any]) -> WideRun:
    """Computes a function in float64, once exactly and `SAMPLES` times with the roundings chosen at random.

    Args:
      function: a function of JAX arrays, which is traced here; its kernels are those of JAX's interpret mode.
      args: its arguments, which are taken to be exact.

    Raises:
      UnsupportedError: when the function has an equation that cannot be computed in another type.
    """
    leaves = [jnp.asarray(x) for x in jax.tree.leaves(args)]
    of_author = jax.config.jax_enable_x64
    try:
        closed = jax.make_jaxpr(function)(*args)
        with jax.enable_x64(True):
            evaluate = jax.jit(
                lambda seed, *xs: _Evaluation(seed, of_author).run(closed, map(_widen, xs)),
                compiler_options=_COMPILER_OPTIONS,
            )
            exact, *samples = [
                [np.asarray(x) for x in evaluate(np.uint64(seed), *leaves)] for seed in range(SAMPLES + 1)
            ]
    except UnsupportedError:
        raise
    except Exception as error:
        # JAX raises errors of any class for kernels and primitives that it cannot evaluate in float64.
        summary = str(error).strip().partition("\n")[0]
        raise UnsupportedError(": ".join(filter(None, (type(error).__name__, summary)))) from error
    return WideRun(tuple(exact), tuple(np.stack(runs) for runs in zip(*samples, strict=True)))


def _move(samples: np.ndarray, mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Samples around `mine` as samples around `theirs`. Those of integers and bools are numbers, too."""
    if np.issubdtype(theirs.dtype, np.inexact):
        return samples - mine + theirs
    # Integers of 64 bits are no exact float64; where roundings do not change one, neither does the type.
    offset = samples.astype(np.float64) - mine.astype(np.float64)
    return np.where(samples == mine, theirs.astype(np.float64), offset + theirs.astype(np.float64))


def wide_dtype(dtype: Any) -> Any:
    """The dtype that values of a dtype are computed in: float64, complex128, or the dtype itself."""
    if jnp.issubdtype(dtype, jnp.floating):
        return np.dtype(np.float64)
    return np.dtype(np.complex128) if jnp.issubdtype(dtype, jnp.complexfloating) else dtype


def _widen(x: Any) -> Any:
    return jax.lax.convert_element_type(x, wide_dtype(x.dtype)) if wide_dtype(x.dtype) != x.dtype else x


def _narrow(x: Any, aval: Any) -> Any:
    return jax.lax.convert_element_type(x, aval.dtype) if x.dtype != aval.dtype else x


class _Evaluation:
    """One evaluation of a jaxpr, exact where the seed is 0."""

    def __init__(self, seed: Any, x64_of_author: bool):
        self._seed = seed
        self._x64_of_author = x64_of_author

    def run(self, closed: Any, args: Iterable[Any]) -> list[Any]:
        """Evaluates a closed jaxpr on wide values."""
        return self._jaxpr(closed.jaxpr, closed.consts, args)

    def _jaxpr(self, jaxpr: Any, consts: Sequence[Any], args: Iterable[Any]) -> list[Any]:
        values = dict(zip(jaxpr.constvars, map(_widen, map(jnp.asarray, consts)), strict=True))
        values |= dict(zip(jaxpr.invars, args, strict=True))

        def read(atom: Any) -> Any:
            return _widen(jnp.asarray(atom.val, atom.aval.dtype)) if isinstance(atom, core.Literal) else values[atom]

        for equation in jaxpr.eqns:
            results = self._equation(equation, [read(atom) for atom in equation.invars])
            values |= dict(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _equation(self, equation: Any, operands: list[Any]) -> Sequence[Any]:
        name = equation.primitive.name
        if name in jax_core.CALLS:
            return self._function(canonical(equation).params[jax_core.CALLS[name]], operands)
        if name in _CONTROL:
            return _CONTROL[name](self, canonical(equation).params, operands)
        if name in _SILENT:
            return []
        state = jax_core.discharged_state(equation)
        if state is not None:
            pure, has_operand = state
            given = iter(operands)
            values = [
                next(given) if has else _widen(jax_core.uninitialized_value(v.aval))
                for v, has in zip(pure.jaxpr.invars, has_operand, strict=True)
            ]
            return self.run(pure, values)[: len(equation.outvars)]
        kernel = jax_interpret.interpreted(equation, x64=self._x64_of_author)
        if kernel is not None:
            return self.run(kernel, operands)
        holds_function = any(True for _ in core.jaxprs_in_params(equation.params))
        if holds_function and not wide_functions.has_known_function(name):
            raise UnsupportedError(f"expected an equation that can be computed in float64, got {name}")
        if name in _OF_BITS:
            inputs = [_narrow(x, atom.aval) for x, atom in zip(operands, equation.invars, strict=True)]
            return [_widen(x) for x in self._bind(equation, inputs, equation.params)]
        params = {key: _wide_param(key, value) for key, value in equation.params.items()}
        results = self._bind(equation, operands, params)
        if name == "reduce_precision":
            results = operands
        if not any(_is_inexact(v.aval.dtype) for v in equation.outvars):
            return results
        moved = results
        if name in _ACCUMULATING:
            terms = _ACCUMULATING[name](equation)
            inputs = [self._move_terms(x, v.aval.dtype, terms) for x, v in zip(operands, equation.invars, strict=True)]
            moved = self._bind(equation, inputs, params)
        move, least = _APPROXIMATED.get(name, (_MOVE, 0.0))
        if name in _BY_EXPONENT:
            move = _BY_EXPONENT[name](move, *operands, *results)
        return [
            self._round(x, y, v.aval.dtype, move, least)
            for x, y, v in zip(results, moved, equation.outvars, strict=True)
        ]

    def _function(self, function: Any, operands: Sequence[Any]) -> list[Any]:
        """Evaluates a jaxpr, closed or not."""
        return self._jaxpr(getattr(function, "jaxpr", function), getattr(function, "consts", ()), operands)

    def _bind(self, equation: Any, operands: Sequence[Any], params: dict[str, Any]) -> Sequence[Any]:
        name = equation.primitive.name
        if wide_functions.has_known_function(name):
            # A function of elements may not read the seed, which is a value of the program around it.
            return wide_functions.bind(name, params, operands, _Evaluation(0, self._x64_of_author)._function)
        results = equation.primitive.bind(*operands, **params)
        return results if equation.primitive.multiple_results else [results]

    def _round(self, exact: Any, moved: Any, dtype: Any, move: Any = _MOVE, least: float = 0.0) -> Any:
        """A result as an implementation might round it: as it is where its type holds it, else moved and rounded.

        Args:
          exact: the result.
          moved: the result of terms that are moved, where there are such.
          dtype: the type that it is rounded to.
          move: how far it is moved before, in units of its last place: a number or one for each element.
          least: the magnitude whose last place is taken for results that are smaller.
        """
        if not _is_inexact(dtype):
            return exact
        if jnp.issubdtype(dtype, jnp.complexfloating):
            part = jnp.finfo(dtype).dtype
            return jax.lax.complex(
                self._round(exact.real, moved.real, part, move, least),
                self._round(exact.imag, moved.imag, part, move, least),
            )
        # No type is wider than float64: a value that a float32 represents is taken to be exact.
        held = exact.astype(dtype if dtype != np.float64 else np.float32).astype(np.float64) == exact
        held = (held & (moved == exact)) | ~jnp.isfinite(exact)
        # Functions of narrow floats are computed in wider ones by everybody, and rounded once.
        move = move if jnp.finfo(dtype).bits >= 32 else 0.5
        size = jnp.sign(moved) * jnp.maximum(jnp.abs(moved), least) if least else moved
        noisy = moved + size * move * jnp.finfo(dtype).eps * self._random(moved)
        rounded = jnp.where((self._seed == 0) | held, exact, noisy.astype(dtype).astype(np.float64))
        if isinstance(self._seed, int):
            # In a function of elements.
            return rounded
        # XLA would compute a chain of results again for each of its uses, and compile for minutes.
        return jax.lax.optimization_barrier(rounded)

    def _move_terms(self, x: Any, dtype: Any, terms: int) -> Any:
        """The terms of a sum, each moved by as much as the roundings of the partial sums may come to."""
        if not _is_inexact(dtype):
            return x
        # Sums of narrower types are accumulated in float32, or more.
        eps = min(float(jnp.finfo(dtype).eps), float(jnp.finfo(np.float32).eps))
        magnitude = x.real if jnp.iscomplexobj(x) else x
        moved = x * (1 + _MOVE * eps * max(terms, 1) ** 0.5 * self._random(magnitude))
        # Sums of whole numbers are exact.
        return jnp.where(x == jnp.round(x), x, moved)

    def _random(self, x: Any) -> Any:
        """Numbers between -1 and 1 that follow from the bits of `x`, as a rounding error does, and the seed."""
        bits = jax.lax.bitcast_convert_type(x, np.uint64) ^ (self._seed * np.uint64(0x9E3779B97F4A7C15))
        for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
            bits = (bits ^ (bits >> np.uint64(31))) * np.uint64(factor)
        bits ^= bits >> np.uint64(31)
        return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1

    def shard_map(self, params: dict[str, Any], operands: Sequence[Any]) -> Sequence[Any]:
        mapped = jax.shard_map(
            lambda *xs: tuple(self._function(params["jaxpr"], xs)),
            mesh=params["mesh"],
            in_specs=tuple(params["in_specs"]),
            out_specs=tuple(params["out_specs"]),
            axis_names=params["newly_manual_axes"],
            check_vma=False,
        )
        return mapped(*operands)

    def cond(self, params: dict[str, Any], operands: Sequence[Any]) -> Sequence[Any]:
        index, *rest = operands
        branches = [functools.partial(lambda b, *xs: self.run(b, xs), b) for b in params["branches"]]
        return jax.lax.switch(index.astype(np.int32), branches, *rest)

    def while_(self, params: dict[str, Any], operands: Sequence[Any]) -> Sequence[Any]:
        first, second = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
        of_cond, of_body, carry = operands[:first], operands[first:second], operands[second:]
        return jax.lax.while_loop(
            lambda xs: self.run(params["cond_jaxpr"], [*of_cond, *xs])[0],
            lambda xs: self.run(params["body_jaxpr"], [*of_body, *xs]),
            list(carry),
        )

    def scan(self, params: dict[str, Any], operands: Sequence[Any]) -> Sequence[Any]:
        consts, num_carry, _ = map(len, params["ft_in"].unpack())
        carried = consts + num_carry

        def step(carry: Any, xs: Any) -> Any:
            results = self.run(params["jaxpr"], [*operands[:consts], *carry, *xs])
            return results[:num_carry], results[num_carry:]

        carry, stacked = jax.lax.scan(
            step, operands[consts:carried], operands[carried:], length=params["length"], reverse=params["reverse"]
        )
        return [*carry, *stacked]


def _is_inexact(dtype: Any) -> bool:
    return jnp.issubdtype(dtype, jnp.inexact)


def _wide_param(key: str, value: Any) -> Any:
    """A parameter of a primitive as it is for wide operands."""
    if key in ("new_dtype", "preferred_element_type", "dtype") and value is not None:
        return wide_dtype(np.dtype(value))
    # How the products of narrow types may be computed.
    return None if key == "precision" else value


def _of_dot(equation: Any) -> int:
    (contracting, _), _ = equation.params["dimension_numbers"]
    return int(np.prod([equation.invars[0].aval.shape[i] for i in contracting], dtype=np.int64))


def _of_reduction(equation: Any) -> int:
    return equation.invars[0].aval.size // max(equation.outvars[0].aval.size, 1)


def _of_axis(equation: Any) -> int:
    return equation.invars[0].aval.shape[equation.params["axis"]]


def _of_all(equation: Any) -> int:
    return equation.invars[-1].aval.size


def _of_convolution(equation: Any) -> int:
    shape, numbers = equation.invars[1].aval.shape, equation.params["dimension_numbers"]
    return equation.invars[1].aval.size // shape[numbers.rhs_spec[0]]


# The primitives that add up terms, and how many.
_ACCUMULATING: dict[str, Callable[[Any], int]] = {
    "dot_general": _of_dot,
    "conv_general_dilated": _of_convolution,
    "reduce": _of_reduction,
    "reduce_sum": _of_reduction,
    "reduce_prod": _of_reduction,
    "reduce_window": lambda equation: int(np.prod(equation.params["window_dimensions"])),
    "reduce_window_sum": lambda equation: int(np.prod(equation.params["window_dimensions"])),
    "cumsum": _of_axis,
    "cumprod": _of_axis,
    "cumlogsumexp": _of_axis,
    "scatter-add": _of_all,
    "scatter-mul": _of_all,
    "scatter-sub": _of_all,
}

# Functions that are computed by approximations, which honest implementations choose differently: how far a result is
# moved, as by `_MOVE`. A sum of terms that cancel gives those with zeros, so that there the terms' last place counts.
_APPROXIMATED: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("digamma", "lgamma"), (2.5, 1.0)),
    **dict.fromkeys(("bessel_i0e", "bessel_i1e", "erf_inv", "polygamma", "zeta"), (2.5, 0.0)),
    **dict.fromkeys(("igamma", "igamma_grad_a", "igammac", "regularized_incomplete_beta"), (2.5, 0.0)),
}


def _of_gamma(move: float, a: Any, x: Any, result: Any) -> Any:
    """The move of an incomplete gamma function, which is computed as `exp(a log(x) - x - lgamma(a))` times a series.

    The roundings of the terms of the exponent are as large as their last places. They change the smaller one of the
    function and its complement, whichever of the two is the result.
    """
    terms = jnp.abs(a * jnp.log(x)) + jnp.abs(x) + jnp.abs(jax.lax.lgamma(a))
    return move + jnp.where(jnp.isfinite(terms), terms, 0.0) * _share(result)


def _of_beta(move: float, a: Any, b: Any, x: Any, result: Any) -> Any:
    """The same of the incomplete beta function, with `exp(a log(x) + b log(1 - x) - log(beta(a, b)))`."""
    terms = jnp.abs(a * jnp.log(x)) + jnp.abs(b * jnp.log1p(-x))
    terms += sum(jnp.abs(jax.lax.lgamma(y)) for y in (a, b, a + b))
    return move + jnp.where(jnp.isfinite(terms), terms, 0.0) * _share(result)


def _share(result: Any) -> Any:
    """The smaller one of a probability and its complement, in terms of the probability."""
    return jnp.minimum(1.0, jnp.abs(1.0 - result) / jnp.maximum(jnp.abs(result), 1e-300))


# Functions that are computed by an exponential of a difference: the move is that of the terms of the difference.
_BY_EXPONENT: dict[str, Callable[..., Any]] = {
    "igamma": _of_gamma,
    "igammac": _of_gamma,
    "regularized_incomplete_beta": _of_beta,
}

_CONTROL = {
    "cond": _Evaluation.cond,
    "while": _Evaluation.while_,
    "scan": _Evaluation.scan,
    "shard_map": _Evaluation.shard_map,
}
# Primitives that have effects and no results.
_SILENT = ("debug_callback", "debug_print")
# Primitives that depend on the representation of numbers.
_OF_BITS = ("bitcast_convert_type", "nextafter")

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rank that `gridir tune` gives to the winners in tokamax's autotuning data, for tokamax's own kernels and spaces.

    pip install tokamax
    python benchmarks/tokamax_records.py --every 8                              # a sample of all records of TPUs
    python benchmarks/tokamax_records.py --chip v5e --op ragged_dot             # all records of one op and chip
    python benchmarks/tokamax_records.py --chip tpu7x --op attention --compile 8 --every 20

A record is a problem with the configuration that was the fastest on a real chip, and its time. The time includes XLA's
ops around the kernel, so the table adds the time in which these move their bytes. Parameters that the model does not
see keep the values of the winner. `--data` reads the records of another release of tokamax from its wheel, unpacked.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import importlib
import itertools
import json
import math
import statistics
import sys
import time
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import gridir
import jax
import numpy as np
from gridir.errors import Error
from gridir.frontend.capture.chips import KINDS
from gridir.frontend.compat.jax_tpu import abstract_device

_CHIPS = {"v5e": "tpu_v5_lite", "v6e": "tpu_v6_lite", "v5p": "tpu_v5", "tpu7x": "tpu7x"}
_OPS = {
    "ragged_dot": ("ragged_dot.pallas_mosaic_tpu", "PallasMosaicTpuRaggedDot"),
    "attention": ("attention.pallas_mosaic_tpu", "PallasMosaicTpuFlashAttention"),
    "attention_vjp": ("attention.pallas_mosaic_tpu_vjp", "PallasMosaicTpuFlashAttentionVjp"),
    "cross_entropy": (
        "linear_softmax_cross_entropy_loss.pallas_mosaic_tpu",
        "PallasMosaicTpuLinearSoftmaxCrossEntropyLoss",
    ),
    "cross_entropy_vjp": (
        "linear_softmax_cross_entropy_loss.pallas_mosaic_tpu",
        "PallasMosaicTpuLinearSoftmaxCrossEntropyLossVjp",
    ),
}
_UNSEEN = ("q_layout", "k_layout", "v_layout", "input_buffer_count", "buffer_count", "combine_scopes")
"""Parameters that change XLA's ops around a kernel, or buffers."""
_AROUND = 1.8e12
"""Bytes per second of XLA's ops on tpu7x, fitted to 19 records of attention in tokamax 0.0.12."""
_OF_COMPILER = ("use_experimental_scheduler",)
"""Parameters that change nothing but the code of the compiler."""


@dataclasses.dataclass(frozen=True)
class Record:
    """A problem with the fastest configuration.

    Attributes:
      name: the chip, the op, and the number of the record.
      chip: the chip.
      op: the op of tokamax.
      bound: the op with the arguments.
      winner: the configuration.
      ms: its measured time.
    """

    name: str
    chip: str
    op: Any
    bound: Any
    winner: Any
    ms: float


@dataclasses.dataclass(frozen=True)
class Row:
    """A record beside the prediction.

    Attributes:
      record: the name of the record.
      winner: the measured winner.
      rank: its rank by predicted time; None where it is not ranked.
      tied: its rank, counting only configurations that are predicted to be faster than within a tie.
      of: how many configurations were ranked.
      predicted: its predicted time in ms.
      around: the time in ms in which XLA's ops around the kernel move their bytes; see `_AROUND`.
      measured: its measured time in ms.
      note: why it has no rank.
      seconds: how long the ranking took.
    """

    record: str
    winner: str
    rank: int | None
    tied: int | None
    of: int
    predicted: float
    around: float
    measured: float
    note: str
    seconds: float


def read_records(chip: str, name: str, data: Path | None) -> Iterator[Record]:
    """Returns the records of an op on a chip."""
    module, cls = _OPS[name]
    op = getattr(importlib.import_module(f"tokamax._src.ops.{module}"), cls)()
    file = "".join(f"_{c.lower()}" if c.isupper() else c for c in cls)[1:]
    base: Any = data or resources.files("tokamax")
    path = base.joinpath("data", "autotuning", _CHIPS[chip], f"{file}.json")
    text = path.read_text() if path.is_file() else ""
    cache = importlib.import_module("tokamax._src.autotuning.cache")
    found = cache._get_cache_adapter(op).validate_json(text) if text else {}
    for number, (arguments, times) in enumerate(found.items()):
        if times:
            best = min(times.items(), key=lambda item: statistics.median(item[1].evaluation_times_ms))
            bound = op.bind(**arguments)
            ms = statistics.median(best[1].evaluation_times_ms)
            yield Record(f"{chip} {name} {number}", chip, op, bound, best[0], ms)


def space_of(record: Record, compiles: bool) -> gridir.tuning.Space:
    """Returns the space that tokamax tries for a record, and the winner, as far as the model sees its parameters."""
    unseen = (*_UNSEEN, *(() if compiles else _OF_COMPILER))
    with abstract_device(KINDS[record.chip]):
        configs = {*record.bound.autotuning_configs, record.winner}
    names = [field.name for field in dataclasses.fields(record.winner)]
    fixed = [name for name in names if name in unseen]
    configs = {c for c in configs if all(getattr(c, name) == getattr(record.winner, name) for name in fixed)}
    rows = {tuple(_token(getattr(config, name)) for name in names): config for config in configs}
    values = {name: sorted({row[i] for row in rows}, key=str) for i, name in enumerate(names)}

    def make(**fields: Any) -> Any:
        return rows[tuple(fields[name] for name in names)]

    return gridir.tuning.Space(
        {"config": gridir.tuning.Record(make, values)}, lambda **fields: tuple(fields[name] for name in names) in rows
    )


def _token(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_token, value))
    # An enumeration of integers is an integer, too.
    plain = value is None or type(value) in (bool, int, float, str)
    return value if plain else getattr(value, "name", str(value))


def rank(record: Record, top: int) -> Row:
    """Ranks the configurations of a record; `top` of them, and the winner, are compiled."""
    leaves, tree = jax.tree.flatten((record.bound.args, record.bound.kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.ShapeDtypeStruct | jax.Array | np.ndarray)]

    def function(*arrays: Any, config: Any) -> Any:
        filled = dict(zip(places, arrays, strict=True))
        args, kwargs = tree.unflatten([filled.get(i, leaf) for i, leaf in enumerate(leaves)])
        return record.op._fwd(*args, config=config, **kwargs)

    arrays = [leaves[i] for i in places]
    options: dict[str, Any] = {"target": f"tpu:{record.chip}", "check": False, "jobs": 1, "lowering": "jax"}
    winner = {f.name: _token(getattr(record.winner, f.name)) for f in dataclasses.fields(record.winner)}
    described = ",".join(map(str, winner.values())).replace(" ", "")
    start = time.perf_counter()
    try:
        space = space_of(record, bool(top))
        result = gridir.tune(function, *arrays, space=space, tier="estimate", **options)
        if top:
            result = gridir.tune(function, *arrays, space=space, tier="compile", top=top, **options)
            if "compile" not in next(e for e in result.ranking if e.config == winner).outcomes:
                alone = gridir.tuning.Space(space.arguments, lambda **fields: fields == winner)
                result = result | gridir.tune(function, *arrays, space=alone, tier="compile", **options)
    except (Error, NotImplementedError, ValueError) as error:
        text = f"{type(error).__name__}: {error}".partition("\n")[0][:100]
        return Row(record.name, described, None, None, 0, math.nan, 0, record.ms, text, time.perf_counter() - start)
    tier = "compile" if top else "estimate"
    times = [e.outcomes[tier].seconds for e in result.ranking if tier in e.outcomes and e.outcomes[tier].seconds]
    mine = next(e.outcomes[tier] for e in result.ranking if e.config == winner)
    outside = next(e.outcomes["estimate"] for e in result.ranking if e.config == winner).figures.get("outside_bytes", 0)
    took = time.perf_counter() - start
    if mine.seconds is None:
        return Row(record.name, described, None, None, len(times), math.nan, 0, record.ms, mine.reason[:100], took)
    return Row(
        record.name,
        described,
        1 + sum(t < mine.seconds * 0.9999 for t in times),
        1 + sum(t * 1.05 < mine.seconds for t in times),
        len(times),
        mine.seconds * 1e3,
        outside / _AROUND * 1e3,
        record.ms,
        "",
        took,
    )


def summary(rows: list[Row]) -> str:
    """Returns a line of Markdown for each chip and op."""
    groups: dict[str, list[Row]] = collections.defaultdict(list)
    for row in rows:
        groups[row.record.rpartition(" ")[0]].append(row)
    lines = [
        "| chip, op | records | first | top 3 | tied with the first | not ranked | (kernel + around) / measured "
        "| within 10 % |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, group in groups.items():
        known = [row for row in group if row.rank is not None]
        ratios = [(row.predicted + row.around) / row.measured for row in known] or [math.nan]
        lines.append(
            f"| {name} | {len(group)} | {sum(r.rank == 1 for r in known)} | {sum((r.rank or 9) <= 3 for r in known)} "
            f"| {sum(r.tied == 1 for r in known)} | {len(group) - len(known)} "
            f"| {statistics.geometric_mean(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) "
            f"| {sum(abs(x - 1) <= 0.1 for x in ratios)} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", choices=list(_CHIPS), action="append", help="a chip; all of them without it")
    parser.add_argument("--op", choices=list(_OPS), action="append", help="an op; all of them without it")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each Nth record")
    parser.add_argument("--compile", type=int, default=0, metavar="N", help="compile the best N, and the winner")
    parser.add_argument("--data", type=Path, help="the directory of another tokamax, whose records are read")
    parser.add_argument("--rows", type=Path, help="also append each row to this file, as a line of JSON")
    arguments = parser.parse_args()
    rows = []
    for chip, op in itertools.product(arguments.chip or _CHIPS, arguments.op or _OPS):
        for record in itertools.islice(read_records(chip, op, arguments.data), 0, None, arguments.every):
            rows.append(rank(record, arguments.compile))
            print(rows[-1], file=sys.stderr, flush=True)
            if arguments.rows:
                with arguments.rows.open("a") as file:
                    file.write(json.dumps(dataclasses.asdict(rows[-1])) + "\n")
    print(summary(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

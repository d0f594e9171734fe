# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rank that `gridir tune` gives to block sizes that were measured to be the best on real chips.

    python benchmarks/tuning.py                        # the estimate tier, on all records
    python benchmarks/tuning.py --compile 16 0 14      # two records, the best 16 and the winner compiled with libtpu

The records are winners of tokamax's autotuning with their measured times. They hold no times of other configurations.
The kernels are JAX's `megablox`, from which tokamax's are derived.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm, tgmm

RECORDS = Path(__file__).parent / "tuning_records.json"


@dataclasses.dataclass(frozen=True)
class Row:
    """A record beside the prediction.

    Attributes:
      record: the number and the kind of the record.
      winner: the measured winner.
      rank: its rank, counting only configurations that are predicted to be faster than within a tie.
      strict: its rank by predicted time alone.
      of: how many configurations were ranked.
      predicted: its predicted time in ms.
      measured: its measured time in ms.
      seconds: how long the ranking took.
    """

    record: str
    winner: str
    rank: int
    strict: int
    of: int
    predicted: float
    measured: float
    seconds: float

    @property
    def ratio(self) -> float:
        """Returns the predicted time over the measured one."""
        return self.predicted / self.measured


def read_records(path: Path = RECORDS) -> list[dict[str, Any]]:
    """Returns the records of a file."""
    return json.loads(path.read_text())["records"]


def problem(record: dict[str, Any]) -> tuple[Any, tuple[Any, ...], tuple[int, int, int]]:
    """Returns the function of a record, its arguments, and the sizes that m, k and n tiles divide."""
    groups = record["groups"]
    sizes = np.full(groups[1], groups[0], np.int32) if len(groups) == 2 else np.array(groups, np.int32)
    (m, k), rhs = record["lhs"], record["rhs"]
    lhs_type = jax.ShapeDtypeStruct((m, k), jnp.bfloat16)
    rhs_type = jax.ShapeDtypeStruct(tuple(rhs), jnp.bfloat16)
    kind = record["kind"]

    def product(lhs: Any, rhs: Any, sizes: Any, *, tile_m: int, tile_k: int, tile_n: int) -> Any:
        return gmm(lhs, rhs, sizes, jnp.bfloat16, (tile_m, tile_k, tile_n), transpose_rhs=kind == "dlhs")

    def transposed(lhs: Any, rhs: Any, sizes: Any, *, tile_m: int, tile_k: int, tile_n: int) -> Any:
        return tgmm(lhs.swapaxes(0, 1), rhs, sizes, jnp.bfloat16, (tile_m, tile_k, tile_n))

    if kind == "tgmm":
        return transposed, (lhs_type, rhs_type, sizes), (m, k, rhs[1])
    # tokamax's space has k and n exchanged for the gradient.
    dims = (m, rhs[1], k) if kind == "dlhs" else (m, k, rhs[2])
    return product, (lhs_type, rhs_type, sizes), dims


def space_of(record: dict[str, Any], dims: tuple[int, int, int]) -> dict[str, list[int]]:
    """Returns the values that tokamax tries, as far as they are whole tiles, and those of the winner."""
    m, k, n = dims

    def tiles(size: int) -> set[int]:
        powers = {128 << i for i in range(8) if 128 << i <= size}
        return {x for x in powers | {size >> i for i in range(6)} if x % 128 == 0}

    choices = [{128, 256, 512, 1024} & set(range(m + 1)), tiles(k), tiles(n)]
    names = ("tile_m", "tile_k", "tile_n")
    return {name: sorted(values | {best}) for name, values, best in zip(names, choices, record["winner"], strict=True)}


def measure(record: dict[str, Any], top: int, space: dict[str, list[int]] | None = None) -> Row:
    """Ranks the configurations of a record; `top` of them, and the winner, are compiled."""
    function, args, dims = problem(record)
    winner = dict(zip(("tile_m", "tile_k", "tile_n"), record["winner"], strict=True))
    space = space or space_of(record, dims)
    options: dict[str, Any] = {"target": "tpu:v5e", "check": False, "jobs": 1, "lowering": "jax"}
    start = time.perf_counter()
    result = gridir.tune(function, *args, space=space, tier="estimate", **options)
    if top:
        result = gridir.tune(function, *args, space=space, tier="compile", top=top, **options)
        if "compile" not in next(e for e in result.ranking if e.config == winner).outcomes:
            alone = {name: [value] for name, value in winner.items()}
            result = result | gridir.tune(function, *args, space=alone, tier="compile", **options)
    seconds = time.perf_counter() - start
    tier = "compile" if top else "estimate"
    ranked = [e for e in result.ranking if tier in e.outcomes and e.outcomes[tier].seconds is not None]
    times = {tuple(e.config.values()): e.outcomes[tier].seconds or math.inf for e in ranked}
    mine = times.get(tuple(record["winner"]), math.inf)
    return Row(
        f"{record['id']} {record['kind']}",
        ",".join(map(str, record["winner"])),
        1 + sum(t * 1.05 < mine for t in times.values()),
        1 + sum(t < mine * 0.9999 for t in times.values()),
        len(times),
        mine * 1e3,
        record["ms"],
        seconds,
    )


def table(rows: list[Row]) -> str:
    """Returns rows as Markdown, with a summary."""
    lines = [
        "| record | winner | rank | with ties | of | predicted ms | measured ms | ratio |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {r.record} | {r.winner} | {r.strict} | {r.rank} | {r.of} | {r.predicted:.3f} | {r.measured:.3f} "
        f"| {r.ratio:.2f} |"
        for r in rows
    ]
    known = [r for r in rows if math.isfinite(r.predicted)]
    ratios = [r.ratio for r in known] or [math.nan]
    mean = statistics.geometric_mean(ratios)
    lines.append(
        f"\nfirst {sum(r.strict == 1 for r in known)}, top 3 {sum(r.strict <= 3 for r in known)}, tied with the first "
        f"{sum(r.rank == 1 for r in known)} of {len(rows)}; predicted over measured: geometric mean {mean:.2f}, range "
        f"{min(ratios):.2f} to {max(ratios):.2f}, within 10 %: {sum(abs(x - 1) <= 0.1 for x in ratios)}"
    )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", type=int, help="the numbers of the records; all without it")
    parser.add_argument("--compile", type=int, default=0, metavar="N", help="compile the best N, and the winner")
    arguments = parser.parse_args()
    rows = []
    for record in read_records():
        if arguments.ids and record["id"] not in arguments.ids:
            continue
        rows.append(measure(record, arguments.compile))
        print(rows[-1], file=sys.stderr, flush=True)
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

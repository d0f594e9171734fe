# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rank that `gridir tune` gives to the winners in tokamax's autotuning data of GPUs, for tokamax's own kernels.

    pip install tokamax
    python benchmarks/gpu_records.py --op attention --every 10                 # a sample, the estimate tier
    python benchmarks/gpu_records.py --op attention --every 10 --compile 40    # the best 40, compiled with ptxas
    python benchmarks/gpu_records.py --op triton_attention --every 20 --first 10 --seconds 600

Ops of Triton other than attention are those of tokamax 0.0.12; later releases wrote them without Pallas, but have more
records of them, which `--data` reads from a wheel that is unpacked.

Needs no GPU. Kernels of Mosaic GPU are compiled by gridir; those of Triton are only estimated, since their code is
Triton's. A record holds the fastest configuration and its time, but no times of others. The table counts the records
whose winner is among the first 8, and among the first 8 if configurations within 5 % are tied.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import itertools
import json
import statistics
import sys
import time
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any
from unittest import mock

import gridir
import jax
import jax.extend.backend
import numpy as np
from tokamax_records import _token

OPS = {
    "attention": ("attention.pallas_mosaic_gpu", "PallasMosaicGpuFlashAttention"),
    "attention_vjp": ("attention.pallas_mosaic_gpu_vjp", "PallasMosaicGpuFlashAttentionVjp"),
    "gated_linear_unit": ("gated_linear_unit.pallas_mosaic_gpu", "PallasMosaicGpuGatedLinearUnit"),
    "ragged_dot": ("ragged_dot.pallas_mosaic_gpu", "PallasMosaicGpuRaggedDot"),
    "triton_attention": ("attention.pallas_triton", "PallasTritonFlashAttention"),
    "triton_attention_vjp": ("attention.pallas_triton_vjp", "PallasTritonFlashAttentionVjp"),
    "triton_gated_linear_unit": ("gated_linear_unit.pallas_triton", "PallasTritonGatedLinearUnit"),
    "triton_ragged_dot": ("ragged_dot.pallas_triton", "PallasTritonRaggedDot"),
    "triton_normalization": ("normalization.pallas_triton", "PallasTritonNormalization"),
    "triton_normalization_vjp": ("normalization.pallas_triton_vjp", "PallasTritonNormalizationVjp"),
}


@dataclasses.dataclass(frozen=True)
class Device:
    """A GPU that is not there, as far as programs query it.

    Attributes:
      directory: the records of tokamax. target: the chip. compute_capability, core_count, device_kind, platform, id: as
      JAX's devices have them.
    """

    directory: str
    target: str
    compute_capability: str
    core_count: int
    device_kind: str
    platform: str = "gpu"
    id: int = 0

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """While it is entered, programs see this GPU."""
        local, everywhere = jax.local_devices, jax.devices
        with (
            mock.patch.object(jax.extend.backend, "get_default_device", return_value=self),
            mock.patch.object(jax, "local_devices", lambda *a, **k: local(*a, **k) if a or k else [self]),
            mock.patch.object(jax, "devices", lambda *a, **k: everywhere(*a, **k) if a or k else [self]),
        ):
            yield


CHIPS = {
    "h100": Device("nvidia_h100_80gb_hbm3", "gpu:sm_90a", "9.0", 132, "NVIDIA H100 80GB HBM3"),
    "b200": Device("nvidia_b200", "gpu:sm_100a", "10.0", 148, "NVIDIA B200"),
}


@dataclasses.dataclass(frozen=True)
class Row:
    """A record beside the prediction.

    Attributes:
      record: its number. winner: the measured winner. rank: its rank by predicted time; None where it is not ranked.
      tied: its rank, counting only configurations that are predicted to be faster than within a tie. of: how many
      configurations were ranked. predicted, measured: its times in ms. note: why it has no rank.
    """

    record: int
    winner: str
    rank: int | None = None
    tied: int | None = None
    of: int = 0
    predicted: float = 0
    measured: float = 0
    note: str = ""


def rank(number: int, op: Any, arguments: Any, times: Any, device: Device, top: int) -> Row:
    """Ranks the configurations of a record; `top` of them are compiled."""
    best = min(times, key=lambda config: statistics.median(times[config].evaluation_times_ms))
    measured = statistics.median(times[best].evaluation_times_ms)
    bound = op.bind(**arguments)
    names = [field.name for field in dataclasses.fields(best)]
    rows = {
        tuple(_token(getattr(config, name)) for name in names): config for config in {*bound.autotuning_configs, best}
    }
    values = {name: sorted({row[i] for row in rows}, key=str) for i, name in enumerate(names)}
    space = gridir.tuning.Space(
        {"config": gridir.tuning.Record(lambda **fields: rows[tuple(fields[name] for name in names)], values)},
        lambda **fields: tuple(fields[name] for name in names) in rows,
    )
    leaves, tree = jax.tree.flatten((bound.args, bound.kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.ShapeDtypeStruct | jax.Array | np.ndarray)]

    def function(*arrays: Any, config: Any) -> Any:
        filled = dict(zip(places, arrays, strict=True))
        args, kwargs = tree.unflatten([filled.get(i, leaf) for i, leaf in enumerate(leaves)])
        return op._fwd(*args, config=config, **kwargs)

    tier = "compile" if top else "estimate"
    options: dict[str, Any] = {"target": device.target, "tier": tier, "check": False, "jobs": 1, "top": max(top, 1)}
    winner = {name: _token(getattr(best, name)) for name in names}
    described = ",".join(map(str, winner.values())).replace(" ", "")
    try:
        result = gridir.tune(
            function, *[leaves[i] for i in places], space=space, **options, **({"top": top} if top else {})
        )
    except Exception as error:  # An op of tokamax raises errors of any class.
        return Row(
            number, described, measured=measured, note=f"{type(error).__name__}: {error}".partition("\n")[0][:100]
        )
    mine = next(entry for entry in result.ranking if entry.config == winner)
    seconds = [e.outcomes[tier].seconds for e in result.ranking if tier in e.outcomes and e.outcomes[tier].seconds]
    own = mine.outcomes[tier].seconds if tier in mine.outcomes else None
    if own is None:
        return Row(number, described, of=len(seconds), measured=measured, note=mine.reason[:100] or "not compiled")
    return Row(
        number,
        described,
        1 + sum(each < own * 0.9999 for each in seconds),
        1 + sum(each * 1.05 < own for each in seconds),
        len(seconds),
        own * 1e3,
        measured,
    )


def summary(title: str, rows: list[Row]) -> str:
    """Returns a line of a table in Markdown."""
    known = [row for row in rows if row.rank is not None]
    ratios = [row.predicted / row.measured for row in known] or [float("nan")]
    counts = [
        len(rows),
        sum(row.rank == 1 for row in known),
        sum((row.rank or 9) <= 8 for row in known),
        sum((row.tied or 9) <= 8 for row in known),
        sum(row.tied == 1 for row in known),
        len(rows) - len(known),
    ]
    spread = f"{statistics.geometric_mean(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    return f"| {title} | {' | '.join(map(str, counts))} | {spread} |"


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", choices=list(CHIPS), default="h100")
    parser.add_argument("--op", choices=list(OPS), action="append", help="an op; all of them without it")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each Nth record")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="begin with record N")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no record of an op after this time")
    parser.add_argument("--compile", type=int, default=0, metavar="N", help="compile the best N")
    parser.add_argument("--data", type=Path, help="the directory of another tokamax, whose records are read")
    arguments = parser.parse_args()
    device = CHIPS[arguments.chip]
    lines = [
        "| chip, op, tier | records | first | top 8 | top 8 with ties | tied with the first | not ranked "
        "| predicted / measured |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    with device.told():
        for name in arguments.op or OPS:
            module, cls = OPS[name]
            op = getattr(importlib.import_module(f"tokamax._src.ops.{module}"), cls)()
            file = "".join(f"_{c.lower()}" if c.isupper() else c for c in cls)[1:]
            directory = (arguments.data or resources.files("tokamax")).joinpath("data", "autotuning", device.directory)
            # Later releases name some records without Pallas.
            paths = [directory.joinpath(f"{each}.json") for each in (file, file.replace("pallas_triton", "triton"))]
            text = next((text for path in paths if path.is_file() and (text := path.read_text())), "")
            cache = importlib.import_module("tokamax._src.autotuning.cache")
            found = cache._get_cache_adapter(op).validate_json(text) if text else {}
            rows, start = [], time.monotonic()
            chosen = itertools.islice(enumerate(found.items()), arguments.first, None, arguments.every)
            for number, (args, times) in chosen:
                if times and time.monotonic() - start < arguments.seconds:
                    rows.append(rank(number, op, args, times, device, arguments.compile))
                    print(json.dumps(dataclasses.asdict(rows[-1])), file=sys.stderr, flush=True)
            lines.append(summary(f"{arguments.chip}, {name}, {'compile' if arguments.compile else 'estimate'}", rows))
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())

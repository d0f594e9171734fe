# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rank that `gridir tune` gives to the winners in tokamax's autotuning data of GPUs, for tokamax's own kernels.

    pip install tokamax
    python benchmarks/gpu_records.py --op attention --every 10                 # a sample, the estimate tier
    python benchmarks/gpu_records.py --op attention --every 10 --compile 40    # the best 40, compiled with ptxas
    python benchmarks/gpu_records.py --op triton_attention --every 20 --first 10 --seconds 600
    python benchmarks/gpu_records.py --op triton_attention --every 20 --compile 40    # with the code of JAX's Triton

The kernels of Triton other than attention are those of tokamax 0.0.12; later releases wrote them without Pallas, but
have more records of them, which `--data` reads from a wheel that is unpacked:

    pip download --no-deps tokamax==0.0.17; python -m zipfile -e tokamax-0.0.17-*.whl later; pip install tokamax==0.0.12
    python benchmarks/gpu_records.py --op triton_gated_linear_unit --data later/tokamax --first 4 --every 8

Needs no GPU. Kernels of Mosaic GPU are compiled by gridir; those of Triton by JAX's own compiler, which
`pip install 'gridir[peer]'` brings. A record holds the fastest configuration and its time, but no times of others. The
table counts the records whose winner is among the first 8, and among the first 8 if configurations within 5 % are tied.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import importlib
import itertools
import json
import statistics
import sys
import time
import warnings
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any
from unittest import mock

import gridir
import jax
import jax.extend.backend
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
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
      directory: the records of tokamax. target: the chip. memory_bytes: its memory. compute_capability, core_count,
      device_kind, platform, id: as JAX's devices have them.
    """

    directory: str
    target: str
    memory_bytes: float
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
            mock.patch.object(pl, "dot", _dot, create=True),
        ):
            yield


def _dot(a: Any, b: Any, trans_a: bool = False, trans_b: bool = False, allow_tf32: Any = None, precision: Any = None):
    """`pallas.dot`, which kernels of tokamax 0.0.12 call and JAX 0.12 has no longer."""
    del allow_tf32
    contracted = ((0 if trans_a else 1,), (1 if trans_b else 0,))
    return jax.lax.dot_general(a, b, (contracted, ((), ())), precision=precision, preferred_element_type=jnp.float32)


CHIPS = {
    "a100": Device("nvidia_a100-sxm4-40gb", "gpu:sm_80", 40e9, "8.0", 108, "NVIDIA A100-SXM4-40GB"),
    "h100": Device("nvidia_h100_80gb_hbm3", "gpu:sm_90a", 80e9, "9.0", 132, "NVIDIA H100 80GB HBM3"),
    "b200": Device("nvidia_b200", "gpu:sm_100a", 192e9, "10.0", 148, "NVIDIA B200"),
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


def rank(number: int, op: Any, arguments: Any, times: Any, device: Device, top: int, lowering: str) -> dict[str, Row]:
    """Ranks the configurations of a record by each tier; `top` of them are compiled, by a lowering of `gridir tune`."""
    best = min(times, key=lambda config: statistics.median(times[config].evaluation_times_ms))
    winner = {field.name: _token(getattr(best, field.name)) for field in dataclasses.fields(best)}
    described = ",".join(map(str, winner.values())).replace(" ", "")
    row = Row(number, described, measured=statistics.median(times[best].evaluation_times_ms))
    tiers = ("estimate", "compile") if top else ("estimate",)
    try:
        entries = _entries(op.bind(**arguments), best, device, top, lowering)
    except Exception as error:  # An op of tokamax raises errors of any class.
        note = f"{type(error).__name__}: {error}".partition("\n")[0][:100]
        return dict.fromkeys(tiers, dataclasses.replace(row, note=note))
    mine = next(entry for entry in entries if entry.config == winner)
    return {tier: _row(row, tier, entries, mine) for tier in tiers}


def _row(row: Row, tier: str, entries: Any, mine: Any) -> Row:
    seconds = [e.outcomes[tier].seconds for e in entries if tier in e.outcomes and e.outcomes[tier].seconds]
    own = mine.outcomes[tier].seconds if tier in mine.outcomes else None
    if own is None:
        return dataclasses.replace(row, of=len(seconds), note=mine.reason[:100] or "not compiled")
    return dataclasses.replace(
        row,
        rank=1 + sum(each < own * 0.9999 for each in seconds),
        tied=1 + sum(each * 1.05 < own for each in seconds),
        of=len(seconds),
        predicted=own * 1e3,
    )


def _entries(bound: Any, best: Any, device: Device, top: int, lowering: str) -> Any:
    """The ranking of the configurations that tokamax tries, and of the winner."""
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
    arrays = [leaves[i] for i in places]

    def function(*arrays: Any, config: Any) -> Any:
        filled = dict(zip(places, arrays, strict=True))
        args, kwargs = tree.unflatten([filled.get(i, leaf) for i, leaf in enumerate(leaves)])
        return bound.op._fwd(*args, config=config, **kwargs)

    results = jax.tree.leaves(jax.eval_shape(lambda *operands: function(*operands, config=best), *arrays))
    size = sum(x.size * x.dtype.itemsize for x in (*arrays, *results))
    if size > device.memory_bytes:
        # Some records of ragged products state as many groups as rows.
        raise ValueError(f"{size / 1e9:,.0f} GB of arrays do not fit into the GPU, so the record is of another problem")
    tier = "compile" if top else "estimate"
    options: dict[str, Any] = {"target": device.target, "tier": tier, "check": False, "jobs": 1, "top": max(top, 1)}
    return gridir.tune(function, *arrays, space=space, lowering=lowering, **options).ranking


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


def read_records(name: str, device: Device, data: Path | None) -> tuple[Any, dict[Any, Any]]:
    """Returns an op of tokamax, and its records.

    Args:
      name: its name in `OPS`.
      device: the GPU.
      data: the directory of another tokamax, whose records are read.
    """
    module, cls = OPS[name]
    op = getattr(importlib.import_module(f"tokamax._src.ops.{module}"), cls)()
    file = "".join(f"_{c.lower()}" if c.isupper() else c for c in cls)[1:]
    directory = (data or resources.files("tokamax")).joinpath("data", "autotuning", device.directory)
    # Later releases name some records without Pallas.
    paths = [directory.joinpath(f"{each}.json") for each in (file, file.replace("pallas_triton", "triton"))]
    text = next((text for path in paths if path.is_file() and (text := path.read_text())), "")
    cache = importlib.import_module("tokamax._src.autotuning.cache")
    return op, cache._get_cache_adapter(op).validate_json(text) if text else {}


def _number(least: int) -> Any:
    def parse(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a number from {least} on, got {text!r}")
        return int(text)

    return parse


def _directory(text: str) -> Path:
    path = Path(text)
    if not path.joinpath("data", "autotuning").is_dir():
        raise argparse.ArgumentTypeError(f"expected a directory with data/autotuning, got {text!r}")
    return path


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", choices=list(CHIPS), default="h100")
    parser.add_argument("--op", choices=list(OPS), action="append", help="an op; all of them without it")
    parser.add_argument("--every", type=_number(1), default=1, metavar="N", help="take each Nth record")
    parser.add_argument("--first", type=_number(0), default=0, metavar="N", help="begin with record N")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no record of an op after this time")
    parser.add_argument("--compile", type=_number(0), default=0, metavar="N", help="also compile the best N")
    parser.add_argument("--data", type=_directory, help="the directory of another tokamax, whose records are read")
    arguments = parser.parse_args()
    # Triton's kernels in Pallas are deprecated, which is no concern of the table.
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    device = CHIPS[arguments.chip]
    lines = [
        "| chip, op, tier | records | first | top 8 | top 8 with ties | tied with the first | not ranked "
        "| predicted / measured |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    missing = 0
    with device.told():
        for name in arguments.op or OPS:
            try:
                op, found = read_records(name, device, arguments.data)
            except ModuleNotFoundError as error:
                print(f"{name}: {error}; pip install tokamax, 0.0.12 for the kernels of Triton", file=sys.stderr)
                missing += 1
                continue
            rows, start = collections.defaultdict[str, list[Row]](list), time.monotonic()
            chosen = itertools.islice(enumerate(found.items()), arguments.first, None, arguments.every)
            for number, (args, times) in chosen:
                if times and time.monotonic() - start < arguments.seconds:
                    lowering = "jax" if name.startswith("triton") else "gridir"
                    ranked = rank(number, op, args, times, device, arguments.compile, lowering)
                    for tier, row in ranked.items():
                        rows[tier].append(row)
                        print(json.dumps({"tier": tier} | dataclasses.asdict(row)), file=sys.stderr, flush=True)
            if not rows:
                print(f"{name}: no records of {arguments.chip} in this release of tokamax", file=sys.stderr)
            tiers = ("estimate", "compile") if arguments.compile else ("estimate",)
            lines += [summary(f"{arguments.chip}, {name}, {tier}", rows[tier]) for tier in tiers]
    print("\n".join(lines))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches the kernels of a pack on a GPU, and compares the results with those of the executor of PTX.

    python run.py PACK [--jobs 8] [--timeout 20] [--out results.json]

Needs Python, NumPy and NVIDIA's driver: the pack has the part of gridir that launches. Each process takes launches from
a queue; one that ends or hangs costs the launch that it was at.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "lib"))


_ANSWER = "answer: "


def _as_float(data: np.ndarray, dtype: str) -> np.ndarray | None:
    """Returns the values of floats in float64, or None for a type that NumPy does not know."""
    if dtype == "bfloat16":
        return (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype in ("float16", "float32", "float64"):
        return data.view(dtype).astype(np.float64)
    return None


def compare(got: bytes, expected: bytes, dtype: str) -> dict[str, Any]:
    """Returns how results differ: equal to the bit, by the roundings of floats, or otherwise."""
    if got == expected:
        return {"status": "equal"}
    ours, theirs = (np.frombuffer(x, np.uint8) for x in (got, expected))
    values, wanted = _as_float(ours, dtype), _as_float(theirs, dtype)
    if values is None or wanted is None:
        return {"status": "different", "bytes": int((ours != theirs).sum())}
    # The executor fills memory that nothing writes with NaN.
    known = ~np.isnan(wanted)
    with np.errstate(invalid="ignore"):
        largest = np.max(np.abs(wanted[known & np.isfinite(wanted)]), initial=0.0)
        distance = np.where(values == wanted, 0.0, np.abs(values - wanted))[known]
    worst = float(np.max(np.nan_to_num(distance, nan=np.inf), initial=0.0)) / (float(largest) or 1.0)
    unit = {"bfloat16": 2**-8, "float16": 2**-11, "float32": 2**-24, "float64": 2**-53}[dtype]
    status = "rounding" if worst <= max(64 * unit, 1e-3 if unit > 1e-5 else 1e-5) else "different"
    return {"status": status, "worst": worst, "undefined": int((~known).sum())}


def launch(path: Path) -> dict[str, Any]:
    """Launches a case and returns what became of it."""
    from gridir.errors import Error
    from gridir.runtime.gpu import Launch, open_device
    from gridir.runtime.gpu.chips import ptx_runs_on

    with np.load(path) as case:
        arrays = {name: case[name].tobytes() for name in case.files}
    head = json.loads(arrays["head"])
    description, device = Launch.from_json(head["launch"]), open_device(0)
    if not ptx_runs_on(head["chip"], device.capability):
        return {"status": "other chip", "chip": head["chip"]}
    if description.packed_operands:
        return {"status": "packed operands"}
    memory: dict[int, int] = {}
    try:
        start = time.perf_counter()
        function = device.load(arrays["ptx"] + b"\0").function(description)
        loaded = time.perf_counter()
        for number, operand in enumerate(head["operands"]):
            if operand["memory"] == number:
                data = arrays[f"before{number}"]
                memory[number] = device.allocate(len(data))
                device.write(memory[number], data)
        function.run([memory[operand["memory"]] for operand in head["operands"]])
        done = time.perf_counter()
        found = []
        for number, address in memory.items():
            before = arrays[f"before{number}"]
            expected = arrays.get(f"after{number}", before)
            found.append(compare(device.read(address, len(before)), expected, head["operands"][number]["dtype"]))
        order = ("equal", "rounding", "different")
        worst = max(found, key=lambda x: (order.index(x["status"]), x.get("worst", 0.0)), default={"status": "equal"})
        return {**worst, "load_ms": (loaded - start) * 1e3, "run_ms": (done - loaded) * 1e3}
    except Error as error:
        return {"status": "failed", "message": str(error)[:400]}
    finally:
        for address in memory.values():
            try:
                device.free(address)
            except Error:
                break  # The context is lost with the launch that failed; this process ends.


def work() -> None:
    """Launches the case of each line of standard input, and writes a line of JSON for it."""
    for line in sys.stdin:
        found = launch(Path(line.strip()))
        # Standard output has the text that kernels print, too.
        print(f"\n{_ANSWER}{json.dumps(found)}", flush=True)
        if found["status"] == "failed":
            return


def _read_answer(output: IO[str]) -> dict[str, Any] | None:
    """Returns the next answer of a process, or None where the process ends without one."""
    for line in output:
        if line.startswith(_ANSWER):
            return json.loads(line.removeprefix(_ANSWER))
    return None


class Worker:
    """A process that launches cases one after the other, and is started again after one that failed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, path: Path, timeout: float) -> dict[str, Any]:
        """Returns what became of a case."""
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, __file__, "--work"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{path}\n")
        process.stdin.flush()
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(_read_answer, process.stdout)
            try:
                found = answer.result(timeout)
            except TimeoutError:
                process.kill()
                return {"status": "hang"}
        return {"status": "process ended", "code": process.wait()} if found is None else found


def main() -> None:
    """Runs the pack that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", nargs="?", type=Path)
    parser.add_argument("--jobs", type=int, default=8, help="processes")
    parser.add_argument("--timeout", type=float, default=30, help="seconds of a launch")
    parser.add_argument("--out", type=Path, default=Path("results.json"))
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        work()
        return
    cases = sorted(args.pack.rglob("*.npz"))
    results: dict[str, Any] = {}

    def run_share(number: int) -> None:
        worker = Worker()
        for path in cases[number :: args.jobs]:
            results[str(path.relative_to(args.pack))] = worker.run(path, args.timeout)

    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(run_share, range(args.jobs)))
    args.out.write_text(json.dumps(results, indent=1))
    counts: dict[str, int] = {}
    for found in results.values():
        counts[found["status"]] = counts.get(found["status"], 0) + 1
    print(f"{len(results)} launches: " + ", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
    for name, found in sorted(results.items()):
        if found["status"] not in ("equal", "rounding", "other chip", "packed operands"):
            print(f"  {name}: {found}")


if __name__ == "__main__":
    main()

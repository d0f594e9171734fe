# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches the kernels of a pack on a GPU, and compares the results with those of the executor of PTX.

    python run.py PACK [--jobs 8] [--timeout 20] [--turns 7] [--out results.json]

It prints the tables of benchmarks/README.md. A case with the code of another compiler is timed: both codes take turns
on the same memory, one process after the other.

Needs Python, NumPy and NVIDIA's driver: the pack has the part of gridir that launches. Each process takes launches from
a queue; one that ends or hangs costs the launch that it was at.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import queue
import statistics
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


class PeerFunction:
    """A function of another compiler, whose parameters may be several tensor maps and whose sizes have dimensions."""

    def __init__(self, device: Any, function: Any, head: dict[str, Any]):
        self._device, self._function, self._parameters = device, function, head["parameters"]
        self._configuration = function.configuration(head["grid"], head["block"], head["cluster"])
        self._arguments: dict[tuple[int, ...], tuple[Any, list[Any]]] = {}

    def __call__(self, operands: list[int]) -> None:
        """Launches the function on the default stream."""
        key = tuple(operands)
        if key not in self._arguments:
            values = [self._value(parameter, operands) for parameter in self._parameters]
            self._arguments[key] = (ctypes.c_void_p * max(len(values), 1))(*map(ctypes.addressof, values)), values
        with self._device.current():
            handle = ctypes.c_void_p(self._function.handles[1])
            call = self._device.cuda.call
            call("cuLaunchKernelEx", self._configuration.reference, handle, self._arguments[key][0], None)

    def run(self, operands: list[int]) -> None:
        """The same, as `run` of a function of gridir's."""
        self(operands)

    def _value(self, parameter: dict[str, Any], operands: list[int]) -> Any:
        from gridir.runtime.gpu.launch import TensorMap

        if "maps" not in parameter:
            return ctypes.c_uint64(operands[parameter["operand"]] if "operand" in parameter else parameter["value"])
        maps = [self._function.encode(operands[x["operand"]], TensorMap(**x)) for x in parameter["maps"]]
        data = b"".join(bytes(x) for x in maps)
        memory = ctypes.create_string_buffer(len(data) + _MAP_ALIGNMENT)
        value = (ctypes.c_char * len(data)).from_buffer(memory, -ctypes.addressof(memory) % _MAP_ALIGNMENT)
        value.raw = data
        return value


_MAP_ALIGNMENT = 64


class Case:
    """A case of a pack, and memory of the GPU with its operands.

    Attributes:
      head: the description.
      device: the GPU.
    """

    def __init__(self, path: Path):
        from gridir.runtime.gpu import open_device

        with np.load(path) as case:
            self._arrays = {name: case[name].tobytes() for name in case.files}
        self.head = json.loads(self._arrays["head"])
        self.device = open_device(0)
        self._memory: dict[int, int] = {}
        self._packed: dict[int, tuple[Any, int]] = {}

    @property
    def codes(self) -> list[str]:
        """The codes of the case: `ptx`, and `cubin` and `peer_ptx` where it has them."""
        return [name for name in ("ptx", "cubin", "peer_ptx") if name in self._arrays]

    def load(self, code: str) -> Any:
        """Returns the function of a code, with the sizes of its launch."""
        from gridir.runtime.gpu import Launch
        from gridir.runtime.gpu.packed import with_packed

        is_peer = code == "peer_ptx"
        description = Launch.from_json(self.head["peer"]["launch"] if is_peer else self.head["launch"])
        description = with_packed(description, len(self.head["operands"]))
        function = self.device.load(self._arrays[code] + b"\0").function(description)
        return PeerFunction(self.device, function, self.head["peer"]) if is_peer else function

    def write(self) -> list[int]:
        """Writes the operands before a launch, and returns their addresses."""
        for number, operand in enumerate(self.head["operands"]):
            if operand["memory"] == number:
                data = self._arrays[f"before{number}"]
                if number not in self._memory:
                    self._memory[number] = self.device.allocate(len(data))
                self.device.write(self._memory[number], data)
        return [*(self._memory[operand["memory"]] for operand in self.head["operands"]), *self._write_packed()]

    def _write_packed(self) -> list[int]:
        """Writes the operands whose elements share bytes for bulk copies, which have memory of their own."""
        from gridir.runtime.gpu.packed import PackedOperand

        for number, count in self.head["launch"]["packed_operands"]:
            data = np.frombuffer(self._arrays[f"before{self.head['operands'][number]['memory']}"], np.uint8)
            words = PackedOperand(data.copy(), count)
            address = self._packed[number][1] if number in self._packed else self.device.allocate(words.words.nbytes)
            self._packed[number] = words, address
            self.device.write(address, words.words.tobytes())
        return [address for _, address in self._packed.values()]

    def _read(self, number: int, size: int) -> bytes:
        """Returns the bytes of an operand, with those that bulk copies have stored."""
        data = self.device.read(self._memory[number], size)
        for packed, (words, address) in self._packed.items():
            if self.head["operands"][packed]["memory"] == number:
                data = words.merged(data, self.device.read(address, words.words.nbytes))
        return data

    def compare(self) -> dict[str, Any]:
        """Returns the largest difference from the results of the executor."""
        found = []
        for number in self._memory:
            before = self._arrays[f"before{number}"]
            expected = self._arrays.get(f"after{number}", before)
            found.append(compare(self._read(number, len(before)), expected, self.head["operands"][number]["dtype"]))
        order = ("equal", "rounding", "different")
        return max(found, key=lambda x: (order.index(x["status"]), x.get("worst", 0.0)), default={"status": "equal"})

    def free(self) -> None:
        """Frees the memory."""
        from gridir.errors import Error

        for address in (*self._memory.values(), *(address for _, address in self._packed.values())):
            try:
                self.device.free(address)
            except Error:
                break  # The context is lost with the launch that failed; this process ends.


def _skip(case: Case) -> dict[str, Any] | None:
    from gridir.runtime.gpu.chips import ptx_devices, runs_on

    if not runs_on(ptx_devices(case.head["chip"]), case.device.capability):
        return {"status": "other chip", "chip": case.head["chip"]}
    return None


def launch(path: Path, code: str) -> dict[str, Any]:
    """Launches a code of a case and returns what became of it."""
    case = Case(path)
    if (skipped := _skip(case)) is not None:
        return skipped
    try:
        start = time.perf_counter()
        function = case.load(code)
        loaded = time.perf_counter()
        function.run(case.write())
        case.device.synchronize()
        done = time.perf_counter()
        return {**case.compare(), "load_ms": (loaded - start) * 1e3, "run_ms": (done - loaded) * 1e3}
    finally:
        case.free()


_MEASURED_MS = 2.0
"""Time of the launches between two events."""


def measure(path: Path, turns: int) -> dict[str, Any]:
    """Times the codes of a case in turns, by events of the driver; returns medians in microseconds."""
    case = Case(path)
    if (skipped := _skip(case)) is not None:
        return skipped
    try:
        operands = case.write()
        functions = {code: case.load(code) for code in case.codes}
        once = max(_milliseconds(case.device, function, operands, 2) for function in functions.values())
        count = int(min(max(_MEASURED_MS / max(once, 1e-3), 1), 500))
        times: dict[str, list[float]] = {code: [] for code in functions}
        for _ in range(turns):
            for code, function in functions.items():
                times[code].append(_milliseconds(case.device, function, operands, count) * 1e3)
        found: dict[str, Any] = {"status": "timed", **{code: statistics.median(x) for code, x in times.items()}}
        if "peer_ptx" in times:
            pairs = zip(times["ptx"], times["peer_ptx"], strict=True)
            found["ratio"] = statistics.median(theirs / ours if ours else 0.0 for ours, theirs in pairs)
        return found
    finally:
        case.free()


def _milliseconds(device: Any, function: Any, operands: list[int], count: int) -> float:
    """Returns the time of one of several launches."""
    call, begin, end, total = device.cuda.call, ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
    with device.current():
        for event in (begin, end):
            call("cuEventCreate", ctypes.byref(event), 0)
        call("cuEventRecord", begin, None)
        for _ in range(count):
            function(operands)
        call("cuEventRecord", end, None)
        call("cuEventSynchronize", end)
        call("cuEventElapsedTime", ctypes.byref(total), begin, end)
        for event in (begin, end):
            call("cuEventDestroy_v2", event)
    return total.value / count


def work() -> None:
    """Answers each line of standard input, a list of JSON, with a line of JSON."""
    from gridir.errors import Error

    for line in sys.stdin:
        task, path, argument = json.loads(line)
        try:
            found = launch(Path(path), argument) if task == "launch" else measure(Path(path), argument)
        except Error as error:
            found = {"status": "failed", "message": str(error)[:400]}
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

    def run(self, task: str, path: Path, argument: Any, timeout: float) -> dict[str, Any]:
        """Returns the result of `launch` or `measure` for a case."""
        if self._process is None:
            command = [sys.executable, __file__, "--work"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"{json.dumps([task, str(path), argument])}\n")
            process.stdin.flush()
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(_read_answer, process.stdout)
            try:
                found = answer.result(timeout)
            except TimeoutError:
                process.kill()  # The thread that reads ends with the process.
                found = {"status": "hang"}
        if found is None:
            found = {"status": "process ended", "code": process.wait()}
        # A process that has failed gets no other launch: its context may be lost, and it may still be ending.
        if found["status"] in ("failed", "hang", "process ended"):
            process.kill()
            self.close()
        return found

    def close(self) -> None:
        """Ends the process."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process = None


def _codes_of(path: Path) -> list[str]:
    with np.load(path) as case:
        return [name for name in ("ptx", "cubin", "peer_ptx") if name in case.files]


_TITLES = {"ptx": "gridir, PTX", "cubin": "gridir, cubin", "peer_ptx": "JAX's pipeline, PTX"}
_RESULTS = ("equal", "rounding", "different")


def print_tables(results: dict[str, Any], times: dict[str, Any]) -> None:
    """Prints the results and the times as tables of benchmarks/README.md, and the failures below them."""
    print("| code | launches | equal to the bit | by rounding only | different | not launched | failed |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for code, title in _TITLES.items():
        found = [x["status"] for name, x in results.items() if name.split()[-1] == code]
        skipped = found.count("other chip")
        counts = [sum(x == status for x in found) for status in _RESULTS]
        if found:
            row = [title, len(found), *counts, skipped, len(found) - skipped - sum(counts)]
            print("| " + " | ".join(map(str, row)) + " |")
    timed = {name: x for name, x in times.items() if x["status"] == "timed"}
    if timed:
        print("\n| kernel | gridir (us) | JAX's pipeline (us) | JAX / gridir |")
        print("| --- | ---: | ---: | ---: |")
    for name, x in sorted(timed.items()):
        print(f"| {name.rpartition('-')[0]} | {x['ptx']:.2f} | {x['peer_ptx']:.2f} | {x['ratio']:.3f} |")
    for name, x in sorted((results | times).items()):
        if x["status"] not in ("equal", "rounding", "other chip", "timed"):
            print(f"  {name}: {x}")


def main() -> None:
    """Runs the pack that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", nargs="?", type=Path)
    parser.add_argument("--jobs", type=int, default=8, help="processes")
    parser.add_argument("--timeout", type=float, default=30, help="seconds of a launch")
    parser.add_argument("--turns", type=int, default=7, help="times that each code is measured")
    parser.add_argument("--out", type=Path, default=Path("results.json"))
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        work()
        return
    cases = sorted(args.pack.rglob("*.npz"))
    launches = [(path, code) for path in cases for code in _codes_of(path)]
    results: dict[str, Any] = {}

    waiting: queue.SimpleQueue[tuple[Path, str]] = queue.SimpleQueue()
    for item in launches:
        waiting.put(item)

    def take_launches(_: int) -> None:
        worker = Worker()
        with contextlib.suppress(queue.Empty):
            while True:
                path, code = waiting.get_nowait()
                results[f"{path.relative_to(args.pack)} {code}"] = worker.run("launch", path, code, args.timeout)
        worker.close()

    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(take_launches, range(args.jobs)))
    # Nothing else runs on the GPU while a code is timed.
    timer, times = Worker(), {}
    for path in cases:
        if "peer_ptx" in _codes_of(path):
            times[path.stem] = timer.run("measure", path, args.turns, args.timeout * args.turns)
    timer.close()
    args.out.write_text(json.dumps({"launches": results, "times": times}, indent=1))
    print_tables(results, times)


if __name__ == "__main__":
    main()

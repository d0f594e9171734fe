# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels in JAX programs on a GPU: results beside JAX's, transformations, and the cost of a launch.

    python tools/on-gpu/jax_call.py --examples examples --out jax_call.json

Needs JAX for CUDA and gridir. Parts run in a process that is started again after a fault or a hang, which costs one
part. Without --parts all run; --platform cpu tries the tool itself on a machine without a GPU.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import selectors
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

HERE = Path(__file__).resolve().parent
FLAGS = {
    "default": "",
    "graphs": "--xla_gpu_graph_min_graph_size=1 "
    "--xla_gpu_enable_command_buffer=FUSION,CUBLAS,CUBLASLT,CUSTOM_CALL,CUDNN",
    "no graphs": "--xla_gpu_enable_command_buffer=",
}
"""XLA's flags for the cost of a launch."""

# An error after which the context of the process is of no use.
_FATAL = ("ILLEGAL_ADDRESS", "LAUNCH_FAILED", "ILLEGAL_INSTRUCTION", "MISALIGNED", "LAUNCH_TIMEOUT", "ASSERT")

Part = Callable[[], dict[str, Any]]


class Worker:
    """The parts, in a process that has JAX.

    Args:
      platform: the JAX platform on which kernels run.
      examples: the directory of the examples.
    """

    def __init__(self, platform: str, examples: Path):
        import gridir
        import jax
        import jax.numpy as jnp
        import numpy as np
        from gridir.testing import difference, interpreted
        from jax.experimental import pallas as pl

        self.gridir, self.jax, self.jnp, self.np, self.pl = gridir, jax, jnp, np, pl
        self.difference, self.interpreted = difference, interpreted
        self.platform, self.examples = platform, examples
        self.cpu, self.device = jax.devices("cpu")[0], jax.devices(platform)[0]
        self.x = np.random.default_rng(0).standard_normal((64, 128)).astype(np.float32)
        gridir.install(platforms=(platform,))

    def parts(self) -> dict[str, Part]:
        """Returns all parts by name."""
        named = {name.removeprefix("part_").replace("_", " "): getattr(self, name) for name in dir(self)}
        parts = {f"example {path.stem}": self.example(path) for path in sorted(self.examples.glob("*.py"))}
        parts |= {f"warpgroups {x.stem}": self.example(x) for x in sorted(self.examples.glob("mosaic_gpu/*.py"))}
        return parts | {name: named[name] for name in named if hasattr(self, f"part_{name.replace(' ', '_')}")}

    def call(self, kernel: Callable[..., None], *, num_inputs: int = 2, rows: int = 8, **params: Any) -> Any:
        """Returns a call of a kernel on blocks of 8 rows of arrays like `x`."""
        spec = self.pl.BlockSpec((rows, 128), lambda i: (i, 0))
        shape = self.jax.ShapeDtypeStruct(self.x.shape, self.x.dtype)
        specs = {"in_specs": [spec] * num_inputs, "out_specs": spec, "out_shape": shape, **params}
        return self.pl.pallas_call(kernel, grid=(self.x.shape[0] // rows,), **specs)

    def compare(self, function: Callable[..., Any], *args: Any, reference: Any = None) -> dict[str, Any]:
        """Compares a function on the device with a reference, or with itself in JAX's interpret mode, on the CPU."""
        jax = self.jax
        with jax.default_device(self.device):
            got = jax.tree.map(self.np.asarray, jax.jit(function)(*args))
        host = jax.tree.map(self.np.asarray, args)
        with jax.default_device(self.cpu), self.interpreted() if reference is None else contextlib.nullcontext():
            want = jax.tree.map(self.np.asarray, jax.jit(reference or function)(*host))
        different = self.difference(got, want)
        return {"status": "different" if different else "equal", "detail": str(different or "")}

    def example(self, path: Path) -> Part:
        """Returns the part of an example."""

        def run() -> dict[str, Any]:
            spec = importlib.util.spec_from_file_location(path.stem, path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            with self.jax.default_device(self.cpu):
                args = self.jax.tree.map(self.np.asarray, module.example_args())
            return self.compare(getattr(module, path.stem), *args, reference=getattr(module, "reference", None))

        return run

    def part_several_results(self) -> dict[str, Any]:
        """One kernel with two results."""

        def both(x_ref, y_ref, sum_ref, difference_ref):
            sum_ref[...] = x_ref[...] + y_ref[...]
            difference_ref[...] = x_ref[...] - y_ref[...]

        spec = self.pl.BlockSpec((8, 128), lambda i: (i, 0))
        shapes = [self.jax.ShapeDtypeStruct(self.x.shape, self.x.dtype)] * 2
        call = self.call(both, out_specs=[spec] * 2, out_shape=shapes)
        return self.compare(call, self.x, self.x * 2, reference=lambda x, y: [x + y, x - y])

    def part_aliases(self) -> dict[str, Any]:
        """A kernel in place, whose operand the program uses again."""
        step = self.call(_add, input_output_aliases={0: 0})
        return self.compare(lambda x, y: step(x * 2, y) + x, self.x, self.x, reference=lambda x, y: (x * 2 + y) + x)

    def part_fori_loop(self) -> dict[str, Any]:
        """A kernel in place in a loop."""
        step = self.call(_add, input_output_aliases={0: 0})
        loop = self.jax.lax.fori_loop
        return self.compare(
            lambda x, y: loop(0, 20, lambda _, v: step(v, y), x),
            self.x,
            self.x,
            reference=lambda x, y: loop(0, 20, lambda _, v: v + y, x),
        )

    def part_vmap(self) -> dict[str, Any]:
        """A batch of calls."""
        batch = self.np.stack([self.x, -self.x])
        return self.compare(self.jax.vmap(self.call(_add), (0, None)), batch, self.x, reference=lambda x, y: x + y)

    def part_grad(self) -> dict[str, Any]:
        """A derivative whose rules call kernels."""
        jax = self.jax

        @jax.custom_vjp
        def doubled(x):
            return self.call(_double, num_inputs=1)(x)

        doubled.defvjp(lambda x: (doubled(x), None), lambda _, g: (self.call(_double, num_inputs=1)(g),))
        return self.compare(jax.grad(lambda x: self.jnp.sum(doubled(x) ** 2)), self.x)

    def part_shard_map(self) -> dict[str, Any]:
        """A kernel that is mapped over the devices."""
        jax = self.jax
        mesh = jax.sharding.Mesh([self.device], ("d",))
        spec = jax.sharding.PartitionSpec("d")
        mapped = jax.shard_map(self.call(_add), mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
        return self.compare(mapped, self.x, self.x, reference=lambda x, y: x + y)

    def part_failed_check(self) -> dict[str, Any]:
        """An index out of bounds is an error with the author's line; the next call runs."""

        def pick(index_ref, x_ref, o_ref):
            o_ref[...] = x_ref[self.pl.ds(index_ref[0], 1), :]

        shape = self.jax.ShapeDtypeStruct((1, 128), self.x.dtype)
        picked = self.jax.jit(self.pl.pallas_call(pick, out_shape=shape))
        try:
            self.np.asarray(picked(self.np.int32([77]), self.x))
            return {"status": "different", "detail": "no error"}
        except Exception as error:
            line = str(error).splitlines()[0]
        right = self.np.array_equal(picked(self.np.int32([3]), self.x), self.x[3:4])
        is_right = right and "77" in line and Path(__file__).name in line
        return {"status": "equal" if is_right else "different", "detail": line}

    def part_export(self) -> dict[str, Any]:
        """A program that is exported, read again and called."""
        export = self.jax.export
        checks = [export.DisabledSafetyCheck.custom_call(x) for x in ("gridir_gpu", "gridir_gpu_recorded")]
        checks.append(export.DisabledSafetyCheck.custom_call("gridir_cpu"))
        made = export.export(self.jax.jit(self.call(_add)), platforms=[self.platform], disabled_checks=checks)
        data = made(self.x, self.x).serialize()
        got = export.deserialize(data).call(self.x, self.x)
        is_right = self.np.array_equal(got, self.x + self.x)
        return {"status": "equal" if is_right else "different", "detail": f"{len(data)} bytes"}

    def part_threads(self) -> dict[str, Any]:
        """Eight threads call kernels, whose modules are unloaded and loaded again."""
        wrong: list[str] = []

        def run(number: int) -> None:
            try:
                for _ in range(3):
                    x = self.x + self.np.float32(number)
                    step = self.jax.jit(self.call(_add))
                    if not self.np.array_equal(step(x, x), x + x):
                        wrong.append(f"thread {number}")
                    step.clear_cache()
            except Exception as error:
                wrong.append(repr(error))

        threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.jax.clear_caches()
        if not self.np.array_equal(self.jax.jit(self.call(_add))(self.x, self.x), self.x + self.x):
            wrong.append("afterwards")
        return {"status": "different" if wrong else "equal", "detail": "; ".join(wrong)}

    def part_chains(self) -> dict[str, Any]:
        """Kernels between XLA's operations, in a chain that XLA may record as a graph, called again and again."""
        step = self.call(_add)

        def chain(x: Any, y: Any, add: Callable[..., Any] = step) -> Any:
            for _ in range(12):
                x = self.jnp.tanh(add(x, y) * 0.5)
            return x

        first = self.compare(chain, self.x, self.x, reference=lambda x, y: chain(x, y, self.jnp.add))
        jitted = self.jax.jit(chain)
        runs = [self.np.asarray(jitted(self.x, self.x)) for _ in range(6)]
        same = all(self.np.array_equal(runs[0], run) for run in runs)
        return first if same else {"status": "different", "detail": "calls of one program differ"}

    def part_cost_of_a_launch(self) -> dict[str, Any]:
        """Microseconds of a kernel in loops and chains of one program, beside XLA's own."""
        x, y = (self.jax.device_put(self.np.full((64, 128), v, self.np.float32), self.device) for v in (1, 0.5))
        rows: dict[str, Any] = {}
        for name, (kernel, context) in self._rows().items():
            try:
                with context:
                    rows[name] = self._time(kernel, x, y)
            except Exception as error:
                rows[name] = {"error": str(error).splitlines()[0][:300]}
        right = all(row.get("right", False) for row in rows.values() if "error" not in row)
        return {"status": "equal" if right else "different", "detail": "", "microseconds": rows}

    def _rows(self) -> dict[str, tuple[Callable[..., Any], contextlib.AbstractContextManager[Any]]]:
        from gridir.frontend.capture.install import jax_alone
        from gridir.runtime.gpu import xla_call

        whole = self.call(_add)
        plain = mock.patch.object(xla_call, "RECORDED_CALL_TARGET", xla_call.CALL_TARGET)
        spec = importlib.util.spec_from_file_location("tma_add", self.examples / "mosaic_gpu" / "tma_add.py")
        rows: dict[str, Any] = {
            "XLA's add": (lambda a, b: self.jnp.where(a > -1e30, a + b, a), contextlib.nullcontext()),
            "gridir, may be recorded": (whole, contextlib.nullcontext()),
            "gridir, never recorded": (self.call(_add, name="plain_add"), plain),
            "JAX's pallas_call": (self.call(_add, name="jax_add"), jax_alone()),
        }
        if spec is not None and spec.loader is not None and self.platform == "cuda":
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            rows["gridir, three tensor maps"] = (module.tma_add, contextlib.nullcontext())
        return rows

    def _time(self, kernel: Callable[..., Any], x: Any, y: Any) -> dict[str, Any]:
        jax = self.jax

        def chain(x: Any, y: Any) -> Any:
            for _ in range(100):
                x = jax.lax.optimization_barrier(kernel(x, y))
            return x

        loop = jax.jit(lambda x, y: jax.lax.fori_loop(0, 500, lambda _, v: kernel(v, y), x))
        right = bool(self.jnp.all(loop(x, y) == x + 250))
        times = {"loop": (loop, 500), "chain": (jax.jit(chain), 100), "one call": (jax.jit(kernel), 1)}
        return {name: _microseconds(jax, function, count, x, y) for name, (function, count) in times.items()} | {
            "right": right
        }


def _add(x_ref, y_ref, o_ref) -> None:
    o_ref[...] = x_ref[...] + y_ref[...]


def _double(x_ref, o_ref) -> None:
    o_ref[...] = x_ref[...] * 2


def _microseconds(jax: Any, function: Any, count: int, *args: Any) -> float:
    jax.block_until_ready(function(*args))
    times = []
    for _ in range(9):
        start = time.perf_counter()
        jax.block_until_ready(function(*args))
        times.append((time.perf_counter() - start) / count * 1e6)
    return round(statistics.median(times), 2)


def work(options: argparse.Namespace) -> None:
    """Runs the parts that are asked for in this process, and writes a line of JSON for each."""
    worker = Worker(options.platform, options.examples)
    parts = worker.parts()
    for name in options.parts:
        print("begin " + json.dumps(name), flush=True)
        start = time.perf_counter()
        result: dict[str, Any]
        try:
            result = parts[name]()
        except Exception as error:
            text = "".join(traceback.format_exception_only(error)).strip()
            result = {"status": "error", "detail": text[:1000], "where": traceback.format_exc()[-2000:]}
        result["seconds"] = round(time.perf_counter() - start, 2)
        print("end " + json.dumps({"part": name, **result}), flush=True)
        if any(word in result["detail"] for word in _FATAL):
            os._exit(1)


def run_parts(options: argparse.Namespace, parts: list[str], flags: str) -> Iterator[dict[str, Any]]:
    """Runs parts in a process, and the rest in another one after a fault or a hang."""
    left = list(parts)
    while left:
        command = [sys.executable, __file__, "--worker", "--platform", options.platform]
        command += ["--examples", str(options.examples), "--parts", *left]
        environment = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", **os.environ}
        # XLA takes flags that begin with anything but a dash for the name of a file.
        environment["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flags}".strip()
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
            current, how, has_begun = "", "died", False
            for line in _lines(process, options.timeout):
                if line is None:
                    process.kill()
                    how = f"no answer in {options.timeout:g} s"
                elif line.startswith("begin "):
                    current, has_begun = json.loads(line[6:]), True
                elif line.startswith("end "):
                    result = json.loads(line[4:])
                    left.remove(result["part"])
                    current = ""
                    yield result
            process.wait()
            errors.seek(0)
            tail = errors.read()[-1500:]
        fault = {"status": "fault", "detail": f"{how}, status {process.returncode}", "where": tail}
        if current in left:
            left.remove(current)
            yield {"part": current, **fault}
        elif not has_begun:
            yield {"part": "start", **fault, "detail": f"{fault['detail']}: {tail[-200:]}"}
            return


def _lines(process: subprocess.Popen[str], timeout: float) -> Iterator[str | None]:
    """Gives the lines that a process writes, and None when it has written none for long."""
    assert process.stdout is not None
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    while True:
        if not selector.select(timeout):
            yield None
            return
        line = process.stdout.readline()
        if not line:
            return
        yield line


def names_of(examples: Path) -> list[str]:
    """Returns the names of all parts, as `Worker.parts` has them."""
    found = [f"example {path.stem}" for path in sorted(examples.glob("*.py"))]
    found += [f"warpgroups {path.stem}" for path in sorted(examples.glob("mosaic_gpu/*.py"))]
    return found + [x.removeprefix("part_").replace("_", " ") for x in dir(Worker) if x.startswith("part_")]


def main() -> None:
    """Runs all parts, prints a table and writes JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=Path, default=HERE.parents[1] / "examples", help="their directory")
    parser.add_argument("--out", type=Path, help="a file for the results as JSON")
    parser.add_argument("--parts", nargs="*", help="only these parts")
    parser.add_argument("--platform", default="cuda", help="the JAX platform on which kernels run")
    parser.add_argument("--timeout", type=float, default=90, help="seconds for each part")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options)
        return
    cost = "cost of a launch"
    # Blackwell's instructions are not those of a Hopper.
    wanted = options.parts or [x for x in names_of(options.examples) if "tcgen05" not in x]
    plans = [("default", [part for part in wanted if part != cost])]
    plans += [(name, [x for x in ("chains", cost) if x in wanted]) for name in FLAGS]
    results: list[dict[str, Any]] = []
    for number, (flags, parts) in enumerate(plans):
        for result in run_parts(options, parts, FLAGS[flags]):
            title = result["part"] + (f" ({flags})" if number else "")
            results.append({**result, "part": title})
            print(
                f"{title:42} {result['status']:10} {result['detail'].splitlines()[0][:160] if result['detail'] else ''}"
            )
            for name, row in result.get("microseconds", {}).items():
                print(f"    {name:28} {row}")
            sys.stdout.flush()
            if options.out:
                options.out.write_text(json.dumps(results, indent=1))
    counts = {status: sum(x["status"] == status for x in results) for status in sorted({x["status"] for x in results})}
    print(", ".join(f"{count} {status}" for status, count in counts.items()))


if __name__ == "__main__":
    main()

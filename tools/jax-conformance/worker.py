# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One process that runs tests of one file of JAX, in one mode; `schedule.py` starts it and reads its replies.

Test names come on stdin, one a line. Replies are JSON lines on the descriptor that `--replies` names: first
`{"tests": [...]}`, or `{"broken": text}` where the file cannot be imported, then one record for each test. The
output of tests goes to stdout and stderr as usual.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import sys
import time
import traceback
import types
import unittest
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from codes import LoweringClock, assembled
from peer import Pipeline, replace_lowering

# The functions that JAX's lowering of a kernel hands it to when the kernel shall be interpreted.
INTERPRETERS = (
    ("jax._src.pallas.hlo_interpreter", "pallas_call_hlo_interpret"),
    ("jax._src.pallas.mosaic.interpret.interpret_pallas_call", "interpret_pallas_call"),
    ("jax._src.pallas.mosaic_gpu.interpret.interpret_pallas_call", "interpret_pallas_call"),
)
_LARGEST_RECORDED = 2 << 20
"""Bytes of operands up to which a launch is recorded for tools/on-gpu."""


class CheckoutFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of JAX's tests that the installed JAX lacks in the checkout; it is asked last."""

    def __init__(self, checkout: Path):
        self._checkout = checkout

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> Any:
        """The module `jax.x.y` is `jax/x/y.py` of the checkout."""
        del path, target
        if not fullname.startswith("jax."):
            return None
        parent = self._checkout.joinpath(*fullname.split(".")[:-1])
        return importlib.machinery.PathFinder.find_spec(fullname, [str(parent)])


class Counts:
    """How many kernels the running test has lowered to native code, and how many JAX has interpreted.

    Attributes:
      native: kernels that gridir has made ready to run, those that it had compiled before too.
      interpreted: calls of JAX's interpreters.
      compiled: of each kernel that was compiled for this test, its name, target, grid and seconds in the compiler.
      recordings: the launches of this test, where they are recorded.

    Args:
      assemble: also assembles each kernel that is PTX with `ptxas`, and stores the result.
    """

    def __init__(self, assemble: bool = False) -> None:
        self._assemble = assemble
        self._known_texts: set[str] = set()
        self._launches: list[Any] = []
        self.recordings: list[Any] = []
        self.reset()

    def take_launches(self) -> None:
        """Counts the launches of a driver."""
        self.native += len(self._launches)
        for launch in self._launches:
            known = {"name": launch.function, "target": "peer", "grid": launch.grid}
            known["seconds"] = round(launch.prepare_seconds, 3)
            if self._assemble and launch.text not in self._known_texts:
                self._known_texts.add(launch.text)
                known |= assembled(launch.text)
            self.compiled.append(known)

    def reset(self) -> None:
        """Starts a test."""
        self.native = 0
        self.interpreted = 0
        self.compiled: list[dict[str, Any]] = []
        self._launches.clear()
        self.recordings.clear()

    def count_interpreted(self, refuse: bool) -> None:
        """Counts the calls of JAX's interpreters; with `refuse` they raise instead of running."""
        for module_name, name in INTERPRETERS:
            module = importlib.import_module(module_name)
            setattr(module, name, self._counting(getattr(module, name), refuse))

    def _counting(self, interpreter: Any, refuse: bool) -> Any:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.interpreted += 1
            if refuse:
                raise RuntimeError("JAX's interpreter was entered, where gridir should have taken the kernel")
            return interpreter(*args, **kwargs)

        return counted

    def count_launches(self, launches: list[Any]) -> None:
        """Counts the launches of a stand-in driver, which it adds to a list."""
        self._launches = launches

    def count_native(self) -> None:
        """Counts the kernels that gridir makes ready to run."""
        from gridir.compiler.gpu import PtxKernel
        from gridir.compiler.kernel import Kernel

        prepare, clock = Kernel.prepare, LoweringClock()
        clock.watch()

        def counted(kernel: Kernel) -> Any:
            prepared = prepare(kernel)
            self.native += 1
            # A Mosaic module is not kept beyond the process.
            if getattr(prepared, "origin", "compiled") == "compiled":
                grid = [size if isinstance(size, int) else "dynamic" for size in kernel.grid_mapping.grid]
                known = {"name": kernel.name, "target": kernel.target.name, "grid": grid}
                known["seconds"] = round(prepared.seconds, 3)
                lowering = clock.take()
                if self._assemble and isinstance(prepared, PtxKernel) and prepared.ptx not in self._known_texts:
                    self._known_texts.add(prepared.ptx)
                    known |= {"lowering_seconds": round(lowering, 3), **assembled(prepared.ptx)}
                self.compiled.append(known)
            return prepared

        Kernel.prepare = counted


def without_callback(message: str) -> str:
    """The message of an exception in an XLA callback, which XLA appends to the traceback; or the message as it is."""
    if "error calling callback: Traceback" not in message:
        return message
    lines = message.rstrip().splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("  File "))
    told = [line for line in lines[last + 1 :] if not line.startswith("    ")]
    return "\n".join(told) or message


class Result(unittest.TestResult):
    """Stores the result of the last test."""

    def __init__(self) -> None:
        super().__init__()
        self.status = "passed"
        self.error: dict[str, str] = {}

    def _fail(self, error: Any) -> None:
        kind, value, trace = error
        self.status = "failed"
        frames = traceback.extract_tb(trace)
        self.error = {
            "type": kind.__name__,
            "message": without_callback(str(value))[:4000],
            "where": " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames[-6:])),
        }

    def addError(self, test: Any, err: Any) -> None:
        """A test that raised has failed."""
        self._fail(err)

    def addFailure(self, test: Any, err: Any) -> None:
        """A test whose assertion did not hold has failed."""
        self._fail(err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        """A part of a test that has failed is the test failed."""
        if err is not None:
            self._fail(err)

    def addSkip(self, test: Any, reason: str) -> None:
        """A test that skips itself says why."""
        self.status, self.error = "skipped", {"type": "skip", "message": reason, "where": ""}

    def addUnexpectedSuccess(self, test: Any) -> None:
        """A success that the test did not expect is no pass."""
        self.status, self.error = "failed", {"type": "UnexpectedSuccess", "message": "", "where": ""}


def cases(suite: Any) -> Iterator[unittest.TestCase]:
    """The test cases of a suite, however it is nested."""
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from cases(item)
        else:
            yield item


def is_of_jax(file: str) -> bool:
    """True if a test is one of JAX's; otherwise it is one of a library, whose modules are imported as it names them."""
    return file.startswith("tests/")


def load(checkout: Path, file: str, arguments: Sequence[str]) -> dict[str, unittest.TestCase]:
    """Imports a test file, which finds the arguments in `sys.argv`; its tests by `Class.method`."""
    path = checkout / file
    if is_of_jax(file):
        sys.path.insert(0, str(path.parent))
    sys.argv = [str(path), *arguments]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"expected a Python file, got {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    found = cases(unittest.defaultTestLoader.loadTestsFromModule(module))
    return {f"{type(case).__name__}.{case._testMethodName}": case for case in found}


def pretend_tpu(generation: int, chip: str) -> None:
    """Makes JAX's test utilities say that the device is a TPU of that chip, so that no test skips itself off TPU.

    Args:
      generation: the number that the tests compare.
      chip: the name of the chip among JAX's.
    """
    import jax
    from jax._src import test_util
    from jax._src.pallas.mosaic import core, tpu_info
    from jax.experimental.pallas import tpu as pltpu

    test_util.device_under_test = lambda: "tpu"
    test_util.get_tpu_version = lambda: generation
    tpu_info.registry["cpu"] = lambda: tpu_info.get_tpu_info_for_chip(tpu_info.ChipVersion[chip], 1)
    # JAX asks the device for its cores, which a CPU does not know; these chips have one.
    device: Any = type(jax.devices()[0])
    device.num_cores = 1
    if not hasattr(pltpu, "create_tensorcore_mesh"):
        return
    make_mesh = core.create_tensorcore_mesh

    def mesh_of_one_core(axis_name: str, devices: Any = None, num_cores: int | None = None) -> Any:
        return make_mesh(axis_name, devices, 1 if devices is None and num_cores is None else num_cores)

    core.create_tensorcore_mesh = pltpu.create_tensorcore_mesh = mesh_of_one_core


TPUS = {"tpu": (5, "TPU_V5E"), "sparsecore": (6, "TPU_V6E"), "tpu7x": (7, "TPU_7X")}
"""The generation and the chip of each device that is a TPU."""

KINDS = {
    "gpu": {"platform": "gpu", "device_kind": "NVIDIA H100 80GB HBM3", "compute_capability": "9.0", "core_count": 132},
    "tpu": {"platform": "tpu", "device_kind": "TPU v5 lite"},
    "sparsecore": {"platform": "tpu", "device_kind": "TPU v6 lite"},
    "tpu7x": {"platform": "tpu", "device_kind": "TPU7x"},
}
"""The properties of each device for a library that asks JAX for them."""


def answer_libraries(device: str) -> None:
    """Makes JAX's public functions say which device there is; JAX itself asks others.

    Args:
      device: the device, one of `KINDS`.
    """
    import jax.extend.backend

    # Devices are keys of caches.
    kind = type("Device", (), KINDS[device])()
    jax.default_backend = lambda: KINDS[device]["platform"]
    jax.extend.backend.get_default_device = lambda: kind


CHIPS = {9.0: "sm_90a", 10.0: "sm_100a"}
"""The chips of the compute capabilities that tests ask for."""


def compute_in_f32() -> None:
    """Lets tests ask for products of a GPU: a CPU computes the reference of a kernel's result in f32."""
    import jax

    # The class of enumerations forbids this. Lowering rules need the enumeration itself.
    presets = jax.lax.DotAlgorithmPreset
    type.__setattr__(presets, "F16_F16_F32", presets.F32_F32_F32)


def pretend_gpu(use: Callable[[str], None]) -> Callable[[], None]:
    """Makes JAX's test utilities say that the device is a GPU, of the generation that each test asks for.

    Args:
      use: is told the chip, whenever a test asks for one.

    Returns:
      A function that restores the first generation for the next test.
    """
    import jax.experimental.mosaic.gpu
    from jax._src import lib, test_util

    # With it, tests wait for the output of a kernel.
    waits = types.SimpleNamespace(_sync_all_devices=lambda: None)
    lib.mosaic_gpu = types.SimpleNamespace(_mosaic_gpu_ext=waits)
    # Values that kernels of JAX's library request: the version of CUDA, the number of CTAs that run at a time, for
    # persistent kernels, and whether devices can access each other's memory.
    lib.cuda_versions = types.SimpleNamespace(
        cuda_runtime_get_version=lambda: 13000, cuda_supports_multicast=lambda _: True
    )
    device: Any = type(jax.devices()[0])
    device.core_count = 4
    hopper, blackwell = 9.0, 10.0
    generation = hopper

    def become(capability: float) -> None:
        nonlocal generation
        generation = capability
        use(CHIPS[capability])

    test_util.test_device_matches = lambda tags: not {"gpu", "cuda"}.isdisjoint(tags)
    test_util.is_device_cuda = lambda: True
    test_util.is_cuda_compute_capability_at_least = lambda least: float(least) <= generation
    test_util.is_cuda_compute_capability_equal = lambda wanted: float(wanted) == generation
    test_util.get_cuda_nonportable_max_cluster_size = lambda: 16
    tests: Any = test_util.CudaArchSpecificTest
    tests.skip_unless_sm90a = lambda _: become(hopper)
    tests.skip_unless_tcgen05 = lambda _: become(blackwell)
    return functools.partial(become, hopper)


def set_up(
    mode: str,
    device: str,
    through: str,
    checks: Sequence[str],
    record: Path | None,
    counts: Counts,
    lasting: contextlib.ExitStack,
) -> Callable[[], None]:
    """Puts JAX or gridir in charge of kernels, until `lasting` ends; gridir's check themselves while they run.

    Returns:
      What is to be called before each test.
    """
    if through == "peer":
        return set_up_peer(checks, record is not None, counts)

    def use(chip: str) -> None:
        if mode == "gridir":
            import gridir

            emulate = {"ptx": f"gpu:{chip}", "mosaic": "tpu"}.get(through)
            gridir.install(replace_interpret=True, checks=checks, emulate=emulate)

    counts.count_interpreted(refuse=mode == "gridir")
    start = pretend_gpu(use) if device == "gpu" else lambda: None
    if device in TPUS:
        pretend_tpu(*TPUS[device])
        if mode == "jax":
            from jax.experimental.pallas import tpu as pltpu

            lasting.enter_context(pltpu.force_tpu_interpret_mode())
    if mode == "gridir":
        counts.count_native()
        use(CHIPS[9.0])
    if record is not None:
        sys.path.append(str(Path(__file__).parents[1] / "on-gpu"))
        lasting.enter_context(importlib.import_module("capture").capturing(record, _LARGEST_RECORDED))
    return start


def set_up_peer(checks: Sequence[str], record: bool, counts: Counts) -> Callable[[], None]:
    """Puts JAX's pipeline for GPUs in charge of kernels, and gridir's executor of its PTX.

    Returns:
      What is to be called before each test.
    """
    pipeline = Pipeline()
    pipeline.driver.options["checks"] = checks
    counts.count_launches(pipeline.driver.launches)
    if record:
        pipeline.driver.recorder = counts.recordings.append
    capabilities = {chip: int(capability) for capability, chip in CHIPS.items()}
    start = pretend_gpu(lambda chip: pipeline.driver.pretend(capabilities[chip]))
    replace_lowering(pipeline)
    return start


def run(case: unittest.TestCase, counts: Counts, record: Path | None) -> dict[str, Any]:
    """Runs one test and returns its result; its launches are recorded if it passes."""
    counts.reset()
    result, start = Result(), time.perf_counter()
    case.run(result)
    counts.take_launches()
    if record and result.status == "passed":
        for i, recording in enumerate(counts.recordings):
            recording.save(record / f"{type(case).__name__}.{case._testMethodName}.{i}.npz")
    return {
        "status": result.status,
        "seconds": round(time.perf_counter() - start, 3),
        "native": counts.native,
        "interpreted": counts.interpreted,
        "compiled": counts.compiled,
        # The peak memory of the process so far; Linux counts it in KiB.
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "error": result.error,
    }


def main() -> None:
    """Answers until stdin ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=Path)
    parser.add_argument("file")
    parser.add_argument("--mode", choices=("jax", "gridir"), required=True)
    parser.add_argument("--device", choices=("cpu", "gpu", *TPUS), default="cpu")
    parser.add_argument("--through", choices=("cpu", "ptx", "mosaic", "peer"), default="cpu")
    parser.add_argument("--checks", default="")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--assemble", action="store_true")
    parser.add_argument("--test-argument", action="append", default=[])
    parser.add_argument("--replies", type=int, required=True)
    arguments = parser.parse_args()
    replies = os.fdopen(arguments.replies, "w")

    def reply(record: dict[str, Any]) -> None:
        replies.write(json.dumps(record) + "\n")
        replies.flush()

    counts, lasting = Counts(arguments.assemble), contextlib.ExitStack()
    sys.meta_path.append(CheckoutFinder(arguments.checkout))
    try:
        checks = [check for check in arguments.checks.split(",") if check]
        kept, through = arguments.record, arguments.through
        if not is_of_jax(arguments.file) and arguments.device in KINDS:
            answer_libraries(arguments.device)
        elif arguments.device == "gpu":
            compute_in_f32()
        start = set_up(arguments.mode, arguments.device, through, checks, kept, counts, lasting)
        tests = load(arguments.checkout, arguments.file, arguments.test_argument)
    except BaseException as error:
        # A test file may also refuse to be imported by leaving or by skipping itself.
        reply({"broken": f"{type(error).__name__}: {error}"})
        return
    reply({"tests": list(tests)})
    with lasting:
        for line in sys.stdin:
            start()
            reply(run(tests[line.strip()], counts, arguments.record))


if __name__ == "__main__":
    main()

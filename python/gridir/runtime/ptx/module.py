# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PTX, their functions, and launches of them on NumPy arrays."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from gridir.errors import CompileError, Frame, LaunchError, OptionError
from gridir.mlir._mlir_libs import _gridirPTX as native
from gridir.runtime.ptx.profile import Profile, is_profiling, read_profile, tell
from gridir.runtime.ptx.tensor_map import TensorMap

CHECKS = ("races", "uninitialized")
"""The checks that a launch supports."""


class PtxError(CompileError):
    """A text is no PTX, or uses something that the executor does not know."""


class RaceError(LaunchError):
    """The program makes no order between two accesses of a launch that checks "races"."""


def _check_options(checks: Sequence[str], schedule_seed: int | None) -> None:
    for check in checks:
        if check not in CHECKS:
            raise OptionError(f"expected checks among {', '.join(CHECKS)}, got {check!r}")
    if schedule_seed is not None and not 0 <= schedule_seed < 2**64:
        raise OptionError(f"expected schedule_seed from 0 to 2**64 - 1, got {schedule_seed!r}")


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a function.

    Attributes:
      name: its name in the text.
      offset: where it is in the memory of the parameters, in bytes.
      bytes: how large it is.
    """

    name: str
    offset: int
    bytes: int


@dataclasses.dataclass(frozen=True)
class Function:
    """An entry of a module.

    Attributes:
      name: its name in the text.
      parameters: the parameters of a launch, in order.
      required_block: threads along each dimension that the text asks for; None where it does not.
      max_threads: the most threads of a block; None where the text does not say.
      required_cluster: blocks of a cluster that the text asks for; None where it does not.
    """

    name: str
    parameters: tuple[Parameter, ...]
    required_block: tuple[int, int, int] | None
    max_threads: int | None
    required_cluster: tuple[int, int, int] | None
    _program: Any = dataclasses.field(repr=False, compare=False)
    _path: str = dataclasses.field(repr=False, compare=False)

    def prepare(self, *, checks: Sequence[str] = (), profiled: bool = False) -> Literal["memory", "disk", "compiled"]:
        """Compiles the function before its first launch.

        Args:
          checks: for launches with these checks.
          profiled: for launches that count.

        Returns:
          Where the code came from: this process, the directory GRIDIR_CACHE_DIR, or the compiler. Code of a module
          with variables in global or constant memory has their addresses, and is not kept in the directory.

        Raises:
          PtxError: for each instruction that the executor does not know.
        """
        reply = self._program.prepare(self.name, bool(checks), profiled, "uninitialized" in checks)
        _raise_problems(reply["problems"], self._path, self.name)
        if reply["warning"]:
            warnings.warn(reply["warning"], stacklevel=2)
        return reply["origin"]

    def launch(
        self,
        args: Sequence[np.ndarray | np.generic | bytes | TensorMap],
        *,
        grid: Sequence[int],
        block: Sequence[int],
        cluster: Sequence[int] | None = None,
        shared_bytes: int = 0,
        timeout: float = 0,
        checks: Sequence[str] = (),
        schedule_seed: int | None = None,
        blocks_at_once: int = 0,
        memory: Sequence[np.ndarray] = (),
        temporaries: Sequence[np.ndarray] = (),
        profile: bool = False,
        cores: int | None = None,
    ) -> Profile | None:
        """Runs the function, and returns when all blocks are done.

        Args:
          args: a value for each parameter: an array, which passes its address and whose memory the function may access;
            a tensor map, in the same way; a NumPy scalar, or bytes, as they are.
          grid: blocks along each of up to three dimensions.
          block: threads of a block along each.
          cluster: blocks of a cluster along each; for None, those that the text specifies, or one.
          shared_bytes: shared memory for the arrays whose size the launch says.
          timeout: seconds after which the launch is given up; 0 for never.
          checks: the checks that make the launch fail: "races", two accesses to one byte, one of them a write, that are
            unordered; "uninitialized", a result, branch or address that depends on memory that nothing has written.
          schedule_seed: runs threads in an order that this number chooses, and copies as late as a wait for them
            allows; None for the order of their numbers.
          blocks_at_once: how many blocks run at a time, as a chip has room for; others have not begun, and may be
            cancelled. At least one cluster runs, and more where threads wait for them.
          memory: arrays that the function may access, too, as it finds their addresses in arguments or in memory.
          temporaries: those of these arrays and of the arguments that hold no values before and after the launch.
          profile: True to count the executions of each instruction, which takes 4 to 80 times as long. cores: the
          number of threads of this process that run blocks; by default the number of processors. One does where blocks
          could tell: where they update global memory atomically or wait for it, print, or take the work of others, and
          with checks, a seed or a profile.

        Returns:
          The counts; None where they were not asked for.

        Raises:
          OptionError: for an unknown check, and a seed that is negative or has more than 64 bits.
          PtxError: for each instruction that the executor does not know.
          LaunchError: for arguments and sizes that do not fit, and for what a thread may not do, as an access outside
            of the arrays; the memory of the arrays is then what it was at that moment. For what the check "races" finds
            it is a RaceError.
        """
        _check_options(checks, schedule_seed)
        profile = profile or is_profiling()
        self.prepare(checks=checks, profiled=profile)
        data, buffers = self._encode(args)
        buffers += [(x.ctypes.data, x.nbytes, f"memory {i}") for i, x in enumerate(memory)]
        addresses = {x.ctypes.data for x in temporaries}
        reply = self._program.launch(
            self.name,
            grid=self._sizes("grid", grid),
            block=self._check_block(self._sizes("block", block)),
            cluster=self._sizes("cluster", cluster or self.required_cluster or (1,)),
            dynamic_shared=self._check_range("shared_bytes", shared_bytes),
            parameters=data,
            buffers=[(*buffer, buffer[0] in addresses) for buffer in buffers],
            timeout=timeout,
            finds_races="races" in checks,
            finds_unwritten="uninitialized" in checks,
            schedule_seed=schedule_seed,
            blocks_at_once=self._check_range("blocks_at_once", blocks_at_once),
            is_profiled=profile,
            cores=self._check_range("cores", len(os.sched_getaffinity(0)) if cores is None else cores, 1),
        )
        if "fault" in reply:
            raise self._error(reply["fault"])
        if not profile:
            return None
        counts = read_profile(reply["profile"])
        tell(self.name, counts)
        return counts

    def _encode(self, args: Sequence[Any]) -> tuple[bytes, list[tuple[int, int, str]]]:
        """The memory of the parameters, and that of the arrays."""
        if len(args) != len(self.parameters):
            raise LaunchError(f"expected {len(self.parameters)} arguments, got {len(args)}", kernel=self.name)
        size = max((parameter.offset + parameter.bytes for parameter in self.parameters), default=0)
        data = bytearray(size)
        buffers = []
        for parameter, arg in zip(self.parameters, args, strict=True):
            if isinstance(arg, np.ndarray):
                if not arg.flags.c_contiguous:
                    raise LaunchError(
                        f"expected an array without gaps for parameter {parameter.name}", kernel=self.name
                    )
                buffers.append((arg.ctypes.data, arg.nbytes, parameter.name))
                value = np.uint64(arg.ctypes.data).tobytes()
            elif isinstance(arg, TensorMap):
                buffers.append((arg.array.ctypes.data, arg.bytes, parameter.name))
                value = arg.encode()
            else:
                value = arg if isinstance(arg, bytes) else np.asarray(arg).tobytes()
            if len(value) != parameter.bytes:
                raise LaunchError(
                    f"expected {parameter.bytes} bytes for parameter {parameter.name}, got {len(value)}",
                    kernel=self.name,
                )
            data[parameter.offset : parameter.offset + parameter.bytes] = value
        return bytes(data), buffers

    def _sizes(self, what: str, sizes: Sequence[int]) -> list[int]:
        if not 1 <= len(sizes) <= 3:
            raise LaunchError(f"expected 1 to 3 sizes of the {what}, got {len(sizes)}", kernel=self.name)
        return [self._check_range(what, size) for size in sizes] + [1] * (3 - len(sizes))

    def _check_range(self, what: str, value: int, least: int = 0) -> int:
        if not least <= value < 2**31:
            raise LaunchError(f"expected {what} from {least} to 2147483647, got {value}", kernel=self.name)
        return int(value)

    def _check_block(self, block: list[int]) -> list[int]:
        if self.required_block is not None and tuple(block) != self.required_block:
            raise LaunchError(f"expected blocks of {self.required_block} threads, as in the PTX, got {tuple(block)}")
        if self.max_threads is not None and math.prod(block) > self.max_threads:
            raise LaunchError(
                f"expected at most {self.max_threads} threads of a block, as in the PTX, got {math.prod(block)}",
                kernel=self.name,
            )
        return block

    def _error(self, fault: dict[str, Any]) -> LaunchError:
        instruction = _on_one_line(fault["instruction"])
        notes = list(fault["notes"])
        if (other := fault.get("other")) is not None:
            frames = ", ".join(str(frame) for frame in _frames(other, self._path, self.name))
            notes.append(f"{other['message']}, by '{_on_one_line(other['instruction'])}' at {frames}")
        waiting = fault["waiting"]
        for place in waiting:
            author = _frames({**place, "line": 0}, self._path, self.name)
            notes.append(", at ".join([_on_one_line(place["message"]), *map(str, author)]))
        # Only findings of the check "races" have both accesses.
        kind = LaunchError if other is None else RaceError
        return kind(
            f"{fault['message']}, by '{instruction}'" if instruction else fault["message"],
            kernel=self.name,
            frames=_frames(waiting[0] if waiting else fault, self._path, self.name),
            notes=notes,
        )


@dataclasses.dataclass(frozen=True)
class Module:
    """A PTX text that is loaded.

    Attributes:
      functions: its entries, by their names.
    """

    functions: dict[str, Function]

    def function(self, name: str | None = None) -> Function:
        """Returns the entry of that name, or the only one.

        Raises:
          LaunchError: for an unknown name, or there are several and no name is given.
        """
        names = ", ".join(self.functions) or "none"
        if name is None and len(self.functions) != 1:
            raise LaunchError(f"expected a name of one of several entries, got none; there are {names}")
        name = name or next(iter(self.functions))
        if name not in self.functions:
            raise LaunchError(f"expected an entry ({names}), got {name!r}")
        return self.functions[name]


@functools.lru_cache(maxsize=64)
def load(text: str, *, path: str = "<ptx>") -> Module:
    """Reads a text of PTX. Equal texts return the same module, which is compiled once.

    Args:
      text: the text.
      path: where it is from, for messages.

    Raises:
      PtxError: when it is no PTX, with line and column.
    """
    program = native.load(text)
    if isinstance(program, list):
        _raise_problems(program, path, None)
    functions = {
        info.name: Function(
            info.name,
            tuple(Parameter(x.name, x.offset, x.bytes) for x in info.parameters),
            tuple(info.required_block) if info.required_block[0] else None,
            info.max_threads or None,
            tuple(info.required_cluster) if info.required_cluster[0] else None,
            program,
            path,
        )
        for info in program.functions
    }
    return Module(functions)


def _on_one_line(instruction: str) -> str:
    return " ".join(instruction.split())


def _frames(problem: dict[str, Any], path: str, function: str | None) -> list[Frame]:
    """The author's line, where the text says it, and the line of the text."""
    frames = []
    if problem["source_file"]:
        frames.append(Frame(problem["source_file"], problem["source_line"], problem["source_column"]))
    if problem["line"]:
        frames.append(Frame(path, problem["line"], problem["column"], function))
    return frames


def _raise_problems(problems: list[dict[str, Any]], path: str, function: str | None) -> None:
    if not problems:
        return
    first, *others = problems
    # One unknown name often causes the same message many times.
    notes = list(dict.fromkeys(f"line {other['line']}: {other['message']}" for other in others))
    more = [f"and {len(notes) - 8} more"] if len(notes) > 8 else []
    raise PtxError(
        first["message"],
        stage="parse" if function is None else "translate",
        kernel=function,
        frames=_frames(first, path, function),
        notes=notes[:8] + more,
    )

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX executed on this machine's CPU. Executes PTX; independent of gridir's dialects, and needs no GPU."""

from gridir.runtime.ptx.driver import Driver, Launch, open_driver
from gridir.runtime.ptx.module import CHECKS, Function, LaunchError, Module, PtxError, RaceError, load
from gridir.runtime.ptx.profile import Counts, InstructionProfile, MemoryCounts, Profile, profiling
from gridir.runtime.ptx.recording import Recording, RecordingError, read_recording
from gridir.runtime.ptx.tensor_map import TensorMap

__all__ = [
    "CHECKS",
    "Counts",
    "Driver",
    "Function",
    "InstructionProfile",
    "Launch",
    "LaunchError",
    "MemoryCounts",
    "Module",
    "Profile",
    "PtxError",
    "RaceError",
    "Recording",
    "RecordingError",
    "TensorMap",
    "load",
    "open_driver",
    "profiling",
    "read_recording",
]

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The remarks of a target's passes about a kernel, by source line."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
import tempfile

from gridir.compiler.kernel import Kernel

_REMARK = re.compile(
    r'^(?P<file>.+?):(?P<line>\d+):\d+: remark: \[(?P<kind>\w+)\] .*?Category:(?P<by>[\w-]+).*?Remark="(?P<text>.*)"$'
)


@dataclasses.dataclass(frozen=True)
class Remark:
    """A remark of a pass.

    Attributes:
      by: the pass.
      kind: "Passed", "Missed", "Analysis" or "Failed".
      text: the message.
      file: the author's file.
      line: the line, counted from 1.
    """

    by: str
    kind: str
    text: str
    file: str
    line: int


def read_remarks(kernel: Kernel, timeout: float = 60) -> tuple[Remark, ...]:
    """Returns the remarks of the passes on the way to a kernel's last stage, each once.

    The passes run once more, in a separate process: remarks are printed by a tool, and handed to no program.

    Args:
      kernel: the kernel. If a pass rejects the kernel, the earlier remarks are returned.
      timeout: seconds after which the passes are given up; there are no remarks then.
    """
    pipeline = kernel.target.pipeline(kernel.options, kernel.stages[-1])
    with tempfile.TemporaryDirectory(prefix="gridir-report-") as directory:
        path = os.path.join(directory, "kernel.mlirbc")
        with open(path, "wb") as file:
            file.write(kernel.bytecode)
        command = [sys.executable, "-m", "gridir", "opt", path, f"--pass-pipeline=builtin.module({pipeline})"]
        command += ["--remarks-filter=.*", "--remark-format=emitRemark", "-o", os.devnull]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(part or os.getcwd() for part in sys.path)}
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, env=environment)
        except subprocess.TimeoutExpired:
            return ()
    found = filter(None, map(_REMARK.match, run.stderr.splitlines()))
    remarks = (Remark(m["by"], m["kind"], m["text"], m["file"], int(m["line"])) for m in found)
    return tuple(dict.fromkeys(remarks))

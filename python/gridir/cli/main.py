# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `gridir`."""

from __future__ import annotations

import os

import click

from gridir import __version__
from gridir.cli.bisect import bisect
from gridir.cli.build import build
from gridir.cli.check import check
from gridir.cli.errors import Commands
from gridir.cli.gpu_check import gpu_check
from gridir.cli.lower import lower
from gridir.cli.new import new
from gridir.cli.opt import opt
from gridir.cli.ptx_run import ptx_run
from gridir.cli.record import record
from gridir.cli.replay import replay
from gridir.cli.report import report
from gridir.cli.run import run
from gridir.cli.targets import targets
from gridir.cli.tpu_check import tpu_check
from gridir.cli.tune import tune


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gridir")
def main() -> None:
    """Compiles JAX Pallas kernels, shows every stage on the way, and runs them.

    The exit status is 0 if no fault was found, 1 if a kernel is rejected, refuted or different, and 2 if the request
    is invalid. With --json an error is a record on standard output, too.
    """
    # Kernels run on the CPU. Asked for all platforms, JAX would look for a TPU wherever libtpu is installed.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")


main.add_command(lower)
main.add_command(run)
main.add_command(check)
main.add_command(bisect)
main.add_command(targets)
main.add_command(report)
main.add_command(record)
main.add_command(replay)
main.add_command(tune)
main.add_command(tpu_check)
main.add_command(gpu_check)
main.add_command(build)
main.add_command(ptx_run)
main.add_command(opt)
main.add_command(new)

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir opt`: the same program as `gridir-opt`."""

from __future__ import annotations

import sys

import click


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def opt(arguments: tuple[str, ...]) -> None:
    """Runs passes on MLIR files; all arguments are those of gridir-opt."""
    from gridir.mlir._mlir_libs import _gridirDialects

    sys.exit(_gridirDialects.opt_main(["gridir-opt", *arguments]))

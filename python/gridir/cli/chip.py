# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The option `--chip`: the TPU that a program sees when it queries the device."""

from __future__ import annotations

import ast
import sys

import click

VARIABLE = "CHIP"
"""The variable by which a file selects a chip, if the command line does not."""

chip_option = click.option(
    "--chip",
    metavar="NAME",
    help="The TPU that the function sees if it asks, as pltpu.emit_pipeline does: v4, v5e, v5p, v6e "
    'or tpu7x. The default is that of the file, such as CHIP = "v6e", or v5e.',
)


def choose_chip(chip: str | None, source: str) -> None:
    """Chooses the chip before a file runs, since the file may query it.

    Args:
      chip: the chip of the command line.
      source: the text of the file.

    Raises:
      OptionError: for an unknown chip.
    """
    from gridir.frontend.capture import chips

    chips.choose(chip or _chip_of(source) or chips.DEFAULT)


def _chip_of(source: str) -> str | None:
    """The string that a top-level statement of a file assigns to the variable."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return None  # Python reports it when it runs the file.
    for statement in body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
            continue
        if any(isinstance(target, ast.Name) and target.id == VARIABLE for target in statement.targets):
            return str(statement.value.value)
    return None


def chip_notes() -> list[str]:
    """Describes the chip that the program saw; empty if it did not query the device."""
    # If no file was run, importing JAX is unnecessary.
    chips = sys.modules.get("gridir.frontend.capture.chips")
    told = chips.chip_told() if chips else ""
    return [f"the program asks for its TPU and was told {told}; --chip NAME names another"] if told else []

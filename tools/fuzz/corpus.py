# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The texts that are mutated: the chunks of lit files, each with the command lines that read it."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

PIPELINES = ("--grid-to-cpu", "--grid-to-tpu", "--grid-to-gpu")
"""The passes that every kernel of the `grid` dialect undergoes, whichever pass its test is for."""

# Options of a command line that concern its files and their comments, not the passes.
_OTHER_OPTIONS = {"--split-input-file", "--verify-diagnostics", "--verify-roundtrip", "--emit-bytecode"}


@dataclass(frozen=True)
class Input:
    """MLIR text and the options of gridir-opt that it is read with.

    Attributes:
      path: the file that the text is from.
      text: one chunk of the file, without comments.
      options: passes, as `--cpu-foo=bar=1`.
    """

    path: Path
    text: str
    options: tuple[str, ...]


def read_corpus(directory: Path) -> list[Input]:
    """Returns the inputs of every `.mlir` file below a directory, without repetitions."""
    inputs: dict[Input, None] = {}
    for path in sorted(directory.rglob("*.mlir")):
        # Inputs of tests are not tests, and passes that only tests run may crash. Tests of the tools and of the driver
        # misspell options.
        if not {"Driver", "Inputs", "Test", "tools"}.isdisjoint(path.relative_to(directory).parts):
            continue
        content = path.read_text()
        command_lines = list(read_command_lines(content))
        for chunk in content.split("// -----"):
            text = remove_comments(chunk)
            if not text.strip():
                continue
            pipelines = [(name,) for name in PIPELINES if "grid.kernel" in text]
            inputs |= dict.fromkeys(Input(path, text, options) for options in [*command_lines, *pipelines])
    return list(inputs)


def read_command_lines(content: str) -> list[tuple[str, ...]]:
    """Returns the options of every gridir-opt that reads the file itself, by its RUN lines."""
    found: dict[tuple[str, ...], None] = {}
    commands = "\n".join(re.findall(r"// RUN: *(.*)", content)).replace("\\\n", " ")
    for command in re.split(r"\n|\||&&|;", commands):
        # Options in quotes may have the characters of a redirection.
        words = shlex.split(re.sub(r"('[^']*')|\d?>&?\s*\S+", lambda match: match[1] or " ", command))
        if "gridir-opt" not in words or "%s" not in words:
            continue
        options = [word for word in words[words.index("gridir-opt") + 1 :] if word.startswith("-") and "%" not in word]
        options = ["--" + option.lstrip("-") for option in options if option != "-o"]
        # Passes of a library of another one's are not known here.
        if any(option.startswith("--load-") for option in options):
            continue
        found[tuple(option for option in options if option not in _OTHER_OPTIONS)] = None
    return list(found)


def remove_comments(text: str) -> str:
    """Returns MLIR text without its comments; a string that holds two slashes stays."""
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda match: match[1] or "", text)

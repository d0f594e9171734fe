# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running gridir-opt on many texts at once, and finding the one that it does not survive."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SEPARATOR = "\n// -----\n"

# The last chunk of what a process reads, which it refuses by this name, even where ops without a dialect are allowed:
# the process came to the end.
END = "fuzz.end"

# The dialects that gridir defines.
_DIALECTS = ("grid", "tpu")

# Texts that MLIR's parser does not survive, wherever attributes may be: an array of other elements than numbers.
_UPSTREAM_TEXT = re.compile(r"\barray<\s*(?!i[1-9]|[fb]|tf32)\w")


@dataclass(frozen=True)
class Limits:
    """The limits of a process.

    Attributes:
      seconds: of the CPU, for one text; a text more adds a twentieth of it.
      megabytes: of address space, or 0 for as much as it wants.
    """

    seconds: int
    megabytes: int


@dataclass(frozen=True)
class Crash:
    """A text that gridir-opt did not survive.

    Attributes:
      options: the options with which it was read.
      text: the text.
      reason: the assertion, or the signal; the same for two texts that found the same defect.
      upstream: whether MLIR's own parser or verifier crashed, before any code of gridir read the text.
    """

    options: tuple[str, ...]
    text: str
    reason: str
    upstream: bool


def find_crashes(tool: str, options: tuple[str, ...], texts: Sequence[str], limits: Limits) -> Iterator[Crash]:
    """Runs a program on texts in one process, and where that dies on ever smaller parts of them."""
    died = _run(tool, options, texts, limits)
    if died is None:
        return
    if len(texts) > 1:
        middle = len(texts) // 2
        yield from find_crashes(tool, options, texts[:middle], limits)
        yield from find_crashes(tool, options, texts[middle:], limits)
        return
    yield Crash(options, texts[0], _reason(died), _is_upstream(died.messages, texts[0]))


@dataclass(frozen=True)
class _Death:
    """How a process ended before the end of its input."""

    status: int
    messages: str


def _run(tool: str, options: Sequence[str], texts: Sequence[str], limits: Limits) -> _Death | None:
    seconds = limits.seconds + len(texts) * limits.seconds // 20

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        if limits.megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (limits.megabytes << 20, limits.megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    command = [tool, "-", "--split-input-file", "--mlir-disable-threading", "-o", "/dev/null", *options]
    text = SEPARATOR.join([*texts, END])
    # Naming the frames of a stack takes longer than a batch, and is of use where one text is left.
    environment = dict(os.environ, LLVM_DISABLE_SYMBOLIZATION="1") if len(texts) > 1 else None
    process = subprocess.run(
        command, input=text.encode(), capture_output=True, check=False, preexec_fn=limit, env=environment
    )
    messages = process.stderr.decode(errors="replace")
    return None if process.returncode == 1 and END in messages else _Death(process.returncode, messages)


def _is_upstream(messages: str, text: str) -> bool:
    """True if MLIR's parser or verifier crashed, or those of another upstream dialect, and nothing of gridir's.

    The innermost frame that is the parser's or gridir's decides: gridir's ops are read by MLIR's parser, which reads
    their attributes and the ops in their regions. A release build has no symbols: there, a text that MLIR's parser is
    known not to survive decides, or else the op that the parser says it was in, and a verifier is taken for MLIR's.
    """
    if "in stage 'parse'" not in messages:
        return False
    frame = re.search(r"mlir::detail::Parser::|OperationParser::|gridir::(?!driver::)", messages)
    if frame:
        return not frame[0].startswith("gridir")
    if _UPSTREAM_TEXT.search(text):
        return True
    parsed = re.findall(r"custom op parser '(\w+)\.", messages)
    return not parsed or parsed[-1] not in _DIALECTS


def _reason(death: _Death) -> str:
    """Returns the cause and place of a process's end, as far as its messages tell."""
    if death.status in (-signal.SIGXCPU, -signal.SIGKILL):
        return "more CPU time than allowed"
    said = re.search(
        r"(Assertion `.*' failed|LLVM ERROR.*|UNREACHABLE executed.*|terminate called.*"
        r"|(?:AddressSanitizer:|runtime error:).*)",
        death.messages,
    )
    caught = re.search(r"error: the compiler crashed, .*?: (.*)", death.messages)
    name = signal.Signals(-death.status).name if death.status < 0 else f"exit status {death.status}"
    name = caught[1] if caught else name
    frame = re.search(r"^ *#\d+ 0x[0-9a-f]+ (\S.*gridir::.*?) \S+$", death.messages, re.MULTILINE)
    # Where objects lie is another address in each process.
    reason = re.sub(r" (address|at pc|bp|sp) 0x[0-9a-f]+", "", said[1]) if said else name
    return reason + (f" in {frame[1]}" if frame else "")

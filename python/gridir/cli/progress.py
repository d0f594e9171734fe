# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a command that takes long is doing, on stderr, where a person looks at it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Shows a line that changes; nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    spinner = Spinner("dots")
    # What a kernel or its author prints goes where it would without.
    with Live(spinner, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as live:

        def show(text: str) -> None:
            spinner.update(text=Text(text))
            live.refresh()  # What is done before the next frame is seen, too.

        yield show

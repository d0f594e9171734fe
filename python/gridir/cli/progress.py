# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows the progress of a slow command on stderr, if it is a terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Shows a status line, if stderr is a terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    spinner = Spinner("dots")
    # Output of the kernel or its author is not redirected.
    with Live(spinner, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as live:

        def show(text: str) -> None:
            spinner.update(text=Text(text))
            live.refresh()  # Also updates the display for work that ends before the next frame.

        yield show

# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Highlighting: one HTML fragment for each line of a text."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, ClassVar

from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, String, Text

# Values and numbers are unchanged: most of a text is those, and its size would double.


class MlirLexer(RegexLexer):
    """MLIR in its custom and generic form."""

    name = "MLIR"
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"//.*$", Comment.Single),
            (r'"(?:\\.|[^"\\\n])*"', String.Double),
            (r'@(?:[\w$.-]+|"[^"\n]*")', Name.Function),
            (r"[#!][A-Za-z_][\w$.]*", Name.Attribute),
            (r"%[\w$.#-]+(?::\d+)?", Text),
            (r"\b(?:memref|tensor|vector|index|[su]?i\d+|t?b?f\d+(?:E\d+M\d+\w*)?)\b(?!\.)", Keyword.Type),
            (r"\b[a-z_]\w*\.[a-z_][\w.]*", Name.Builtin),
            (r"[\w$.-]+", Text),
            (r"\s+", Text),
            (r".", Text),
        ]
    }


class AssemblyLexer(RegexLexer):
    """PTX, SASS and the bundles of a TPU: comments, directives, labels and mnemonics."""

    name = "assembly"
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"//.*$", Comment.Single),
            (r"/\*.*?\*/", Comment.Multiline),
            (r'"[^"\n]*"', String.Double),
            (r"^\s*[$.]?\w+:", Name.Label),
            (r"^(\s*)(@!?%?\w+\s+)?([a-z]\w*(?:\.[\w:]+)+|[A-Z][A-Z0-9]+(?:\.[\w]+)*)", Name.Builtin),
            (r"(?<== )[a-z_][\w.]*", Name.Builtin),
            (r"(?<![\w%])\.[a-z]\w*", Keyword.Type),
            (r"[%$\w.]+", Text),
            (r"\s+", Text),
            (r".", Text),
        ]
    }


# The styles of Pygments' classes on a light and on a dark page.
STYLE = """.c1, .cm { opacity: .7; font-style: italic } .nb, .k { font-weight: 600 } .kt, .na { color: #2f74c9 }
.s1, .s2, .nf { color: #1a9a55 }"""

_LEXERS = {"python": PythonLexer, "mlir": MlirLexer}


def highlight(lines: Sequence[str], language: str) -> list[str]:
    """Returns HTML for each line, whose classes are those of Pygments.

    Args:
      lines: the text, without line ends.
      language: "python", "mlir", or that of a machine.
    """
    import pygments

    if not lines:
        return []
    html = pygments.highlight("\n".join(lines), _lexer(language), HtmlFormatter(nowrap=True))
    return html.removesuffix("\n").split("\n")


@functools.lru_cache
def _lexer(language: str) -> Any:
    return _LEXERS.get(language, AssemblyLexer)(stripnl=False, ensurenl=True)

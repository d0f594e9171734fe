# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain technical English: the length of sentences, marker words, the terms of the glossary; links between pages.

The rules apply to pages, comments, and messages: texts of errors, remarks and options, in C++, TableGen and Python.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import messages
from repository import ROOT, Finding, files

# The pages that follow the rules. A page is added when it is rewritten, and never removed.
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "benchmarks/README.md",
    "benchmarks/jax-tests.md",
    "benchmarks/mutants.md",
    "docs/bisect.md",
    "docs/checks.md",
    "docs/runtime-checks.md",
    "docs/cpu.md",
    "docs/cpu-tasks.md",
    "docs/editor.md",
    "docs/frontend.md",
    "docs/glossary.md",
    "docs/gpu-jax.md",
    "docs/gpu.md",
    "docs/gpu-launch.md",
    "docs/grid-dialect.md",
    "docs/index.md",
    "docs/layout.md",
    "docs/out-of-tree.md",
    "docs/ptx.md",
    "docs/ptx-reference.md",
    "docs/python-passes.md",
    "docs/records.md",
    "docs/report.md",
    "docs/running.md",
    "docs/sparsecore.md",
    "docs/testing.md",
    "docs/tpu.md",
    "docs/tpu-checks.md",
    "docs/tpu-reference.md",
    "docs/warpgroup.md",
    "docs/warpgroup-layouts.md",
    "docs/warpgroup-ptx.md",
    "docs/tune.md",
)
MAXIMUM_WORDS = 40
MAXIMUM_WHATS = 2  # in 1,000 words
MARKERS = re.compile(
    r"\b(of which|so many|nobody|somebody|whoever|anew|behind|in front of|meet(?:s|ing|ings)?|met"
    r"|follow (?:one another|each other)|in one another|at regular distances|at the call only|on its way"
    r"|(?:is|are) said to)\b",
    re.IGNORECASE,
)
# The suffixes of the sources of each language; their comments follow the rules.
SOURCES = ((".py",), (".h", ".cpp"), (".td",))
_WITH_DOCSTRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

# A summary or a description of a TableGen file, as a block or as strings.
_DESCRIPTION = r'let (?:summary|description) = (?:\[\{(.*?)\}\]|((?:"[^"]*"\s*)+))'


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Returns the line and the text of each paragraph, list item and table row, without code."""
    text = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    start, lines = 1, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if lines and (not line.strip() or re.match(r"\s*(?:[-*|#]|\d+\.) ?", line)):
            yield start, " ".join(lines)
            lines = []
        if line.strip():
            start = start if lines else number
            lines.append(re.sub(r"`[^`]*`", "code", re.sub(r"^(?:[-*]|\d+\.) |\]\([^)]*\)", "", line.strip())))
    if lines:
        yield start, " ".join(lines)


def sentences(paragraph: str) -> Iterator[str]:
    """Splits a paragraph at full stops, colons before a new clause, and table cells."""
    yield from re.split(r"(?<=[.!?])\s+|\s\|\s|(?<=:)\s+(?=[A-Z])", paragraph)


def forbidden_terms(glossary: str) -> list[str]:
    """Returns the words in the third column of the glossary."""
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \| ([^|\n]*?) ?\|$", glossary, re.MULTILINE)
    return sorted({word.strip() for row in rows for word in row.split(",") if word.strip() not in ("", "not", "---")})


def problems(text: str, terms: list[str]) -> Iterator[tuple[int, str]]:
    """Returns the line and the description of each violation in a page."""
    forbidden = re.compile(rf"\b({'|'.join(map(re.escape, terms))})s?\b", re.I) if terms else None
    words = whats = 0
    for line, paragraph in paragraphs(text):
        words += len(paragraph.split())
        whats += len(re.findall(r"\bwhat\b", paragraph, re.I))
        for sentence in sentences(paragraph):
            if len(sentence.split()) > MAXIMUM_WORDS:
                yield line, f"expected a sentence of at most {MAXIMUM_WORDS} words, got {len(sentence.split())}"
        for marker in MARKERS.findall(paragraph):
            yield line, f"expected plain words, got '{marker}'"
        for term in forbidden.findall(paragraph) if forbidden else ():
            yield line, f"expected the term of docs/glossary.md, got '{term}'"
    if whats > max(MAXIMUM_WHATS, MAXIMUM_WHATS * words / 1000):
        yield 1, f"expected 'what' at most {MAXIMUM_WHATS} times in 1,000 words, got {whats} in {words}"


def check_pages() -> Iterator[Finding]:
    """Reports each violation in the pages that follow the rules."""
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    for name in PAGES:
        path: Path = ROOT / name
        # The third column of the glossary lists the words that are not to be used.
        terms = [] if path.name == "glossary.md" else forbidden_terms(glossary)
        text = re.sub(r" [^|\n]*\|$", "", path.read_text(), flags=re.MULTILINE) if not terms else path.read_text()
        for line, problem in problems(text, terms):
            yield Finding(path, line, problem)


def comments(path: Path) -> Iterator[tuple[int, str]]:
    """Returns the line and the text of each comment, docstring and TableGen description of a source."""
    text = path.read_text()
    mark = "#" if path.suffix == ".py" else "///?<?"
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(rf"\s*(?:{mark})\s+(\S.*)$", line):
            yield number, found[1]
    if path.suffix == ".td":
        for found in re.finditer(_DESCRIPTION, text, re.DOTALL):
            line = text.count("\n", 0, found.start()) + 1
            yield line, re.sub(r"```.*?```", "", found[1] or found[2], flags=re.DOTALL).strip().strip('"')
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            for statement in node.body if isinstance(node, _WITH_DOCSTRINGS) else ():
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    yield statement.lineno, str(statement.value.value)


def comment_problems(path: Path) -> Iterator[tuple[int, str]]:
    """Returns the line and the description of each violation in the comments of a source."""
    for line, text in comments(path):
        plain = re.sub(r"`[^`]*`", "code", text)
        for marker in MARKERS.findall(plain):
            yield line, f"expected plain words, got '{marker}'"
        if start := re.match(r"(What|Whether|As of)\b", plain):
            yield line, f"expected a comment that states a contract or a reason, got one that begins with '{start[1]}'"


def check_comments() -> Iterator[Finding]:
    """Reports marker words in comments and docstrings, and 'what' as a habit in those of a language."""
    for suffixes in SOURCES:
        words = whats = 0
        for directory in ("dialects", "python", "tools", "benchmarks", "examples"):
            for path in sorted((ROOT / directory).rglob("*")):
                if path.suffix not in suffixes or "mlir" in path.relative_to(ROOT).parts:
                    continue
                for line, problem in comment_problems(path):
                    yield Finding(path, line, problem)
                for _, text in comments(path):
                    words += len(text.split())
                    whats += len(re.findall(r"\bwhat\b", re.sub(r"`[^`]*`", "", text), re.I))
        if whats > MAXIMUM_WHATS * words / 1000:
            problem = f"expected 'what' at most {MAXIMUM_WHATS} times in 1,000 words of comments in {suffixes}"
            yield Finding(ROOT / "tools" / "lint" / "prose.py", 1, f"{problem}, got {whats} in {words}")


def literals(path: Path) -> Iterator[tuple[int, str]]:
    """Returns the line and the text of each message of a source: of diagnostics, options and exceptions."""
    text = path.read_text()
    if path.suffix == ".td":
        code = re.sub(rf"{_DESCRIPTION}|//[^\n]*", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
        for found in re.finditer(r'(?:"[^"\n]*"\s*)+', code):
            yield code.count("\n", 0, found.start()) + 1, "".join(re.findall(r'"([^"]*)"', found[0]))
    elif path.suffix == ".py":
        yield from messages.raised_texts(text)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.keyword) and node.arg == "help" and isinstance(node.value, ast.Constant):
                yield node.value.lineno, str(node.value.value)
    else:
        yield from messages.texts(text)


def message_problems(path: Path, terms: list[str]) -> Iterator[tuple[int, str]]:
    """Returns the line and the description of each violation in the messages of a source."""
    for line, text in prose_literals(path):
        yield from ((line, problem) for _, problem in problems(text, terms))
        if start := re.match(r"(What|Whether)\b", text, re.IGNORECASE):
            yield line, f"expected a message that states a requirement or a fact, got one that begins with '{start[1]}'"


def prose_literals(path: Path) -> Iterator[tuple[int, str]]:
    """Returns the messages that are sentences: of three words or more, and neither assembly nor a path."""
    for line, text in literals(path):
        if len(re.findall(r"[A-Za-z]{2,}", text)) > 2 and re.match(r"\W{0,3}[A-Za-z]", text) and " " in text:
            yield line, text


def check_literals() -> Iterator[Finding]:
    """Reports violations in messages, and 'what' as a habit in those of a language."""
    terms = forbidden_terms((ROOT / "docs" / "glossary.md").read_text())
    for suffixes in (".py",), (".cpp", ".h", ".td"):
        words = whats = 0
        for path in (
            path for directory in ("dialects", "python", "tools") for path in files(*suffixes, under=directory)
        ):
            for line, problem in message_problems(path, terms):
                yield Finding(path, line, problem)
            for _, text in prose_literals(path):
                words += len(text.split())
                whats += len(re.findall(r"\bwhat\b", text, re.I))
        if whats > MAXIMUM_WHATS * words / 1000:
            problem = f"expected 'what' at most {MAXIMUM_WHATS} times in 1,000 words of messages in {suffixes}"
            yield Finding(ROOT / "tools" / "lint" / "prose.py", 1, f"{problem}, got {whats} in {words}")


def anchors(text: str) -> set[str]:
    """Returns the anchors that GitHub gives to the headings of a page."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    return {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}


def check_links() -> Iterator[Finding]:
    """Reports each relative link to a file or heading that does not exist."""
    for page in (ROOT / name for name in PAGES):
        text = page.read_text()
        for link in re.finditer(r"\]\((?!https?:)([^)\s#]*)(?:#([^)\s]*))?\)", text):
            target, line = page.parent / link[1] if link[1] else page, text.count("\n", 0, link.start()) + 1
            if not target.exists():
                yield Finding(page, line, f"expected a link to a file, got '{link[1]}'")
            elif link[2] and target.suffix == ".md" and link[2] not in anchors(target.read_text()):
                yield Finding(page, line, f"expected a link to a heading, got '{link[1]}#{link[2]}'")


CHECKS = [check_pages, check_links, check_comments, check_literals]

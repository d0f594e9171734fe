# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken modules end in a diagnostic, never in a crash.

Mutates the dialect's own tests, token by token and byte by byte, and bytecode bit by bit. Whatever still
parses goes through every pass of the dialect. A crash is reported with the smallest module that shows it.
MLIR's own bytecode reader trusts its input in a few cases, which are listed below.
"""

# RUN: %python %s text %S %t.mlir gridir-opt | FileCheck %s
# RUN: %python %s bytecode %S %t.mlirbc gridir-opt | FileCheck %s

# CHECK: no crash in {{[0-9]+}} modules

import pathlib
import random
import re
import subprocess
import sys

SOURCES = ("ops.mlir", "attributes.mlir", "types.mlir", "canonicalize.mlir", "../Transforms/grid-specialize.mlir")
SOURCES += ("../Transforms/grid-infer-dimension-semantics.mlir", "../Transforms/grid-plan-memory.mlir")
PASSES = [f"--grid-{name}" for name in ("specialize", "canonicalize-index-maps", "infer-dimension-semantics")]
PASSES += ["--grid-legalize-blocks", "--grid-plan-memory", "--canonicalize"]
SEPARATOR = "\n// -----\n"
# Where MLIR 22.1 aborts, or reads without end, before any code of gridir sees what was in the file.
UPSTREAM = (
    "idx < size()",  # A type or attribute of a number beyond the table.
    "verifyInvariants(getDefaultDiagnosticEmitFn",  # A builtin type or attribute of fields that do not fit it.
    "Value must be zero for unsigned 0-bit APInt",  # An integer attribute of a type without bits.
    "Value is not an N-bit unsigned value",  # An integer attribute of too narrow a type.
    "it did not end",  # A count of regions or blocks without the bytes for them.
)
COUNT = 150
TOKEN = re.compile(r'"[^"\n]*"|[%@#!]?[\w.$]+|->|\S')
# Values that break programs: the ends of number ranges, the wrong sign, another type, too large and too small sizes.
STRANGE = ("0", "-1", "1", "7", "2147483648", "-9223372036854775808", "9223372036854775807", "?", "f32", "i1", "i64")
STRANGE += ("index", "none", "memref<?xf32>", "tensor<*xf32>", "tensor<0xf32>", "()", "[]", "{}", '""', "%0", "@k")


def mutate_text(source: str, rng: random.Random) -> str:
    """One to three changes of tokens, or a change of one byte."""
    if rng.random() < 0.2:
        at = rng.randrange(len(source))
        return source[:at] + chr(rng.randrange(1, 127)) + source[at + 1 :]
    for _ in range(rng.randint(1, 3)):
        tokens = [match.span() for match in TOKEN.finditer(source)]
        if len(tokens) < 2:
            break
        start, end = rng.choice(tokens)
        other = source[slice(*rng.choice(tokens))]
        change = rng.choice(("", other, other, rng.choice(STRANGE), source[start:end] * 2))
        source = source[:start] + change + source[end:]
    return source


def read_chunks(directory: pathlib.Path) -> list[str]:
    chunks = []
    for name in SOURCES:
        text = re.sub(r"//.*", "", (directory / name).read_text().replace("// -----", "\0"))
        # Each top-level thing alone, so that what breaks one does not hide the next.
        for part in text.split("\0"):
            chunks += re.split(r"\n(?=grid\.kernel|func\.func)", part) if "grid.call" not in part else [part]
    return [chunk.strip() for chunk in chunks if chunk.strip()]


def crashes(tool: list[str], path: pathlib.Path, data: bytes, options: list[str]) -> str:
    """What a crashed tool said; nothing when it ended by itself."""
    path.write_bytes(data)
    try:
        result = subprocess.run(
            [*tool, str(path), "-o", "/dev/null", *options], capture_output=True, timeout=20, check=False
        )
    except subprocess.TimeoutExpired:
        return "it did not end within 20 seconds"
    if result.returncode in (0, 1):
        return ""
    # The stack is for a debugger; the assertion or the signal is what is wrong.
    lines = [line for line in result.stderr.decode(errors="replace").splitlines() if "ssert" in line]
    return "\n".join(lines) or f"it ended with status {result.returncode}"


def check_text(directory: pathlib.Path, path: pathlib.Path, tool: list[str]) -> int:
    rng = random.Random(3)
    chunks = read_chunks(directory)
    mutants = [mutate_text(rng.choice(chunks), rng) for _ in range(COUNT)]
    for options in ([], PASSES):
        options = [*options, "--split-input-file", "--mlir-print-op-on-diagnostic=false"]
        if not crashes(tool, path, SEPARATOR.join(mutants).encode(), options):
            continue
        for mutant in mutants:
            if message := crashes(tool, path, mutant.encode(), options):
                raise SystemExit(f"a crash of {' '.join(tool + options)} on\n{mutant}\n{message}")
    return len(mutants)


def check_bytecode(directory: pathlib.Path, path: pathlib.Path, tool: list[str]) -> int:
    rng = random.Random(3)
    for name in ("ops.mlir", "attributes.mlir"):
        subprocess.run([*tool, str(directory / name), "--emit-bytecode", "-o", str(path)], check=True)
        original = path.read_bytes()
        for _ in range(COUNT // 5):
            data = bytearray(original)
            for _ in range(rng.randint(1, 3)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            message = crashes(tool, path, bytes(data), [])
            if message and not any(known in message for known in UPSTREAM):
                raise SystemExit(f"a crash of {' '.join(tool)} on {path}\n{message}")
    return COUNT // 5 * 2


def main() -> None:
    kind, directory, path, *tool = sys.argv[1:]
    check = check_text if kind == "text" else check_bytecode
    print(f"no crash in {check(pathlib.Path(directory), pathlib.Path(path), tool)} modules")


main()

# RUN: %python %s %repository | FileCheck %s
# RUN: not %python %s %repository --with 'grid.no_such_op' 2>&1 | FileCheck %s --check-prefix=BROKEN

# Every ```mlir block in the descriptions of operations, types, attributes and passes parses and
# verifies. An example may use values that it does not define, whose types follow from their uses, may
# call functions that it does not declare, and may leave something out with a line of three dots.
# CHECK-NOT: error
# CHECK: {{[1-9][0-9]+}} examples parse

# BROKEN: grid.no_such_op

import re
import sys
from pathlib import Path

from gridir.mlir import ir


def examples(root: Path):
    """Every example below dialects/, with its location."""
    for path in sorted((root / "dialects").rglob("*.td")):
        text = path.read_text()
        for match in re.finditer(r"```mlir\n(.*?)```", text, re.DOTALL):
            yield f"{path.relative_to(root)}:{text[: match.start()].count(chr(10)) + 1}", match[1]


def undefined_values(text: str, error: ir.MLIRError) -> list[str]:
    """The names of values that a parse missed: its diagnostics only say where."""
    names = []
    for diagnostic in error.error_diagnostics:
        if diagnostic.message == "use of undeclared SSA value name":
            line, column = diagnostic.location.start_line, diagnostic.location.start_col
            names += re.findall(r"%[\w$.-]+", text.splitlines()[line - 1][column - 1 :])[:1]
    return names


def wrong_type(error: ir.MLIRError) -> tuple[str, str] | None:
    """A value that is used with another type than its definition gives it: its name and the type of the use."""
    texts = [d.message for d in error.error_diagnostics]
    texts += [n.message for d in error.error_diagnostics for n in d.notes]
    for text in texts:
        found = re.search(r"use of value '(%\S+)' expects different type than prior uses: '(.*)' vs '(.*)'", text)
        if found:
            return found[1], found[2]
    return None


def undeclared_function(error: ir.MLIRError) -> str | None:
    """The declaration of a function that an example calls."""
    texts = [n.message for d in error.error_diagnostics for n in d.notes]
    if "does not reference a valid function" not in str(error):
        return None
    found = re.search(r"callee = (@\w+).*: (\(.*\) -> .*)", "\n".join(texts))
    return f"func.func private {found[1]}{found[2]}" if found else None


def parse(example: str) -> None:
    """Parses an example: a type or attribute, top-level operations, or operations of a body."""
    example = re.sub(r"^\s*\.\.\.\s*$", '"example.elided"() : () -> ()', example, flags=re.MULTILINE)
    lines = [line.strip() for line in example.splitlines() if line.strip() and not line.strip().startswith("//")]
    if all(re.match(r"([#!][\w.]+|memref|tensor|vector)(<.*>)?$", line) for line in lines):
        for line in lines:
            (ir.Attribute if line.startswith("#") else ir.Type).parse(line)
        return
    aliases = [line for line in lines if re.match(r"[#!]\w+ =", line)]
    example = "\n".join(line for line in example.splitlines() if line.strip() not in aliases)
    top_level = re.search(r"^\s*(grid\.kernel|func\.func|module)\b", example, re.MULTILINE)
    types: dict[str, str] = {}
    functions: list[str] = []
    for _ in range(100):
        arguments = ", ".join(f"{name}: {kind}" for name, kind in types.items())
        body = example if top_level else f'func.func @body({arguments}) {{\n{example}\n"example.end"() : () -> ()\n}}'
        text = "\n".join([*aliases, *functions, body])
        try:
            ir.Module.parse(text)
            return
        except ir.MLIRError as error:
            use = wrong_type(error)
            function = undeclared_function(error)
            names = [name for name in undefined_values(text, error) if name not in types]
            if use is not None and use[0] in types:
                types[use[0]] = use[1]
            elif function is not None and function not in functions:
                functions.append(function)
            elif names:
                types.update(dict.fromkeys(names, "none"))
            else:
                raise
    raise ValueError(f"expected one type for each value of an example, got several:\n{example}")


def main() -> int:
    failures = count = 0
    extra = sys.argv[3:]
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        for location, example in [*examples(Path(sys.argv[1])), *(("command line", text) for text in extra)]:
            count += 1
            try:
                parse(example)
            except (ir.MLIRError, ValueError) as error:
                failures += 1
                print(f"{location}: error in an example: {error}\n{example}", file=sys.stderr)
    print(f"{count} examples parse" if not failures else f"{failures} of {count} examples do not parse")
    return 1 if failures else 0


sys.exit(main())

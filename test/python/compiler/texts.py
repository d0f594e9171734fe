# RUN: %python %s | FileCheck %s
"""A module whose names or locations are not UTF-8 is an error: Python's bindings cannot read it."""

from gridir.compiler.passes import parse_module, to_bytecode
from gridir.errors import Error


def show(source):
    try:
        print("read:", parse_module(source).operation.name)
    except Error as error:
        print(type(error).__name__, error.message, [str(frame) for frame in error.frames])


TEXTS = {
    "attribute": 'module attributes {a.b = "NAME"} {}',
    "nested": 'module attributes {a.b = [{c = "NAME"}]} {}',
    "symbol": 'module { "builtin.module"() <{sym_name = "NAME"}> ({^bb0:}) : () -> () }',
    "file": 'module {} loc("NAME":1:2)',
    "name": 'module {} loc("NAME"("a.py":1:2))',
    "argument": "module { func.func private @f() { %0 = scf.execute_region -> i1 { %c = arith.constant true "
    'cf.br ^bb1(%c : i1)\n^bb1(%a: i1 loc("NAME":1:1)):\n scf.yield %a : i1 } return } }',
}
# CHECK: attribute utf-8: read: builtin.module
# CHECK-NEXT: attribute bytes: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: attribute bytecode: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: nested utf-8: read: builtin.module
# CHECK-NEXT: nested bytes: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: nested bytecode: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: symbol utf-8: read: builtin.module
# CHECK-NEXT: symbol bytes: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: symbol bytecode: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: file utf-8: read: builtin.module
# CHECK-NEXT: file bytes: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: file bytecode: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: name utf-8: read: builtin.module
# CHECK-NEXT: name bytes: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: name bytecode: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: argument utf-8: read: builtin.module
# CHECK-NEXT: argument bytes: CompileError expected names and texts of a module in UTF-8, got other bytes []
# CHECK-NEXT: argument bytecode: CompileError expected names and texts of a module in UTF-8, got other bytes []
for title, text in TEXTS.items():
    for kind, source in {
        "utf-8": text.replace("NAME", "é").encode(),
        "bytes": text.replace("NAME", r"\E9").encode(),
        "bytecode": to_bytecode(parse_module(text.replace("NAME", "ab"))).replace(b"ab\0", b"\xe9b\0"),
    }.items():
        print(title, kind, end=": ")
        show(source)

# The location of a diagnostic is dropped, and its text is mended.
# CHECK-NEXT: CompileError 'func.call' op '{{.*}}' does not reference a valid function ['<module>:1:27']
# CHECK-NEXT: CompileError 'func.return' op expects parent op 'func.func' []
show(b'module { func.func @f() { func.call @"\xe9"() : () -> () return } }')
show(b'module { "func.return"() : () -> () loc("\xe9":1:1) }')

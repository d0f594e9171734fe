# RUN: %python %s %repository | FileCheck %s

# No module of the package imports itself by way of others, also not within a function: each can be read after those
# that it needs. Who must call back is handed what to call.

import ast
import graphlib
import sys
from pathlib import Path

package = Path(sys.argv[1]) / "python" / "gridir"


def name_of(path: Path) -> str:
    """The name of the module in a file."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> set[str]:
    """The modules of the package that a file imports, wherever in it; an import for a type checker is none."""
    nodes, names = [ast.parse(path.read_text())], set()
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            # The import of a package names a module, or a name in it.
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    known = {name if name in modules else name.rpartition(".")[0] for name in names}
    return {name for name in known if name in modules} - {name_of(path)}


modules = {name_of(path): path for path in sorted(package.rglob("*.py"))}
try:
    order = list(graphlib.TopologicalSorter({name: imports(path) for name, path in modules.items()}).static_order())
    # CHECK: {{[1-9][0-9]+}} modules, none in a circle
    print(f"{len(order)} modules, none in a circle")
except graphlib.CycleError as error:
    print("in a circle:", " imports ".join(reversed(error.args[1])))

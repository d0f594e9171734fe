# RUN: %python %s %repository | FileCheck %s

# Layers point one way, in Python and in C++: a module imports, a source includes, what lies below it.
# The base needs neither JAX nor an accelerator.

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

root = Path(sys.argv[1])

# From below to above. What is not listed may not be imported from within the package.
PYTHON = [
    "mlir",
    "errors",
    "reading",
    "host",
    "locations",
    "markup",
    "passes",
    "reassociation",
    "emit",
    "simt",
    "runtime",
    "compiler",
    "recording",
    "frontend",
    "bisection",
    "report",
    "tuning",
    "cli",
    "__main__",
]
# The modules that a kernel's author, or a test of kernels, imports are part of the frontend.
FRONTEND = {"tpu", "mosaic_gpu", "triton", "testing"}
CPP = [
    "Support",
    "Kernel/IR",
    "Grid/IR",
    "Grid/Analysis",
    "Grid/Target",
    "Grid/Transforms",
    "Loops/Analysis",
    "Loops/Math",
    "Loops/Transforms",
    "CPU/Target",
    "GPU/Target",
    "TPU/Target",
    "TPU/IR",
    "Warpgroup/Layout",
    "Warpgroup/IR",
    "Warpgroup/Inference",
    "TPU/Transforms",
    "CPU/Transforms",
    "GPU/Transforms",
    "GPU/Mapping",
    "Warpgroup/Transforms",
    "Conversion",
    "TPU/Checks",
    "Test/Transforms",
    "Pipelines",
    "Register",
    "Driver",
    "CAPI",
]


def layer_of(name: str) -> str:
    """The layer of a module directly below gridir."""
    return "frontend" if name in FRONTEND else name


def imports(path: Path) -> Iterator[str]:
    """The layers of gridir that a Python file imports, wherever in the file; an import for a type checker is none."""
    tree = ast.parse(path.read_text())
    checked = {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in checked:
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (layer_of(name.split(".")[1]) for name in names if name.startswith("gridir."))


package = root / "python" / "gridir"
modules = 0
for path in sorted(package.rglob("*.py")):
    layer = layer_of(path.relative_to(package).parts[0].removesuffix(".py"))
    # A template becomes a separate project.
    if layer in ("__init__", "templates"):
        continue
    modules += 1
    for used in imports(path):
        if used in PYTHON and PYTHON.index(used) > PYTHON.index(layer):
            print(f"{path.relative_to(root)}: {layer} imports {used}, which lies above it")
# CHECK-NOT: lies above
# CHECK: {{[0-9]+}} modules, {{[0-9]+}} sources
sources = 0
for path in sorted(p for p in (root / "dialects").rglob("*") if p.suffix in (".h", ".cpp", ".td")):
    layer = next(name for name in CPP if (root / "dialects" / name) in path.parents)
    sources += 1
    for used in re.findall(r'^#?include "dialects/(\S+)"', path.read_text(), re.MULTILINE):
        above = next(name for name in CPP if used.startswith(name + "/"))
        if CPP.index(above) > CPP.index(layer):
            print(f"{path.relative_to(root)}: {layer} includes {used}, which lies above it")
print(f"{modules} modules, {sources} sources")

# In a process of its own, with every import of JAX refused.
# CHECK: base without JAX: mlir errors locations
base = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("jax", "jaxlib", "libtpu", "torch", "triton"):
            raise ImportError(f"the base of gridir imports {name}")

sys.meta_path.insert(0, Refuse())
import gridir
assert "gridir.mlir" not in sys.modules, "import gridir loads the native library"
import gridir.mlir.ir, gridir.errors, gridir.locations
with gridir.mlir.ir.Context():
    gridir.mlir.ir.Module.parse("module {}")
print("base without JAX: mlir errors locations")
"""
print(subprocess.run([sys.executable, "-c", base], check=True, stdout=subprocess.PIPE, text=True).stdout)

# Importing gridir is cheap: it loads the standard library and itself, and few modules of either.
# CHECK: import gridir: few modules, of the standard library and ['gridir']
loaded = """
import sys
before = set(sys.modules)
import gridir
new = {name.split(".")[0] for name in set(sys.modules) - before}
few = len(set(sys.modules) - before) < 120
others = sorted(new - sys.stdlib_module_names)
print("import gridir:", "few" if few else "many", "modules, of the standard library and", others)
"""
print(subprocess.run([sys.executable, "-c", loaded], check=True, stdout=subprocess.PIPE, text=True).stdout)

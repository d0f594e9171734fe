# RUN: %python %s %repository | FileCheck %s

# Every private name of JAX's that gridir uses is where gridir looks for it. A JAX that moves some is told of here,
# all at once, and not by the first kernel that needs one.
import ast
import gc
import importlib
import sys
from pathlib import Path

import gridir.frontend.rules  # noqa: F401  (registers the rules)
from gridir.frontend import jax_compat_gpu
from gridir.frontend.jax_compat_equations import is_of_this_jax, primitive_name
from gridir.frontend.levels import LEVELS
from jax.experimental.pallas import fuser, mosaic_gpu, triton  # noqa: F401  (makes their primitives)
from jax.extend.core import Primitive

package = Path(sys.argv[1]) / "python" / "gridir"
PRIVATE = ("jax._src", "jaxlib")


def imports(tree):
    """For each name that a file has from a private module: the module, and the name there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PRIVATE):
            for alias in node.names:
                yield alias.asname or alias.name, node.module, alias.name


def find(module, name):
    """What a module has under a name, be it a module itself; None where it has nothing."""
    found = getattr(importlib.import_module(module), name, None)
    if found is None:
        try:
            return importlib.import_module(f"{module}.{name}")
        except ImportError:
            return None
    return found


moved, names = [], 0
for path in sorted(package.rglob("*.py")):
    tree = ast.parse(path.read_text())
    found = {local: (module, name) for local, module, name in imports(tree)}
    if found and "frontend" in path.parts and not path.name.startswith("jax_compat"):
        print(f"{path.relative_to(package)} imports private modules of JAX")
    for module, name in found.values():
        names += 1
        if find(module, name) is None:
            moved.append(f"{module}.{name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in found:
            names += 1
            module, name = found[node.value.id]
            # A name that is bound to None is as good as none: a decorator that returns nothing leaves that.
            if getattr(find(module, name), node.attr, None) is None:
                moved.append(f"{module}.{name}.{node.attr}")

# The classes of Mosaic GPU are named by strings, as they are imported late.
tree = ast.parse((package / "frontend" / "jax_compat_gpu.py").read_text())
classes = {name for name, _ in jax_compat_gpu.TRANSFORMS.values()}
for node in ast.walk(tree):
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "_is_a":
        classes |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "core()":
        classes.add(node.attr)
moved += [f"{jax_compat_gpu.core().__name__}.{name}" for name in classes if not hasattr(jax_compat_gpu.core(), name)]
for module, name in (("params", "InterpretGPUParams"), ("interpret_pallas_call", "get_races")):
    if find(f"jax._src.pallas.mosaic_gpu.interpret.{module}", name) is None:
        moved.append(f"{module}.{name}")

# Rules know primitives by their names; one without a primitive is never called.
primitives = {primitive_name(o) for o in gc.get_objects() if isinstance(o, Primitive)}
moved += [
    f"primitive {name}"
    for level in LEVELS
    for name in level.supported()
    if is_of_this_jax(name) and name not in primitives
]

# CHECK-NOT: imports private modules
# CHECK: moved: []
# CHECK-NEXT: more than 100 names, 10 classes: True True
print("moved:", moved)
print("more than 100 names, 10 classes:", names > 100, len(classes) > 10)

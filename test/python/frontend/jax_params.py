# RUN: %python %s | FileCheck %s

# A rule knows every parameter that JAX binds its primitive with, as far as JAX's own sources name them: a JAX that adds
# one is told of here, all at once, and not by the first kernel that has it.
import ast
import gc
import sys
import types
from pathlib import Path

import gridir.frontend.rules  # noqa: F401  (registers the rules)
import jax
from gridir.frontend.jax_compat_equations import is_translated, primitive_name
from gridir.frontend.levels import LEVELS
from jax.experimental.pallas import fuser, mosaic_gpu, triton  # noqa: F401  (makes their primitives)
from jax.extend.core import Primitive

# The functions themselves, which become jaxprs.
BOUND_ONLY = {"subfuns"}

root = Path(jax.__file__).parent
bound = {}
for path in (root / "_src").rglob("*.py"):
    module = ".".join(("jax", *path.relative_to(root).with_suffix("").parts))
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "bind":
            name = getattr(node.func.value, "id", None) or getattr(node.func.value, "attr", None)
            bound.setdefault((module, name), set()).update(keyword.arg for keyword in node.keywords if keyword.arg)

names = {}
for module in list(sys.modules.values()):
    if isinstance(module, types.ModuleType) and module.__name__.startswith("jax._src"):
        for name, value in list(vars(module).items()):
            if isinstance(value, Primitive):
                names.setdefault(id(value), []).append((module.__name__, name))

unknown, seen = [], 0
for primitive in [o for o in gc.get_objects() if isinstance(o, Primitive)]:
    given = set().union(*(bound.get(where, ()) for where in names.get(id(primitive), ()))) - BOUND_ONLY
    rules = [rule for level in LEVELS if (rule := level.find(primitive_name(primitive)))]
    if is_translated(primitive):
        continue
    seen += bool(given and rules)
    unknown += [f"{primitive_name(primitive)}: {name}" for rule in rules for name in sorted(given - rule.known)]

# CHECK: unknown: []
# CHECK-NEXT: more than 100 primitives: True
print("unknown:", sorted(set(unknown)))
print("more than 100 primitives:", seen > 100)

# RUN: %python %s %repository | FileCheck %s

# Every private name of JAX's that gridir uses is where gridir looks for it. A JAX that moves some is told of here,
# all at once, and not by the first kernel that needs one.
import ast
import sys
from pathlib import Path

import jax
from gridir.frontend.compat import jax_changes, jax_gpu
from gridir.frontend.compat.jax_equations import CHANGES
from gridir.frontend.compat.releases import NAMES, NEWEST, PRIMITIVES
from gridir.frontend.walk.levels import LEVELS

package = Path(sys.argv[1]) / "python" / "gridir"
files = sorted(package.rglob("*.py"))
for path in files:
    if jax_changes.private_names(path) and "frontend" in path.parts and "compat" not in path.parts:
        print(f"{path.relative_to(package)} imports private modules of JAX")
moved = jax_changes.moved_names(files)
names = sum(len(list(jax_changes.used_names(path))) for path in files)

# The classes of Mosaic GPU are named by strings, as they are imported late.
tree = ast.parse((package / "frontend" / "compat" / "jax_gpu.py").read_text())
classes = {name for name, _ in jax_gpu.TRANSFORMS.values()}
for node in ast.walk(tree):
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "_is_a":
        classes |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "core()":
        classes.add(node.attr)
moved += [f"{jax_gpu.core().__name__}.{name}" for name in classes if not hasattr(jax_gpu.core(), name)]
for module, name in (("params", "InterpretGPUParams"), ("interpret_pallas_call", "get_races")):
    if jax_changes.find(f"jax._src.pallas.mosaic_gpu.interpret.{module}", name) is None:
        moved.append(f"{module}.{name}")

# Rules know primitives by their names; one without a primitive is never called.
moved += [f"primitive {name}" for name in jax_changes.moved_primitives()]

# CHECK-NOT: imports private modules
# CHECK: moved: []
# CHECK-NEXT: more than 100 names, 10 classes: True True
print("moved:", moved)
print("more than 100 names, 10 classes:", names > 100, len(classes) > 10)

# The table of releases is right about the JAX that is installed: what it says is gone is not there.
there = jax_changes.primitive_names()
wrong = [name for name, releases in PRIMITIVES.items() if (jax.__version_info__ in releases) != (name in there)]
# CHECK-NEXT: wrong releases: []
print("wrong releases:", wrong)

# A name that only some releases have is used, and is in no other release.
# CHECK-NEXT: wrong names: []
used = {use for path in files for use in jax_changes.used_names(path)}
there = {".".join(filter(None, use)): jax_changes.is_there(*use) for use in used}
wrong = [name for name, releases in NAMES.items() if there.get(name) != (jax.__version_info__ in releases)]
print("wrong names:", wrong)

# Its rows are of rules, but for what only a run in float64 reads. Changes are of releases that there are.
rules = {name for level in LEVELS for name in level.supported()}
# CHECK-NEXT: rows without a rule: ['shard_map']
print("rows without a rule:", sorted({*PRIMITIVES, *CHANGES} - rules))
assert all(change.since[:2] <= NEWEST[:2] for change in CHANGES.values())

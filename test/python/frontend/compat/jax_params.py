# RUN: %python %s | FileCheck %s

# Every keyword that JAX's sources bind a primitive with is a parameter that the rule of the primitive knows: a JAX that
# adds one is told of here, all at once, and not by the first kernel that has it.
from pathlib import Path
from tempfile import TemporaryDirectory

from gridir.frontend.compat import jax_changes
from gridir.frontend.compat.jax_equations import CHANGES
from gridir.frontend.walk.registry import BASE

unknown, count = jax_changes.unknown_parameters()
# CHECK: unknown: []
# CHECK-NEXT: more than 100 primitives: True
print("unknown:", unknown)
print("more than 100 primitives:", count > 100)

# The check does find what is new.
with TemporaryDirectory() as directory:
    (Path(directory) / "_src").mkdir()
    (Path(directory) / "_src" / "new.py").write_text(
        "# add_p.bind(x, but this is no call\n"
        'out = add_p.bind(x, f(y=1), "(", size=(1, 2), **rest)[0]\n'
        "return module.sub_p.bind(*xs,\n  precision=None)\n"
    )
    bound = jax_changes.bound_parameters(Path(directory))
# CHECK-NEXT: precision size
print(*sorted(set().union(*bound.values())))

# Equations of an earlier JAX are converted: rules only read the newest form.
# CHECK-NEXT: rules without the newest form: []
lacking = [
    f"{name}: {parameter}"
    for name, change in CHANGES.items()
    for parameter in {*change.adds, *change.renames.values(), *filter(None, [change.operand])}
    for rule in filter(None, [BASE.find(name)])
    if parameter not in rule.known
]
print("rules without the newest form:", lacking)
